// Programs that the compiler can compile: kernels in Python source, and kernels in tile IR. The
// only place of the runtime that knows the frontend; separate from core so that core can be built
// and tested without LLVM.
#pragma once

#include "runtime/cache/ArtifactCache.h"
#include "runtime/core/Program.h"

#include <utility>

namespace tilerun {
class Frontend;
class LoadedModule;
struct JitFunction;
} // namespace tilerun

namespace tilerun::compiler {

using Log = std::function<void(int32_t level, const std::string &text)>;

/// Shared by the programs of one runtime.
struct Services {
  std::shared_ptr<cache::ArtifactCache> cache; ///< Null: everything is compiled.
  /// Takes warnings and what kernels print while they are compiled; from any thread.
  Log log;
};

/// Collects what this thread tells deferrable logs, as long as it lives, so that another thread can
/// pass it on. They do not nest.
class DeferredLog {
public:
  DeferredLog();
  ~DeferredLog();
  DeferredLog(const DeferredLog &) = delete;
  DeferredLog &operator=(const DeferredLog &) = delete;
  /// Calls that pass the texts on, in their order.
  std::vector<std::function<void()>> take() { return std::exchange(calls, {}); }

private:
  friend Log makeDeferrable(Log log);
  std::vector<std::function<void()>> calls;
};
/// A log that tells `log` at once, but on threads with a DeferredLog.
Log makeDeferrable(Log log);

/// As SourceManager has it, which is not for the users of this header.
constexpr uint64_t kMostTextBytes = uint64_t(64) << 20;

/// Reads a file, and finds a kernel in it. NOT_FOUND, COMPILE with the diagnostics.
core::Status loadFile(std::shared_ptr<const Services> services, const std::string &path,
                      const std::string &kernel, std::shared_ptr<core::Program> &program);
/// The same from text, whose name stands for the path.
core::Status loadText(std::shared_ptr<const Services> services, const std::string &name,
                      std::string text, const std::string &kernel,
                      std::shared_ptr<core::Program> &program);
/// The same from texts by import name, of which the first has the kernel; nothing is read from
/// disk.
struct SourceText {
  std::string module, path, text;
};
core::Status loadSources(std::shared_ptr<const Services> services, std::vector<SourceText> sources,
                         const std::string &kernel, std::shared_ptr<core::Program> &program);
/// Of a file that the caller's own frontend has loaded. Both must outlive the program, which is for
/// one thread at a time. The frontend's messages stay among its diagnostics.
std::shared_ptr<core::Program> adoptKernel(std::shared_ptr<const Services> services,
                                           Frontend &frontend, LoadedModule &module,
                                           const JitFunction &function);
/// A function's parameters, as such a program has them.
std::vector<core::SourceParameter> describeParameters(const JitFunction &function);
/// From a module in tile IR, as bytecode or text.
core::Status loadTileIr(std::shared_ptr<const Services> services, llvm::StringRef module,
                        const std::string &kernel, std::shared_ptr<core::Program> &program);

/// Identifies the builds of the frontend, the optimizer and these plugins: 64 digits, independent
/// of the plugins' order.
std::string getCompilerKey(std::vector<std::shared_ptr<const plugin::Plugin>> plugins);

/// A name of the language; the fields are those of TilerunLanguageName.
struct LanguageName {
  std::string name;
  const char *kind;
  std::string value, documentation;
};
/// Calls back with the names in a namespace ("triton.language"), sorted.
void listLanguage(const std::string &path, const std::function<void(const LanguageName &)> &each);

} // namespace tilerun::compiler
