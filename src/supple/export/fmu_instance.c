/* ------------------------------------------------------------ an instance, whatever the version of the interface */

enum { INSTANTIATED, INITIALIZATION, EVENT_MODE, CONTINUOUS_TIME, STEP_MODE, TERMINATED };

/* What is restored with the state of an instance. No pointers. */
struct kept {
    struct simulation now;
    double start, integrals[STATE - COORDINATES - SPEEDS + 1]; /* time and integrals at the start */
    int mode;
    int stale;    /* before the start: values were set since everything was made of them */
    int prepared; /* later: what depends on parameters is that of the present ones */
    int moved;    /* the state is another one since an importer was told of it */
};

struct instance {
    struct kept kept;
    int exchange; /* for Model Exchange; else for Co-Simulation */
    struct environment outside;
};

/* Tells the outside what has gone wrong. */
static void report(const struct environment *outside, const char *message);

/* Refuses something, with a message. */
static int refuse(struct instance *x, const char *format, ...)
{
    char message[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    report(&x->outside, message);
    return -1;
}

/* All values as they are by default. */
static void reset(struct instance *x)
{
    int i;
    memset(&x->kept, 0, sizeof x->kept);
    for (i = 0; i < ENTRIES; i++)
        x->kept.now.values[i] = entries[i].value;
    x->kept.stale = 1;
}

/* Makes everything of the values that were set; 0 or -1. */
static int settle(struct instance *x)
{
    struct simulation *const now = &x->kept.now;
    if (x->kept.mode <= INITIALIZATION && x->kept.stale) {
        if (begin(now, x->kept.start) != 0)
            return refuse(x, "%s", now->message);
        memcpy(now->y + COORDINATES + SPEEDS, x->kept.integrals, (STATE - COORDINATES - SPEEDS) * sizeof(double));
        x->kept.stale = 0;
        x->kept.prepared = 1;
    } else if (!x->kept.prepared) {
        prepare(now);
#if LOOPS
        close_loops(now, now->reached, now->y);
        if (require_closed(now, now->reached, now->y) != 0)
            return refuse(x, "%s", now->message);
        x->kept.moved = 1;
#endif
        now->afresh = 1;
        x->kept.prepared = 1;
    }
    return 0;
}

#if EVENTFUL
static int event_indicators(struct instance *x, double *out);

#endif
/* Values by their references; 0 or -1. */
static int get_values(struct instance *x, const uint32_t *references, size_t n, double *out)
{
    struct simulation *const now = &x->kept.now;
    double rate[STATE];
#if COLUMNS
    double column[COLUMNS];
    int written = 0;
#endif
#if EVENTFUL
    double indicator[WATCHED];
#endif
    int known = 0;
    size_t k;
    if (settle(x) != 0)
        return -1;
    for (k = 0; k < n; k++) {
        const uint32_t r = references[k];
        if (r >= REFERENCES)
            return refuse(x, "there is no variable with the value reference %lu", (unsigned long)r);
#if EVENTFUL
        if (r >= FIRST_INDICATOR) {
            if (event_indicators(x, indicator) != 0)
                return -1;
            out[k] = indicator[r - FIRST_INDICATOR];
            continue;
        }
#endif
        if (r >= FIRST_NUMBER) {
            out[k] = now->values[FIRST_CHANGEABLE + r - FIRST_NUMBER];
#if COLUMNS
        } else if (r >= FIRST_OUTPUT) {
            if (!written)
                columns(now, &now->reached, now->y, now->u, column);
            written = 1;
            out[k] = column[r - FIRST_OUTPUT];
#endif
        } else if (r >= FIRST_HELD) {
            out[k] = now->u[r - FIRST_HELD];
        } else if (r >= FIRST_RATE) {
            if (!known)
                rates(now, &now->reached, now->y, now->u, rate);
            known = 1;
            out[k] = rate[r - FIRST_RATE];
        } else {
            out[k] = r >= FIRST_STATE ? now->y[r - FIRST_STATE] : now->reached;
        }
    }
    return 0;
}

/* Sets one value; 0 or -1. */
static int set_value(struct instance *x, uint32_t r, double value)
{
    struct simulation *const now = &x->kept.now;
    const int early = x->kept.mode <= INITIALIZATION;
    if (!isfinite(value))
        return refuse(x, "expected a finite number for the value reference %lu", (unsigned long)r);
    if (r >= FIRST_STATE && r < FIRST_RATE && early) {
        if (r < FIRST_STATE + COORDINATES + SPEEDS)
            now->values[START + r - FIRST_STATE] = value;
        else
            x->kept.integrals[r - FIRST_STATE - COORDINATES - SPEEDS] = value;
        x->kept.stale = 1;
        return 0;
    }
#if VARIABLES
    if (r >= FIRST_HELD && r < FIRST_OUTPUT && (early || is_input[r - FIRST_HELD])) {
        now->values[FIRST_VARIABLE + r - FIRST_HELD] = value;
        if (early)
            x->kept.stale = 1;
        else
            now->u[r - FIRST_HELD] = value;
        return 0;
    }
#endif
    if (r >= FIRST_NUMBER && r < FIRST_INDICATOR && x->kept.mode != CONTINUOUS_TIME) {
        now->values[FIRST_CHANGEABLE + r - FIRST_NUMBER] = value;
        if (early)
            x->kept.stale = 1;
        else
            x->kept.prepared = 0;
        return 0;
    }
    return refuse(x, "the variable with the value reference %lu cannot be set now", (unsigned long)r);
}

static int set_values(struct instance *x, const uint32_t *references, size_t n, const double *values)
{
    size_t k;
    for (k = 0; k < n; k++)
        if (set_value(x, references[k], values[k]) != 0)
            return -1;
    return 0;
}

/* ------------------------------------------------------------ modes */

/* The time at which it starts, and the tolerance, if it is more than zero; 0 or -1. */
static int set_experiment(struct instance *x, double start, double tolerance)
{
    if (!isfinite(start))
        return refuse(x, "start time: expected a finite number");
    if (!(tolerance < 1.0))
        return refuse(x, "tolerance: expected less than 1");
    x->kept.start = start;
    if (tolerance > 0.0)
        x->kept.now.values[RTOL] = tolerance;
    x->kept.stale = 1;
    return 0;
}

static int initialize(struct instance *x)
{
    if (x->kept.mode != INSTANTIATED)
        return refuse(x, "an instance can be initialized once, right after it is made or reset");
    x->kept.mode = INITIALIZATION;
    return settle(x);
}

/* Notes on which sides of zero the event indicators are; afresh, or of those alone that were at zero. */
static void note_sides(struct simulation *now, int afresh)
{
    rates(now, &now->reached, now->y, now->u, now->K);
#if EVENTFUL
    start_watch(now, afresh);
#endif
    (void)afresh;
}

static int initialized(struct instance *x)
{
    if (x->kept.mode != INITIALIZATION)
        return refuse(x, "initialization has not begun");
    if (settle(x) != 0)
        return -1;
    x->kept.mode = x->exchange ? EVENT_MODE : STEP_MODE;
    note_sides(&x->kept.now, 1);
    return 0;
}

/* ------------------------------------------------------------ Model Exchange */

/* Comes to a time. Times that rounding does not tell apart are one. */
static void arrive(struct simulation *now, double t)
{
    now->reached = t;
    now->close_by = greater(now->close_by, 1e-15 * fabs(t));
}

/* Event indicators: what is watched, moved a little to the side where it is, so that it is never at zero. */
static int event_indicators(struct instance *x, double *out)
{
    struct simulation *const now = &x->kept.now;
#if EVENTFUL
    int i;
#endif
    if (settle(x) != 0)
        return -1;
#if EVENTFUL
    watched(now, &now->reached, now->y, now->u, out);
    for (i = 0; i < WATCHED; i++)
        out[i] = isfinite(out[i]) ? out[i] + HYSTERESIS * now->g[i] : side_of(out[i]);
#endif
    (void)now;
    (void)out;
    return 0;
}

/* How far the loops are open and quaternions are not of unit length. */
static double drift(struct simulation *now)
{
    double state[STATE], largest = 0.0;
    memcpy(state, now->y, sizeof state);
#if QUATERNIONS
    {
        int i;
        normalize(state);
        for (i = 0; i < COORDINATES; i++)
            largest = greater(largest, fabs(state[i] - now->y[i]));
    }
#endif
#if LOOPS
    largest = greater(largest, closing(now, now->reached, state));
#endif
    (void)state;
    return largest;
}

#if EVENTFUL
/* Which of the things that are watched happen now, or are just about to; how many. Sides that were passed the other
   way are noted. */
static int find_events(struct simulation *now)
{
    const double h = AHEAD_OF_ZERO * now->interval, t = now->reached + h;
    double soon[WATCHED], y[STATE];
    int i, n = 0;
    rates(now, &now->reached, now->y, now->u, now->K);
    for (i = 0; i < STATE; i++)
        y[i] = now->y[i] + h * now->K[i];
    watched(now, &t, y, now->u, soon);
    for (i = 0; i < WATCHED; i++) {
        now->happened[i] = crossed(soon[i], now->g[i], now->g[WATCHED + i]);
        n += now->happened[i];
        if (!now->happened[i])
            now->g[i] = noted_sign(soon[i], now->g[i]);
    }
    return n;
}

#endif
/* Everything that follows at the present time; 0 or -1. Whether the state is another one goes into `changed_state`. */
static int update(struct instance *x, int *changed_state)
{
    struct simulation *const now = &x->kept.now;
    double before[STATE];
    int again = 1, n;
    if (settle(x) != 0)
        return -1;
    memcpy(before, now->y, sizeof before);
    if (drift(now) > DRIFT) {
#if QUATERNIONS
        normalize(now->y);
#endif
#if LOOPS
        close_loops(now, now->reached, now->y);
        if (require_closed(now, now->reached, now->y) != 0)
            return refuse(x, "%s", now->message);
#endif
    }
    for (n = 0; again && n < 100 && !now->ended; n++) {
        again = 0;
#if EVENTFUL
        if (find_events(now) > 0) {
            if (follow(now, EVENT) != 0)
                return refuse(x, "%s", now->message);
            note_sides(now, 1);
            again = 1;
        }
#endif
#if JUMPS
        {
            const double near = lesser(AHEAD_OF_TIME * now->interval, now->close_by * 1e3);
            const double next = next_jump(now, now->reached - 2.0 * near);
            if (!now->ended && next <= now->reached + near && next > now->reached - near) {
                jump(now, greater(now->reached, next));
                again = next_jump(now, now->reached - 2.0 * near) > next;
            }
        }
#endif
    }
    *changed_state = x->kept.moved || memcmp(before, now->y, sizeof before) != 0;
    x->kept.moved = 0;
    return 0;
}

/* When it has to be told of the time; infinite for never. */
static double next_time(struct simulation *now)
{
#if JUMPS
    return next_jump(now, now->reached);
#endif
    (void)now;
    return INFINITY;
}

/* ------------------------------------------------------------ Co-Simulation */

/* Goes on from a time by some more; 0 or -1. It may end before. */
static int do_step(struct instance *x, double from, double by)
{
    struct simulation *const now = &x->kept.now;
    const double target = from + by;
    double end;
    long k;
    if (x->kept.mode != STEP_MODE)
        return refuse(x, "a step cannot be made in this mode");
    if (!(by > 0.0) || !isfinite(target))
        return refuse(x, "communication step size: expected more than 0, got %g", by);
    if (fabs(from - now->reached) > 1e-6 * by)
        return refuse(x, "current communication point: expected %.17g, got %.17g", now->reached, from);
    if (settle(x) != 0)
        return -1;
    arrive(now, now->reached);
    now->ahead = 0;
    while (!now->ended && now->reached < target) {
        end = target;
#if JUMPS
        end = lesser(end, next_jump(now, now->reached));
#endif
        k = integrate(now, end);
        if (check(now, now->reached, now->y) != 0 || follow(now, k) != 0)
            return refuse(x, "%s", now->message);
    }
    return 0;
}

/* ------------------------------------------------------------ states that are kept */

/* A copy of all that changes; NULL if there is no memory. */
static struct kept *keep(const struct instance *x, struct kept *old)
{
    struct kept *const found = old != NULL ? old : malloc(sizeof *found);
    if (found != NULL)
        memcpy(found, &x->kept, sizeof *found);
    return found;
}

/* A state as bytes: behind the token, by which it is known. */
enum { SERIALIZED = sizeof TOKEN + sizeof(struct kept) };

static int serialize(struct instance *x, const struct kept *state, void *bytes, size_t size)
{
    if (state == NULL || size < SERIALIZED)
        return refuse(x, "serialized state: expected room for %lu bytes", (unsigned long)SERIALIZED);
    memcpy(bytes, TOKEN, sizeof TOKEN);
    memcpy((char *)bytes + sizeof TOKEN, state, sizeof *state);
    return 0;
}

static struct kept *deserialize(struct instance *x, const void *bytes, size_t size)
{
    struct kept *found = NULL;
    if (size != SERIALIZED || memcmp(bytes, TOKEN, sizeof TOKEN) != 0)
        refuse(x, "serialized state: it is not of this model");
    else if ((found = malloc(sizeof *found)) == NULL)
        refuse(x, "no memory");
    else
        memcpy(found, (const char *)bytes + sizeof TOKEN, sizeof *found);
    return found;
}
