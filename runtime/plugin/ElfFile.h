// Inspects a shared object without loading it, so that files that can never load are refused with a
// clear reason instead of the dynamic linker's, and a truncated one cannot kill the process
// (touching a mapped page past the end of a file raises SIGBUS).
#pragma once

#include <string>
#include <vector>

namespace tilerun::plugin {

/// Why the file at `path` cannot be a plugin for this process; empty if it may be one. Checks the
/// format, the machine, that no segment reaches past the end, and that `symbol` is defined.
std::string checkElfFile(const std::string &path, const char *symbol);

/// The same on the bytes of a file.
std::string checkElfBytes(const void *bytes, size_t size, const char *symbol);

/// The imports and exports of a shared object, for an audit. Empty lists if the file cannot be
/// read.
struct ElfSymbols {
  std::vector<std::string> libraries; ///< That the dynamic linker loads with it.
  std::vector<std::string> exported;  ///< Defined, and visible to others.
  std::vector<std::string> undefined; ///< Undefined here, except weak ones.
};
ElfSymbols readElfSymbols(const std::string &path);
ElfSymbols readElfSymbols(const void *bytes, size_t size);

} // namespace tilerun::plugin
