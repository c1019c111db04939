// The container of artifacts. All numbers are little-endian; a string or an array is its count,
// then its elements:
//
//   "tilerunV", version u32, 0 u32, length of the whole u64, checksum u64 of what follows:
//   kernels: name, entry, threads u32, subgroup size u32, shared bytes u32, flags u32,
//            parameters: kind u16, bits u16, name
//   debug sites: kind u32, text, arguments, file, line u32, column u32
//   SPIR-V in words; data of the driver's pipeline cache in bytes
#include "plugins/vulkan/Artifact.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstring>

using namespace vulkan;
using tilerun::spirvbackend::DebugSite;

static constexpr llvm::StringLiteral kMagic = "tilerunV";
static constexpr uint32_t kVersion = 1;
static constexpr size_t kHeaderBytes = 32;
static constexpr uint32_t kSpirvMagic = 0x07230203;
static constexpr size_t kSpirvHeaderWords = 5;

uint64_t KernelCode::getPackedBytes() const {
  uint64_t offset = 0;
  for (const Parameter &parameter : parameters) {
    uint64_t bytes = std::max(parameter.bits / 8, 1);
    offset = (offset + bytes - 1) / bytes * bytes + bytes;
  }
  return offset;
}

namespace {

class Writer {
public:
  template <typename T> void number(T value) {
    size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    llvm::support::endian::write(&bytes[at], value, llvm::endianness::little);
  }
  void text(llvm::StringRef value) {
    number(static_cast<uint32_t>(value.size()));
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  std::vector<uint8_t> bytes;
};

// Reads until something does not fit; then everything is 0 and `failed` is set.
class Reader {
public:
  explicit Reader(llvm::ArrayRef<uint8_t> bytes) : rest(bytes) {}
  template <typename T> T number() {
    if (!take(sizeof(T)))
      return 0;
    T value = llvm::support::endian::read<T>(rest.data(), llvm::endianness::little);
    rest = rest.drop_front(sizeof(T));
    return value;
  }
  /// A count of elements that have at least `least` bytes each.
  size_t count(size_t least) {
    uint32_t value = number<uint32_t>();
    if (value > rest.size() / least)
      failed = true;
    return failed ? 0 : value;
  }
  std::string text() {
    size_t size = count(1);
    std::string value(reinterpret_cast<const char *>(rest.data()), size);
    rest = rest.drop_front(size);
    // Names go to interfaces that end them with NUL.
    failed |= value.find('\0') != std::string::npos;
    return value;
  }
  llvm::ArrayRef<uint8_t> block(size_t size) {
    if (!take(size))
      return {};
    llvm::ArrayRef<uint8_t> value = rest.take_front(size);
    rest = rest.drop_front(size);
    return value;
  }
  bool isAtEnd() const { return rest.empty(); }
  bool failed = false;

private:
  bool take(size_t size) {
    failed |= size > rest.size();
    return !failed;
  }
  llvm::ArrayRef<uint8_t> rest;
};

llvm::Error makeError(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

/// Whether the words are instructions one after the other, with an entry point for every kernel.
/// Drivers believe what they are given.
std::string checkCode(const ArtifactContent &content) {
  llvm::ArrayRef<uint32_t> code = content.code;
  if (code.size() < kSpirvHeaderWords || code[0] != kSpirvMagic)
    return "its code is no SPIR-V";
  std::vector<llvm::StringRef> entries;
  for (size_t at = kSpirvHeaderWords; at < code.size();) {
    size_t words = code[at] >> 16;
    if (words == 0 || words > code.size() - at)
      return "its code breaks off in an instruction";
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
  Writer writer;
  writer.bytes.resize(kHeaderBytes);
  writer.number(static_cast<uint32_t>(content.kernels.size()));
  for (const KernelCode &kernel : content.kernels) {
    writer.text(kernel.name);
    writer.text(kernel.entry);
    for (uint32_t value : {kernel.threads, kernel.subgroupSize, kernel.sharedBytes, kernel.flags})
      writer.number(value);
    writer.number(static_cast<uint32_t>(kernel.parameters.size()));
    for (const KernelCode::Parameter &parameter : kernel.parameters) {
      writer.number(parameter.kind);
      writer.number(parameter.bits);
      writer.text(parameter.name);
    }
  }
  writer.number(static_cast<uint32_t>(content.debugSites.size()));
  for (const DebugSite &site : content.debugSites) {
    writer.number(static_cast<uint32_t>(site.kind));
    writer.text(site.text);
    writer.text(site.arguments);
    writer.text(site.file);
    writer.number(uint32_t(site.line));
    writer.number(uint32_t(site.column));
  }
  writer.number(static_cast<uint32_t>(content.code.size()));
  for (uint32_t word : content.code)
    writer.number(word);
  writer.number(static_cast<uint32_t>(content.pipeline.size()));
  writer.bytes.insert(writer.bytes.end(), content.pipeline.begin(), content.pipeline.end());

  std::vector<uint8_t> bytes = std::move(writer.bytes);
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
    return makeError("the artifact is none of this plugin's");
  if (uint32_t version = read32le(&bytes[8]); version != kVersion)
    return makeError("the artifact has version " + llvm::Twine(version) + ", this plugin reads " +
                     llvm::Twine(kVersion));
  if (uint64_t size = read64le(&bytes[16]); size != bytes.size())
    return makeError("the artifact should have " + llvm::Twine(size) + " bytes and has " +
                     llvm::Twine(bytes.size()));
  llvm::ArrayRef<uint8_t> body = bytes.drop_front(kHeaderBytes);
  if (read32le(&bytes[12]) || read64le(&bytes[24]) != llvm::xxh3_64bits(body))
    return makeError("the artifact is damaged: its checksum is wrong");

  Reader reader(body);
  ArtifactContent content;
  content.kernels.resize(reader.count(/*least=*/28));
  for (KernelCode &kernel : content.kernels) {
    kernel.name = reader.text();
    kernel.entry = reader.text();
    for (uint32_t *value :
         {&kernel.threads, &kernel.subgroupSize, &kernel.sharedBytes, &kernel.flags})
      *value = reader.number<uint32_t>();
    kernel.parameters.resize(reader.count(/*least=*/8));
    for (KernelCode::Parameter &parameter : kernel.parameters) {
      parameter.kind = reader.number<uint16_t>();
      parameter.bits = reader.number<uint16_t>();
      parameter.name = reader.text();
      reader.failed |= !isValid(parameter);
    }
    reader.failed |= kernel.threads == 0;
  }
  content.debugSites.resize(reader.count(/*least=*/24));
  for (DebugSite &site : content.debugSites) {
    auto kind = reader.number<uint32_t>();
    reader.failed |= kind > static_cast<uint32_t>(DebugSite::Kind::Assert);
    site.kind = reader.failed ? DebugSite::Kind::Print : static_cast<DebugSite::Kind>(kind);
    site.text = reader.text();
    site.arguments = reader.text();
    site.file = reader.text();
    site.line = reader.number<uint32_t>();
    site.column = reader.number<uint32_t>();
    reader.failed |= site.arguments.find_first_not_of("ilfd") != std::string::npos;
  }
  content.code.resize(reader.count(/*least=*/4));
  for (uint32_t &word : content.code)
    word = reader.number<uint32_t>();
  llvm::ArrayRef<uint8_t> pipeline = reader.block(reader.count(/*least=*/1));
  content.pipeline.assign(pipeline.begin(), pipeline.end());
  if (reader.failed || !reader.isAtEnd())
    return makeError("the artifact's content does not fit its lengths");
  if (std::string reason = checkCode(content); !reason.empty())
    return makeError("the artifact cannot be used: " + reason);
  return content;
}

//===----------------------------------------------------------------------===//
// What is given away
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
    for (const KernelCode::Parameter &parameter : kernel.parameters)
      parameters.push_back(
          {sizeof(TilerunPluginParameter), parameter.kind, parameter.bits, parameter.name.c_str()});
    owned->addKernel({sizeof(TilerunPluginKernelInfo), static_cast<uint32_t>(parameters.size()),
                      kernel.name.c_str(), parameters.data(), kernel.threads, kernel.sharedBytes});
  }
  return OwnedArtifact::give(std::move(owned));
}
