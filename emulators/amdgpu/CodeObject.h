// Reads an AMDGPU code object (an ELF shared object of code object version 4 to 6): the image that
// is loaded, and its kernels with their descriptors, arguments and resources. Knows nothing of
// execution.
//
// A code object is immutable once read, and may be shared by threads.
#ifndef TILERUN_EMULATORS_AMDGPU_CODEOBJECT_H
#define TILERUN_EMULATORS_AMDGPU_CODEOBJECT_H

#include "emulators/amdgpu/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class DWARFContext;
namespace object {
class ObjectFile;
}
} // namespace llvm

namespace tilerun::amdsim {

// One argument as the metadata describes it: bytes from the start of the argument block.
struct Argument {
  std::string name, kind; // kind: "global_buffer", "by_value", "hidden_block_count_x", ...
  uint32_t offset, bytes;
  bool isHidden() const { return llvm::StringRef(kind).starts_with("hidden_"); }
};

struct Kernel {
  std::string name;
  llvm::amdhsa::kernel_descriptor_t descriptor;
  std::vector<Argument> arguments;
  uint64_t entry;         // address of the first instruction in the image
  uint32_t argumentBytes; // size of the argument block
  uint32_t ldsBytes, scratchBytesPerLane;
  uint32_t maxThreads; // of a workgroup
  uint32_t vgprs, agprs, sgprs;
  uint8_t lanes;
};

class CodeObject {
public:
  // Reads a copy of `bytes`. Errors: not an AMDGPU code object, truncated, an architecture that the
  // emulator does not have, metadata that is missing or malformed, relocations other than relative
  // ones.
  static llvm::Expected<std::unique_ptr<CodeObject>> read(llvm::ArrayRef<char> bytes);
  ~CodeObject();

  const Target &target() const { return *arch; }
  llvm::ArrayRef<Kernel> kernels() const { return kernelList; }
  const Kernel *find(llvm::StringRef name) const;

  // The loaded image. Addresses of code and data are offsets from `imageBase()`, which stays fixed.
  uint64_t imageBase() const { return reinterpret_cast<uint64_t>(image.get()); }
  uint64_t imageBytes() const { return imageSize; }
  // The executable part of the image: [first, second) as offsets.
  std::pair<uint64_t, uint64_t> textRange() const { return text; }

  // "file.py:12" of an instruction (an offset in the image), or empty without a line table.
  // Thread-safe.
  std::string sourceLine(uint64_t offset) const;

private:
  struct Free {
    void operator()(char *p) const;
  };
  CodeObject() = default;
  llvm::Error load(const llvm::object::ObjectFile &file);
  llvm::Error relocate(const llvm::object::ObjectFile &file);
  llvm::Error readMetadata(const llvm::object::ObjectFile &file);
  llvm::Error readDescriptors(const llvm::object::ObjectFile &file);

  const Target *arch = nullptr;
  std::vector<char> fileBytes;
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> lines;
  std::unique_ptr<char, Free> image;
  uint64_t imageSize = 0;
  std::pair<uint64_t, uint64_t> text = {0, 0};
  std::vector<Kernel> kernelList;
};

} // namespace tilerun::amdsim

#endif
