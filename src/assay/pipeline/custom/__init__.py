"""Stages that users write: import them, identify their sources, check what they return."""
