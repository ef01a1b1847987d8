"""The functions of a model: one table, from which all products are made."""
