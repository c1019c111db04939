// See Artifact.h.
#include "plugins/hip/Artifact.h"
#include "plugins/support/DebugSites.h"

using namespace hip;
using namespace tilerun::plugin_support;

static constexpr std::string_view kMagic = "tilerunH";
static constexpr uint32_t kVersion = 1;

std::string hip::encodeArtifact(const std::vector<tilerun::backend::DebugSite> &sites,
                                std::string_view code) {
  if (sites.empty())
    return std::string(code);
  ByteWriter<uint32_t> writer;
  for (char letter : kMagic)
    writer.add(letter);
  writer.add(kVersion);
  writeSites(writer, sites);
  writer.addText(code);
  const std::vector<uint8_t> bytes = writer.take();
  return {bytes.begin(), bytes.end()};
}

bool hip::decodeArtifact(std::string_view bytes, ArtifactContent &content, std::string &reason) {
  if (!bytes.starts_with(kMagic)) {
    content = {{}, bytes};
    return true;
  }
  ByteReader<uint32_t> reader({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  for (size_t i = 0; i < kMagic.size(); ++i)
    reader.get<char>();
  if (const auto version = reader.get<uint32_t>(); version != kVersion) {
    reason = "the artifact has version " + std::to_string(version) + ", this plugin reads " +
             std::to_string(kVersion);
    return false;
  }
  content.sites = readSites<tilerun::backend::DebugSite>(reader);
  const std::span<const uint8_t> code = reader.getBytes();
  content.code = {reinterpret_cast<const char *>(code.data()), code.size()};
  if (reader.finished())
    return true;
  reason = "the artifact's content does not fit its lengths";
  return false;
}
