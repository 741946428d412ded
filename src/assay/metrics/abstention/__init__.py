"""What a system gains by abstaining on the queries it is least sure of."""

SECTION = "Calibration"
