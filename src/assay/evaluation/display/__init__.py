"""A result or comparison as people read it: tables and notes as plain text."""
