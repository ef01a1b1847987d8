"""The driver: takes states from rows of arrays into lanes, walks the blocks, puts results into rows."""

from __future__ import annotations

from supple.engines.blocks.block_code import vector

DRIVER = "supple_driver"
ARGUMENTS = "ptr %program, i64 %start, i64 %stop, ptr %arrays, ptr %strides, ptr %memory, ptr %numbers"


def driver_text(lanes: int) -> str:
    """The driver in LLVM code.

        void driver(i64 *program, i64 start, i64 stop, double **arrays, i64 *strides, double *memory, double *numbers)

    A program is: inputs, outputs, blocks (how many of each); then for each input and each output its first cell and
    its length; then for each block the address of its function and that of its table. A state's row in an array begins
    at its stride times its number. Lanes beyond the last state take the last state again.
    """
    L = lanes
    copies = "\n".join(
        f"""  %n{i} = add i64 %s, {i}
  %b{i} = icmp slt i64 %n{i}, %last
  %r{i} = select i1 %b{i}, i64 %n{i}, i64 %last"""
        for i in range(L)
    )
    return f"""
define void @{DRIVER}({ARGUMENTS}) nounwind {{
entry:
  %inputs = load i64, ptr %program
  %p1 = getelementptr i64, ptr %program, i64 1
  %outputs = load i64, ptr %p1
  %p2 = getelementptr i64, ptr %program, i64 2
  %blocks = load i64, ptr %p2
  %places = getelementptr i64, ptr %program, i64 3
  %count = add i64 %inputs, %outputs
  %twice = shl i64 %count, 1
  %calls = getelementptr i64, ptr %places, i64 %twice
  %last = sub i64 %stop, 1
  %any = icmp slt i64 %start, %stop
  br i1 %any, label %group, label %done
group:
  %s = phi i64 [ %start, %entry ], [ %next, %stored ]
{copies}
  br label %in
in:
  %i = phi i64 [ 0, %group ], [ %i1, %in_end ]
  %i_more = icmp slt i64 %i, %inputs
  br i1 %i_more, label %in_array, label %walk
in_array:
{_array("i", L)}
  br label %in_cell
in_cell:
  %ij = phi i64 [ 0, %in_array ], [ %ij1, %in_body ]
  %ij_more = icmp slt i64 %ij, %i_length
  br i1 %ij_more, label %in_body, label %in_end
in_body:
{_gather(L)}
  %ij1 = add i64 %ij, 1
  br label %in_cell
in_end:
  %i1 = add i64 %i, 1
  br label %in
walk:
  %b = phi i64 [ 0, %in ], [ %bn, %call ]
  %b_more = icmp slt i64 %b, %blocks
  br i1 %b_more, label %call, label %out
call:
  %bb = shl i64 %b, 1
  %f_at = getelementptr i64, ptr %calls, i64 %bb
  %t_at = getelementptr i64, ptr %f_at, i64 1
  %f = load ptr, ptr %f_at
  %t = load ptr, ptr %t_at
  call void %f(ptr %memory, ptr %numbers, ptr %t)
  %bn = add i64 %b, 1
  br label %walk
out:
  %o = phi i64 [ %inputs, %walk ], [ %o1, %out_end ]
  %o_more = icmp slt i64 %o, %count
  br i1 %o_more, label %out_array, label %stored
out_array:
{_array("o", L)}
  br label %out_cell
out_cell:
  %oj = phi i64 [ 0, %out_array ], [ %oj1, %out_body ]
  %oj_more = icmp slt i64 %oj, %o_length
  br i1 %oj_more, label %out_body, label %out_end
out_body:
{_scatter(L)}
  %oj1 = add i64 %oj, 1
  br label %out_cell
out_end:
  %o1 = add i64 %o, 1
  br label %out
stored:
  %next = add i64 %s, {L}
  %more = icmp slt i64 %next, %stop
  br i1 %more, label %group, label %done
done:
  ret void
}}"""


def _array(i: str, lanes: int) -> str:
    """Where the rows of array i begin, one for each lane, its cells and their number."""
    rows = "\n".join(
        f"""  %{i}_m{k} = mul i64 %r{k}, %{i}_stride
  %{i}_row{k} = getelementptr double, ptr %{i}_data, i64 %{i}_m{k}"""
        for k in range(lanes)
    )
    return f"""  %{i}_at = getelementptr ptr, ptr %arrays, i64 %{i}
  %{i}_data = load ptr, ptr %{i}_at
  %{i}_st = getelementptr i64, ptr %strides, i64 %{i}
  %{i}_stride = load i64, ptr %{i}_st
  %{i}_2 = shl i64 %{i}, 1
  %{i}_p = getelementptr i64, ptr %places, i64 %{i}_2
  %{i}_first = load i64, ptr %{i}_p
  %{i}_q = getelementptr i64, ptr %{i}_p, i64 1
  %{i}_length = load i64, ptr %{i}_q
  %{i}_f = mul i64 %{i}_first, {lanes}
  %{i}_cells = getelementptr double, ptr %memory, i64 %{i}_f
{rows}"""


def _gather(lanes: int) -> str:
    """Cell j of the lanes from entry j of their rows."""
    lines = [f"  %g_o = mul i64 %ij, {lanes}", "  %g_c = getelementptr double, ptr %i_cells, i64 %g_o"]
    kind, value = vector(lanes), "poison"
    for k in range(lanes):
        lines += [f"  %g_a{k} = getelementptr double, ptr %i_row{k}, i64 %ij", f"  %g_v{k} = load double, ptr %g_a{k}"]
        if lanes == 1:
            value = "%g_v0"
        else:
            lines.append(f"  %g_w{k} = insertelement {kind} {value}, double %g_v{k}, i64 {k}")
            value = f"%g_w{k}"
    return "\n".join([*lines, f"  store {kind} {value}, ptr %g_c, align {8 * lanes}"])


def _scatter(lanes: int) -> str:
    """Entry j of the lanes' rows from cell j."""
    kind = vector(lanes)
    lines = [
        f"  %h_o = mul i64 %oj, {lanes}",
        "  %h_c = getelementptr double, ptr %o_cells, i64 %h_o",
        f"  %h_w = load {kind}, ptr %h_c, align {8 * lanes}",
    ]
    for k in range(lanes):
        value = "%h_w"
        if lanes > 1:
            lines.append(f"  %h_v{k} = extractelement {kind} %h_w, i64 {k}")
            value = f"%h_v{k}"
        lines += [f"  %h_a{k} = getelementptr double, ptr %o_row{k}, i64 %oj", f"  store double {value}, ptr %h_a{k}"]
    return "\n".join(lines)
