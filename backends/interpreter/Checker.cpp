// Memory checks of a launch, and how findings are worded and merged. See Checker.h.
#include "backends/interpreter/Checker.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::interp;

namespace {
/// Distinct findings that are kept; later ones only count where they repeat one of these.
constexpr size_t kMaxReports = 100;
/// A clock with more entries gives up precision: it then orders everything so far, which can hide a
/// race, not invent one.
constexpr unsigned kMaxClockEntries = 1024;

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

Checker::Checker(const Heap &heap, const Program &program, const CheckOptions &options,
                 llvm::ArrayRef<LaunchArgument> arguments, std::array<uint64_t, 3> grid)
    : program(program), options(options), grid(grid), arguments(arguments),
      allocations(heap.snapshot()), segmentProgram{0} {}

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

bool Checker::access(const Frame &frame, const Step &step, size_t element, uint64_t address,
                     unsigned bytes, Access kind) {
  Allocation *allocation = find(address, bytes);
  if (!allocation || !allocation->live) {
    if (!options.bounds)
      return allocation ==
             nullptr; // Freed memory is known to be bad; other addresses may be foreign.
    reportBounds(frame, step, element, address, bytes, kind);
    return false;
  }
  if (options.bounds && address % bytes != 0)
    report(CheckReport::Kind::MisalignedAccess, frame, step, unflatten(step.shape, element),
           address, [&] {
             const Allocation *nearest;
             return llvm::formatv(
                        "{0} of {1} bytes at {2}, an address that is not a multiple of {1}",
                        verb(kind), bytes, describe(address, nearest))
                 .str();
           });
  const uint64_t offset = address - allocation->base;
  if (kind != Access::Write && options.uninitialized &&
      !allocation->written.contains(offset, bytes))
    report(CheckReport::Kind::UninitializedRead, frame, step, unflatten(step.shape, element),
           address, [&] {
             const Allocation *nearest;
             return llvm::formatv("{0} of {1} bytes at {2}, which was never written", verb(kind),
                                  bytes, describe(address, nearest))
                 .str();
           });
  if (kind != Access::Read)
    allocation->written.mark(offset, bytes);
  if (options.races)
    checkRace(frame, step, element, address, bytes, kind);
  return true;
}

std::string Checker::describe(uint64_t address, const Allocation *&nearest) const {
  nearest = nullptr;
  if (Frame::isNull(address))
    return describeNull(address);
  uint64_t best = UINT64_MAX;
  for (const auto &allocation : allocations) {
    const uint64_t end = allocation->base + allocation->size;
    const uint64_t distance = address < allocation->base ? allocation->base - address
                              : address >= end           ? address - end + 1
                                                         : 0;
    // Between two as near as each other, the one that is alive.
    if (distance < best || (distance == best && allocation->live)) {
      best = distance;
      nearest = allocation.get();
    }
  }
  if (!nearest)
    return llvm::formatv("address {0:x} (no allocations)", address).str();

  // Relative to the launch argument that points into it, the closest one below the address if there
  // are several.
  uint64_t origin = nearest->base;
  std::string name = nearest->label;
  bool isArgument = false;
  for (size_t i = 0; i < arguments.size() && i < program.arguments.size(); ++i) {
    const uint64_t value = arguments[i].bits;
    if (program.arguments[i].type != Dtype::Ptr || value < nearest->base ||
        value > nearest->base + nearest->size)
      continue;
    if (!isArgument || (value <= address && (origin > address || value > origin))) {
      isArgument = true;
      origin = value;
      name = program.arguments[i].name;
    }
  }
  const bool below = address < origin;
  return llvm::formatv("'{0}' {1} {2} bytes", name, below ? "-" : "+",
                       below ? origin - address : address - origin)
      .str();
}

void Checker::reportBounds(const Frame &frame, const Step &step, size_t element, uint64_t address,
                           unsigned bytes, Access kind) {
  const Allocation *nearest = nullptr;
  const std::string place = describe(address, nearest);
  const bool freed = nearest && !nearest->live && nearest->contains(address, bytes);
  const auto reportKind = freed                  ? CheckReport::Kind::UseAfterFree
                          : kind == Access::Read ? CheckReport::Kind::OutOfBoundsRead
                                                 : CheckReport::Kind::OutOfBoundsWrite;
  report(reportKind, frame, step, unflatten(step.shape, element), address, [&] {
    const std::string what = llvm::formatv("{0} of {1} bytes at {2}", verb(kind), bytes, place);
    if (freed)
      return what + ", but '" + nearest->label + "' was freed";
    if (!nearest)
      return what;
    return what + llvm::formatv(" is outside of allocation '{0}' of {1} bytes", nearest->label,
                                nearest->size)
                      .str();
  });
}

void Checker::report(CheckReport::Kind kind, const Frame &frame, const Step &step,
                     std::vector<int64_t> element, uint64_t address,
                     llvm::function_ref<std::string()> message) {
  auto [known, isNew] = reportIndex.try_emplace({kind, step.source}, reports.size());
  if (!isNew) {
    if (known->second < reports.size())
      ++reports[known->second].count;
    return;
  }
  if (reports.size() >= kMaxReports) {
    reportIndex.erase(known);
    return;
  }
  CheckReport report;
  report.kind = kind;
  report.kernel = program.name;
  report.program = frame.position;
  report.element = std::move(element);
  report.address = address;
  report.message = message();
  report.position = program.sources[step.source].position;
  report.callStack = program.sources[step.source].callStack;
  reports.push_back(std::move(report));
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

std::string Checker::describeProgram(uint32_t linear) const {
  return llvm::formatv("({0}, {1}, {2})", linear % grid[0], linear / grid[0] % grid[1],
                       linear / grid[0] / grid[1]);
}

void Checker::checkRace(const Frame &frame, const Step &step, size_t element, uint64_t address,
                        unsigned bytes, Access kind) {
  const Allocation *allocation = allocations[lastFound].get();
  auto &history = histories[allocation];
  if (!history) // Zeroed pages that nobody touches cost nothing.
    history.reset(static_cast<ByteHistory *>(std::calloc(allocation->size, sizeof(ByteHistory))));
  if (!history)
    return;
  Segment conflict = 0;
  Access other = Access::Write;
  auto against = [&](Segment earlier, Access earlierKind) {
    if (earlier == 0 || earlier == segment || conflict || ordered(earlier))
      return;
    conflict = earlier;
    other = earlierKind;
  };
  for (unsigned i = 0; i < bytes; ++i) {
    ByteHistory &byte = history[address - allocation->base + i];
    against(byte.writer, Access::Write);
    if (kind != Access::Atomic)
      against(byte.atomic, Access::Atomic);
    if (kind != Access::Read) {
      against(byte.firstReader, Access::Read);
      against(byte.lastReader, Access::Read);
    }
    switch (kind) {
    case Access::Read:
      // An ordered reader is covered by this one; two that are not are both kept.
      if (ordered(byte.firstReader))
        byte.firstReader = segment;
      else
        byte.lastReader = segment;
      break;
    case Access::Write:
      byte.writer = segment;
      break;
    case Access::Atomic:
      byte.atomic = segment;
      break;
    }
  }
  if (!conflict)
    return;
  report(CheckReport::Kind::Race, frame, step, unflatten(step.shape, element), address, [&] {
    const Allocation *nearest;
    return llvm::formatv("{0} of {1} bytes at {2} races with {3} {4} by program {5}", verb(kind),
                         bytes, describe(address, nearest), other == Access::Atomic ? "an" : "a",
                         verb(other), describeProgram(segmentProgram[conflict]))
        .str();
  });
}
