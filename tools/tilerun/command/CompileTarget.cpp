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

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

// From the driver, where a device of the target is there. Why not, or "".
static std::string askDevice(const std::shared_ptr<const plugin::Plugin> &plugin,
                             llvm::StringRef target, const TilerunPluginArtifact &artifact,
                             ResourceReport &report) {
  std::string reason = "there is no device of target " + target.str() + " to ask", none;
  for (const plugin::DeviceInfo &info : plugin->getDevices(none)) {
    if (info.target != target || !plugin->getTable().get_kernel_property)
      continue;
    std::shared_ptr<core::Device> device;
    std::shared_ptr<core::Executable> executable;
    core::Status status = core::Device::open(plugin, info, {}, device);
    if (status.isOk())
      status = core::Executable::load(*device, artifact, artifact.kernels[0].name, executable);
    if (!status.isOk()) {
      reason = status.getMessage();
      continue;
    }
    auto read = [&](uint32_t property) -> uint64_t {
      TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
      return executable->getProperty(property, value).isOk() ? value.number : 0;
    };
    report.source = "device " + info.id;
    report.resources.registers = read(TILERUN_KERNEL_PROPERTY_REGISTERS);
    report.resources.sharedBytes = read(TILERUN_KERNEL_PROPERTY_STATIC_SHARED);
    report.resources.stackBytes = read(TILERUN_KERNEL_PROPERTY_LOCAL_BYTES);
    executable.reset(); // Before its device is closed.
    return "";
  }
  return reason;
}

static ResourceReport makeReport(const std::shared_ptr<const plugin::Plugin> &plugin,
                                 const TargetCode &code, llvm::StringRef ptx,
                                 const TilerunPluginArtifact &artifact, bool lineInfo) {
  ResourceReport report;
  llvm::StringRef arch = llvm::StringRef(code.target).split(':').second;
  report.isAssembled = !ptx.empty();
  if (!report.isAssembled) {
    report.missing = askDevice(plugin, code.target, artifact, report);
    return report;
  }
  llvm::Expected<toolkit::Assembled> assembled = toolkit::assemble(ptx, arch, lineInfo);
  if (assembled) {
    if (auto resources = toolkit::parsePtxasLog(assembled->log, code.kernel)) {
      report.resources = *resources;
      report.spillsKnown = true;
      report.source = "ptxas";
      if (auto path = toolkit::findTool("ptxas"))
        report.source += " " + toolkit::getVersion(*path);
    } else {
      report.missing = "ptxas does not report the kernel's resources";
    }
  } else {
    report.missing = llvm::toString(assembled.takeError());
    report.missing += "; and " + askDevice(plugin, code.target, artifact, report);
  }
  if (report.source.empty())
    return report;
  report.missing.clear();
  if (auto limits = toolkit::getLimits(arch))
    report.occupancy =
        toolkit::computeOccupancy(*limits, code.threads, report.resources.registers,
                                  report.resources.sharedBytes + code.dynamicSharedBytes);
  return report;
}

/// From the phase kResources.
static llvm::Expected<ResourceReport> readReport(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return makeCommandError(ExitCode::Compile,
                            "the compiler's resources are not an object of JSON");
  ResourceReport report;
  report.source = "code object";
  report.ofCode = *object;
  return report;
}

static llvm::json::Value toJson(const TargetCode &code, const ResourceReport &report) {
  if (report.ofCode) {
    llvm::json::Object object = *report.ofCode;
    object["source"] = jsonText(report.source);
    return object;
  }
  if (report.source.empty())
    return llvm::json::Object{{"missing", jsonText(report.missing)},
                              {"threads", code.threads},
                              {"shared_bytes", code.dynamicSharedBytes}};
  const toolkit::KernelResources &resources = report.resources;
  llvm::json::Object object{{"source", jsonText(report.source)},
                            {"threads", code.threads},
                            {"registers", resources.registers},
                            {"shared_bytes", resources.sharedBytes + code.dynamicSharedBytes},
                            {"stack_bytes", resources.stackBytes}};
  if (report.spillsKnown) {
    object["spill_store_bytes"] = resources.spillStoreBytes;
    object["spill_load_bytes"] = resources.spillLoadBytes;
  }
  if (report.occupancy)
    object["occupancy"] = llvm::json::Object{{"programs", report.occupancy->programs},
                                             {"warps", report.occupancy->warps},
                                             {"max_warps", report.occupancy->maxWarps},
                                             {"limiter", jsonText(report.occupancy->limiter)}};
  return object;
}

static void printResources(llvm::raw_ostream &os, const TargetCode &code,
                           const ResourceReport &report) {
  os << code.target << ": ";
  if (report.ofCode) {
    auto number = [&](llvm::StringRef key) { return report.ofCode->getInteger(key).value_or(0); };
    os << llvm::formatv(
        "{0} threads, {1} registers, {2} bytes of shared memory, spills: {3} registers "
        "to {4} bytes of local memory; occupancy {5} of {6} waves of a SIMD ({7})\n",
        number("threads"), number("registers"), number("shared_bytes"), number("spilled_registers"),
        number("stack_bytes"), number("waves"), number("max_waves"), report.source);
    return;
  }
  if (report.source.empty()) {
    // The resources that the compiler itself knows.
    if (!report.isAssembled)
      os << llvm::formatv("{0} threads, {1} bytes of shared memory; other ", code.threads,
                          code.dynamicSharedBytes);
    os << "resources are not known: " << report.missing << "\n";
    return;
  }
  const toolkit::KernelResources &resources = report.resources;
  os << code.threads << " threads, ";
  if (resources.registers)
    os << resources.registers << " registers, ";
  os << resources.sharedBytes + code.dynamicSharedBytes << " bytes of shared memory, ";
  if (report.spillsKnown)
    os << llvm::formatv("spills: {0} bytes stored, {1} loaded", resources.spillStoreBytes,
                        resources.spillLoadBytes);
  else
    os << llvm::formatv("{0} bytes of local memory", resources.stackBytes);
  if (const auto &occupancy = report.occupancy) {
    if (occupancy->programs)
      os << llvm::formatv("; occupancy {0} of {1} warps ({2} programs of a multiprocessor, limited "
                          "by {3})",
                          occupancy->warps, occupancy->maxWarps, occupancy->programs,
                          occupancy->limiter);
    else
      os << "; not one program fits: too much " << occupancy->limiter;
  } else {
    os << "; occupancy is not known for this " << (report.isAssembled ? "architecture" : "device");
  }
  os << " (" << report.source << ")\n";
}

llvm::Expected<std::string>
command::describeResources(const std::shared_ptr<const plugin::Plugin> &compiler,
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
  TargetCode result{target, "", kernel.str()};
  result.threads = code->get().kernels[0].threads;
  result.dynamicSharedBytes = code->get().kernels[0].shared_bytes;
  llvm::Expected<ResourceReport> report =
      hasResources ? readReport(text)
                   : makeReport(compiler, result, hasPhase(phases, kPtx) ? text : "", code->get(),
                                /*lineInfo=*/false);
  if (!report)
    return report.takeError();
  std::string out;
  llvm::raw_string_ostream os(out);
  printResources(os, result, *report);
  return llvm::StringRef(out).rtrim().str();
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
    result.threads = code->get().kernels[0].threads;
    result.dynamicSharedBytes = code->get().kernels[0].shared_bytes;
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
      object["resources"] = toJson(result, *report);
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
