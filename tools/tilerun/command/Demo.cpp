// `tilerun demo`: entries of examples/manifest.json, each a launch in the language of the command
// line with its float64 expectation, as a table.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Launch.h"
#include "tools/tilerun/command/Library.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::command;

namespace {

struct Entry {
  std::string name, file, kernel, shape;
  Options options;
  bool flagship = false;
};

struct Row {
  std::string name, kernel, shape, verdict;
  double seconds = 0, relativeError = 0, absoluteError = 0;
  ExitCode code = ExitCode::Ok;
  uint64_t programs = 0;
  int64_t elements = 0;
};

/// The folder with the examples: beside the executable's build tree, or the source tree's.
std::string findExamples(const Options &options) {
  if (!options.examples.empty())
    return options.examples;
  llvm::SmallString<256> folder(
      llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&runDemo)));
  // bin/tilerun in an installation has share/tilerun/examples; in a build tree, some parent folder
  // is the source tree.
  while (llvm::sys::path::has_parent_path(folder)) {
    llvm::sys::path::remove_filename(folder);
    for (llvm::StringRef below : {"examples", "share/tilerun/examples"}) {
      llvm::SmallString<256> candidate(folder);
      llvm::sys::path::append(candidate, below, "manifest.json");
      if (llvm::sys::fs::exists(candidate))
        return llvm::sys::path::parent_path(candidate).str();
    }
  }
  return TILERUN_EXAMPLES_DIR;
}

llvm::Error fail(const llvm::Twine &message) { return makeUsageError(message); }

/// Reads one entry; unknown keys are errors, so that a misspelt one is not ignored.
llvm::Expected<Entry> parseEntry(const llvm::json::Value &value, const Options &options,
                                 llvm::StringRef folder) {
  Entry entry;
  entry.options = options;
  entry.options.command = Options::Command::Run;
  constexpr llvm::StringLiteral known[] = {"name", "file",      "kernel",         "shape",
                                           "grid", "arguments", "expect",         "rtol",
                                           "atol", "flagship",  "autotune_config"};
  if (const llvm::json::Object *object = value.getAsObject())
    for (const auto &[key, field] : *object)
      if (!llvm::is_contained(known, llvm::StringRef(key)))
        return fail("unknown key '" + llvm::StringRef(key) + "' in an entry");
  llvm::json::Path::Root root("entry");
  llvm::json::ObjectMapper fields(value, root);
  std::optional<int64_t> config;
  if (!fields || !fields.mapOptional("name", entry.name) ||
      !fields.mapOptional("file", entry.file) || !fields.mapOptional("kernel", entry.kernel) ||
      !fields.mapOptional("shape", entry.shape) ||
      !fields.mapOptional("grid", entry.options.grid) ||
      !fields.mapOptional("arguments", entry.options.arguments) ||
      !fields.mapOptional("expect", entry.options.expects) ||
      !fields.map("rtol", entry.options.rtol) || !fields.map("atol", entry.options.atol) ||
      !fields.mapOptional("flagship", entry.flagship) || !fields.map("autotune_config", config))
    return root.getError();
  if (config)
    entry.options.autotuneConfig = static_cast<unsigned>(*config);
  if (entry.name.empty() || entry.file.empty() || entry.kernel.empty() ||
      entry.options.grid.empty() || entry.options.expects.empty())
    return fail("entry '" + entry.name + "' lacks name, file, kernel, grid or expect");
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, entry.file);
  entry.options.target = (path + "::" + entry.kernel).str();
  return entry;
}

llvm::Expected<std::vector<Entry>> readManifest(const Options &options, llvm::StringRef folder) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, "manifest.json");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot read '" + path + "': " + buffer.getError().message() +
                "; name the folder by --examples");
  llvm::Expected<llvm::json::Value> manifest = llvm::json::parse((*buffer)->getBuffer());
  if (!manifest)
    return fail("'" + path + "': " + llvm::toString(manifest.takeError()));
  const llvm::json::Object *object = manifest->getAsObject();
  const llvm::json::Array *array = object ? object->getArray("entries") : nullptr;
  if (!array)
    return fail("'" + path + "' has no list 'entries'");
  std::vector<Entry> entries;
  for (const llvm::json::Value &value : *array) {
    llvm::Expected<Entry> entry = parseEntry(value, options, folder);
    if (!entry)
      return fail("'" + path + "': " + llvm::toString(entry.takeError()));
    entries.push_back(std::move(*entry));
  }
  return entries;
}

llvm::Expected<std::vector<Entry>> selectEntries(std::vector<Entry> entries,
                                                 const Options &options) {
  std::vector<Entry> out;
  if (options.entries.empty()) {
    for (Entry &entry : entries)
      if (options.all || entry.flagship)
        out.push_back(std::move(entry));
    return out;
  }
  for (const std::string &name : options.entries) {
    bool found = false;
    std::vector<llvm::StringRef> names;
    for (const Entry &entry : entries) {
      names.push_back(entry.name);
      // A prefix names a group: "softmax" is softmax and softmax-online.
      if (entry.name == name || llvm::StringRef(entry.name).starts_with(name + "-")) {
        out.push_back(entry);
        found = true;
      }
    }
    if (!found)
      return fail("no entry '" + name + "'" + suggest(name, names));
  }
  return out;
}

Row runEntry(const Entry &entry, const std::shared_ptr<core::Device> &device) {
  Row row;
  row.name = entry.name;
  row.kernel = entry.kernel;
  row.shape = entry.shape;
  Session session(entry.options);
  Launch launch(session, device);
  llvm::Error error = session.load(entry.options.target);
  if (!error)
    error = launch.run();
  if (error) {
    llvm::errs() << "tilerun: entry '" << entry.name << "':\n";
    Options quiet = entry.options;
    quiet.json = false;
    row.code = reportError(std::move(error), quiet, &session.getDiagnostics());
    row.verdict =
        (row.code == ExitCode::Compile ? "compile error" : getExitCodeName(row.code)).str();
    return row;
  }
  row.seconds = launch.getFastestSeconds();
  row.programs = launch.getNumPrograms();
  row.elements = launch.getNumElements();
  for (const Launch::Expectation &e : launch.getExpectations()) {
    row.relativeError = std::max(row.relativeError, e.result.maxRelError);
    row.absoluteError = std::max(row.absoluteError, e.result.maxAbsError);
    if (e.result.first)
      llvm::errs() << "tilerun: entry '" << entry.name << "': " << e.name << " differs in "
                   << e.result.mismatches << " elements, first at "
                   << host::formatIndex(host::unravel(*e.result.first, e.tensor.shape)) << ": got "
                   << e.result.got << ", expected " << e.result.expected << "\n";
  }
  row.code = launch.allMatch() ? ExitCode::Ok : ExitCode::Mismatch;
  row.verdict = launch.allMatch() ? "ok" : "MISMATCH";
  return row;
}

void printTable(const std::vector<Row> &rows, const Options &options) {
  llvm::raw_ostream &os = llvm::outs();
  Painter painter(os, useColor(options.color, llvm::outs()));
  std::vector<std::array<std::string, 6>> cells{
      {"kernel", "shape", "device", "time", "largest relative error", "verdict"}};
  for (const Row &row : rows)
    cells.push_back(
        {row.kernel, row.shape, options.device, row.programs ? formatSeconds(row.seconds) : "-",
         row.programs ? llvm::formatv("{0:e1}", row.relativeError).str() : "-", row.verdict});
  std::array<size_t, 6> widths{};
  for (const auto &line : cells)
    for (auto [width, cell] : llvm::zip_equal(widths, line))
      width = std::max(width, cell.size());
  for (auto [i, line] : llvm::enumerate(cells)) {
    for (auto [cell, width] : llvm::zip(llvm::ArrayRef(line).drop_back(), widths))
      os << llvm::left_justify(cell, static_cast<unsigned>(width) + 2);
    if (i)
      painter.paint(line.back() == "ok" ? llvm::raw_ostream::GREEN : llvm::raw_ostream::RED,
                    line.back());
    else
      os << line.back();
    os << "\n";
  }
}

} // namespace

llvm::Expected<ExitCode> command::runDemo(const Options &options) {
  TILERUN_TRY_VALUE(device, openDevice(options.device, kUnpooled));
  std::string folder = findExamples(options);
  TILERUN_TRY_VALUE(manifest, readManifest(options, folder));
  TILERUN_TRY_VALUE(entries, selectEntries(std::move(manifest), options));
  if (entries.empty())
    return fail("'" + llvm::Twine(folder) + "' has no flagship entries");
  std::vector<Row> rows;
  ExitCode code = ExitCode::Ok;
  for (const Entry &entry : entries) {
    rows.push_back(runEntry(entry, device));
    if (rows.back().code == ExitCode::Internal)
      code = ExitCode::Internal;
    else if (rows.back().code != ExitCode::Ok && code == ExitCode::Ok)
      code = ExitCode::Mismatch;
  }
  if (!options.json) {
    printTable(rows, options);
    return code;
  }
  auto toJson = [&](const Row &row) {
    return llvm::json::Object{{"name", jsonText(row.name)},
                              {"kernel", jsonText(row.kernel)},
                              {"shape", jsonText(row.shape)},
                              {"device", jsonText(options.device)},
                              {"seconds", row.seconds},
                              {"programs", row.programs},
                              {"elements", row.elements},
                              {"max_rel_error", jsonNumber(row.relativeError)},
                              {"max_abs_error", jsonNumber(row.absoluteError)},
                              {"verdict", jsonText(row.verdict)}};
  };
  printJson(llvm::json::Object{{"status", getExitCodeName(code)},
                               {"exit_code", static_cast<int>(code)},
                               {"results", jsonArray(rows, toJson)}});
  return code;
}
