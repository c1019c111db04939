// The one narrow interface between programs that run kernels and the devices that run them:
// enumerate, allocate, copy, load a module, launch. It carries bytes (MLIR bytecode) and plain
// values only, never compiler objects, because it is going to stand behind a C plugin ABI.
//
// Rules of this folder: public entry points validate their arguments and say what was wrong;
// implementations may assert. Errors are `llvm::Error`s of class `DeviceError`, which name the call
// and the device. All functions of one device may be called from several threads unless a comment
// says otherwise.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilerun {

/// What kind of failure an error is; the command's exit code follows from it.
enum class DeviceErrorKind {
  InvalidArgument, ///< The caller passed something impossible (a grid of zero, a surplus argument).
  Unavailable,     ///< No such device, or the plugin cannot be used.
  OutOfMemory,     ///< An allocation failed; nothing else changed.
  Compile,         ///< The module cannot be compiled for this device; the text has the diagnostics.
  Fault,           ///< A program did something wrong while it ran (assertion, bad address).
  Internal         ///< A bug in Tilerun.
};

/// An error of the device layer.
class DeviceError : public llvm::ErrorInfo<DeviceError> {
public:
  static char ID;
  DeviceError(DeviceErrorKind kind, std::string message)
      : kind(kind), message(std::move(message)) {}
  DeviceErrorKind getKind() const { return kind; }
  const std::string &getMessage() const { return message; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  DeviceErrorKind kind;
  std::string message;
};

llvm::Error makeDeviceError(DeviceErrorKind kind, const llvm::Twine &message);

/// An address in a device's memory. 0 is never a valid allocation.
using DeviceAddress = uint64_t;

/// A position in kernel source.
struct SourcePosition {
  std::string file;
  unsigned line = 0;   ///< 1-based; 0 where unknown.
  unsigned column = 0; ///< 1-based.
};

/// One finding of a checked launch.
struct CheckReport {
  enum class Kind {
#define TILERUN_CHECK_KIND(name, word) name,
#include "ir/tile/CheckKinds.def"
  };
  Kind kind;
  std::string kernel;
  std::array<uint32_t, 3> program{}; ///< Program id of the finding.
  std::vector<int64_t> element;      ///< Index in the tensor of the access; empty for a scalar.
  DeviceAddress address = 0;         ///< For memory findings.
  std::string message;     ///< One sentence; includes the address relative to which argument.
  SourcePosition position; ///< Where in the kernel's source.
  std::vector<SourcePosition> callStack; ///< Call sites of inlined helpers, innermost first.
  SourcePosition other; ///< Of the access that a race is with, or of the store of a masked value;
                        ///< line 0 where there is none.
  uint64_t count = 1;   ///< How often the same finding (kind and position) occurred.
};
llvm::StringRef getCheckKindName(CheckReport::Kind kind); ///< "out-of-bounds-read", …
/// Whether a finding may be by design, or is no mistake on this device: it does not fail a check.
bool isWarning(CheckReport::Kind kind);

/// Which checks a launch makes (only devices whose properties say `supportsChecks`).
struct CheckOptions {
  bool bounds = false;
  bool uninitialized = false;
  bool races = false;
  bool integerOverflow = false;
  bool nanInf = false;
  bool unwritten = false;    ///< Parts of tensors that were never written, before or by the launch.
  bool maskedValues = false; ///< Masked-off lanes without `other` that reach what is stored.
  bool any() const {
    return bounds || uninitialized || races || integerOverflow || nanInf || unwritten ||
           maskedValues;
  }
  static CheckOptions all() { return {true, true, true, true, false, true, true}; }
};

/// One argument of a launch, in the order of the kernel's parameters (constexprs are gone by then).
struct LaunchArgument {
  enum class Kind { Pointer, Integer, Float };
  /// Of the tensor that begins at a pointer, for messages; strides in elements.
  struct Shape {
    std::vector<int64_t> sizes, strides;
  };
  Kind kind;
  uint64_t bits = 0; ///< Address, two's complement integer, or the IEEE bits of a double.
  std::optional<Shape> shape{};
  static LaunchArgument pointer(DeviceAddress a) { return {Kind::Pointer, a}; }
  static LaunchArgument integer(uint64_t v) { return {Kind::Integer, v}; }
  static LaunchArgument floating(double v);
};

struct LaunchOptions {
  std::array<uint64_t, 3> grid{1, 1, 1};
  unsigned numThreads =
      0; ///< Host threads for the interpreter; 0: one per core, 1 when checks are on.
  CheckOptions checks;
  bool debug = false; ///< device_assert and overflow checks are live.
  bool timed = true;  ///< Whether `seconds` of the result is wanted.
  /// Whether an access outside of the memory that its pointer came from ends the launch, on devices
  /// that can tell.
  bool bounds = true;
};

/// How a module is compiled for its device; devices without a compiler of their own ignore it.
struct LoadOptions {
  unsigned numWarps = 4;
  unsigned numStages = 3;
  unsigned numCtas = 1;
  std::optional<unsigned> maxnreg; ///< Most registers of a thread.
  bool debug = false;              ///< device_assert and overflow checks are live.
  bool useCache = true;            ///< Whether compiled code may come from, and go into, the cache.
};

/// A module to compile, and a text of the caller's to keep with what it becomes.
struct SourceModule {
  std::vector<uint8_t> bytecode;
  std::string note;
  bool keep = true; ///< False if it says more than code and note (warnings).
};
/// A module that is made only if it is needed.
struct KernelSource {
  std::string identity; ///< Stands for all that decides what `make` gives; "" if nothing does.
  std::string name;     ///< Of the kernel.
  llvm::function_ref<llvm::Expected<SourceModule>()> make;
};

/// What a launch tells besides success.
struct LaunchResult {
  std::vector<CheckReport> reports; ///< In order of first occurrence.
  std::string printed;              ///< Output of device_print, in program order.
  double seconds = 0;               ///< Wall time of the launch alone; 0 if it was not timed.
};

/// A kernel that a device has compiled. Holds its module alive.
class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;
  virtual llvm::StringRef getName() const = 0;
  virtual size_t getNumArguments() const = 0;
};

struct DeviceProperties {
  std::string id;   ///< "cpu", "cuda:0".
  std::string uuid; ///< "cuda:GPU-1d2c…", of this very device; may be empty.
  std::string name; ///< "Reference interpreter".
  std::string arch; ///< "x86_64", "sm_90a".
  uint64_t memoryBytes = 0;
  unsigned numUnits = 0; ///< Cores or multiprocessors.
  unsigned warpSize = 1;
  bool supportsChecks = false;
  bool checksBounds = false; ///< LaunchOptions::bounds has an effect.
  std::array<uint64_t, 3> maxGrid{2147483647, 65535, 65535};
  uint64_t maxPrograms = UINT64_MAX; ///< Of one launch, over all axes.
};

class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceProperties &getProperties() const = 0;

  /// Allocates `bytes` (0 is allowed: a distinct address) aligned to at least 256 bytes. `label`
  /// names the allocation in reports.
  virtual llvm::Expected<DeviceAddress> allocate(uint64_t bytes, llvm::StringRef label) = 0;
  virtual llvm::Error free(DeviceAddress address) = 0;
  /// Copies; the range must lie inside one live allocation. copyIn marks the bytes as initialized.
  virtual llvm::Error copyIn(DeviceAddress to, llvm::ArrayRef<uint8_t> from) = 0;
  virtual llvm::Error copyOut(llvm::MutableArrayRef<uint8_t> to, DeviceAddress from) = 0;
  /// Fills an allocation with a poison pattern (NaN for floats) and marks it as never written.
  virtual llvm::Error poison(DeviceAddress address) = 0;

  /// Compiles the `tile.kernel` function `name` of a module in MLIR bytecode (tile dialect,
  /// optimized or not).
  virtual llvm::Expected<std::unique_ptr<DeviceKernel>> load(llvm::ArrayRef<uint8_t> bytecode,
                                                             llvm::StringRef name) = 0;
  /// The same with options for the device's own compiler.
  virtual llvm::Expected<std::unique_ptr<DeviceKernel>>
  loadWith(llvm::ArrayRef<uint8_t> bytecode, llvm::StringRef name, const LoadOptions &options) {
    return load(bytecode, name);
  }

  /// The same for a source. A device that keeps compiled code may go without `make`; `note` is what
  /// `make` gave, now or then.
  virtual llvm::Expected<std::unique_ptr<DeviceKernel>>
  loadSource(const KernelSource &source, const LoadOptions &options, std::string &note);

  /// Runs one grid to completion. A check that finds something is not an error; a fault is.
  virtual llvm::Expected<LaunchResult> launch(DeviceKernel &kernel,
                                              llvm::ArrayRef<LaunchArgument> arguments,
                                              const LaunchOptions &options) = 0;
};

/// The devices of this process: the embedded ones, and those of plugins. For one thread at a time;
/// of two devices with one id the first counts.
class DeviceRegistry {
public:
  using Factory = std::function<llvm::Expected<std::unique_ptr<Device>>()>;
  /// `uuid` is another name, by which the device can be opened but which is not listed.
  void add(std::string id, Factory factory, std::string uuid = "");
  /// Adds devices that cost time to find: `find` runs once, when the list is asked for or a device
  /// that is not yet known.
  void addLater(std::function<void(DeviceRegistry &)> find);
  /// Ids in the order of registration.
  std::vector<std::string> list() const;
  /// Opens a device by its id or uuid; an unknown one gives `Unavailable` with the ids there are.
  llvm::Expected<std::unique_ptr<Device>> open(llvm::StringRef id) const;

private:
  struct Entry {
    std::string id, uuid;
    Factory factory;
  };
  void findAll() const;
  mutable std::vector<Entry> entries;
  mutable std::vector<std::function<void(DeviceRegistry &)>> finders;
};

} // namespace tilerun
