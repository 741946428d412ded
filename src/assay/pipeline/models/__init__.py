"""Features of texts, trees and encoders, shared by the stages; optional extras are loaded on use."""
