// See HandSchedule.h.
#include "ir/schedule/HandSchedule.h"

#include "ir/schedule/Rings.h"
#include "ir/tile/LoopHints.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

std::string HandSchedule::Entry::describe() const {
  return (isNumber ? "loop #" : "loop ") + (file.empty() ? "" : file + ":") + std::to_string(loop);
}

Attribute HandSchedule::Entry::getOrigin(MLIRContext *context) const {
  return NameLoc::get(StringAttr::get(context, describe()), loc);
}

std::optional<HandSchedule::Origin> HandSchedule::getOrigin(scf::ForOp loop) {
  auto origin = loop->getAttrOfType<NameLoc>(SchedDialect::kByHand);
  if (!origin)
    return std::nullopt;
  return Origin{origin.getChildLoc(), origin.getName().str()};
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
  std::string parseFile();
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
  SmallVector<StringRef> given; ///< Settings so far.
};
} // namespace

LogicalResult LineParser::parseSetting(HandSchedule::Entry &entry) {
  Location loc = here();
  StringRef name = rest.take_while([](char c) { return llvm::isAlpha(c); });
  StringRef after = rest.drop_front(name.size());
  if (!llvm::is_contained({"slots", "distance", "copies", "roles", "turns"}, name) ||
      !after.consume_front("="))
    return emitError(loc, "expected 'slots=N', 'distance=N', 'copies=chunks|boxes|registers', "
                          "'turns=on' or 'roles=producer:WARPS,consumer'");
  rest = after;
  Location valueLoc = here();
  if (llvm::is_contained(given, name))
    return emitError(loc) << "'" << name << "' is given twice";
  given.push_back(name);
  if (name == "copies") {
    StringRef word = rest.take_while([](char c) { return llvm::isAlpha(c); });
    entry.copies = symbolizeCopyKind(word);
    if (!entry.copies)
      return emitError(valueLoc) << "'" << word
                                 << "' is not a way to copy; use 'chunks', 'boxes' or 'registers'";
    rest = rest.drop_front(word.size());
    return success();
  }
  if (name == "turns") {
    entry.turns = rest.consume_front("on");
    if (!*entry.turns && !rest.consume_front("off"))
      return emitError(valueLoc, "'turns' is 'on' or 'off'");
    return success();
  }
  if (name == "roles")
    return parseRoles(entry);
  int64_t value = 0;
  bool isDigits = !rest.empty() && llvm::isDigit(rest.front());
  if (!consumeNumber(value))
    return emitError(valueLoc) << "'" << name << (isDigits ? "' is too large" : "' needs a number");
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
  if (warps < 1 || warps > kMaxProducers)
    return emitError(loc) << "a producer has 1 to " << kMaxProducers << " warps, not " << warps;
  entry.producers = warps;
  return success();
}

/// Takes "FILE:" before the number of a line. A file's name may have colons and digits itself.
std::string LineParser::parseFile() {
  for (size_t colon = rest.find(':', 1); colon != StringRef::npos;
       colon = rest.find(':', colon + 1)) {
    StringRef line = rest.drop_front(colon + 1);
    StringRef end = line.drop_while([](char c) { return llvm::isDigit(c); });
    if (end.size() == line.size() || !end.ltrim().starts_with(":"))
      continue;
    std::string file = rest.take_front(colon).str();
    rest = line;
    return file;
  }
  return "";
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
  if (!entry.isNumber)
    entry.file = parseFile();
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

/// Where the op begins in the source; null if that is not known.
static FileLineColLoc placeOf(Operation *op) {
  FileLineColLoc place;
  op->getLoc()->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

/// Whether the kernel at `kernel` has the file of `place`, as files without their names have.
static bool isInFile(FileLineColLoc place, FileLineColLoc kernel) {
  return !place || !kernel || place.getFilename() == kernel.getFilename();
}

/// Whether `entry` names the loop of this number at `place`.
static bool names(const HandSchedule::Entry &entry, size_t number, FileLineColLoc place,
                  FileLineColLoc kernel) {
  if (entry.isNumber)
    return entry.loop == int64_t(number);
  if (!place || entry.loop != place.getLine())
    return false;
  if (entry.file.empty())
    return isInFile(place, kernel);
  StringRef file = place.getFilename();
  return file.consume_back(entry.file) && (file.empty() || file.ends_with("/"));
}

FailureOr<llvm::DenseMap<Operation *, const HandSchedule::Entry *>>
HandSchedule::match(func::FuncOp kernel) const {
  SmallVector<scf::ForOp> loops;
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!loop->hasAttr(tile::kSplitLoop))
      loops.push_back(loop);
  });
  FileLineColLoc own = placeOf(kernel);
  llvm::DenseMap<Operation *, const Entry *> result;
  for (const Entry &entry : entries) {
    SmallVector<scf::ForOp> found;
    for (auto [number, loop] : llvm::enumerate(loops))
      if (names(entry, number, placeOf(loop), own))
        found.push_back(loop);
    if (found.empty()) {
      auto error = emitError(entry.loc)
                   << entry.describe() << " is not in kernel '" << kernel.getName() << "'";
      if (loops.empty())
        error << ", which has no 'for' loop";
      else
        error << (loops.size() == 1 ? ", whose loop begins in line "
                                    : ", whose loops begin in lines ");
      llvm::interleaveComma(loops, error, [&](scf::ForOp loop) {
        FileLineColLoc place = placeOf(loop);
        if (!isInFile(place, own))
          error << llvm::sys::path::filename(place.getFilename().getValue()) << ":";
        error << (place ? place.getLine() : 0);
      });
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
