"""The scene that pages, films and glTF files draw: bodies, symbols, motion, look."""
