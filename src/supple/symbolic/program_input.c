/* ------------------------------------------------------------ input and output */

/* Says what is wrong in a line of a file, or in all of it if the line is 0. */
static int complain(const char *file, long line, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:", file);
    if (line > 0)
        fprintf(stderr, "%ld:", line);
    fputc(' ', stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return WRONG_INPUT;
}

/* Reads a line without its end; 1, or 0 at the end of the file, or -1 if the line is too long or no text. */
static int read_line(FILE *file, char *text)
{
    int n = 0, c = getc(file);
    if (c == EOF)
        return 0;
    for (; c != EOF && c != '\n'; c = getc(file)) {
        if (n == LINE || c == '\0')
            return -1;
        text[n++] = (char)c;
    }
    text[n] = '\0';
    return 1;
}

/* The next word of a line, cut out in place, or NULL at the line's end or a comment; `rest` moves behind it.
   A word in quotation marks may hold blanks and #; two marks in it stand for one. `broken` tells of a mark too few. */
static char *next_word(char **rest, int *broken)
{
    char *p = *rest + strspn(*rest, " \t\r"), *word = p, *to;
    if (*p == '\0' || *p == '#')
        return NULL;
    if (*p != '"') {
        p += strcspn(p, " \t\r#");
    } else {
        *broken = 1;
        for (to = word = ++p; *p != '\0'; p++) {
            if (*p == '"' && *++p != '"') {
                *broken = strchr(" \t\r#", *p) == NULL;
                break;
            }
            *to++ = *p;
        }
        *to = '\0';
    }
    *rest = *p == '\0' || *p == '#' ? p : p + 1;
    *p = '\0';
    return word;
}

/* What is expected instead of a number; NULL if it is fine. */
static const char *refused(int i, double x)
{
    if (!isfinite(x))
        return "a finite number";
    if (i == DURATION && x < 0.0)
        return "0 or more";
    if (i == SAMPLES && (x < 2.0 || x > 1e9 || x != floor(x)))
        return "a whole number from 2 to 1e9";
    if (i == RTOL && (x <= 0.0 || x >= 1.0))
        return "more than 0 and less than 1";
    if (i == ATOL && (x < 0.0 || (x == 0.0 && !RELATIVE)))
        return RELATIVE ? "0 or more" : "more than 0";
    return NULL;
}

/* Reads one line of the input into `values`, and into `lines` its number; 0 or the exit code. */
static int read_entry(const char *file, long line, char *text, double *values, long *lines)
{
    char *word[4], *rest = text, *end;
    const char *expected;
    int words = 0, broken = 0, i = 0, named;
    double x;
    while (words < 4 && !broken && (word[words] = next_word(&rest, &broken)) != NULL)
        words++;
    if (broken)
        return complain(file, line, "a quotation mark without its pair");
    if (words == 0)
        return 0;
    while (i < ENTRIES && strcmp(entries[i].kind, word[0]) != 0)
        i++;
    if (i == ENTRIES)
        return complain(file, line, "unknown word \"%s\" in front; expected one of %s", word[0], kinds);
    named = entries[i].name != NULL;
    if (words == 1)
        return complain(file, line, "expected %s number after \"%s\"", named ? "a name and a" : "a", word[0]);
    while (named && i < ENTRIES && (strcmp(entries[i].kind, word[0]) != 0 || strcmp(entries[i].name, word[1]) != 0))
        i++;
    if (i == ENTRIES)
        return complain(file, line, "no %s is called \"%s\"; --defaults prints all names", word[0], word[1]);
    if (words < 2 + named)
        return complain(file, line, "%s: expected a number, got none", entries[i].title);
    if (words > 2 + named)
        return complain(file, line, "%s: a word too many, \"%s\"", entries[i].title, word[2 + named]);
    if (lines[i] > 0)
        return complain(file, line, "%s: given twice, first in line %ld", entries[i].title, lines[i]);
    x = strtod(word[1 + named], &end);
    expected = end == word[1 + named] || *end != '\0' ? "a number" : refused(i, x);
    if (expected != NULL)
        return complain(file, line, "%s: expected %s, got \"%s\"", entries[i].title, expected, word[1 + named]);
    values[i] = x;
    lines[i] = line;
    return 0;
}

/* Reads an input file; 0 or the exit code. */
static int read_input(const char *name, double *values)
{
    char text[LINE + 1];
    long line = 1, lines[ENTRIES] = {0};
    int found, status = 0;
    FILE *file = fopen(name, "r");
    if (file == NULL)
        return complain(name, 0, "cannot be read: %s", strerror(errno));
    for (; status == 0 && (found = read_line(file, text)) != 0; line++)
        status = found < 0 ? complain(name, line, "expected text of at most %d characters a line", (int)LINE)
                           : read_entry(name, line, text, values, lines);
    if (status == 0 && ferror(file))
        status = complain(name, 0, "cannot be read: %s", strerror(errno));
    fclose(file);
    return status;
}

/* Writes an input file with all names and their defaults, in as few digits as give the same numbers. */
static void write_defaults(FILE *out)
{
    char text[40];
    int i, digits;
    fputs("# Input of a simulation; what is left out keeps its default, as it stands here.\n", out);
    for (i = 0; i < ENTRIES; i++) {
        digits = 14;
        do
            snprintf(text, sizeof text, "%.*g", ++digits, entries[i].value);
        while (digits < 17 && strtod(text, NULL) != entries[i].value);
        fprintf(out, "%s %s\n", entries[i].title, text);
    }
}

/* Ends the output; the exit code so far, or that of output which is not complete. */
static int finish(FILE *out, const char *name, int status)
{
    const int broken = ferror(out);
    if ((out == stdout ? fflush(out) : fclose(out)) == 0 && !broken)
        return status;
    fprintf(stderr, "%s: cannot be written: %s\n", name, strerror(errno));
    return NOT_WRITTEN;
}

int main(int argc, char **argv)
{
    static struct simulation now; /* too large for some stacks */
    const char *name = argc == 3 ? argv[2] : "standard output";
    FILE *out = stdout;
    int i, status;
    if (argc == 2 && strcmp(argv[1], "--defaults") == 0) {
        write_defaults(out);
        return finish(out, name, 0);
    }
    if (argc < 2 || argc > 3 || argv[1][0] == '-' || (argc == 3 && strcmp(argv[1], name) == 0)) {
        fputs("usage: program input.txt [output.csv]\n       program --defaults\n", stderr);
        return WRONG_INPUT;
    }
    for (i = 0; i < ENTRIES; i++)
        now.values[i] = entries[i].value;
    status = read_input(argv[1], now.values);
    if (status != 0)
        return status;
    if (argc == 3 && (out = fopen(name, "w")) == NULL) {
        fprintf(stderr, "%s: cannot be written: %s\n", name, strerror(errno));
        return NOT_WRITTEN;
    }
    return finish(out, name, run(&now, out));
}
