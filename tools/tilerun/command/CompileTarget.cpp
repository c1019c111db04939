// See CompileTarget.h.
#include "tools/tilerun/command/CompileTarget.h"

#include "runtime/cache/Artifact.h"
#include "runtime/compiler/Backend.h"
#include "tools/tilerun/command/Findings.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/host/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::command;

llvm::Expected<std::shared_ptr<const plugin::Plugin>>
command::findCompiler(llvm::StringRef target) {
  auto [kind, arch] = target.split(':');
  if (kind.empty() || arch.empty()) {
    std::string example = "cuda:sm_90a";
    (void)searchPlugins(kind, [&](core::Runtime &runtime) {
      for (const plugin::FoundPlugin &found : runtime.getPlugins())
        if (found.plugin && found.plugin->getName() == kind && !found.plugin->getTargets().empty())
          example = found.plugin->getTargets().front();
      return core::Status();
    });
    return makeUsageError("--target: '" + target + "' is not KIND:ARCH, such as " + example);
  }
  std::shared_ptr<const plugin::Plugin> compiler;
  core::Status status = searchPlugins(
      kind, [&](core::Runtime &runtime) { return runtime.findCompiler(target.str(), compiler); });
  if (!status.isOk())
    return makeCommandError(ExitCode::Unavailable,
                            "--target " + target + ": " + status.getMessage());
  return compiler;
}

// Machine code is not a phase of the compiler: NVIDIA's tools make it from PTX.
static constexpr llvm::StringLiteral kPtx = "ptx", kSass = "sass";
// What a compiler itself reads from its code, as one object of JSON; not every one has this phase.
static constexpr llvm::StringLiteral kResources = "resources-json";

static bool hasPhase(llvm::ArrayRef<plugin::Phase> phases, llvm::StringRef name) {
  return llvm::any_of(phases, [&](const plugin::Phase &phase) { return phase.name == name; });
}

// The phases that a target can be compiled to. Empty if its plugin does not list them; then its
// code, whose name is "", is bytes.
static std::vector<plugin::Phase> getPhases(const plugin::Plugin &plugin,
                                            const std::string &target) {
  std::string reason;
  std::vector<plugin::Phase> phases = plugin.getPhases(target, reason);
  if (hasPhase(phases, kPtx))
    phases.push_back({kSass.str(), "machine code", "//", false});
  return phases;
}

static llvm::Expected<plugin::Phase> choosePhase(const plugin::Plugin &plugin,
                                                 llvm::ArrayRef<plugin::Phase> phases,
                                                 const std::string &target,
                                                 const Options &options) {
  // Before ABI 1.4 plugins could not list phases, but take the option.
  if (phases.empty() && (!options.emitGiven || plugin.getTable().abi_minor < 4))
    return plugin::Phase{options.emit, "", "//", options.emit.empty()};
  if (phases.empty())
    return makeUsageError("--emit: target " + target + " cannot emit '" + options.emit +
                          "'; it can emit ast, tile and tile-opt only");
  if (!options.emitGiven)
    return phases.front();
  std::vector<std::string> names;
  for (const plugin::Phase &phase : phases) {
    if (phase.name == options.emit)
      return phase;
    names.push_back(phase.name);
  }
  return makeUsageError("--emit: target " + target + " cannot emit '" + options.emit +
                        "'; it can emit " + llvm::join(names, ", "));
}

// Whether and why bytes cannot go to stdout.
static llvm::Error checkBinary(llvm::ArrayRef<plugin::Phase> phases, const Options &options) {
  if (options.json)
    return makeUsageError("--json and binary code need -o FILE");
  if (options.targets.size() > 1)
    return makeUsageError("binary code of several targets needs -o FILE");
  if (!llvm::outs().is_displayed())
    return llvm::Error::success();
  const auto *text = llvm::find_if(phases, [](const plugin::Phase &p) { return !p.isBinary; });
  return makeUsageError("binary code is not written to a terminal; use -o FILE" +
                        (text == phases.end() ? "" : " or --emit " + text->name));
}

static llvm::Error refuseLocations(llvm::ArrayRef<plugin::Phase> phases, const plugin::Phase &phase,
                                   llvm::StringRef target) {
  std::vector<std::string> names = {"tile", "tile-opt"};
  for (const plugin::Phase &other : phases)
    if (other.takesLocations)
      names.push_back(other.name);
  return makeUsageError(
      "--locations: " + (phase.name.empty() ? "the code" : "phase '" + phase.name + "'") +
      " of target " + target + " has none; phases with locations are " + llvm::join(names, ", "));
}

std::string command::findTargetThatEmits(llvm::StringRef phase) {
  for (const plugin::FoundPlugin &found :
       core::Runtime(plugin::DiscoveryOptions::fromEnvironment()).getPlugins())
    for (const std::string &target :
         found.plugin ? found.plugin->getTargets() : std::vector<std::string>())
      if (hasPhase(getPhases(*found.plugin, target), phase))
        return target;
  return "";
}

llvm::Error command::checkPhases(const plugin::Plugin &plugin, const std::string &target,
                                 const Options &options) {
  for (auto [isGiven, what, phase] :
       {std::tuple{options.schedule.has_value(), "schedule", "schedule"},
        std::tuple{options.remarks, "remarks", "remarks-json"}}) {
    if (!isGiven || hasPhase(getPhases(plugin, target), phase))
      continue;
    std::string other = findTargetThatEmits(phase);
    return makeUsageError(
        llvm::formatv("--{0}: target {1} has no {0}{2}", what, target,
                      other.empty() ? "" : "; targets such as " + other + " have"));
  }
  return llvm::Error::success();
}

llvm::Expected<InspectedCode>
command::inspectResources(const std::shared_ptr<const plugin::Plugin> &compiler,
                          const std::string &target, llvm::StringRef kernel,
                          llvm::ArrayRef<uint8_t> bytecode, CompileSettings &settings) {
  const std::vector<plugin::Phase> phases = getPhases(*compiler, target);
  const bool hasResources = hasPhase(phases, kResources);
  std::shared_ptr<const cache::Artifact> code;
  TILERUN_TRY_LIBRARY(compiler::Backend::emit(
      *compiler, target, bytecode, settings.get(), hasResources ? kResources.str() : "",
      [&](const TilerunPluginArtifact &artifact) { code = cache::Artifact::copy(artifact); }));
  const llvm::StringRef text(reinterpret_cast<const char *>(code->get().bytes),
                             code->get().num_bytes);
  InspectedCode result{{target, "", kernel.str()}, {}};
  result.code.setNumbers(code->get());
  llvm::Expected<ResourceReport> report =
      hasResources ? readReport(text)
                   : makeReport(compiler, result.code, hasPhase(phases, kPtx) ? text : "",
                                code->get(), /*lineInfo=*/false);
  if (!report)
    return report.takeError();
  result.report = std::move(*report);
  return result;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

// "out.ptx" for one target, "out.sm_90a.ptx" for one of several.
static std::string getOutputPath(const Options &options, llvm::StringRef target) {
  if (options.targets.size() == 1 || options.output == "-")
    return options.output;
  llvm::StringRef extension = llvm::sys::path::extension(options.output);
  llvm::StringRef stem = llvm::StringRef(options.output).drop_back(extension.size());
  return (stem + "." + target.split(':').second + extension).str();
}

static llvm::Expected<std::string> toSass(llvm::StringRef ptx, const Options &options,
                                          llvm::StringRef target) {
  auto fail = [&](llvm::Error error) {
    return makeCommandError(ExitCode::Unavailable,
                            "--emit sass for " + target + ": " + llvm::toString(std::move(error)));
  };
  auto assembled =
      toolkit::assemble(ptx, target.split(':').second, options.lineInfo.value_or(false));
  if (!assembled)
    return fail(assembled.takeError());
  auto text = toolkit::disassemble(assembled->binary);
  if (!text)
    return fail(text.takeError());
  return text;
}

llvm::Expected<ExitCode> command::runCompileTargets(Session &session) {
  const Options &options = session.options;
  TILERUN_TRY_VALUE(signature, makeSignature(session));

  // Only the resources if nothing else is requested.
  const bool wantsCode = !options.resources || options.emitGiven || options.output != "-";
  const bool toStdout = wantsCode && options.output == "-";
  struct Target {
    std::shared_ptr<const plugin::Plugin> plugin;
    plugin::Phase phase;
    bool hasPtx, hasResources;
  };
  llvm::json::Array array;
  std::vector<Target> targets;
  for (const std::string &target : options.targets) {
    TILERUN_TRY_VALUE(compiler, findCompiler(target));
    std::vector<plugin::Phase> phases = getPhases(*compiler, target);
    TILERUN_TRY_VALUE(phase, choosePhase(*compiler, phases, target, options));
    TILERUN_TRY_ERROR(checkPhases(*compiler, target, options));
    if (options.locations && !phase.takesLocations)
      return refuseLocations(phases, phase, target);
    if (toStdout && phase.isBinary)
      TILERUN_TRY_ERROR(checkBinary(phases, options));
    targets.push_back({std::move(compiler), std::move(phase), hasPhase(phases, kPtx),
                       hasPhase(phases, kResources)});
  }
  for (const auto &[target, known] : llvm::zip(options.targets, targets)) {
    const plugin::Phase &phase = known.phase;
    signature.target = target;
    TILERUN_TRY_VALUE(compiled, session.compile(signature));
    CompileSettings settings(signature, options);
    std::vector<uint8_t> bytecode;
    if (core::Status status =
            compiler::makeBytecode(*compiled.module, compiled.name, settings.get(), bytecode);
        !status.isOk())
      return session.explainFailure(status, signature);
    if (&target == &options.targets.front())
      session.getDiagnostics().print(llvm::errs(), useColor(options.color, llvm::errs()));
    TargetCode result{target, "", compiled.name};
    std::shared_ptr<const cache::Artifact> code;
    auto emitTo = [&](llvm::StringRef stage, const core::Program::TakeArtifact &take) {
      CompileSettings own = settings;
      if (options.locations && stage == phase.name)
        own.add("locations", "true");
      return toError(
          compiler::Backend::emit(*known.plugin, target, bytecode, own.get(), stage.str(), take));
    };
    auto emit = [&](llvm::StringRef stage) {
      return emitTo(stage, [&](const TilerunPluginArtifact &artifact) {
        code = cache::Artifact::copy(artifact);
      });
    };
    auto getText = [&] {
      return std::string(reinterpret_cast<const char *>(code->get().bytes), code->get().num_bytes);
    };
    const bool isSass = phase.name == kSass;
    if (wantsCode) {
      TILERUN_TRY_ERROR(emit(isSass ? llvm::StringRef(kPtx) : phase.name));
      result.code = getText();
    }
    if (isSass) {
      TILERUN_TRY_VALUE(sass, toSass(result.code, options, target));
      result.code = std::move(sass);
    }
    // The code that runs; a phase may be only a view of it.
    if (options.resources)
      TILERUN_TRY_ERROR(emit(known.hasResources ? llvm::StringRef(kResources) : ""));
    result.setNumbers(code->get());
    llvm::json::Object object{{"target", jsonText(target)}, {"emit", jsonText(phase.name)}};
    if (options.remarks) {
      llvm::Expected<llvm::json::Array> remarks = llvm::json::Array();
      if (llvm::Error error = emitTo("remarks-json", [&](const TilerunPluginArtifact &artifact) {
            remarks = readRemarks(artifact);
          }))
        return error;
      if (!remarks)
        return remarks.takeError();
      printRemarks(session, target, *remarks);
      object["remarks"] = std::move(*remarks);
    }
    if (toStdout) {
      if (!options.json && options.targets.size() > 1)
        llvm::outs() << phase.comment << " " << target << "\n";
      const bool isWhole = phase.isBinary || llvm::StringRef(result.code).ends_with("\n");
      if (!options.json)
        llvm::outs() << result.code << (isWhole ? "" : "\n");
      object["text"] = jsonText(result.code);
    } else if (wantsCode) {
      const std::string path = getOutputPath(options, target);
      auto file = host::AtomicFile::open(path);
      if (!file)
        return withExitCode(file.takeError(), ExitCode::Usage);
      if (llvm::Error error = file->commit(result.code))
        return withExitCode(std::move(error), ExitCode::Usage);
      object["file"] = jsonText(path);
    }
    if (options.resources) {
      llvm::Expected<ResourceReport> report =
          known.hasResources ? readReport(getText())
                             : makeReport(known.plugin, result, known.hasPtx ? getText() : "",
                                          code->get(), options.lineInfo.value_or(false));
      if (!report)
        return report.takeError();
      object["resources"] = resourcesToJson(result, *report);
      if (!options.json)
        printResources(toStdout ? llvm::errs() : llvm::outs(), result, *report);
    }
    array.push_back(std::move(object));
  }
  if (options.json)
    printJson(llvm::json::Object{{"status", "ok"},
                                 {"exit_code", 0},
                                 {"kernel", jsonText(session.kernel->qualifiedName)},
                                 {"emit", jsonText(targets[0].phase.name)},
                                 {"targets", std::move(array)}});
  return ExitCode::Ok;
}
