"""From cases and a contract to a result: values, distributions, folds, groups, ties."""
