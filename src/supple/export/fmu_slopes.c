/* ------------------------------------------------------------ derivatives */

/* A direction, or a gradient: time, state, variables. */
struct direction {
    double t, y[STATE], u[HELD_VARIABLES];
};

/* Derivatives of the rates along a direction. */
static void rates_along(struct simulation *now, const struct direction *d, double *out)
{
#if STOPS
    static const double still[STOPS];
    double rate[STATE], force[STOPS], X[STOPS * SPEEDS];
    int i, j;
#endif
    rate_slopes(now, &now->reached, now->y, now->u, &d->t, d->y, d->u, out);
#if STOPS
    held_rates(now, &now->reached, now->y, now->u, now->held, rate, force);
    response_slopes(now, &now->reached, now->y, now->u, &d->t, d->y, d->u, X);
    for (i = 0; i < STOPS; i++)
        for (j = 0; j < SPEEDS && now->held[i] != 0; j++)
            out[COORDINATES + j] += force[i] * X[i * SPEEDS + j];
    hold(now, &now->reached, now->y, now->u, now->held, still, out + COORDINATES, force);
#endif
}

#if COLUMNS
/* Derivatives of the outputs along a direction; `rate` are those of the rates. */
static void columns_along(struct simulation *now, const struct direction *d, const double *rate, double *out)
{
#if STOPS
    double own[STATE];
    rates(now, &now->reached, now->y, now->u, own);
    column_slopes(now, &now->reached, now->y, now->u, own, &d->t, d->y, d->u, rate, out);
#endif
#if FREE
    (void)rate;
    column_slopes(now, &now->reached, now->y, now->u, &d->t, d->y, d->u, out);
#endif
}

#endif
/* The place of a value in a direction; NULL if nothing is differentiated by it. */
static double *place_in(struct direction *d, uint32_t r)
{
    if (r == 0)
        return &d->t;
    if (r >= FIRST_STATE && r < FIRST_RATE)
        return &d->y[r - FIRST_STATE];
#if VARIABLES
    if (r >= FIRST_HELD && r < FIRST_OUTPUT && is_input[r - FIRST_HELD])
        return &d->u[r - FIRST_HELD];
#endif
    return NULL;
}

/* Derivatives of unknowns along a direction; 0 or -1. */
static int along(struct instance *x, const struct direction *d, const uint32_t *unknowns, size_t n, double *out)
{
    struct simulation *const now = &x->kept.now;
    double rate[STATE];
#if COLUMNS
    double column[COLUMNS];
#endif
    size_t k;
    rates_along(now, d, rate);
#if COLUMNS
    columns_along(now, d, rate, column);
#endif
    for (k = 0; k < n; k++) {
        const uint32_t r = unknowns[k];
        if (r >= FIRST_STATE && r < FIRST_RATE)
            out[k] = d->y[r - FIRST_STATE];
        else if (r >= FIRST_RATE && r < FIRST_HELD)
            out[k] = rate[r - FIRST_RATE];
#if COLUMNS
        else if (r >= FIRST_OUTPUT && r < FIRST_NUMBER)
            out[k] = column[r - FIRST_OUTPUT];
#endif
        else
            return refuse(x, "the variable with the value reference %lu is no unknown", (unsigned long)r);
    }
    return 0;
}

/* Derivatives of unknowns along changes of knowns; 0 or -1. */
static int directional(struct instance *x, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t m,
                       const double *seed, double *out)
{
    struct direction d;
    double *place;
    size_t k;
    memset(&d, 0, sizeof d);
    for (k = 0; k < m; k++) {
        if ((place = place_in(&d, knowns[k])) == NULL)
            return refuse(x, "no derivatives by the value reference %lu", (unsigned long)knowns[k]);
        *place += seed[k];
    }
    return settle(x) != 0 ? -1 : along(x, &d, unknowns, n, out);
}

#if ADJOINT
/* The gradient of a weighted sum of rates and outputs, in reverse. */
static void backward(struct simulation *now, double *rate, const double *column, struct direction *out)
{
#if COLUMNS
    struct direction more;
    int i;
#endif
#if COLUMNS
#if STOPS
    double own[STATE], by_rate[SPEEDS];
    rates(now, &now->reached, now->y, now->u, own);
    column_weights(now, &now->reached, now->y, now->u, own, column, &more.t, more.y, more.u, by_rate);
    for (i = 0; i < SPEEDS; i++)
        rate[COORDINATES + i] += by_rate[i];
#endif
#if FREE
    column_weights(now, &now->reached, now->y, now->u, column, &more.t, more.y, more.u);
#endif
#endif
    (void)column;
    rate_weights(now, &now->reached, now->y, now->u, rate, &out->t, out->y, out->u);
#if COLUMNS
    out->t += more.t;
    for (i = 0; i < STATE; i++)
        out->y[i] += more.y[i];
#if VARIABLES
    for (i = 0; i < VARIABLES; i++)
        out->u[i] += more.u[i];
#endif
#endif
}

#if STOPS
static int any_held(const struct simulation *now)
{
    int i, any = 0;
    for (i = 0; i < STOPS; i++)
        any = any || now->held[i] != 0;
    return any;
}

#endif
/* Derivatives of a weighted sum of unknowns by each of the knowns; 0 or -1. While a stop holds a joint they are found
   forward, one known at a time. */
static int adjoint(struct instance *x, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t m,
                   const double *seed, double *out)
{
    struct simulation *const now = &x->kept.now;
    struct direction found, own;
    double rate[STATE], column[COLUMNS + 1];
    size_t k;
#if STOPS
    size_t j;
    double one;
#endif
    memset(&found, 0, sizeof found);
    memset(&own, 0, sizeof own);
    memset(rate, 0, sizeof rate);
    memset(column, 0, sizeof column);
    if (settle(x) != 0)
        return -1;
    for (k = 0; k < m; k++)
        if (place_in(&found, knowns[k]) == NULL)
            return refuse(x, "no derivatives by the value reference %lu", (unsigned long)knowns[k]);
    for (k = 0; k < n; k++) {
        const uint32_t r = unknowns[k];
        if (r >= FIRST_STATE && r < FIRST_RATE)
            own.y[r - FIRST_STATE] += seed[k];
        else if (r >= FIRST_RATE && r < FIRST_HELD)
            rate[r - FIRST_RATE] += seed[k];
        else if (r >= FIRST_OUTPUT && r < FIRST_NUMBER)
            column[r - FIRST_OUTPUT] += seed[k];
        else
            return refuse(x, "the variable with the value reference %lu is no unknown", (unsigned long)r);
    }
#if STOPS
    if (any_held(now)) {
        for (k = 0; k < m; k++) {
            memset(&found, 0, sizeof found);
            *place_in(&found, knowns[k]) = 1.0;
            for (out[k] = 0.0, j = 0; j < n; j++) {
                if (along(x, &found, unknowns + j, 1, &one) != 0)
                    return -1;
                out[k] += seed[j] * one;
            }
        }
        return 0;
    }
#endif
    backward(now, rate, column, &found);
    for (k = 0; k < STATE; k++)
        found.y[k] += own.y[k];
    for (k = 0; k < m; k++)
        out[k] = *place_in(&found, knowns[k]);
    return 0;
}
#endif
