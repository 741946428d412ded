"""The matching model: features of questions and sentences that mean the same for every question."""
