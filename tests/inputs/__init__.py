"""Every shape and format that a caller may have, against pytrec_eval and scikit-learn."""
