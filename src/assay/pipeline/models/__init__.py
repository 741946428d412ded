"""Models and features shared by the stages; optional extras are loaded on use."""
