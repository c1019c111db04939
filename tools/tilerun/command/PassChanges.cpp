// See PassChanges.h.
#include "tools/tilerun/command/PassChanges.h"

#include "tools/tilerun/command/Output.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::command;
using picture::Explanation;

/// Lines of one pass that a page shows.
static constexpr size_t kMostLines = 5000;

/// A line without the numbers of values and of aliases, which a new op changes in all that follow:
/// "%12 = arith.addi %3, %4 : i32" is "% = arith.addi %, % : i32", and #layout3 is #layout.
static std::string getKey(llvm::StringRef line) {
  std::string key;
  bool isValue = false, isAlias = false;
  for (char c : line) {
    const bool isName = llvm::isAlnum(c) || c == '_';
    if (!isName)
      isValue = isAlias = false;
    if (!isValue && !(isAlias && llvm::isDigit(c)))
      key += c;
    isValue |= c == '%';
    isAlias |= c == '#';
  }
  return key;
}

void command::addChanges(llvm::ArrayRef<PassRecorder::Step> steps,
                         std::vector<Explanation::Change> &changes) {
  for (size_t i = 1; i < steps.size(); ++i) {
    Explanation::Change &change = changes.emplace_back();
    change.pass = steps[i].pass;
    if (steps[i].text == steps[i - 1].text)
      continue;
    change.lines = host::diffLines(steps[i - 1].text, steps[i].text, getKey);
    change.added =
        size_t(llvm::count_if(change.lines, [](const auto &l) { return l.kind == '+'; }));
    change.removed =
        size_t(llvm::count_if(change.lines, [](const auto &l) { return l.kind == '-'; }));
    if (change.lines.size() <= kMostLines)
      continue;
    const size_t more = change.lines.size() - kMostLines;
    change.lines.resize(kMostLines);
    change.lines.push_back({' ', "and " + std::to_string(more) + " more lines"});
  }
}

llvm::Expected<std::vector<PassRecorder::Step>> command::readSteps(llvm::StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return value.takeError();
  const llvm::json::Array *array = value->getAsArray();
  if (!array)
    return makeCommandError(ExitCode::Compile, "the compiler's passes are not an array of JSON");
  std::vector<PassRecorder::Step> steps;
  for (const llvm::json::Value &item : *array)
    if (const llvm::json::Object *step = item.getAsObject())
      steps.push_back({getText(*step, "pass"), getText(*step, "text")});
  return steps;
}
