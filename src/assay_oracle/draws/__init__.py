"""Evaluate the measures of a bundle on given resamples.

A resample is a list of counts: how often each unit, and so each of its queries, was drawn.
"""
