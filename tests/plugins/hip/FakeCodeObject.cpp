// Reads the ELF note "AMDGPU" of type 32, whose text is a map in MessagePack.
#include "tests/plugins/hip/FakeCodeObject.h"

#include <cstring>
#include <elf.h>
#include <map>
#include <memory>

using namespace fake_hip;

namespace {

// A value of MessagePack, as far as these notes have them.
struct Value {
  uint64_t number = 0;
  std::string text;
  std::vector<Value> list;
  std::map<std::string, Value> map;

  const Value &operator[](const std::string &key) const {
    static const Value none;
    auto it = map.find(key);
    return it == map.end() ? none : it->second;
  }
};

class Reader {
public:
  Reader(const unsigned char *begin, size_t size) : at(begin), end(begin + size) {}
  bool failed = false;

  Value read() {
    Value value;
    const auto tag = static_cast<unsigned>(readNumber(1));
    if (tag < 0x80) {
      value.number = tag;
    } else if (tag < 0x90) {
      readMap(value, tag & 15);
    } else if (tag < 0xa0) {
      readList(value, tag & 15);
    } else if (tag < 0xc0) {
      readText(value, tag & 31);
    } else if (tag == 0xc2 || tag == 0xc3) {
      value.number = tag & 1;
    } else if (tag >= 0xcc && tag <= 0xcf) {
      value.number = readNumber(size_t(1) << (tag - 0xcc));
    } else if (tag >= 0xd9 && tag <= 0xdb) {
      readText(value, readNumber(size_t(1) << (tag - 0xd9)));
    } else if (tag == 0xdc || tag == 0xdd) {
      readList(value, readNumber(tag == 0xdc ? 2 : 4));
    } else if (tag == 0xde || tag == 0xdf) {
      readMap(value, readNumber(tag == 0xde ? 2 : 4));
    } else {
      failed = true;
    }
    return value;
  }

private:
  // Big-endian.
  uint64_t readNumber(size_t bytes) {
    uint64_t number = 0;
    for (; bytes && at < end; --bytes)
      number = number << 8 | *at++;
    failed |= bytes != 0;
    return number;
  }
  void readText(Value &value, uint64_t size) {
    if (size > static_cast<uint64_t>(end - at)) {
      failed = true;
      return;
    }
    value.text.assign(reinterpret_cast<const char *>(at), size);
    at += size;
  }
  void readList(Value &value, uint64_t count) {
    for (; count && !failed; --count)
      value.list.push_back(read());
  }
  void readMap(Value &value, uint64_t count) {
    for (; count && !failed; --count) {
      const std::string key = read().text;
      value.map[key] = read();
    }
  }
  const unsigned char *at, *end;
};

CodeKernel readKernel(const Value &value) {
  CodeKernel kernel;
  kernel.name = value[".name"].text;
  kernel.registers = static_cast<int>(value[".vgpr_count"].number);
  kernel.sharedBytes = static_cast<int>(value[".group_segment_fixed_size"].number);
  kernel.localBytes = static_cast<int>(value[".private_segment_fixed_size"].number);
  kernel.maxThreads = static_cast<int>(value[".max_flat_workgroup_size"].number);
  for (const Value &argument : value[".args"].list) {
    const std::string &kind = argument[".value_kind"].text;
    if (kind.starts_with("hidden_"))
      continue; // The runtime's own.
    const size_t offset = argument[".offset"].number, bytes = argument[".size"].number;
    kernel.parameters.push_back({offset, bytes, kind == "global_buffer"});
    kernel.bytes = offset + bytes;
  }
  return kernel;
}

} // namespace

bool fake_hip::readCodeObject(const unsigned char *image, CodeObject &object) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  object.version = header.e_ident[EI_ABIVERSION] + 2;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type != PT_NOTE)
      continue;
    Elf64_Nhdr note;
    std::memcpy(&note, image + segment.p_offset, sizeof(note));
    constexpr unsigned kMetadata = 32;
    if (note.n_type != kMetadata)
      continue;
    const size_t name = (note.n_namesz + 3) / 4 * 4;
    Reader reader(image + segment.p_offset + sizeof(note) + name, note.n_descsz);
    const Value root = reader.read();
    const std::string &target = root["amdhsa.target"].text; // "amdgcn-amd-amdhsa--gfx942"
    object.target = target.substr(target.rfind("--") + 2);
    for (const Value &kernel : root["amdhsa.kernels"].list)
      object.kernels.push_back(readKernel(kernel));
    return !reader.failed && !object.kernels.empty();
  }
  return false;
}
