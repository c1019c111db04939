// Memory checks of a launch, and how findings are worded and merged. See Checker.h.
#include "backends/interpreter/Checker.h"

#include "backends/interpreter/Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::interp;

namespace {
/// Distinct findings that are kept; later ones are only counted if they repeat one of these.
constexpr size_t kMaxReports = 100;
/// A clock with more entries gives up precision: it then orders everything so far, which can hide a
/// race, not invent one.
constexpr unsigned kMaxClockEntries = 1024;

/// "[3, 0]"; empty for a tensor without dimensions.
std::string formatElement(llvm::ArrayRef<int64_t> element) {
  return "[" +
         llvm::join(llvm::map_range(element, [](int64_t i) { return llvm::itostr(i); }), ", ") +
         "]";
}

llvm::StringRef verb(Access kind) {
  switch (kind) {
  case Access::Read:
    return "read";
  case Access::Write:
    return "write";
  case Access::Atomic:
    return "atomic access";
  }
  llvm_unreachable("unknown access");
}
} // namespace

Checker::Checker(const Heap &heap, const Bounds &bounds, const Program &program,
                 llvm::ArrayRef<LaunchArgument> arguments, const CheckOptions &options,
                 std::array<uint64_t, 3> grid, const WatchOptions &watch)
    : bounds(bounds), program(program), arguments(arguments), options(options), grid(grid),
      allocations(heap.snapshot()), segmentProgram{0} {
  if (options.maskedValues)
    masked = std::make_unique<MaskedValues>(program);
  if (watch.writers)
    writers = std::make_unique<Writers>();
  if (watch.work)
    tally = std::make_unique<Tally>(watch.workSeconds);
  for (size_t i = 0; options.unwritten && i < arguments.size(); ++i)
    if (arguments[i].memory.hasShape)
      if (Allocation *allocation = find(arguments[i].bits, 1);
          allocation && allocation->live && allocation->written.isClear())
        fresh.push_back(i);
}

void Checker::beginProgram(uint64_t linear) {
  current = uint32_t(linear);
  known = Clock();
  newSegment();
}

void Checker::newSegment() {
  if (segmentProgram.size() < UINT32_MAX)
    segmentProgram.push_back(current);
  segment = Segment(segmentProgram.size() - 1);
}

Allocation *Checker::find(uint64_t address, unsigned bytes) {
  if (lastFound < allocations.size() && allocations[lastFound]->contains(address, bytes))
    return allocations[lastFound].get();
  auto next = llvm::upper_bound(allocations, address, [](uint64_t a, const auto &allocation) {
    return a < allocation->base;
  });
  if (next == allocations.begin() || !(*std::prev(next))->contains(address, bytes))
    return nullptr;
  lastFound = std::prev(next) - allocations.begin();
  return allocations[lastFound].get();
}

bool Checker::access(Frame &frame, const Step &step, size_t element, uint64_t address,
                     unsigned bytes, Access kind) {
  if (!frame.isInBounds(step, address, bytes)) {
    if (options.bounds)
      reportBounds(frame, step, element, address, bytes, kind);
    else
      frame.failAccess(step, verb(kind), element, address, bytes);
    return false;
  }
  auto reportAt = [&](CheckReport::Kind report, llvm::StringRef what) {
    this->report(report, frame, step, unflatten(step.shape, element), address, [&] {
      return llvm::formatv("{0} of {1} at {2}, {3}", verb(kind), describeBytes(bytes),
                           bounds.describe(step.origin, address), what)
          .str();
    });
  };
  if (options.bounds && address % bytes != 0)
    reportAt(CheckReport::Kind::MisalignedAccess,
             "an address that is not a multiple of " + std::to_string(bytes));
  Allocation *allocation = find(address, bytes);
  if (!allocation) // Nothing else is known of the host's own memory.
    return true;
  const uint64_t offset = address - allocation->base;
  if (kind != Access::Write && options.uninitialized &&
      !allocation->written.contains(offset, bytes))
    reportAt(CheckReport::Kind::UninitializedRead, "which was never written");
  if (kind != Access::Read)
    allocation->written.mark(offset, bytes);
  if (kind != Access::Read && writers)
    writers->record(*allocation, offset, bytes, current);
  if (tally)
    tally->record(*allocation, offset, bytes, kind != Access::Write, kind != Access::Read);
  if (options.races)
    checkRace(frame, step, element, address, bytes, kind);
  return true;
}

void Checker::reportBounds(const Frame &frame, const Step &step, size_t element, uint64_t address,
                           unsigned bytes, Access kind) {
  const auto reportKind = bounds.isFreed(address, bytes) ? CheckReport::Kind::UseAfterFree
                          : kind == Access::Read         ? CheckReport::Kind::OutOfBoundsRead
                                                         : CheckReport::Kind::OutOfBoundsWrite;
  report(reportKind, frame, step, unflatten(step.shape, element), address,
         [&] { return bounds.describeFault(step, verb(kind), address, bytes); });
}

CheckReport *Checker::add(CheckReport::Kind kind, uint32_t source) {
  auto [known, isNew] = reportIndex.try_emplace({kind, source}, reports.size());
  if (!isNew) {
    if (known->second < reports.size())
      ++reports[known->second].count;
    return nullptr;
  }
  if (reports.size() >= kMaxReports) {
    reportIndex.erase(known);
    return nullptr;
  }
  CheckReport &report = reports.emplace_back();
  report.kind = kind;
  report.kernel = program.name;
  report.position = program.sources[source].position;
  report.callStack = program.sources[source].callStack;
  return &report;
}

CheckReport *Checker::report(CheckReport::Kind kind, const Frame &frame, const Step &step,
                             std::vector<int64_t> element, uint64_t address,
                             llvm::function_ref<std::string()> message, uint32_t other) {
  CheckReport *report = add(kind, step.source);
  if (!report)
    return nullptr;
  report->program = frame.position;
  report->element = std::move(element);
  report->address = address;
  report->message = message();
  report->other = program.sources[other].position;
  return report;
}

//===----------------------------------------------------------------------===//
// What is left out
//===----------------------------------------------------------------------===//

void Checker::checkMasked(const Frame &frame, const Step &step) {
  masked->after(frame, step, [&](size_t element, uint32_t load) {
    CheckReport *report = add(CheckReport::Kind::MaskedValue, load);
    if (!report)
      return;
    report->program = frame.position;
    report->element = unflatten(step.shape, element);
    report->message =
        "masked-off lanes of this load have no 'other', and a stored value depends on "
        "them: they are 0 here and undefined under Triton; pass other=";
    report->other = program.sources[step.source].position;
  });
}

/// The first store that writes through a parameter; null if there is none.
static const Step *findStore(const Program &program, const StepList &steps, size_t argument) {
  for (const Step &step : steps) {
    if (step.run == runStore &&
        llvm::is_contained(program.origins[step.origin].arguments, uint32_t(argument)))
      return &step;
    for (const StepList &block : step.blocks)
      if (const Step *found = findStore(program, block, argument))
        return found;
  }
  return nullptr;
}

void Checker::checkUnwritten(size_t argument) {
  const LaunchMemory &memory = arguments[argument].memory;
  const ArgumentInfo &info = program.arguments[argument];
  const Allocation *allocation = find(arguments[argument].bits, 1);
  uint64_t count = 1, unwritten = 0, first = 0, last = 0;
  for (int64_t size : memory.shape)
    count *= uint64_t(size);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = arguments[argument].bits - allocation->base, rest = i;
    for (size_t d = memory.shape.size(); d-- > 0; rest /= uint64_t(memory.shape[d]))
      offset += rest % uint64_t(memory.shape[d]) * uint64_t(memory.strides[d]) * info.elementBytes;
    if (allocation->written.contains(offset, info.elementBytes))
      continue;
    first = unwritten++ ? first : i;
    last = i;
  }
  const Step *store = findStore(program, program.body, argument);
  if (!unwritten || !store)
    return;
  CheckReport *report = add(CheckReport::Kind::UnwrittenOutput, store->source);
  if (!report)
    return;
  const bool isTail = last + 1 == count && last - first + 1 == unwritten;
  report->element = unflatten(memory.shape, first);
  report->message = llvm::formatv("{0} of {1} elements of '{2}' were never written{3}{4}{5}",
                                  unwritten, count, info.name,
                                  unwritten == count ? ""
                                  : isTail           ? ", from "
                                                     : ", the first of them is ",
                                  unwritten == count ? "" : formatElement(report->element),
                                  isTail ? (unwritten == count ? ": " : " on: ") +
                                               std::string("is the grid too small?")
                                         : std::string())
                        .str();
}

void Checker::finish() {
  for (size_t argument : fresh)
    checkUnwritten(argument);
}

std::vector<WriterMap> Checker::getWriters() {
  std::vector<WriterMap> maps;
  llvm::SmallPtrSet<const Allocation *, 8> seen;
  for (size_t i = 0; writers && i < arguments.size(); ++i) {
    if (arguments[i].kind != LaunchArgument::Kind::Pointer)
      continue;
    const Allocation *allocation = find(arguments[i].bits, 1);
    if (!allocation || !seen.insert(allocation).second)
      continue;
    if (std::optional<WriterMap> map = writers->getMap(*allocation)) {
      map->argument = program.arguments[i].name;
      maps.push_back(std::move(*map));
    }
  }
  return maps;
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

void Checker::Clock::add(uint32_t program, Segment segment) {
  Segment &known = upTo[program];
  known = std::max(known, segment);
  if (upTo.size() > kMaxClockEntries) {
    for (auto &entry : upTo)
      all = std::max(all, entry.second);
    upTo.clear();
  }
}

void Checker::Clock::join(const Clock &other) {
  all = std::max(all, other.all);
  for (const auto &entry : other.upTo)
    if (entry.second > all)
      add(entry.first, entry.second);
}

void Checker::acquire(uint64_t address) {
  if (!options.races || !find(address, 1))
    return;
  if (auto found = published.find(address); found != published.end())
    known.join(found->second);
}

void Checker::release(uint64_t address) {
  if (!options.races)
    return;
  Clock &clock = published[address];
  clock.join(known);
  clock.add(current, segment);
  newSegment();
}

bool Checker::ordered(Segment earlier) const {
  if (earlier <= known.all || segmentProgram[earlier] == current)
    return true;
  auto found = known.upTo.find(segmentProgram[earlier]);
  return found != known.upTo.end() && earlier <= found->second;
}

std::array<uint32_t, 3> Checker::getPosition(uint32_t linear) const {
  return {uint32_t(linear % grid[0]), uint32_t(linear / grid[0] % grid[1]),
          uint32_t(linear / grid[0] / grid[1])};
}

void Checker::checkRace(const Frame &frame, const Step &step, size_t element, uint64_t address,
                        unsigned bytes, Access kind) {
  const Allocation *allocation = allocations[lastFound].get();
  auto &history = histories[allocation];
  if (!history) // Zeroed pages cost nothing until they are touched.
    history.reset(static_cast<ByteHistory *>(std::calloc(allocation->size, sizeof(ByteHistory))));
  if (!history)
    return;
  Segment conflict = 0;
  Access other = Access::Write;
  Place otherPlace = 0;
  auto against = [&](Segment earlier, Access earlierKind, Place place) {
    if (earlier == 0 || earlier == segment || conflict || ordered(earlier))
      return;
    conflict = earlier;
    other = earlierKind;
    otherPlace = place;
  };
  const Place place = step.source <= UINT16_MAX ? Place(step.source) : 0;
  for (unsigned i = 0; i < bytes; ++i) {
    ByteHistory &byte = history[address - allocation->base + i];
    against(byte.writer, Access::Write, byte.writerPlace);
    if (kind != Access::Atomic)
      against(byte.atomic, Access::Atomic, byte.atomicPlace);
    if (kind != Access::Read) {
      against(byte.firstReader, Access::Read, byte.firstReaderPlace);
      against(byte.lastReader, Access::Read, byte.lastReaderPlace);
    }
    switch (kind) {
    case Access::Read:
      // An ordered reader is covered by this one; two that are not are both kept.
      if (ordered(byte.firstReader)) {
        byte.firstReader = segment;
        byte.firstReaderPlace = place;
      } else {
        byte.lastReader = segment;
        byte.lastReaderPlace = place;
      }
      break;
    case Access::Write:
      byte.writer = segment;
      byte.writerPlace = place;
      break;
    case Access::Atomic:
      byte.atomic = segment;
      byte.atomicPlace = place;
      break;
    }
  }
  if (!conflict)
    return;
  const std::array<uint32_t, 3> with = getPosition(segmentProgram[conflict]);
  CheckReport *race = report(
      CheckReport::Kind::Race, frame, step, unflatten(step.shape, element), address,
      [&] {
        const SourcePosition &position = program.sources[otherPlace].position;
        std::string where;
        if (otherPlace == step.source && position.line)
          where = " at the same place";
        else if (position.line)
          where = llvm::formatv(" at {0}:{1}:{2}", position.file, position.line, position.column);
        return llvm::formatv("{0} of {1} at {2} races with {3} {4} by program ({5}, {6}, {7}){8}",
                             verb(kind), describeBytes(bytes),
                             bounds.describe(step.origin, address),
                             other == Access::Atomic ? "an" : "a", verb(other), with[0], with[1],
                             with[2], where)
            .str();
      },
      otherPlace);
  if (race)
    race->otherProgram = with;
}
