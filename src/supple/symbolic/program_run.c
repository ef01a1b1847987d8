/* ------------------------------------------------------------ the run */

static double row[COLUMNS + 1]; /* the last row, not yet written: an end of the run at its time takes its place */
static int rows;

/* Errors that steps may have, as the input has them. */
static void set_tolerances(void)
{
    int i;
    if (values[ATOL] > 0.0) {
        for (i = 0; i < STATE; i++) {
            rule_group[i] = rule_pair[i] = i;
            rule_kind[i] = 0;
            rule_metres[i] = 1.0;
            rule_most[i] = 0.0;
            rule_atol[i] = values[ATOL];
        }
        for (i = 1; i < 7; i++)
            rule_rules[i] = 0.0;
        rule_rules[0] = values[RTOL];
    } else {
        rule_rules[0] += values[RTOL] - entries[RTOL].value;
    }
}

/* Writes the row that is waiting. */
static void write_row(FILE *out)
{
    int i;
    for (i = 0; rows > 0 && i <= COLUMNS; i++)
        fprintf(out, i == 0 ? "%.17g" : ",%.17g", row[i]);
    if (rows > 0)
        fputc('\n', out);
}

/* Makes the row of a state, and writes the one before. */
static void add_row_of(double t, const double *y, FILE *out)
{
    if (rows == 0 || t > row[0] + close_by)
        write_row(out);
    row[0] = t;
    columns(&t, y, now_u, row + 1);
    rows++;
}

/* 0, or the exit code if a state is not finite. */
static int check(double t, const double *y)
{
    int i;
    for (i = 0; i < COORDINATES + SPEEDS; i++)
        if (!isfinite(y[i])) {
            fprintf(stderr, "time %.17g: %s is not finite\n", t, entries[START + i].title);
            return NOT_FINITE;
        }
    return 0;
}

/* Everything as it is at time 0; 0 or the exit code. */
static int begin(void)
{
#if QUATERNIONS
    double length;
    int i, k;
#endif
    interval = values[DURATION] / (values[SAMPLES] - 1.0);
    close_by = 1e-12 * values[DURATION];
    memcpy(now_y, values + START, (COORDINATES + SPEEDS) * sizeof(double));
#if VARIABLES
    memcpy(now_u, values + FIRST_VARIABLE, VARIABLES * sizeof(double));
#endif
#if QUATERNIONS
    for (k = 0; k < QUATERNIONS; k++) {
        length = 0.0;
        for (i = 0; i < 4; i++)
            length += now_y[quaternions[k] + i] * now_y[quaternions[k] + i];
        for (i = 0; i < 4; i++)
            now_y[quaternions[k] + i] /= sqrt(length);
    }
#endif
    prepare();
    set_tolerances();
#if TABLES
    turn_tables(0.0);
#endif
#if LOOPS
    if (assemble(0.0, now_y) != 0)
        return NOT_CLOSED;
#endif
#if JUMPS
    jump(0.0);
#endif
    now_clock[2] = FIRST_STEP * interval;
    now_clock[5] = 1e-4;
    return check(0.0, now_y);
}

/* Integrates from the present time to `end`, or to something that happens before; as `advance` returns. */
static long segment(double end, int afresh)
{
    long status;
#if LOOPS
    double state[STATE];
    int i;
    closed(&reached, now_y, now_u, state, now_margin);
    for (i = 0; i < ROWS; i++)
        now_margin[ROWS + i] = now_margin[i] > USUAL_MARGIN;
#endif
    if (afresh) {
        memset(now_sizes, 0, sizeof now_sizes);
        note_sizes(now_y, now_sizes);
        now_clock[6] = INFINITY;
        now_clock[7] = 0.0;
    }
    rates(&reached, now_y, now_u, scratch_K);
#if EVENTFUL
    start_watch(afresh);
#endif
    now_clock[0] = reached;
    now_counts[0] = now_counts[3] = 0;
    do {
        now_clock[1] = end;
#if EVENTFUL
        now_clock[1] = lesser(end, now_clock[0] + interval); /* events are looked for at least so often */
#endif
        status = advance(LONG_MAX);
    } while (status == DONE && now_clock[0] < end);
    return status;
}

/* Output times up to `end`, from the sample `next` on, for the integrator. */
static double look_ahead(double next, double end)
{
    double t;
    for (ahead = 0; ahead < AHEAD && next + (double)ahead < values[SAMPLES]; ahead++) {
        t = next + (double)ahead == values[SAMPLES] - 1.0 ? values[DURATION] : (next + (double)ahead) * interval;
        if (t > end + close_by)
            return end;
        output_times[ahead] = lesser(t, end);
    }
    return ahead == AHEAD ? output_times[AHEAD - 1] : end;
}

/* Runs from time 0 and writes rows; 0 or the exit code. */
static int run(FILE *out)
{
    double next = 1.0, end;
    int afresh = 1, ends = 0, status = begin(), i;
    long k;
#if EVENTFUL
    int happened[WATCHED];
    double x;
#endif
    fputs("time", out);
    for (i = 0; i < COLUMNS; i++)
        fprintf(out, ",%s", titles[i]);
    fputc('\n', out);
    if (status == 0)
        add_row_of(0.0, now_y, out);
    while (status == 0 && !ends && next < values[SAMPLES] && values[DURATION] > 0.0 && !ferror(out)) {
        end = values[DURATION];
#if JUMPS
        end = lesser(end, next_jump(reached));
#endif
        end = look_ahead(next, end);
        k = segment(end, afresh);
        afresh = 0;
        reached = now_clock[0];
#if EVENTFUL
        if (k == EVENT) {
            x = locate(happened);
            reached = now_clock[3] + x * now_clock[4];
            for (; now_counts[0] < ahead && output_times[now_counts[0]] <= reached; now_counts[0]++)
                between((output_times[now_counts[0]] - now_clock[3]) / now_clock[4], scratch_work, scratch_F,
                        output_states + now_counts[0] * STATE);
            between(x, scratch_work, scratch_F, now_y);
        }
#endif
        for (i = 0; i < now_counts[0] && status == 0; i++) {
#if LOOPS
            close_loops(output_times[i], output_states + i * STATE);
#endif
            status = check(output_times[i], output_states + i * STATE);
            if (status == 0)
                add_row_of(output_times[i], output_states + i * STATE, out);
            next += 1.0;
        }
        if (k == FAILED && status == 0) {
            fprintf(stderr, "time %.17g: steps as short as %.3g do not reach the tolerance\n", reached, now_clock[2]);
            status = NOT_FINITE;
        }
#if LOOPS
        close_loops(reached, now_y);
#endif
#if EVENTFUL
        if (k == EVENT && status == 0) {
            if (now_counts[0] < ahead && output_times[now_counts[0]] <= reached + close_by) {
                add_row_of(output_times[now_counts[0]], now_y, out);
                next += 1.0;
            }
            ends = react(happened);
            afresh = 1;
            now_clock[2] = lesser(now_clock[2], FIRST_STEP * interval);
            now_clock[5] = 1e-4;
            if (ends < 0)
                status = NOT_CLOSED;
            else if (ends)
                add_row_of(reached, now_y, out);
        }
#endif
#if JUMPS
        if (!ends && next_jump(reached - 2.0 * close_by) <= reached + close_by)
            jump(reached);
#endif
    }
    write_row(out);
    return status;
}

