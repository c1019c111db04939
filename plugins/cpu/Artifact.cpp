// The format of artifacts: lines of text up to "code", then MLIR bytecode.
#include "plugins/cpu/Handles.h"
#include "plugins/support/OwnedArtifact.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace tilerun;
using namespace tilerun::cpu;

static constexpr llvm::StringLiteral kMagic = "tilerun-cpu-artifact 2";

std::string cpu::getCompatibility() {
  // Bytecode of MLIR's own dialects is read by the version that wrote it.
  return "cpu:artifact-2:mlir-" LLVM_VERSION_STRING;
}

std::vector<uint8_t> cpu::encodeArtifact(const ArtifactContent &content) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kMagic << "\n";
  if (content.options.debug)
    os << "debug\n";
  if (content.options.checks.any())
    os << "checks " << formatChecks(content.options.checks) << "\n";
  if (content.options.watch.any())
    os << "watch " << formatWatch(content.options.watch) << "\n";
  if (content.options.numThreads)
    os << "threads " << content.options.numThreads << "\n";
  for (const KernelHeader &kernel : content.kernels)
    os << "kernel " << kernel.threads << " " << kernel.name << "\n";
  if (!content.hostKernel.empty())
    os << "host " << content.hostKernel << "\n";
  os << "code\n";
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.insert(bytes.end(), content.code.begin(), content.code.end());
  return bytes;
}

std::optional<ArtifactContent> cpu::decodeArtifact(llvm::ArrayRef<uint8_t> bytes) {
  llvm::StringRef rest(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto nextLine = [&] {
    auto [line, after] = rest.split('\n');
    rest = after;
    return line;
  };
  if (nextLine() != kMagic)
    return std::nullopt;
  ArtifactContent content;
  while (!rest.empty()) {
    llvm::StringRef line = nextLine();
    if (line == "code") {
      content.code.assign(rest.bytes_begin(), rest.bytes_end());
      return content.kernels.empty() ? std::nullopt : std::optional(std::move(content));
    }
    if (line == "debug") {
      content.options.debug = true;
    } else if (line.consume_front("checks ")) {
      if (!parseChecks(line, content.options.checks).empty())
        return std::nullopt;
    } else if (line.consume_front("watch ")) {
      if (!parseWatch(line, content.options.watch).empty())
        return std::nullopt;
    } else if (line.consume_front("threads ")) {
      if (line.getAsInteger(10, content.options.numThreads))
        return std::nullopt;
    } else if (line.consume_front("host ")) {
      content.hostKernel = line.str();
    } else if (line.consume_front("kernel ")) {
      auto [threads, name] = line.split(' ');
      KernelHeader header{name.str(), 0};
      if (threads.getAsInteger(10, header.threads) || !header.threads ||
          header.threads > kMaxThreads || name.empty())
        return std::nullopt;
      content.kernels.push_back(std::move(header));
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

static TilerunPluginParameter describe(interp::Dtype type, const std::string &name) {
  uint16_t kind = type == interp::Dtype::Ptr ? TILERUN_ARGUMENT_POINTER
                  : interp::isFloat(type)    ? TILERUN_ARGUMENT_FLOAT
                                             : TILERUN_ARGUMENT_INTEGER;
  auto bits = static_cast<uint16_t>(type == interp::Dtype::I1 ? 1 : 8 * interp::sizeOf(type));
  return {sizeof(TilerunPluginParameter), kind, bits, name.c_str()};
}

const TilerunPluginArtifact *cpu::makeArtifact(const ArtifactContent &content,
                                               std::vector<KernelParameters> parameters) {
  std::vector<uint8_t> bytes = encodeArtifact(content);
  auto owned = std::make_unique<plugin_support::OwnedArtifact>(
      std::string(bytes.begin(), bytes.end()), getCompatibility());
  for (auto [header, all] : llvm::zip_equal(content.kernels, parameters)) {
    std::vector<TilerunPluginParameter> infos;
    for (auto [type, name] : llvm::zip_equal(all.types, all.names))
      infos.push_back(describe(type, name));
    owned->addKernel({sizeof(TilerunPluginKernelInfo), static_cast<uint32_t>(infos.size()),
                      header.name.c_str(), infos.data(), header.threads, 0});
  }
  return plugin_support::OwnedArtifact::give(std::move(owned));
}

void cpu::releaseArtifact(const TilerunPluginArtifact *artifact) {
  plugin_support::OwnedArtifact::release(artifact);
}
