/* ------------------------------------------------------------ events */

/* Everything that is watched: quantities of events, then two of each stop. Of a free joint how far it is beyond the
   lower and the upper stop; of one that is held by a stop, the force that holds it, and nothing. */
static void watched(struct simulation *now, const double *t, const double *y, const double *u, double *g)
{
#if STOPS
    double out[STATE], force[STOPS];
    int i, any = 0;
#endif
#if EVENTS
    watched_quantities(now, t, y, u, g);
#endif
#if STOPS
    for (i = 0; i < STOPS; i++)
        any = any || now->held[i] != 0;
    if (any)
        held_rates(now, t, y, u, now->held, out, force);
    for (i = 0; i < STOPS; i++) {
        double *const own = g + EVENTS + 2 * i;
        own[0] = now->held[i] != 0 ? now->held[i] * force[i] : y[stops[i].place] - (stop_at(now, i, -1) - SLACK);
        own[1] = now->held[i] != 0 ? 1.0 : y[stops[i].place] - (stop_at(now, i, 1) + SLACK);
    }
#endif
}

/* The way in which a quantity has to pass zero: 1 rising, -1 falling, 0 both. */
static double direction_of(struct simulation *now, int i)
{
    (void)now;
#if EVENTS
    if (i < EVENTS)
        return directions[i];
#endif
#if STOPS
    if (now->held[(i - EVENTS) / 2] == 0)
        return (i - EVENTS) % 2 == 0 ? -1.0 : 1.0;
#endif
    return (i - EVENTS) % 2 == 0 ? 1.0 : 0.0;
}

/* Notes on which sides the watched quantities are as a segment begins: what has just happened is at zero, so it counts
   where it goes; joints are inside their stops, and stops push. Given the rates in now->K. */
static void start_watch(struct simulation *now, int afresh)
{
    const double h = AHEAD_OF_ZERO * now->interval, t = now->reached + h;
    double soon[WATCHED], y[STATE];
    int i;
    for (i = 0; i < STATE; i++)
        y[i] = now->y[i] + h * now->K[i];
    watched(now, &t, y, now->u, soon);
    for (i = 0; i < WATCHED; i++) {
        now->g[WATCHED + i] = direction_of(now, i);
        if (afresh || now->g[i] == 0.0)
            now->g[i] = i < EVENTS ? side_of(soon[i]) : -direction_of(now, i);
    }
}

/* A watched quantity at a fraction of the last step, positive before it passes zero. */
static double before_zero(struct simulation *now, int i, double x)
{
    const double t = now->clock[3] + x * now->clock[4];
    double y[STATE], g[WATCHED];
    between(x, now->work, now->F, y);
    watched(now, &t, y, now->u, g);
    return g[i] * now->g[i];
}

/* The fraction of the last step behind which a watched quantity has passed zero. */
static double zero_of(struct simulation *now, int i)
{
    double low = 0.0, high = 1.0, half = 0.5;
    int n = 0;
    if (!(before_zero(now, i, 0.0) > 0.0)) { /* it starts from zero: a short way round, or at once */
        while (n < 39 && !(before_zero(now, i, half) > 0.0)) {
            half *= 0.5;
            n++;
        }
        if (n == 39)
            return 0.0;
        low = half;
    }
    for (half = 0.5 * (low + high); half > low && half < high; half = 0.5 * (low + high)) {
        if (before_zero(now, i, half) > 0.0)
            low = half;
        else
            high = half;
    }
    return high;
}

/* The fraction of the last step at which something happens first, and in `happened` all that happens there. */
static double locate(struct simulation *now, int *happened)
{
    double first[WATCHED], least = 1.0;
    int i;
    for (i = 0; i < WATCHED; i++) {
        first[i] = crossed(now->g[2 * WATCHED + i], now->g[i], now->g[WATCHED + i]) ? zero_of(now, i) : 2.0;
        least = lesser(least, first[i]);
    }
    for (i = 0; i < WATCHED; i++)
        happened[i] = first[i] <= least + 1e-12;
    return least;
}

/* Counts events; 0, or the exit code if one happens again and again without end. */
static int count_events(struct simulation *now, const int *happened)
{
    int i;
    if (now->reached > now->mark + now->interval) {
        now->mark = now->reached;
        now->events = 0;
    }
    for (i = 0; i < WATCHED; i++) {
        if (!happened[i])
            continue;
        if (now->times[i] == 0 || now->reached - now->since[i] > CLOSE_EVENTS_WITHIN * now->interval) {
            now->since[i] = now->reached;
            now->times[i] = 0;
        }
        now->times[i]++;
        now->events++;
        if (now->times[i] >= CLOSE_EVENTS)
            return fail(now, WITHOUT_END, "time %.17g: %s happened %d times within %.1e s: it chatters, or has no end",
                        now->reached, watched_names[i], now->times[i], now->reached - now->since[i]);
        if (now->events > MOST_EVENTS)
            return fail(now, WITHOUT_END, "time %.17g: more than %d events within %.3g s, the last of them %s: it chatters",
                        now->reached, (int)MOST_EVENTS, now->reached - now->mark, watched_names[i]);
    }
    return 0;
}

/* What follows from all that happened at one time; 1 if it ends the run, -1 if a stop cannot hold its joint, or the loops
   cannot be closed again. */
static int react(struct simulation *now, const int *happened)
{
    int ends = 0, i;
#if REASSEMBLED
    double before[STATE];
    int keep[COORDINATES + SPEEDS], moved = 0;
    memcpy(before, now->y, sizeof before);
#endif
#if STOPS
    int met[STOPS] = {0};
#endif
    for (i = 0; i < WATCHED; i++) {
        if (!happened[i])
            continue;
#if EVENTS
        if (i < EVENTS) {
            change(now, i);
            ends = ends || ending[i];
        }
#endif
#if STOPS
        if (i >= EVENTS && now->held[(i - EVENTS) / 2] != 0)
            now->held[(i - EVENTS) / 2] = 0;
        else if (i >= EVENTS)
            met[(i - EVENTS) / 2] = (i - EVENTS) % 2 == 0 ? -1 : 1;
#endif
    }
#if REASSEMBLED
    for (i = 0; i < COORDINATES + SPEEDS; i++) {
        keep[i] = now->y[i] != before[i];
        moved = moved || keep[i];
    }
    if (moved && assemble_changed(now, now->reached, keep, now->y) != 0)
        return -1;
#endif
#if STOPS
    if (meet_stops(now, met) != 0)
        return -1;
#endif
    return ends;
}

