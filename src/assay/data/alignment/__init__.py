"""Join predictions with judgements by id and rank them: inputs become `Cases`."""
