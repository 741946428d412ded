"""What was returned: how many sentences, how much of the evidence, and its utility."""

SECTION = "Dynamic K"
