/* ------------------------------------------------------------ tables and clocks */

#if TABLES
/* Takes the pieces of tables that begin at or before a time. */
static void turn_tables(double t)
{
    int i, k;
    for (i = 0; i < TABLES; i++) {
        const struct time_table *x = &time_tables[i];
        for (k = 0; k < x->times && x->time[k] <= t; k++)
            ;
        memcpy(now_u + x->first, x->pieces + k * x->numbers, (size_t)x->numbers * sizeof(double));
    }
}

#endif
/* The first time after `t` at which a law is not smooth; infinite if there is none. */
static double next_jump(double t)
{
    double next = INFINITY;
    int i;
#if TABLES
    int k;
#endif
    (void)t;
#if TABLES
    for (i = 0; i < TABLES; i++) {
        for (k = 0; k < time_tables[i].times && time_tables[i].time[k] <= t + close_by; k++)
            ;
        if (k < time_tables[i].times)
            next = lesser(next, time_tables[i].time[k]);
    }
#endif
#if CLOCKS
    for (i = 0; i < CLOCKS; i++)
        next = lesser(next, ticks[i] / clock_rates[i]);
#endif
    return next;
}

/* Lets tables turn and clocks tick at a time. */
static void jump(double t)
{
#if CLOCKS
    int i;
#endif
#if TABLES
    turn_tables(t + close_by);
#endif
#if CLOCKS
    for (i = 0; i < CLOCKS; i++)
        if (ticks[i] / clock_rates[i] <= t + close_by) {
            tick(i, t);
            ticks[i] += 1.0;
        }
#endif
}

