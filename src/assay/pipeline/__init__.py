"""Stages, their composition and nested cross-validation; needs the extra `pipeline`.

Nothing here sees a measure: objectives and the threshold chooser are passed in as callables.
"""
