// The prints and assertions of a kernel in stored artifacts. `Site` is a backend's DebugSite
// (backends/common/DebugBuffer.h).
#pragma once

#include "plugins/support/Bytes.h"

namespace tilerun::plugin_support {

/// Their number, then of each: kind u32, text, arguments, file, line u32, column u32.
template <typename Site, typename Writer>
void writeSites(Writer &writer, const std::vector<Site> &sites) {
  writer.add(static_cast<uint32_t>(sites.size()));
  for (const Site &site : sites) {
    writer.add(static_cast<uint32_t>(site.kind));
    writer.addText(site.text);
    writer.addText(site.arguments);
    writer.addText(site.file);
    writer.add(uint32_t(site.line));
    writer.add(uint32_t(site.column));
  }
}

/// The same back; the reader fails for what writeSites does not write.
template <typename Site, typename Reader> std::vector<Site> readSites(Reader &reader) {
  std::vector<Site> sites(reader.getCount(/*leastBytes=*/24));
  for (Site &site : sites) {
    auto kind = reader.template get<uint32_t>();
    const bool isKnown = kind <= static_cast<uint32_t>(Site::Kind::Assert);
    site.kind = isKnown ? static_cast<typename Site::Kind>(kind) : Site::Kind::Print;
    site.text = reader.getText();
    site.arguments = reader.getText();
    site.file = reader.getText();
    site.line = reader.template get<uint32_t>();
    site.column = reader.template get<uint32_t>();
    if (!isKnown || site.arguments.find_first_not_of("ilfd") != std::string::npos)
      reader.fail();
  }
  return sites;
}

} // namespace tilerun::plugin_support
