"""Who says how alike two tails are: a model that reads both, or the distance of their sentence embeddings."""
