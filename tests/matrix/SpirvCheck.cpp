// See SpirvCheck.h. The binary form is from the SPIR-V specification, section 2.3: five words of
// header, then instructions whose first word is their length and opcode.
#include "tests/matrix/SpirvCheck.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilerun;

static constexpr uint32_t kMagic = 0x07230203;
static constexpr size_t kHeaderWords = 5;
static constexpr unsigned kOpPhi = 245;

std::string matrix::checkWords(llvm::StringRef module) {
  auto wordAt = [&](size_t i) { return llvm::support::endian::read32le(module.data() + 4 * i); };
  size_t count = module.size() / 4;
  if (module.size() % 4 || count < kHeaderWords || wordAt(0) != kMagic)
    return "no SPIR-V module: " + std::to_string(module.size()) + " bytes";
  uint32_t bound = wordAt(3);
  for (size_t at = kHeaderWords; at < count;) {
    size_t length = wordAt(at) >> 16;
    unsigned opcode = wordAt(at) & 0xffff;
    if (!length || length > count - at)
      return "the instruction at word " + std::to_string(at) + " has " + std::to_string(length) +
             " words, " + std::to_string(count - at) + " are left";
    if (opcode == kOpPhi) {
      if (length < 5 || length % 2 == 0)
        return "the OpPhi at word " + std::to_string(at) + " has " + std::to_string(length) +
               " words";
      for (size_t i = 1; i < length; ++i)
        if (uint32_t id = wordAt(at + i); id == 0 || id >= bound)
          return "operand " + std::to_string(i) + " of the OpPhi at word " + std::to_string(at) +
                 " is id " + std::to_string(id);
    }
    at += length;
  }
  return "";
}

std::string matrix::validate(llvm::StringRef module, const std::string &validator) {
  llvm::SmallString<128> input, log;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("tilerun-matrix", "spv", descriptor, input) ||
      llvm::sys::fs::createTemporaryFile("tilerun-matrix", "log", log))
    return "no temporary file can be made";
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << module;
  }
  llvm::StringRef arguments[] = {validator, "--target-env", "vulkan1.3", input};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  std::string message;
  int status =
      llvm::sys::ExecuteAndWait(validator, arguments, std::nullopt, redirects, 60, 0, &message);
  if (status != 0) {
    if (auto content = llvm::MemoryBuffer::getFile(log))
      message += (*content)->getBuffer().rtrim().str();
    if (message.empty())
      message = "status " + std::to_string(status);
  }
  (void)llvm::sys::fs::remove(input);
  (void)llvm::sys::fs::remove(log);
  return message;
}
