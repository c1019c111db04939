// A reader of ELF headers that trusts nothing: every offset is checked before it is followed.
#include "runtime/plugin/ElfFile.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::plugin;

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr const char *kMachineName = "x86_64";
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr const char *kMachineName = "aarch64";
#else
#error "name this machine"
#endif

std::string getMachineName(uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86_64";
  case EM_AARCH64:
    return "aarch64";
  case EM_386:
    return "i386";
  case EM_ARM:
    return "arm";
  case EM_RISCV:
    return "riscv";
  case EM_PPC64:
    return "ppc64";
  case EM_S390:
    return "s390";
  default:
    return "machine " + std::to_string(machine);
  }
}

class Reader {
public:
  Reader(const void *bytes, size_t size) : bytes(static_cast<const char *>(bytes)), size(size) {}

  bool contains(uint64_t offset, uint64_t count) const {
    return offset <= size && count <= size - offset;
  }
  /// The `index`-th T of an array at `offset`; false if it is outside.
  template <typename T> bool read(uint64_t offset, uint64_t index, T &out) const {
    if (index > size / sizeof(T) || !contains(offset, (index + 1) * sizeof(T)))
      return false;
    std::memcpy(&out, bytes + offset + index * sizeof(T), sizeof(T));
    return true;
  }
  /// Whether the string at `offset` is `text`.
  bool isString(uint64_t offset, const char *text) const {
    uint64_t count = std::strlen(text) + 1;
    return contains(offset, count) && std::memcmp(bytes + offset, text, count) == 0;
  }

  /// The string at `offset`; "" if it does not end inside.
  std::string getString(uint64_t offset) const {
    if (offset >= size)
      return "";
    const void *end = std::memchr(bytes + offset, 0, size - offset);
    return end ? std::string(bytes + offset, static_cast<const char *>(end)) : "";
  }

private:
  const char *bytes;
  uint64_t size;
};

/// Whether the table of dynamic symbols defines `symbol`; also true without section headers, by
/// which the table is found: then the dynamic linker must decide.
bool mayDefine(const Reader &reader, const Elf64_Ehdr &header, const char *symbol) {
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    if (!reader.read(header.e_shoff, i, section))
      return true;
    if (section.sh_type != SHT_DYNSYM)
      continue;
    // There is one such table. Its size is not a promise: the loop ends with the file at the
    // latest.
    if (!reader.read(header.e_shoff, section.sh_link, strings))
      return true;
    Elf64_Sym entry;
    for (uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
      if (!reader.read(section.sh_offset, k, entry))
        break;
      if (entry.st_shndx != SHN_UNDEF && entry.st_name < strings.sh_size &&
          reader.isString(strings.sh_offset + entry.st_name, symbol))
        return true;
    }
    return false;
  }
  return true;
}

} // namespace

std::string plugin::checkElfBytes(const void *bytes, size_t size, const char *symbol) {
  Reader reader(bytes, size);
  Elf64_Ehdr header;
  if (size < SELFMAG || std::memcmp(bytes, ELFMAG, SELFMAG) != 0)
    return "it is not a shared object (no ELF header)";
  const char *truncated = "it is truncated";
  if (!reader.read(0, 0, header))
    return truncated;
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    return "it has the wrong architecture: it is not a 64-bit object";
  if (header.e_ident[EI_DATA] != ELFDATA2LSB)
    return "it has the wrong architecture: it is big-endian";
  if (header.e_machine != kMachine)
    return "it has the wrong architecture: it is for " + getMachineName(header.e_machine) +
           ", this process is " + kMachineName;
  if (header.e_type != ET_DYN)
    return "it is an ELF file, but not a shared object";
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return "it has no program headers";
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!reader.read(header.e_phoff, i, segment))
      return truncated;
    if (segment.p_type == PT_LOAD && !reader.contains(segment.p_offset, segment.p_filesz))
      return truncated;
  }
  if (header.e_shoff && header.e_shentsize == sizeof(Elf64_Shdr)) {
    Elf64_Shdr last;
    if (header.e_shnum && !reader.read(header.e_shoff, header.e_shnum - 1u, last))
      return truncated;
    if (!mayDefine(reader, header, symbol))
      return std::string("it does not export ") + symbol + ", so it is not a plugin";
  }
  return "";
}

ElfSymbols plugin::readElfSymbols(const void *bytes, size_t size) {
  Reader reader(bytes, size);
  ElfSymbols result;
  Elf64_Ehdr header;
  if (!reader.read(0, 0, header))
    return result;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    if (!reader.read(header.e_shoff, i, section) ||
        !reader.read(header.e_shoff, section.sh_link, strings))
      continue;
    Elf64_Dyn dynamic;
    if (section.sh_type == SHT_DYNAMIC)
      for (uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Dyn); ++k)
        if (reader.read(section.sh_offset, k, dynamic) && dynamic.d_tag == DT_NEEDED)
          result.libraries.push_back(reader.getString(strings.sh_offset + dynamic.d_un.d_val));
    Elf64_Sym symbol;
    if (section.sh_type != SHT_DYNSYM)
      continue;
    for (uint64_t k = 1; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
      if (!reader.read(section.sh_offset, k, symbol))
        break;
      const unsigned binding = ELF64_ST_BIND(symbol.st_info);
      const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
      std::string name = reader.getString(strings.sh_offset + symbol.st_name);
      if (binding == STB_LOCAL || name.empty())
        continue;
      // Absolute ones are the names of versions.
      if (symbol.st_shndx != SHN_UNDEF) {
        if (symbol.st_shndx != SHN_ABS && visibility != STV_HIDDEN && visibility != STV_INTERNAL)
          result.exported.push_back(name);
      } else if (binding != STB_WEAK) {
        result.undefined.push_back(name);
      }
    }
  }
  return result;
}

// Calls `use(bytes, size)` on the file's content; why that was not possible, or "".
template <typename Use> static std::string withFile(const std::string &path, Use use) {
  // Not a path that blocks: a FIFO opens at once and is then found not to be a regular file.
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return std::string("it cannot be read: ") + std::strerror(errno);
  struct stat status;
  std::string reason;
  if (fstat(fd, &status) != 0) {
    reason = std::string("it cannot be read: ") + std::strerror(errno);
  } else if (!S_ISREG(status.st_mode)) {
    reason = "it is not a file";
  } else if (status.st_size == 0) {
    reason = "it is empty";
  } else {
    size_t size = static_cast<size_t>(status.st_size);
    void *bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
      reason = std::string("it cannot be read: ") + std::strerror(errno);
    } else {
      use(bytes, size);
      munmap(bytes, size);
    }
  }
  close(fd);
  return reason;
}

std::string plugin::checkElfFile(const std::string &path, const char *symbol) {
  std::string wrong;
  std::string unreadable = withFile(
      path, [&](const void *bytes, size_t size) { wrong = checkElfBytes(bytes, size, symbol); });
  return unreadable.empty() ? wrong : unreadable;
}

ElfSymbols plugin::readElfSymbols(const std::string &path) {
  ElfSymbols symbols;
  withFile(path, [&](const void *bytes, size_t size) { symbols = readElfSymbols(bytes, size); });
  return symbols;
}
