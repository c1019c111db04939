// The container of artifacts. All numbers are little-endian; a string or an array is its count,
// then its elements:
//
//   "tilerunV", version u32, 0 u32, length of the whole u64, checksum u64 of what follows:
//   kernels: name, entry, threads u32, subgroup size u32, shared bytes u32, flags u32,
//            parameters: kind u16, bits u16, name
//   debug sites: kind u32, text, arguments, file, line u32, column u32
//   SPIR-V in words; data of the driver's pipeline cache in bytes
#include "plugins/vulkan/Artifact.h"
#include "plugins/support/DebugSites.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstring>

using namespace vulkan;
using tilerun::backend::DebugSite;
using tilerun::plugin_support::readSites;
using tilerun::plugin_support::writeSites;

static constexpr llvm::StringLiteral kMagic = "tilerunV";
static constexpr uint32_t kVersion = 1;
static constexpr size_t kHeaderBytes = 32;
static constexpr uint32_t kSpirvMagic = 0x07230203;
static constexpr size_t kSpirvHeaderWords = 5;

namespace {

using ByteWriter = tilerun::plugin_support::ByteWriter<uint32_t>;
using ByteReader = tilerun::plugin_support::ByteReader<uint32_t>;

llvm::Error makeError(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

/// Whether the words are instructions one after the other, with an entry point for every kernel.
/// Drivers do not check it themselves.
std::string checkCode(const ArtifactContent &content) {
  llvm::ArrayRef<uint32_t> code = content.code;
  if (code.size() < kSpirvHeaderWords || code[0] != kSpirvMagic)
    return "its code is not SPIR-V";
  std::vector<llvm::StringRef> entries;
  for (size_t at = kSpirvHeaderWords; at < code.size();) {
    size_t words = code[at] >> 16;
    if (words == 0 || words > code.size() - at)
      return "its code ends within an instruction";
    constexpr uint32_t kOpEntryPoint = 15;
    constexpr size_t kBeforeName = 3;
    if ((code[at] & 0xFFFF) == kOpEntryPoint && words > kBeforeName) {
      const auto *name = reinterpret_cast<const char *>(&code[at + kBeforeName]);
      entries.emplace_back(name, strnlen(name, (words - kBeforeName) * sizeof(uint32_t)));
    }
    at += words;
  }
  for (const KernelCode &kernel : content.kernels)
    if (std::find(entries.begin(), entries.end(), kernel.entry) == entries.end())
      return "its code has no entry point '" + kernel.entry + "'";
  return "";
}

bool isValid(const KernelCode::Parameter &parameter) {
  switch (parameter.kind) {
  case TILERUN_ARGUMENT_POINTER:
    return parameter.bits == 64;
  case TILERUN_ARGUMENT_FLOAT:
    return parameter.bits == 16 || parameter.bits == 32 || parameter.bits == 64;
  case TILERUN_ARGUMENT_INTEGER:
    return parameter.bits == 1 || parameter.bits == 8 || parameter.bits == 16 ||
           parameter.bits == 32 || parameter.bits == 64;
  default:
    return false;
  }
}

} // namespace

std::vector<uint8_t> vulkan::encodeArtifact(const ArtifactContent &content) {
  ByteWriter writer;
  for (size_t i = 0; i < kHeaderBytes; ++i)
    writer.add(uint8_t(0));
  writer.add(static_cast<uint32_t>(content.kernels.size()));
  for (const KernelCode &kernel : content.kernels) {
    writer.addText(kernel.name);
    writer.addText(kernel.entry);
    for (uint32_t value : {kernel.threads, kernel.subgroupSize, kernel.sharedBytes, kernel.flags})
      writer.add(value);
    writer.add(static_cast<uint32_t>(kernel.parameters.size()));
    for (const KernelCode::Parameter &parameter : kernel.parameters) {
      writer.add(parameter.kind);
      writer.add(parameter.bits);
      writer.addText(parameter.name);
    }
  }
  writeSites(writer, content.debugSites);
  writer.add(static_cast<uint32_t>(content.code.size()));
  for (uint32_t word : content.code)
    writer.add(word);
  writer.addBytes(content.pipeline);

  std::vector<uint8_t> bytes = writer.take();
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  using namespace llvm::support::endian;
  write32le(&bytes[8], kVersion);
  write32le(&bytes[12], 0);
  write64le(&bytes[16], bytes.size());
  write64le(&bytes[24], llvm::xxh3_64bits(llvm::ArrayRef(bytes).drop_front(kHeaderBytes)));
  return bytes;
}

llvm::Expected<ArtifactContent> vulkan::decodeArtifact(llvm::ArrayRef<uint8_t> bytes) {
  using namespace llvm::support::endian;
  if (bytes.empty())
    return makeError("the artifact is empty");
  if (bytes.size() < kHeaderBytes || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    return makeError("the artifact is not from this plugin");
  if (uint32_t version = read32le(&bytes[8]); version != kVersion)
    return makeError("the artifact has version " + llvm::Twine(version) + ", this plugin reads " +
                     llvm::Twine(kVersion));
  if (uint64_t size = read64le(&bytes[16]); size != bytes.size())
    return makeError("the artifact should have " + llvm::Twine(size) + " bytes and has " +
                     llvm::Twine(bytes.size()));
  llvm::ArrayRef<uint8_t> body = bytes.drop_front(kHeaderBytes);
  if (read32le(&bytes[12]) || read64le(&bytes[24]) != llvm::xxh3_64bits(body))
    return makeError("the artifact is damaged: its checksum is wrong");

  ByteReader reader(body);
  ArtifactContent content;
  content.kernels.resize(reader.getCount(/*leastBytes=*/28));
  for (KernelCode &kernel : content.kernels) {
    kernel.name = reader.getText();
    kernel.entry = reader.getText();
    for (uint32_t *value :
         {&kernel.threads, &kernel.subgroupSize, &kernel.sharedBytes, &kernel.flags})
      *value = reader.get<uint32_t>();
    kernel.parameters.resize(reader.getCount(/*leastBytes=*/8));
    for (KernelCode::Parameter &parameter : kernel.parameters) {
      parameter.kind = reader.get<uint16_t>();
      parameter.bits = reader.get<uint16_t>();
      parameter.name = reader.getText();
      if (!isValid(parameter))
        reader.fail();
    }
    if (!kernel.threads)
      reader.fail();
  }
  content.debugSites = readSites<DebugSite>(reader);
  content.code.resize(reader.getCount(/*leastBytes=*/4));
  for (uint32_t &word : content.code)
    word = reader.get<uint32_t>();
  const auto pipeline = reader.getBytes();
  content.pipeline.assign(pipeline.begin(), pipeline.end());
  if (!reader.finished())
    return makeError("the artifact's content does not fit its lengths");
  if (std::string reason = checkCode(content); !reason.empty())
    return makeError("the artifact cannot be used: " + reason);
  return content;
}

//===----------------------------------------------------------------------===//
// Artifacts for the host
//===----------------------------------------------------------------------===//

const TilerunPluginArtifact *vulkan::giveArtifact(const ArtifactContent &content,
                                                  std::string compatibility) {
  std::vector<uint8_t> bytes = encodeArtifact(content);
  return giveArtifact(content.kernels, std::string(bytes.begin(), bytes.end()),
                      std::move(compatibility));
}

const TilerunPluginArtifact *vulkan::giveArtifact(const std::vector<KernelCode> &kernels,
                                                  std::string bytes, std::string compatibility) {
  auto owned = std::make_unique<OwnedArtifact>(std::move(bytes), std::move(compatibility));
  for (const KernelCode &kernel : kernels) {
    std::vector<TilerunPluginParameter> parameters;
    parameters.reserve(kernel.parameters.size());
    for (const KernelCode::Parameter &parameter : kernel.parameters)
      parameters.push_back(
          {sizeof(TilerunPluginParameter), parameter.kind, parameter.bits, parameter.name.c_str()});
    owned->addKernel({sizeof(TilerunPluginKernelInfo), static_cast<uint32_t>(parameters.size()),
                      kernel.name.c_str(), parameters.data(), kernel.threads, kernel.sharedBytes});
  }
  return OwnedArtifact::give(std::move(owned));
}
