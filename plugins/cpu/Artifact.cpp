// The format of artifacts: options, kernels, and their code as MLIR bytecode.
#include "plugins/cpu/Handles.h"
#include "plugins/support/Bytes.h"
#include "plugins/support/OwnedArtifact.h"

#include "llvm/Config/llvm-config.h"

using namespace tilerun;
using namespace tilerun::cpu;

static constexpr llvm::StringLiteral kMagic = "tilerun-cpu-artifact 3";

std::string cpu::getCompatibility() {
  // Bytecode of MLIR's own dialects is read by the version that wrote it.
  return "cpu:artifact-3:mlir-" LLVM_VERSION_STRING;
}

std::vector<uint8_t> cpu::encodeArtifact(const ArtifactContent &content) {
  plugin_support::ByteWriter<uint32_t> writer;
  writer.addText(kMagic);
  writer.add(uint8_t(content.options.debug));
  writer.addText(formatChecks(content.options.checks));
  writer.add(content.options.numThreads);
  writer.add(static_cast<uint32_t>(content.kernels.size()));
  for (const KernelHeader &kernel : content.kernels) {
    writer.add(kernel.threads);
    writer.addText(kernel.name);
  }
  writer.addText(content.hostKernel);
  writer.addBytes(content.code);
  return writer.take();
}

std::optional<ArtifactContent> cpu::decodeArtifact(llvm::ArrayRef<uint8_t> bytes) {
  plugin_support::ByteReader<uint32_t> reader(bytes);
  if (reader.getText() != kMagic)
    return std::nullopt;
  ArtifactContent content;
  content.options.debug = reader.get<uint8_t>() != 0;
  const std::string checks = reader.getText();
  if (!checks.empty() && !parseChecks(checks, content.options.checks).empty())
    reader.fail();
  content.options.numThreads = reader.get<uint32_t>();
  content.kernels.resize(reader.getCount(/*leastBytes=*/8));
  for (KernelHeader &kernel : content.kernels) {
    kernel.threads = reader.get<uint32_t>();
    kernel.name = reader.getText();
    if (!kernel.threads || kernel.threads > kMaxThreads || kernel.name.empty())
      reader.fail();
  }
  content.hostKernel = reader.getText();
  const auto code = reader.getBytes();
  content.code.assign(code.begin(), code.end());
  return reader.finished() && !content.kernels.empty() ? std::optional(std::move(content))
                                                       : std::nullopt;
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
