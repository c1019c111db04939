// See Timing.h.
#include "tools/tilerun/command/Timing.h"

#include "runtime/plugin/Trace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <tuple>

using namespace tilerun;
using namespace tilerun::command;

namespace {
/// All events of one name under the same ones.
struct Row {
  std::string name;
  const char *category = "";
  unsigned depth = 0;
  uint64_t count = 0, nanoseconds = 0;
  std::vector<std::unique_ptr<Row>> children; ///< In the order of their first events.

  Row &find(const Trace::Event &event) {
    for (const std::unique_ptr<Row> &child : children)
      if (child->name == event.name)
        return *child;
    Row &child = *children.emplace_back(std::make_unique<Row>());
    child.name = event.name;
    child.category = event.category;
    return child;
  }
};
} // namespace

/// The events of threads beside the command's own, whose times overlap it and each other.
static constexpr const char *kOthers = "other threads";

/// Events by what encloses them. Those of one thread nest.
static Row makeTree(llvm::ArrayRef<Trace::Event> recorded) {
  // An event is recorded when it ends; in order of their begins outer ones come first.
  std::vector<const Trace::Event *> events;
  for (const Trace::Event &event : recorded)
    events.push_back(&event);
  llvm::sort(events, [](const Trace::Event *a, const Trace::Event *b) {
    return std::tuple(a->thread, a->begin, b->duration, b) <
           std::tuple(b->thread, b->begin, a->duration, a);
  });
  Row root;
  auto others = std::make_unique<Row>();
  others->name = kOthers;
  others->category = "threads";
  std::vector<std::pair<Row *, uint64_t>> open; // With their ends.
  const uint32_t own = events.empty() ? 0 : events.front()->thread;
  uint32_t thread = own;
  for (const Trace::Event *at : events) {
    const Trace::Event &event = *at;
    if (event.thread != thread) {
      open.assign(1, {others.get(), UINT64_MAX});
      ++others->count;
    }
    thread = event.thread;
    while (!open.empty() && open.back().second < event.begin + event.duration)
      open.pop_back();
    if (open.size() == 1 && open.front().first == others.get())
      others->nanoseconds += event.duration;
    Row &parent = open.empty() ? root : *open.back().first;
    Row &row = parent.find(event);
    row.depth = static_cast<unsigned>(open.size());
    ++row.count;
    row.nanoseconds += event.duration;
    open.emplace_back(&row, event.begin + event.duration);
  }
  if (others->count)
    root.children.push_back(std::move(others));
  return root;
}

static void forEachRow(const Row &parent, llvm::function_ref<void(const Row &)> each) {
  for (const std::unique_ptr<Row> &row : parent.children) {
    each(*row);
    forEachRow(*row, each);
  }
}

/// The time of the whole that no event of the command's own thread covers.
static uint64_t getRest(const Row &root, uint64_t total) {
  uint64_t covered = 0;
  for (const std::unique_ptr<Row> &row : root.children)
    covered += row->name == kOthers ? 0 : row->nanoseconds;
  return total - std::min(covered, total);
}

static llvm::json::Object toJson(const Row &root, uint64_t total) {
  llvm::json::Array stages;
  forEachRow(root, [&](const Row &row) {
    stages.push_back(llvm::json::Object{{"name", jsonText(row.name)},
                                        {"category", row.category},
                                        {"depth", row.depth},
                                        {"count", row.count},
                                        {"seconds", double(row.nanoseconds) * 1e-9}});
  });
  return llvm::json::Object{{"seconds", double(total) * 1e-9},
                            {"elsewhere", double(getRest(root, total)) * 1e-9},
                            {"stages", std::move(stages)}};
}

static void printTable(llvm::raw_ostream &os, const Row &root, uint64_t total) {
  size_t width = std::string("elsewhere").size();
  forEachRow(root,
             [&](const Row &row) { width = std::max(width, 2 * row.depth + row.name.size()); });
  const auto line = [&](std::string name, llvm::StringRef time, llvm::StringRef share,
                        llvm::StringRef count) {
    name.resize(width, ' ');
    os << llvm::formatv("{0} {1,10} {2,8} {3,6}", name, time, share, count).str() << "\n";
  };
  const auto lineOf = [&](const std::string &name, uint64_t nanoseconds, const std::string &count) {
    line(name, formatSeconds(double(nanoseconds) * 1e-9),
         llvm::formatv("{0:F1} %", total ? 100 * double(nanoseconds) / double(total) : 0).str(),
         count);
  };
  line("stage", "time", "share", "count");
  forEachRow(root, [&](const Row &row) {
    lineOf(std::string(2 * row.depth, ' ') + row.name, row.nanoseconds, std::to_string(row.count));
  });
  lineOf("elsewhere", getRest(root, total), "");
  lineOf("total", total, "");
}

static uint64_t getNanosecondsSince(std::chrono::steady_clock::time_point begin) {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
}

llvm::Error TraceRecorder::start() {
  if (!options.traceOut.empty()) {
    llvm::Expected<host::AtomicFile> opened = host::AtomicFile::open(options.traceOut);
    if (!opened)
      return makeUsageError("--trace-out: " + llvm::toString(opened.takeError()));
    file.emplace(std::move(*opened));
  }
  isOn = options.timing || file;
  if (!isOn)
    Trace::startFromEnvironment();
  if (isOn && !Trace::start())
    return makeUsageError("--timing and --trace-out: a trace is being recorded already");
  if (options.timing && options.json)
    setJsonAddition([begin = begin](llvm::json::Object &object) {
      object["timing"] = toJson(makeTree(Trace::getEvents()), getNanosecondsSince(begin));
    });
  return llvm::Error::success();
}

llvm::Error TraceRecorder::finish() {
  if (!isOn)
    return llvm::Error::success();
  setJsonAddition(nullptr);
  isOn = false;
  std::vector<Trace::Event> events;
  uint64_t dropped = 0;
  (void)Trace::stop(events, dropped);
  if (file)
    if (llvm::Error error = file->commit(Trace::toJson(events, dropped)))
      return withExitCode(std::move(error), ExitCode::Usage);
  if (options.timing && !options.json)
    printTable(llvm::errs(), makeTree(events), getNanosecondsSince(begin));
  if (dropped)
    llvm::errs() << "tilerun: warning: " << dropped
                 << " events of the trace were dropped; it keeps " << Trace::kMostEvents << "\n";
  return llvm::Error::success();
}

TraceRecorder::~TraceRecorder() {
  if (!isOn)
    return;
  std::vector<Trace::Event> events;
  uint64_t dropped = 0;
  (void)Trace::stop(events, dropped);
}
