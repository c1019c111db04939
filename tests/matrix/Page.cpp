// The page docs/backends.md: functions by dtypes on each backend, from the results of runs.
#include "tests/matrix/Results.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

/// Reasons and their numbers, in the order of their first use.
class Footnotes {
public:
  unsigned get(const std::string &text) {
    auto [it, isNew] = numbers.try_emplace(text, numbers.size() + 1);
    if (isNew)
      texts.push_back(text);
    return static_cast<unsigned>(it->second);
  }
  llvm::ArrayRef<std::string> getTexts() const { return texts; }

private:
  std::map<std::string, size_t> numbers;
  std::vector<std::string> texts;
};

/// A reason without the kernel's file and place and without the target's name, which the column
/// says.
std::string cleanReason(llvm::StringRef text) {
  text = text.split('\n').first;
  // "… loc("matrix.py":1:2): 'op' …" or "… matrix.py:1:2: error: 'op' …"
  size_t at = text.rfind("matrix.py");
  if (at == llvm::StringRef::npos)
    at = text.rfind("<language>"); // Inside a function of the prelude.
  if (at != llvm::StringRef::npos)
    if (size_t end = text.find(": ", at); end != llvm::StringRef::npos)
      text = text.drop_front(end + 2);
  text.consume_front("error: ");
  // One reason for all pairs of types: "'tile.fp_cast' from 'f32' to 'f8E5M2' needs …".
  if (size_t from = text.find(" from '"); from != llvm::StringRef::npos)
    if (size_t to = text.find("' to '", from); to != llvm::StringRef::npos)
      if (size_t end = text.find('\'', to + 6); end != llvm::StringRef::npos)
        return (text.take_front(from) + text.drop_front(end + 1)).str();
  return text.trim().str();
}

/// "i8 i16 i32 i64 fp16" as "i8…i64 fp16".
std::string joinDtypes(const std::vector<std::string> &names) {
  const std::pair<const matrix::Types *, const char *> ranges[] = {
      {&kSigned, "i8…i64"}, {&kUnsigned, "u8…u64"}, {&kFp8, "fp8 (5 kinds)"}};
  std::vector<std::string> words;
  for (size_t i = 0; i < names.size();) {
    size_t taken = 0;
    for (const auto &[types, text] : ranges)
      if (i + types->size() <= names.size() &&
          std::equal(types->begin(), types->end(), names.begin() + ptrdiff_t(i))) {
        words.push_back(text);
        taken = types->size();
      }
    if (!taken) {
      words.push_back(names[i]);
      taken = 1;
    }
    i += taken;
  }
  return llvm::join(words, " ");
}

/// A verdict on one dtype, over all variants of the cell: the worst.
struct Entry {
  Verdict verdict = Verdict::Pass;
  std::string text;
};
unsigned getRank(Verdict verdict) {
  switch (verdict) {
  case Verdict::Pass:
    return 0;
  case Verdict::UnexpectedPass:
    return 1;
  case Verdict::Unsupported:
    return 2;
  case Verdict::ExpectedFailure:
    return 3;
  case Verdict::Fail:
    return 4;
  }
  return 4;
}

using Dtypes = std::map<std::string, Entry>;

/// Dtypes in the order of the language's list; pairs by their first.
std::vector<std::string> sortDtypes(const Dtypes &dtypes) {
  std::vector<std::string> names;
  for (const auto &[name, entry] : dtypes)
    names.push_back(name);
  auto getOrder = [](llvm::StringRef name) {
    auto position = [](llvm::StringRef word) {
      auto it = llvm::find(kAll, word.str());
      return static_cast<int>(it - kAll.begin());
    };
    auto [first, second] = name.split(" to ");
    return std::make_pair(position(first), position(second));
  };
  // Names are in order already: ties keep it by the name itself.
  llvm::sort(names, [&](const std::string &a, const std::string &b) {
    return std::make_pair(getOrder(a), a) < std::make_pair(getOrder(b), b);
  });
  return names;
}

/// One cell of the table: the passing dtypes, then exceptions with numbers. Those of `all` that
/// `dtypes` lacks were not run.
std::string formatEntry(const Dtypes &dtypes, const Dtypes &all, Footnotes &notes) {
  std::vector<std::string> names = sortDtypes(dtypes);
  std::vector<std::string> passing;
  std::map<std::pair<unsigned, unsigned>, std::vector<std::string>> others; // By rank and note.
  std::map<unsigned, std::vector<std::string>> remarks;                     // By note.
  for (const std::string &name : names) {
    const Entry &entry = dtypes.at(name);
    if (getRank(entry.verdict) <= 1) {
      passing.push_back(name);
      if (entry.verdict == Verdict::Pass && !entry.text.empty())
        remarks[notes.get(entry.text)].push_back(name);
      continue;
    }
    std::string reason = cleanReason(entry.text);
    // A failure's text has numbers of one kernel; its kind is what the page says.
    unsigned note = entry.verdict == Verdict::Fail ? 0 : notes.get(reason);
    others[{getRank(entry.verdict), note}].push_back(name);
  }
  bool arePairs = !names.empty() && llvm::StringRef(names[0]).contains(" to ");
  auto list = [&](const std::vector<std::string> &which) {
    if (arePairs && which.size() > 4)
      return std::to_string(which.size()) + " of " + std::to_string(names.size()) + " pairs";
    return joinDtypes(which);
  };
  std::string out;
  if (passing.size() == names.size() && dtypes.size() < all.size())
    out = list(passing);
  else if (passing.size() == names.size())
    out = arePairs ? "all " + std::to_string(names.size()) + " pairs" : "all";
  else if (passing.size() > names.size() / 2)
    out = "all but"; // The rest.
  else if (!passing.empty())
    out = list(passing);
  bool but = out == "all but";
  for (const auto &[key, which] : others) {
    bool follows = but && key == others.begin()->first;
    out += out.empty() ? "" : follows ? " " : "; ";
    if (key.first == getRank(Verdict::Fail))
      out += list(which) + " **(fails)**";
    else if (key.first == getRank(Verdict::ExpectedFailure))
      out += list(which) + " (known failure) [" + std::to_string(key.second) + "]";
    else
      out += (but ? "" : "not ") + (which.size() == names.size() ? "supported" : list(which)) +
             " [" + std::to_string(key.second) + "]";
  }
  for (const auto &[note, which] : remarks)
    out += "; " + list(which) + ": [" + std::to_string(note) + "]";
  std::vector<std::string> missing;
  for (const std::string &name : sortDtypes(all))
    if (!dtypes.count(name))
      missing.push_back(name);
  return missing.empty() ? out : out + "; not run: " + list(missing);
}

struct Function {
  std::string group, op;
  Dtypes dtypes;
};

/// Groups and functions in the order of the matrix as it is now, so that a stale result shows.
std::vector<Function> listFunctions() {
  std::vector<std::vector<Function>> groups; // Several parts of the matrix may add to a group.
  std::map<std::string, size_t> numbers;
  std::map<std::pair<std::string, std::string>, size_t> index;
  for (const Cell &cell : makeCells(0)) {
    const size_t number = numbers.try_emplace(cell.group, groups.size()).first->second;
    groups.resize(std::max(groups.size(), number + 1));
    std::vector<Function> &group = groups[number];
    auto [it, isNew] = index.try_emplace({cell.group, cell.op}, group.size());
    if (isNew)
      group.push_back({cell.group, cell.op, {}});
    group[it->second].dtypes[cell.dtype];
  }
  std::vector<Function> functions;
  for (std::vector<Function> &group : groups)
    llvm::append_range(functions, group);
  return functions;
}

std::string getTitle(std::string group) {
  group[0] = llvm::toUpper(group[0]);
  return group;
}

void writeHeading(llvm::raw_ostream &os, llvm::StringRef first, llvm::ArrayRef<Results> columns) {
  os << first;
  for (const Results &results : columns)
    os << " " << results.column << " |";
  os << "\n|---|---|";
  for (size_t c = 0; c < columns.size(); ++c)
    os << "---|";
  os << "\n";
}

/// A row for each group: how many of its pairs of a function and a dtype pass in each column.
void writeSummary(llvm::raw_ostream &os, llvm::ArrayRef<Results> columns,
                  llvm::ArrayRef<Function> functions, llvm::ArrayRef<std::vector<Dtypes>> entries) {
  os << "\n## In short\n\nHow many pairs of a function and a dtype pass. As a site (`make docs`), "
        "this "
        "page can be filtered by words, columns and differences.\n\n";
  writeHeading(os, "| | functions |", columns);
  for (size_t begin = 0; begin < functions.size();) {
    const std::string &group = functions[begin].group;
    size_t end = begin, pairs = 0;
    for (; end < functions.size() && functions[end].group == group; ++end)
      pairs += functions[end].dtypes.size();
    os << "| [" << getTitle(group) << "](#" << llvm::join(llvm::split(group, ' '), "-") << ") | "
       << end - begin << " |";
    for (const std::vector<Dtypes> &column : entries) {
      size_t passing = 0;
      for (size_t f = begin; f < end; ++f)
        passing += size_t(llvm::count_if(
            column[f], [](const auto &entry) { return getRank(entry.second.verdict) <= 1; }));
      os << " "
         << (passing == pairs ? "all " + std::to_string(pairs)
                              : std::to_string(passing) + " of " + std::to_string(pairs))
         << " |";
    }
    os << "\n";
    begin = end;
  }
}

} // namespace

std::string matrix::makePage(llvm::ArrayRef<Results> columns) {
  std::string out;
  llvm::raw_string_ostream os(out);
  os << "# What each backend supports\n\n"
        "<!-- Generated from tests/matrix/results by tilerun-matrix: do not edit. -->\n\n"
        "Every function of the language was run with every dtype that the language gives it, as a "
        "small kernel on random input\nwith special values, and compared with the reference "
        "interpreter (`tests/matrix`). This page is the result.\nTolerances are in "
        "`tests/matrix/Tolerance.cpp`: exact for integers, bits, moves and what IEEE 754 defines; "
        "units in\nthe last place from float64 for functions; norms for sums and products.\n\n"
        "| column | device | cells | pass | unsupported | known failures | fail | date | "
        "machine |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const Results &results : columns) {
    std::map<Verdict, size_t> counts;
    for (const CellResult &cell : results.cells)
      ++counts[cell.verdict];
    os << "| " << results.column << " | " << results.description
       << (results.compileOnly ? " (not run)" : "") << " | " << results.cells.size() << " | "
       << counts[Verdict::Pass] + counts[Verdict::UnexpectedPass] << " | "
       << counts[Verdict::Unsupported] << " | " << counts[Verdict::ExpectedFailure] << " | "
       << counts[Verdict::Fail] << " | " << results.date;
    for (const auto &[date, count] : results.updates)
      os << "; " << count << (count == 1 ? " cell " : " cells ") << date;
    os << " | " << results.machine << " |\n";
  }
  os << "\nIn the tables, \"all\" is every dtype that the language gives the function (the second "
        "column). A number in brackets is a\nreason, below; after a colon, a remark on what "
        "passes. "
        "A known failure is a defect that is "
        "listed in `tests/matrix/expected-failures.txt`\nand not repaired yet; one that passes is "
        "an "
        "error, and so is any other failure.\n";

  const std::vector<Function> functions = listFunctions();
  std::map<std::pair<std::string, std::string>, size_t> index;
  for (auto [f, function] : llvm::enumerate(functions))
    index[{function.group, function.op}] = f;
  std::vector<std::vector<Dtypes>> entries(columns.size(), std::vector<Dtypes>(functions.size()));
  for (auto [c, results] : llvm::enumerate(columns))
    for (const CellResult &cell : results.cells) {
      auto it = index.find({cell.group, cell.op});
      if (it == index.end())
        continue;
      auto [entry, isNew] = entries[c][it->second].try_emplace(cell.dtype);
      if (isNew || getRank(cell.verdict) > getRank(entry->second.verdict) ||
          (cell.verdict == entry->second.verdict && entry->second.text.empty()))
        entry->second = {cell.verdict, cell.text};
    }
  writeSummary(os, columns, functions, entries);

  Footnotes notes;
  std::string group;
  for (auto [f, function] : llvm::enumerate(functions)) {
    if (function.group != group) {
      group = function.group;
      os << "\n## " << getTitle(group) << "\n\n";
      writeHeading(os, "| function | dtypes |", columns);
    }
    std::vector<std::string> names = sortDtypes(function.dtypes);
    bool arePairs = llvm::StringRef(names[0]).contains(" to ");
    os << "| `" << function.op << "` | "
       << (arePairs && names.size() > 4  ? std::to_string(names.size()) + " pairs"
           : names.size() == kAll.size() ? "every dtype"
                                         : joinDtypes(names))
       << " |";
    for (size_t c = 0; c < columns.size(); ++c)
      os << " "
         << (entries[c][f].empty() ? std::string("not run")
                                   : formatEntry(entries[c][f], functions[f].dtypes, notes))
         << " |";
    os << "\n";
  }
  os << "\n## Reasons\n\n";
  for (auto [i, text] : llvm::enumerate(notes.getTexts()))
    os << "- [" << i + 1 << "] " << text << "\n";
  if (notes.getTexts().empty())
    os << "There are none.\n";
  os << "\n## Functions without a row\n\n";
  for (const Excuse &excuse : getExcuses())
    os << "- `" << excuse.name << "`: " << excuse.reason << ".\n";
  os << "\n## How to run it\n\n"
        "    tilerun-matrix PLUGIN.so --json results.json --machine \"…\"   on the plugin's first "
        "device\n"
        "    tilerun-matrix PLUGIN.so --compile-only                      without a device; "
        "`ptxas` "
        "assembles PTX\n"
        "    tilerun-matrix PLUGIN.so --only 'atomic_*' --variants 3      some functions, more "
        "shapes\n"
        "    tilerun-matrix PLUGIN.so --only 'abs.*' --update results.json  some functions again, "
        "into recorded results\n"
        "    tilerun-matrix --page tests/matrix/results/1-cpu.json,… --expected-failures "
        "tests/matrix/expected-failures.txt   this page\n";
  return out;
}
