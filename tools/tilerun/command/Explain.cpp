// `tilerun explain`: a kernel at each level of a target's compiler, side by side in one file.
#include "runtime/compiler/Backend.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/command/Findings.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/PassChanges.h"
#include "tools/tilerun/host/AtomicFile.h"
#include "tools/tilerun/picture/ExplainPage.h"
#include "tools/tilerun/picture/MemoryPicture.h"
#include "tools/tilerun/picture/TimelinePicture.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::command;
using picture::Explanation;

namespace {

/// One kernel for one target.
class Explain {
public:
  explicit Explain(Session &session) : session(session) {}
  llvm::Expected<ExitCode> run();

private:
  void addSource();
  void addTile(mlir::ModuleOp module, const char *name, const char *description, bool isShown);
  llvm::Error addPhase(const plugin::Phase &phase);
  llvm::Error addRemarks();
  llvm::Error addSass();
  llvm::Error addPasses(const PassRecorder &optimizer, llvm::ArrayRef<plugin::Phase> phases);
  llvm::Error addPictures(llvm::ArrayRef<plugin::Phase> phases);
  template <typename Picture>
  void addPicture(const char *name, const char *title, const Picture &picture);
  llvm::Expected<std::string> format() const;
  llvm::Error emit(llvm::StringRef phase, bool withLocations, std::string &text);

  Session &session;
  std::string target;
  std::shared_ptr<const plugin::Plugin> compiler;
  std::vector<uint8_t> bytecode;
  std::optional<CompileSettings> settings;
  Explanation explanation;
};

} // namespace

void Explain::addSource() {
  const SourceManager &sources = session.frontend.getSources();
  Explanation::Level &level = explanation.levels.emplace_back();
  level.name = "source";
  level.description = session.module->path;
  level.firstLine = 1;
  for (llvm::StringRef line : llvm::split(sources.getText(session.module->file).rtrim(), '\n')) {
    const auto number = unsigned(level.lines.size() + 1);
    level.lines.push_back({line.rtrim('\r').str(), {number}});
  }
}

void Explain::addTile(mlir::ModuleOp module, const char *name, const char *description,
                      bool isShown) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(os, flags);
  explanation.levels.push_back(
      {name, description, picture::linkMlir(text, session.module->path), 0, isShown});
}

llvm::Error Explain::emit(llvm::StringRef phase, bool withLocations, std::string &text) {
  CompileSettings own = *settings;
  if (withLocations)
    own.add("locations", "true");
  return toError(compiler::Backend::emit(
      *compiler, target, bytecode, own.get(), phase.str(),
      [&](const TilerunPluginArtifact &artifact) {
        text.assign(reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes);
      }));
}

/// The phases with text for people, in the order of the compiler; the code, which plugins list
/// first, is the last.
static std::vector<const plugin::Phase *> orderLevels(llvm::ArrayRef<plugin::Phase> phases) {
  std::vector<const plugin::Phase *> levels;
  constexpr llvm::StringLiteral kNoLevels[] = {"remarks", "timeline", "shared-memory", "passes"};
  for (const plugin::Phase &phase : phases)
    if (!phase.isBinary && !llvm::StringRef(phase.name).ends_with("-json") &&
        !llvm::is_contained(kNoLevels, phase.name))
      levels.push_back(&phase);
  constexpr llvm::StringLiteral kShared[] = {"layout", "schedule", "expand", "simt"};
  std::vector<const plugin::Phase *> ordered;
  for (llvm::StringRef name : kShared)
    llvm::copy_if(levels, std::back_inserter(ordered), [&](const plugin::Phase *phase) {
      return phase->name == name && phase != levels.front();
    });
  for (const plugin::Phase *phase : llvm::drop_begin(levels, levels.empty() ? 0 : 1))
    if (!llvm::is_contained(kShared, phase->name))
      ordered.push_back(phase);
  if (!levels.empty())
    ordered.push_back(levels.front());
  return ordered;
}

llvm::Error Explain::addPhase(const plugin::Phase &phase) {
  std::string text;
  TILERUN_TRY_ERROR(emit(phase.name, phase.takesLocations, text));
  explanation.levels.push_back(
      {phase.name, phase.description, picture::linkCode(text, session.module->path), 0, false});
  return llvm::Error::success();
}

llvm::Error Explain::addRemarks() {
  std::string text;
  TILERUN_TRY_ERROR(emit("remarks-json", false, text));
  llvm::Expected<llvm::json::Value> list = llvm::json::parse(text);
  if (!list)
    return list.takeError();
  const llvm::json::Array *remarks = list->getAsArray();
  for (const llvm::json::Value &value : remarks ? *remarks : llvm::json::Array()) {
    const llvm::json::Object &remark = *value.getAsObject();
    const bool isOwn = getText(remark, "file") == session.module->path;
    explanation.notes.push_back({isOwn ? unsigned(remark.getInteger("line").value_or(0)) : 0,
                                 getText(remark, "name"), getText(remark, "reason")});
  }
  return llvm::Error::success();
}

template <typename Picture>
void Explain::addPicture(const char *name, const char *title, const Picture &picture) {
  Explanation::Picture &made = explanation.pictures.emplace_back();
  made.name = name;
  made.title = title;
  llvm::raw_string_ostream os(made.svg);
  picture::writeSvg(os, picture);
}

/// Those of the phases that the target's compiler has, unless they would be empty.
llvm::Error Explain::addPictures(llvm::ArrayRef<plugin::Phase> phases) {
  auto has = [&](llvm::StringRef name) {
    return llvm::any_of(phases, [&](const plugin::Phase &phase) { return phase.name == name; });
  };
  std::string text;
  if (has("timeline-json")) {
    TILERUN_TRY_ERROR(emit("timeline-json", false, text));
    TILERUN_TRY_VALUE(timeline, picture::readTimeline(text));
    if (!timeline.channels.empty())
      addPicture("timeline", "timeline of the pipelined loops", timeline);
  }
  if (has("shared-memory-json")) {
    TILERUN_TRY_ERROR(emit("shared-memory-json", false, text));
    TILERUN_TRY_VALUE(memory, picture::readSharedMemory(text));
    if (!memory.buffers.empty())
      addPicture("shared-memory", "shared memory over the course of the program", memory);
  }
  return llvm::Error::success();
}

/// NVIDIA's machine code, where its tools are installed; a fact of the page says where they are
/// not.
llvm::Error Explain::addSass() {
  std::string ptx;
  TILERUN_TRY_ERROR(emit("ptx", false, ptx));
  const llvm::StringRef arch = llvm::StringRef(target).split(':').second;
  llvm::Expected<toolkit::Assembled> assembled = toolkit::assemble(ptx, arch, /*lineInfo=*/true);
  llvm::Expected<std::string> sass =
      assembled ? toolkit::disassemble(assembled->binary, /*lineInfo=*/true)
                : llvm::Expected<std::string>(assembled.takeError());
  if (!sass) {
    explanation.facts.push_back("machine code (sass) is not shown: " +
                                llvm::toString(sass.takeError()));
    return llvm::Error::success();
  }
  explanation.levels.push_back({"sass", "machine code",
                                picture::linkSass(*sass, session.module->path), 0,
                                /*isShown=*/true});
  return llvm::Error::success();
}

llvm::Error Explain::addPasses(const PassRecorder &optimizer,
                               llvm::ArrayRef<plugin::Phase> phases) {
  addChanges(optimizer.getSteps(), explanation.changes);
  if (llvm::none_of(phases, [](const plugin::Phase &phase) { return phase.name == "passes-json"; }))
    return llvm::Error::success();
  std::string text;
  TILERUN_TRY_ERROR(emit("passes-json", false, text));
  TILERUN_TRY_VALUE(steps, readSteps(text));
  addChanges(steps, explanation.changes);
  return llvm::Error::success();
}

/// The file's contents: the page, or the picture that is wanted.
llvm::Expected<std::string> Explain::format() const {
  std::string content;
  if (session.options.picture.empty()) {
    llvm::raw_string_ostream os(content);
    picture::writeHtml(os, explanation);
    return content;
  }
  std::vector<llvm::StringRef> names;
  for (const Explanation::Picture &made : explanation.pictures) {
    if (made.name == session.options.picture)
      return made.svg;
    names.push_back(made.name);
  }
  return makeUsageError("--picture: the page of this kernel for " + target + " has no " +
                        session.options.picture + "; it has " +
                        (names.empty() ? "no picture" : llvm::join(names, ", ")));
}

/// Where to write: the end of a name says what it is.
static llvm::Expected<std::string> findPath(const Options &options, llvm::StringRef kernel) {
  const bool isPage = options.picture.empty();
  const llvm::StringRef end = isPage ? ".html" : ".svg";
  if (options.output == "-")
    return (kernel + (isPage ? "" : "-") + options.picture + end).str();
  if (llvm::StringRef(options.output).ends_with(isPage ? ".svg" : ".html"))
    return makeUsageError("-o: '" + options.output + "' names " +
                          (isPage ? "an image, but explain writes a page, FILE.html; --picture "
                                    "writes one of its pictures"
                                  : "a page, but --picture writes an image, FILE.svg"));
  return options.output;
}

llvm::Expected<ExitCode> Explain::run() {
  const Options &options = session.options;
  target = options.targets.front();
  TILERUN_TRY_VALUE(found, findCompiler(target));
  compiler = std::move(found);
  TILERUN_TRY_ERROR(session.load(options.target));
  TILERUN_TRY_VALUE(path, findPath(options, session.kernel->qualifiedName));
  llvm::Expected<host::AtomicFile> file = host::AtomicFile::open(path);
  if (!file)
    return makeUsageError("-o: " + llvm::toString(file.takeError()));

  TILERUN_TRY_VALUE(signature, makeSignature(session));
  signature.target = target;
  TILERUN_TRY_VALUE(compiled, session.compile(signature));
  // So that code has lines.
  Options withLines = options;
  withLines.lineInfo = true;
  settings.emplace(signature, withLines);
  explanation.title = session.kernel->qualifiedName + " for " + target;
  addSource();
  addTile(*compiled.module, "tile", "tile IR, as the frontend emits it", false);
  PassRecorder recorder;
  if (core::Status status = compiler::makeBytecode(*compiled.module, compiled.name, settings->get(),
                                                   bytecode, &recorder);
      !status.isOk())
    return session.explainFailure(status, signature);
  session.getDiagnostics().print(llvm::errs(), useColor(options.color, llvm::errs()));
  addTile(*compiled.module, "tile-opt", "tile IR, optimized", true);
  std::string reason;
  const std::vector<plugin::Phase> phases = compiler->getPhases(target, reason);
  for (const plugin::Phase *phase : orderLevels(phases))
    TILERUN_TRY_ERROR(addPhase(*phase));
  // The code.
  explanation.levels.back().isShown = true;
  if (explanation.levels.back().name == "ptx")
    TILERUN_TRY_ERROR(addSass());
  if (llvm::any_of(phases, [](const plugin::Phase &phase) { return phase.name == "remarks-json"; }))
    TILERUN_TRY_ERROR(addRemarks());
  TILERUN_TRY_ERROR(addPictures(phases));
  TILERUN_TRY_ERROR(addPasses(recorder, phases));
  TILERUN_TRY_VALUE(inspected,
                    inspectResources(compiler, target, compiled.name, bytecode, *settings));
  std::string resources;
  llvm::raw_string_ostream line(resources);
  printResources(line, inspected.code, inspected.report);
  resources = llvm::StringRef(resources).rtrim().str();
  if (std::optional<picture::Occupancy> occupancy = getOccupancy(inspected.code, inspected.report))
    addPicture("occupancy", "occupancy, and what limits it", *occupancy);
  explanation.facts.push_back(resources);
  TILERUN_TRY_VALUE(content, format());
  if (llvm::Error error = file->commit(content))
    return withExitCode(std::move(error), ExitCode::Usage);
  if (options.json)
    printJson(llvm::json::Object{
        {"status", "ok"},
        {"exit_code", 0},
        {"kernel", jsonText(session.kernel->qualifiedName)},
        {"target", jsonText(target)},
        {"file", jsonText(path)},
        {"passes", jsonArray(explanation.changes,
                             [](const Explanation::Change &change) {
                               return llvm::json::Object{{"pass", jsonText(change.pass)},
                                                         {"added", change.added},
                                                         {"removed", change.removed}};
                             })},
        {"pictures",
         jsonArray(explanation.pictures,
                   [](const Explanation::Picture &shown) { return jsonText(shown.title); })},
        {"levels", jsonArray(explanation.levels, [](const Explanation::Level &level) {
           return jsonText(level.name);
         })}});
  else
    llvm::outs() << path << ": " << explanation.levels.size() << " levels; " << resources << "\n";
  return ExitCode::Ok;
}

llvm::Expected<ExitCode> command::runExplain(Session &session) { return Explain(session).run(); }
