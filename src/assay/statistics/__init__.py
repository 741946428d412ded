"""Statistical functions of arrays that are not measures: bounds, tests, operating points."""
