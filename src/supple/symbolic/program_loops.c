/* ------------------------------------------------------------ closed loops */

/* Takes the state a step towards closed loops, shortened if it is long; how long it was. */
static double closing(double t, double *y)
{
    double next[STATE], margin[ROWS + 1], longest = 0.0, share;
    int i;
    closed(&t, y, now_u, next, margin);
    for (i = 0; i < COORDINATES; i++)
        longest = greater(longest, fabs(next[i] - y[i]) / (1.0 + fabs(y[i])));
    share = longest > FARTHEST ? FARTHEST / longest : 1.0;
    for (i = 0; i < STATE; i++)
        y[i] += share * (next[i] - y[i]);
    return isfinite(longest) ? longest : INFINITY;
}

/* Closes the loops of a state that is almost there. */
static void close_loops(double t, double *y)
{
    int n;
    for (n = 0; n < 10 && closing(t, y) > CLOSED; n++)
        ;
}

/* Closes the loops from where the input has them; 0 or the exit code. Prescribed coordinates stay. */
static int assemble(double t, double *y)
{
    double moved = INFINITY;
    int n;
    for (n = 0; n < 200 && moved > CLOSED; n++)
        moved = closing(t, y);
    if (moved > NEARLY_CLOSED) {
        fprintf(stderr, "the loops cannot be closed from the start that is given: a step of %.3g is left\n", moved);
        return NOT_CLOSED;
    }
    closing(t, y); /* speeds, with the coordinates as they are now */
    return 0;
}

