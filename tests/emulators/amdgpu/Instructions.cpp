// amdsim-instructions: which instructions the emulator has, and which ones code objects contain.
//
//   amdsim-instructions            # a line for each row of the instruction table: its spellings
//   amdsim-instructions FILE...    # "ARCHITECTURE NAME" of the instructions of code objects
//
// What the emulator cannot execute is "ARCHITECTURE ? TEXT (REASON)"; then it exits with 1.
#include "emulators/amdgpu/Program.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace {

using namespace tilerun::amdsim;

llvm::Error list(const char *path, std::set<std::string> &lines, bool &isComplete) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError(file.getError(), "%s: cannot be read", path);
  llvm::StringRef bytes = (*file)->getBuffer();
  llvm::Expected<std::unique_ptr<CodeObject>> object =
      CodeObject::read({bytes.data(), bytes.size()});
  if (!object)
    return object.takeError();
  auto program = Program::decode(**object, (*object)->target().lanes);
  if (!program)
    return program.takeError();
  std::string arch = (*object)->target().name;
  auto add = [&](const Instruction &inst) {
    lines.insert(arch + " " + llvm::StringRef(inst.row->spellings).split('|').first.str());
  };
  for (uint32_t at = 0; at < (*program)->size(); ++at) {
    const Instruction &inst = (*program)->code()[at];
    if (!inst.row) {
      lines.insert(arch + " ? " + (*program)->text(at));
      isComplete = false;
      continue;
    }
    add(inst);
    if (inst.second)
      add(*inst.second);
  }
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 1) {
    for (unsigned row = 0; row < rowCount(); ++row)
      llvm::outs() << rowAt(row).spellings << '\n';
    return 0;
  }
  std::set<std::string> lines;
  bool isComplete = true;
  for (int i = 1; i < argc; ++i)
    if (llvm::Error error = list(argv[i], lines, isComplete)) {
      llvm::errs() << argv[i] << ": " << llvm::toString(std::move(error)) << '\n';
      return 2;
    }
  for (const std::string &line : lines)
    llvm::outs() << line << '\n';
  return isComplete ? 0 : 1;
}
