/* ------------------------------------------------------------ states, and what is wrong with them */

/* Notes what has gone wrong; the exit code. */
static int fail(struct simulation *now, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(now->message, sizeof now->message, format, arguments);
    va_end(arguments);
    return status;
}

#if LOOPS
static int require_closed(struct simulation *now, double t, const double *y);

#endif
/* 0, or the exit code if a state is not finite, or its loops are open. */
static int check(struct simulation *now, double t, const double *y)
{
    int i;
    for (i = 0; i < COORDINATES + SPEEDS; i++)
        if (!isfinite(y[i]))
            return fail(now, NOT_FINITE, "time %.17g: %s is not finite", t, entries[START + i].title);
#if LOOPS
    return require_closed(now, t, y);
#endif
    return 0;
}

#if QUATERNIONS
/* Gives quaternions unit length. */
static void normalize(double *y)
{
    double length;
    int i, k;
    for (k = 0; k < QUATERNIONS; k++) {
        length = 0.0;
        for (i = 0; i < 4; i++)
            length += y[quaternions[k] + i] * y[quaternions[k] + i];
        for (i = 0; i < 4; i++)
            y[quaternions[k] + i] /= sqrt(length);
    }
}

#endif
