// See CompileTarget.h.
#include "tools/tilerun/command/CompileTarget.h"

#include "runtime/cache/Artifact.h"
#include "runtime/compiler/Backend.h"
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
  if (kind.empty() || arch.empty())
    return makeCommandError(ExitCode::Usage,
                            "--target: '" + target + "' is not KIND:ARCH, such as cuda:sm_90a");
  plugin::DiscoveryOptions options = plugin::DiscoveryOptions::fromEnvironment();
  options.onlyName = kind.str();
  std::string reasons;
  for (plugin::FoundPlugin &found : plugin::discoverPlugins(options)) {
    if (found.plugin && found.plugin->getName() == kind) {
      if (found.plugin->getTable().compile)
        return found.plugin;
      found.reason = "it has no compiler";
    }
    if (!found.reason.empty())
      reasons += "\n  " + found.path + ": " + found.reason;
  }
  return makeCommandError(ExitCode::Unavailable,
                          "--target " + target + ": there is no plugin '" + kind + "'" +
                              (reasons.empty() ? std::string("; 'tilerun doctor' shows where "
                                                             "plugins are looked for")
                                               : " that can compile:" + reasons));
}

namespace {
/// What a kind of targets can be compiled to, the usual phase first.
struct Phases {
  const char *kind;
  std::vector<const char *> names;
};
} // namespace

/// The phase to emit for a target; the plugin's own code, "", where the kind is not known.
static llvm::Expected<std::string> choosePhase(llvm::StringRef target, const Options &options) {
  static const Phases list[] = {{"cuda", {"ptx", "simt", "llvm", "sass"}},
                                {"vulkan", {"spirv-asm", "spirv", "spirv-dialect", "simt"}}};
  for (const Phases &phases : list) {
    if (target.split(':').first != phases.kind)
      continue;
    if (!options.emitGiven)
      return std::string(phases.names[0]);
    if (llvm::is_contained(phases.names, llvm::StringRef(options.emit)))
      return options.emit;
    return makeCommandError(ExitCode::Usage, "--emit " + options.emit + " is nothing that target " +
                                                 target + " has; it has " +
                                                 llvm::join(phases.names, ", "));
  }
  return options.emit;
}

/// Whether a phase's output is bytes that no terminal shows.
static bool isBinary(llvm::StringRef phase) { return phase == "spirv" || phase.empty(); }

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
  auto [kind, arch] = llvm::StringRef(code.target).split(':');
  if (kind != "cuda") {
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
      report.missing = "ptxas does not tell the kernel's resources";
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

static llvm::json::Value toJson(const TargetCode &code, const ResourceReport &report) {
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

static void print(llvm::raw_ostream &os, const TargetCode &code, const ResourceReport &report) {
  os << code.target << ": ";
  if (report.source.empty()) {
    // What the compiler itself knows.
    if (!llvm::StringRef(code.target).starts_with("cuda:"))
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
    os << "; occupancy is not known for this "
       << (llvm::StringRef(code.target).starts_with("cuda:") ? "architecture" : "device");
  }
  os << " (" << report.source << ")\n";
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
  llvm::Expected<KernelSignature> signature = makeSignature(session);
  if (!signature)
    return signature.takeError();

  // Only the resources where nothing else is asked for.
  const bool wantsCode = !options.resources || options.emitGiven || options.output != "-";
  const bool toStdout = wantsCode && options.output == "-";
  llvm::json::Array array;
  std::vector<std::string> phases;
  for (const std::string &target : options.targets) {
    llvm::Expected<std::string> phase = choosePhase(target, options);
    if (!phase)
      return phase.takeError();
    if (toStdout && isBinary(*phase)) {
      if (options.json)
        return makeCommandError(ExitCode::Usage, "--json and binary code need -o FILE");
      if (options.targets.size() > 1)
        return makeCommandError(ExitCode::Usage, "binary code of several targets needs -o FILE");
      if (llvm::outs().is_displayed())
        return makeCommandError(ExitCode::Usage,
                                "binary code is not written to a terminal; use -o FILE" +
                                    std::string(*phase == "spirv" ? " or --emit spirv-asm" : ""));
    }
    phases.push_back(std::move(*phase));
  }
  for (const auto &[target, phase] : llvm::zip(options.targets, phases)) {
    auto plugin = findCompiler(target);
    if (!plugin)
      return plugin.takeError();
    signature->target = target;
    llvm::Expected<CompiledKernel> compiled = session.compile(*signature);
    if (!compiled)
      return compiled.takeError();
    CompileSettings settings(*signature, options);
    std::vector<uint8_t> bytecode;
    if (core::Status status =
            compiler::makeBytecode(*compiled->module, compiled->name, settings.get(), bytecode);
        !status.isOk())
      return session.explainFailure(status, *signature);
    if (&target == &options.targets.front())
      session.getDiagnostics().print(llvm::errs(), useColor(options.color, llvm::errs()));
    TargetCode result{target, "", compiled->name};
    std::shared_ptr<const cache::Artifact> code;
    auto emit = [&](const std::string &stage) {
      return toError(compiler::Backend::emit(
          **plugin, target, bytecode, settings.get(), stage,
          [&](const TilerunPluginArtifact &artifact) {
            result.threads = artifact.kernels[0].threads;
            result.dynamicSharedBytes = artifact.kernels[0].shared_bytes;
            result.code.assign(reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes);
            if (stage.empty())
              code = cache::Artifact::copy(artifact);
          }));
    };
    const bool fromPtx = phase == "ptx" || phase == "sass";
    if (!fromPtx && wantsCode)
      if (llvm::Error error = emit(phase))
        return error;
    std::string text = std::move(result.code);
    if (fromPtx || options.resources)
      if (llvm::Error error = emit(""))
        return error;
    const std::string ptx = result.code;
    if (!fromPtx)
      result.code = std::move(text);
    if (phase == "sass") {
      auto sass = toSass(ptx, options, target);
      if (!sass)
        return sass.takeError();
      result.code = std::move(*sass);
    }
    llvm::json::Object object{{"target", jsonText(target)}, {"emit", jsonText(phase)}};
    if (toStdout) {
      if (!options.json && options.targets.size() > 1)
        llvm::outs() << (phase == "spirv-asm" ? "; " : "// ") << target << "\n";
      const bool isWhole = isBinary(phase) || llvm::StringRef(result.code).ends_with("\n");
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
      ResourceReport report =
          makeReport(*plugin, result, ptx, code->get(), options.lineInfo.value_or(false));
      object["resources"] = toJson(result, report);
      if (!options.json)
        print(toStdout ? llvm::errs() : llvm::outs(), result, report);
    }
    array.push_back(std::move(object));
  }
  if (options.json)
    printJson(llvm::json::Object{{"status", "ok"},
                                 {"exit_code", 0},
                                 {"kernel", jsonText(session.kernel->qualifiedName)},
                                 {"emit", jsonText(phases[0])},
                                 {"targets", std::move(array)}});
  return ExitCode::Ok;
}
