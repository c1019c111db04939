// Optional tools of the CUDA toolkit, for looking at code: ptxas, and a disassembler. Nothing that
// compiles or runs kernels needs them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace tilerun::toolkit {

/// The path of a tool: in PATH, then in $CUDA_HOME/bin, then in /usr/local/cuda/bin.
std::optional<std::string> findTool(llvm::StringRef name);
/// "release 13.0, V13.0.88" and the like; "" if unknown.
std::string getVersion(llvm::StringRef path);

/// The report of ptxas about a kernel.
struct KernelResources {
  uint64_t registers = 0;   ///< Of one thread.
  uint64_t sharedBytes = 0; ///< Static, of one program.
  uint64_t stackBytes = 0;  ///< Of one thread, spills among them.
  uint64_t spillStoreBytes = 0, spillLoadBytes = 0;
  uint64_t barriers = 0;
};

/// Reads the log of `ptxas -v` for one kernel; nothing if it is not in there.
std::optional<KernelResources> parsePtxasLog(llvm::StringRef log, llvm::StringRef kernel);

struct Assembled {
  std::string binary; ///< An ELF file for the GPU.
  std::string log;
};
/// Assembles PTX with `ptxas -v`. The error has its messages, or says that there is no ptxas.
llvm::Expected<Assembled> assemble(llvm::StringRef ptx, llvm::StringRef arch, bool lineInfo);

/// Disassembles with nvdisasm, or with cuobjdump. The error says which tools are missing.
/// `lineInfo`: the code alone, with comments of lines of the source, which only nvdisasm gives.
llvm::Expected<std::string> disassemble(llvm::StringRef binary, bool lineInfo = false);

} // namespace tilerun::toolkit
