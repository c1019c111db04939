// `tilerun show`: how one launch accesses its tensors, observed on the interpreter.
#include "tools/tilerun/command/Show.h"

#include "tools/tilerun/access/AccessObserver.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/OutputFiles.h"
#include "tools/tilerun/command/Trace.h"
#include "tools/tilerun/picture/AccessPicture.h"

using namespace tilerun;
using namespace tilerun::command;

static llvm::Expected<host::Accesses> observe(Session &session) {
  const Options &options = session.options;
  TILERUN_TRY_VALUE(binding, bindOnInterpreter(session));
  access::ObserveOptions observe;
  observe.maxBytes = static_cast<uint64_t>(options.memoryLimit * (1u << 30));
  if (!options.program.empty()) {
    TILERUN_TRY_VALUE(program, findProgram(options, binding));
    observe.program = program;
  }
  TILERUN_TRY_VALUE(debuggee, makeDebuggee(session, binding, /*withEvents=*/false));
  session.getDiagnostics().print(llvm::errs(), useColor(options.color, llvm::errs()));
  Progress progress("running " + session.kernel->qualifiedName + " (" +
                    std::to_string(debuggee->getNumPrograms()) + " programs)");
  auto accesses = access::observe(*debuggee, observe);
  if (!accesses)
    return withExitCode(accesses.takeError(), ExitCode::Fault);
  return accesses;
}

static llvm::json::Object makeObject(const Session &session, const host::Accesses &accesses) {
  llvm::json::Object object = toJson(accesses);
  object["status"] = "ok";
  object["exit_code"] = 0;
  object["file"] = jsonText(session.module->path);
  object["kernel"] = jsonText(session.kernel->qualifiedName);
  return object;
}

/// "3 tensors, 1 access, 2 races"
static std::string summarize(const host::Accesses &accesses) {
  size_t races = 0;
  for (const host::TensorAccess &tensor : accesses.tensors)
    races += tensor.races.size();
  auto count = [](size_t number, const std::string &one, const std::string &many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
  };
  return count(accesses.tensors.size(), "tensor", "tensors") + ", " +
         count(accesses.sites.size(), "access", "accesses") + ", " + count(races, "race", "races") +
         (accesses.findings.empty()
              ? ""
              : ", " + count(accesses.findings.size(), "other mistake", "other mistakes"));
}

llvm::Expected<ExitCode> command::runShow(Session &session) {
  const Options &options = session.options;
  TILERUN_TRY_VALUE(files, OutputFiles::open(options.outputs, {"svg", "html", "json"}));
  TILERUN_TRY_VALUE(accesses, observe(session));
  std::string title =
      session.kernel->qualifiedName + ": " +
      (accesses.program ? "program " + host::formatProgram(*accesses.program, accesses.grid)
                        : std::string("the accesses")) +
      " of a launch of " + std::to_string(accesses.grid[0]) + "x" +
      std::to_string(accesses.grid[1]) + "x" + std::to_string(accesses.grid[2]) + " programs";
  TILERUN_TRY_ERROR(files.write([&](llvm::StringRef kind, llvm::raw_ostream &os) {
    if (kind == "svg")
      picture::writeSvg(os, title, accesses);
    else if (kind == "html")
      picture::writeHtml(os, title, accesses);
    else
      writeJson(os, makeObject(session, accesses));
  }));
  if (options.json) {
    printJson(makeObject(session, accesses));
    return ExitCode::Ok;
  }
  for (const std::string &path : options.outputs)
    llvm::outs() << path << ": " << summarize(accesses) << "\n";
  if (files.empty()) {
    llvm::outs() << title << "\n";
    printAccesses(llvm::outs(), session, accesses);
  }
  return ExitCode::Ok;
}
