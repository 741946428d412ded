"""One function a check; the registry names them."""
