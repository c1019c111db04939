// Keys and compilation of plugins' artifacts.
#include "runtime/cache/PluginArtifacts.h"

#include "runtime/plugin/Trace.h"

#include <cstdio>

using namespace tilerun;
using namespace tilerun::cache;

static llvm::StringRef getText(const char *text) { return text ? text : ""; }

bool cache::isPersistent(const TilerunPlugin &table) {
  return !getText(table.compiler_version).empty();
}

// The compatibility string of the plugin's binaries for a device; empty if it makes none.
static std::string getBinaryCompatibility(const TilerunPlugin &table, TilerunPluginDevice *device) {
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  if (!device || !table.finalize_artifact || !table.get_device_property ||
      table.get_device_property(device, TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY, &value,
                                nullptr) ||
      value.type != TILERUN_VALUE_STRING)
    return "";
  return getText(value.string).str();
}

void cache::addPluginFields(KeyBuilder &key, const TilerunPlugin &table) {
  // Two builds of one version may compile differently: the build of the file itself counts too.
  const void *code = reinterpret_cast<const void *>(table.get_devices);
  key.add("plugin", getText(table.name))
      .add("plugin version", getText(table.version))
      .add("plugin build", llvm::StringRef(code ? getBuildId(code) : ""))
      .add("compiler", getText(table.compiler_version));
}

void cache::addCompilerFields(KeyBuilder &key, const TilerunPlugin &table,
                              TilerunPluginDevice *device, llvm::StringRef target,
                              llvm::ArrayRef<TilerunPluginOption> options) {
  addPluginFields(key, table);
  key.add("target", target).add("options", uint64_t(options.size()));
  for (const TilerunPluginOption &option : options)
    key.add(getText(option.name), getText(option.value));
  key.add("binary", getBinaryCompatibility(table, device));
}

Key cache::getArtifactKey(const TilerunPlugin &table, TilerunPluginDevice *device,
                          const TilerunPluginCompileRequest &request) {
  KeyBuilder key("artifact of bytecode");
  addCompilerFields(key, table, device, getText(request.target),
                    llvm::ArrayRef(request.options, request.num_options));
  key.add("bytecode", llvm::ArrayRef(request.bytecode, request.num_bytes));
  return key.finish();
}

// Copies the plugin's artifact, and releases it. Null with a reason if it cannot be read.
static std::shared_ptr<const Artifact>
take(const TilerunPlugin &table, const TilerunPluginArtifact *given, std::string &reason) {
  reason = plugin::checkArtifact(given);
  std::shared_ptr<const Artifact> artifact = reason.empty() ? Artifact::copy(*given) : nullptr;
  table.release_artifact(given);
  return artifact;
}

// Whether a failed link means that the artifact will always fail, rather than a temporary state
// (memory, a lost device).
static bool isLasting(TilerunStatus status) {
  return status == TILERUN_STATUS_UNSUPPORTED || status == TILERUN_STATUS_COMPILE;
}

Outcome cache::compileArtifact(const TilerunPlugin &table, TilerunPluginDevice *device,
                               const TilerunPluginCompileRequest &request) {
  plugin::ErrorKeeper errors;
  if (!table.compile)
    return Outcome::fail({TILERUN_STATUS_UNSUPPORTED,
                          std::string("plugin '") + table.name + "' has no compiler", "compile",
                          table.name, ""});
  const TilerunPluginArtifact *made = nullptr;
  {
    Span span("compile", std::string("compile by ") + table.name);
    if (span)
      span.note("target", getText(request.target).str());
    if (TilerunStatus status = table.compile(&request, &made, errors.getSink()))
      return Outcome::fail(errors.take(status));
  }
  std::string reason;
  std::shared_ptr<const Artifact> artifact = take(table, made, reason);
  if (!artifact)
    return Outcome::fail({TILERUN_STATUS_INTERNAL,
                          std::string("plugin '") + table.name +
                              "' gives no usable artifact for target '" +
                              getText(request.target).str() + "': " + reason,
                          "compile", table.name, ""});
  if (!device || !table.finalize_artifact)
    return {artifact, nullptr};
  const TilerunPluginArtifact *binary = nullptr;
  Span span("compile", std::string("compile by the driver of ") + table.name);
  if (TilerunStatus status = table.finalize_artifact(device, &artifact->get(), &binary, nullptr))
    return {artifact, nullptr, /*provisional=*/!isLasting(status)};
  if (std::shared_ptr<const Artifact> final = take(table, binary, reason))
    return {final, nullptr};
  return {artifact, nullptr, /*provisional=*/true};
}

Outcome cache::getArtifactOfSource(ArtifactCache &cache, const Key &key, const TilerunPlugin &table,
                                   TilerunPluginDevice *device,
                                   const TilerunPluginCompileRequest &request, MakeBytecode make) {
  return cache.getOrCompile(
      key,
      [&]() -> Outcome {
        std::vector<uint8_t> bytecode;
        std::string note;
        if (std::optional<plugin::Error> error = make(bytecode, note))
          return Outcome::fail(std::move(*error));
        TilerunPluginCompileRequest whole = request;
        whole.bytecode = bytecode.data();
        whole.num_bytes = bytecode.size();
        Outcome outcome = compileArtifact(table, device, whole);
        if (outcome.artifact)
          outcome.artifact = outcome.artifact->withNote(std::move(note));
        return outcome;
      },
      isPersistent(table));
}

std::shared_ptr<ArtifactCache>
cache::getSharedCache(std::function<void(const std::string &)> warn) {
  // Never destroyed: other threads may compile until the end of the process.
  static auto *const shared = new std::shared_ptr<ArtifactCache>([&] {
    if (!warn)
      warn = [](const std::string &text) {
        std::fprintf(stderr, "tilerun: warning: %s\n", text.c_str());
      };
    return std::make_shared<ArtifactCache>(
        std::make_shared<DiskCache>(DiskCacheOptions::fromEnvironment(std::move(warn))));
  }());
  return *shared;
}
