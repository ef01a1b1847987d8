/*
 * A PI controller with rate feedback, a limit and anti-windup, as an FMU for co-simulation: with FMI=2 by FMI 2.0, with
 * FMI=3 by FMI 3.0. Of the functions that it does not have, only the names are there.
 *
 *     e = reference - measured        wanted = kp e + ki x - kd rate        force = wanted within +- limit
 *     x <- x + h (e + (force - wanted)/kp)        in a step of length h
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MEASURED, RATE, REFERENCE, KP, KI, KD, LIMIT, FAIL_AT, FORCE, COUNT };
enum { SATURATED = 100, ENABLED = 101, STEPS = 102 };
enum { OK = 0, ERROR = 3 };

typedef struct {
    double value[COUNT], x, time;
    int steps;
    bool enabled;
} State;

typedef struct {
    State state;
    void *environment;
    void *logger;
} Instance;

static const State START = {{0.0, 0.0, 0.0, 20.0, 5.0, 8.0, 1e6, 1e300, 0.0}, 0.0, 0.0, 0, true};

static double wanted(const State *s)
{
    const double *v = s->value;
    return s->enabled ? v[KP]*(v[REFERENCE] - v[MEASURED]) + v[KI]*s->x - v[KD]*v[RATE] : 0.0;
}

static double force(const State *s)
{
    const double u = wanted(s), limit = s->value[LIMIT];
    return u > limit ? limit : u < -limit ? -limit : u;
}

static int get_real(const State *s, const unsigned *vr, size_t n, double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= COUNT) {
            return ERROR;
        }
        value[i] = vr[i] == FORCE ? force(s) : s->value[vr[i]];
    }
    return OK;
}

static int set_real(State *s, const unsigned *vr, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= FORCE) {
            return ERROR;
        }
        s->value[vr[i]] = value[i];
    }
    return OK;
}

static int advance(State *s, double t, double h)
{
    const double gap = t - s->time;
    if (gap > 1e-9 || gap < -1e-9 || t + h > s->value[FAIL_AT]) {
        return ERROR;
    }
    s->x += h*(s->value[REFERENCE] - s->value[MEASURED] + (force(s) - wanted(s))/s->value[KP]);
    s->time = t + h;
    s->steps++;
    return OK;
}

static int copied(const State *from, void **to)
{
    if (*to == NULL) {
        *to = malloc(sizeof(State));
    }
    memcpy(*to, from, sizeof(State));
    return OK;
}

#define NAMED(name) int name(void); int name(void) { return ERROR; }

#if FMI == 2

typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished;
    void *environment;
} Callbacks;

static int step(Instance *c, double t, double h)
{
    const int status = advance(&c->state, t, h);
    if (status != OK) {
        ((Callbacks *)c->logger)->logger(c->environment, "pi", status, "error", "it was told to fail");
    }
    return status;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *place, Callbacks *f, int shown, int logs)
{
    (void)name, (void)place, (void)shown, (void)logs;
    Instance *c = type == 1 && strcmp(guid, TOKEN) == 0 ? calloc(1, sizeof *c) : NULL;
    if (c != NULL) {
        c->state = START;
        c->logger = f;
        c->environment = f->environment;
    }
    return c;
}

void fmi2FreeInstance(Instance *c) { free(c); }

int fmi2SetupExperiment(Instance *c, int toleranced, double tolerance, double start, int ends, double stop)
{
    (void)toleranced, (void)tolerance, (void)ends, (void)stop;
    c->state.time = start;
    return OK;
}

int fmi2EnterInitializationMode(Instance *c) { (void)c; return OK; }
int fmi2ExitInitializationMode(Instance *c) { (void)c; return OK; }
int fmi2Terminate(Instance *c) { (void)c; return OK; }
int fmi2Reset(Instance *c) { c->state = START; return OK; }
int fmi2GetReal(Instance *c, const unsigned *vr, size_t n, double *x) { return get_real(&c->state, vr, n, x); }
int fmi2SetReal(Instance *c, const unsigned *vr, size_t n, const double *x) { return set_real(&c->state, vr, n, x); }

int fmi2GetBoolean(Instance *c, const unsigned *vr, size_t n, int *x)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = vr[i] == SATURATED ? force(&c->state) != wanted(&c->state) : c->state.enabled;
    }
    return OK;
}

int fmi2SetBoolean(Instance *c, const unsigned *vr, size_t n, const int *x)
{
    (void)vr;
    c->state.enabled = n > 0 ? x[n - 1] != 0 : c->state.enabled;
    return OK;
}

int fmi2GetInteger(Instance *c, const unsigned *vr, size_t n, int *x)
{
    (void)vr;
    for (size_t i = 0; i < n; i++) {
        x[i] = c->state.steps;
    }
    return OK;
}

int fmi2GetFMUstate(Instance *c, void **s) { return copied(&c->state, s); }
int fmi2SetFMUstate(Instance *c, void *s) { memcpy(&c->state, s, sizeof(State)); return OK; }
int fmi2FreeFMUstate(Instance *c, void **s) { (void)c; free(*s); *s = NULL; return OK; }
int fmi2SerializedFMUstateSize(Instance *c, void *s, size_t *n) { (void)c, (void)s; *n = sizeof(State); return OK; }

int fmi2SerializeFMUstate(Instance *c, void *s, char *bytes, size_t n)
{
    (void)c;
    memcpy(bytes, s, n);
    return OK;
}

int fmi2DeSerializeFMUstate(Instance *c, const char *bytes, size_t n, void **s)
{
    State read;
    (void)c, (void)n;
    memcpy(&read, bytes, sizeof read);
    return copied(&read, s);
}

int fmi2DoStep(Instance *c, double t, double h, int final)
{
    (void)final;
    return step(c, t, h);
}

NAMED(fmi2CancelStep) NAMED(fmi2GetBooleanStatus) NAMED(fmi2GetDirectionalDerivative) NAMED(fmi2GetIntegerStatus)
NAMED(fmi2GetRealOutputDerivatives) NAMED(fmi2GetRealStatus) NAMED(fmi2GetStatus) NAMED(fmi2GetString)
NAMED(fmi2GetStringStatus) NAMED(fmi2SetDebugLogging) NAMED(fmi2SetInteger) NAMED(fmi2SetRealInputDerivatives)
NAMED(fmi2SetString)

#else

typedef void (*Logger)(void *, int, const char *, const char *);

static int step(Instance *c, double t, double h)
{
    const int status = advance(&c->state, t, h);
    if (status != OK && c->logger != NULL) {
        Logger log;
        memcpy(&log, &c->logger, sizeof log);
        log(c->environment, status, "error", "it was told to fail");
    }
    return status;
}

const char *fmi3GetVersion(void) { return "3.0"; }

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *place, bool shown, bool logs,
    bool events, bool early, const unsigned *between, size_t count, void *environment, Logger log, void *update)
{
    (void)name, (void)place, (void)shown, (void)logs, (void)events, (void)early, (void)between, (void)count, (void)update;
    Instance *c = strcmp(token, TOKEN) == 0 ? calloc(1, sizeof *c) : NULL;
    if (c != NULL) {
        c->state = START;
        memcpy(&c->logger, &log, sizeof log);
        c->environment = environment;
    }
    return c;
}

void fmi3FreeInstance(Instance *c) { free(c); }

int fmi3EnterInitializationMode(Instance *c, bool toleranced, double tolerance, double start, bool ends, double stop)
{
    (void)toleranced, (void)tolerance, (void)ends, (void)stop;
    c->state.time = start;
    return OK;
}

int fmi3ExitInitializationMode(Instance *c) { (void)c; return OK; }
int fmi3Terminate(Instance *c) { (void)c; return OK; }
int fmi3Reset(Instance *c) { c->state = START; return OK; }

int fmi3GetFloat64(Instance *c, const unsigned *vr, size_t n, double *x, size_t m)
{
    (void)m;
    return get_real(&c->state, vr, n, x);
}

int fmi3SetFloat64(Instance *c, const unsigned *vr, size_t n, const double *x, size_t m)
{
    (void)m;
    return set_real(&c->state, vr, n, x);
}

int fmi3GetBoolean(Instance *c, const unsigned *vr, size_t n, bool *x, size_t m)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        x[i] = vr[i] == SATURATED ? force(&c->state) != wanted(&c->state) : c->state.enabled;
    }
    return OK;
}

int fmi3SetBoolean(Instance *c, const unsigned *vr, size_t n, const bool *x, size_t m)
{
    (void)vr, (void)m;
    c->state.enabled = n > 0 ? x[n - 1] : c->state.enabled;
    return OK;
}

int fmi3GetInt32(Instance *c, const unsigned *vr, size_t n, int *x, size_t m)
{
    (void)vr, (void)m;
    for (size_t i = 0; i < n; i++) {
        x[i] = c->state.steps;
    }
    return OK;
}

int fmi3GetFMUState(Instance *c, void **s) { return copied(&c->state, s); }
int fmi3SetFMUState(Instance *c, void *s) { memcpy(&c->state, s, sizeof(State)); return OK; }
int fmi3FreeFMUState(Instance *c, void **s) { (void)c; free(*s); *s = NULL; return OK; }
int fmi3SerializedFMUStateSize(Instance *c, void *s, size_t *n) { (void)c, (void)s; *n = sizeof(State); return OK; }

int fmi3SerializeFMUState(Instance *c, void *s, unsigned char *bytes, size_t n)
{
    (void)c;
    memcpy(bytes, s, n);
    return OK;
}

int fmi3DeserializeFMUState(Instance *c, const unsigned char *bytes, size_t n, void **s)
{
    State read;
    (void)c, (void)n;
    memcpy(&read, bytes, sizeof read);
    return copied(&read, s);
}

int fmi3DoStep(Instance *c, double t, double h, bool final, bool *event, bool *ends, bool *early, double *last)
{
    (void)final;
    *event = *ends = *early = false;
    *last = t + h;
    return step(c, t, h);
}

NAMED(fmi3ActivateModelPartition) NAMED(fmi3CompletedIntegratorStep) NAMED(fmi3EnterConfigurationMode)
NAMED(fmi3EnterContinuousTimeMode) NAMED(fmi3EnterEventMode) NAMED(fmi3EnterStepMode) NAMED(fmi3EvaluateDiscreteStates)
NAMED(fmi3ExitConfigurationMode) NAMED(fmi3GetAdjointDerivative) NAMED(fmi3GetBinary) NAMED(fmi3GetClock)
NAMED(fmi3GetContinuousStateDerivatives) NAMED(fmi3GetContinuousStates) NAMED(fmi3GetDirectionalDerivative)
NAMED(fmi3GetEventIndicators) NAMED(fmi3GetFloat32) NAMED(fmi3GetInt16) NAMED(fmi3GetInt64) NAMED(fmi3GetInt8)
NAMED(fmi3GetIntervalDecimal) NAMED(fmi3GetIntervalFraction) NAMED(fmi3GetNominalsOfContinuousStates)
NAMED(fmi3GetNumberOfContinuousStates) NAMED(fmi3GetNumberOfEventIndicators) NAMED(fmi3GetNumberOfVariableDependencies)
NAMED(fmi3GetOutputDerivatives) NAMED(fmi3GetShiftDecimal) NAMED(fmi3GetShiftFraction) NAMED(fmi3GetString)
NAMED(fmi3GetUInt16) NAMED(fmi3GetUInt32) NAMED(fmi3GetUInt64) NAMED(fmi3GetUInt8) NAMED(fmi3GetVariableDependencies)
NAMED(fmi3InstantiateModelExchange) NAMED(fmi3InstantiateScheduledExecution) NAMED(fmi3SetBinary) NAMED(fmi3SetClock)
NAMED(fmi3SetContinuousStates) NAMED(fmi3SetDebugLogging) NAMED(fmi3SetFloat32) NAMED(fmi3SetInt16) NAMED(fmi3SetInt32)
NAMED(fmi3SetInt64) NAMED(fmi3SetInt8) NAMED(fmi3SetIntervalDecimal) NAMED(fmi3SetIntervalFraction)
NAMED(fmi3SetShiftDecimal) NAMED(fmi3SetShiftFraction) NAMED(fmi3SetString) NAMED(fmi3SetTime) NAMED(fmi3SetUInt16)
NAMED(fmi3SetUInt32) NAMED(fmi3SetUInt64) NAMED(fmi3SetUInt8) NAMED(fmi3UpdateDiscreteStates)

#endif
