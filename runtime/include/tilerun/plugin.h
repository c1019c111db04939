/* The plugin ABI of Tilerun: how a device driver, and the compiler for its devices, join the
 * runtime. A plugin is one shared object that exports one symbol, `tilerunPluginEntry`, which
 * returns a table of functions. This header depends on <stdint.h> and <stddef.h> alone; it is C99
 * and C++.
 *
 * Rules
 *
 * - Versions. ABI_MAJOR changes when something here changes meaning; host and plugin must agree
 *   on it. ABI_MINOR grows when something is added, and additions go only to the end of a struct or
 *   a list. Every struct opens with `struct_size`, which its creator sets to `sizeof`; a
 *   reader uses a field only if the size covers it (TILERUN_HAS). So old hosts take new plugins
 *   and the reverse. TilerunPluginKernelInfo, TilerunPluginParameter and TilerunPluginOption are
 *   elements of arrays, which a reader steps through by its own `sizeof`: they never change size
 *   in this major version, and readers refuse another `struct_size` (options have none). Additions
 *   of a later version come as a parallel array at the end of the struct that holds the array;
 *   since 1.4 such arrays hold pointers, so that their structs can grow.
 *
 * - Optional. Every function of the table except `get_devices` may be null, which means "not
 *   supported". A function that exists may still return TILERUN_STATUS_UNSUPPORTED, with the
 *   reason. A function that returns a handle needs the one that releases it: a host refuses a table
 *   with one of `compile`, `get_self_test` and `finalize_artifact` but no `release_artifact`, and
 *   likewise for devices, streams, events and modules.
 *
 * - Errors. A function that can fail returns a status and, unless it is OK or NOT_READY, reports
 *   to the sink exactly once, on the calling thread, before it returns. Sinks may be null. A
 *   failed call has changed nothing, and has written nothing through its out parameters.
 *
 * - Ownership. Handles (device, stream, event, module, kernel, artifact) belong to the plugin and
 *   are released by the function named next to them. The caller releases children before their
 *   device. Strings and arrays that the plugin gives are UTF-8, end with NUL, and live as long as
 *   the handle they came from; those that it is passed it may use only until it returns, unless a
 *   comment says otherwise.
 *
 * - Threads. Every function may be called from any thread, and for different handles at the same
 *   time. One device, stream, event or module may also be used from several threads at once; work
 *   on a stream takes the order in which the calls returned. Releasing a handle, or closing its
 *   device, while another thread uses it is the caller's error. The plugin leaves the thread as
 *   it was (a current driver context, a signal mask, a locale).
 *
 * - Order. A stream runs its work in order. Work of different streams is ordered by events only.
 *   Calls that take a stream may return before the work is done. A null stream is the device's
 *   own stream, which is an ordinary stream in this respect.
 *
 * - Loss. After a fault that the driver cannot contain, a device is lost: each call except releases
 *   returns DEVICE_LOST, and names the kernels that may have caused it. To recover, release its
 *   handles, close it and open it again; its memory is lost. Other devices stay usable if the
 *   driver permits; those of other plugins always do. A driver may permanently refuse a process
 *   that lost a device (CUDA's does, for all its devices): then open_device returns DEVICE_LOST
 *   with that reason, and only a new process helps.
 *
 * - Language. No C++ exception, longjmp or exit leaves a plugin, and none of the host's enters it:
 *   it may have a C++ library of its own. It exports nothing but its entry.
 *
 * Changelog
 *   1.0  first version
 *   1.1  TilerunPlugin.compiler_version, TilerunPlugin.finalize_artifact, and the device property
 *        BINARY_COMPATIBILITY: compiled binaries that a cache can keep
 *   1.2  TilerunPluginLaunch.flags, TILERUN_LAUNCH_OVERLAP
 *   1.3  TilerunPluginLaunch.ranges, TILERUN_LAUNCH_NO_BOUNDS_CHECKS, TILERUN_LAUNCH_HOST_MEMORY
 *   1.4  TilerunPlugin.get_phases; TilerunPluginArtifact.details with derived parameters, lanes,
 *        clusters and grid policies; TilerunPluginLaunch.derived and .cluster; the device
 *        properties MAX_CLUSTER, LAUNCH_RANGES, FALLBACK, SURVIVES_FORK, RUNS_ON_HOST and
 *        USES_SMALL; the self-test kernels of TILERUN_DETAIL_TEST_LIST;
 *        TILERUN_LAUNCH_BOUNDS_CHECKS
 */
#ifndef TILERUN_PLUGIN_H
#define TILERUN_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define TILERUN_PLUGIN_ABI_MAJOR 1
#define TILERUN_PLUGIN_ABI_MINOR 4

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the struct at `pointer` is new enough to have `field`, and the field is not null or 0. */
#define TILERUN_HAS(type, pointer, field)                                                          \
  ((pointer)->struct_size >= offsetof(type, field) + sizeof((pointer)->field) && (pointer)->field)

/*===--------------------------------------------------------------------------------------------===
 * Errors
 *===--------------------------------------------------------------------------------------------===*/

/* The result of a call. X(NAME, number, "word"); new ones go to the end. */
#define TILERUN_STATUS_LIST(X)                                                                     \
  X(OK, 0, "ok")                                                                                   \
  X(NOT_READY, 1, "not ready")               /* of queries: the work is not done yet; no error */  \
  X(INVALID_ARGUMENT, 2, "invalid argument") /* the caller's mistake */                            \
  X(UNSUPPORTED, 3, "unsupported")           /* this device or plugin cannot do it, permanently */ \
  X(UNAVAILABLE, 4, "unavailable")           /* driver missing or too old, or no such device */    \
  X(OUT_OF_MEMORY, 5, "out of memory")       /* nothing else changed; free and try again */        \
  X(COMPILE, 6, "compile error")             /* the text has the compiler's own log */             \
  X(INCOMPATIBLE, 7, "incompatible")         /* the artifact is for something else */              \
  X(NOT_FOUND, 8, "not found")               /* no kernel of that name */                          \
  X(FAULT, 9, "fault")                       /* a kernel failed; the device stays usable */        \
  X(DEVICE_LOST, 10, "device lost")          /* close the device and open it again */              \
  X(DRIVER, 11, "driver error")              /* the driver failed; its word is in the text */      \
  X(INTERNAL, 12, "internal error")          /* a bug in the plugin */

enum {
#define TILERUN_STATUS_ENUMERATOR(name, number, word) TILERUN_STATUS_##name = number,
  TILERUN_STATUS_LIST(TILERUN_STATUS_ENUMERATOR)
#undef TILERUN_STATUS_ENUMERATOR
};
typedef int32_t TilerunStatus;

/* One error. The strings live until `report` returns; any but `message` may be null. */
typedef struct TilerunErrorInfo {
  uint32_t struct_size;
  TilerunStatus status;
  const char *call;        /* What failed: "cuMemAlloc(&address, bytes)". */
  const char *device;      /* The id of the device: "cuda:0". */
  const char *driver_word; /* The driver's name for it: "CUDA_ERROR_OUT_OF_MEMORY". */
  const char *message;     /* For people; repeats the three above. Compilers' logs may follow. */
} TilerunErrorInfo;

/* Where a function reports its error. It belongs to the caller; `report` copies what it keeps. */
typedef struct TilerunErrorSink {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  void *user;
  void (*report)(void *user, const TilerunErrorInfo *error);
} TilerunErrorSink;

/*===--------------------------------------------------------------------------------------------===
 * Handles
 *===--------------------------------------------------------------------------------------------===*/

typedef struct TilerunPluginDevice TilerunPluginDevice; /* close_device */
typedef struct TilerunPluginStream TilerunPluginStream; /* destroy_stream */
typedef struct TilerunPluginEvent TilerunPluginEvent;   /* destroy_event */
typedef struct TilerunPluginModule TilerunPluginModule; /* unload_module */
typedef struct TilerunPluginKernel TilerunPluginKernel; /* goes with its module */

/* An address in a device's memory. 0 is never one. Arithmetic on it is byte arithmetic. */
typedef uint64_t TilerunAddress;

/*===--------------------------------------------------------------------------------------------===
 * Devices and properties
 *===--------------------------------------------------------------------------------------------===*/

/* One device that could be opened. The strings live until the callback that gets it returns. */
typedef struct TilerunPluginDeviceInfo {
  uint32_t struct_size;
  uint32_t ordinal; /* To open it by. */
  const char *id;   /* "cuda:0": stable while the machine and the environment stay the same. */
  const char *uuid; /* "cuda:GPU-1d2c…": stable for this very device; "" if the driver has none. */
  const char *name; /* For people: "NVIDIA H200". */
  const char *target; /* What to compile for: "cuda:sm_90a". */
} TilerunPluginDeviceInfo;

typedef void (*TilerunDeviceCallback)(void *user, const TilerunPluginDeviceInfo *device);

typedef struct TilerunPluginOpenOptions {
  uint32_t struct_size;
  uint32_t reserved;        /* 0 */
  uint64_t foreign_context; /* A context of the driver's (a CUcontext) to work in, which stays the
                               caller's and must outlive the device; 0: the plugin's choice. */
} TilerunPluginOpenOptions;

enum {
  TILERUN_VALUE_U64 = 1,   /* `number`; a boolean is 0 or 1 */
  TILERUN_VALUE_STRING = 2 /* `string`; lives as long as the device (or kernel) */
};

/* Properties of devices. X(NAME, number, type, "name", "unit or form") */
#define TILERUN_DEVICE_PROPERTY_LIST(X)                                                            \
  X(NAME, 1, STRING, "name", "for people")                                                         \
  X(UUID, 2, STRING, "uuid", "as in TilerunPluginDeviceInfo")                                      \
  X(ARCH, 3, STRING, "arch", "the target without its kind: sm_90a")                                \
  X(DRIVER_VERSION, 4, STRING, "driver-version", "of the driver's interface: 13.0")                \
  X(MEMORY_TOTAL, 5, U64, "memory-total", "bytes")                                                 \
  X(MEMORY_FREE, 6, U64, "memory-free", "bytes, now")                                              \
  X(UNITS, 7, U64, "units", "multiprocessors or cores")                                            \
  X(WARP_SIZE, 8, U64, "warp-size", "threads")                                                     \
  X(MAX_THREADS, 9, U64, "max-threads", "threads of one program")                                  \
  X(MAX_SHARED, 10, U64, "max-shared", "bytes of shared memory of one program")                    \
  X(MAX_GRID_X, 11, U64, "max-grid-x", "programs")                                                 \
  X(MAX_GRID_Y, 12, U64, "max-grid-y", "programs")                                                 \
  X(MAX_GRID_Z, 13, U64, "max-grid-z", "programs")                                                 \
  X(REGISTERS, 14, U64, "registers", "32-bit registers of one unit")                               \
  X(L2_BYTES, 15, U64, "l2-bytes", "bytes of the last shared cache")                               \
  X(CLOCK_KHZ, 16, U64, "clock-khz", "highest clock of a unit, kHz")                               \
  X(PCI_ADDRESS, 17, STRING, "pci-address", "0000:01:00.0")                                        \
  X(STREAM_ORDERED_MEMORY, 18, U64, "stream-ordered-memory", "whether allocate and free queue")    \
  X(MATRIX_SHAPES, 19, STRING, "matrix-shapes", "matrix instructions: m16n8k16:f16,bf16;…")        \
  X(UNIFIED_MEMORY, 20, U64, "unified-memory", "whether the host can use device addresses")        \
  X(BINARY_COMPATIBILITY, 21, STRING, "binary-compatibility", "of what finalize_artifact gives")   \
  X(MAX_CLUSTER, 22, U64, "max-cluster", "programs of one cluster; lacking: 1. Since 1.4")         \
  X(LAUNCH_RANGES, 23, U64, "launch-ranges", "whether launches use .ranges. Since 1.4")            \
  X(FALLBACK, 24, U64, "fallback", "whether any other device is a better default. Since 1.4")      \
  X(SURVIVES_FORK, 25, U64, "survives-fork", "whether a forked child may use it. Since 1.4")       \
  X(RUNS_ON_HOST, 26, U64, "runs-on-host", "whether the host's cores run its kernels. Since 1.4")  \
  X(USES_SMALL, 27, U64, "uses-small", "whether code is better for small memory. Since 1.4")

/* Properties of loaded kernels, in the same form. */
#define TILERUN_KERNEL_PROPERTY_LIST(X)                                                            \
  X(REGISTERS, 1, U64, "registers", "of one thread")                                               \
  X(STATIC_SHARED, 2, U64, "static-shared", "bytes, without what a launch adds")                   \
  X(LOCAL_BYTES, 3, U64, "local-bytes", "of one thread, spills among them")                        \
  X(MAX_THREADS, 4, U64, "max-threads", "that one program may have")                               \
  X(BLOCKS, 5, U64, "blocks",                                                                      \
    "of threads, on which one program runs. The library answers, from its details. Since 1.4")

enum {
#define TILERUN_PROPERTY_ENUMERATOR(name, number, type, word, unit)                                \
  TILERUN_DEVICE_PROPERTY_##name = number,
  TILERUN_DEVICE_PROPERTY_LIST(TILERUN_PROPERTY_ENUMERATOR)
#undef TILERUN_PROPERTY_ENUMERATOR
#define TILERUN_PROPERTY_ENUMERATOR(name, number, type, word, unit)                                \
  TILERUN_KERNEL_PROPERTY_##name = number,
      TILERUN_KERNEL_PROPERTY_LIST(TILERUN_PROPERTY_ENUMERATOR)
#undef TILERUN_PROPERTY_ENUMERATOR
};

typedef struct TilerunPropertyValue {
  uint32_t struct_size; /* Set by the caller. */
  uint32_t type;        /* TILERUN_VALUE_*; says which of the two is set. */
  uint64_t number;
  const char *string;
} TilerunPropertyValue;

/*===--------------------------------------------------------------------------------------------===
 * Artifacts
 *===--------------------------------------------------------------------------------------------===*/

enum { TILERUN_ARGUMENT_POINTER = 1, TILERUN_ARGUMENT_INTEGER = 2, TILERUN_ARGUMENT_FLOAT = 3 };

/* One parameter of a kernel; its size is fixed. In a launch's packed arguments it has `bits / 8`
 * bytes, at the next multiple of that; a boolean (1 bit) has one byte. */
typedef struct TilerunPluginParameter {
  uint32_t struct_size;
  uint16_t kind;    /* TILERUN_ARGUMENT_* */
  uint16_t bits;    /* 64 for pointers; 1, 8, 16, 32, 64 for integers; 16, 32, 64 for floats. */
  const char *name; /* In the source; "" if it is not known. */
} TilerunPluginParameter;

/* One kernel of an artifact; its size is fixed. */
typedef struct TilerunPluginKernelInfo {
  uint32_t struct_size;
  uint32_t num_parameters;
  const char *name;
  const TilerunPluginParameter *parameters; /* `num_parameters` of them. */
  uint32_t threads; /* Of one program, whatever num-warps was: warps with roles of their own add to
                       it. What a launch must say. */
  uint32_t shared_bytes; /* Of one program; what a launch must say. */
} TilerunPluginKernelInfo;

/* One step of computing the words of a derived parameter; its size is fixed. Steps work on a stack
 * of 64-bit integers that wrap; it is empty before the first and after the last. Since 1.4. */
typedef struct TilerunPluginStep {
  uint32_t operation; /* TILERUN_STEP_* */
  uint32_t reserved;  /* 0 */
  int64_t value;
} TilerunPluginStep;

enum {
  TILERUN_STEP_CONSTANT = 1, /* Pushes `value`. */
  TILERUN_STEP_ARGUMENT = 2, /* Pushes the argument of parameter `value`: an address, or an integer,
                                sign-extended. */
  TILERUN_STEP_GRID = 3,     /* Pushes the caller's programs on axis `value`. */
  TILERUN_STEP_ADD = 4,      /* This and the next ones pop b, then a, and push a + b, */
  TILERUN_STEP_SUBTRACT = 5, /* a - b, */
  TILERUN_STEP_MULTIPLY = 6, /* a * b, */
  TILERUN_STEP_CEIL_DIVIDE = 7, /* a / b, rounded up; a launch with b < 1 is refused; */
  TILERUN_STEP_MINIMUM = 8,     /* the lesser, */
  TILERUN_STEP_MAXIMUM = 9,     /* the greater. */
  TILERUN_STEP_WORD = 10,       /* Pops the next word. */
  /* Pops a number. If it is negative, the kernel was not compiled for such arguments: the host
   * compiles it again with the option "tma" as "off", or refuses the launch. */
  TILERUN_STEP_REQUIRE = 11
};

/* A kernel parameter without an argument: the host computes words from the arguments and the grid
 * of each launch, and the plugin makes the parameter from them, such as a tensor map from an
 * address, extents and strides. Derived parameters follow those of the source, in their order;
 * the plugin decides their place and size. Since 1.4. */
typedef struct TilerunPluginDerived {
  uint32_t struct_size;
  uint32_t num_words; /* Number that its steps produce. */
  const char *form;   /* What to make of the words, a name of the plugin's. "words": themselves. */
  const TilerunPluginStep *steps; /* `num_steps` of them. */
  uint32_t num_steps;
  uint32_t reserved; /* 0 */
} TilerunPluginDerived;

enum {
  TILERUN_GRID_AS_GIVEN = 0,
  /* The kernel loops over programs: of the n that the caller asks for, min(n, UNITS *
   * programs_per_unit) are launched on axis x, as whole clusters. The kernel gets the caller's
   * grid as a derived parameter. */
  TILERUN_GRID_PERSISTENT = 1,
  /* Each program runs on a cluster of cluster[0] blocks (threads and shared memory are those of
   * one): as many times the programs are launched on axis x. A flag, also beside
   * TILERUN_GRID_PERSISTENT, where UNITS * programs_per_unit counts blocks. Since 1.4. */
  TILERUN_GRID_BLOCKS = 2
};

/* More about one kernel of an artifact. All 0: an ordinary one. Since 1.4. */
typedef struct TilerunPluginKernelDetails {
  uint32_t struct_size;
  uint32_t num_derived;
  const TilerunPluginDerived *const *derived; /* `num_derived` pointers. */
  uint32_t lanes; /* Of a warp, as the code assumes; divides `threads`. 0: unknown. */
  /* Programs of a cluster on each axis, of which grids are multiples; 0: 1. With
   * TILERUN_GRID_BLOCKS the blocks of a program, on axis x alone. */
  uint32_t cluster[3];
  uint32_t grid_policy;       /* TILERUN_GRID_* */
  uint32_t programs_per_unit; /* With TILERUN_GRID_PERSISTENT; at least 1. */
} TilerunPluginKernelDetails;

/* Compiled code, with the data needed to load and launch it. A caller may make one from stored
 * bytes; the plugin that reads it does not own it. */
typedef struct TilerunPluginArtifact {
  uint32_t struct_size;
  uint32_t num_kernels;
  const uint8_t *bytes; /* The format is the plugin's own. */
  uint64_t num_bytes;
  const char *compatibility; /* What it runs on, in the plugin's own words: "cuda:ptx-8.0:sm_80". */
  const TilerunPluginKernelInfo *kernels; /* `num_kernels` of them. */
  /* Null, or one pointer for each kernel, which may be null. Since 1.4. */
  const TilerunPluginKernelDetails *const *details;
} TilerunPluginArtifact;

/* A form of a kernel on its way to code, for people and tools. Since 1.4. */
typedef struct TilerunPluginPhase {
  uint32_t struct_size;
  uint32_t flags;          /* TILERUN_PHASE_* */
  const char *name;        /* Value of the option "emit": "ptx". [a-z0-9-]+ */
  const char *description; /* A few words. */
  const char *comment;     /* What begins a line that is a comment: "//"; null if there is none. */
} TilerunPluginPhase;

enum {
  TILERUN_PHASE_BINARY = 1, /* Bytes; else text in UTF-8. */
  /* With the option "locations" as "true" the text names the place of each operation in the
   * kernel's source. */
  TILERUN_PHASE_LOCATIONS = 2
};

/* One option of a compilation; its size is fixed. */
typedef struct TilerunPluginOption {
  /* "num-warps", "num-stages", "maxnreg", "debug", "opt-level", …; "emit" is the name of a phase,
   * which then is all that the artifact's bytes are; "locations" goes with it. */
  const char *name;
  const char *value; /* "4", "true". */
} TilerunPluginOption;

typedef struct TilerunPluginCompileRequest {
  uint32_t struct_size;
  uint32_t num_options;
  const uint8_t *bytecode; /* MLIR bytecode of a module in the `tile` dialect. */
  uint64_t num_bytes;
  const char *target;                 /* "cuda:sm_90a" */
  const TilerunPluginOption *options; /* An unknown one is an error. */
} TilerunPluginCompileRequest;

/*===--------------------------------------------------------------------------------------------===
 * Memory and launches
 *===--------------------------------------------------------------------------------------------===*/

/* What the driver knows about an address. */
typedef struct TilerunPluginPointerInfo {
  uint32_t struct_size;  /* Set by the caller. */
  uint32_t accessible;   /* Whether this device may use it. */
  TilerunAddress base;   /* Of the allocation. */
  uint64_t num_bytes;    /* Of the allocation. */
  uint32_t on_host;      /* Whether it is pinned host memory. */
  uint32_t other_device; /* Whether it is another device's. */
} TilerunPluginPointerInfo;

/* Flags of launches, of the plugin ABI since 1.2 and of the C API since 1.4. */
enum {
  /* The grid may begin while the previous one on the stream still runs, once each program of that
   * has ended or called `gdc_launch_dependents`. The kernel promises to wait (`gdc_wait`)
   * before it touches memory that earlier work of the stream uses. This permits overlap without
   * requiring it: a device that cannot overlap grids runs them one after the other, with the same
   * results. */
  TILERUN_LAUNCH_OVERLAP = 1,
  /* A device that checks the addresses of kernels (the plugin "cpu") does not. Since 1.3 of the
   * plugin ABI and 1.5 of the C API. */
  TILERUN_LAUNCH_NO_BOUNDS_CHECKS = 2,
  /* Only from the runtime to a plugin: pointers may point to host memory that the plugin did not
   * allocate. Since 1.3. */
  TILERUN_LAUNCH_HOST_MEMORY = 4,
  /* A device that checks the addresses of kernels does, even if TILERUN_BOUNDS_CHECKS in the
   * environment turns that off where the host does not decide. Since 1.4 of the plugin ABI and 1.9
   * of the C API; a plugin built for an earlier version does not look at it, so that there the
   * environment decides. */
  TILERUN_LAUNCH_BOUNDS_CHECKS = 8
};

/* A kernel may be compiled for pointers to small memory (":small" in signatures): of at most so
 * many bytes, of which at most TILERUN_SMALL_BEFORE lie before the pointer. Launches on devices
 * with the property USES_SMALL are, where the extent of the memory is known. */
#define TILERUN_SMALL_BYTES 0x7fffffffu
#define TILERUN_SMALL_BEFORE 0x7ff00000u

/* What a kernel may touch through one pointer of a launch; its size is fixed. All 0: not known. */
typedef struct TilerunMemoryRange {
  TilerunAddress begin; /* 0: not known. */
  uint64_t num_bytes;
  /* Of the tensor that begins at the pointer, for messages: `rank` numbers of elements each. Null
   * where they are not known. */
  const int64_t *shape;
  const int64_t *strides;
  uint32_t rank;
  uint32_t reserved; /* 0 */
} TilerunMemoryRange;

typedef struct TilerunPluginLaunch {
  uint32_t struct_size;
  uint32_t grid[3];      /* Programs, x first; none may be 0. */
  uint32_t threads;      /* Of one program. */
  uint32_t shared_bytes; /* Of one program. */
  const void *arguments; /* Packed as TilerunPluginParameter says; copied before return. */
  uint64_t num_bytes;    /* Of `arguments`; a wrong size is an error, not a fault. */
  uint32_t flags;        /* TILERUN_LAUNCH_*; a plugin ignores what it does not know. Since 1.2. */
  uint32_t reserved;     /* 0 */
  /* Null, or one for each parameter. A plugin that checks the addresses of kernels ends a launch
   * whose kernel leaves them. Since 1.3. */
  const TilerunMemoryRange *ranges;
  /* The words of each derived parameter. Null if the kernel has none. Since 1.4. */
  const uint64_t *const *derived;
  uint32_t cluster[3]; /* Programs of a cluster, of which `grid` is a multiple; 0: 1. Since 1.4. */
  uint32_t reserved2;  /* 0 */
} TilerunPluginLaunch;

enum {
  TILERUN_EVENT_TIMING = 1 /* Of create_event: the event can be used in elapsed_time. */
};

/* Kernels with a fixed meaning, by which a device can be tested without a compiler. X(name, text)
 * with the parameters in the order of the text. Thread i of program p has the index
 * p * threads + i. */
#define TILERUN_SELF_TEST_LIST(X)                                                                  \
  X(tilerun_test_add, "out, a, b: pointers to int32; n: i32. out[i] = a[i] + b[i] if i < n")       \
  X(tilerun_test_arguments, "out: pointer to uint64; i8; i16; i32; i64; f16; f32; f64. out[k] = "  \
                            "bits of argument k + 1, zero-extended")                               \
  X(tilerun_test_grid, "out: pointer to int32. Program (x, y, z) of the grid (X, Y, Z) sets "      \
                       "out[(z * Y + y) * X + x] to x + 1024 * y + 1048576 * z")                   \
  X(tilerun_test_delay, "out: pointer to int32; ns: i64. Waits that long, then out[0] += 1")       \
  X(tilerun_test_fault, "address: pointer. Writes to it whatever it is; the device is lost")

/* The same for devices that can do what their details say. Since 1.4. */
#define TILERUN_DETAIL_TEST_LIST(X)                                                                \
  X(tilerun_test_persistent,                                                                       \
    "out: pointer to int32; n: i32. Derived, as words: the grid (X, Y, Z), and min(n, X * Y * "    \
    "Z). "                                                                                         \
    "Persistent. Program p of P sets out[v] to p + 1 for v = p, p + P, … below the last word")     \
  X(tilerun_test_cluster,                                                                          \
    "out: pointer to int32. Clusters of (2, 1, 1). Program x sets out[x] to "                      \
    "its place in its cluster")

/*===--------------------------------------------------------------------------------------------===
 * The table
 *===--------------------------------------------------------------------------------------------===*/

enum { TILERUN_LOG_DEBUG = 0, TILERUN_LOG_INFO = 1, TILERUN_LOG_WARNING = 2 };

/* What the host offers. It outlives the plugin. */
typedef struct TilerunPluginHost {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved; /* 0 */
  void *user;
  /* Takes one line without its end; from any thread. May be null. */
  void (*log)(void *user, int32_t level, const char *text);
} TilerunPluginHost;

typedef struct TilerunPlugin {
  /* These three come first in every major version. */
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;

  uint32_t required_host_minor; /* Lowest minor version of a host that suffices. */
  const char *name;             /* The kind of its targets and devices: "cuda". [a-z0-9_-]+ */
  const char *version;          /* Its own: "0.1.0". */
  const char *description;      /* One line. */

  /* -- Compiling; needs no device and no driver. --------------------------------------------- */

  /* Calls back with each target that `compile` knows, as "kind:arch". */
  TilerunStatus (*get_targets)(void (*each)(void *user, const char *target), void *user,
                               const TilerunErrorSink *error);
  /* Compiles. `*artifact` is released by release_artifact. The same request gives the same bytes.
   * COMPILE carries the diagnostics, with positions in the kernel's source. */
  TilerunStatus (*compile)(const TilerunPluginCompileRequest *request,
                           const TilerunPluginArtifact **artifact, const TilerunErrorSink *error);
  /* Gives one of the kernels of TILERUN_SELF_TEST_LIST; NOT_FOUND for a name it does not have. */
  TilerunStatus (*get_self_test)(const char *name, const TilerunPluginArtifact **artifact,
                                 const TilerunErrorSink *error);
  /* Null is ignored. */
  void (*release_artifact)(const TilerunPluginArtifact *artifact);

  /* -- Devices. ------------------------------------------------------------------------------ */

  /* Calls back with each device, in the order of their ordinals. If there is none, UNAVAILABLE with
   * the reason: the library that was not found, the version found and the one needed, or that the
   * driver shows no device. Each call enumerates again. Never null. */
  TilerunStatus (*get_devices)(TilerunDeviceCallback each, void *user,
                               const TilerunErrorSink *error);
  /* Opens a device; several openings of one device are independent handles. `options` may be null.
   */
  TilerunStatus (*open_device)(uint32_t ordinal, const TilerunPluginOpenOptions *options,
                               TilerunPluginDevice **device, const TilerunErrorSink *error);
  /* Waits for nothing: synchronize before. Allowed on a lost device. Null is ignored. */
  void (*close_device)(TilerunPluginDevice *device);
  /* OK, or DEVICE_LOST with what lost it. */
  TilerunStatus (*get_device_state)(TilerunPluginDevice *device, const TilerunErrorSink *error);
  /* UNSUPPORTED for a property that this device lacks. */
  TilerunStatus (*get_device_property)(TilerunPluginDevice *device, uint32_t property,
                                       TilerunPropertyValue *value, const TilerunErrorSink *error);
  /* The driver's own context, for interoperation (a CUcontext); 0 if it has none. */
  TilerunStatus (*get_native_context)(TilerunPluginDevice *device, uint64_t *context,
                                      const TilerunErrorSink *error);
  /* Waits until all work of the device is done. Reports faults of that work. */
  TilerunStatus (*synchronize_device)(TilerunPluginDevice *device, const TilerunErrorSink *error);

  /* -- Memory. ------------------------------------------------------------------------------- */

  /* Allocates at least `bytes` (0 counts as 1), aligned to at least 256, for later work on
   * `stream`, and for other streams once they are ordered after it. Stream-ordered if the device
   * says so; otherwise the memory is available at once. */
  TilerunStatus (*allocate)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                            uint64_t bytes, TilerunAddress *address, const TilerunErrorSink *error);
  /* Frees once the work so far on `stream` is done. 0 is ignored; an address that `allocate` did
   * not return is INVALID_ARGUMENT. */
  TilerunStatus (*free)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                        TilerunAddress address, const TilerunErrorSink *error);
  /* Host memory that the device copies to and from without staging. */
  TilerunStatus (*allocate_host)(TilerunPluginDevice *device, uint64_t bytes, void **pointer,
                                 const TilerunErrorSink *error);
  TilerunStatus (*free_host)(TilerunPluginDevice *device, void *pointer,
                             const TilerunErrorSink *error);
  /* Copies. Ranges do not overlap. Host memory must stay until the stream has passed the copy; with
   * memory that is not pinned the call may wait for that itself. Copies and fills of 0 bytes do
   * nothing and ignore the addresses. */
  TilerunStatus (*copy_to_device)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, const void *from, uint64_t bytes,
                                  const TilerunErrorSink *error);
  TilerunStatus (*copy_from_device)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                    void *to, TilerunAddress from, uint64_t bytes,
                                    const TilerunErrorSink *error);
  TilerunStatus (*copy_on_device)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, TilerunAddress from, uint64_t bytes,
                                  const TilerunErrorSink *error);
  /* Between two devices of this plugin; on a stream of `device`, which owns `to`. */
  TilerunStatus (*copy_from_peer)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, TilerunPluginDevice *peer, TilerunAddress from,
                                  uint64_t bytes, const TilerunErrorSink *error);
  /* Repeats the lowest `pattern_bytes` (1, 2 or 4) of `pattern` over `bytes`, a multiple of it. */
  TilerunStatus (*fill)(TilerunPluginDevice *device, TilerunPluginStream *stream, TilerunAddress to,
                        uint32_t pattern, uint32_t pattern_bytes, uint64_t bytes,
                        const TilerunErrorSink *error);
  /* About any address, foreign ones too; INVALID_ARGUMENT if the driver does not know it. */
  TilerunStatus (*get_pointer_info)(TilerunPluginDevice *device, TilerunAddress address,
                                    TilerunPluginPointerInfo *info, const TilerunErrorSink *error);

  /* -- Streams and events. ------------------------------------------------------------------- */

  TilerunStatus (*create_stream)(TilerunPluginDevice *device, TilerunPluginStream **stream,
                                 const TilerunErrorSink *error);
  /* Wraps a stream of the driver's (a CUstream, 0 and the special values too), which stays the
   * caller's and must outlive the handle. */
  TilerunStatus (*adopt_stream)(TilerunPluginDevice *device, uint64_t native,
                                TilerunPluginStream **stream, const TilerunErrorSink *error);
  TilerunStatus (*get_native_stream)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                     uint64_t *native, const TilerunErrorSink *error);
  /* Work that was put on it still runs. Null is ignored. */
  void (*destroy_stream)(TilerunPluginStream *stream);
  TilerunStatus (*synchronize_stream)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                      const TilerunErrorSink *error);
  /* OK if all its work is done, else NOT_READY. */
  TilerunStatus (*query_stream)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                const TilerunErrorSink *error);
  /* `flags`: TILERUN_EVENT_*. An event that was never recorded counts as done. */
  TilerunStatus (*create_event)(TilerunPluginDevice *device, uint32_t flags,
                                TilerunPluginEvent **event, const TilerunErrorSink *error);
  void (*destroy_event)(TilerunPluginEvent *event); /* Null is ignored. */
  /* Marks the work so far on `stream`; recording again moves the mark. */
  TilerunStatus (*record_event)(TilerunPluginEvent *event, TilerunPluginStream *stream,
                                const TilerunErrorSink *error);
  /* Later work on `stream` waits for the event as it is recorded now. The streams may be of
   * different devices of one plugin. */
  TilerunStatus (*wait_event)(TilerunPluginDevice *device, TilerunPluginStream *stream,
                              TilerunPluginEvent *event, const TilerunErrorSink *error);
  TilerunStatus (*synchronize_event)(TilerunPluginEvent *event, const TilerunErrorSink *error);
  TilerunStatus (*query_event)(TilerunPluginEvent *event, const TilerunErrorSink *error);
  /* Milliseconds between two events with timing; NOT_READY until both have passed,
   * INVALID_ARGUMENT if one has no timing or was never recorded. */
  TilerunStatus (*elapsed_time)(TilerunPluginEvent *start, TilerunPluginEvent *end,
                                double *milliseconds, const TilerunErrorSink *error);

  /* -- Modules and launches. ----------------------------------------------------------------- */

  /* Whether an artifact with this compatibility string can be loaded: OK, or INCOMPATIBLE with the
   * reason. */
  TilerunStatus (*check_compatibility)(TilerunPluginDevice *device, const char *compatibility,
                                       const TilerunErrorSink *error);
  /* Loads; the artifact is not needed afterwards. COMPILE carries the driver's log. */
  TilerunStatus (*load_module)(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                               TilerunPluginModule **module, const TilerunErrorSink *error);
  /* No launch of its kernels may be in flight. Null is ignored. */
  void (*unload_module)(TilerunPluginModule *module);
  /* NOT_FOUND lists the kernels of the module. */
  TilerunStatus (*get_kernel)(TilerunPluginModule *module, const char *name,
                              TilerunPluginKernel **kernel, const TilerunErrorSink *error);
  TilerunStatus (*get_kernel_property)(TilerunPluginKernel *kernel, uint32_t property,
                                       TilerunPropertyValue *value, const TilerunErrorSink *error);
  /* Launches one grid on `stream`. A successful call allocates nothing and takes no lock, unless
   * the device is synchronous and runs the grid before the call returns. A fault of the kernel
   * shows at the next call that waits for the stream. */
  TilerunStatus (*launch)(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                          const TilerunPluginLaunch *launch, const TilerunErrorSink *error);

  /* -- Since 1.1. ---------------------------------------------------------------------------- */

  /* Everything besides the request that determines the result of `compile`: the compiler's version
   * and build. It is part of cache keys; if it is null or "", nothing is cached on disk. */
  const char *compiler_version;
  /* Compiles an artifact completely for this device and its driver, so that loading it compiles
   * nothing: PTX becomes a binary. The result has the same kernels, and the compatibility string
   * of the property BINARY_COMPATIBILITY, which names the driver's version and the architecture.
   * An artifact that is already a binary, or that would be slower as one, is copied. `*out` is
   * released by release_artifact. COMPILE carries the driver's log. Loading the original artifact
   * always works too, only slower. */
  TilerunStatus (*finalize_artifact)(TilerunPluginDevice *device,
                                     const TilerunPluginArtifact *artifact,
                                     const TilerunPluginArtifact **out,
                                     const TilerunErrorSink *error);

  /* -- Since 1.4. ---------------------------------------------------------------------------- */

  /* Calls back with each phase that the option "emit" takes for a target, the most useful one
   * first. INVALID_ARGUMENT for a target that `compile` does not know. If it is null, the phases
   * are unknown. */
  TilerunStatus (*get_phases)(const char *target,
                              void (*each)(void *user, const TilerunPluginPhase *phase), void *user,
                              const TilerunErrorSink *error);
} TilerunPlugin;

/* The only exported symbol. It returns a table that lives as long as the plugin is loaded, and does
 * nothing slow: it does not open the driver. It is called once, and may return null if it does
 * not support the host's version. A returned table never changes. */
#define TILERUN_PLUGIN_ENTRY "tilerunPluginEntry"
typedef const TilerunPlugin *(*TilerunPluginEntry)(const TilerunPluginHost *host);

#if defined(__GNUC__)
#define TILERUN_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define TILERUN_PLUGIN_EXPORT
#endif
TILERUN_PLUGIN_EXPORT const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host);

/* Where each struct ends, so that it is not changed by accident. Pointers of 64 bits. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define TILERUN_ASSERT_LAST(type, field, end)                                                      \
  static_assert(                                                                                   \
      sizeof(void *) != 8 ||                                                                       \
          (offsetof(type, field) + sizeof(((type *)0)->field) == (end) && sizeof(type) == (end)),  \
      #type " changed")
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TILERUN_ASSERT_LAST(type, field, end)                                                      \
  _Static_assert(                                                                                  \
      sizeof(void *) != 8 ||                                                                       \
          (offsetof(type, field) + sizeof(((type *)0)->field) == (end) && sizeof(type) == (end)),  \
      #type " changed")
#else
#define TILERUN_ASSERT_LAST(type, field, end) typedef int tilerun_assert_##type
#endif
TILERUN_ASSERT_LAST(TilerunErrorInfo, message, 40);
TILERUN_ASSERT_LAST(TilerunErrorSink, report, 24);
TILERUN_ASSERT_LAST(TilerunPluginDeviceInfo, target, 40);
TILERUN_ASSERT_LAST(TilerunPluginOpenOptions, foreign_context, 16);
TILERUN_ASSERT_LAST(TilerunPropertyValue, string, 24);
TILERUN_ASSERT_LAST(TilerunPluginParameter, name, 16);
TILERUN_ASSERT_LAST(TilerunPluginKernelInfo, shared_bytes, 32);
TILERUN_ASSERT_LAST(TilerunPluginStep, value, 16);
TILERUN_ASSERT_LAST(TilerunPluginDerived, reserved, 32);
TILERUN_ASSERT_LAST(TilerunPluginKernelDetails, programs_per_unit, 40);
TILERUN_ASSERT_LAST(TilerunPluginArtifact, details, 48); /* 40 in 1.3 */
TILERUN_ASSERT_LAST(TilerunPluginPhase, comment, 32);
TILERUN_ASSERT_LAST(TilerunPluginCompileRequest, options, 40);
TILERUN_ASSERT_LAST(TilerunPluginPointerInfo, other_device, 32);
TILERUN_ASSERT_LAST(TilerunMemoryRange, reserved, 40);
TILERUN_ASSERT_LAST(TilerunPluginLaunch, reserved2, 80); /* 56 in 1.3, 48 in 1.2, 40 in 1.1 */
TILERUN_ASSERT_LAST(TilerunPluginHost, log, 32);
TILERUN_ASSERT_LAST(TilerunPlugin, get_phases, 384); /* 376 in 1.1, 360 in 1.0 */
#undef TILERUN_ASSERT_LAST

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TILERUN_PLUGIN_H */
