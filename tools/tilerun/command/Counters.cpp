// See Counters.h.
#include "tools/tilerun/command/Counters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::command;
using llvm::json::Object;

Counters::~Counters() {
  if (!path.empty())
    (void)llvm::sys::fs::remove(path);
}

llvm::Error Counters::start() {
  llvm::SmallString<64> name;
  int file = -1;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tilerun-counters", "jsonl", file, name))
    return makeUsageError("--counters: no temporary file can be made: " + error.message());
  close(file);
  path = name.str().str();
  setenv("TILERUN_AMDSIM_COUNTERS", path.c_str(), 1);
  return llvm::Error::success();
}

llvm::Error Counters::check(const core::Device &device) {
  const plugin::DeviceInfo &info = device.getInfo();
  if (llvm::StringRef(info.target).starts_with("hip:") &&
      llvm::StringRef(info.name).starts_with("emulated "))
    return llvm::Error::success();
  return makeUsageError("--counters: device '" + info.id +
                        "' counts nothing; an emulated AMD GPU does: --emulate hip:gfx942");
}

llvm::Expected<llvm::json::Array> Counters::read() const {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return makeCommandError(ExitCode::Internal, "the counters in '" + path + "' cannot be read: " +
                                                    file.getError().message());
  llvm::json::Array launches;
  for (llvm::StringRef line : llvm::split((*file)->getBuffer(), '\n')) {
    if (line.empty())
      continue;
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    if (!value)
      return value.takeError();
    if (!value->getAsObject())
      return makeCommandError(ExitCode::Internal,
                              "the emulator's counters are not an object of JSON: " + line);
    launches.push_back(std::move(*value));
  }
  if (launches.empty())
    return makeCommandError(ExitCode::Internal, "the emulator has written no counters");
  return launches;
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

static int64_t getNumber(const Object *object, llvm::StringRef key) {
  return object ? object->getInteger(key).value_or(0) : 0;
}

// "bank_conflicts" as a title: "bank conflicts".
static std::string toTitle(llvm::StringRef key) {
  std::string title = key.str();
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

// A row for each kind of access that occurs, a column for each of the keys.
static void printAccesses(llvm::raw_ostream &os, llvm::StringRef memory, const Object *counts,
                          llvm::ArrayRef<llvm::StringRef> keys) {
  if (!counts)
    return;
  bool hasHead = false;
  for (llvm::StringRef use : {"load", "store", "atomic"}) {
    const Object *row = counts->getObject(use);
    if (!row || getNumber(row, "accesses") == 0)
      continue;
    if (!hasHead) {
      os << llvm::formatv("  {0,-16}", memory);
      for (llvm::StringRef key : keys)
        os << llvm::formatv(" {0,20}", toTitle(key));
      os << "\n";
      hasHead = true;
    }
    os << llvm::formatv("    {0,-14}", use);
    for (llvm::StringRef key : keys)
      os << llvm::formatv(" {0,20}", getNumber(row, key));
    os << "\n";
  }
}

void command::printCounters(llvm::raw_ostream &os, const Object &counters) {
  const Object *instructions = counters.getObject("instructions");
  os << llvm::formatv("counters on {0}: {1} waves of {2} lanes, {3} instructions\n",
                      counters.getString("architecture").value_or("?"),
                      getNumber(&counters, "waves"), getNumber(&counters, "lanes"),
                      getNumber(instructions, "total"));
  // The most frequent class first.
  std::vector<std::pair<int64_t, std::string>> classes;
  if (instructions)
    for (const auto &[name, value] : *instructions)
      if (const int64_t count = value.getAsInteger().value_or(0); count && name != "total")
        classes.emplace_back(-count, toTitle(name));
  llvm::sort(classes);
  for (const auto &[count, name] : classes)
    os << llvm::formatv("  {0,-16} {1,20}\n", name, -count);
  if (const int64_t operations = getNumber(&counters, "matrix_flops"))
    os << llvm::formatv("  {0,-16} {1,20}\n", "matrix FLOPs", operations);
  printAccesses(os, "global memory", counters.getObject("global"),
                {"accesses", "bytes", "transactions", "fewest_transactions"});
  printAccesses(os, "shared memory", counters.getObject("lds"),
                {"accesses", "bytes", "phases", "bank_conflicts"});
}
