"""The rules by topic; `rule_list` has them all."""
