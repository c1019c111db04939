// Reads --define, and runs Python for --define-from.
#include "tools/tilerun/command/Defines.h"

#include "tools/tilerun/command/Binding.h"
#include "tools/tilerun/command/Library.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace tilerun;
using namespace tilerun::command;

/// Imports a file as a module of its packages and prints a line NAME=VALUE for each constant, as
/// signatures write them.
static constexpr llvm::StringLiteral kScript = R"py(
import importlib, importlib.util, json, os, sys
path = os.path.realpath(sys.argv[1])
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # What the file prints is not part of the answer.
try:
    import tilerun
    tilerun.install()
except ImportError:
    pass
root, name = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
parts = [] if name == "__init__" else [name]
while os.path.exists(os.path.join(root, "__init__.py")) and os.path.dirname(root) != root:
    parts.insert(0, os.path.basename(root))
    root = os.path.dirname(root)
sys.path.insert(0, root)
module = importlib.import_module(".".join(parts))

def write(value):
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    if value is None or isinstance(value, bool):
        return str(value)
    if type(value) in (int, float) and value == value and abs(value) != float("inf"):
        return repr(value)
    if type(value) is str and value.isascii() and value.isprintable():
        return json.dumps(value)
    if type(value) is tuple and len(value) > 1:
        items = [write(item) for item in value]
        return None if None in items else "(" + ", ".join(items) + ")"
    return None

found, bad = {}, set()
def add(name, value):
    text = write(value)
    if text is None:
        return
    if found.setdefault(name, text) != text:
        bad.add(name)

for other in list(sys.modules.values()):
    file = getattr(other, "__file__", None)
    if other is not module and not (file and os.path.realpath(file).startswith(root + os.sep)):
        continue
    if "site-packages" in str(file) and other is not module:
        continue
    for name, value in list(vars(other).items()):
        if name.startswith("__"):
            continue
        if isinstance(value, type) and value.__module__ == other.__name__:
            for member, constant in list(vars(value).items()):
                if not member.startswith("__"):
                    add(name + "." + member, constant)
        else:
            add(name, value)
for name, text in found.items():
    if name not in bad:
        print(name + "=" + text, file=answer)
answer.close()
)py";

/// Values by name from a line NAME=VALUE; false if it is not a constant.
static bool addLine(llvm::StringRef line, Defines &out) {
  llvm::Expected<KernelSignature> signature = parseSignature(line);
  if (!signature) {
    llvm::consumeError(signature.takeError());
    return false;
  }
  if (signature->arguments.size() != 1)
    return false;
  const auto &[path, spec] = *signature->arguments.begin();
  const auto *constant = std::get_if<ConstantArgument>(&spec);
  if (constant)
    out.insert_or_assign(getGlobalName(path).str(), *constant);
  return constant;
}

llvm::Expected<Defines> command::readDefines(const Options &options) {
  Defines out;
  for (const std::string &text : options.defines) {
    TILERUN_TRY_VALUE(split, splitAssignment(text, "--define"));
    if (!addLine(text, out))
      return makeUsageError("--define '" + text + "': '" + split.second +
                            "' is not a constant: a number, True, False, None, a \"text\", or a "
                            "tuple of these");
  }
  return out;
}

llvm::Expected<Defines> command::askPython(const Options &options, llvm::StringRef path) {
  const std::string &wanted = options.defineFrom;
  llvm::ErrorOr<std::string> program =
      llvm::sys::findProgramByName(wanted == "python" ? "python3" : wanted);
  if (!program || !llvm::sys::fs::can_execute(*program)) // A path is taken as it is.
    return makeUsageError("--define-from: cannot find the program '" + wanted + "'" +
                          (wanted == "python" ? " (python3) on the path" : ""));
  llvm::SmallString<128> output, log;
  for (llvm::SmallString<128> *file : {&output, &log})
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("tilerun-define", "txt", *file))
      return makeUsageError("--define-from: cannot write a temporary file: " + error.message());
  llvm::scope_exit remove([&] {
    (void)llvm::sys::fs::remove(output);
    (void)llvm::sys::fs::remove(log);
  });
  constexpr unsigned kSeconds = 120;
  std::string reason;
  const int status =
      llvm::sys::ExecuteAndWait(*program, {*program, "-c", kScript, path}, std::nullopt,
                                {llvm::StringRef(), output.str(), log.str()}, kSeconds,
                                /*MemoryLimit=*/0, &reason);
  auto read = [](llvm::StringRef file) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  };
  if (status != 0) {
    llvm::StringRef said = llvm::StringRef(reason).trim();
    const std::string text = read(log);
    if (said.empty()) // The exception.
      said = llvm::StringRef(text).rtrim().rsplit('\n').second.empty()
                 ? llvm::StringRef(text).trim()
                 : llvm::StringRef(text).rtrim().rsplit('\n').second;
    return makeUsageError("--define-from: '" + *program + "' cannot import '" + path +
                          "': " + said);
  }
  Defines out;
  llvm::SmallVector<llvm::StringRef> lines;
  const std::string text = read(output);
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    addLine(line, out);
  return out;
}

llvm::Error command::addDefines(Session &session, KernelSignature &signature) {
  const Options &options = session.options;
  auto add = [&](const std::string &name, const ConstantArgument &value) {
    if (session.frontend.getGlobalState(*session.kernel, name) != GlobalState::Unknown)
      return false;
    session.globals.emplace(name, value);
    signature.arguments.emplace(name, value);
    return true;
  };
  TILERUN_TRY_VALUE(defines, readDefines(options));
  for (const auto &[name, value] : defines)
    if (!add(name, value))
      return makeUsageError("--define: '" + name + "' is not a global of kernel '" +
                            session.kernel->qualifiedName + "' whose value only host code knows");
  if (options.defineFrom.empty())
    return llvm::Error::success();
  TILERUN_TRY_VALUE(asked, askPython(options, session.module->path));
  for (const auto &[name, value] : asked)
    if (!session.describesParameter(name))
      add(name, value);
  return llvm::Error::success();
}
