"""RK4 steps in C, with forces from the caller's function or held ones; the formulas of `model/step_formulas.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.engines.blocks.block_c_text import CPrecision

if TYPE_CHECKING:
    from supple.model.model import Model

RK4 = """{p}_real q[{U}_NQ], v[{U}_NV], tau[{U}_NV], rate[{U}_NQ], a[{U}_NV];
{p}_real first_q[{U}_NQ], first_v[{U}_NV], middle_q[{U}_NQ], middle_v[{U}_NV];"""
"""What a workspace has for the stages of a step."""
STEP = """/* One step; the forces are those of the function, or held where there is none. */
static void step({p}_numbers const *numbers, {p}_workspace *w, real t, real dt, {p}_forces forces, void *data,
    const real *held, real *q, real *v)
{{
    static const real fractions[] = {{{zero}, {half}, {half}, {one}}};
    int stage, i;
    copy(w->q, q, NQ);
    copy(w->v, v, NV);
    for (stage = 0; stage < 4; stage++) {{
        const real next = stage < 2 ? {half} * dt : {one} * dt;
        if (forces) {{
            forces(t + fractions[stage] * dt, w->q, w->v, w->tau, data);
        }}
        {p}_derivative(numbers, w, w->q, w->v, w->rate);
        {p}_forward_dynamics(numbers, w, w->q, w->v, forces ? w->tau : held, w->a);
        for (i = 0; i < NQ; i++) {{
            const real x = w->rate[i];
            if (stage == 0) {{
                w->first_q[i] = x;
            }} else if (stage == 1) {{
                w->middle_q[i] = x;
            }} else if (stage == 2) {{
                w->middle_q[i] += x;
            }} else {{
                q[i] += dt / {six} * (w->first_q[i] + {two} * w->middle_q[i] + x);
            }}
            w->q[i] = q[i] + next * x;
        }}
        for (i = 0; i < NV; i++) {{
            const real x = w->a[i];
            if (stage == 0) {{
                w->first_v[i] = x;
            }} else if (stage == 1) {{
                w->middle_v[i] = x;
            }} else if (stage == 2) {{
                w->middle_v[i] += x;
            }} else {{
                v[i] += dt / {six} * (w->first_v[i] + {two} * w->middle_v[i] + x);
            }}
            w->v[i] = v[i] + next * x;
        }}
    }}
{ends}}}

void {p}_rk4(const {p}_numbers *numbers, {p}_workspace *work, {p}_real t, {p}_real dt, {p}_forces forces, void *data,
    {p}_real *q, {p}_real *v)
{{
    step(numbers, work, t, dt, forces, data, 0, q, v);
}}

void {p}_rk4_held(const {p}_numbers *numbers, {p}_workspace *work, {p}_real dt, const {p}_real *tau, {p}_real *q,
    {p}_real *v)
{{
    step(numbers, work, 0, dt, 0, 0, tau, q, v);
}}
"""
UNIT = """    /* Quaternions are brought back to unit length. */
    for (i = 0; i < {count}; i++) {{
        real *const x = q + quaternions[i];
        const real length = {sqrt}(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        x[0] /= length;
        x[1] /= length;
        x[2] /= length;
        x[3] /= length;
    }}
"""
CLOSED = """    {p}_close_loops(numbers, w, q, v, w->q, w->v);
    copy(q, w->q, NQ);
    copy(v, w->v, NV);
"""


def rk4_declarations(p: str, closed: bool) -> list[str]:
    """What the header says of the steps."""
    last = ", then one step towards closed loops" if closed else ""
    return [
        "/* Generalized forces tau at a time and a state; `data` is handed on. */",
        f"typedef void (*{p}_forces)({p}_real t, const {p}_real *q, const {p}_real *v, {p}_real *tau, void *data);",
        "",
        f"/* Coordinates and speeds after a step of the classical Runge-Kutta method from t to t + dt{last}. */",
        f"void {p}_rk4(const {p}_numbers *numbers, {p}_workspace *work, {p}_real t, {p}_real dt, {p}_forces forces, "
        "void *data,",
        f"    {p}_real *q, {p}_real *v);",
        "",
        "/* The same with forces that are held during the step. */",
        f"void {p}_rk4_held(const {p}_numbers *numbers, {p}_workspace *work, {p}_real dt, const {p}_real *tau, "
        f"{p}_real *q,",
        f"    {p}_real *v);",
        "",
    ]


def rk4_text(p: str, upper: str, model: Model, precision: CPrecision) -> str:
    """The steps."""
    numbers = {"zero": 0.0, "half": 0.5, "one": 1.0, "two": 2.0, "six": 6.0}
    literals = {name: precision.number(x) for name, x in numbers.items()}
    own, ends = "", ""
    if model.quaternions:
        own = f"static const int quaternions[] = {{{', '.join(map(str, model.quaternions))}}};\n\n"
        ends += UNIT.format(count=len(model.quaternions), sqrt=precision.function("sqrt"))
    if model.loops is not None:
        ends += CLOSED.format(p=p)
    return own + STEP.format(p=p, U=upper, ends=ends, **literals)
