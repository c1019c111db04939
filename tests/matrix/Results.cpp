// Results as JSON. The layout (one function a line) keeps differences between runs readable.
#include "tests/matrix/Results.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace tilerun;
using namespace tilerun::matrix;

/// A reason in one line, without what differs between kernels (line and column).
static std::string shorten(llvm::StringRef text) {
  std::string line = text.split('\n').first.str();
  if (line.size() > 300)
    line.resize(300);
  return line;
}

std::string matrix::formatResults(const Results &results) {
  std::string out;
  llvm::raw_string_ostream os(out);
  auto quote = [](llvm::StringRef text) {
    std::string quoted;
    llvm::raw_string_ostream stream(quoted);
    stream << llvm::json::Value(llvm::json::fixUTF8(text));
    return quoted;
  };
  os << "{\"column\": " << quote(results.column)
     << ", \"description\": " << quote(results.description) << ", \"date\": " << quote(results.date)
     << ", \"machine\": " << quote(results.machine)
     << ", \"compile_only\": " << (results.compileOnly ? "true" : "false")
     << ", \"seed\": " << results.seed;
  if (!results.updates.empty()) {
    os << ",\n \"updates\": {";
    llvm::interleaveComma(results.updates, os, [&](auto &update) {
      os << quote(update.first) << ": " << update.second;
    });
    os << "}";
  }
  os << ",\n \"functions\": [";
  // Functions in the order of their first cell.
  std::vector<const CellResult *> order;
  std::map<std::pair<std::string, std::string>, std::vector<const CellResult *>> byFunction;
  for (const CellResult &cell : results.cells) {
    auto &list = byFunction[{cell.group, cell.op}];
    if (list.empty())
      order.push_back(&cell);
    list.push_back(&cell);
  }
  for (const CellResult *first : order) {
    os << (first == order.front() ? "\n" : ",\n") << "  {\"group\": " << quote(first->group)
       << ", \"op\": " << quote(first->op) << ", \"cells\": {";
    bool isFirst = true;
    for (const CellResult *cell : byFunction[{first->group, first->op}]) {
      os << (isFirst ? "" : ", ") << quote(cell->id.substr(cell->op.size() + 1)) << ": ";
      isFirst = false;
      if (cell->verdict == Verdict::Pass && cell->text.empty())
        os << "\"pass\"";
      else
        os << "[" << quote(getName(cell->verdict)) << ", " << quote(shorten(cell->text)) << "]";
    }
    os << "}}";
  }
  os << "\n ]}\n";
  return out;
}

std::string matrix::parseResults(llvm::StringRef text, Results &results) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return llvm::toString(value.takeError());
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *functions = object ? object->getArray("functions") : nullptr;
  if (!functions)
    return "'functions' is not a list";
  auto get = [](const llvm::json::Object &o, llvm::StringRef name) {
    return o.getString(name).value_or("").str();
  };
  results.column = get(*object, "column");
  results.description = get(*object, "description");
  results.date = get(*object, "date");
  results.machine = get(*object, "machine");
  results.compileOnly = object->getBoolean("compile_only").value_or(false);
  results.seed = static_cast<uint64_t>(object->getInteger("seed").value_or(0));
  if (const llvm::json::Object *updates = object->getObject("updates"))
    for (const auto &[date, count] : *updates)
      results.updates.emplace_back(date.str(), count.getAsUINT64().value_or(0));
  llvm::sort(results.updates);
  for (const llvm::json::Value &entry : *functions) {
    const llvm::json::Object *function = entry.getAsObject();
    const llvm::json::Object *cells = function ? function->getObject("cells") : nullptr;
    if (!cells)
      return "a function has no cells";
    for (const auto &[key, verdict] : *cells) {
      CellResult cell;
      cell.group = get(*function, "group");
      cell.op = get(*function, "op");
      cell.id = cell.op + "." + key.str();
      cell.dtype = llvm::StringRef(key).split('#').first.str();
      std::optional<llvm::StringRef> word = verdict.getAsString();
      if (const llvm::json::Array *pair = verdict.getAsArray(); pair && pair->size() == 2) {
        word = (*pair)[0].getAsString();
        cell.text = (*pair)[1].getAsString().value_or("").str();
      }
      std::optional<Verdict> parsed = word ? parseVerdict(*word) : std::nullopt;
      if (!parsed)
        return "cell '" + cell.id + "' has no verdict";
      cell.verdict = *parsed;
      results.cells.push_back(std::move(cell));
    }
  }
  // An object's members have no order.
  llvm::sort(results.cells, [](const CellResult &a, const CellResult &b) {
    return std::tie(a.group, a.id) < std::tie(b.group, b.id);
  });
  return "";
}

std::string matrix::updateResults(Results &recorded, const Results &again) {
  if (recorded.description != again.description || recorded.compileOnly != again.compileOnly)
    return "it has results of '" + recorded.description + "', not of '" + again.description + "'";
  if (recorded.seed != again.seed)
    return "its results have the seed " + std::to_string(recorded.seed) + ", not " +
           std::to_string(again.seed);
  std::map<std::string, CellResult> byId;
  for (const llvm::ArrayRef<CellResult> cells :
       {llvm::ArrayRef(recorded.cells), llvm::ArrayRef(again.cells)})
    for (const CellResult &cell : cells)
      byId[cell.id] = cell;
  // In the order of the matrix, so that a file changes where results do.
  recorded.cells.clear();
  for (unsigned variant = 0; variant < kNumVariants; ++variant)
    for (const Cell &cell : makeCells(variant))
      if (auto found = byId.find(cell.getId()); found != byId.end()) {
        recorded.cells.push_back(std::move(found->second));
        byId.erase(found);
      }
  if (again.date != recorded.date) {
    std::map<std::string, size_t> updates(recorded.updates.begin(), recorded.updates.end());
    updates[again.date] += again.cells.size();
    recorded.updates.assign(updates.begin(), updates.end());
  }
  return "";
}
