/* ------------------------------------------------------------ functions of FMI 3.0 */

static void report(const struct environment *outside, const char *message)
{
    if (outside->log != NULL)
        outside->log(outside->handle, fmi3Error, "logStatusError", message);
}

static fmi3Status status_of(int failed)
{
    return failed != 0 ? fmi3Error : fmi3OK;
}

/* Refuses what this model has no use for; nothing of it is nothing wrong. */
static fmi3Status without(fmi3Instance instance, size_t n, const char *what)
{
    return n == 0 ? fmi3OK : status_of(refuse(instance, "this model has no %s", what));
}

static fmi3Instance instantiated(fmi3String token, struct environment outside, int exchange)
{
    struct instance *x = NULL;
    if (token == NULL || strcmp(token, TOKEN) != 0)
        report(&outside, "instantiation token: it is not that of this model");
    else if ((x = malloc(sizeof *x)) == NULL)
        report(&outside, "no memory");
    else {
        x->exchange = exchange;
        x->outside = outside;
        reset(x);
    }
    return x;
}

FMI3_Export const char *NAME(fmi3GetVersion)(void)
{
    return "3.0";
}

FMI3_Export fmi3Status NAME(fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t n,
                                                 const fmi3String categories[])
{
    (void)instance, (void)on, (void)n, (void)categories; /* errors are always told, and there is nothing else to tell */
    return fmi3OK;
}

FMI3_Export fmi3Instance NAME(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
                                                            fmi3Boolean visible, fmi3Boolean logging,
                                                            fmi3InstanceEnvironment environment,
                                                            fmi3LogMessageCallback log)
{
    const struct environment outside = {environment, log};
    (void)name, (void)resources, (void)visible, (void)logging;
    return instantiated(token, outside, 1);
}

FMI3_Export fmi3Instance NAME(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], size_t n,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update_callback)
{
    const struct environment outside = {environment, log};
    (void)name, (void)resources, (void)visible, (void)logging, (void)early_return, (void)intermediate;
    (void)update_callback;
    if (event_mode || n > 0) {
        report(&outside, "Co-Simulation here has neither an event mode nor intermediate values");
        return NULL;
    }
    return instantiated(token, outside, 0);
}

FMI3_Export fmi3Instance NAME(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback clock_update,
    fmi3PreemptionCallback lock, fmi3PreemptionCallback unlock)
{
    const struct environment outside = {environment, log};
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock_update, (void)lock;
    (void)unlock;
    report(&outside, "Scheduled Execution: this model is for Model Exchange and Co-Simulation");
    return NULL;
}

FMI3_Export void NAME(fmi3FreeInstance)(fmi3Instance instance)
{
    free(instance);
}

/* ------------------------------------------------------------ modes */

FMI3_Export fmi3Status NAME(fmi3EnterInitializationMode)(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                                         fmi3Float64 tolerance, fmi3Float64 start,
                                                         fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)stop_defined, (void)stop;
    return status_of(set_experiment(instance, start, tolerance_defined ? tolerance : 0.0) || initialize(instance));
}

FMI3_Export fmi3Status NAME(fmi3ExitInitializationMode)(fmi3Instance instance)
{
    return status_of(initialized(instance));
}

/* Changes to a mode of Model Exchange, or of Co-Simulation. */
static fmi3Status enter(struct instance *x, int exchange, int mode)
{
    if (x->exchange != exchange || x->kept.mode <= INITIALIZATION || x->kept.mode == TERMINATED)
        return status_of(refuse(x, "this mode cannot be entered now"));
    x->kept.mode = mode;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3EnterEventMode)(fmi3Instance instance)
{
    return enter(instance, 1, EVENT_MODE);
}

FMI3_Export fmi3Status NAME(fmi3EnterContinuousTimeMode)(fmi3Instance instance)
{
    return enter(instance, 1, CONTINUOUS_TIME);
}

FMI3_Export fmi3Status NAME(fmi3EnterStepMode)(fmi3Instance instance)
{
    return enter(instance, 0, STEP_MODE);
}

FMI3_Export fmi3Status NAME(fmi3Terminate)(fmi3Instance instance)
{
    struct instance *const x = instance;
    x->kept.mode = TERMINATED;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3Reset)(fmi3Instance instance)
{
    reset(instance);
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3EnterConfigurationMode)(fmi3Instance instance)
{
    return without(instance, 1, "structural parameters");
}

FMI3_Export fmi3Status NAME(fmi3ExitConfigurationMode)(fmi3Instance instance)
{
    return without(instance, 1, "structural parameters");
}

/* ------------------------------------------------------------ values */

FMI3_Export fmi3Status NAME(fmi3GetFloat64)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                                            fmi3Float64 values[], size_t m)
{
    if (n != m)
        return status_of(refuse(instance, "expected as many values as value references"));
    return status_of(get_values(instance, references, n, values));
}

FMI3_Export fmi3Status NAME(fmi3SetFloat64)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                                            const fmi3Float64 values[], size_t m)
{
    if (n != m)
        return status_of(refuse(instance, "expected as many values as value references"));
    return status_of(set_values(instance, references, n, values));
}

#define NONE_OF(Type)                                                                                                  \
    FMI3_Export fmi3Status NAME(fmi3Get##Type)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, \
                                               fmi3##Type values[], size_t m)                                          \
    {                                                                                                                  \
        (void)references, (void)values, (void)m;                                                                       \
        return without(instance, n, "variables of type " #Type);                                                       \
    }                                                                                                                  \
    FMI3_Export fmi3Status NAME(fmi3Set##Type)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, \
                                               const fmi3##Type values[], size_t m)                                    \
    {                                                                                                                  \
        (void)references, (void)values, (void)m;                                                                       \
        return without(instance, n, "variables of type " #Type);                                                       \
    }

NONE_OF(Float32)
NONE_OF(Int8)
NONE_OF(UInt8)
NONE_OF(Int16)
NONE_OF(UInt16)
NONE_OF(Int32)
NONE_OF(UInt32)
NONE_OF(Int64)
NONE_OF(UInt64)
NONE_OF(Boolean)
NONE_OF(String)

FMI3_Export fmi3Status NAME(fmi3GetBinary)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                                           size_t sizes[], fmi3Binary values[], size_t m)
{
    (void)references, (void)sizes, (void)values, (void)m;
    return without(instance, n, "variables of type Binary");
}

FMI3_Export fmi3Status NAME(fmi3SetBinary)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                                           const size_t sizes[], const fmi3Binary values[], size_t m)
{
    (void)references, (void)sizes, (void)values, (void)m;
    return without(instance, n, "variables of type Binary");
}

FMI3_Export fmi3Status NAME(fmi3GetNumberOfVariableDependencies)(fmi3Instance instance, fmi3ValueReference reference,
                                                                 size_t *number)
{
    (void)reference, (void)number;
    return without(instance, 1, "dependencies but those of its description");
}

FMI3_Export fmi3Status NAME(fmi3GetVariableDependencies)(fmi3Instance instance, fmi3ValueReference dependent,
                                                         size_t elements[], fmi3ValueReference independents[],
                                                         size_t independent_elements[], fmi3DependencyKind kinds[],
                                                         size_t n)
{
    (void)dependent, (void)elements, (void)independents, (void)independent_elements, (void)kinds;
    return without(instance, n, "dependencies but those of its description");
}

/* ------------------------------------------------------------ states, derivatives */

FMI3_Export fmi3Status NAME(fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    *state = keep(instance, *state);
    return *state == NULL ? status_of(refuse(instance, "no memory")) : fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state)
{
    struct instance *const x = instance;
    if (state == NULL)
        return status_of(refuse(x, "expected a state"));
    memcpy(&x->kept, state, sizeof x->kept);
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3FreeFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    (void)instance, (void)state;
    *size = SERIALIZED;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3SerializeFMUState)(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                                   size_t size)
{
    return status_of(serialize(instance, state, bytes, size));
}

FMI3_Export fmi3Status NAME(fmi3DeserializeFMUState)(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                                     fmi3FMUState *state)
{
    struct kept *const found = deserialize(instance, bytes, size);
    if (found == NULL)
        return fmi3Error;
    free(*state);
    *state = found;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3GetDirectionalDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                                          size_t n, const fmi3ValueReference knowns[], size_t m,
                                                          const fmi3Float64 seed[], size_t seeds,
                                                          fmi3Float64 sensitivity[], size_t sensitivities)
{
    if (seeds != m || sensitivities != n)
        return status_of(refuse(instance, "expected as many seeds as knowns, and as many sensitivities as unknowns"));
#if SLOPES
    return status_of(directional(instance, unknowns, n, knowns, m, seed, sensitivity));
#endif
#if NO_SLOPES
    (void)unknowns, (void)knowns, (void)seed, (void)sensitivity;
    return without(instance, 1, "derivatives: it is too large for them");
#endif
}

FMI3_Export fmi3Status NAME(fmi3GetAdjointDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                                      size_t n, const fmi3ValueReference knowns[], size_t m,
                                                      const fmi3Float64 seed[], size_t seeds,
                                                      fmi3Float64 sensitivity[], size_t sensitivities)
{
    if (seeds != n || sensitivities != m)
        return status_of(refuse(instance, "expected as many seeds as unknowns, and as many sensitivities as knowns"));
#if ADJOINT
    return status_of(adjoint(instance, unknowns, n, knowns, m, seed, sensitivity));
#endif
#if NO_ADJOINT
    (void)unknowns, (void)knowns, (void)seed, (void)sensitivity;
    return without(instance, 1, "derivatives in reverse: it is too large for them");
#endif
}

/* ------------------------------------------------------------ Model Exchange */

FMI3_Export fmi3Status NAME(fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *again,
                                                      fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
                                                      fmi3Boolean *values_changed, fmi3Boolean *next_defined,
                                                      fmi3Float64 *next)
{
    struct instance *const x = instance;
    int changed_state = 0;
    if (x->kept.mode != EVENT_MODE)
        return status_of(refuse(x, "discrete states are updated in event mode"));
    if (update(x, &changed_state) != 0)
        return fmi3Error;
    *again = *nominals_changed = false;
    *terminate = x->kept.now.ended != 0;
    *values_changed = changed_state != 0;
    *next = next_time(&x->kept.now);
    *next_defined = isfinite(*next) != 0;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3EvaluateDiscreteStates)(fmi3Instance instance)
{
    return status_of(settle(instance));
}

FMI3_Export fmi3Status NAME(fmi3CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean no_return,
                                                         fmi3Boolean *event_mode, fmi3Boolean *terminate)
{
    struct instance *const x = instance;
    (void)no_return;
    *event_mode = drift(&x->kept.now) > DRIFT;
    *terminate = false;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3SetTime)(fmi3Instance instance, fmi3Float64 time)
{
    struct instance *const x = instance;
    if (!x->exchange || x->kept.mode <= INITIALIZATION)
        return status_of(refuse(x, "time is set in Model Exchange, after initialization"));
    arrive(&x->kept.now, time);
    return fmi3OK;
}

/* Refuses a wrong number of states. */
static fmi3Status require_states(struct instance *x, size_t n)
{
    return n == STATE ? fmi3OK : status_of(refuse(x, "expected %d continuous states", (int)STATE));
}

FMI3_Export fmi3Status NAME(fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 states[], size_t n)
{
    struct instance *const x = instance;
    if (require_states(x, n) != fmi3OK)
        return fmi3Error;
    if (!x->exchange || x->kept.mode <= INITIALIZATION)
        return status_of(refuse(x, "states are set in Model Exchange, after initialization"));
    memcpy(x->kept.now.y, states, sizeof x->kept.now.y);
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 states[], size_t n)
{
    struct instance *const x = instance;
    if (require_states(x, n) != fmi3OK || settle(x) != 0)
        return fmi3Error;
    memcpy(states, x->kept.now.y, sizeof x->kept.now.y);
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 derivatives[],
                                                               size_t n)
{
    struct instance *const x = instance;
    if (require_states(x, n) != fmi3OK || settle(x) != 0)
        return fmi3Error;
    rates(&x->kept.now, &x->kept.now.reached, x->kept.now.y, x->kept.now.u, derivatives);
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 nominals[], size_t n)
{
    size_t i;
    if (require_states(instance, n) != fmi3OK)
        return fmi3Error;
    for (i = 0; i < n; i++)
        nominals[i] = 1.0;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3GetEventIndicators)(fmi3Instance instance, fmi3Float64 indicators[], size_t n)
{
    if (n != WATCHED)
        return status_of(refuse(instance, "expected %d event indicators", (int)WATCHED));
    return status_of(event_indicators(instance, indicators));
}

FMI3_Export fmi3Status NAME(fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t *number)
{
    (void)instance;
    *number = WATCHED;
    return fmi3OK;
}

FMI3_Export fmi3Status NAME(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *number)
{
    (void)instance;
    *number = STATE;
    return fmi3OK;
}

/* ------------------------------------------------------------ Co-Simulation */

FMI3_Export fmi3Status NAME(fmi3DoStep)(fmi3Instance instance, fmi3Float64 from, fmi3Float64 by, fmi3Boolean no_return,
                                        fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                                        fmi3Float64 *last)
{
    struct instance *const x = instance;
    const int failed = do_step(x, from, by);
    (void)no_return;
    *event = *early = false;
    *terminate = x->kept.now.ended != 0;
    *last = x->kept.now.reached;
    return status_of(failed);
}

FMI3_Export fmi3Status NAME(fmi3GetOutputDerivatives)(fmi3Instance instance, const fmi3ValueReference references[],
                                                      size_t n, const fmi3Int32 orders[], fmi3Float64 values[],
                                                      size_t m)
{
    (void)references, (void)orders, (void)values, (void)m;
    return without(instance, n, "derivatives of outputs by time");
}

/* ------------------------------------------------------------ clocks */

FMI3_Export fmi3Status NAME(fmi3ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clock,
                                                        fmi3Float64 time)
{
    (void)clock, (void)time;
    return without(instance, 1, "model partitions");
}

FMI3_Export fmi3Status NAME(fmi3GetClock)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                                          fmi3Clock values[])
{
    (void)references, (void)values;
    return without(instance, n, "clocks that are seen from outside");
}

FMI3_Export fmi3Status NAME(fmi3SetClock)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                                          const fmi3Clock values[])
{
    (void)references, (void)values;
    return without(instance, n, "clocks that are seen from outside");
}

#define NO_CLOCKS(Function, Given)                                                                                     \
    FMI3_Export fmi3Status NAME(fmi3##Function##Decimal)(fmi3Instance instance, const fmi3ValueReference references[], \
                                                         size_t n, Given fmi3Float64 values[])                         \
    {                                                                                                                  \
        (void)references, (void)values;                                                                                \
        return without(instance, n, "clocks that are seen from outside");                                              \
    }                                                                                                                  \
    FMI3_Export fmi3Status NAME(fmi3##Function##Fraction)(fmi3Instance instance,                                       \
                                                          const fmi3ValueReference references[], size_t n,             \
                                                          Given fmi3UInt64 counters[], Given fmi3UInt64 resolutions[]) \
    {                                                                                                                  \
        (void)references, (void)counters, (void)resolutions;                                                           \
        return without(instance, n, "clocks that are seen from outside");                                              \
    }

NO_CLOCKS(SetInterval, const)
NO_CLOCKS(SetShift, const)
NO_CLOCKS(GetShift, )

FMI3_Export fmi3Status NAME(fmi3GetIntervalDecimal)(fmi3Instance instance, const fmi3ValueReference references[],
                                                    size_t n, fmi3Float64 intervals[],
                                                    fmi3IntervalQualifier qualifiers[])
{
    (void)references, (void)intervals, (void)qualifiers;
    return without(instance, n, "clocks that are seen from outside");
}

FMI3_Export fmi3Status NAME(fmi3GetIntervalFraction)(fmi3Instance instance, const fmi3ValueReference references[],
                                                     size_t n, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                                     fmi3IntervalQualifier qualifiers[])
{
    (void)references, (void)counters, (void)resolutions, (void)qualifiers;
    return without(instance, n, "clocks that are seen from outside");
}
