// See TargetResources.h.
#include "tools/tilerun/command/TargetResources.h"

#include "runtime/core/Executable.h"
#include "tools/tilerun/command/Library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::command;

// From the driver, where a device of the target is there. Why not, or "".
static std::string askDevice(const std::shared_ptr<const plugin::Plugin> &plugin,
                             llvm::StringRef target, const TilerunPluginArtifact &artifact,
                             ResourceReport &report) {
  std::string reason = "a device of target " + target.str() + " was not found", none;
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

ResourceReport command::makeReport(const std::shared_ptr<const plugin::Plugin> &plugin,
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

llvm::Expected<ResourceReport> command::readReport(llvm::StringRef text) {
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

void TargetCode::setNumbers(const TilerunPluginArtifact &artifact) {
  threads = artifact.kernels[0].threads;
  dynamicSharedBytes = artifact.kernels[0].shared_bytes;
  const TilerunPluginKernelDetails *details = plugin::getDetails(artifact, 0);
  blocks = details && details->grid_policy & TILERUN_GRID_BLOCKS ? details->cluster[0] : 1;
}

llvm::json::Value command::resourcesToJson(const TargetCode &code, const ResourceReport &report) {
  if (report.ofCode) {
    llvm::json::Object object = *report.ofCode;
    object["source"] = jsonText(report.source);
    return object;
  }
  if (report.source.empty())
    return llvm::json::Object{{"missing", jsonText(report.missing)},
                              {"threads", code.threads},
                              {"blocks", code.blocks},
                              {"shared_bytes", code.dynamicSharedBytes}};
  const toolkit::KernelResources &resources = report.resources;
  llvm::json::Object object{{"source", jsonText(report.source)},
                            {"threads", code.threads},
                            {"blocks", code.blocks},
                            {"registers", resources.registers},
                            {"shared_bytes", resources.sharedBytes + code.dynamicSharedBytes},
                            {"stack_bytes", resources.stackBytes}};
  if (report.spillsKnown) {
    object["spill_store_bytes"] = resources.spillStoreBytes;
    object["spill_load_bytes"] = resources.spillLoadBytes;
  }
  if (report.occupancy)
    object["occupancy"] = llvm::json::Object{
        {"programs", report.occupancy->programs},
        {"warps", report.occupancy->warps},
        {"max_warps", report.occupancy->maxWarps},
        {"limiter", jsonText(report.occupancy->limiter)},
        {"bounds", jsonArray(report.occupancy->bounds, [](const toolkit::Occupancy::Bound &bound) {
           return llvm::json::Object{{"name", jsonText(bound.name)}, {"programs", bound.programs}};
         })}};
  return object;
}

void command::printResources(llvm::raw_ostream &os, const TargetCode &code,
                             const ResourceReport &report) {
  os << code.target << ": ";
  if (report.ofCode) {
    auto number = [&](llvm::StringRef key) { return report.ofCode->getInteger(key).value_or(0); };
    os << llvm::formatv(
        "{0} threads, {1} registers, {2} bytes of shared memory, spills: {3} registers "
        "to {4} bytes of local memory; occupancy {5} of {6} waves of a SIMD, limited by {7} "
        "({8})\n",
        number("threads"), number("registers"), number("shared_bytes"), number("spilled_registers"),
        number("stack_bytes"), number("waves"), number("max_waves"),
        getText(*report.ofCode, "limiter"), report.source);
    return;
  }
  if (code.blocks > 1)
    os << code.blocks << " blocks of ";
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

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

/// Of AMD's code, from the compiler's own report.
static picture::Occupancy getWaves(const llvm::json::Object &resources) {
  auto number = [&](llvm::StringRef key) {
    return uint64_t(std::max<int64_t>(0, resources.getInteger(key).value_or(0)));
  };
  picture::Occupancy out{"waves of a SIMD",
                         number("waves"),
                         number("max_waves"),
                         getText(resources, "limiter"),
                         {},
                         ""};
  const llvm::json::Array *bounds = resources.getArray("bounds");
  for (const llvm::json::Value &item : bounds ? *bounds : llvm::json::Array())
    if (const llvm::json::Object *bound = item.getAsObject()) {
      const std::string name = getText(*bound, "name");
      const std::string needs =
          name == "registers"       ? std::to_string(number("registers")) + " of a lane"
          : name == "shared memory" ? std::to_string(number("shared_bytes")) + " bytes of a program"
                                    : std::to_string(number("threads")) + " threads of a program";
      out.bounds.push_back({name, needs, uint64_t(bound->getInteger("waves").value_or(0))});
    }
  return out;
}

std::optional<picture::Occupancy> command::getOccupancy(const TargetCode &code,
                                                        const ResourceReport &report) {
  if (report.ofCode)
    return getWaves(*report.ofCode);
  const auto limits = toolkit::getLimits(llvm::StringRef(code.target).split(':').second);
  if (!limits)
    return std::nullopt;
  // Without registers, as far as the compiler itself knows.
  const uint64_t shared = report.resources.sharedBytes + code.dynamicSharedBytes;
  const toolkit::Occupancy occupancy =
      report.occupancy ? *report.occupancy
                       : toolkit::computeOccupancy(*limits, code.threads, std::nullopt, shared);
  picture::Occupancy out{"warps of a multiprocessor",
                         occupancy.warps,
                         occupancy.maxWarps,
                         occupancy.limiter.str(),
                         {},
                         ""};
  if (!report.occupancy)
    out.missing = "registers are not known, so that it may be less: " +
                  llvm::join(llvm::split(report.missing, '\n'), " ");
  const uint64_t warps = llvm::divideCeil(code.threads, toolkit::kWarpSize);
  for (const toolkit::Occupancy::Bound &bound : occupancy.bounds) {
    const std::string needs =
        bound.name == "registers" ? std::to_string(report.resources.registers) + " of a thread"
        : bound.name == "shared memory" ? std::to_string(shared) + " bytes of a program"
        : bound.name == "warps"         ? std::to_string(warps) + " of a program"
                                        : "at most " + std::to_string(bound.programs);
    out.bounds.push_back({bound.name.str(), needs, bound.programs * warps});
  }
  return out;
}
