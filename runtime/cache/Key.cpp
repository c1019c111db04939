// Hashing of keys, and the identity of the running code.
#include "runtime/cache/Key.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

using namespace tilerun::cache;

std::string Key::toHex() const { return llvm::toHex(bytes, /*LowerCase=*/true); }

size_t KeyHash::operator()(const Key &key) const {
  // The bytes are uniformly distributed already.
  return static_cast<size_t>(llvm::support::endian::read64le(key.bytes.data()));
}

static Key finishHash(const llvm::BLAKE3 &hasher) {
  llvm::BLAKE3 copy = hasher;
  Key key;
  llvm::BLAKE3Result<32> result = copy.final<32>();
  std::copy(result.begin(), result.end(), key.bytes.begin());
  return key;
}

Key tilerun::cache::hashBytes(llvm::ArrayRef<uint8_t> bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(bytes);
  return finishHash(hasher);
}

Key tilerun::cache::hashBytes(llvm::StringRef bytes) {
  return hashBytes(llvm::ArrayRef(bytes.bytes_begin(), bytes.size()));
}

static void addSized(llvm::BLAKE3 &hasher, llvm::ArrayRef<uint8_t> bytes) {
  uint8_t size[8];
  llvm::support::endian::write64le(size, bytes.size());
  hasher.update(llvm::ArrayRef(size));
  hasher.update(bytes);
}

static llvm::ArrayRef<uint8_t> getBytes(llvm::StringRef text) {
  return {text.bytes_begin(), text.size()};
}

KeyBuilder::KeyBuilder(llvm::StringRef purpose) { addSized(hasher, getBytes(purpose)); }

KeyBuilder &KeyBuilder::add(llvm::StringRef name, llvm::ArrayRef<uint8_t> value) {
  addSized(hasher, getBytes(name));
  addSized(hasher, value);
  return *this;
}

KeyBuilder &KeyBuilder::add(llvm::StringRef name, llvm::StringRef value) {
  return add(name, getBytes(value));
}

KeyBuilder &KeyBuilder::add(llvm::StringRef name, uint64_t value) {
  uint8_t bytes[8];
  llvm::support::endian::write64le(bytes, value);
  return add(name, llvm::ArrayRef(bytes));
}

KeyBuilder &KeyBuilder::add(llvm::StringRef name, const Key &value) {
  return add(name, llvm::ArrayRef(value.bytes));
}

Key KeyBuilder::finish() const { return finishHash(hasher); }

//===----------------------------------------------------------------------===//
// Build ids
//===----------------------------------------------------------------------===//

namespace {
// Where a loaded object is looked for by an address in it, or by its file's name.
struct Search {
  uintptr_t address;
  llvm::StringRef name;
  std::string id;
  std::vector<std::string> frameworks; ///< Shared libraries of the compiler framework it needs.
};
} // namespace

// The build id in one segment of notes.
static std::string findInNotes(const uint8_t *at, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    size_t name = llvm::alignTo(note.n_namesz, 4), value = llvm::alignTo(note.n_descsz, 4);
    if (name > size - sizeof(note) || value > size - sizeof(note) - name)
      return "";
    const uint8_t *content = at + sizeof(note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(content, "GNU", 4) == 0)
      return llvm::toHex(llvm::ArrayRef(content + name, note.n_descsz), /*LowerCase=*/true);
    at += sizeof(note) + name + value;
    size -= sizeof(note) + name + value;
  }
  return "";
}

// The libraries of LLVM among those that a dynamic section names.
static std::vector<std::string> findFrameworks(const ElfW(Dyn) * dynamic, uintptr_t base) {
  const char *strings = nullptr;
  for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB)
      // The linker has made an address of it, but not in every object.
      strings = reinterpret_cast<const char *>(entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr
                                                                        : entry->d_un.d_ptr);
  std::vector<std::string> names;
  for (const ElfW(Dyn) *entry = dynamic; strings && entry->d_tag != DT_NULL; ++entry) {
    llvm::StringRef name = entry->d_tag == DT_NEEDED ? strings + entry->d_un.d_val : "";
    if (name.starts_with("libLLVM") || name.starts_with("libMLIR"))
      names.push_back(name.str());
  }
  return names;
}

static int visitObject(dl_phdr_info *info, size_t, void *user) {
  auto &search = *static_cast<Search *>(user);
  auto headers = llvm::ArrayRef(info->dlpi_phdr, info->dlpi_phnum);
  bool holds = llvm::any_of(headers, [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD && search.address - info->dlpi_addr >= header.p_vaddr &&
           search.address - info->dlpi_addr < header.p_vaddr + header.p_memsz;
  });
  bool isNamed = !search.name.empty() && search.name == llvm::sys::path::filename(info->dlpi_name);
  if (!holds && !isNamed)
    return 0;
  for (const ElfW(Phdr) &header : headers) {
    auto *at = reinterpret_cast<const uint8_t *>(info->dlpi_addr + header.p_vaddr);
    if (header.p_type == PT_NOTE && search.id.empty())
      search.id = findInNotes(at, header.p_memsz);
    if (header.p_type == PT_DYNAMIC)
      search.frameworks = findFrameworks(reinterpret_cast<const ElfW(Dyn) *>(at), info->dlpi_addr);
  }
  return 1;
}

// For an object without a build id: data that distinguishes its file from others.
static std::string describeFile(const void *address) {
  KeyBuilder builder("object");
  Dl_info info;
  struct stat status;
  if (dladdr(address, &info) && info.dli_fname) {
    // The program's own name may be relative to another folder by now.
    const char *path = info.dli_fname[0] == '/' ? info.dli_fname : "/proc/self/exe";
    builder.add("path", info.dli_fname);
    if (stat(path, &status) == 0)
      builder.add("size", static_cast<uint64_t>(status.st_size))
          .add("seconds", static_cast<uint64_t>(status.st_mtim.tv_sec))
          .add("nanoseconds", static_cast<uint64_t>(status.st_mtim.tv_nsec));
  }
  return builder.finish().toHex();
}

std::string tilerun::cache::getBuildId(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), "", "", {}};
  dl_iterate_phdr(visitObject, &search);
  std::string id = search.id.empty() ? describeFile(address) : search.id;
  for (const std::string &name : search.frameworks) {
    Search framework{0, name, "", {}};
    dl_iterate_phdr(visitObject, &framework);
    id += "-" + framework.id;
  }
  return id;
}
