// See AccessObserver.h.
#include "tools/tilerun/access/AccessObserver.h"

#include "backends/interpreter/Steps.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::access;
using interp::LaneAccess;

static constexpr size_t kNone = SIZE_MAX;

llvm::Expected<host::Accesses> access::observe(debug::Debuggee &debuggee,
                                               const ObserveOptions &options) {
  TILERUN_TRY_VALUE(observer, AccessObserver::create(debuggee, options));
  // An access outside of its tensor is a part of the picture and not its end.
  interp::CheckOptions checks;
  checks.bounds = checks.races = true;
  TILERUN_TRY_VALUE(result, debuggee.observe(observer, checks));
  return observer.take(result.reports);
}

llvm::Expected<AccessObserver> AccessObserver::create(const debug::Debuggee &debuggee,
                                                      const ObserveOptions &options) {
  AccessObserver made(debuggee, options);
  made.out.grid = debuggee.getGrid();
  made.out.program = options.program;
  uint64_t bytes = 0;
  for (const debug::Debuggee::Argument &argument : debuggee.getArguments()) {
    const auto [first, end] = argument.tensor.getByteRange();
    const unsigned size = argument.tensor.elementBytes();
    const uint64_t slots = (end - first) / size;
    bytes += slots * (sizeof(host::ElementAccess) + (options.program ? sizeof(int64_t) : 0));
    if (bytes > options.maxBytes)
      return host::makeError(llvm::formatv(
          "the accesses to '{0}' = {1} and the tensors before it take more than {2} MiB; allow "
          "more by --memory-limit, or show the kernel on smaller tensors",
          argument.name, argument.tensor.describe(), options.maxBytes >> 20));
    host::TensorAccess &access = made.out.tensors.emplace_back();
    access.name = argument.name;
    access.tensor = argument.tensor;
    access.slots.resize(slots);
    Target &target = made.targets.emplace_back();
    target = {argument.base + first, argument.base + end, size};
    if (!options.program)
      continue;
    target.positions.assign(slots, -1);
    argument.tensor.forEach([&, start = first](int64_t position, uint64_t byte) {
      target.positions[(byte - start) / size] = position;
    });
  }
  for (Target &target : made.targets)
    for (auto [index, other] : llvm::enumerate(made.targets))
      if (&other == &target || (other.begin < target.end && target.begin < other.end))
        target.overlapping.push_back(index);
  for (const interp::ArgumentInfo &info : debuggee.getProgram().arguments) {
    auto found = llvm::find_if(made.out.tensors,
                               [&](const host::TensorAccess &t) { return t.name == info.name; });
    made.targetOf.push_back(
        found == made.out.tensors.end() ? kNone : size_t(found - made.out.tensors.begin()));
  }
  return made;
}

bool AccessObserver::beginProgram(uint64_t linear) {
  current = uint32_t(linear);
  return !options.program || linear == *options.program;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static std::string describeOperation(const interp::Step &step, LaneAccess::Kind kind) {
  switch (kind) {
  case LaneAccess::Kind::Load:
    return "load";
  case LaneAccess::Kind::Store:
    return "store";
  case LaneAccess::Kind::Atomic:
    return step.run == interp::runAtomicCAS
               ? "atomic cas"
               : "atomic " + tile::stringifyAtomicKind(tile::AtomicKind(step.numbers[0])).str();
  }
  llvm_unreachable("unknown kind of access");
}

static std::string describePlace(const interp::SourcePosition &position) {
  return llvm::formatv("{0}:{1}:{2}", position.file, position.line, position.column);
}

size_t AccessObserver::findSite(const interp::Step &step, const LaneAccess &access) {
  auto [known, isNew] = siteOf.try_emplace(&step, 0);
  if (!isNew)
    return known->second;
  const interp::SourceInfo &source = debuggee.getProgram().sources[step.source];
  host::AccessSite made;
  made.file = source.position.file;
  made.line = source.position.line;
  made.column = source.position.column;
  for (const interp::SourcePosition &caller : source.callStack)
    made.callers.push_back(describePlace(caller));
  made.operation = describeOperation(step, access.kind);
  made.shape.assign(step.shape.begin(), step.shape.end());
  made.bytes = access.bytes;
  // Copies of an unrolled loop are one access of the source.
  auto same = llvm::find_if(out.sites, [&](const host::AccessSite &site) {
    return site.line && site.file == made.file && site.line == made.line &&
           site.column == made.column && site.callers == made.callers &&
           site.operation == made.operation && site.shape == made.shape && site.bytes == made.bytes;
  });
  known->second = size_t(same - out.sites.begin());
  if (same == out.sites.end()) {
    out.sites.push_back(std::move(made));
    lastProgram.push_back(UINT64_MAX);
  }
  return known->second;
}

size_t AccessObserver::findTarget(uint64_t address, llvm::ArrayRef<uint32_t> arguments) const {
  auto contains = [&](size_t target) {
    return target != kNone && targets[target].contains(address);
  };
  for (uint32_t argument : arguments)
    if (contains(targetOf[argument]))
      return targetOf[argument];
  for (size_t target = 0; target < targets.size(); ++target)
    if (contains(target))
      return target;
  return kNone;
}

void AccessObserver::note(size_t target, uint64_t address, unsigned bytes, LaneAccess::Kind kind) {
  const Target &to = targets[target];
  host::TensorAccess &access = out.tensors[target];
  const bool isRead = kind != LaneAccess::Kind::Store, isWrite = kind != LaneAccess::Kind::Load;
  access.timesRead += kind == LaneAccess::Kind::Load;
  access.timesWritten += isWrite;
  access.isAtomic |= isRead && isWrite;
  const uint64_t last = std::min(address + bytes, to.end) - 1;
  for (uint64_t slot = (address - to.begin) / to.bytes; slot <= (last - to.begin) / to.bytes;
       ++slot) {
    host::ElementAccess &element = access.slots[slot];
    if (kind == LaneAccess::Kind::Load)
      element.readers.add(current);
    if (kind == LaneAccess::Kind::Store)
      element.writers.add(current);
    if (isWrite)
      element.updaters.add(current);
  }
}

void AccessObserver::beforeStep(interp::Frame &frame, const interp::Step &step) {
  const std::optional<LaneAccess> access = interp::getAccess(frame, step);
  if (!access)
    return;
  const size_t index = findSite(step, *access);
  host::AccessSite &site = out.sites[index];
  if (std::exchange(lastProgram[index], current) != current)
    ++site.programs;
  const llvm::ArrayRef<uint32_t> arguments = debuggee.getProgram().origins[step.origin].arguments;
  std::vector<size_t> targetOfLane;
  size_t target = kNone;
  for (size_t lane = 0; lane < access->count; ++lane) {
    if (access->isOn(lane)) {
      const uint64_t address = access->pointers[lane];
      // Most often that of the lane before.
      if (target == kNone || !targets[target].contains(address))
        target = findTarget(address, arguments);
      if (target == kNone) {
        ++site.outside;
      } else {
        for (size_t other : targets[target].overlapping)
          if (targets[other].contains(address))
            note(other, address, access->bytes, access->kind);
        if (!llvm::is_contained(site.tensors, target))
          site.tensors.push_back(target);
      }
    }
    if (options.program)
      targetOfLane.push_back(target);
  }
  if (options.program && site.coalescing.getNumExecutions() < ObserveOptions::kMostTiles)
    noteTile(index, *access, targetOfLane);
  site.coalescing.add(
      {llvm::ArrayRef(access->pointers, access->count), access->mask, site.shape, access->bytes});
}

void AccessObserver::noteTile(size_t site, const LaneAccess &access,
                              llvm::ArrayRef<size_t> targetOfLane) {
  host::AccessTile tile{site, out.sites[site].coalescing.getNumExecutions(), {}};
  for (auto [lane, target] : llvm::enumerate(targetOfLane)) {
    const bool isInside = access.isOn(lane) && target != kNone;
    const int64_t position =
        isInside ? targets[target].positions[(access.pointers[lane] - targets[target].begin) /
                                             targets[target].bytes]
                 : -1;
    tile.lanes.push_back({access.isOn(lane), isInside ? target : kNone, position});
  }
  out.tiles.push_back(std::move(tile));
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

void AccessObserver::addFinding(const interp::CheckReport &report) {
  const size_t target = findTarget(report.address, {});
  if (report.kind != interp::CheckReport::Kind::Race || target == kNone || !report.otherProgram) {
    std::string text =
        llvm::formatv("{0}: {1}: {2}, program ({3}, {4}, {5})", describePlace(report.position),
                      interp::getKindName(report.kind), report.message, report.program[0],
                      report.program[1], report.program[2]);
    if (!report.element.empty())
      text += llvm::formatv(", element [{0}]",
                            llvm::make_range(report.element.begin(), report.element.end()));
    if (report.count > 1)
      text += llvm::formatv("; {0} times at this place", report.count);
    out.findings.push_back(std::move(text));
    return;
  }
  auto getLinear = [&](const std::array<uint32_t, 3> &program) {
    return program[0] + out.grid[0] * (program[1] + out.grid[1] * uint64_t(program[2]));
  };
  if (options.program && getLinear(report.program) != *options.program &&
      getLinear(*report.otherProgram) != *options.program)
    return;
  host::Race race{report.message, {}, {}, describePlace(report.position), "", report.count};
  llvm::copy(report.program, race.program.begin());
  llvm::copy(*report.otherProgram, race.other.begin());
  if (report.other.line)
    race.otherPlace = describePlace(report.other);
  for (size_t other : targets[target].overlapping)
    if (targets[other].contains(report.address))
      out.tensors[other].races.push_back(race);
}

host::Accesses AccessObserver::take(llvm::ArrayRef<interp::CheckReport> reports) {
  for (const interp::CheckReport &report : reports)
    addFinding(report);
  return std::move(out);
}
