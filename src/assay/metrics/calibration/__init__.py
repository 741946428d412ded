"""Whether stated probabilities match observed frequencies."""

SECTION = "Calibration"
