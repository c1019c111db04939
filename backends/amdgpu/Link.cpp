// See Link.h. lld is written as a program, and three of its habits would reach a host process: it
// ends the process on a fatal error, resets the options of everything that shares LLVM's library,
// and registers all of LLVM's targets.
#include "backends/amdgpu/Link.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace tilerun;

//===----------------------------------------------------------------------===//
// Functions that lld calls, in place of those of LLVM and of other libraries
//===----------------------------------------------------------------------===//

extern "C" {

// llvm::cl::ResetAllOptionOccurrences(). The linker's option --wrap (CMakeLists.txt) leads lld's
// call here: lld would set the options of the whole process to their defaults, also while another
// thread reads them. It does so to parse options of LLVM again, which it is given none of.
void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv(); // NOLINT(bugprone-reserved-identifier)
void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv() {}

// lld initializes every target, for link-time optimization, which no code object has. AMDGPU's are
// LLVM's own; of the others nothing happens, and in a bundle none of them is linked. So a program
// that links this backend has no other target of LLVM; plugins have one each.
#define TILERUN_HIDDEN __attribute__((visibility("hidden")))
#define TILERUN_IGNORE_FUNCTION(name)                                                              \
  TILERUN_HIDDEN void LLVMInitialize##name();                                                      \
  TILERUN_HIDDEN void LLVMInitialize##name() {}
#define TILERUN_IGNORE_TARGET(name)                                                                \
  TILERUN_IGNORE_FUNCTION(name##TargetInfo)                                                        \
  TILERUN_IGNORE_FUNCTION(name##Target)                                                            \
  TILERUN_IGNORE_FUNCTION(name##TargetMC)
#define TILERUN_IGNORE_PRINTER(name) TILERUN_IGNORE_FUNCTION(name##AsmPrinter)
#define TILERUN_IGNORE_PARSER(name) TILERUN_IGNORE_FUNCTION(name##AsmParser)
#define TILERUN_KEEP(name)
// Chooses its second argument: TILERUN_KEEP where the target is AMDGPU, otherwise `ignore`.
#define TILERUN_IS_AMDGPU ~,
#define TILERUN_SECOND(first, second, ...) second
#define TILERUN_SECOND_OF(...) TILERUN_SECOND(__VA_ARGS__)
#define TILERUN_UNLESS_AMDGPU(name, ignore)                                                        \
  TILERUN_SECOND_OF(TILERUN_IS_##name TILERUN_KEEP, ignore, )(name)
#define LLVM_TARGET(name) TILERUN_UNLESS_AMDGPU(name, TILERUN_IGNORE_TARGET)
#define LLVM_ASM_PRINTER(name) TILERUN_UNLESS_AMDGPU(name, TILERUN_IGNORE_PRINTER)
#define LLVM_ASM_PARSER(name) TILERUN_UNLESS_AMDGPU(name, TILERUN_IGNORE_PARSER)
#include "llvm/Config/AsmParsers.def"
#include "llvm/Config/AsmPrinters.def"
#include "llvm/Config/Targets.def"

// It compresses debug sections if an option says so. Without these, zlib and zstd would be needed.
#define TILERUN_NEVER_CALLED(name)                                                                 \
  TILERUN_HIDDEN void name();                                                                      \
  TILERUN_HIDDEN void name() { std::abort(); }
TILERUN_NEVER_CALLED(adler32)
TILERUN_NEVER_CALLED(adler32_combine)
TILERUN_NEVER_CALLED(deflate)
TILERUN_NEVER_CALLED(deflateEnd)
TILERUN_NEVER_CALLED(deflateInit2_)
TILERUN_NEVER_CALLED(ZSTD_CCtx_setParameter)
TILERUN_NEVER_CALLED(ZSTD_compressStream2)
TILERUN_NEVER_CALLED(ZSTD_createCCtx)
TILERUN_NEVER_CALLED(ZSTD_freeCCtx)

} // extern "C"

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

static Error systemError(const Twine &what) { return makeError(what + ": " + sys::StrError()); }

/// A file that exists in memory only; its descriptor.
static Expected<int> keepInMemory(StringRef bytes) {
  int file = memfd_create("tilerun-object", MFD_CLOEXEC);
  if (file < 0)
    return systemError("no file in memory could be created for the linker");
  raw_fd_ostream stream(file, /*shouldClose=*/false, /*unbuffered=*/true);
  stream << bytes;
  if (!stream.has_error())
    return file;
  std::string reason = stream.error().message();
  stream.clear_error();
  close(file);
  return makeError("the object could not be written for the linker: " + reason);
}

/// Runs lld. Its fatal errors end the process unless LLVM recovers from crashes, which is on for
/// this call alone if the host has not turned it on.
static lld::Result runLld(ArrayRef<const char *> arguments, raw_ostream &text) {
  bool wasOn = false;
  CrashRecoveryContext().RunSafely([&] { wasOn = CrashRecoveryContext::GetCurrent() != nullptr; });
  CrashRecoveryContext::Enable();
  const ThreadPoolStrategy threads = parallel::strategy; // --threads sets it.
  scope_exit restoring([&] {
    parallel::strategy = threads;
    if (!wasOn)
      CrashRecoveryContext::Disable();
  });
  return lld::lldMain(arguments, text, text, {{lld::Gnu, &lld::elf::link}});
}

Expected<std::string> amdgpu::linkCodeObject(StringRef object) {
  static std::mutex mutex;
  static bool isUsable = true; // lld's state is lost with a fatal error.
  std::scoped_lock lock(mutex);
  if (!isUsable)
    return makeError("the linker failed earlier in this process and cannot be used again; start a "
                     "new process");

  Expected<int> input = keepInMemory(object);
  if (!input)
    return input.takeError();
  scope_exit closing([&] { close(*input); });
  // A file in memory cannot be the output: lld replaces the file.
  SmallString<128> output;
  if (std::error_code error = sys::fs::createTemporaryFile("tilerun", "hsaco", output))
    return makeError("no temporary file could be created for the linker: " + error.message());
  FileRemover removing(output);

  const std::string name = "/proc/self/fd/" + std::to_string(*input);
  const char *arguments[] = {"ld.lld",     "-shared", "--no-undefined", "--threads=1",
                             name.c_str(), "-o",      output.c_str()};
  std::string text;
  raw_string_ostream stream(text);
  const lld::Result result = runLld(arguments, stream);
  isUsable = result.canRunAgain;
  if (result.retCode)
    return makeError("linking the code object failed: " + StringRef(text).trim());
  auto linked = MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!linked)
    return makeError("the linker's output could not be read: " + linked.getError().message());
  return (*linked)->getBuffer().str();
}
