"""Where the kernels run: this process, or the executors of a Spark cluster."""
