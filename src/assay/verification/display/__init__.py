"""What the checks found as people read it: tables and sentences as plain text."""
