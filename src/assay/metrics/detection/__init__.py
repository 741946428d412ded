"""How well a system detects which queries have evidence: areas, rates and costs."""

SECTION = "No-evidence gate"
