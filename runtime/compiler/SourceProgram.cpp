// Kernels in Python source.
#include "runtime/cache/PluginArtifacts.h"
#include "runtime/compiler/Backend.h"

#include "frontend/Frontend.h"
#include "frontend/sema/Names.h"
#include "ir/tile/TileOps.h"
#include "runtime/core/Arguments.h"
#include "runtime/plugin/Trace.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::compiler;
using core::SignatureEntry;
using core::SourceParameter;
using core::Status;

static uint16_t toPublic(DType type) { return core::findType(dtype(type.scalar).signature()); }

// The value of TilerunCompileOptions.debug.
constexpr uint32_t kAssertionsAlone = 2;

namespace {

class SourceProgram : public core::Program {
public:
  explicit SourceProgram(std::shared_ptr<const Services> services)
      : backend(std::move(services)), own(std::make_unique<Frontend>()), frontend(*own) {}
  SourceProgram(std::shared_ptr<const Services> services, Frontend &frontend, LoadedModule &module,
                const JitFunction &function)
      : backend(std::move(services)), frontend(frontend), module(&module) {
    setFunction(function);
  }

  using Load = llvm::function_ref<LoadedModule *(Frontend &)>;
  Status load(const std::string &path, Load loadModule, const std::string &kernel);

  const std::string &getName() const override { return name; }
  const std::vector<SourceParameter> &getParameters() const override { return parameters; }
  Status parseSignature(const std::string &text,
                        std::vector<SignatureEntry> &entries) const override;
  Status checkGlobal(const std::string &global) override;
  Status compile(const core::Device &device, const std::string &signature,
                 const TilerunCompileOptions &options, core::CompiledArtifact &artifact) override;
  Status emit(const plugin::Plugin &plugin, const std::string &target, const std::string &signature,
              const TilerunCompileOptions &options, const std::string &stage,
              const TakeArtifact &take) override;
  std::string getDigest() const override { return digest + " " + function->qualifiedName; }
  void refuse(const core::Device &device, const std::string &signature,
              const TilerunCompileOptions &options) override {
    backend.refuse(device, signature, options);
  }

private:
  /// Diagnostics as text with carets, which go to the log unless there is an error.
  struct Messages {
    std::string text;
    int32_t level = TILERUN_LOG_INFO; ///< That of warnings, if there are some, and not only notes.
  };
  Status readSignature(const std::string &text, const std::string &target,
                       const TilerunCompileOptions &options, KernelSignature &signature) const;
  /// Runs the frontend and the optimizer. `text`, if not null, takes the stage that it names by
  /// then: "tile" the result, "writes" the parameters that it may write.
  Status makeTile(const KernelSignature &signature, const TilerunCompileOptions &options,
                  std::vector<uint8_t> &bytecode, std::string &printed, Messages &messages,
                  std::string *text = nullptr);
  void setFunction(const JitFunction &function);
  /// The diagnostics so far; they are cleared. Those of a caller's frontend stay there.
  Messages takeDiagnostics();
  void log(const Messages &messages) const {
    if (!messages.text.empty() && backend.getServices().log)
      backend.getServices().log(messages.level, messages.text);
  }

  Backend backend;
  std::string name;   ///< Of the function in the module.
  std::string digest; ///< Of the sources.
  std::vector<SourceParameter> parameters;
  std::mutex mutex;              ///< Guards what follows: the frontend serves one thread at a time.
  std::unique_ptr<Frontend> own; ///< Null: the caller's is used.
  Frontend &frontend;
  LoadedModule *module = nullptr;
  const JitFunction *function = nullptr;
};

} // namespace

SourceProgram::Messages SourceProgram::takeDiagnostics() {
  Messages out;
  if (!own)
    return out;
  llvm::raw_string_ostream os(out.text);
  DiagnosticEngine &diagnostics = frontend.getDiagnostics();
  diagnostics.print(os, /*color=*/false);
  if (llvm::any_of(diagnostics.getDiagnostics(),
                   [](const Diagnostic &d) { return d.severity != Severity::Note; }))
    out.level = TILERUN_LOG_WARNING;
  diagnostics.clear();
  return out;
}

std::vector<SourceParameter> compiler::describeParameters(const JitFunction &function) {
  std::vector<SourceParameter> all;
  for (const ast::Parameter &parameter : function.def->parameters) {
    SourceParameter &out = all.emplace_back();
    out.name = parameter.name.str();
    out.isConstexpr = sema::isConstexprAnnotation(parameter.annotation);
    out.hasDefault = parameter.defaultValue != nullptr;
    out.specialize = !llvm::is_contained(function.doNotSpecialize, out.name);
    out.specializeAlignment = !llvm::is_contained(function.doNotSpecializeOnAlignment, out.name);
    if (std::optional<DType> type = sema::getAnnotatedType(parameter.annotation))
      out.annotation = toPublic(*type);
  }
  return all;
}

Status SourceProgram::load(const std::string &path, Load loadModule, const std::string &kernel) {
  Span span("compile", "parse");
  module = loadModule(frontend);
  if (!module)
    return Status(TILERUN_STATUS_COMPILE, takeDiagnostics().text);
  log(takeDiagnostics());
  const JitFunction *found = module->findFunction(kernel);
  if (!found) {
    std::vector<llvm::StringRef> names;
    names.reserve(module->functions.size());
    for (const auto &candidate : module->functions)
      names.push_back(candidate->qualifiedName);
    std::string known;
    for (llvm::StringRef candidate : llvm::ArrayRef(names).take_front(12))
      known += (known.empty() ? "'" : ", '") + candidate.str() + "'";
    auto near = findNearName(kernel, names);
    return Status(TILERUN_STATUS_NOT_FOUND,
                  "'" + path + "' has no kernel '" + kernel + "'" +
                      (near            ? "; did you mean '" + near->str() + "'?"
                       : known.empty() ? "; it " + module->describeNoKernels()
                                       : "; it has " + known));
  }
  setFunction(*found);
  return {};
}

void SourceProgram::setFunction(const JitFunction &found) {
  function = &found;
  name = function->def->name.str();
  parameters = describeParameters(found);
  digest = frontend.getSourceDigest();
}

Status SourceProgram::parseSignature(const std::string &text,
                                     std::vector<SignatureEntry> &entries) const {
  llvm::Expected<KernelSignature> signature = tilerun::parseSignature(text);
  if (!signature)
    return Status::invalid("kernel '" + name + "': " + llvm::toString(signature.takeError()));
  for (const auto &[parameter, spec] : signature->arguments) {
    SignatureEntry entry;
    entry.name = parameter;
    if (auto *typed = std::get_if<TypedArgument>(&spec)) {
      entry.isPointer = typed->type.isPointer();
      // A pointer to pointers says nothing about what it points to.
      if (typed->type.pointerDepth <= 1)
        entry.dtype = toPublic(typed->type);
      entry.divisibility = typed->divisibility;
      entry.isSmall = typed->isSmall;
    } else {
      entry.isConstant = true;
    }
    entries.push_back(std::move(entry));
  }
  return {};
}

Status SourceProgram::checkGlobal(const std::string &global) {
  std::lock_guard lock(mutex);
  GlobalState state = frontend.getGlobalState(*function, global);
  if (state == GlobalState::Unknown)
    return {};
  return Status::invalid(
      "kernel '" + name + "' has no parameter '" + global + "' that could be bound" +
      (state == GlobalState::Known ? ", and the source says what its global is" : ""));
}

Status SourceProgram::readSignature(const std::string &text, const std::string &target,
                                    const TilerunCompileOptions &options,
                                    KernelSignature &out) const {
  llvm::Expected<KernelSignature> signature = tilerun::parseSignature(text);
  if (!signature)
    return Status::invalid("kernel '" + name + "': " + llvm::toString(signature.takeError()));
  signature->numWarps = options.num_warps;
  signature->numStages = options.num_stages;
  signature->numCtas = options.num_ctas;
  if (options.maxnreg)
    signature->maxnreg = options.maxnreg;
  signature->debug = options.debug != 0;
  signature->target = target;
  out = std::move(*signature);
  return {};
}

Status SourceProgram::emit(const plugin::Plugin &plugin, const std::string &target,
                           const std::string &text, const TilerunCompileOptions &options,
                           const std::string &stage, const TakeArtifact &take) {
  KernelSignature signature;
  TILERUN_TRY(readSignature(text, target, options, signature));
  std::vector<uint8_t> bytecode;
  std::string printed, own = stage;
  Messages messages;
  const bool isOwn = Backend::isTileStage(stage);
  TILERUN_TRY(makeTile(signature, options, bytecode, printed, messages, isOwn ? &own : nullptr));
  if (messages.level == TILERUN_LOG_WARNING)
    log(messages);
  if (!isOwn)
    return Backend::emit(plugin, target, bytecode, options, stage, take);
  Backend::takeText(own, stage, take);
  return {};
}

// The frontend is in the same object as this function.
static const std::string &getFrontendBuild() {
  static const std::string build =
      cache::getBuildId(reinterpret_cast<const void *>(&compiler::loadFile));
  return build;
}

std::string compiler::getCompilerKey(std::vector<std::shared_ptr<const plugin::Plugin>> plugins) {
  llvm::sort(plugins, [](const auto &a, const auto &b) { return a->getName() < b->getName(); });
  cache::KeyBuilder key("compilers");
  key.add("frontend", llvm::StringRef(getFrontendBuild()));
  for (const std::shared_ptr<const plugin::Plugin> &plugin : plugins)
    cache::addPluginFields(key, plugin->getTable());
  return key.finish().toHex();
}

Status SourceProgram::compile(const core::Device &device, const std::string &text,
                              const TilerunCompileOptions &options,
                              core::CompiledArtifact &artifact) {
  KernelSignature signature;
  TILERUN_TRY(readSignature(text, device.getInfo().target, options, signature));
  Span span("compile", "compile " + name);
  if (span) {
    span.note("device", device.getId());
    span.note("signature", text);
  }
  cache::KeyBuilder source("artifact of source");
  source.add("frontend", llvm::StringRef(getFrontendBuild()))
      .add("sources", llvm::StringRef(digest))
      .add("kernel", llvm::StringRef(function->qualifiedName))
      .add("signature", llvm::StringRef(getCanonicalText(signature)));
  if (Frontend::isStrict())
    source.add("strict", llvm::StringRef("1"));
  if (options.debug == kAssertionsAlone)
    source.add("overflow checks", llvm::StringRef("none"));
  Messages messages;
  Status status = backend.compileSource(
      device, source,
      [&](std::vector<uint8_t> &bytecode, std::string &printed) {
        return makeTile(signature, options, bytecode, printed, messages);
      },
      text, options, artifact);
  // Here no lock is held, and no other program waits for this one's artifact.
  log(messages);
  if (span && status.isOk())
    span.note("from cache", artifact.fromCache ? "true" : "false");
  return status;
}

// Integers wrap, as programs expect whose host code says so (`sanitize_overflow=False`).
static void removeOverflowChecks(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    op->removeAttr(tile::TileDialect::kSignedAttr);
    op->removeAttr(tile::TileDialect::kUnsignedAttr);
  });
}

Status SourceProgram::makeTile(const KernelSignature &signature,
                               const TilerunCompileOptions &options, std::vector<uint8_t> &bytecode,
                               std::string &printed, Messages &messages, std::string *text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::FailureOr<CompiledKernel> compiled = mlir::failure();
  {
    std::lock_guard lock(mutex);
    Span span("compile", "frontend");
    compiled = frontend.compile(*module, function->qualifiedName, signature, context);
    Messages diagnostics = takeDiagnostics();
    if (mlir::failed(compiled))
      return Status(frontend.getInvalidModule().empty() ? TILERUN_STATUS_COMPILE
                                                        : TILERUN_STATUS_INTERNAL,
                    own ? diagnostics.text : "kernel '" + name + "' does not compile");
    messages = std::move(diagnostics);
  }
  printed = compiled->staticOutput;
  if (options.debug == kAssertionsAlone)
    removeOverflowChecks(*compiled->module);
  TILERUN_TRY(makeBytecode(*compiled->module, name, options, bytecode));
  if (text)
    *text = Backend::printTile(*compiled->module, *text);
  return {};
}

static_assert(kMostTextBytes == SourceManager::kMaxFileBytes);

static Status load(std::shared_ptr<const Services> services, const std::string &path,
                   llvm::function_ref<LoadedModule *(Frontend &)> loadModule,
                   const std::string &kernel, std::shared_ptr<core::Program> &program) {
  auto source = std::make_shared<SourceProgram>(std::move(services));
  TILERUN_TRY(source->load(path, loadModule, kernel));
  program = std::move(source);
  return {};
}

std::shared_ptr<core::Program> compiler::adoptKernel(std::shared_ptr<const Services> services,
                                                     Frontend &frontend, LoadedModule &module,
                                                     const JitFunction &function) {
  return std::make_shared<SourceProgram>(std::move(services), frontend, module, function);
}

Status compiler::loadFile(std::shared_ptr<const Services> services, const std::string &path,
                          const std::string &kernel, std::shared_ptr<core::Program> &program) {
  return load(
      std::move(services), path, [&](Frontend &frontend) { return frontend.loadFile(path); },
      kernel, program);
}

Status compiler::loadText(std::shared_ptr<const Services> services, const std::string &name,
                          std::string text, const std::string &kernel,
                          std::shared_ptr<core::Program> &program) {
  return load(
      std::move(services), name,
      [&](Frontend &frontend) { return frontend.loadText(name, std::move(text)); }, kernel,
      program);
}

Status compiler::loadSources(std::shared_ptr<const Services> services,
                             std::vector<SourceText> sources, const std::string &kernel,
                             std::shared_ptr<core::Program> &program) {
  std::string path = sources.front().path;
  std::vector<Frontend::Source> texts;
  for (SourceText &source : sources) {
    if (source.text.size() > SourceManager::kMaxFileBytes)
      return Status::invalid("the text of '" + source.path + "' is larger than 64 MiB");
    texts.push_back({std::move(source.module), std::move(source.path), std::move(source.text)});
  }
  return load(
      std::move(services), path,
      [&](Frontend &frontend) { return frontend.loadSources(std::move(texts)); }, kernel, program);
}
