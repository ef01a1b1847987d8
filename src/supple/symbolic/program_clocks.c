/* ------------------------------------------------------------ tables and clocks */

#if TABLES
/* Takes the pieces of tables that begin at or before a time. */
static void turn_tables(struct simulation *now, double t)
{
    int i, k;
    for (i = 0; i < TABLES; i++) {
        const struct time_table *x = &time_tables[i];
        for (k = 0; k < x->times && x->time[k] <= t; k++)
            ;
        memcpy(now->u + x->first, x->pieces + k * x->numbers, (size_t)x->numbers * sizeof(double));
    }
}

#endif
/* The first time after `t` at which a table or a clock jumps; infinite if there is none. Jumps of formulas of the time
   are not looked for. */
static double next_jump(struct simulation *now, double t)
{
    double next = INFINITY;
    int i;
#if TABLES
    int k;
#endif
    (void)t;
#if TABLES
    for (i = 0; i < TABLES; i++) {
        for (k = 0; k < time_tables[i].times && time_tables[i].time[k] <= t + now->close_by; k++)
            ;
        if (k < time_tables[i].times)
            next = lesser(next, time_tables[i].time[k]);
    }
#endif
#if CLOCKS
    for (i = 0; i < CLOCKS; i++)
        next = lesser(next, now->ticks[i] / clock_rates[i]);
#endif
    return next;
}

#if CLOCKS
/* Sets all clocks so that their next ticks are at or after a time. */
static void set_clocks(struct simulation *now, double t)
{
    int i;
    for (i = 0; i < CLOCKS; i++)
        now->ticks[i] = ceil((t - now->close_by) * clock_rates[i]);
}

#endif
/* Lets tables turn and clocks tick at a time. */
static void jump(struct simulation *now, double t)
{
#if CLOCKS
    int i;
#endif
#if TABLES
    turn_tables(now, t + now->close_by);
#endif
#if CLOCKS
    for (i = 0; i < CLOCKS; i++)
        if (now->ticks[i] / clock_rates[i] <= t + now->close_by) {
            tick(now, i, t);
            now->ticks[i] += 1.0;
        }
#endif
}

