// The plugin's handles and errors.
//
// Rules: work is done in the calling thread before a call returns, under the lock of its stream, so
// that a stream keeps its order and events have always passed. An error in a kernel is kept as a
// fault until a call waits for its stream, as the ABI requires. All openings of the device share
// one memory.
#pragma once

#include "backends/interpreter/Interpreter.h"
#include "plugins/support/LossLatch.h"
#include "runtime/include/tilerun/plugin.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <set>

namespace tilerun::cpu {

/// The faults of kernels since the last wait.
struct Fault {
  std::string text;     ///< For people; empty if there is none.
  std::string findings; ///< Of checks: JSON objects, separated by commas.
  void add(const Fault &other);
  TilerunStatus report(const TilerunErrorSink *sink, const char *call) const; ///< OK if empty.
};

/// How a kernel runs, as options of its compilation say and its artifact keeps.
struct RunOptions {
  bool debug = false;
  uint32_t numThreads = 0; ///< Of the host; 0: one per core.
  interp::CheckOptions checks;
  interp::WatchOptions watch;
};

/// A stream; adopted handles share it with its owner.
struct Stream {
  std::mutex running; ///< Held while work of the stream runs.
  std::mutex mutex;   ///< Guards what follows.
  Fault fault;
};

/// A self-test kernel that tile IR has no ops for. Returns why the device is lost; empty if it is
/// not.
using HostKernel = std::string (*)(interp::Heap &heap, const uint64_t *arguments);

} // namespace tilerun::cpu

struct TilerunPluginDevice {
  std::shared_ptr<tilerun::cpu::Stream> stream = std::make_shared<tilerun::cpu::Stream>();
  std::mutex mutex;                                        ///< Guards what follows.
  std::set<std::shared_ptr<tilerun::cpu::Stream>> streams; ///< Live ones, the own one not.
  tilerun::cpu::Fault fault;                               ///< Of streams that were destroyed.
  tilerun::plugin_support::LossLatch loss;
};
struct TilerunPluginStream {
  TilerunPluginDevice *device;
  std::shared_ptr<tilerun::cpu::Stream> stream;
  bool adopted;
};
struct TilerunPluginEvent {
  TilerunPluginDevice *device;
  bool timing;
  std::mutex mutex; ///< Guards what follows.
  std::shared_ptr<tilerun::cpu::Stream> stream;
  std::chrono::steady_clock::time_point time;
};
struct TilerunPluginKernel {
  TilerunPluginDevice *device;
  std::string name;
  uint32_t threads;
  /// The code: a program, or for some self-tests a function.
  std::unique_ptr<tilerun::interp::Program> program;
  tilerun::cpu::HostKernel host = nullptr;
  std::vector<tilerun::interp::Dtype> types; ///< Of the parameters.
  tilerun::cpu::RunOptions options;
};
struct TilerunPluginModule {
  TilerunPluginDevice *device;
  std::vector<std::unique_ptr<TilerunPluginKernel>> kernels;
};

namespace tilerun::cpu {

constexpr const char *kDeviceId = "cpu:0";
constexpr const char *kTarget = "cpu:interpreter";
constexpr uint32_t kMaxThreads = 1024;

/// The memory of the device.
interp::Heap &getHeap();

/// Reports and returns `status`.
TilerunStatus fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                   llvm::StringRef what, const char *driverWord = nullptr);
/// Reports an error of the interpreter.
TilerunStatus fail(const TilerunErrorSink *sink, const char *call, llvm::Error error);

/// OK, or DEVICE_LOST with the reason.
TilerunStatus checkAlive(TilerunPluginDevice *device, const char *call,
                         const TilerunErrorSink *sink);
/// The stream that a null handle means.
inline Stream &getStream(TilerunPluginDevice *device, TilerunPluginStream *stream) {
  return stream ? *stream->stream : *device->stream;
}
/// Adds to the faults that a stream has to report.
void addFault(Stream &stream, const Fault &fault);
/// Takes the faults that a stream has to report.
Fault takeFault(Stream &stream);
/// The findings of checks, as a fault.
Fault makeFault(const interp::CheckReport &report);
/// Who wrote what, in the same form.
Fault makeFault(const interp::WriterMap &map);
Fault makeFault(const interp::WorkCount &work);

/// Reads a list of checks, "bounds,races", or "true" for those that the library turns on; returns
/// what an option's setter does (plugins/support/Options.h).
std::string parseChecks(llvm::StringRef text, interp::CheckOptions &checks);
std::string formatChecks(const interp::CheckOptions &checks);
/// The same for "activity,writers".
std::string parseWatch(llvm::StringRef text, interp::WatchOptions &watch);
std::string formatWatch(const interp::WatchOptions &watch);

/// The contents of a kernel's artifact besides code.
struct KernelHeader {
  std::string name;
  uint32_t threads = 1;
};
/// The format of artifacts: a header of lines, then bytecode.
struct ArtifactContent {
  RunOptions options;
  std::vector<KernelHeader> kernels;
  std::string hostKernel; ///< Of a self-test that is a function; then there is no code.
  std::vector<uint8_t> code;
};
std::vector<uint8_t> encodeArtifact(const ArtifactContent &content);
/// Nothing for bytes that are not an artifact.
std::optional<ArtifactContent> decodeArtifact(llvm::ArrayRef<uint8_t> bytes);

/// The compatibility string of this build's artifacts.
std::string getCompatibility();

/// An artifact with all that it points to, as release_artifact expects. `types` by kernel.
struct KernelParameters {
  std::vector<std::string> names;
  std::vector<interp::Dtype> types;
};
const TilerunPluginArtifact *makeArtifact(const ArtifactContent &content,
                                          std::vector<KernelParameters> parameters);
/// Releases one of makeArtifact. Null is ignored.
void releaseArtifact(const TilerunPluginArtifact *artifact);

/// Compiles tile IR that was read: decodes once to find what is not possible, encodes.
struct CompileOptions {
  RunOptions run;
  uint32_t threads = 1; ///< What launches have to say.
};
llvm::Expected<const TilerunPluginArtifact *> compileBytecode(llvm::ArrayRef<uint8_t> bytecode,
                                                              const CompileOptions &options);
llvm::Expected<const TilerunPluginArtifact *> compileText(llvm::StringRef text,
                                                          const CompileOptions &options);

/// The self-test kernel of a name that is a function, and its parameters; null for others.
HostKernel findHostKernel(llvm::StringRef name, KernelParameters &parameters);

/// The entries of the table, by file.
void addCompileEntries(TilerunPlugin &table);
void addSelfTestEntries(TilerunPlugin &table);
void addDeviceEntries(TilerunPlugin &table);
void addMemoryEntries(TilerunPlugin &table);
void addStreamEntries(TilerunPlugin &table);
void addModuleEntries(TilerunPlugin &table);

} // namespace tilerun::cpu

/// Begins an entry that works on a device: refuses a lost one.
#define CPU_ENTER(device, sink, call)                                                              \
  if (TilerunStatus lost_ = ::tilerun::cpu::checkAlive(device, call, sink))                        \
  return lost_
