"""Jain and Rodriguez (1990) as they print and count it: their chain, their routes, their costs. For comparison only.

The program has its own route (`supple.recursions.ports`); what is here forms the matrices that it does without.
"""
