"""Shared tasks where systems may abstain: one reader per task, from the official files to `TaskInput`."""
