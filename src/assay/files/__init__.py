"""Files and folders: inputs that are hashed as they are read, outputs that appear in one step."""
