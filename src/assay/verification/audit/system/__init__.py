"""Re-run a system with altered labels and see what changes."""
