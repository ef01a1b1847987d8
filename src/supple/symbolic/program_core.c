/* ------------------------------------------------------------ a run, from one thing that happens to the next */

/* Errors that steps may have, as the input has them. */
static void set_tolerances(struct simulation *now)
{
    int i;
    memcpy(now->rule_group, rule_group, sizeof rule_group);
    memcpy(now->rule_pair, rule_pair, sizeof rule_pair);
    memcpy(now->rule_kind, rule_kind, sizeof rule_kind);
    memcpy(now->rule_metres, rule_metres, sizeof rule_metres);
    memcpy(now->rule_most, rule_most, sizeof rule_most);
    memcpy(now->rule_rules, rule_rules, sizeof rule_rules);
    memcpy(now->rule_atol, rule_atol, sizeof rule_atol);
    if (now->values[ATOL] > 0.0) {
        for (i = 0; i < STATE; i++) {
            now->rule_group[i] = now->rule_pair[i] = i;
            now->rule_kind[i] = 0;
            now->rule_metres[i] = 1.0;
            now->rule_most[i] = 0.0;
            now->rule_atol[i] = now->values[ATOL];
        }
        for (i = 1; i < 7; i++)
            now->rule_rules[i] = 0.0;
        now->rule_rules[0] = now->values[RTOL];
    } else {
        now->rule_rules[0] += now->values[RTOL] - entries[RTOL].value;
    }
}

/* Everything as it is at the start, at some time; 0 or the exit code. Given the values. */
static int begin(struct simulation *now, double start)
{
    double values[ENTRIES];
    memcpy(values, now->values, sizeof values);
    memset(now, 0, sizeof *now);
    memcpy(now->values, values, sizeof values);
    now->reached = start;
    now->afresh = 1;
    now->interval = values[DURATION] / (values[SAMPLES] - 1.0);
    now->close_by = 1e-12 * values[DURATION];
    memcpy(now->y, values + START, (COORDINATES + SPEEDS) * sizeof(double));
#if VARIABLES
    memcpy(now->u, values + FIRST_VARIABLE, VARIABLES * sizeof(double));
#endif
#if QUATERNIONS
    normalize(now->y);
#endif
    prepare(now);
    set_tolerances(now);
#if TABLES
    turn_tables(now, start);
#endif
#if LOOPS
    if (assemble(now, start, now->y) != 0)
        return NOT_CLOSED;
#endif
#if CLOCKS
    set_clocks(now, start);
#endif
#if JUMPS
    jump(now, start);
#endif
    now->clock[2] = FIRST_STEP * now->interval;
    now->clock[5] = 1e-4;
    return check(now, start, now->y);
}

/* Integrates from the present time to `end`, or to something that happens before; as `advance` returns. */
static long segment(struct simulation *now, double end, int afresh)
{
    long status;
#if LOOPS
    double state[STATE];
    int i;
    closed(now, &now->reached, now->y, now->u, state, now->margin);
    for (i = 0; i < ROWS; i++)
        now->margin[ROWS + i] = now->margin[i] > USUAL_MARGIN;
#endif
    if (afresh) {
        memset(now->sizes, 0, sizeof now->sizes);
        note_sizes(now, now->y, now->sizes);
        now->clock[6] = INFINITY;
        now->clock[7] = 0.0;
    }
    rates(now, &now->reached, now->y, now->u, now->K);
#if EVENTFUL
    start_watch(now, afresh);
#endif
    now->clock[0] = now->reached;
    now->counts[0] = now->counts[3] = 0;
    do {
        now->clock[1] = end;
#if EVENTFUL
        now->clock[1] = lesser(end, now->clock[0] + now->interval); /* events are looked for at least so often */
#endif
        status = advance(now, LONG_MAX);
    } while (status == DONE && now->clock[0] < end);
    return status;
}

/* Goes on to `end`, or to an event before, and closes the loops there and at the output times on the way; as `advance`
   returns. What has happened is still to follow. */
static long integrate(struct simulation *now, double end)
{
    const long k = segment(now, end, now->afresh);
#if EVENTFUL
    double x;
#endif
#if LOOPS
    int i;
#endif
    now->afresh = 0;
    now->reached = now->clock[0];
#if EVENTFUL
    if (k == EVENT) {
        x = locate(now, now->happened);
        now->reached = now->clock[3] + x * now->clock[4];
        for (; now->counts[0] < now->ahead && now->output_times[now->counts[0]] <= now->reached; now->counts[0]++)
            between((now->output_times[now->counts[0]] - now->clock[3]) / now->clock[4], now->work, now->F,
                    now->output_states + now->counts[0] * STATE);
        between(x, now->work, now->F, now->y);
    }
#endif
#if LOOPS
    for (i = 0; i < now->counts[0]; i++)
        close_loops(now, now->output_times[i], now->output_states + i * STATE);
    close_loops(now, now->reached, now->y);
#endif
    return k;
}

/* What follows from what `integrate` returned: events react, tables turn, clocks tick; 0 or the exit code. */
static int follow(struct simulation *now, long k)
{
#if EVENTFUL
    int ends;
#endif
    if (k == FAILED)
        return fail(now, NOT_FINITE, "time %.17g: steps as short as %.3g do not reach the tolerance", now->reached,
                    now->clock[2]);
#if EVENTFUL
    if (k == EVENT) {
        if (count_events(now, now->happened) != 0)
            return WITHOUT_END;
        ends = react(now, now->happened);
        now->afresh = 1;
        now->clock[2] = lesser(now->clock[2], FIRST_STEP * now->interval);
        now->clock[5] = 1e-4;
        if (ends < 0)
            return NOT_CLOSED;
        now->ended = ends;
    }
#endif
#if JUMPS
    if (!now->ended && next_jump(now, now->reached - 2.0 * now->close_by) <= now->reached + now->close_by)
        jump(now, now->reached);
#endif
    return 0;
}
