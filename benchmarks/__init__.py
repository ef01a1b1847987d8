"""A package for the type checker, so that names of files may be those of folders of tests."""
