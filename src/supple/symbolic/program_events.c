/* ------------------------------------------------------------ events */

/* Everything that is watched: quantities of events, then two of each stop. Of a free joint how far it is beyond the
   lower and the upper stop; of one that is held by a stop, the force that holds it, and nothing. */
static void watched(const double *t, const double *y, const double *u, double *g)
{
#if STOPS
    double out[STATE], force[STOPS];
    int i, any = 0;
#endif
#if EVENTS
    watched_quantities(t, y, u, g);
#endif
#if STOPS
    for (i = 0; i < STOPS; i++)
        any = any || held[i] != 0;
    if (any)
        held_rates(t, y, u, held, out, force);
    for (i = 0; i < STOPS; i++) {
        double *const own = g + EVENTS + 2 * i;
        own[0] = held[i] != 0 ? held[i] * force[i] : y[stops[i].place] - (stop_at(i, -1) - SLACK);
        own[1] = held[i] != 0 ? 1.0 : y[stops[i].place] - (stop_at(i, 1) + SLACK);
    }
#endif
}

/* The way in which a quantity has to pass zero: 1 rising, -1 falling, 0 both. */
static double direction_of(int i)
{
#if EVENTS
    if (i < EVENTS)
        return directions[i];
#endif
#if STOPS
    if (held[(i - EVENTS) / 2] == 0)
        return (i - EVENTS) % 2 == 0 ? -1.0 : 1.0;
#endif
    return (i - EVENTS) % 2 == 0 ? 1.0 : 0.0;
}

/* Notes on which sides the watched quantities are as a segment begins: what has just happened is at zero, so it counts
   where it goes; joints are inside their stops, and stops push. Given the rates in scratch_K. */
static void start_watch(int afresh)
{
    const double h = AHEAD_OF_ZERO * interval, t = reached + h;
    double soon[WATCHED], y[STATE];
    int i;
    for (i = 0; i < STATE; i++)
        y[i] = now_y[i] + h * scratch_K[i];
    watched(&t, y, now_u, soon);
    for (i = 0; i < WATCHED; i++) {
        now_g[WATCHED + i] = direction_of(i);
        if (afresh || now_g[i] == 0.0)
            now_g[i] = i < EVENTS ? side_of(soon[i]) : -direction_of(i);
    }
}

/* A watched quantity at a fraction of the last step, positive before it passes zero. */
static double before_zero(int i, double x)
{
    const double t = now_clock[3] + x * now_clock[4];
    double y[STATE], g[WATCHED];
    between(x, scratch_work, scratch_F, y);
    watched(&t, y, now_u, g);
    return g[i] * now_g[i];
}

/* The fraction of the last step behind which a watched quantity has passed zero. */
static double zero_of(int i)
{
    double low = 0.0, high = 1.0, half = 0.5;
    int n = 0;
    if (!(before_zero(i, 0.0) > 0.0)) { /* it starts from zero: a short way round, or at once */
        while (n < 39 && !(before_zero(i, half) > 0.0)) {
            half *= 0.5;
            n++;
        }
        if (n == 39)
            return 0.0;
        low = half;
    }
    for (half = 0.5 * (low + high); half > low && half < high; half = 0.5 * (low + high)) {
        if (before_zero(i, half) > 0.0)
            low = half;
        else
            high = half;
    }
    return high;
}

/* The fraction of the last step at which something happens first, and in `happened` all that happens there. */
static double locate(int *happened)
{
    double first[WATCHED], least = 1.0;
    int i;
    for (i = 0; i < WATCHED; i++) {
        first[i] = crossed(now_g[2 * WATCHED + i], now_g[i], now_g[WATCHED + i]) ? zero_of(i) : 2.0;
        least = lesser(least, first[i]);
    }
    for (i = 0; i < WATCHED; i++)
        happened[i] = first[i] <= least + 1e-12;
    return least;
}

/* What follows from all that happened at one time; 1 if it ends the run, -1 if the loops cannot be closed again. */
static int react(const int *happened)
{
    int ends = 0, i;
#if REASSEMBLED
    double before[STATE];
    memcpy(before, now_y, sizeof before);
#endif
#if STOPS
    int met[STOPS] = {0};
#endif
    for (i = 0; i < WATCHED; i++) {
        if (!happened[i])
            continue;
#if EVENTS
        if (i < EVENTS) {
            change(i);
            ends = ends || ending[i];
        }
#endif
#if STOPS
        if (i >= EVENTS && held[(i - EVENTS) / 2] != 0)
            held[(i - EVENTS) / 2] = 0;
        else if (i >= EVENTS)
            met[(i - EVENTS) / 2] = (i - EVENTS) % 2 == 0 ? -1 : 1;
#endif
    }
#if REASSEMBLED
    if (memcmp(before, now_y, sizeof before) != 0 && assemble_changed(reached, before, now_y) != 0)
        return -1;
#endif
#if STOPS
    meet_stops(met);
#endif
    return ends;
}

