"""Whether flexible bodies stay in the range of linear theory."""
