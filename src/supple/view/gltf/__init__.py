"""glTF files."""
