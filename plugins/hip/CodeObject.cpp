// See CodeObject.h. The forms are those of the ELF specification, of LLVM's "AMDGPU Usage" and of
// "Clang Offload Bundler".
#include "plugins/hip/CodeObject.h"
#include "plugins/support/Bytes.h"

#include <algorithm>
#include <charconv>
#include <elf.h>
#include <vector>

using namespace hip;

TargetId TargetId::parse(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  return {text.substr(0, colon), text.substr(colon)};
}

bool TargetId::runsOn(const TargetId &device) const {
  if (arch != device.arch)
    return false;
  for (std::string_view rest = features; !rest.empty();) {
    const size_t end = std::min(rest.find(':', 1), rest.size());
    const std::string_view feature = rest.substr(0, end);
    rest.remove_prefix(end);
    // Whole features only: ":xnack" is not a setting.
    const size_t at = device.features.find(feature);
    const size_t after = at == std::string_view::npos ? at : at + feature.size();
    if (feature.size() < 3 || at == std::string_view::npos ||
        (after != device.features.size() && device.features[after] != ':'))
      return false;
  }
  return true;
}

Compatibility Compatibility::parse(std::string_view text) {
  constexpr std::string_view kKind = "hip:", kMark = ":cov";
  const size_t mark = text.rfind(kMark);
  if (!text.starts_with(kKind) || mark == std::string_view::npos || mark <= kKind.size())
    return {};
  Compatibility found = {text.substr(kKind.size(), mark - kKind.size()), 0};
  const std::string_view number = text.substr(mark + kMark.size());
  auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), found.version);
  return error == std::errc() && rest == number.data() + number.size() ? found : Compatibility();
}

//===----------------------------------------------------------------------===//
// ELF
//===----------------------------------------------------------------------===//

// Whether `count` entries of a table, and what each of them spans in the file, are inside.
template <typename Header, typename GetEnd>
static bool holdsTable(std::string_view bytes, uint64_t offset, uint64_t count, uint64_t size,
                       GetEnd getEnd) {
  if (count == 0)
    return true;
  if (size != sizeof(Header) || offset > bytes.size() || count > (bytes.size() - offset) / size)
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    Header header;
    std::memcpy(&header, bytes.data() + offset + i * size, size);
    const auto [begin, length] = getEnd(header);
    if (begin > bytes.size() || length > bytes.size() - begin)
      return false;
  }
  return true;
}

// Says what is wrong with a code object; "" if nothing is.
static std::string checkElf(std::string_view bytes) {
  constexpr unsigned kMachineAmdgpu = 224;
  using Range = std::pair<uint64_t, uint64_t>;
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header) || bytes.substr(0, SELFMAG) != ELFMAG)
    return "it is neither an ELF file nor a bundle of ELF files";
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != kMachineAmdgpu)
    return "it is an ELF file for another machine";
  const bool isWhole =
      holdsTable<Elf64_Phdr>(bytes, header.e_phoff, header.e_phnum, header.e_phentsize,
                             [](const Elf64_Phdr &p) { return Range(p.p_offset, p.p_filesz); }) &&
      holdsTable<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum, header.e_shentsize,
                             [](const Elf64_Shdr &s) {
                               return Range(s.sh_offset, s.sh_type == SHT_NOBITS ? 0 : s.sh_size);
                             });
  return isWhole ? "" : "it is cut off, or damaged";
}

unsigned hip::getVersion(std::string_view codeObject) {
  // The ABI's version began with 0 for code objects of version 2.
  const auto abi =
      codeObject.size() > EI_ABIVERSION ? static_cast<unsigned char>(codeObject[EI_ABIVERSION]) : 0;
  return abi >= 2 ? abi + 2u : 0;
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

static constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
// The prefix of a target's name. The kind was "hip" before code objects of version 4.
static constexpr std::string_view kEntryPrefix = "hipv4-amdgcn-amd-amdhsa--";

std::string_view hip::findCodeObject(std::string_view bytes, const TargetId &device,
                                     std::string &reason) {
  std::string_view found = bytes;
  if (bytes.starts_with(kBundleMagic)) {
    found = {};
    std::string names;
    tilerun::plugin_support::ByteReader<uint64_t> reader(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
    for (size_t i = 0; i < kBundleMagic.size(); ++i)
      reader.get<char>();
    for (auto count = reader.get<uint64_t>(); count && found.empty() && !reader.failed(); --count) {
      const auto offset = reader.get<uint64_t>(), size = reader.get<uint64_t>();
      const std::string name = reader.getText();
      if (!name.starts_with(kEntryPrefix))
        continue; // The host's, mostly empty.
      if (offset > bytes.size() || size > bytes.size() - offset)
        reader.fail();
      const std::string_view target = std::string_view(name).substr(kEntryPrefix.size());
      names += (names.empty() ? "" : ", ") + std::string(target);
      if (TargetId::parse(target).runsOn(device) && !reader.failed())
        found = bytes.substr(offset, size);
    }
    if (found.empty()) {
      reason = reader.failed()
                   ? "the bundle is cut off, or damaged"
                   : "the bundle has code for " + (names.empty() ? "nothing" : names) +
                         ", but not for " + std::string(device.arch) + std::string(device.features);
      return {};
    }
  }
  if (std::string wrong = checkElf(found); !wrong.empty()) {
    reason = "the code object cannot be used: " + wrong;
    return {};
  }
  return found;
}

std::string
hip::makeBundle(std::span<const std::pair<std::string_view, std::string_view>> objects) {
  constexpr size_t kAlignment = 4096; // Loaders map objects in pages.
  std::vector<std::pair<std::string, std::string_view>> entries;
  entries.emplace_back("host-x86_64-unknown-linux--", ""); // Loaders expect it as the first.
  for (const auto &[target, code] : objects)
    entries.emplace_back(std::string(kEntryPrefix) + std::string(target), code);
  size_t end = kBundleMagic.size() + sizeof(uint64_t);
  for (const auto &[name, code] : entries)
    end += 3 * sizeof(uint64_t) + name.size();
  std::string bundle(kBundleMagic), codes;
  auto add = [&](uint64_t number) {
    bundle.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  auto align = [&](size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; };
  add(entries.size());
  size_t offset = align(end);
  for (const auto &[name, code] : entries) {
    add(offset);
    add(code.size());
    add(name.size());
    bundle += name;
    codes += code;
    codes.resize(align(codes.size()));
    offset = align(end) + codes.size();
  }
  bundle.resize(align(end));
  return bundle + codes;
}
