/* Tilerun's C API: find devices, load kernels from source, launch them. `libtilerun.so` exports it;
 * `tilerun.hpp` is the same for C++. It is C99 and C++, and shares statuses, property lists and
 * value types with the plugin ABI (plugin.h).
 *
 * Rules
 *
 * Status. A function that can fail returns a TilerunStatus. Unless that is OK or NOT_READY, the
 *   calling thread's error (tilerunGetError) says what failed; a failed call has changed nothing
 *   and written nothing through its out parameters, unless its comment says otherwise. An error of
 *   one thread is never seen by another.
 * Threads. Each function's comment ends with one of: [any thread]: callable from any thread at any
 *   time, on the same handles too; [exclusive]: callable from any thread, but nobody else may use
 *   the handle (or the runtime's error text) at that time. Work on one stream takes the order in
 *   which the calls return.
 * Ownership. A handle that a function creates is the caller's and is released by the function named
 *   next to its type. Releasing null does nothing. Handles keep what they depend on: a
 *   device lives until the last of its streams and events is released, so the order of releases
 *   does not matter. Returned strings belong to the handle; passed strings are used only until the
 *   function returns.
 * Forks. A child may use what its parent has made, unless another thread was in a call at the fork
 *   for longer than half a second: then each call in it is UNAVAILABLE, and releasing does nothing.
 *   So it is on devices without the property SURVIVES_FORK that the parent had opened.
 * Exceptions. None leaves a function. A callback's ends the call with INTERNAL.
 * Reserved fields are 0; others are INVALID_ARGUMENT.
 * Sizes and units. Sizes are bytes, times are milliseconds, grids count programs (x first).
 *   Addresses are byte addresses in device memory.
 * Structs that open with `struct_size` are set to `sizeof` by their creator; a later minor
 *   version adds fields at the end only. A size below that of version 1.0 is INVALID_ARGUMENT (0 is
 *   a struct that nobody filled in). TilerunArgument is an array's element and never changes.
 * Order. Copies, fills, launches, allocations and events take the order of their stream and return
 *   at once, unless the comment says that they wait.
 * Loss. After a fault that the driver cannot contain, calls on the device return DEVICE_LOST with
 *   the reason. To recover, release its streams and events, close it (kernels may stay), and open
 *   it again. Its memory is lost; devices of other plugins stay usable. A driver may refuse a
 *   process that lost a device (CUDA's does, for all its devices): then opening one says so, and
 *   only a new process helps. Releases and frees still work on a lost device; an allocation is
 *   refused.
 * Trust. Everything that a host passes is checked (handles for null, sizes, ranges, pointers of
 *   launches). What a kernel does with valid pointers is checked only on the CPU: an access outside
 *   the allocation that its pointer came from is suppressed, and ends the launch with a fault.
 *   TilerunCompileOptions.checks finds more.
 *
 * Changelog
 *   1.10 TilerunTuneOptions.num_threads and .waiting: configurations are compiled by several
 *        threads; TILERUN_TUNE_COMPILE; TilerunTuneProgress.num_done and what follows it;
 *        tilerunDescribeCode; launches are specialized on small memory
 *   1.9  TILERUN_LAUNCH_BOUNDS_CHECKS; the stage "writes" of tilerunEmitKernel;
 *        TilerunCompileOptions.debug of 2
 *   1.8  tilerunLaunchSpecializedWith
 *   1.7  TilerunTuneOptions.launches: flags of the launches that are measured, and the memory
 *        behind their pointers
 *   1.6  TilerunCompileOptions.options: the target's own options
 *   1.5  TilerunRuntimeOptions.flags: plugins that others can change; tilerunGetCompilerKey;
 *        kernels on the CPU are checked for out-of-bounds accesses;
 *        TilerunLaunchOptions.ranges, TILERUN_LAUNCH_NO_BOUNDS_CHECKS
 *   1.4  TilerunLaunchOptions.flags: launches that overlap
 *   1.3  tilerunLaunchTold
 *   1.2  tilerunLoadKernelSources, tilerunDescribeArguments, tilerunEmitKernel,
 *        tilerunListLanguage, tilerunTuneKernel, TILERUN_DEVICE_HOST_MEMORY,
 *        TilerunCompileOptions.maxnreg and .num_ctas
 *   1.1  TilerunCompileOptions.checks. Refused, as said before: struct sizes below 1.0's, unknown
 *        flags, plugins without a path, booleans other than 0 and 1, numbers of warps and
 *        stages that no device takes, copies and fills that leave an allocation of the pool
 *   1.0  first version
 */
#ifndef TILERUN_TILERUN_H
#define TILERUN_TILERUN_H

#include "plugin.h"

#define TILERUN_API_MAJOR 1
#define TILERUN_API_MINOR 10

#if defined(__GNUC__)
#define TILERUN_API __attribute__((visibility("default")))
#else
#define TILERUN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TilerunRuntime TilerunRuntime;               /* tilerunDestroyRuntime */
typedef struct TilerunDevice TilerunDevice;                 /* tilerunCloseDevice */
typedef struct TilerunStream TilerunStream;                 /* tilerunDestroyStream */
typedef struct TilerunEvent TilerunEvent;                   /* tilerunDestroyEvent */
typedef struct TilerunKernel TilerunKernel;                 /* tilerunReleaseKernel */
typedef struct TilerunSpecialization TilerunSpecialization; /* tilerunReleaseSpecialization */

/*===--------------------------------------------------------------------------------------------===
 * Version and errors
 *===--------------------------------------------------------------------------------------------===*/

/* Major and minor version of the loaded library: major << 16 | minor. [any thread] */
TILERUN_API uint32_t tilerunGetVersion(void);

/* "out of memory"; "unknown status" for a number that this version does not know. Static.
 * [any thread] */
TILERUN_API const char *tilerunGetStatusName(TilerunStatus status);

/* The message of the last failed call on this thread, for people; compile errors carry the
 * diagnostics with source lines and carets. "" if none failed. Lives until the next failed call on
 * this thread, or the thread's end. [any thread] */
TILERUN_API const char *tilerunGetErrorMessage(void);

/* The same in parts; `error->struct_size` is set by the caller. Returns its status, OK if no call
 * failed; INVALID_ARGUMENT for a `struct_size` that is too small, which leaves the thread's error
 * as it is. [any thread] */
TILERUN_API TilerunStatus tilerunGetError(TilerunErrorInfo *error);

/*===--------------------------------------------------------------------------------------------===
 * Runtime: plugins and devices
 *===--------------------------------------------------------------------------------------------===*/

enum { /* Others are INVALID_ARGUMENT. */
       /* Plugins are loaded even if users other than this one and root can modify their files or
        * folders; as TILERUN_PLUGIN_TRUST=all in the environment. Since 1.5. */
       TILERUN_RUNTIME_TRUST_PLUGINS = 1
};

typedef struct TilerunRuntimeOptions {
  uint32_t struct_size;
  uint32_t num_plugins;
  const char *const *plugins; /* Plugin files to load first; `num_plugins` of them. */
  const char *plugin_path;    /* Instead of TILERUN_PLUGIN_PATH; null: the environment's. */
  const char *cache_folder;   /* Of compiled kernels; null: the default one, "": none. The
                                 environment's TILERUN_CACHE=off and _SIZE hold for either. */
  void *user; /* Of `log`. Lives until the runtime is destroyed and the last kernel that was loaded
                 through it (bound ones too) is released. */
  /* Receives compiler warnings, compile-time output of kernels, and messages of the cache; from any
   * thread, several at once. Null: warnings and output go to stderr. The default
   * cache is the process's: its messages go to every live runtime that uses it, or to stderr if
   * there is none. `log` is called in the middle of a load or a launch: it must not launch the
   * kernel that is being compiled (refused with INVALID_ARGUMENT if the arguments are the same),
   * release it, or wait for a thread that does; other kernels may be used. */
  void (*log)(void *user, int32_t level /* TILERUN_LOG_* */, const char *text);
  uint32_t flags;    /* TILERUN_RUNTIME_*. Since 1.5. */
  uint32_t reserved; /* 0 */
} TilerunRuntimeOptions;

/* Makes a runtime; `options` may be null. Plugins are not searched for until a
 * device or a list is first asked for. Any number of runtimes may exist. [any thread] */
TILERUN_API TilerunStatus tilerunCreateRuntime(const TilerunRuntimeOptions *options,
                                               TilerunRuntime **runtime);
/* Devices and kernels that came from it stay usable. [exclusive] */
TILERUN_API void tilerunDestroyRuntime(TilerunRuntime *runtime);

/* Loads one more plugin, into this process and without a trial in a child process.
 * INCOMPATIBLE with the reason if it cannot be used, or if users other than this one and root can
 * modify the file. [any thread] */
TILERUN_API TilerunStatus tilerunLoadPlugin(TilerunRuntime *runtime, const char *path);

/* A plugin file that was looked at. The strings live until the callback returns. */
typedef struct TilerunPluginFile {
  uint32_t struct_size;
  uint32_t loaded; /* Whether it is used. */
  const char *path;
  const char *name;    /* "cuda"; "" if it was skipped. */
  const char *version; /* "" if it was skipped. */
  const char *reason;  /* Why it was skipped, or has no device; "" otherwise. */
} TilerunPluginFile;

/* Calls back with each plugin file found, in the order of the search: those named by the caller,
 * the search path's, the built-in ones. The callback must not call into this runtime.
 * [any thread] */
TILERUN_API TilerunStatus tilerunListPlugins(
    TilerunRuntime *runtime, void (*each)(void *user, const TilerunPluginFile *file), void *user);

/* Gives 64 hexadecimal digits that identify the compilers of this runtime: the builds of this
 * library, of the plugins that it has found, and of their compilers. For the keys of a host's own
 * caches of compiled code. The text lives
 * until the callback returns, which must not call into this runtime. Since 1.5. [any thread] */
TILERUN_API TilerunStatus tilerunGetCompilerKey(TilerunRuntime *runtime,
                                                void (*take)(void *user, const char *key),
                                                void *user);

/* Calls back with each device that there is now; plugins are asked again each time. The callback
 * must not call into this runtime. [any thread] */
TILERUN_API TilerunStatus tilerunListDevices(TilerunRuntime *runtime, TilerunDeviceCallback each,
                                             void *user);

enum { /* Others are INVALID_ARGUMENT. */
       /* Every allocation goes to the driver, and is freed there: for memory checkers. The
        * environment's TILERUN_MEMORY_POOL=0 means the same for all devices. */
       TILERUN_DEVICE_NO_MEMORY_POOL = 1,
       /* Launches accept any host memory, in place and unchecked. For devices of the plugin "cpu",
        * whose launches finish before they return; others are UNSUPPORTED. Since 1.2. */
       TILERUN_DEVICE_HOST_MEMORY = 2
};

typedef struct TilerunDeviceOptions {
  uint32_t struct_size;
  uint32_t flags;           /* TILERUN_DEVICE_* */
  uint64_t foreign_context; /* A CUcontext to work in, which stays the caller's and outlives the
                               device; 0: the plugin's choice (CUDA: the primary context). */
} TilerunDeviceOptions;

/* Opens a device by its id ("cuda:0"), its UUID form ("cuda:GPU-…"), or its kind ("cuda": the first
 * of them); null is the first device of all that is not the CPU, or the CPU if it is the only one.
 * Several openings are independent: each has its own memory pool. `options` may be null.
 * UNAVAILABLE says why, and lists the devices. [any thread] */
TILERUN_API TilerunStatus tilerunOpenDevice(TilerunRuntime *runtime, const char *id,
                                            const TilerunDeviceOptions *options,
                                            TilerunDevice **device);
/* Gives the handle up. The device itself closes with the last stream and event; it waits for its
 * work, unloads kernels and frees all memory that was allocated through it. [exclusive] */
TILERUN_API void tilerunCloseDevice(TilerunDevice *device);

/* A property (TILERUN_DEVICE_PROPERTY_*): name, UUID, architecture, memory, warp size, shared
 * memory, matrix shapes, limits. UNSUPPORTED where the device lacks it. Strings live as long as the
 * device. [any thread] */
TILERUN_API TilerunStatus tilerunGetDeviceProperty(TilerunDevice *device, uint32_t property,
                                                   TilerunPropertyValue *value);
/* "cuda:0". Lives as long as the device. [any thread] */
TILERUN_API const char *tilerunGetDeviceId(TilerunDevice *device);
/* What kernels are compiled for: "cuda:sm_90a". [any thread] */
TILERUN_API const char *tilerunGetDeviceTarget(TilerunDevice *device);
/* OK, or DEVICE_LOST with what lost it. [any thread] */
TILERUN_API TilerunStatus tilerunGetDeviceState(TilerunDevice *device);
/* The driver's own context (a CUcontext). [any thread] */
TILERUN_API TilerunStatus tilerunGetNativeContext(TilerunDevice *device, uint64_t *context);
/* Waits for all work of the device; reports its faults. [any thread] */
TILERUN_API TilerunStatus tilerunSynchronizeDevice(TilerunDevice *device);

/*===--------------------------------------------------------------------------------------------===
 * Streams and events
 *===--------------------------------------------------------------------------------------------===*/

/* The device's own stream. It belongs to the device and must not be destroyed. [any thread] */
TILERUN_API TilerunStream *tilerunGetDefaultStream(TilerunDevice *device);
/* [any thread] */
TILERUN_API TilerunStatus tilerunCreateStream(TilerunDevice *device, TilerunStream **stream);
/* Wraps a stream of the driver's (a CUstream; 0 and the special values too), which stays the
 * caller's and outlives the handle. [any thread] */
TILERUN_API TilerunStatus tilerunAdoptStream(TilerunDevice *device, uint64_t native,
                                             TilerunStream **stream);
/* Its work still runs. [exclusive] */
TILERUN_API void tilerunDestroyStream(TilerunStream *stream);
/* The driver's own handle (a CUstream). [any thread] */
TILERUN_API TilerunStatus tilerunGetNativeStream(TilerunStream *stream, uint64_t *native);
/* Waits for the stream's work; reports faults of it. [any thread] */
TILERUN_API TilerunStatus tilerunSynchronizeStream(TilerunStream *stream);
/* OK if all its work is done, else NOT_READY. [any thread] */
TILERUN_API TilerunStatus tilerunQueryStream(TilerunStream *stream);

/* `flags`: TILERUN_EVENT_TIMING for events that measure time. [any thread] */
TILERUN_API TilerunStatus tilerunCreateEvent(TilerunDevice *device, uint32_t flags,
                                             TilerunEvent **event);
/* [exclusive] */
TILERUN_API void tilerunDestroyEvent(TilerunEvent *event);
/* Marks the work so far on a stream of the same device; recording again moves the mark.
 * [any thread] */
TILERUN_API TilerunStatus tilerunRecordEvent(TilerunEvent *event, TilerunStream *stream);
/* Later work on `stream` waits for the event; they may be of different devices of one plugin.
 * [any thread] */
TILERUN_API TilerunStatus tilerunWaitEvent(TilerunStream *stream, TilerunEvent *event);
/* Waits until the event has passed; one that was never recorded has. [any thread] */
TILERUN_API TilerunStatus tilerunSynchronizeEvent(TilerunEvent *event);
/* OK if it has passed, else NOT_READY. [any thread] */
TILERUN_API TilerunStatus tilerunQueryEvent(TilerunEvent *event);
/* Between two events with timing. NOT_READY until both have passed. [any thread] */
TILERUN_API TilerunStatus tilerunGetElapsedTime(TilerunEvent *start, TilerunEvent *end,
                                                double *milliseconds);

/*===--------------------------------------------------------------------------------------------===
 * Memory
 *===--------------------------------------------------------------------------------------------===*/

/* Allocates at least `bytes` (0 counts as 1), aligned to at least 256, for later work on `stream`,
 * and for other streams once they are ordered after it. Comes from the device's pool: memory
 * freed on this stream is reused at once, memory freed on another one after its work has passed. If
 * the driver is out of memory, the pool waits for the device, returns all free memory, and tries
 * once more; then OUT_OF_MEMORY, and the device stays usable. Other threads allocate and free while
 * it waits. DEVICE_LOST on a lost device, also where the pool has memory. The contents are
 * undefined. [any thread] */
TILERUN_API TilerunStatus tilerunAllocate(TilerunStream *stream, uint64_t bytes,
                                          TilerunAddress *address);
/* Frees once the work so far on `stream` is done; returns at once. Any stream of the device may be
 * passed. 0 is ignored; INVALID_ARGUMENT for an address that tilerunAllocate did not return. Works
 * on a lost device. [any thread] */
TILERUN_API TilerunStatus tilerunFree(TilerunStream *stream, TilerunAddress address);
/* Host memory that the device copies to and from without staging. Freed by tilerunFreeHost, or with
 * the device. [any thread] */
TILERUN_API TilerunStatus tilerunAllocateHost(TilerunDevice *device, uint64_t bytes,
                                              void **pointer);
/* No copy may be using it. Null is ignored. [any thread] */
TILERUN_API TilerunStatus tilerunFreeHost(TilerunDevice *device, void *pointer);

/* Copies `bytes`; 0 is OK, whatever the addresses are. INVALID_ARGUMENT if a range on the device
 * begins in memory of its pool and leaves the allocation, or that is free; the driver checks
 * foreign memory. Host memory must stay until the stream has passed the copy; from and to host
 * memory that is not pinned, the call may wait. Ranges must not overlap. [any thread] */
TILERUN_API TilerunStatus tilerunCopyToDevice(TilerunStream *stream, TilerunAddress to,
                                              const void *from, uint64_t bytes);
TILERUN_API TilerunStatus tilerunCopyFromDevice(TilerunStream *stream, void *to,
                                                TilerunAddress from, uint64_t bytes);
TILERUN_API TilerunStatus tilerunCopyOnDevice(TilerunStream *stream, TilerunAddress to,
                                              TilerunAddress from, uint64_t bytes);
/* Copies between any two devices, after the work so far on both streams; later work on either comes
 * after the copy. Without a direct path between the devices it goes through the host, and
 * the call waits. [any thread] */
TILERUN_API TilerunStatus tilerunCopyBetweenDevices(TilerunStream *to_stream, TilerunAddress to,
                                                    TilerunStream *from_stream, TilerunAddress from,
                                                    uint64_t bytes);
/* Repeats the lowest `pattern_bytes` (1, 2 or 4) of `pattern` over `bytes`, a multiple of it.
 * Checked as copies are. [any thread] */
TILERUN_API TilerunStatus tilerunFill(TilerunStream *stream, TilerunAddress to, uint32_t pattern,
                                      uint32_t pattern_bytes, uint64_t bytes);
/* Information about an address, including the driver's and frameworks' own allocations;
 * `info->struct_size` is set by the caller. INVALID_ARGUMENT if it is unknown. [any thread] */
TILERUN_API TilerunStatus tilerunGetPointerInfo(TilerunDevice *device, TilerunAddress address,
                                                TilerunPluginPointerInfo *info);

/* Of the pool of one opening of a device, since it was opened. */
typedef struct TilerunMemoryStatistics {
  uint32_t struct_size;
  uint32_t reserved;        /* 0 */
  uint64_t bytes_allocated; /* In use by the caller, as asked for. */
  uint64_t bytes_in_blocks; /* In use by the caller, rounded to blocks. */
  uint64_t bytes_held;      /* Taken from the driver. */
  uint64_t peak_allocated;  /* Maximum of each. */
  uint64_t peak_held;
  uint64_t num_allocations; /* Calls of tilerunAllocate that succeeded. */
  uint64_t num_reused;      /* Of these, served without the driver. */
  uint64_t num_driver_allocations;
  uint64_t num_driver_frees;
  uint64_t num_out_of_memory; /* Refusals of the driver, including those resolved by a trim. */
} TilerunMemoryStatistics;

/* `statistics->struct_size` is set by the caller. [any thread] */
TILERUN_API TilerunStatus tilerunGetMemoryStatistics(TilerunDevice *device,
                                                     TilerunMemoryStatistics *statistics);
/* Waits for the device and returns free memory to the driver until at most `keep_bytes` are
 * held, as far as whole driver allocations are free. Other threads allocate and free while it
 * waits; what they free meanwhile stays. [any thread] */
TILERUN_API TilerunStatus tilerunTrimMemory(TilerunDevice *device, uint64_t keep_bytes);

/*===--------------------------------------------------------------------------------------------===
 * Kernels
 *===--------------------------------------------------------------------------------------------===*/

/* Element types. X(NAME, number, "name in signatures", bits). */
#define TILERUN_DTYPE_LIST(X)                                                                      \
  X(I1, 1, "i1", 1)                                                                                \
  X(I8, 2, "i8", 8)                                                                                \
  X(I16, 3, "i16", 16)                                                                             \
  X(I32, 4, "i32", 32)                                                                             \
  X(I64, 5, "i64", 64)                                                                             \
  X(U8, 6, "u8", 8)                                                                                \
  X(U16, 7, "u16", 16)                                                                             \
  X(U32, 8, "u32", 32)                                                                             \
  X(U64, 9, "u64", 64)                                                                             \
  X(FP8E5, 10, "fp8e5", 8)                                                                         \
  X(FP8E4NV, 11, "fp8e4nv", 8)                                                                     \
  X(FP8E4B8, 12, "fp8e4b8", 8)                                                                     \
  X(FP8E5B16, 13, "fp8e5b16", 8)                                                                   \
  X(FP8E4B15, 14, "fp8e4b15", 8)                                                                   \
  X(FP16, 15, "fp16", 16)                                                                          \
  X(BF16, 16, "bf16", 16)                                                                          \
  X(FP32, 17, "fp32", 32)                                                                          \
  X(FP64, 18, "fp64", 64)

enum {
  TILERUN_DTYPE_AUTO = 0, /* Of integers: int32, int64 or uint64, by the value. */
#define TILERUN_DTYPE_ENUMERATOR(name, number, word, bits) TILERUN_DTYPE_##name = number,
  TILERUN_DTYPE_LIST(TILERUN_DTYPE_ENUMERATOR)
#undef TILERUN_DTYPE_ENUMERATOR
};

/* Kinds of arguments besides TILERUN_ARGUMENT_POINTER, _INTEGER and _FLOAT. */
enum {
  TILERUN_ARGUMENT_NATURAL = 16, /* uint64 in `natural`. */
  TILERUN_ARGUMENT_BOOL = 17,    /* 0 or 1 in `integer`; others are refused. */
  TILERUN_ARGUMENT_STRING = 18,  /* `text`; for constants only. */
  TILERUN_ARGUMENT_DTYPE = 19,   /* `dtype` itself; for constants only. */
  TILERUN_ARGUMENT_NONE = 20     /* None. */
};

/* One argument of a launch. For a `tl.constexpr` parameter, numbers, strings, dtypes and None are
 * compile-time constants; for others:
 *   pointer: `dtype` is that of the elements; an address that is a multiple of 16 is specialized on
 *     that. 0 is allowed (an empty tensor's).
 *   integer, natural: with TILERUN_DTYPE_AUTO the value decides: 1 becomes a constant, the range
 *     picks int32, int64 or uint64; a multiple of 16 is specialized on that. With a dtype, that
 *     type; the value must fit.
 *   float: `dtype` is FP32 (AUTO means that), FP64, FP16 or BF16. */
typedef struct TilerunArgument {
  uint16_t kind;  /* TILERUN_ARGUMENT_* */
  uint16_t dtype; /* TILERUN_DTYPE_* */
  uint32_t reserved;
  union {
    TilerunAddress address;
    int64_t integer;
    uint64_t natural;
    double number;
    const char *text;
  } value;
} TilerunArgument;

/* How a kernel is compiled. Zero means the default. Values other than these are INVALID_ARGUMENT on
 * every device. */
typedef struct TilerunCompileOptions {
  uint32_t struct_size;
  uint32_t num_warps;  /* 4; a power of two up to 1024; GPUs take up to 32. */
  uint32_t num_stages; /* 3; up to 64. */
  /* 0, 1 or 2. 1: device_assert and overflow checks are live; 2 (since 1.9): device_assert alone.
   */
  uint32_t debug;
  /* 0 or 1. 1: the device detects out-of-bounds accesses, uninitialized reads, races and integer
   * overflow, and the stream's next wait reports them. The plugin "cpu" can (initialization is
   * tracked per allocation of the driver: with TILERUN_DEVICE_NO_MEMORY_POOL each of the caller's
   * is one); a device that cannot refuses to compile. Since 1.1. */
  uint32_t checks;
  uint32_t maxnreg;  /* Maximum registers of a thread; 0: the compiler's choice. Since 1.2. */
  uint32_t num_ctas; /* 1; blocks of each program, where it can be divided: 2, 4, 8. Since 1.2. */
  /* The target's own options, besides those that have a field here: at most 64, each name once.
   * "opt-level" 0 also turns off the library's own optimizer. A compiler refuses unknown options
   * (docs/plugins.md lists them). Used until the call returns. Since 1.6. */
  uint32_t num_options;
  const TilerunPluginOption *options;
} TilerunCompileOptions;

typedef struct TilerunLaunchOptions {
  uint32_t struct_size;
  uint32_t grid[3];                     /* Programs, x first; none may be 0. */
  const TilerunCompileOptions *compile; /* Null: the defaults. */
  /* TILERUN_LAUNCH_OVERLAP, and _NO_BOUNDS_CHECKS or _BOUNDS_CHECKS; others are refused. Since
   * 1.4. */
  uint32_t flags;
  uint32_t reserved; /* 0 */
  /* Null, or one for each argument: the memory behind pointers that tilerunAllocate did not return,
   * so that a device that was opened with TILERUN_DEVICE_HOST_MEMORY can check accesses, and one
   * with the property USES_SMALL may get better code where all of it is small. Other pointers need
   * none, but the shape improves messages. Since 1.5. */
  const TilerunMemoryRange *ranges;
} TilerunLaunchOptions;

/* Loads `kernel`, a @triton.jit function of the Python file at `path`, and reads its imports from
 * files next to it. COMPILE carries the diagnostics; NOT_FOUND lists the kernels.
 * The file is read now: later changes are not seen. [any thread] */
TILERUN_API TilerunStatus tilerunLoadKernel(TilerunRuntime *runtime, const char *path,
                                            const char *kernel, TilerunKernel **handle);
/* The same from text; `name` stands for the path in messages and for relative imports.
 * [any thread] */
TILERUN_API TilerunStatus tilerunLoadKernelText(TilerunRuntime *runtime, const char *name,
                                                const char *text, uint64_t num_bytes,
                                                const char *kernel, TilerunKernel **handle);
/* A piece of source. `module` is the name by which others import it, `path` stands for it in
 * messages (several may have the same). */
typedef struct TilerunSource {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char *module;
  const char *path;
  const char *text;
  uint64_t num_bytes;
} TilerunSource;
/* From several texts, of which the first has the kernel and `import` finds the others: for a host
 * that has resolved all names itself. Nothing is read from disk. Since 1.2. [any thread] */
TILERUN_API TilerunStatus tilerunLoadKernelSources(TilerunRuntime *runtime,
                                                   const TilerunSource *sources,
                                                   uint32_t num_sources, const char *kernel,
                                                   TilerunKernel **handle);
/* From tile IR (MLIR bytecode or text) that was compiled for one signature. Its parameters have
 * fixed types and facts, which launches must meet; constants are gone. [any thread] */
TILERUN_API TilerunStatus tilerunLoadKernelBytecode(TilerunRuntime *runtime, const void *bytecode,
                                                    uint64_t num_bytes, const char *kernel,
                                                    TilerunKernel **handle);
/* A kernel with some parameters bound to constants: `constants` is text such as `BLOCK=1024,
 * ACT="gelu", T=tl.float16`. Launches of the new handle leave these parameters out. A global of the
 * source whose value host code computes (`IS_HIP = is_hip()`) is bound in the same way, by its
 * name. [any thread] */
TILERUN_API TilerunStatus tilerunBindKernel(TilerunKernel *kernel, const char *constants,
                                            TilerunKernel **bound);
/* Waits for devices that have it loaded, and unloads it there. [exclusive] */
TILERUN_API void tilerunReleaseKernel(TilerunKernel *kernel);
/* [any thread] */
TILERUN_API const char *tilerunGetKernelName(TilerunKernel *kernel);

enum {
  TILERUN_PARAMETER_CONSTEXPR = 1, /* Annotated as tl.constexpr. */
  TILERUN_PARAMETER_DEFAULT = 2    /* Has a default value. */
};
typedef struct TilerunParameterInfo {
  uint32_t struct_size; /* Set by the caller. */
  uint32_t flags;       /* TILERUN_PARAMETER_* */
  const char *name;     /* Lives as long as the kernel. */
} TilerunParameterInfo;
/* What a launch passes, in order; without what tilerunBindKernel bound. [any thread] */
TILERUN_API uint32_t tilerunGetNumParameters(TilerunKernel *kernel);
TILERUN_API TilerunStatus tilerunGetParameter(TilerunKernel *kernel, uint32_t index,
                                              TilerunParameterInfo *info);

/* Runs one grid on `stream`. `arguments` go to the parameters in order; those that are left out at
 * the end have defaults. Compiles for the arguments' types, facts and constants the first time
 * (threads that ask for the same at once wait for one compilation), then finds the compiled kernel
 * again. A warm launch allocates nothing, takes no lock, handles no string and calls the driver
 * only to launch; a string among the arguments is hashed.
 * Checked before: number, kinds and types of arguments; that each pointer belongs to this device:
 * against the pool's own records (a few nanoseconds when this thread has used the allocation
 * before, else a lock), or, for memory of others, by one question to the driver for each allocation
 * and thread, which is remembered; grid; facts. On a device with the property USES_SMALL the facts
 * include whether the memory behind a pointer is small (TILERUN_SMALL_BYTES): where the pool's
 * records, or the launch's `ranges`, tell. The message names the parameter and what was
 * passed. A fault of the kernel shows at the next call that waits for the stream. [any thread] */
TILERUN_API TilerunStatus tilerunLaunch(TilerunStream *stream, TilerunKernel *kernel,
                                        const TilerunLaunchOptions *options,
                                        const TilerunArgument *arguments, uint32_t num_arguments);
/* The same; reports which compiled code ran. `code` gets a number that is equal for launches of
 * this kernel that ran the same code on the same opening of a device, and 0 on failure, so that a
 * host can look up what it knows about the code. Since 1.3. [any thread] */
TILERUN_API TilerunStatus tilerunLaunchTold(TilerunStream *stream, TilerunKernel *kernel,
                                            const TilerunLaunchOptions *options,
                                            const TilerunArgument *arguments,
                                            uint32_t num_arguments, uint64_t *code);

/* Gives the signature that a launch with these arguments compiles for, without what
 * tilerunBindKernel bound. Since 1.2. [any thread] */
TILERUN_API TilerunStatus tilerunDescribeArguments(TilerunKernel *kernel,
                                                   const TilerunArgument *arguments,
                                                   uint32_t num_arguments,
                                                   void (*take)(void *user, const char *signature),
                                                   void *user);

/* The same of the code that a launch of `kernel` has told: with what it was compiled for on its
 * device alone, such as small memory. Since 1.10. [any thread] */
TILERUN_API TilerunStatus tilerunDescribeCode(TilerunKernel *kernel, uint64_t code,
                                              void (*take)(void *user, const char *signature),
                                              void *user);

/* Compiles and loads ahead of time, for a signature in text: `x_ptr=*fp32:16, n=i32, BLOCK=1024`.
 * `:small` behind a pointer (`x_ptr=*fp32:16:small`) promises that its memory has at most
 * TILERUN_SMALL_BYTES; launches whose memory is known to be larger are refused.
 * A kernel that unrolls to more than 100,000 operations is refused; TILERUN_MAX_OPERATIONS in the
 * environment changes the limit.
 * `options` may be null. The device stays open while the handle lives. [any thread] */
TILERUN_API TilerunStatus tilerunSpecialize(TilerunKernel *kernel, TilerunDevice *device,
                                            const char *signature,
                                            const TilerunCompileOptions *options,
                                            TilerunSpecialization **specialization);
/* Waits for the device, unless a kernel handle still uses it. [exclusive] */
TILERUN_API void tilerunReleaseSpecialization(TilerunSpecialization *specialization);
/* A property of the loaded kernel (TILERUN_KERNEL_PROPERTY_*). [any thread] */
TILERUN_API TilerunStatus tilerunGetKernelProperty(TilerunSpecialization *specialization,
                                                   uint32_t property, TilerunPropertyValue *value);
/* Threads, and bytes of shared memory, of one program. [any thread] */
TILERUN_API TilerunStatus tilerunGetLaunchShape(TilerunSpecialization *specialization,
                                                uint32_t *threads, uint32_t *shared_bytes);
/* The text that it was compiled for. [any thread] */
TILERUN_API const char *tilerunGetSignature(TilerunSpecialization *specialization);
/* Launches it: `arguments` go to its run-time parameters in order (constants are gone). They must
 * have the signature's types and facts. Otherwise as tilerunLaunch. [any thread] */
TILERUN_API TilerunStatus tilerunLaunchSpecialized(TilerunStream *stream,
                                                   TilerunSpecialization *specialization,
                                                   const uint32_t grid[3],
                                                   const TilerunArgument *arguments,
                                                   uint32_t num_arguments);
/* The same with the options of a launch, whose `compile` is null, because it is compiled: flags,
 * and the memory behind its pointers, one range for each argument. Since 1.8. [any thread] */
TILERUN_API TilerunStatus tilerunLaunchSpecializedWith(TilerunStream *stream,
                                                       TilerunSpecialization *specialization,
                                                       const TilerunLaunchOptions *options,
                                                       const TilerunArgument *arguments,
                                                       uint32_t num_arguments);

/* Compiles for a target ("cuda:sm_90a"; its plugin needs no device) and gives a stage as text:
 * "tile" (the optimized tile IR), "writes" (the names of the parameters that the kernel may write
 * through, one a line; since 1.9), or a phase of the plugin's option `emit` ("ptx"); "": what a
 * launch would load, in the plugin's own format. The artifact (TilerunPluginArtifact, with the
 * threads and shared memory of one program) lives until the callback returns. Since 1.2.
 * [any thread] */
TILERUN_API TilerunStatus
tilerunEmitKernel(TilerunRuntime *runtime, TilerunKernel *kernel, const char *target,
                  const char *signature, const TilerunCompileOptions *options, const char *stage,
                  void (*take)(void *user, const TilerunPluginArtifact *artifact), void *user);

/*===--------------------------------------------------------------------------------------------===
 * Tuning (since 1.2)
 *===--------------------------------------------------------------------------------------------===*/

/* One way to launch a kernel. `arguments` are those of tilerunLaunch, including this
 * configuration's constants; all of it outlives the tuning. */
typedef struct TilerunTuneConfig {
  uint32_t struct_size;
  uint32_t grid[3];
  TilerunKernel *kernel;
  const TilerunCompileOptions *compile; /* Null: the defaults. */
  const TilerunArgument *arguments;
  uint32_t num_arguments;
  uint32_t reserved; /* 0 */
} TilerunTuneConfig;

/* What the launches of a configuration have besides (TilerunTuneConfig is an array's element, and
 * never changes). Since 1.7. */
typedef struct TilerunTuneLaunch {
  uint32_t struct_size;
  uint32_t flags;                   /* As TilerunLaunchOptions.flags. */
  const TilerunMemoryRange *ranges; /* As TilerunLaunchOptions.ranges. */
} TilerunTuneLaunch;

/* Memory that the kernel changes, so that each run finds what the first one found. */
typedef struct TilerunTuneMemory {
  uint32_t struct_size;
  uint32_t restore; /* 1: its contents are restored after each run; 0: cleared before each. */
  TilerunAddress address;
  uint64_t bytes;
} TilerunTuneMemory;

/* Reported after each configuration, in the order in which they are ready. */
typedef struct TilerunTuneProgress {
  uint32_t struct_size;
  uint32_t index; /* `num_configs` in calls of `waiting`. */
  uint32_t num_configs;
  uint32_t best;        /* So far; `num_configs` while none works. */
  TilerunStatus status; /* Of this one: a failure is skipped. NOT_READY in calls of `waiting`. */
  uint32_t rough;       /* 1: surely slower than the best, and not measured further. */
  double milliseconds;  /* Of one run. */
  const char *message;  /* Of the failure; lives until the callback returns. */
  /* Since 1.10. */
  uint32_t num_done;        /* Configurations whose result is known. */
  uint32_t num_compiled;    /* Those whose compilation has ended, or was not needed. */
  double best_milliseconds; /* Of `best`; 0 while none works. */
  double elapsed_ms;        /* Since the call. */
  double remaining_ms;      /* An estimate; negative while nothing is known. */
  uint32_t pruned;          /* 1: the device refuses it whatever its code is; not compiled. */
  uint32_t reserved;        /* 0 */
} TilerunTuneProgress;

enum {
  TILERUN_TUNE_REFRESH = 1, /* Measures whatever the cache holds, and keeps the result. */
  TILERUN_TUNE_FORGET = 2,  /* Neither reads nor writes the cache. */
  TILERUN_TUNE_COMPILE = 4  /* Compiles and loads all, so that launches need not, and runs none:
                             * the result's `best` is the first that compiles. Since 1.10. */
};

typedef struct TilerunTuneOptions {
  uint32_t struct_size;
  uint32_t flags;     /* TILERUN_TUNE_* */
  uint32_t warmup_ms; /* Of a device that is not warm, at most; 0: 25. */
  uint32_t rep_ms;    /* How long each is measured at most; 0: 100. One run is at least. */
  const char *key;    /* What else the choice depends on; null: nothing. */
  const TilerunTuneMemory *memory;
  uint32_t num_memory;
  uint32_t reserved; /* 0 */
  void *user;        /* Of the callbacks, which come on the calling thread. Each may be null. */
  void (*progress)(void *user, const TilerunTuneProgress *progress);
  /* Called around each run; a result other than OK fails the configuration. */
  TilerunStatus (*before)(void *user, uint32_t config);
  TilerunStatus (*after)(void *user, uint32_t config);
  /* Null, or a pointer for each configuration, which may be null. Since 1.7. */
  const TilerunTuneLaunch *const *launches;
  /* Threads that compile configurations; 1: the calling one alone, each just before it is
   * measured. 0: TILERUN_COMPILE_THREADS in the environment, else one for each core. Since 1.10. */
  uint32_t num_threads;
  uint32_t reserved2; /* 0 */
  /* Called about 20 times a second while the call waits for compilations; a result other than OK
   * ends the tuning, with that. Since 1.10. */
  TilerunStatus (*waiting)(void *user, const TilerunTuneProgress *progress);
} TilerunTuneOptions;

typedef struct TilerunTuneResult {
  uint32_t struct_size; /* Set by the caller. */
  uint32_t best;        /* The index of the fastest. */
  uint32_t from_cache;  /* 1: known from earlier, nothing was run. */
  uint32_t num_failed;
  double milliseconds; /* Of the best. */
} TilerunTuneResult;

/* Measures each configuration on the stream's device, and gives the fastest: the median of runs
 * with cold caches; of those with equal times the first. Several threads compile and load the
 * configurations while the calling one measures those that are ready, or, on a device with the
 * property RUNS_ON_HOST, waits until all are. They have ended when the call returns, and call
 * nothing of the caller's: the log is told by the calling thread. A configuration that does not
 * compile or launch is reported to `progress` and skipped; one that is surely slower than the best
 * is not measured further, and none longer than it takes to know its median to half a percent.
 * Results are kept in the runtime's cache, by kernels, signatures, options, grids, `key`, device
 * and driver. Waits. Fails with the first configuration's error if none works, and if the device is
 * lost. [any thread] */
TILERUN_API TilerunStatus tilerunTuneKernel(TilerunRuntime *runtime, TilerunStream *stream,
                                            const TilerunTuneConfig *configs, uint32_t num_configs,
                                            const TilerunTuneOptions *options,
                                            TilerunTuneResult *result);

/*===--------------------------------------------------------------------------------------------===
 * The language (since 1.2)
 *===--------------------------------------------------------------------------------------------===*/

/* A name of the kernel language. The strings live until the callback returns. */
typedef struct TilerunLanguageName {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char *name;
  const char *kind;          /* "function", "dtype", "namespace" or "constant" */
  const char *value;         /* A function's parameters, a dtype's name in signatures, a namespace's
                                path, a constant's value. */
  const char *documentation; /* "" where there is none. */
} TilerunLanguageName;
/* Calls back with each name in a namespace of the language ("triton.language",
 * "triton.language.extra.libdevice"), sorted; an unknown namespace has none. Since 1.2.
 * [any thread] */
TILERUN_API TilerunStatus tilerunListLanguage(
    const char *path, void (*each)(void *user, const TilerunLanguageName *name), void *user);

/* Where each struct ends in this version, so that it is not changed by accident. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define TILERUN_ASSERT_SIZE(type, size)                                                            \
  static_assert(sizeof(void *) != 8 || sizeof(type) == (size), #type " changed")
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TILERUN_ASSERT_SIZE(type, size)                                                            \
  _Static_assert(sizeof(void *) != 8 || sizeof(type) == (size), #type " changed")
#else
#define TILERUN_ASSERT_SIZE(type, size) typedef int tilerun_assert_##type
#endif
TILERUN_ASSERT_SIZE(TilerunRuntimeOptions, 56);
TILERUN_ASSERT_SIZE(TilerunPluginFile, 40);
TILERUN_ASSERT_SIZE(TilerunDeviceOptions, 16);
TILERUN_ASSERT_SIZE(TilerunMemoryStatistics, 88);
TILERUN_ASSERT_SIZE(TilerunArgument, 16);
TILERUN_ASSERT_SIZE(TilerunCompileOptions, 40);
TILERUN_ASSERT_SIZE(TilerunSource, 40);
TILERUN_ASSERT_SIZE(TilerunTuneConfig, 48);
TILERUN_ASSERT_SIZE(TilerunTuneLaunch, 16);
TILERUN_ASSERT_SIZE(TilerunTuneMemory, 24);
TILERUN_ASSERT_SIZE(TilerunTuneProgress, 80);
TILERUN_ASSERT_SIZE(TilerunTuneOptions, 96);
TILERUN_ASSERT_SIZE(TilerunTuneResult, 24);
TILERUN_ASSERT_SIZE(TilerunLanguageName, 40);
TILERUN_ASSERT_SIZE(TilerunLaunchOptions, 40);
TILERUN_ASSERT_SIZE(TilerunParameterInfo, 16);
#undef TILERUN_ASSERT_SIZE

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TILERUN_TILERUN_H */
