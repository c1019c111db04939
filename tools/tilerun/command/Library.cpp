// See Library.h.
#include "tools/tilerun/command/Library.h"

#include "frontend/Frontend.h"
#include "runtime/core/Arguments.h"
#include "runtime/plugin/Trace.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace tilerun;
using namespace tilerun::command;

static ExitCode getExitCode(TilerunStatus status) {
  switch (status) {
  case TILERUN_STATUS_INVALID_ARGUMENT:
    return ExitCode::Usage;
  case TILERUN_STATUS_UNAVAILABLE:
  case TILERUN_STATUS_UNSUPPORTED:
    return ExitCode::Unavailable;
  case TILERUN_STATUS_COMPILE:
  case TILERUN_STATUS_INCOMPATIBLE:
  case TILERUN_STATUS_NOT_FOUND:
    return ExitCode::Compile;
  case TILERUN_STATUS_OUT_OF_MEMORY:
  case TILERUN_STATUS_FAULT:
  case TILERUN_STATUS_DEVICE_LOST:
  case TILERUN_STATUS_DRIVER:
    return ExitCode::Fault;
  default:
    return ExitCode::Internal;
  }
}

llvm::Error command::toError(const core::Status &status) {
  if (status.isOk())
    return llvm::Error::success();
  return makeCommandError(getExitCode(status.getCode()),
                          llvm::StringRef(status.getMessage()).rtrim());
}

core::Status command::searchPlugins(llvm::StringRef name,
                                    llvm::function_ref<core::Status(core::Runtime &)> find) {
  plugin::DiscoveryOptions options = plugin::DiscoveryOptions::fromEnvironment();
  options.onlyName = name.str();
  core::Runtime one(options);
  if (find(one).isOk())
    return {};
  options.onlyName.clear();
  core::Runtime all(options);
  return find(all);
}

llvm::Expected<std::shared_ptr<core::Device>>
command::openDevice(const std::string &id, const core::DeviceOptions &options) {
  std::shared_ptr<core::Device> device;
  Span span("load", "open " + id);
  TILERUN_TRY_LIBRARY(
      searchPlugins(llvm::StringRef(id).split(':').first, [&](core::Runtime &runtime) {
        return runtime.openDevice(id, options, device);
      }));
  return device;
}

llvm::Error command::readSchedule(Options &options) {
  if (!options.schedule)
    return llvm::Error::success();
  auto fail = [&](const llvm::Twine &what) {
    return makeUsageError("--schedule: '" + *options.schedule + "' " + what);
  };
  auto file = llvm::MemoryBuffer::getFile(*options.schedule, /*IsText=*/true);
  if (!file)
    return fail("cannot be read: " + file.getError().message());
  options.scheduleText = (*file)->getBuffer().str();
  // An option of a compile request ends at a NUL byte.
  if (size_t at = options.scheduleText.find('\0'); at != std::string::npos)
    return fail("is not a text: byte " + llvm::Twine(at) + " of it is 0");
  return llvm::Error::success();
}

CompileSettings::CompileSettings(const KernelSignature &signature, const Options &options) {
  compile.struct_size = sizeof(compile);
  compile.num_warps = static_cast<uint32_t>(signature.numWarps);
  // None means no pipelining, which is one stage.
  compile.num_stages = static_cast<uint32_t>(std::max<int64_t>(signature.numStages, 1));
  compile.num_ctas = static_cast<uint32_t>(signature.numCtas);
  compile.maxnreg = static_cast<uint32_t>(signature.maxnreg.value_or(0));
  compile.debug = signature.debug;
  // Defaults of the target are left out, so that plugins need not know them.
  if (options.lineInfo)
    add("line-info", *options.lineInfo ? "true" : "false");
  if (!options.optimize)
    add("opt-level", "0");
  if (!options.fpFusion)
    add("fp-fusion", "false");
  if (options.tma)
    add("tma", *options.tma);
  if (options.lateProducts)
    add("late-products", *options.lateProducts);
  if (options.turns)
    add("turns", *options.turns);
  if (options.persistent)
    add("persistent", *options.persistent);
  if (options.fewPrograms)
    add("few-programs", *options.fewPrograms);
  if (options.rematerialize)
    add("rematerialize", *options.rematerialize);
  if (options.buffers)
    add("buffers", *options.buffers);
  if (options.evictions)
    add("evictions", *options.evictions);
  if (options.retain)
    add("retain", *options.retain);
  if (options.asyncStores)
    add("async-stores", *options.asyncStores);
  if (options.multicast)
    add("multicast", *options.multicast);
  if (options.prefetch)
    add("prefetch", *options.prefetch);
  for (const auto &[name, value] : {std::pair("waves-per-eu", options.wavesPerEu),
                                    {"matrix-instr-nonkdim", options.matrixInstrNonkdim},
                                    {"kpack", options.kpack},
                                    {"xcds", options.xcds}})
    if (value)
      add(name, std::to_string(*value));
  if (options.boundedWaits)
    add("bounded-waits", std::to_string(*options.boundedWaits));
  if (options.asyncCopies)
    add("async-copies", "true");
  if (options.operandsAcrossK)
    add("operands-across-k", *options.operandsAcrossK);
  if (options.schedule) {
    add("schedule", options.scheduleText);
    add("schedule-name", *options.schedule);
  }
}

void CompileSettings::add(std::string name, std::string value) {
  settings.emplace_back(std::move(name), std::move(value));
}

const TilerunCompileOptions &CompileSettings::get() {
  pointers.clear();
  for (const auto &[name, value] : settings)
    pointers.push_back({name.c_str(), value.c_str()});
  compile.num_options = static_cast<uint32_t>(pointers.size());
  compile.options = pointers.data();
  return compile;
}

std::optional<TilerunArgument> command::toArgument(const host::Value &value, TilerunAddress base) {
  TilerunArgument out = {};
  if (auto *tensor = value.getIf<host::Tensor>()) {
    out.kind = TILERUN_ARGUMENT_POINTER;
    out.dtype = core::findType(tensor->dtype.signature());
    out.value.address = base + tensor->offset;
  } else if (auto *truth = value.getIf<bool>()) {
    out.kind = TILERUN_ARGUMENT_BOOL;
    out.value.natural = *truth;
  } else if (auto integer = value.asInteger()) {
    if (*integer < INT64_MIN || *integer > UINT64_MAX)
      return std::nullopt;
    const bool isLarge = *integer > INT64_MAX;
    out.kind = isLarge ? uint16_t(TILERUN_ARGUMENT_NATURAL) : uint16_t(TILERUN_ARGUMENT_INTEGER);
    out.value.natural = static_cast<uint64_t>(*integer);
  } else if (auto number = value.asDouble()) {
    out.kind = TILERUN_ARGUMENT_FLOAT;
    out.value.number = *number;
  } else if (auto *text = value.getIf<std::string>()) {
    out.kind = TILERUN_ARGUMENT_STRING;
    out.value.text = text->c_str();
  } else if (auto *type = value.getIf<DType>()) {
    out.kind = TILERUN_ARGUMENT_DTYPE;
    out.dtype = core::findType(type->signature());
    if (!out.dtype)
      return std::nullopt;
  } else if (value.isNone()) {
    out.kind = TILERUN_ARGUMENT_NONE;
  } else {
    return std::nullopt;
  }
  return out;
}
