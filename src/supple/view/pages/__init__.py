"""Pages as single files."""
