"""Forward dynamics by triangularization of the mass matrix with the sparsity of its branches.

M = L* D L with L unit lower triangular: a row has entries only for its ancestors, and eliminating leaves first makes
no others (section 10 names the method).
"""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.articulated import singular_dof
from supple.recursions.composite import mass
from supple.recursions.tree import Array, Flex, Tree, Workspace


@step
def factor(v_parent: Array, M: Array) -> None:
    """Overwrite the lower triangle of M by L and D. Cost: degrees of freedom times depth squared."""
    for k in range(len(v_parent) - 1, -1, -1):
        i = v_parent[k]
        while i >= 0:
            ratio = M[k, i] / M[k, k]
            j = i
            while j >= 0:
                M[i, j] = M[i, j] - ratio * M[k, j]
                j = v_parent[j]
            M[k, i] = ratio
            i = v_parent[i]


@step
def solve(v_parent: Array, M: Array, x: Array) -> None:
    """Overwrite x by M^-1 x. Given L and D from `factor`."""
    n = len(v_parent)
    for i in range(n - 1, -1, -1):
        j = v_parent[i]
        while j >= 0:
            x[j] = x[j] - M[i, j] * x[i]
            j = v_parent[j]
    for i in range(n):
        x[i] = x[i] / M[i, i]
        j = v_parent[i]
        while j >= 0:
            x[i] = x[i] - M[i, j] * x[j]
            j = v_parent[j]


@sweep
def triangular_solve(tree: Tree, flex: Flex | None, q: Array, given: Array, ws: Workspace, M: Array, x: Array) -> int:
    """Overwrite a batch of forces x (s, nv) by M^-1 x; return 0, or 1 + the degree of freedom that has no inertia.

    M (nv, nv) is working space, zero off the branches; no acceleration is `given`. The D of L* D L are those of the
    articulated bodies, here judged against the diagonal of M that they are left from.
    """
    for s in range(len(q)):
        mass(tree, flex, q[s], ws, M)
        for i in range(len(given)):
            ws.size[i] = M[i, i]
        factor(tree.v_parent, M)
        for i in range(len(given)):
            ws.D[i] = M[i, i]
        fault = singular_dof(given, ws)
        if fault > 0:
            return fault
        solve(tree.v_parent, M, x[s])
    return 0
