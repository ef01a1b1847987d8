/* ------------------------------------------------------------ rows of a run */

/* Where rows go; the last one is not yet written: an end of the run at its time takes its place. */
struct rows {
    FILE *out;
    double last[COLUMNS + 1];
    int number;
};

/* Writes the row that is waiting. */
static void write_row(const struct rows *rows)
{
    int i;
    for (i = 0; rows->number > 0 && i <= COLUMNS; i++)
        fprintf(rows->out, i == 0 ? "%.17g" : ",%.17g", rows->last[i]);
    if (rows->number > 0)
        fputc('\n', rows->out);
}

/* Makes the row of a state, and writes the one before. */
static void add_row_of(struct simulation *now, double t, const double *y, struct rows *rows)
{
    if (rows->number == 0 || t > rows->last[0] + now->close_by)
        write_row(rows);
    rows->last[0] = t;
    columns(now, &t, y, now->u, rows->last + 1);
    rows->number++;
}

/* Output times up to `end`, from the sample `next` on, for the integrator. */
static double look_ahead(struct simulation *now, double next, double end)
{
    const double *const values = now->values;
    double t;
    for (now->ahead = 0; now->ahead < AHEAD && next + (double)now->ahead < values[SAMPLES]; now->ahead++) {
        t = next + (double)now->ahead == values[SAMPLES] - 1.0 ? values[DURATION]
                                                               : (next + (double)now->ahead) * now->interval;
        if (t > end + now->close_by)
            return end;
        now->output_times[now->ahead] = lesser(t, end);
    }
    return now->ahead == AHEAD ? now->output_times[AHEAD - 1] : end;
}

/* Runs from time 0 and writes rows; 0 or the exit code. */
static int run(struct simulation *now, FILE *out)
{
    struct rows rows = {out, {0.0}, 0};
    double next = 1.0, end;
    int status = begin(now, 0.0), i;
    long k;
    fputs("time", out);
    for (i = 0; i < COLUMNS; i++)
        fprintf(out, ",%s", titles[i]);
    fputc('\n', out);
    if (status == 0)
        add_row_of(now, 0.0, now->y, &rows);
    while (status == 0 && !now->ended && next < now->values[SAMPLES] && now->values[DURATION] > 0.0 && !ferror(out)) {
        end = now->values[DURATION];
#if JUMPS
        end = lesser(end, next_jump(now, now->reached));
#endif
        k = integrate(now, look_ahead(now, next, end));
        for (i = 0; i < now->counts[0] && status == 0; i++) {
            status = check(now, now->output_times[i], now->output_states + i * STATE);
            if (status == 0)
                add_row_of(now, now->output_times[i], now->output_states + i * STATE, &rows);
            next += 1.0;
        }
#if EVENTFUL
        if (k == EVENT && status == 0 && i < now->ahead && now->output_times[i] <= now->reached + now->close_by) {
            add_row_of(now, now->output_times[i], now->y, &rows);
            next += 1.0;
        }
#endif
        if (status == 0)
            status = follow(now, k);
#if EVENTFUL
        if (status == 0 && now->ended)
            add_row_of(now, now->reached, now->y, &rows);
#endif
    }
    write_row(&rows);
    if (status != 0)
        fprintf(stderr, "%s\n", now->message);
    return status;
}
