// See HandSchedule.h.
#include "ir/schedule/HandSchedule.h"

#include "ir/schedule/Rings.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

std::string HandSchedule::Entry::describe() const {
  return (isNumber ? "loop #" : "loop ") + std::to_string(loop);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// One line of the text.
class LineParser {
public:
  LineParser(StringRef line, StringRef file, unsigned number, MLIRContext *context)
      : line(line), rest(line), file(file), number(number), context(context) {}

  FailureOr<HandSchedule::Entry> parse();

private:
  Location here() {
    rest = rest.ltrim();
    return FileLineColLoc::get(context, file, number, line.size() - rest.size() + 1);
  }
  LogicalResult parseSetting(HandSchedule::Entry &entry);
  LogicalResult parseRoles(HandSchedule::Entry &entry);
  bool consumeNumber(int64_t &value) {
    StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    if (digits.empty() || digits.getAsInteger(10, value))
      return false;
    rest = rest.drop_front(digits.size());
    return true;
  }

  StringRef line, rest, file;
  unsigned number;
  MLIRContext *context;
};
} // namespace

LogicalResult LineParser::parseSetting(HandSchedule::Entry &entry) {
  Location loc = here();
  StringRef name = rest.take_while([](char c) { return llvm::isAlpha(c); });
  StringRef after = rest.drop_front(name.size());
  if (!llvm::is_contained({"slots", "distance", "copies", "roles"}, name) ||
      !after.consume_front("="))
    return emitError(loc, "expected 'slots=N', 'distance=N', 'copies=chunks|registers' or "
                          "'roles=producer:WARPS,consumer'");
  rest = after;
  Location valueLoc = here();
  if (name == "copies") {
    StringRef word = rest.take_while([](char c) { return llvm::isAlpha(c); });
    entry.copies = symbolizeCopyKind(word);
    if (!entry.copies)
      return emitError(valueLoc) << "'" << word
                                 << "' is not a way to copy; use 'chunks' or 'registers'";
    rest = rest.drop_front(word.size());
    return success();
  }
  if (name == "roles")
    return parseRoles(entry);
  int64_t value = 0;
  if (!consumeNumber(value))
    return emitError(valueLoc) << "'" << name << "' needs a number";
  if (name == "slots")
    entry.slots = value;
  else
    entry.distance = value;
  return success();
}

LogicalResult LineParser::parseRoles(HandSchedule::Entry &entry) {
  Location loc = here();
  int64_t warps = 0;
  if (!rest.consume_front("producer:") || !consumeNumber(warps) ||
      !rest.consume_front(",consumer") || (!rest.empty() && !llvm::isSpace(rest.front())))
    return emitError(loc, "expected 'producer:WARPS,consumer'");
  if (warps < 1 || warps > kMaxSlots)
    return emitError(loc) << "a producer has 1 to " << kMaxSlots << " warps, not " << warps;
  entry.producers = warps;
  return success();
}

FailureOr<HandSchedule::Entry> LineParser::parse() {
  HandSchedule::Entry entry{here(), false, 0, false, 0, std::nullopt, std::nullopt, 0};
  auto expected = [&] {
    emitError(here(), "expected 'loop LINE: ...' or 'loop #NUMBER: ...'");
    return failure();
  };
  if (!rest.consume_front("loop"))
    return expected();
  rest = rest.ltrim();
  entry.isNumber = rest.consume_front("#");
  if (!consumeNumber(entry.loop))
    return expected();
  rest = rest.ltrim();
  if (!rest.consume_front(":"))
    return expected();
  rest = rest.ltrim();
  StringRef none = rest.rtrim();
  if (none == "none") {
    entry.isNone = true;
    return entry;
  }
  Location settings = here();
  while (!rest.empty()) {
    if (failed(parseSetting(entry)))
      return failure();
    rest = rest.ltrim();
  }
  if (!entry.slots) {
    emitError(settings, "expected 'none', or 'slots=N' with at least 1");
    return failure();
  }
  return entry;
}

FailureOr<HandSchedule> HandSchedule::parse(StringRef text, StringRef name, MLIRContext *context) {
  HandSchedule schedule;
  unsigned number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    StringRef content = line.split('#').first.rtrim();
    // A '#' right after 'loop' names a loop by number.
    if (content.ltrim() == "loop") {
      size_t comment = line.find('#', line.find('#') + 1);
      content = line.take_front(comment);
    }
    if (content.trim().empty())
      continue;
    FailureOr<Entry> entry = LineParser(content, name, number, context).parse();
    if (failed(entry))
      return failure();
    schedule.entries.push_back(*entry);
  }
  return schedule;
}

FailureOr<HandSchedule> HandSchedule::read(StringRef path, MLIRContext *context) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text) {
    emitError(UnknownLoc::get(context))
        << "the schedule '" << path << "' cannot be read: " << text.getError().message();
    return failure();
  }
  return parse((*text)->getBuffer(), path, context);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The line where the loop begins; 0 if it is not known.
static unsigned lineOf(Operation *loop) {
  unsigned line = 0;
  loop->getLoc()->walk([&](Location inner) {
    auto place = dyn_cast<FileLineColLoc>(inner);
    line = place ? place.getLine() : 0;
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return line;
}

FailureOr<llvm::DenseMap<Operation *, const HandSchedule::Entry *>>
HandSchedule::match(func::FuncOp kernel) const {
  SmallVector<scf::ForOp> loops;
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
  llvm::DenseMap<Operation *, const Entry *> result;
  for (const Entry &entry : entries) {
    SmallVector<scf::ForOp> found;
    for (auto [number, loop] : llvm::enumerate(loops))
      if (entry.loop == int64_t(entry.isNumber ? number : lineOf(loop)))
        found.push_back(loop);
    if (found.empty()) {
      auto error = emitError(entry.loc)
                   << entry.describe() << " is not in kernel '" << kernel.getName() << "'";
      if (loops.empty())
        error << ", which has no 'for' loop";
      else
        error << ", whose loops begin in lines ";
      llvm::interleaveComma(loops, error, [&](scf::ForOp loop) { error << lineOf(loop); });
      return failure();
    }
    // Inlined or unrolled code has several loops of one line: all of them get it.
    for (scf::ForOp loop : found)
      if (!result.try_emplace(loop, &entry).second) {
        emitError(entry.loc) << entry.describe() << " has a schedule already, by '"
                             << result[loop]->describe() << "'";
        return failure();
      }
  }
  return result;
}
