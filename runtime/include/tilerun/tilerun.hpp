// Tilerun's C++ API: header-only over tilerun.h, whose rules on threads, ownership and order hold
// here as well. C++20.
//
// Rules. Objects own their handles: they move, do not copy, and release in their destructor; a
// moved-from or default object is empty, and only assigning to it makes sense. A function that
// fails throws tilerun::Error; without exceptions in the compiler, it writes the message to stderr
// and aborts (use the C API to avoid that). Functions that ask (`isDone`) do not fail on
// "not yet".
#ifndef TILERUN_TILERUN_HPP
#define TILERUN_TILERUN_HPP

#if __cplusplus <= 201703L
// clang-format off
#error "tilerun.hpp needs C++20: compile with -std=c++20, or link Tilerun::Runtime of find_package(Tilerun), which asks for it; tilerun.h is for C and for older C++"
// clang-format on
#include "tilerun-needs-c++20" // Ends here: what follows would be hundreds of errors.
#endif

#include "tilerun.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilerun {

/// What a failed call throws.
class Error : public std::runtime_error {
public:
  Error(TilerunStatus status, const char *message) : std::runtime_error(message), code(status) {}
  TilerunStatus status() const noexcept { return code; }

private:
  TilerunStatus code;
};

/// Throws this thread's error unless `status` is OK.
inline void check(TilerunStatus status) {
  if (status == TILERUN_STATUS_OK) [[likely]]
    return;
#if defined(__cpp_exceptions)
  throw Error(status, tilerunGetErrorMessage());
#else
  std::fprintf(stderr, "tilerun: %s\n", tilerunGetErrorMessage());
  std::abort();
#endif
}

namespace detail {
// A mistake that this header finds itself.
[[noreturn]] inline void fail(TilerunStatus status, const std::string &message) {
#if defined(__cpp_exceptions)
  throw Error(status, message.c_str());
#else
  (void)status;
  std::fprintf(stderr, "tilerun: %s\n", message.c_str());
  std::abort();
#endif
}

// The number of a property that must be one.
inline uint64_t getNumber(const TilerunPropertyValue &value, uint32_t property) {
  if (value.type != TILERUN_VALUE_U64)
    fail(TILERUN_STATUS_INVALID_ARGUMENT,
         "property " + std::to_string(property) + " is text, not a number");
  return value.number;
}

template <auto release> struct Releaser {
  template <typename T> void operator()(T *handle) const noexcept { release(handle); }
};
template <typename T, auto release> using Handle = std::unique_ptr<T, Releaser<release>>;

struct StreamReleaser {
  bool owned = true;
  void operator()(TilerunStream *stream) const noexcept {
    if (owned)
      tilerunDestroyStream(stream);
  }
};

// Whether the answer is that the work is done; throws if it is neither that nor "not yet".
inline bool isDone(TilerunStatus status) {
  if (status == TILERUN_STATUS_NOT_READY)
    return false;
  check(status);
  return true;
}
} // namespace detail

/// A 16-bit float that the host only carries.
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

/// The element type of a C++ type, for pointers and typed values.
template <typename T> constexpr uint16_t dtypeOf() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return TILERUN_DTYPE_I1;
  else if constexpr (std::is_same_v<U, Half>)
    return TILERUN_DTYPE_FP16;
  else if constexpr (std::is_same_v<U, BFloat16>)
    return TILERUN_DTYPE_BF16;
  else if constexpr (std::is_same_v<U, float>)
    return TILERUN_DTYPE_FP32;
  else if constexpr (std::is_same_v<U, double>)
    return TILERUN_DTYPE_FP64;
  else {
    static_assert(std::is_integral_v<U> && sizeof(U) <= 8, "not an element type of a kernel");
    constexpr uint16_t first = std::is_signed_v<U> ? TILERUN_DTYPE_I8 : TILERUN_DTYPE_U8;
    return first + (sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3);
  }
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

template <typename T> class Buffer;

/// An address with the type of its elements: of memory that somebody else owns too.
template <typename T> struct Pointer {
  TilerunAddress address = 0;
  Pointer operator+(int64_t elements) const {
    return {address + static_cast<uint64_t>(elements) * sizeof(T)};
  }
};

/// How a C++ value is passed to a kernel. Integers are specialized by value, as in a Triton launch;
/// float is fp32 and double fp64; strings and dtypes are for tl.constexpr parameters.
inline TilerunArgument makeArgument(const TilerunArgument &argument) { return argument; }
template <typename T> TilerunArgument makeArgument(Pointer<T> pointer) {
  TilerunArgument out = {TILERUN_ARGUMENT_POINTER, dtypeOf<T>(), 0, {}};
  out.value.address = pointer.address;
  return out;
}
template <typename T> TilerunArgument makeArgument(const Buffer<T> &buffer) {
  return makeArgument(buffer.pointer());
}
/// For bool itself only: pointers and much else convert to it.
template <std::same_as<bool> T> TilerunArgument makeArgument(T value) {
  TilerunArgument out = {TILERUN_ARGUMENT_BOOL, TILERUN_DTYPE_AUTO, 0, {}};
  out.value.integer = value;
  return out;
}
template <std::integral T>
  requires(!std::same_as<T, bool>)
TilerunArgument makeArgument(T value) {
  static_assert(sizeof(T) <= 8, "an integer that no kernel takes");
  TilerunArgument out = {std::is_signed_v<T> ? uint16_t(TILERUN_ARGUMENT_INTEGER)
                                             : uint16_t(TILERUN_ARGUMENT_NATURAL),
                         TILERUN_DTYPE_AUTO,
                         0,
                         {}};
  if constexpr (std::is_signed_v<T>)
    out.value.integer = value;
  else
    out.value.natural = value;
  return out;
}
template <std::floating_point T> TilerunArgument makeArgument(T value) {
  TilerunArgument out = {TILERUN_ARGUMENT_FLOAT, dtypeOf<T>(), 0, {}};
  out.value.number = value;
  return out;
}
inline TilerunArgument makeArgument(const char *text) {
  TilerunArgument out = {TILERUN_ARGUMENT_STRING, TILERUN_DTYPE_AUTO, 0, {}};
  out.value.text = text;
  return out;
}
inline TilerunArgument makeArgument(std::nullptr_t) {
  return {TILERUN_ARGUMENT_NONE, TILERUN_DTYPE_AUTO, 0, {}};
}
/// An unscoped enumerator is its integer; a scoped one must be cast explicitly.
template <typename T>
  requires std::is_enum_v<T> && std::is_convertible_v<T, std::underlying_type_t<T>>
TilerunArgument makeArgument(T value) {
  return makeArgument(static_cast<std::underlying_type_t<T>>(value));
}
/// A raw pointer does not say where its memory is: pass a Buffer, or Pointer<T>{address}.
template <typename T>
  requires(!std::same_as<std::remove_cv_t<T>, char>)
TilerunArgument makeArgument(T *) = delete;
/// A number as exactly this type: `typed<Half>(0.5)`, `typed<int64_t>(n)`.
template <typename T, typename Value> TilerunArgument typed(Value value) {
  TilerunArgument out = makeArgument(value);
  out.dtype = dtypeOf<T>();
  if constexpr (!std::is_integral_v<T> && std::is_integral_v<Value>) {
    out.kind = TILERUN_ARGUMENT_FLOAT;
    out.value.number = static_cast<double>(value);
  }
  return out;
}
/// A dtype itself, for a tl.constexpr parameter.
template <typename T> TilerunArgument dtypeArgument() {
  return {TILERUN_ARGUMENT_DTYPE, dtypeOf<T>(), 0, {}};
}

//===----------------------------------------------------------------------===//
// Devices, streams, events
//===----------------------------------------------------------------------===//

class Stream;
class Event;

/// An open device. Its streams, events and buffers may outlive this object.
class Device {
public:
  Device() = default;
  explicit Device(TilerunDevice *handle) : handle(handle) {}
  TilerunDevice *get() const { return handle.get(); }

  std::string id() const { return tilerunGetDeviceId(get()); }
  std::string target() const { return tilerunGetDeviceTarget(get()); }
  uint64_t number(uint32_t property) const {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    check(tilerunGetDeviceProperty(get(), property, &value));
    return detail::getNumber(value, property);
  }
  std::string text(uint32_t property) const {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    check(tilerunGetDeviceProperty(get(), property, &value));
    return value.string ? value.string : "";
  }
  std::string name() const { return text(TILERUN_DEVICE_PROPERTY_NAME); }
  bool isLost() const {
    TilerunStatus status = tilerunGetDeviceState(get());
    if (status != TILERUN_STATUS_DEVICE_LOST)
      check(status);
    return status == TILERUN_STATUS_DEVICE_LOST;
  }
  uint64_t nativeContext() const {
    uint64_t context = 0;
    check(tilerunGetNativeContext(get(), &context));
    return context;
  }
  void synchronize() const { check(tilerunSynchronizeDevice(get())); }
  TilerunMemoryStatistics memory() const {
    TilerunMemoryStatistics statistics = {};
    statistics.struct_size = sizeof(statistics);
    check(tilerunGetMemoryStatistics(get(), &statistics));
    return statistics;
  }
  void trimMemory(uint64_t keepBytes = 0) const { check(tilerunTrimMemory(get(), keepBytes)); }

  /// The device's own stream, which goes with the device.
  Stream stream() const;
  Stream createStream() const;
  /// Wraps a CUstream, which stays the caller's.
  Stream adoptStream(uint64_t native) const;
  Event createEvent(bool timing = true) const;

private:
  detail::Handle<TilerunDevice, tilerunCloseDevice> handle;
};

class Stream {
public:
  Stream() = default;
  /// Takes the handle, unless it is the device's own.
  explicit Stream(TilerunStream *handle, bool owned = true) : handle(handle, {owned}) {}
  TilerunStream *get() const { return handle.get(); }
  void synchronize() const { check(tilerunSynchronizeStream(get())); }
  bool isDone() const { return detail::isDone(tilerunQueryStream(get())); }
  uint64_t native() const {
    uint64_t out = 0;
    check(tilerunGetNativeStream(get(), &out));
    return out;
  }
  void wait(const Event &event) const;

private:
  std::unique_ptr<TilerunStream, detail::StreamReleaser> handle;
};

class Event {
public:
  Event() = default;
  explicit Event(TilerunEvent *handle) : handle(handle) {}
  TilerunEvent *get() const { return handle.get(); }
  void record(const Stream &stream) const { check(tilerunRecordEvent(get(), stream.get())); }
  void synchronize() const { check(tilerunSynchronizeEvent(get())); }
  bool isDone() const { return detail::isDone(tilerunQueryEvent(get())); }
  /// Milliseconds from this event to a later one; waits for it.
  double millisecondsTo(const Event &end) const {
    end.synchronize();
    double out = 0;
    check(tilerunGetElapsedTime(get(), end.get(), &out));
    return out;
  }

private:
  detail::Handle<TilerunEvent, tilerunDestroyEvent> handle;
};

inline Stream Device::stream() const { return Stream(tilerunGetDefaultStream(get()), false); }
inline Stream Device::createStream() const {
  TilerunStream *out = nullptr;
  check(tilerunCreateStream(get(), &out));
  return Stream(out);
}
inline Stream Device::adoptStream(uint64_t native) const {
  TilerunStream *out = nullptr;
  check(tilerunAdoptStream(get(), native, &out));
  return Stream(out);
}
inline Event Device::createEvent(bool timing) const {
  TilerunEvent *out = nullptr;
  check(tilerunCreateEvent(get(), timing ? TILERUN_EVENT_TIMING : 0, &out));
  return Event(out);
}
inline void Stream::wait(const Event &event) const { check(tilerunWaitEvent(get(), event.get())); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Elements in device memory. Allocated and freed in the order of one stream, which must outlive
/// the buffer.
template <typename T> class Buffer {
public:
  Buffer() = default;
  Buffer(const Stream &stream, size_t count) : stream(stream.get()), count(count) {
    if (count > SIZE_MAX / sizeof(T)) {
      this->stream = nullptr;
      detail::fail(TILERUN_STATUS_OUT_OF_MEMORY, "a buffer of " + std::to_string(count) +
                                                     " elements of " + std::to_string(sizeof(T)) +
                                                     " bytes: no device has that much memory");
    }
    check(tilerunAllocate(this->stream, count * sizeof(T), &address));
  }
  /// The same with contents. Waits for the copy.
  Buffer(const Stream &stream, std::span<const T> contents) : Buffer(stream, contents.size()) {
    copyFrom(contents);
  }
  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    // A failure shows at the next call on the device.
    if (stream)
      (void)tilerunFree(stream, address);
  }

  size_t size() const { return count; }
  size_t bytes() const { return count * sizeof(T); }
  Pointer<T> pointer() const { return {address}; }

  /// Copies all of it; both wait, so that host memory may go at once.
  void copyFrom(std::span<const T> from) const {
    requireSize(from.size());
    check(tilerunCopyToDevice(stream, address, from.data(), bytes()));
    check(tilerunSynchronizeStream(stream));
  }
  void copyTo(std::span<T> to) const {
    requireSize(to.size());
    check(tilerunCopyFromDevice(stream, to.data(), address, bytes()));
    check(tilerunSynchronizeStream(stream));
  }
  std::vector<T> read() const {
    std::vector<T> out(count);
    copyTo(out);
    return out;
  }
  /// From a buffer of the same size on any device, in the order of both streams.
  void copyFrom(const Buffer &from) const {
    requireSize(from.size());
    check(tilerunCopyBetweenDevices(stream, address, from.stream, from.address, bytes()));
  }
  void fillZero() const { check(tilerunFill(stream, address, 0, 1, bytes())); }

private:
  void requireSize(size_t other) const {
    if (other == count) [[likely]]
      return;
    detail::fail(TILERUN_STATUS_INVALID_ARGUMENT, "a copy of " + std::to_string(other) +
                                                      " elements from or to a buffer of " +
                                                      std::to_string(count));
  }
  void swap(Buffer &other) noexcept {
    std::swap(stream, other.stream);
    std::swap(address, other.address);
    std::swap(count, other.count);
  }
  TilerunStream *stream = nullptr;
  TilerunAddress address = 0;
  size_t count = 0;
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Programs on each axis, as integers of any type: what does not fit fails.
struct Grid {
  constexpr Grid() = default;
  template <std::integral X, std::integral Y = uint32_t, std::integral Z = uint32_t>
  constexpr Grid(X x, Y y = 1, Z z = 1) : x(convert(x)), y(convert(y)), z(convert(z)) {}
  uint32_t x = 1, y = 1, z = 1;

private:
  template <typename T> static constexpr uint32_t convert(T value) {
    if (!std::in_range<uint32_t>(value)) [[unlikely]]
      detail::fail(TILERUN_STATUS_INVALID_ARGUMENT,
                   "a grid of " + std::to_string(value) + " programs on an axis");
    return static_cast<uint32_t>(value);
  }
};

struct CompileOptions {
  uint32_t numWarps = 4, numStages = 3;
  bool debug = false;
  bool checks = false; ///< Where the device can: see TilerunCompileOptions.
  uint32_t maxnreg = 0, numCtas = 1;
  bool mayOverlap = false; ///< Of launches: TILERUN_LAUNCH_OVERLAP.
  /// Of launches on the CPU: TILERUN_LAUNCH_BOUNDS_CHECKS or _NO_BOUNDS_CHECKS; nullopt: checked,
  /// unless the environment has TILERUN_BOUNDS_CHECKS=0.
  std::optional<bool> boundsChecks = std::nullopt;
  /// The target's own: see TilerunCompileOptions. They stay the caller's.
  std::span<const TilerunPluginOption> options = {};
  /// Of launches, one for each argument: see TilerunLaunchOptions. They stay the caller's.
  std::span<const TilerunMemoryRange> ranges = {};
  TilerunCompileOptions get() const {
    return {sizeof(TilerunCompileOptions),
            numWarps,
            numStages,
            debug,
            checks,
            maxnreg,
            numCtas,
            static_cast<uint32_t>(options.size()),
            options.data()};
  }
  uint32_t getLaunchFlags() const {
    const uint32_t bounds = boundsChecks.value_or(true) ? TILERUN_LAUNCH_BOUNDS_CHECKS
                                                        : TILERUN_LAUNCH_NO_BOUNDS_CHECKS;
    return (mayOverlap ? uint32_t(TILERUN_LAUNCH_OVERLAP) : 0) | (boundsChecks ? bounds : 0);
  }
  const TilerunMemoryRange *getRanges(size_t numArguments) const {
    if (!ranges.empty() && ranges.size() != numArguments)
      detail::fail(TILERUN_STATUS_INVALID_ARGUMENT, std::to_string(ranges.size()) + " ranges for " +
                                                        std::to_string(numArguments) +
                                                        " arguments");
    return ranges.empty() ? nullptr : ranges.data();
  }
  TilerunLaunchOptions getLaunch(std::array<uint32_t, 3> grid, const TilerunCompileOptions *compile,
                                 size_t numArguments) const {
    return {sizeof(TilerunLaunchOptions), {grid[0], grid[1], grid[2]}, compile, getLaunchFlags(), 0,
            getRanges(numArguments)};
  }
};

/// A kernel compiled and loaded for one signature and device.
class Specialization {
public:
  Specialization() = default;
  explicit Specialization(TilerunSpecialization *handle) : handle(handle) {}
  TilerunSpecialization *get() const { return handle.get(); }
  std::string signature() const { return tilerunGetSignature(get()); }
  uint64_t number(uint32_t property) const {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    check(tilerunGetKernelProperty(get(), property, &value));
    return detail::getNumber(value, property);
  }
  template <typename... Arguments>
  void launch(const Stream &stream, Grid grid, const Arguments &...arguments) const {
    const std::array<TilerunArgument, sizeof...(Arguments)> packed = {makeArgument(arguments)...};
    const uint32_t programs[3] = {grid.x, grid.y, grid.z};
    check(tilerunLaunchSpecialized(stream.get(), get(), programs, packed.data(),
                                   static_cast<uint32_t>(packed.size())));
  }
  /// Of the options only those of launches count; `ranges` has one for each argument.
  template <typename... Arguments>
  void launchWith(const Stream &stream, Grid grid, const CompileOptions &options,
                  const Arguments &...arguments) const {
    const std::array<TilerunArgument, sizeof...(Arguments)> packed = {makeArgument(arguments)...};
    const TilerunLaunchOptions launch =
        options.getLaunch({grid.x, grid.y, grid.z}, nullptr, packed.size());
    check(tilerunLaunchSpecializedWith(stream.get(), get(), &launch, packed.data(),
                                       static_cast<uint32_t>(packed.size())));
  }

private:
  detail::Handle<TilerunSpecialization, tilerunReleaseSpecialization> handle;
};

class Kernel {
public:
  Kernel() = default;
  explicit Kernel(TilerunKernel *handle) : handle(handle) {}
  TilerunKernel *get() const { return handle.get(); }
  std::string name() const { return tilerunGetKernelName(get()); }

  /// The kernel with constants bound: `bind("BLOCK=1024")`.
  Kernel bind(const std::string &constants) const {
    TilerunKernel *out = nullptr;
    check(tilerunBindKernel(get(), constants.c_str(), &out));
    return Kernel(out);
  }
  Specialization specialize(const Device &device, const std::string &signature,
                            CompileOptions options = {}) const {
    TilerunSpecialization *out = nullptr;
    TilerunCompileOptions compile = options.get();
    check(tilerunSpecialize(get(), device.get(), signature.c_str(), &compile, &out));
    return Specialization(out);
  }

  /// Launches with the parameters' values in order; the first time compiles.
  template <typename... Arguments>
  void launch(const Stream &stream, Grid grid, const Arguments &...arguments) const {
    launchWith(stream, grid, CompileOptions(), arguments...);
  }
  template <typename... Arguments>
  void launchWith(const Stream &stream, Grid grid, CompileOptions options,
                  const Arguments &...arguments) const {
    const std::array<TilerunArgument, sizeof...(Arguments)> packed = {makeArgument(arguments)...};
    const TilerunCompileOptions compile = options.get();
    const TilerunLaunchOptions launch =
        options.getLaunch({grid.x, grid.y, grid.z}, &compile, packed.size());
    check(tilerunLaunch(stream.get(), get(), &launch, packed.data(),
                        static_cast<uint32_t>(packed.size())));
  }

private:
  detail::Handle<TilerunKernel, tilerunReleaseKernel> handle;
};

/// One way to launch, for Runtime::tune.
struct TuneConfig {
  Grid grid;
  CompileOptions options;
  std::vector<TilerunArgument> arguments;
};
template <typename... Arguments>
TuneConfig makeTuneConfig(Grid grid, CompileOptions options, const Arguments &...arguments) {
  return {grid, options, {makeArgument(arguments)...}};
}
/// Memory that the kernel changes, so that each run finds what the first one found.
template <typename T> TilerunTuneMemory clearedBeforeRuns(const Buffer<T> &buffer) {
  return {sizeof(TilerunTuneMemory), 0, buffer.pointer().address, buffer.bytes()};
}
template <typename T> TilerunTuneMemory restoredAfterRuns(const Buffer<T> &buffer) {
  return {sizeof(TilerunTuneMemory), 1, buffer.pointer().address, buffer.bytes()};
}
struct TuneOptions {
  uint32_t warmupMilliseconds = 25, repMilliseconds = 100;
  std::string key = {}; ///< What else the choice depends on.
  std::vector<TilerunTuneMemory> memory = {};
  bool refresh = false;     ///< Measure, whatever the cache holds.
  bool forget = false;      ///< Neither read nor write the cache.
  bool compileOnly = false; ///< Compile and load all, and run none.
  /// That compile; 1: the calling one alone; 0: TILERUN_COMPILE_THREADS, else one for each core.
  uint32_t threads = 0;
  // None of these may throw.
  std::function<void(const TilerunTuneProgress &)> progress = {}; ///< Called after each.
  /// Called while the tuning waits for compilations; false ends it.
  std::function<bool(const TilerunTuneProgress &)> waiting = {};
  /// Called around each run, with the configuration's number; false fails the configuration, and
  /// the choice is not kept.
  std::function<bool(uint32_t)> before = {}, after = {};
};
struct TuneResult {
  uint32_t best, failed;
  bool fromCache;
  double milliseconds;
};

//===----------------------------------------------------------------------===//
// Runtime
//===----------------------------------------------------------------------===//

struct DeviceDescription {
  std::string id, uuid, name, target;
};
struct PluginDescription {
  std::string path, name, version, reason;
  bool loaded;
};

class Runtime {
public:
  Runtime()
      : Runtime(TilerunRuntimeOptions{sizeof(TilerunRuntimeOptions), 0, {}, {}, {}, {}, {}, 0, 0}) {
  }
  explicit Runtime(const TilerunRuntimeOptions &options) {
    TilerunRuntime *out = nullptr;
    check(tilerunCreateRuntime(&options, &out));
    handle.reset(out);
  }
  TilerunRuntime *get() const { return handle.get(); }

  void loadPlugin(const std::string &path) const { check(tilerunLoadPlugin(get(), path.c_str())); }
  std::vector<DeviceDescription> devices() const {
    std::vector<DeviceDescription> out;
    check(tilerunListDevices(
        get(),
        [](void *user, const TilerunPluginDeviceInfo *info) {
          static_cast<std::vector<DeviceDescription> *>(user)->push_back(
              {info->id, info->uuid, info->name, info->target});
        },
        &out));
    return out;
  }
  std::vector<PluginDescription> plugins() const {
    std::vector<PluginDescription> out;
    check(tilerunListPlugins(
        get(),
        [](void *user, const TilerunPluginFile *file) {
          static_cast<std::vector<PluginDescription> *>(user)->push_back(
              {file->path, file->name, file->version, file->reason, file->loaded != 0});
        },
        &out));
    return out;
  }

  /// Identifies this build's compilers, for keys of a host's own caches.
  std::string compilerKey() const {
    std::string out;
    check(tilerunGetCompilerKey(
        get(), [](void *user, const char *key) { *static_cast<std::string *>(user) = key; }, &out));
    return out;
  }

  /// By id ("cuda:0"), UUID form or kind; without one, the first that is not the CPU.
  Device open() const { return openDevice(nullptr, nullptr); }
  Device open(const std::string &id) const { return openDevice(id.c_str(), nullptr); }
  Device open(const std::string &id, const TilerunDeviceOptions &options) const {
    return openDevice(id.c_str(), &options);
  }

  Kernel load(const std::string &path, const std::string &kernel) const {
    TilerunKernel *out = nullptr;
    check(tilerunLoadKernel(get(), path.c_str(), kernel.c_str(), &out));
    return Kernel(out);
  }
  Kernel loadText(const std::string &name, const std::string &text,
                  const std::string &kernel) const {
    TilerunKernel *out = nullptr;
    check(
        tilerunLoadKernelText(get(), name.c_str(), text.data(), text.size(), kernel.c_str(), &out));
    return Kernel(out);
  }
  Kernel loadBytecode(std::span<const uint8_t> bytecode, const std::string &kernel) const {
    TilerunKernel *out = nullptr;
    check(tilerunLoadKernelBytecode(get(), bytecode.data(), bytecode.size(), kernel.c_str(), &out));
    return Kernel(out);
  }

  /// Measures ways to launch a kernel, and gives the fastest.
  TuneResult tune(const Stream &stream, const Kernel &kernel, std::span<const TuneConfig> configs,
                  const TuneOptions &options = {}) const {
    std::vector<TilerunCompileOptions> compile;
    for (const TuneConfig &config : configs)
      compile.push_back(config.options.get());
    std::vector<TilerunTuneConfig> all;
    std::vector<TilerunTuneLaunch> launches;
    for (const TuneConfig &config : configs)
      launches.push_back({sizeof(TilerunTuneLaunch), config.options.getLaunchFlags(),
                          config.options.getRanges(config.arguments.size())});
    std::vector<const TilerunTuneLaunch *> pointers;
    for (const TilerunTuneLaunch &launch : launches)
      pointers.push_back(&launch);
    for (size_t i = 0; i < configs.size(); ++i) {
      const TuneConfig &config = configs[i];
      all.push_back({sizeof(TilerunTuneConfig),
                     {config.grid.x, config.grid.y, config.grid.z},
                     kernel.get(),
                     &compile[i],
                     config.arguments.data(),
                     static_cast<uint32_t>(config.arguments.size()),
                     0});
    }
    TilerunTuneOptions given = {};
    given.struct_size = sizeof(given);
    given.flags = (options.refresh ? uint32_t(TILERUN_TUNE_REFRESH) : 0) |
                  (options.forget ? uint32_t(TILERUN_TUNE_FORGET) : 0) |
                  (options.compileOnly ? uint32_t(TILERUN_TUNE_COMPILE) : 0);
    given.num_threads = options.threads;
    given.warmup_ms = options.warmupMilliseconds;
    given.rep_ms = options.repMilliseconds;
    given.key = options.key.c_str();
    given.memory = options.memory.data();
    given.num_memory = static_cast<uint32_t>(options.memory.size());
    given.launches = pointers.data();
    given.user = const_cast<TuneOptions *>(&options);
    if (options.progress)
      given.progress = [](void *user, const TilerunTuneProgress *progress) {
        static_cast<const TuneOptions *>(user)->progress(*progress);
      };
    static constexpr auto toStatus = [](bool ok) -> TilerunStatus {
      return ok ? TILERUN_STATUS_OK : TILERUN_STATUS_INTERNAL;
    };
    if (options.waiting)
      given.waiting = [](void *user, const TilerunTuneProgress *progress) -> TilerunStatus {
        return toStatus(static_cast<const TuneOptions *>(user)->waiting(*progress));
      };
    if (options.before)
      given.before = [](void *user, uint32_t config) -> TilerunStatus {
        return toStatus(static_cast<const TuneOptions *>(user)->before(config));
      };
    if (options.after)
      given.after = [](void *user, uint32_t config) -> TilerunStatus {
        return toStatus(static_cast<const TuneOptions *>(user)->after(config));
      };
    TilerunTuneResult result = {};
    result.struct_size = sizeof(result);
    check(tilerunTuneKernel(get(), stream.get(), all.data(), static_cast<uint32_t>(all.size()),
                            &given, &result));
    return {result.best, result.num_failed, result.from_cache != 0, result.milliseconds};
  }

private:
  Device openDevice(const char *id, const TilerunDeviceOptions *options) const {
    TilerunDevice *out = nullptr;
    check(tilerunOpenDevice(get(), id, options, &out));
    return Device(out);
  }
  detail::Handle<TilerunRuntime, tilerunDestroyRuntime> handle;
};

} // namespace tilerun

#endif // TILERUN_TILERUN_HPP
