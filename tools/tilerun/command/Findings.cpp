// See Findings.h.
#include "tools/tilerun/command/Findings.h"

using namespace tilerun;
using namespace tilerun::command;
using llvm::json::Object;

static SourcePosition toPosition(const Object *object) {
  if (!object)
    return {};
  auto number = [&](llvm::StringRef key) {
    return static_cast<unsigned>(object->getInteger(key).value_or(0));
  };
  return {getText(*object, "file"), number("line"), number("column")};
}

static Finding toFinding(const Object &object) {
  Finding out;
  out.kind = getText(object, "kind");
  out.kernel = getText(object, "kernel");
  out.message = getText(object, "message");
  out.isWarning = getText(object, "severity") == "warning";
  out.isNote = getText(object, "severity") == "note";
  if (const llvm::json::Array *program = object.getArray("program"))
    for (auto [to, from] : llvm::zip(out.program, *program))
      to = from.getAsInteger().value_or(0);
  if (const llvm::json::Array *element = object.getArray("element"))
    for (const llvm::json::Value &index : *element)
      out.element.push_back(index.getAsInteger().value_or(0));
  out.position = toPosition(object.getObject("position"));
  if (const llvm::json::Array *callers = object.getArray("call_stack"))
    for (const llvm::json::Value &caller : *callers)
      out.callStack.push_back(toPosition(caller.getAsObject()));
  out.other = toPosition(object.getObject("other_position"));
  out.count = object.getInteger("count").value_or(1);
  out.json = object;
  return out;
}

static host::Writers toWriters(const Object &object) {
  host::Writers out;
  out.complete = object.getBoolean("complete").value_or(true);
  if (const llvm::json::Array *runs = object.getArray("runs"))
    for (const llvm::json::Value &item : *runs)
      if (const llvm::json::Array *run = item.getAsArray(); run && run->size() == 3)
        out.runs.push_back({(*run)[0].getAsUINT64().value_or(0),
                            (*run)[1].getAsUINT64().value_or(0),
                            (*run)[2].getAsUINT64().value_or(0)});
  return out;
}

static Work toWork(const Object &object) {
  auto number = [&](llvm::StringRef key) {
    const llvm::json::Value *value = object.get(key);
    return value ? value->getAsUINT64().value_or(0) : 0;
  };
  return {number("bytes_read"), number("bytes_written"), number("operations"),
          number("product_operations"), object.getBoolean("complete").value_or(false)};
}

Object command::getJson(const Work &work) {
  return Object{{"bytes_read", work.bytesRead},
                {"bytes_written", work.bytesWritten},
                {"operations", work.operations},
                {"product_operations", work.productOperations}};
}

llvm::Expected<Findings> command::readFindings(const core::Error &error) {
  Findings findings;
  // With other devices it is a word of the driver.
  if (error.status != TILERUN_STATUS_FAULT || !llvm::StringRef(error.driverWord).starts_with("[{"))
    return findings;
  llvm::Expected<llvm::json::Value> list = llvm::json::parse(error.driverWord);
  if (!list)
    return makeCommandError(ExitCode::Internal,
                            "the findings of " + error.device +
                                " cannot be read: " + llvm::toString(list.takeError()));
  for (const llvm::json::Value &item : *list->getAsArray()) {
    const Object *object = item.getAsObject();
    if (!object)
      continue;
    if (getText(*object, "kind") == "writers") {
      findings.writers[getText(*object, "argument")] = toWriters(*object);
      continue;
    }
    if (getText(*object, "kind") == "work") {
      findings.work = toWork(*object);
      continue;
    }
    Finding finding = toFinding(*object);
    (finding.isNote ? findings.notes : findings.mistakes).push_back(std::move(finding));
  }
  return findings;
}

static std::string getPlace(const SourcePosition &p) {
  return p.file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

void command::printLine(llvm::raw_ostream &os, const Painter &painter, Session &session,
                        const SourcePosition &position) {
  SourceManager &sources = session.frontend.getSources();
  if (position.line == 0 || position.file.empty())
    return;
  // The session's own file may be stdin, which cannot be read again.
  const bool isOwn = session.module && session.module->path == position.file;
  llvm::Expected<uint32_t> file =
      isOwn ? llvm::Expected<uint32_t>(session.module->file) : sources.addFile(position.file);
  if (!file) {
    // Text that is not a file (the prelude) has no lines to show.
    llvm::consumeError(file.takeError());
    return;
  }
  llvm::StringRef line = sources.getLine(*file, position.line);
  if (line.empty())
    return;
  const size_t column = std::min<size_t>(std::max(position.column, 1u) - 1, line.size());
  const auto at = static_cast<uint32_t>(line.data() - sources.getText(*file).data() + column);
  printSourceLine(os, sources, {{*file, at}, at}, painter.hasColor());
}

void command::print(llvm::raw_ostream &os, Painter &painter, Session &session,
                    const Finding &finding) {
  // A kernel that writes nothing has no place that would.
  if (finding.position.line)
    os << getPlace(finding.position) << ": ";
  if (finding.isNote) {
    painter.paint(llvm::raw_ostream::BLUE, "note: ");
    os << finding.message << "\n";
    printLine(os, painter, session, finding.position);
    return;
  }
  os << (finding.isWarning ? "warning: " : "");
  painter.paint(finding.isWarning ? llvm::raw_ostream::MAGENTA : llvm::raw_ostream::RED,
                finding.kind);
  os << ": " << finding.message << "\n";
  printLine(os, painter, session, finding.position);
  os << "    kernel " << finding.kernel;
  // Memory that was never written belongs to no program.
  if (finding.kind != "unwritten-output") {
    os << ", program (" << finding.program[0] << ", " << finding.program[1] << ", "
       << finding.program[2] << ")";
    if (!finding.element.empty())
      os << ", element " << host::formatIndex(finding.element);
  }
  if (finding.count > 1)
    os << "; " << finding.count << " times at this place";
  os << "\n";
  for (const SourcePosition &caller : finding.callStack) {
    os << getPlace(caller) << ": note: called from here\n";
    printLine(os, painter, session, caller);
  }
  if (finding.other.line) {
    os << getPlace(finding.other) << ": note: "
       << (finding.kind == "race" ? "the other access is here" : "a result is stored here") << "\n";
    printLine(os, painter, session, finding.other);
  }
}

llvm::Expected<llvm::json::Array> command::readRemarks(const TilerunPluginArtifact &artifact) {
  llvm::Expected<llvm::json::Value> list = llvm::json::parse(
      llvm::StringRef(reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes));
  if (!list)
    return makeCommandError(ExitCode::Internal,
                            "the remarks cannot be read: " + llvm::toString(list.takeError()));
  const llvm::json::Array *remarks = list->getAsArray();
  return remarks ? *remarks : llvm::json::Array();
}

void command::printRemarks(Session &session, llvm::StringRef target,
                           const llvm::json::Array &remarks) {
  llvm::raw_ostream &os = llvm::errs();
  Painter painter(os, useColor(session.options.color, llvm::errs()));
  // With several targets, each remark names its own.
  const std::string of = session.options.targets.size() > 1 ? (" (" + target + ")").str() : "";
  if (remarks.empty())
    os << "no remarks" << of << "\n";
  for (const llvm::json::Value &value : remarks) {
    const Object &remark = *value.getAsObject();
    const SourcePosition position = toPosition(&remark);
    if (position.line)
      os << getPlace(position) << ": ";
    painter.paint(llvm::raw_ostream::BLUE, "remark: ");
    os << getText(remark, "name") << ": " << getText(remark, "reason") << of << "\n";
    printLine(os, painter, session, position);
  }
}
