/* ------------------------------------------------------------ types of FMI 3.0 */

#include <stdbool.h>
#include <stdint.h>

#ifndef FMI3_Export
#ifdef _WIN32
#define FMI3_Export __declspec(dllexport)
#else
#ifdef __GNUC__
#define FMI3_Export __attribute__((visibility("default")))
#else
#define FMI3_Export
#endif /* __GNUC__ */
#endif /* _WIN32 */
#endif /* FMI3_Export */
#ifndef FMI3_FUNCTION_PREFIX
#define FMI3_FUNCTION_PREFIX
#endif /* FMI3_FUNCTION_PREFIX */
#define JOINED(a, b) a##b
#define PREFIXED(a, b) JOINED(a, b)
#define NAME(function) PREFIXED(FMI3_FUNCTION_PREFIX, function)

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef int fmi3DependencyKind, fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3PreemptionCallback)(void);

/* Whom an instance tells what has gone wrong. */
struct environment {
    fmi3InstanceEnvironment handle;
    fmi3LogMessageCallback log;
};

