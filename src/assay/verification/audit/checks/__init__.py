"""The checks, one function each; `check_list` names them."""
