"""Find posts and sentences that are nearly identical."""
