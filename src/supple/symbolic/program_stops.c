/* ------------------------------------------------------------ stops */

/* Adds to rates of the speeds, or to speeds, what forces at some joints do, so that theirs become `wanted`.
   With X f = wanted - rate; a joint that the others hold already gets no force. */
static void hold(struct simulation *now, const double *t, const double *y, const double *u, const int *which,
                 const double *wanted, double *rate, double *force)
{
    double X[STOPS * SPEEDS], A[STOPS * STOPS], b[STOPS], whole[STOPS];
    int at[STOPS], n = 0, i, j, k;
    for (i = 0; i < STOPS; i++) {
        force[i] = 0.0;
        if (which[i] != 0)
            at[n++] = i;
    }
    if (n == 0)
        return;
    responses(now, t, y, u, X);
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++)
            A[i * STOPS + j] = X[at[j] * SPEEDS + stops[at[i]].speed];
        b[i] = wanted[at[i]] - rate[stops[at[i]].speed];
        whole[i] = A[i * STOPS + i];
    }
    for (k = 0; k < n; k++) { /* X is symmetric and positive: no pivoting */
        const int fixed = !(A[k * STOPS + k] > IMMOVABLE * whole[k]);
        for (i = k + 1; i < n; i++) {
            const double factor = fixed ? 0.0 : A[i * STOPS + k] / A[k * STOPS + k];
            for (j = k; j < n; j++)
                A[i * STOPS + j] -= factor * A[k * STOPS + j];
            b[i] -= factor * b[k];
        }
        if (fixed)
            whole[k] = 0.0;
    }
    for (k = n - 1; k >= 0; k--) {
        for (j = k + 1; j < n; j++)
            b[k] -= A[k * STOPS + j] * b[j];
        b[k] = whole[k] > 0.0 ? b[k] / A[k * STOPS + k] : 0.0;
        force[at[k]] = b[k];
        for (i = 0; i < SPEEDS; i++)
            rate[i] += b[k] * X[at[k] * SPEEDS + i];
    }
    for (k = 0; k < n; k++)
        rate[stops[at[k]].speed] = wanted[at[k]];
}

/* Rates of the state, joints that stops hold at rest; the forces of the stops go into `force`. */
static void held_rates(struct simulation *now, const double *t, const double *y, const double *u, const int *which,
                       double *out, double *force)
{
    static const double still[STOPS];
    free_rates(now, t, y, u, out);
    hold(now, t, y, u, which, still, out + COORDINATES, force);
}

static void rates(struct simulation *now, const double *t, const double *y, const double *u, double *out)
{
    double force[STOPS];
    held_rates(now, t, y, u, now->held, out, force);
}

/* Where a stop of a joint is; infinite if there is none. */
static double stop_at(struct simulation *now, int i, int side)
{
    const int entry = side > 0 ? stops[i].upper : stops[i].lower;
    return entry < 0 ? side * INFINITY : now->values[entry];
}

/* Whether prescribed motions, loops and the stops that hold other joints leave a joint no other way. */
static int immovable(struct simulation *now, int i)
{
    static const double still[STOPS];
    double X[STOPS * SPEEDS], force[STOPS], own;
#if LOOPS
    double open[STOPS];
#endif
    responses(now, &now->reached, now->y, now->u, X);
    own = X[i * SPEEDS + stops[i].speed];
#if LOOPS
    open_responses(now, &now->reached, now->y, now->u, open);
    own = open[i];
#endif
    hold(now, &now->reached, now->y, now->u, now->held, still, X + i * SPEEDS, force);
    return !(X[i * SPEEDS + stops[i].speed] > IMMOVABLE * own);
}

/* Throws a joint back from its stop; 1 if it comes to rest there, -1 if the stop cannot hold it. Joints that this pulls
   off their stops are freed. */
static int impact(struct simulation *now, int i, int side)
{
    double *const v = now->y + COORDINATES, meets, back, wanted[STOPS] = {0.0}, speeds[SPEEDS], impulse[STOPS];
    int which[STOPS], pulled = 1, j;
    now->y[stops[i].place] = stop_at(now, i, side);
#if LOOPS
    close_loops(now, now->reached, now->y);
    now->y[stops[i].place] = stop_at(now, i, side);
#endif
    meets = v[stops[i].speed];
    if (meets * side < -AT_REST) /* an impulse on another joint has turned it round */
        return 0;
    if (immovable(now, i)) {
        if (fabs(meets) <= AT_REST) /* what holds the others holds it too */
            return 0;
        fail(now, NOT_CLOSED,
             "limit of %s: at time %.17g the joint meets its stop, which cannot hold it: prescribed motions, other stops "
             "and the closed loops leave it no other way",
             stops[i].name, now->reached);
        return -1;
    }
    back = fabs(meets) > AT_REST ? now->values[stops[i].restitution] : 0.0;
    wanted[i] = -back * meets;
    while (pulled) {
        memcpy(which, now->held, sizeof which);
        which[i] = side;
        memcpy(speeds, v, sizeof speeds);
        hold(now, &now->reached, now->y, now->u, which, wanted, speeds, impulse);
        pulled = 0;
        for (j = 0; j < STOPS; j++)
            if (j != i && now->held[j] * impulse[j] > 0.0) {
                now->held[j] = 0;
                pulled = 1;
            }
    }
    memcpy(v, speeds, sizeof speeds);
    return back == 0.0;
}

/* What becomes of joints that have met their stops: thrown back, or held as long as the stop pushes; 0, or -1 if a stop
   cannot hold its joint. */
static int meet_stops(struct simulation *now, const int *met)
{
    double out[STATE], force[STOPS];
    int resting[STOPS] = {0}, which[STOPS], rests, i;
    for (i = 0; i < STOPS; i++) {
        rests = met[i] != 0 ? impact(now, i, met[i]) : 0;
        if (rests < 0)
            return -1;
        if (rests)
            resting[i] = met[i];
    }
    for (i = 0; i < STOPS; i++)
        which[i] = resting[i] != 0 ? resting[i] : now->held[i];
    held_rates(now, &now->reached, now->y, now->u, which, out, force);
    for (i = 0; i < STOPS; i++)
        if (resting[i] * force[i] < 0.0)
            now->held[i] = resting[i];
    return 0;
}

