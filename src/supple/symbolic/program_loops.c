/* ------------------------------------------------------------ closed loops */

/* Takes the state a step towards closed loops, shortened if it is long; how long it was. */
static double closing(struct simulation *now, double t, double *y)
{
    double next[STATE], margin[ROWS + 1], longest = 0.0, share;
    int i;
    closed(now, &t, y, now->u, next, margin);
    for (i = 0; i < COORDINATES; i++)
        longest = greater(longest, fabs(next[i] - y[i]) / (1.0 + fabs(y[i])));
    share = longest > FARTHEST ? FARTHEST / longest : 1.0;
    for (i = 0; i < STATE; i++)
        y[i] += share * (next[i] - y[i]);
    return isfinite(longest) ? longest : INFINITY;
}

/* Closes the loops of a state that is almost there. */
static void close_loops(struct simulation *now, double t, double *y)
{
    int n;
    for (n = 0; n < 10 && closing(now, t, y) > CLOSED; n++)
        ;
}

#if ASSEMBLY
/* W: the inverse of the mass matrix of the speeds that are not fixed, zero elsewhere; `massless` is the share of the
   largest inertia that is added to all. */
static void weigh(const double *M, const int *fixed, double massless, double *W)
{
    double A[SPEEDS * SPEEDS], largest = 0.0;
    int i, j, k;
    for (i = 0; i < SPEEDS; i++) {
        for (j = 0; j < SPEEDS; j++) {
            A[i * SPEEDS + j] = fixed[i] || fixed[j] ? 0.0 : M[i * SPEEDS + j] * speed_scales[i] * speed_scales[j];
            W[i * SPEEDS + j] = i == j && !fixed[i];
        }
        largest = greater(largest, A[i * SPEEDS + i]);
    }
    for (i = 0; i < SPEEDS; i++)
        A[i * SPEEDS + i] += fixed[i] ? 1.0 : massless * largest;
    for (k = 0; k < SPEEDS; k++)
        for (i = 0; i < SPEEDS; i++) {
            const double factor = i == k ? 0.0 : A[i * SPEEDS + k] / A[k * SPEEDS + k];
            for (j = 0; j < SPEEDS && i != k; j++) {
                A[i * SPEEDS + j] -= factor * A[k * SPEEDS + j];
                W[i * SPEEDS + j] -= factor * W[k * SPEEDS + j];
            }
        }
    for (i = 0; i < SPEEDS; i++)
        for (j = 0; j < SPEEDS; j++)
            W[i * SPEEDS + j] *= speed_scales[i] * speed_scales[j] / A[i * SPEEDS + i];
}

/* The step of least kinetic energy that takes away errors of the constraint equations, to first order:
   -W J* (J W J*)^-1 error, regularized where equations repeat each other. */
static void least_step(const double *J, const double *error, const double *W, double damping, double *step)
{
    double X[ROWS * SPEEDS], A[ROWS * ROWS], b[ROWS];
    int i, j, k;
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < SPEEDS; j++) {
            X[i * SPEEDS + j] = 0.0;
            for (k = 0; k < SPEEDS; k++)
                X[i * SPEEDS + j] += J[i * SPEEDS + k] * W[k * SPEEDS + j];
        }
    for (i = 0; i < ROWS; i++) {
        for (j = 0; j < ROWS; j++) {
            A[i * ROWS + j] = 0.0;
            for (k = 0; k < SPEEDS; k++)
                A[i * ROWS + j] += X[i * SPEEDS + k] * J[j * SPEEDS + k];
        }
        A[i * ROWS + i] += (1e-10 + damping) * A[i * ROWS + i] + 1e-30;
        b[i] = error[i];
    }
    for (k = 0; k < ROWS; k++)
        for (i = k + 1; i < ROWS; i++) {
            const double factor = A[i * ROWS + k] / A[k * ROWS + k];
            for (j = k; j < ROWS; j++)
                A[i * ROWS + j] -= factor * A[k * ROWS + j];
            b[i] -= factor * b[k];
        }
    for (k = ROWS - 1; k >= 0; k--) {
        for (j = k + 1; j < ROWS; j++)
            b[k] -= A[k * ROWS + j] * b[j];
        b[k] /= A[k * ROWS + k];
    }
    for (k = 0; k < SPEEDS; k++) {
        step[k] = 0.0;
        for (i = 0; i < ROWS; i++)
            step[k] -= X[i * SPEEDS + k] * b[i];
    }
}

/* Errors of the constraint equations of a state, and the largest of them relative to its typical size. */
static double errors_of(struct simulation *now, double t, const double *y, double *position, double *velocity, double *J,
                        double *M)
{
    double largest = 0.0;
    int i;
    constraints(now, &t, y, now->u, position, velocity, J, M);
    for (i = 0; i < ROWS; i++)
        largest = isfinite(position[i]) ? greater(largest, fabs(position[i]) / row_scales[i]) : INFINITY;
    return largest;
}

/* Closes the loops by coordinates that are not fixed (Levenberg and Marquardt), then by speeds that are not still;
   what is left of the errors. */
static double close_with(struct simulation *now, double t, double *y, const int *fixed, const int *still)
{
    double position[ROWS], velocity[ROWS], J[ROWS * SPEEDS], M[SPEEDS * SPEEDS], W[SPEEDS * SPEEDS];
    double step[SPEEDS], trial[STATE], rate[COORDINATES];
    double error = errors_of(now, t, y, position, velocity, J, M), damping = 0.0, longest, next;
    int n, i;
    for (n = 0; n < 300 && error > CLOSED && damping < 1e8; n++) {
        weigh(M, fixed, MASSLESS, W);
        least_step(J, position, W, damping, step);
        longest = 0.0;
        for (i = 0; i < SPEEDS; i++)
            longest = greater(longest, fabs(step[i]) / speed_scales[i]);
        memcpy(trial, y, sizeof trial);
        for (i = 0; i < SPEEDS; i++)
            trial[COORDINATES + i] = step[i] / greater(1.0, longest / FARTHEST);
        coordinate_rates(now, &t, trial, now->u, rate);
        for (i = 0; i < COORDINATES; i++)
            trial[i] += rate[i];
        memcpy(trial + COORDINATES, y + COORDINATES, SPEEDS * sizeof(double));
#if QUATERNIONS
        normalize(trial);
#endif
        next = errors_of(now, t, trial, position, velocity, J, M);
        if (next < error * (1.0 - 1e-4)) {
            memcpy(y, trial, sizeof trial);
            error = next;
            damping = damping > 1e-6 ? damping / 10.0 : 0.0;
        } else if (error < NEARLY_CLOSED) {
            break;
        } else {
            damping = greater(10.0 * damping, 1e-6);
        }
        errors_of(now, t, y, position, velocity, J, M);
    }
    for (n = 0; n < 3; n++) {
        errors_of(now, t, y, position, velocity, J, M);
        weigh(M, still, 0.0, W);
        least_step(J, velocity, W, 0.0, step);
        for (i = 0; i < SPEEDS; i++)
            y[COORDINATES + i] += step[i];
    }
    return error;
}

/* The constraint equation that is most open, relative to its typical size, and its error. */
static int most_open(struct simulation *now, double t, const double *y, double *error)
{
    double position[ROWS], velocity[ROWS], J[ROWS * SPEEDS], M[SPEEDS * SPEEDS];
    int worst = 0, i;
    constraints(now, &t, y, now->u, position, velocity, J, M);
    for (i = 1; i < ROWS; i++)
        if (!(fabs(position[i]) / row_scales[i] <= fabs(position[worst]) / row_scales[worst]))
            worst = i;
    *error = fabs(position[worst]);
    return worst;
}

/* 0, or the exit code if the loops are open. */
static int require_closed(struct simulation *now, double t, const double *y)
{
    double error;
    const int row = most_open(now, t, y, &error);
    if (!(error <= OPEN * row_scales[row]))
        return fail(now, NOT_CLOSED,
                    "time %.17g: constraint %s is off by %.3g (m or rad): prescribed motions contradict it, the steps "
                    "were too long, or the configuration is singular",
                    t, row_names[row], error);
    return 0;
}

/* The same; deformations stay as they are, if the joints suffice. Coordinates and speeds keep their values where `keep`
   says so. 0 or the exit code. */
static int assemble_changed(struct simulation *now, double t, const int *keep, double *y)
{
    int fixed[SPEEDS], still[SPEEDS], i, k;
    double start[STATE], error = INFINITY;
    memcpy(start, y, sizeof start);
    for (k = 0; k < 2 && error > NEARLY_CLOSED; k++) {
        for (i = 0; i < SPEEDS; i++) {
            fixed[i] = prescribed[i] || (k == 0 && modes[i]);
            still[i] = prescribed[i] || keep[COORDINATES + i];
        }
        for (i = 0; i < COORDINATES; i++)
            if (keep[i] && speed_of[i] >= 0)
                fixed[speed_of[i]] = 1;
        memcpy(y, start, sizeof start);
        error = close_with(now, t, y, fixed, still);
    }
    if (!(error <= NEARLY_CLOSED)) {
        k = most_open(now, t, y, &error);
        return fail(now, NOT_CLOSED,
                    "time %.17g: the loops cannot be closed with the values that are given: constraint %s is off by "
                    "%.3g (m or rad)",
                    t, row_names[k], error);
    }
    return 0;
}

/* Closes the loops at the start; 0 or the exit code. What the input has changed, and what is prescribed, stays, and so
   does what the model's run names, unless it contradicts what the input has changed. */
static int assemble(struct simulation *now, double t, double *y)
{
    double start[STATE];
    int keep[COORDINATES + SPEEDS], changed = 0, status, i;
    memcpy(start, y, sizeof start);
    for (i = 0; i < COORDINATES + SPEEDS; i++) {
        keep[i] = start[i] != entries[START + i].value;
        changed = changed || keep[i];
        keep[i] = keep[i] || named[i];
    }
    status = assemble_changed(now, t, keep, y);
    if (status != 0 && changed) {
        for (i = 0; i < COORDINATES + SPEEDS; i++)
            keep[i] = start[i] != entries[START + i].value;
        memcpy(y, start, sizeof start);
        status = assemble_changed(now, t, keep, y);
    }
    if (status != 0)
        return status;
    close_loops(now, t, y);
    return 0;
}

#endif
#if NEWTON
/* 0, or the exit code if the loops are open. */
static int require_closed(struct simulation *now, double t, const double *y)
{
    double state[STATE], moved;
    memcpy(state, y, sizeof state);
    moved = closing(now, t, state);
    if (!(moved <= NEARLY_CLOSED))
        return fail(now, NOT_CLOSED, "time %.17g: the loops are open: a step of %.3g closes them", t, moved);
    return 0;
}

/* Closes the loops from where the input has them; 0 or the exit code. Prescribed coordinates stay. */
static int assemble(struct simulation *now, double t, double *y)
{
    double moved = INFINITY;
    int n;
    for (n = 0; n < 200 && moved > CLOSED; n++)
        moved = closing(now, t, y);
    if (moved > NEARLY_CLOSED)
        return fail(now, NOT_CLOSED, "the loops cannot be closed from the start that is given: a step of %.3g is left",
                    moved);
    closing(now, t, y); /* speeds, with the coordinates as they are now */
    return 0;
}

#endif
