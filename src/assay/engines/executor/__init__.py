"""What runs on the executors of Spark: rows, ranked lists, and the function that is shipped."""
