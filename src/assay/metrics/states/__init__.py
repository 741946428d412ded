"""The three-state gate: how many queries are skipped, sent to review and alerted."""

SECTION = "Three states"
