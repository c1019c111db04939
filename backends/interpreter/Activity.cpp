// See Activity.h.
#include "backends/interpreter/Activity.h"

#include "backends/interpreter/Frame.h"
#include "backends/interpreter/Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::interp;

static bool isWrite(const Step &step) {
  return step.run == runStore || step.run == runAtomicRMW || step.run == runAtomicCAS;
}

void Activity::noteWrite(const Frame &frame, const Step &step) {
  // A compare-and-swap has a value where the others have a mask.
  const Slot mask = step.run == runAtomicCAS ? kNoSlot : step.operands[2];
  if (mask != kNoSlot && !std::memchr(frame.at(mask), 1, step.count))
    return;
  wrote = true;
  wroteThrough[step.origin] = 1;
}

void Activity::join(const Activity &other) {
  for (auto [own, its] : llvm::zip_equal(wroteThrough, other.wroteThrough))
    own |= its;
  idle += other.idle;
  firstIdle = std::min(firstIdle, other.firstIdle);
}

/// The first write that `matches`; null if there is none.
static const Step *findWrite(const StepList &steps,
                             llvm::function_ref<bool(const Step &)> matches) {
  for (const Step &step : steps) {
    if (isWrite(step) && matches(step))
      return &step;
    for (const StepList &block : step.blocks)
      if (const Step *found = findWrite(block, matches))
        return found;
  }
  return nullptr;
}

void Activity::report(llvm::ArrayRef<LaunchArgument> arguments, const std::array<uint64_t, 3> &grid,
                      std::vector<CheckReport> &reports) const {
  auto add = [&](CheckReport::Kind kind, const Step *place) -> CheckReport & {
    CheckReport &report = reports.emplace_back();
    report.kind = kind;
    report.kernel = program.name;
    if (place) {
      report.position = program.sources[place->source].position;
      report.callStack = program.sources[place->source].callStack;
    }
    return report;
  };
  const uint64_t programs = grid[0] * grid[1] * grid[2];
  if (idle) {
    const Step *place = findWrite(program.body, [](const Step &) { return true; });
    CheckReport &report = add(CheckReport::Kind::IdlePrograms, place);
    report.program = {uint32_t(firstIdle % grid[0]), uint32_t(firstIdle / grid[0] % grid[1]),
                      uint32_t(firstIdle / grid[0] / grid[1])};
    report.count = idle;
    const std::string first =
        llvm::formatv("({0}, {1}, {2})", report.program[0], report.program[1], report.program[2]);
    report.message = !place             ? "the kernel writes to no memory"
                     : idle == programs ? llvm::formatv("none of the {0} programs wrote anything: "
                                                        "no element passed the masks of its writes",
                                                        programs)
                                              .str()
                     : idle == 1
                         ? llvm::formatv("program {0} of {1} wrote nothing", first, programs).str()
                         : llvm::formatv("{0} of {1} programs wrote nothing, the first of "
                                         "them is {2}: is the grid too large?",
                                         idle, programs, first)
                               .str();
    if (idle == programs)
      return;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != LaunchArgument::Kind::Pointer)
      continue;
    // One that may lead elsewhere counts, too: whoever wrote may have meant this pointer.
    auto leadsHere = [&](uint32_t origin) {
      const Origin &o = program.origins[origin];
      return o.unknown || llvm::is_contained(o.arguments, uint32_t(i));
    };
    bool written = false;
    for (uint32_t origin = 0; origin < wroteThrough.size(); ++origin)
      written |= wroteThrough[origin] && leadsHere(origin);
    if (written)
      continue;
    const Step *place = findWrite(program.body, [&](const Step &step) {
      return llvm::is_contained(program.origins[step.origin].arguments, uint32_t(i));
    });
    // Whether it was meant to be an output is for whoever made the tensor to say.
    CheckReport &report = add(
        place ? CheckReport::Kind::OutputUntouched : CheckReport::Kind::ArgumentUnwritten, place);
    report.argument = program.arguments[i].name;
    report.message = "no program wrote to '" + report.argument + "'" +
                     (place ? "" : ": the kernel has no write to it");
  }
}
