/* ------------------------------------------------------------ types of FMI 2.0 */

#include <stdint.h>

#ifndef FMI2_Export
#ifdef _WIN32
#define FMI2_Export __declspec(dllexport)
#else
#ifdef __GNUC__
#define FMI2_Export __attribute__((visibility("default")))
#else
#define FMI2_Export
#endif /* __GNUC__ */
#endif /* _WIN32 */
#endif /* FMI2_Export */
#ifndef FMI2_FUNCTION_PREFIX
#define FMI2_FUNCTION_PREFIX
#endif /* FMI2_FUNCTION_PREFIX */
#define JOINED(a, b) a##b
#define PREFIXED(a, b) JOINED(a, b)
#define NAME(function) PREFIXED(FMI2_FUNCTION_PREFIX, function)

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef uint32_t fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment handle;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean again, terminate, nominals_changed, values_changed, next_defined;
    fmi2Real next;
} fmi2EventInfo;

/* Whom an instance tells what has gone wrong. */
struct environment {
    fmi2CallbackFunctions callbacks;
    char name[200];
};

