// See Resources.h. The note and its names are in LLVM's AMDGPUUsage, "Code Object V5 Metadata".
#include "backends/amdgpu/Resources.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilerun;
using namespace tilerun::amdgpu;

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), "the code object cannot be read: " + text);
}

/// The text of the note with the metadata.
static Expected<StringRef> findMetadata(const object::ELFObjectFile<object::ELF64LE> &object) {
  const object::ELFFile<object::ELF64LE> &file = object.getELFFile();
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    StringRef found;
    for (const auto &note : file.notes(section, error))
      if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA)
        found = note.getDescAsStringRef(section.sh_addralign);
    if (error)
      return std::move(error);
    if (!found.empty())
      return found;
  }
  return makeError("it has no note with metadata");
}

Expected<Resources> amdgpu::readResources(StringRef codeObject) {
  auto object = object::ObjectFile::createELFObjectFile(MemoryBufferRef(codeObject, "code object"));
  if (!object)
    return object.takeError();
  const auto *elf = dyn_cast<object::ELFObjectFile<object::ELF64LE>>(object->get());
  if (!elf)
    return makeError("it is not a 64-bit ELF file of low byte first");
  Expected<StringRef> metadata = findMetadata(*elf);
  if (!metadata)
    return metadata.takeError();
  msgpack::Document document;
  if (!document.readFromBlob(*metadata, /*Multi=*/false) || !document.getRoot().isMap())
    return makeError("its metadata is not a map");
  msgpack::DocNode kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray() || kernels.getArray().size() != 1 || !kernels.getArray()[0].isMap())
    return makeError("its metadata does not describe one kernel");
  msgpack::MapDocNode kernel = kernels.getArray()[0].getMap();
  auto number = [&](StringRef name) -> uint64_t {
    msgpack::DocNode node = kernel[name];
    return node.getKind() == msgpack::Type::UInt ? node.getUInt() : 0;
  };
  Resources result;
  if (msgpack::DocNode name = kernel[".name"]; name.isString())
    result.kernel = name.getString().str();
  result.vectorRegisters = number(".vgpr_count");
  result.accumulationRegisters = number(".agpr_count");
  result.scalarRegisters = number(".sgpr_count");
  result.vectorSpills = number(".vgpr_spill_count");
  result.scalarSpills = number(".sgpr_spill_count");
  result.sharedBytes = number(".group_segment_fixed_size");
  result.scratchBytes = number(".private_segment_fixed_size");
  result.argumentBytes = number(".kernarg_segment_size");
  result.maxThreads = number(".max_flat_workgroup_size");
  result.waveSize = number(".wavefront_size");
  for (const object::SectionRef &section : elf->sections())
    if (section.isText())
      result.codeBytes += section.getSize();
  return result;
}

static unsigned getWavesPerProgram(const Resources &resources) {
  return divideCeil(resources.maxThreads, std::max(resources.waveSize, 1u));
}

static unsigned getWaves(const Resources &resources, const Architecture &arch) {
  return getOccupancy(arch, resources.vectorRegisters, resources.sharedBytes,
                      getWavesPerProgram(resources));
}

static auto getBounds(const Resources &resources, const Architecture &arch) {
  return getOccupancyBounds(arch, resources.vectorRegisters, resources.sharedBytes,
                            getWavesPerProgram(resources));
}

static StringRef getLimiter(const Resources &resources, const Architecture &arch) {
  const auto bounds = getBounds(resources, arch);
  return std::min_element(bounds.begin(), bounds.end(),
                          [](const auto &a, const auto &b) { return a.waves < b.waves; })
      ->name;
}

std::string amdgpu::toText(const Resources &resources, const Architecture &arch) {
  std::string text;
  raw_string_ostream os(text);
  os << "kernel " << resources.kernel << "\n"
     << "target " << arch.info.name << "\n"
     << "VGPR " << resources.vectorRegisters - resources.accumulationRegisters << "\n"
     << "AGPR " << resources.accumulationRegisters << "\n"
     << "SGPR " << resources.scalarRegisters << "\n"
     << "VGPR spills " << resources.vectorSpills << "\n"
     << "SGPR spills " << resources.scalarSpills << "\n"
     << "LDS bytes " << resources.sharedBytes << "\n"
     << "scratch bytes " << resources.scratchBytes << "\n"
     << "code bytes " << resources.codeBytes << "\n"
     << "waves per SIMD " << getWaves(resources, arch) << " of " << arch.limits.maxWaves << "\n"
     << "limited by " << getLimiter(resources, arch) << "\n";
  return text;
}

std::string amdgpu::toJson(const Resources &resources, const Architecture &arch) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("kernel", json::fixUTF8(resources.kernel));
    json.attribute("threads", resources.maxThreads);
    json.attribute("registers", resources.vectorRegisters);
    json.attribute("accumulation_registers", resources.accumulationRegisters);
    json.attribute("scalar_registers", resources.scalarRegisters);
    json.attribute("spilled_registers", resources.vectorSpills);
    json.attribute("spilled_scalar_registers", resources.scalarSpills);
    json.attribute("shared_bytes", resources.sharedBytes);
    json.attribute("stack_bytes", resources.scratchBytes);
    json.attribute("argument_bytes", resources.argumentBytes);
    json.attribute("code_bytes", resources.codeBytes);
    json.attribute("waves", getWaves(resources, arch));
    json.attribute("max_waves", arch.limits.maxWaves);
    json.attribute("limiter", getLimiter(resources, arch));
    json.attributeArray("bounds", [&] {
      for (const OccupancyBound &bound : getBounds(resources, arch))
        json.object([&] {
          json.attribute("name", bound.name);
          json.attribute("waves", bound.waves);
        });
    });
  });
  os << "\n";
  return text;
}
