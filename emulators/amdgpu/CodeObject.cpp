// Reading code objects. LLVM's ELF and MessagePack readers check structure; what they accept and
// the emulator could not run is an error here, with the kernel and field that is at fault.
#include "emulators/amdgpu/CodeObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace tilerun::amdsim {

using namespace llvm;
using Elf = object::ELF64LEObjectFile;

namespace {

constexpr uint64_t pageBytes = 4096, largestImage = uint64_t(1) << 26;

Error problem(const Twine &message) {
  return createStringError(llvm::errc::invalid_argument, "code object: " + message);
}

// A field of a MessagePack map as a number; an error if it is missing and `isRequired`.
Expected<uint64_t> number(msgpack::MapDocNode &map, StringRef key, bool isRequired,
                          const Twine &where) {
  auto it = map.find(key);
  if (it == map.end()) {
    if (isRequired)
      return problem("metadata of " + where + " has no '" + key + "'");
    return uint64_t(0);
  }
  if (it->second.getKind() == msgpack::Type::UInt)
    return it->second.getUInt();
  if (it->second.getKind() == msgpack::Type::Int && it->second.getInt() >= 0)
    return uint64_t(it->second.getInt());
  return problem("metadata of " + where + ": '" + key + "' is not a number");
}

std::string string(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  return it != map.end() && it->second.isString() ? it->second.getString().str() : "";
}

Expected<Argument> readArgument(msgpack::DocNode &node, const Twine &where) {
  if (!node.isMap())
    return problem("metadata of " + where + ": an argument is not a map");
  msgpack::MapDocNode &map = node.getMap();
  Expected<uint64_t> offset = number(map, ".offset", true, where);
  if (!offset)
    return offset.takeError();
  Expected<uint64_t> size = number(map, ".size", true, where);
  if (!size)
    return size.takeError();
  return Argument{string(map, ".name"), string(map, ".value_kind"), uint32_t(*offset),
                  uint32_t(*size)};
}

Expected<Kernel> readKernel(msgpack::DocNode &node) {
  if (!node.isMap())
    return problem("metadata: an entry of 'amdhsa.kernels' is not a map");
  msgpack::MapDocNode &map = node.getMap();
  Kernel kernel = {};
  kernel.name = string(map, ".name");
  std::string where = "kernel '" + kernel.name + "'";
  struct {
    const char *key;
    uint32_t *field;
    bool isRequired;
  } fields[] = {{".kernarg_segment_size", &kernel.argumentBytes, true},
                {".group_segment_fixed_size", &kernel.ldsBytes, true},
                {".private_segment_fixed_size", &kernel.scratchBytesPerLane, true},
                {".max_flat_workgroup_size", &kernel.maxThreads, true},
                {".vgpr_count", &kernel.vgprs, true},
                {".agpr_count", &kernel.agprs, false},
                {".sgpr_count", &kernel.sgprs, true}};
  for (auto &field : fields) {
    Expected<uint64_t> value = number(map, field.key, field.isRequired, where);
    if (!value)
      return value.takeError();
    *field.field = uint32_t(*value);
  }
  Expected<uint64_t> lanes = number(map, ".wavefront_size", true, where);
  if (!lanes)
    return lanes.takeError();
  if (*lanes != 32 && *lanes != 64)
    return problem(where + " has waves of " + Twine(*lanes) + " lanes, not of 32 or 64");
  kernel.lanes = uint8_t(*lanes);
  auto args = map.find(".args");
  if (args == map.end())
    return kernel;
  if (!args->second.isArray())
    return problem("metadata of " + where + ": '.args' is not an array");
  for (msgpack::DocNode &arg : args->second.getArray()) {
    Expected<Argument> argument = readArgument(arg, where);
    if (!argument)
      return argument.takeError();
    if (uint64_t(argument->offset) + argument->bytes > kernel.argumentBytes)
      return problem(where + ": argument '" + argument->name + "' ends beyond the " +
                     Twine(kernel.argumentBytes) + " bytes of the argument block");
    kernel.arguments.push_back(std::move(*argument));
  }
  return kernel;
}

// Whether the text is one value whose maps have strings as keys. LLVM's reader of documents ends
// the process on others.
bool isPlainDocument(StringRef text) {
  struct Level {
    uint64_t left; // values to come, keys included
    bool isMap;
  };
  std::vector<Level> levels;
  msgpack::Reader reader(text);
  do {
    msgpack::Object object;
    Expected<bool> isRead = reader.read(object);
    if (!isRead)
      consumeError(isRead.takeError());
    if (!isRead || !*isRead || object.Kind == msgpack::Type::Extension)
      return false;
    bool isKey = !levels.empty() && levels.back().isMap && levels.back().left % 2 == 0;
    if (isKey && object.Kind != msgpack::Type::String)
      return false;
    if (!levels.empty())
      --levels.back().left;
    if (object.Kind == msgpack::Type::Map)
      levels.push_back({2 * uint64_t(object.Length), true});
    else if (object.Kind == msgpack::Type::Array)
      levels.push_back({object.Length, false});
    while (!levels.empty() && levels.back().left == 0)
      levels.pop_back();
  } while (!levels.empty());
  return true;
}

} // namespace

void CodeObject::Free::operator()(char *p) const { std::free(p); }
CodeObject::~CodeObject() = default;

Expected<std::unique_ptr<CodeObject>> CodeObject::read(ArrayRef<char> bytes) {
  std::unique_ptr<CodeObject> result(new CodeObject);
  result->fileBytes.assign(bytes.begin(), bytes.end());
  StringRef data(result->fileBytes.data(), result->fileBytes.size());
  if (!data.starts_with("\x7f"
                        "ELF"))
    return problem("the " + Twine(data.size()) + " bytes are not an ELF file");
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(data, "code object"));
  if (!file)
    return problem("malformed ELF: " + toString(file.takeError()));
  auto *elf = dyn_cast<Elf>(file->get());
  if (!elf || elf->getELFFile().getHeader().e_machine != ELF::EM_AMDGPU)
    return problem("not for AMDGPU");
  const auto &header = elf->getELFFile().getHeader();
  if (header.e_type != ELF::ET_DYN)
    return problem("not linked: the emulator loads shared objects");
  if (header.e_ident[ELF::EI_OSABI] != ELF::ELFOSABI_AMDGPU_HSA)
    return problem("not for the HSA runtime");
  uint8_t version = header.e_ident[ELF::EI_ABIVERSION];
  if (version < ELF::ELFABIVERSION_AMDGPU_HSA_V4)
    return problem("its version is too old; the emulator loads code object versions 4 to 6");
  result->arch = findTarget(uint32_t(header.e_flags));
  if (!result->arch)
    return problem("its architecture (ELF flags 0x" + Twine::utohexstr(header.e_flags) +
                   ") is not emulated; emulated are " + targetNames());
  if (Error error = result->load(**file))
    return error;
  if (Error error = result->relocate(**file))
    return error;
  if (Error error = result->readMetadata(**file))
    return error;
  if (Error error = result->readDescriptors(**file))
    return error;
  result->object = std::move(*file);
  return result;
}

const Kernel *CodeObject::find(StringRef name) const {
  for (const Kernel &kernel : kernelList)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

Error CodeObject::load(const object::ObjectFile &file) {
  const auto &elf = cast<Elf>(file).getELFFile();
  auto segments = elf.program_headers();
  if (!segments)
    return problem("malformed ELF: " + toString(segments.takeError()));
  for (const auto &segment : *segments) {
    if (segment.p_type != ELF::PT_LOAD)
      continue;
    if (segment.p_offset > fileBytes.size() ||
        segment.p_filesz > fileBytes.size() - segment.p_offset)
      return problem("truncated: a segment of " + Twine(segment.p_filesz) + " bytes at offset " +
                     Twine(segment.p_offset) + " of a file of " + Twine(fileBytes.size()));
    if (segment.p_memsz < segment.p_filesz || segment.p_vaddr > largestImage ||
        segment.p_memsz > largestImage)
      return problem("malformed ELF: a segment has an impossible size");
    imageSize = std::max<uint64_t>(imageSize, segment.p_vaddr + segment.p_memsz);
    if (segment.p_flags & ELF::PF_X) {
      if (text.second)
        return problem("it has more than one executable segment");
      text = {segment.p_vaddr, segment.p_vaddr + segment.p_memsz};
    }
  }
  if (!text.second)
    return problem("it has no executable segment");
  imageSize = (imageSize + pageBytes - 1) / pageBytes * pageBytes;
  image.reset(static_cast<char *>(std::aligned_alloc(pageBytes, imageSize)));
  std::memset(image.get(), 0, imageSize);
  for (const auto &segment : *segments)
    if (segment.p_type == ELF::PT_LOAD)
      std::memcpy(image.get() + segment.p_vaddr, fileBytes.data() + segment.p_offset,
                  segment.p_filesz);
  return Error::success();
}

Error CodeObject::relocate(const object::ObjectFile &file) {
  const auto &elf = cast<Elf>(file).getELFFile();
  auto sections = elf.sections();
  if (!sections)
    return problem("malformed ELF: " + toString(sections.takeError()));
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_RELA || !(section.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto entries = elf.relas(section);
    if (!entries)
      return problem("malformed ELF: " + toString(entries.takeError()));
    for (const auto &entry : *entries) {
      if (entry.getType(false) != ELF::R_AMDGPU_RELATIVE64)
        return problem("relocation type " + Twine(entry.getType(false)) +
                       " refers to a symbol outside of the object");
      if (entry.r_offset > imageSize - 8)
        return problem("malformed ELF: a relocation outside of the image");
      uint64_t value = imageBase() + uint64_t(entry.r_addend);
      std::memcpy(image.get() + entry.r_offset, &value, 8);
    }
  }
  return Error::success();
}

Error CodeObject::readMetadata(const object::ObjectFile &file) {
  const auto &elf = cast<Elf>(file).getELFFile();
  auto segments = elf.program_headers();
  if (!segments)
    return problem("malformed ELF: " + toString(segments.takeError()));
  std::vector<StringRef> texts;
  for (const auto &segment : *segments) {
    if (segment.p_type != ELF::PT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : elf.notes(segment, error))
      if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA)
        texts.push_back(note.getDescAsStringRef(std::max<size_t>(segment.p_align, 4)));
    if (error)
      return problem("malformed note: " + toString(std::move(error)));
  }
  for (StringRef text : texts) {
    msgpack::Document document;
    if (!isPlainDocument(text) || !document.readFromBlob(text, false))
      return problem("its metadata is not MessagePack, or has keys that are not strings");
    msgpack::DocNode &root = document.getRoot();
    if (!root.isMap())
      return problem("its metadata is not a map");
    auto kernels = root.getMap().find("amdhsa.kernels");
    if (kernels == root.getMap().end() || !kernels->second.isArray())
      return problem("its metadata has no array 'amdhsa.kernels'");
    for (msgpack::DocNode &node : kernels->second.getArray()) {
      Expected<Kernel> kernel = readKernel(node);
      if (!kernel)
        return kernel.takeError();
      kernelList.push_back(std::move(*kernel));
    }
  }
  if (kernelList.empty())
    return problem("it has no kernels");
  return Error::success();
}

Error CodeObject::readDescriptors(const object::ObjectFile &file) {
  for (Kernel &kernel : kernelList) {
    bool isFound = false;
    for (const object::ELFSymbolRef symbol : cast<Elf>(file).getDynamicSymbolIterators()) {
      Expected<StringRef> name = symbol.getName();
      if (!name)
        return problem("malformed ELF: " + toString(name.takeError()));
      if (*name != kernel.name + ".kd")
        continue;
      Expected<uint64_t> address = symbol.getAddress();
      if (!address)
        return problem("malformed ELF: " + toString(address.takeError()));
      uint64_t at = *address;
      if (at > imageSize - sizeof(kernel.descriptor))
        return problem("the descriptor of kernel '" + kernel.name + "' is outside of the image");
      std::memcpy(&kernel.descriptor, image.get() + at, sizeof(kernel.descriptor));
      kernel.entry = at + uint64_t(kernel.descriptor.kernel_code_entry_byte_offset);
      isFound = true;
    }
    if (!isFound)
      return problem("kernel '" + kernel.name + "' has no descriptor ('" + kernel.name + ".kd')");
    if (kernel.entry < text.first || kernel.entry >= text.second || kernel.entry % 4)
      return problem("kernel '" + kernel.name + "' does not begin in the executable segment");
    if (kernel.ldsBytes > arch->ldsBytes)
      return problem("kernel '" + kernel.name + "' needs " + Twine(kernel.ldsBytes) +
                     " bytes of LDS; " + arch->name + " has " + Twine(arch->ldsBytes));
  }
  return Error::success();
}

std::string CodeObject::sourceLine(uint64_t offset) const {
  static std::mutex mutex; // DWARF contexts read their tables when first asked
  std::lock_guard lock(mutex);
  auto *self = const_cast<CodeObject *>(this);
  // A malformed line table gives no line.
  auto ignore = [](Error error) { consumeError(std::move(error)); };
  // Compressed sections say themselves how large they become. The linker for AMDGPU makes none.
  for (const object::SectionRef &section : object->sections())
    if (section.isCompressed())
      return "";
  if (!self->lines)
    self->lines = DWARFContext::create(*object, DWARFContext::ProcessDebugRelocations::Process,
                                       nullptr, "", ignore, ignore);
  // Line tables alone: functions and what was inlined into them are not asked for, whose readers
  // trust their input.
  for (const auto &unit : self->lines->compile_units()) {
    const DWARFDebugLine::LineTable *table = self->lines->getLineTableForUnit(unit.get());
    DILineInfo info;
    if (table &&
        table->getFileLineInfoForAddress({offset, object::SectionedAddress::UndefSection}, false,
                                         "", DILineInfoSpecifier::FileLineInfoKind::RawValue,
                                         info) &&
        info.Line != 0 && info.FileName != DILineInfo::BadString)
      return info.FileName + ":" + std::to_string(info.Line);
  }
  return "";
}

} // namespace tilerun::amdsim
