// See Mismatch.h; and how a launch finds out which program wrote what.
#include "tools/tilerun/command/Mismatch.h"

#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/picture/MismatchPicture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::command;
using Expectation = Launch::Expectation;

//===----------------------------------------------------------------------===//
// Who wrote what
//===----------------------------------------------------------------------===//

/// A launch that took the interpreter less is repeated without being asked for: watching runs in
/// one thread, element by element, which takes some 30 times as long.
static constexpr double kQuickSeconds = 0.5;

bool Launch::wantsMap() {
  const Options &options = session.options;
  if (options.map)
    return *options.map;
  if (!options.report.empty())
    return true;
  const bool isQuick = device->checksBounds() && result.seconds < kQuickSeconds;
  if (!isQuick)
    mapHint = "--map shows which program wrote what; it repeats the launch on the interpreter";
  return isQuick;
}

const host::Writers *Launch::findWriters(const host::Storage *storage) const {
  for (const auto &[name, map] : writers)
    if (auto it = binding.values.find(name); it != binding.values.end())
      if (auto *tensor = it->second.getIf<host::Tensor>();
          tensor && tensor->storage.get() == storage)
        return &map;
  return nullptr;
}

llvm::Error Launch::watchWriters() {
  TILERUN_TRY_VALUE(cpu, openDevice("cpu", kUnpooled));
  Launch repeated(session, cpu);
  TILERUN_TRY_ERROR(repeatOnInterpreter(repeated, "writers"));
  writers = std::move(repeated.writers);
  knowsWriters = true;
  // Another device's result beside that of the reference.
  if (!device->checksBounds())
    for (Expectation &expectation : expectations)
      expectation.onInterpreter = repeated.compare(expectation);
  return llvm::Error::success();
}

host::MismatchReport Launch::analyze(const Expectation &expectation, host::MapSize size) const {
  static const host::Writers kNobody;
  const host::Writers *map = findWriters(expectation.tensor.storage.get());
  return host::analyzeMismatch(
      expectation.tensor, [&](auto each) { forEachError(expectation, each); },
      map || !knowsWriters ? map : &kNobody, size);
}

void Launch::explainMismatches() {
  // A check has watched already. The mismatch is what matters: it is shown without programs for a
  // kernel that the interpreter cannot run.
  if (!knowsWriters && wantsMap()) {
    const std::string reason = llvm::toString(watchWriters());
    if (!knowsWriters)
      mapHint = "the interpreter cannot repeat the launch, which would show which program wrote "
                "what" +
                (reason.empty() ? "" : ": " + reason);
  }
  for (const auto &[name, map] : writers)
    if (!map.complete)
      mapHint = "programs wrote more than a million stretches of '" + name +
                "' in turn: too many to show";
  for (Expectation &expectation : expectations)
    if (!expectation.result.ok())
      expectation.mismatch = analyze(expectation, host::kTextMap);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string formatPosition(const Expectation &e, int64_t position) {
  return host::formatIndex(host::unravel(position, e.tensor.shape));
}

static void printHistogram(llvm::raw_ostream &os, Painter &painter,
                           llvm::ArrayRef<host::ErrorBin> bins) {
  constexpr int64_t kWidth = 40;
  int64_t most = 1;
  for (const host::ErrorBin &bin : bins)
    most = std::max(most, bin.elements);
  // Any number of elements is seen.
  auto length = [&](int64_t elements) {
    return elements ? std::max<int64_t>(1, elements * kWidth / most) : 0;
  };
  os << "  errors, '#' outside the tolerance, '=' within:\n";
  for (const host::ErrorBin &bin : bins) {
    os << llvm::formatv("  {0,15} {1,10}  ", host::describe(bin), bin.elements);
    painter.paint(llvm::raw_ostream::RED, std::string(length(bin.mismatches), '#'));
    os << std::string(length(bin.elements - bin.mismatches), '=') << "\n";
  }
}

/// Rows of the map with the position where each begins.
static void printMap(llvm::raw_ostream &os, Painter &painter, const Expectation &e) {
  const host::MismatchReport &report = *e.mismatch;
  const host::TensorMap &map = report.map;
  os << "  map, " << host::describeCells(map, "letter") << ": ";
  if (report.hasPrograms)
    os << "of the program that wrote it, upper case where an element is wrong; '.' nobody wrote "
          "it, '!' and it is wrong\n";
  else
    os << "'X' where an element is wrong\n";
  std::vector<std::string> names;
  size_t width = 0;
  for (size_t row = 0; row < map.rows; ++row) {
    names.push_back(formatPosition(e, map.cells[row * map.columns].first));
    width = std::max(width, names.back().size());
  }
  for (size_t row = 0; row < map.rows; ++row) {
    os << "    " << names[row] << std::string(width - names[row].size() + 1, ' ');
    for (const host::TensorMap::Cell &cell :
         llvm::ArrayRef(map.cells).slice(row * map.columns, map.columns)) {
      const std::string letter(1, host::getLetter(cell, report.hasPrograms));
      if (cell.mismatches)
        painter.paint(llvm::raw_ostream::RED, letter);
      else
        os << letter;
    }
    os << "\n";
  }
}

static void printPrograms(llvm::raw_ostream &os, const Launch &launch, const Expectation &e) {
  constexpr size_t kMost = 8;
  const auto &programs = e.mismatch->programs;
  for (const host::ProgramErrors &errors : llvm::ArrayRef(programs).take_front(kMost)) {
    if (errors.program)
      os << "  program " << host::formatProgram(*errors.program, launch.getBinding().grid) << " '"
         << static_cast<char>('a' + *errors.program % 26) << "' wrote " << errors.elements << ", "
         << errors.mismatches;
    else
      os << "  nobody wrote " << errors.elements << ", " << errors.mismatches;
    os << (errors.mismatches == 1 ? " is wrong: " : " are wrong, from ")
       << formatPosition(e, errors.first) << (errors.mismatches == 1 ? "" : " on") << "\n";
  }
  if (programs.size() > kMost)
    os << "  and " << programs.size() - kMost << " more programs\n";
}

void command::printMismatch(llvm::raw_ostream &os, Painter &painter, const Launch &launch,
                            const Expectation &e) {
  const host::MismatchReport &report = *e.mismatch;
  os << "  first at " << formatPosition(e, *e.result.first) << ": got " << e.result.got
     << ", expected " << e.result.expected;
  if (report.firstProgram)
    os << ", written by program "
       << host::formatProgram(*report.firstProgram, launch.getBinding().grid);
  else if (report.hasPrograms)
    os << ", which no program wrote";
  os << "\n";
  if (e.onInterpreter)
    os << "  on the interpreter "
       << (e.onInterpreter->ok() ? std::string("all elements are right")
                                 : std::to_string(e.onInterpreter->mismatches) + " are wrong")
       << "\n";
  printHistogram(os, painter, report.histogram);
  printPrograms(os, launch, e);
  if (report.map.cells.size() > 1)
    printMap(os, painter, e);
  if (!launch.getMapHint().empty())
    os << "  " << launch.getMapHint() << "\n";
}

//===----------------------------------------------------------------------===//
// JSON and pictures
//===----------------------------------------------------------------------===//

/// [3, 0, 0], or null for nobody.
static llvm::json::Value toJson(std::optional<uint64_t> program,
                                const std::array<uint64_t, 3> &grid) {
  if (!program)
    return nullptr;
  return llvm::json::Array{*program % grid[0], *program / grid[0] % grid[1],
                           *program / grid[0] / grid[1]};
}

void command::addMismatch(llvm::json::Object &object, const Launch &launch, const Expectation &e) {
  const host::MismatchReport &report = *e.mismatch;
  const std::array<uint64_t, 3> &grid = launch.getBinding().grid;
  object["histogram"] = jsonArray(report.histogram, [](const host::ErrorBin &bin) {
    return llvm::json::Object{{"from", jsonNumber(bin.from)},
                              {"to", jsonNumber(bin.to)},
                              {"elements", bin.elements},
                              {"mismatches", bin.mismatches}};
  });
  if (report.hasPrograms) {
    if (llvm::json::Object *first = object.getObject("first"))
      (*first)["program"] = toJson(report.firstProgram, grid);
    object["programs"] = jsonArray(report.programs, [&](const host::ProgramErrors &errors) {
      return llvm::json::Object{
          {"program", toJson(errors.program, grid)},
          {"elements", errors.elements},
          {"mismatches", errors.mismatches},
          {"first", llvm::json::Array(host::unravel(errors.first, e.tensor.shape))}};
    });
  }
  llvm::json::Array rows;
  for (size_t row = 0; row < report.map.rows; ++row) {
    std::string text;
    for (const host::TensorMap::Cell &cell :
         llvm::ArrayRef(report.map.cells).slice(row * report.map.columns, report.map.columns))
      text += host::getLetter(cell, report.hasPrograms);
    rows.push_back(std::move(text));
  }
  object["map"] = llvm::json::Object{{"cell_rows", report.map.cellRows},
                                     {"cell_columns", report.map.cellColumns},
                                     {"row_length", report.map.rowLength},
                                     {"rows", std::move(rows)}};
  if (e.onInterpreter)
    object["interpreter_mismatches"] = e.onInterpreter->mismatches;
}

std::string command::makeReport(const Launch &launch, Session &session, bool isSvg) {
  std::vector<picture::Mismatch> all;
  for (const Expectation &e : launch.getExpectations()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << e.name << " = " << e.tensor.describe() << ", expected " << e.text << ": ";
    if (e.result.ok())
      os << "ok, " << e.result.count << " elements";
    else
      os << e.result.mismatches << " of " << e.result.count << " elements are wrong";
    if (e.result.first)
      os << ", the first at " << formatPosition(e, *e.result.first) << ": got " << e.result.got
         << ", expected " << e.result.expected;
    all.push_back(
        {text, e.tensor.shape, launch.getBinding().grid, launch.analyze(e, host::kPictureMap)});
  }
  std::string out;
  llvm::raw_string_ostream os(out);
  if (isSvg)
    picture::writeSvg(os, all);
  else
    picture::writeHtml(os, session.kernel->qualifiedName + " on " + session.options.device, all);
  return out;
}
