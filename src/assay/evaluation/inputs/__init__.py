"""Turn any accepted input into cases, TUNE queries and the tables behind them."""
