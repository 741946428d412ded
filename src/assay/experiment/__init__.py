"""The one place where a pipeline meets a score: a configuration to a bundle with floors."""
