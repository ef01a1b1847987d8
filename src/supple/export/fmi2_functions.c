/* ------------------------------------------------------------ functions of FMI 2.0 */

static void report(const struct environment *outside, const char *message)
{
    if (outside->callbacks.logger != NULL)
        outside->callbacks.logger(outside->callbacks.handle, outside->name, fmi2Error, "logStatusError", "%s", message);
}

static fmi2Status status_of(int failed)
{
    return failed != 0 ? fmi2Error : fmi2OK;
}

/* Refuses what this model has no use for; nothing of it is nothing wrong. */
static fmi2Status without(fmi2Component instance, size_t n, const char *what)
{
    return n == 0 ? fmi2OK : status_of(refuse(instance, "this model has no %s", what));
}

FMI2_Export const char *NAME(fmi2GetTypesPlatform)(void)
{
    return "default";
}

FMI2_Export const char *NAME(fmi2GetVersion)(void)
{
    return "2.0";
}

FMI2_Export fmi2Status NAME(fmi2SetDebugLogging)(fmi2Component instance, fmi2Boolean on, size_t n,
                                                 const fmi2String categories[])
{
    (void)instance, (void)on, (void)n, (void)categories; /* errors are always told, and there is nothing else to tell */
    return fmi2OK;
}

FMI2_Export fmi2Component NAME(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
                                                const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                                                fmi2Boolean logging)
{
    struct environment outside;
    struct instance *x = NULL;
    (void)resources, (void)visible, (void)logging;
    memset(&outside, 0, sizeof outside);
    if (callbacks != NULL)
        outside.callbacks = *callbacks;
    snprintf(outside.name, sizeof outside.name, "%s", name == NULL ? "" : name);
    if (token == NULL || strcmp(token, TOKEN) != 0)
        report(&outside, "GUID: it is not that of this model");
    else if ((x = malloc(sizeof *x)) == NULL)
        report(&outside, "no memory");
    else {
        x->exchange = type == fmi2ModelExchange;
        x->outside = outside;
        reset(x);
    }
    return x;
}

FMI2_Export void NAME(fmi2FreeInstance)(fmi2Component instance)
{
    free(instance);
}

/* ------------------------------------------------------------ modes */

FMI2_Export fmi2Status NAME(fmi2SetupExperiment)(fmi2Component instance, fmi2Boolean tolerance_defined,
                                                 fmi2Real tolerance, fmi2Real start, fmi2Boolean stop_defined,
                                                 fmi2Real stop)
{
    (void)stop_defined, (void)stop;
    return status_of(set_experiment(instance, start, tolerance_defined ? tolerance : 0.0));
}

FMI2_Export fmi2Status NAME(fmi2EnterInitializationMode)(fmi2Component instance)
{
    return status_of(initialize(instance));
}

FMI2_Export fmi2Status NAME(fmi2ExitInitializationMode)(fmi2Component instance)
{
    return status_of(initialized(instance));
}

/* Changes to a mode of Model Exchange. */
static fmi2Status enter(struct instance *x, int mode)
{
    if (!x->exchange || x->kept.mode <= INITIALIZATION || x->kept.mode == TERMINATED)
        return status_of(refuse(x, "this mode cannot be entered now"));
    x->kept.mode = mode;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2EnterEventMode)(fmi2Component instance)
{
    return enter(instance, EVENT_MODE);
}

FMI2_Export fmi2Status NAME(fmi2EnterContinuousTimeMode)(fmi2Component instance)
{
    return enter(instance, CONTINUOUS_TIME);
}

FMI2_Export fmi2Status NAME(fmi2Terminate)(fmi2Component instance)
{
    struct instance *const x = instance;
    x->kept.mode = TERMINATED;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2Reset)(fmi2Component instance)
{
    reset(instance);
    return fmi2OK;
}

/* ------------------------------------------------------------ values */

FMI2_Export fmi2Status NAME(fmi2GetReal)(fmi2Component instance, const fmi2ValueReference references[], size_t n,
                                         fmi2Real values[])
{
    return status_of(get_values(instance, references, n, values));
}

FMI2_Export fmi2Status NAME(fmi2SetReal)(fmi2Component instance, const fmi2ValueReference references[], size_t n,
                                         const fmi2Real values[])
{
    return status_of(set_values(instance, references, n, values));
}

#define NONE_OF(Type)                                                                                                  \
    FMI2_Export fmi2Status NAME(fmi2Get##Type)(fmi2Component instance, const fmi2ValueReference references[],          \
                                               size_t n, fmi2##Type values[])                                          \
    {                                                                                                                  \
        (void)references, (void)values;                                                                                \
        return without(instance, n, "variables of type " #Type);                                                       \
    }                                                                                                                  \
    FMI2_Export fmi2Status NAME(fmi2Set##Type)(fmi2Component instance, const fmi2ValueReference references[],          \
                                               size_t n, const fmi2##Type values[])                                    \
    {                                                                                                                  \
        (void)references, (void)values;                                                                                \
        return without(instance, n, "variables of type " #Type);                                                       \
    }

NONE_OF(Integer)
NONE_OF(Boolean)
NONE_OF(String)

/* ------------------------------------------------------------ states, derivatives */

FMI2_Export fmi2Status NAME(fmi2GetFMUstate)(fmi2Component instance, fmi2FMUstate *state)
{
    *state = keep(instance, *state);
    return *state == NULL ? status_of(refuse(instance, "no memory")) : fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2SetFMUstate)(fmi2Component instance, fmi2FMUstate state)
{
    struct instance *const x = instance;
    if (state == NULL)
        return status_of(refuse(x, "expected a state"));
    memcpy(&x->kept, state, sizeof x->kept);
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2FreeFMUstate)(fmi2Component instance, fmi2FMUstate *state)
{
    (void)instance;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2SerializedFMUstateSize)(fmi2Component instance, fmi2FMUstate state, size_t *size)
{
    (void)instance, (void)state;
    *size = SERIALIZED;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2SerializeFMUstate)(fmi2Component instance, fmi2FMUstate state, fmi2Byte bytes[],
                                                   size_t size)
{
    return status_of(serialize(instance, state, bytes, size));
}

FMI2_Export fmi2Status NAME(fmi2DeSerializeFMUstate)(fmi2Component instance, const fmi2Byte bytes[], size_t size,
                                                     fmi2FMUstate *state)
{
    struct kept *const found = deserialize(instance, bytes, size);
    if (found == NULL)
        return fmi2Error;
    free(*state);
    *state = found;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2GetDirectionalDerivative)(fmi2Component instance, const fmi2ValueReference unknowns[],
                                                          size_t n, const fmi2ValueReference knowns[], size_t m,
                                                          const fmi2Real seed[], fmi2Real sensitivity[])
{
#if SLOPES
    return status_of(directional(instance, unknowns, n, knowns, m, seed, sensitivity));
#endif
#if NO_SLOPES
    (void)unknowns, (void)n, (void)knowns, (void)m, (void)seed, (void)sensitivity;
    return without(instance, 1, "derivatives: it is too large for them");
#endif
}

/* ------------------------------------------------------------ Model Exchange */

FMI2_Export fmi2Status NAME(fmi2NewDiscreteStates)(fmi2Component instance, fmi2EventInfo *info)
{
    struct instance *const x = instance;
    int changed_state = 0;
    if (x->kept.mode != EVENT_MODE)
        return status_of(refuse(x, "discrete states are updated in event mode"));
    if (update(x, &changed_state) != 0)
        return fmi2Error;
    info->again = info->nominals_changed = 0;
    info->terminate = x->kept.now.ended != 0;
    info->values_changed = changed_state != 0;
    info->next = next_time(&x->kept.now);
    info->next_defined = isfinite(info->next) != 0;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2CompletedIntegratorStep)(fmi2Component instance, fmi2Boolean no_return,
                                                         fmi2Boolean *event_mode, fmi2Boolean *terminate)
{
    struct instance *const x = instance;
    (void)no_return;
    *event_mode = drift(&x->kept.now) > DRIFT;
    *terminate = 0;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2SetTime)(fmi2Component instance, fmi2Real time)
{
    struct instance *const x = instance;
    if (!x->exchange || x->kept.mode <= INITIALIZATION)
        return status_of(refuse(x, "time is set in Model Exchange, after initialization"));
    arrive(&x->kept.now, time);
    return fmi2OK;
}

/* Refuses a wrong number of states. */
static fmi2Status require_states(struct instance *x, size_t n)
{
    return n == STATE ? fmi2OK : status_of(refuse(x, "expected %d continuous states", (int)STATE));
}

FMI2_Export fmi2Status NAME(fmi2SetContinuousStates)(fmi2Component instance, const fmi2Real states[], size_t n)
{
    struct instance *const x = instance;
    if (require_states(x, n) != fmi2OK)
        return fmi2Error;
    if (!x->exchange || x->kept.mode <= INITIALIZATION)
        return status_of(refuse(x, "states are set in Model Exchange, after initialization"));
    memcpy(x->kept.now.y, states, sizeof x->kept.now.y);
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2GetContinuousStates)(fmi2Component instance, fmi2Real states[], size_t n)
{
    struct instance *const x = instance;
    if (require_states(x, n) != fmi2OK || settle(x) != 0)
        return fmi2Error;
    memcpy(states, x->kept.now.y, sizeof x->kept.now.y);
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2GetDerivatives)(fmi2Component instance, fmi2Real derivatives[], size_t n)
{
    struct instance *const x = instance;
    if (require_states(x, n) != fmi2OK || settle(x) != 0)
        return fmi2Error;
    rates(&x->kept.now, &x->kept.now.reached, x->kept.now.y, x->kept.now.u, derivatives);
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2GetNominalsOfContinuousStates)(fmi2Component instance, fmi2Real nominals[], size_t n)
{
    size_t i;
    if (require_states(instance, n) != fmi2OK)
        return fmi2Error;
    for (i = 0; i < n; i++)
        nominals[i] = 1.0;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2GetEventIndicators)(fmi2Component instance, fmi2Real indicators[], size_t n)
{
    if (n != WATCHED)
        return status_of(refuse(instance, "expected %d event indicators", (int)WATCHED));
    return status_of(event_indicators(instance, indicators));
}

/* ------------------------------------------------------------ Co-Simulation */

FMI2_Export fmi2Status NAME(fmi2DoStep)(fmi2Component instance, fmi2Real from, fmi2Real by, fmi2Boolean no_return)
{
    struct instance *const x = instance;
    (void)no_return;
    if (do_step(x, from, by) != 0)
        return fmi2Error;
    return x->kept.now.ended ? fmi2Discard : fmi2OK; /* an event has ended the run: see fmi2Terminated */
}

FMI2_Export fmi2Status NAME(fmi2CancelStep)(fmi2Component instance)
{
    return without(instance, 1, "steps that go on behind the caller's back");
}

FMI2_Export fmi2Status NAME(fmi2SetRealInputDerivatives)(fmi2Component instance, const fmi2ValueReference references[],
                                                         size_t n, const fmi2Integer orders[], const fmi2Real values[])
{
    (void)references, (void)orders, (void)values;
    return without(instance, n, "inputs that are interpolated");
}

FMI2_Export fmi2Status NAME(fmi2GetRealOutputDerivatives)(fmi2Component instance, const fmi2ValueReference references[],
                                                          size_t n, const fmi2Integer orders[], fmi2Real values[])
{
    (void)references, (void)orders, (void)values;
    return without(instance, n, "derivatives of outputs by time");
}

FMI2_Export fmi2Status NAME(fmi2GetStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind, (void)value;
    return without(instance, 1, "steps that go on behind the caller's back");
}

FMI2_Export fmi2Status NAME(fmi2GetRealStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Real *value)
{
    struct instance *const x = instance;
    if (kind != fmi2LastSuccessfulTime)
        return without(x, 1, "such a status");
    *value = x->kept.now.reached;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2GetBooleanStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Boolean *value)
{
    struct instance *const x = instance;
    if (kind != fmi2Terminated)
        return without(x, 1, "such a status");
    *value = x->kept.now.ended != 0;
    return fmi2OK;
}

FMI2_Export fmi2Status NAME(fmi2GetIntegerStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind, (void)value;
    return without(instance, 1, "such a status");
}

FMI2_Export fmi2Status NAME(fmi2GetStringStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind, (void)value;
    return without(instance, 1, "such a status");
}
