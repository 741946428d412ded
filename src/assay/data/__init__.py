"""What was asked and what was answered: readers, validation, alignment by id, and `Cases`."""
