// `tilerun lsp`: the language server for editors.
#include "runtime/compiler/Backend.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/lsp/Server.h"

using namespace tilerun;
using namespace tilerun::command;

namespace {

/// The target that layouts are shown of where none is named.
constexpr llvm::StringLiteral kDefaultTarget{"cuda:sm_90a"};

/// Layouts of a plugin's compiler.
class PluginLayouts final : public lsp::LayoutSource {
public:
  explicit PluginLayouts(const Options &options) : options(options) {}

  llvm::Error chooseTarget(llvm::StringRef name) override {
    target.clear();
    TILERUN_TRY_VALUE(found, findCompiler(name));
    std::string reason;
    std::vector<plugin::Phase> phases = found->getPhases(name.str(), reason);
    if (llvm::none_of(phases, [](const plugin::Phase &phase) { return phase.name == "layout"; }))
      return makeUsageError("--target: " + name + " distributes nothing over threads" +
                            (reason.empty() ? "" : ": " + reason));
    compiler = std::move(found);
    target = name.str();
    return llvm::Error::success();
  }
  const std::string &getTarget() const override { return target; }

  llvm::Expected<std::string> emit(CompiledKernel &kernel,
                                   const KernelSignature &signature) override {
    CompileSettings settings(signature, options);
    settings.add("locations", "true");
    std::vector<uint8_t> bytecode;
    std::string text;
    core::Status status =
        compiler::makeBytecode(*kernel.module, kernel.name, settings.get(), bytecode);
    if (status.isOk())
      status = compiler::Backend::emit(*compiler, target, bytecode, settings.get(), "layout",
                                       [&](const TilerunPluginArtifact &artifact) {
                                         text.assign(reinterpret_cast<const char *>(artifact.bytes),
                                                     artifact.num_bytes);
                                       });
    TILERUN_TRY_LIBRARY(status);
    return text;
  }

private:
  const Options &options;
  std::shared_ptr<const plugin::Plugin> compiler;
  std::string target;
};

} // namespace

llvm::Expected<ExitCode> command::runLsp(const Options &options) {
  PluginLayouts layouts(options);
  if (!options.targets.empty())
    TILERUN_TRY_ERROR(layouts.chooseTarget(options.targets.front()));
  else
    // It may have been built without that plugin; everything else works without layouts.
    llvm::consumeError(layouts.chooseTarget(kDefaultTarget));
  lsp::Server server(stdin, llvm::outs(), layouts);
  auto wasShutDown = server.serve();
  if (!wasShutDown)
    return withExitCode(wasShutDown.takeError(), ExitCode::Usage);
  // The protocol's own codes: 1 if the client ends without 'shutdown'.
  return *wasShutDown ? ExitCode::Ok : ExitCode::Mismatch;
}
