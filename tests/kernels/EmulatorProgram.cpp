// See EmulatorProgram.h.
#include "tests/kernels/EmulatorProgram.h"
#include "ir/tile/TileUtils.h"
#include "tests/kernels/EmulatorWarp.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

static uint64_t sharedBytesOf(func::FuncOp kernel) {
  auto bytes = kernel->getAttrOfType<IntegerAttr>(SimtDialect::kSharedBytesAttr);
  return bytes ? uint64_t(bytes.getInt()) : 0;
}

Cluster::Cluster(unsigned warpsOfBlock, unsigned blocks, uint64_t seed)
    : clocks(SharedMemory::makeClocks(warpsOfBlock, blocks)), random(seed) {
  // Some programs run each warp to the next barrier, some change at every place, most in between.
  constexpr unsigned kSwitches[] = {0, 16, 64, 256};
  switches = kSwitches[drawBelow(4)];
}

unsigned Cluster::drawBelow(unsigned bound) {
  // SplitMix64 (Steele, Lea and Flood).
  random += 0x9e3779b97f4a7c15;
  uint64_t word = random;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return unsigned((word ^ (word >> 31)) >> 32) % bound;
}

Program::Program(Cluster &cluster, const Code &code, ArrayRef<MemoryRange> memory,
                 const EmulatorOptions &options, uint64_t number, uint64_t launched, uint64_t rank)
    : cluster(cluster), code(code), memory(memory), options(options), number(number),
      launched(launched), rank(rank), index(unsigned(cluster.blocks.size())),
      shared(sharedBytesOf(code.kernel), options.numWarps, index, cluster.clocks),
      groups(options.numWarps) {}

Program::~Program() = default;

bool Program::fail(const Warp &warp, Operation *op, const Twine &message) {
  if (cluster.error.empty()) {
    llvm::raw_string_ostream os(cluster.error);
    os << message << ": ";
    op->print(os, OpPrintingFlags().skipRegions());
  }
  return false;
}

uint8_t *Program::find(const Warp &warp, Operation *op, uint64_t address, uint64_t bytes) {
  for (const MemoryRange &range : memory) {
    uint64_t base = reinterpret_cast<uint64_t>(range.base);
    if (address >= base && address + bytes <= base + range.bytes) {
      if ((address - base) % bytes == 0)
        return range.base + (address - base);
      fail(warp, op, "misaligned access");
      return nullptr;
    }
  }
  fail(warp, op, "access outside of all buffers");
  return nullptr;
}

bool Program::joinGroup(const Warp &warp, unsigned size, unsigned index, Operation *op) {
  std::vector<Operation *> &group = groups[warp.getNumber() / size * size];
  if (index == group.size())
    group.push_back(op);
  return group[index] == op || fail(warp, op, "warps of a group execute different instructions");
}

std::string Program::describeWarps() const {
  std::string text;
  for (const std::unique_ptr<Warp> &warp : warps)
    text += "\n  " + warp->describe();
  return text;
}

bool Program::hasEnded() const {
  return llvm::all_of(warps, [](auto &own) { return own->getState() == Warp::State::Done; });
}

bool Program::arrive(const Warp &warp, Operation *op, Thread thread, uint64_t place,
                     uint32_t bytes) {
  if (hasEnded())
    return fail(warp, op, "arrives at a block that has ended");
  if (!checkPhaseEnd(warp, op, place, bytes))
    return false;
  SharedMemory::Problem problem = shared.arrive(thread, place, bytes);
  return !problem || fail(warp, op, *problem);
}

bool Program::checkPhaseEnd(const Warp &warp, Operation *op, uint64_t place, uint32_t bytes) {
  if (!shared.isLastArrival(place, bytes))
    return true;
  for (const std::unique_ptr<Warp> &other : warps)
    if (other->isAboutToSee(place))
      return fail(warp, op, "a phase ends before all have seen the end of the last one");
  return true;
}

void Program::releaseCluster(const Warp &arrived) {
  SmallVector<unsigned> members;
  for (const std::unique_ptr<Program> &block : cluster.blocks)
    for (const std::unique_ptr<Warp> &warp : block->warps) {
      if (warp->getState() != Warp::State::Waiting ||
          warp->getBarrier()->use.barrier != BarrierScope::Cluster)
        return;
      members.push_back(block->countThrough(warp->getNumber()));
    }
  for (const std::unique_ptr<Program> &block : cluster.blocks)
    for (const std::unique_ptr<Warp> &warp : block->warps)
      if (warp->getBarrier() != arrived.getBarrier() ||
          warp->getIterations() != arrived.getIterations()) {
        cluster.error = "blocks meet at different barriers:" + describeWarps();
        return;
      }
  shared.synchronize(members);
  for (const std::unique_ptr<Program> &block : cluster.blocks)
    for (const std::unique_ptr<Warp> &warp : block->warps)
      warp->release();
}

void Program::releaseBarrier(const Warp &arrived) {
  if (arrived.getBarrier()->use.barrier == BarrierScope::Cluster)
    return releaseCluster(arrived);
  auto [first, end] = arrived.getMembers();
  SmallVector<unsigned> members;
  for (unsigned w = first; w < end; ++w) {
    if (warps[w]->getState() != Warp::State::Waiting ||
        warps[w]->getMembers() != arrived.getMembers())
      return;
    members.push_back(w);
  }
  for (unsigned w : members)
    if (warps[w]->getBarrier() != arrived.getBarrier() ||
        warps[w]->getIterations() != arrived.getIterations()) {
      cluster.error = "warps meet at different barriers:" + describeWarps();
      return;
    }
  SmallVector<unsigned> counted;
  for (unsigned w : members)
    counted.push_back(countThrough(w));
  shared.synchronize(counted);
  for (unsigned w : members)
    warps[w]->release();
}

void Program::landBox() {
  // The engine keeps no order.
  std::swap(boxes[drawBelow(unsigned(boxes.size()))], boxes.back());
  Box box = std::move(boxes.back());
  boxes.pop_back();
  if (shared.isLastBox(box.phase, box.bytes.size()))
    for (const std::unique_ptr<Warp> &other : warps)
      if (other->isAboutToSee(box.phase)) {
        fail(*box.warp, box.op, "a phase ends before all have seen the end of the last one");
        return;
      }
  if (SharedMemory::Problem problem = shared.endBox(box.place, box.bytes, box.phase))
    fail(*box.warp, box.op, *problem);
}

void Program::takeTurn(Turn &turn, unsigned warps) {
  if (turn.given == warps && turn.awaited == warps)
    turn = {0, 0, turn.taken + 1};
}

bool Program::giveTurn(unsigned group, unsigned warps) {
  Turn &turn = turns[group];
  if (turn.given++ == warps)
    return false;
  takeTurn(turn, warps);
  return true;
}

uint64_t Program::awaitTurn(unsigned group, unsigned warps) {
  Turn &turn = turns[group];
  uint64_t number = turn.taken;
  ++turn.awaited;
  takeTurn(turn, warps);
  return number;
}

void Program::checkEnd() {
  if (!boxes.empty())
    fail(*boxes.front().warp, boxes.front().op, "the program ends and has not waited for this");
  for (auto &[group, turn] : turns)
    if (turn.given && cluster.error.empty())
      cluster.error = "the program ends, and warp group " + std::to_string(group) +
                      " has been given a turn that it has not taken";
}

void Program::start(ArrayRef<uint64_t> arguments) {
  for (unsigned w = 0; w < options.numWarps; ++w)
    warps.push_back(std::make_unique<Warp>(*this, w, arguments));
}

void Cluster::schedule() {
  SmallVector<std::pair<Program *, Warp *>> ready;
  SmallVector<Program *> copying;
  while (error.empty()) {
    ready.clear();
    copying.clear();
    bool isDone = true;
    for (const std::unique_ptr<Program> &block : blocks) {
      if (!block->boxes.empty() && drawSwitch())
        block->landBox();
      if (!block->boxes.empty())
        copying.push_back(block.get());
      for (const std::unique_ptr<Warp> &warp : block->warps) {
        isDone &= warp->getState() == Warp::State::Done;
        if (warp->canGoOn())
          ready.push_back({block.get(), warp.get()});
      }
    }
    if (!error.empty())
      return;
    if (isDone) {
      for (const std::unique_ptr<Program> &block : blocks)
        block->checkEnd();
      return;
    }
    if (ready.empty() && !copying.empty()) {
      copying[drawBelow(unsigned(copying.size()))]->landBox();
      continue;
    }
    if (ready.empty()) {
      error = "no warp can go on:";
      for (const std::unique_ptr<Program> &block : blocks)
        error += block->describeWarps();
      return;
    }
    auto [block, next] = ready[drawBelow(unsigned(ready.size()))];
    next->resume();
    // Nobody reaches a block that has ended.
    if (next->getState() == Warp::State::Waiting && error.empty())
      block->releaseBarrier(*next);
  }
}

llvm::Error Cluster::run(ArrayRef<uint64_t> arguments) {
  for (const std::unique_ptr<Program> &block : blocks)
    block->start(arguments);
  schedule();
  if (error.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
}

llvm::Error test::emulate(func::FuncOp kernel, ArrayRef<uint64_t> arguments,
                          ArrayRef<MemoryRange> memory, const EmulatorOptions &options) {
  Code code(kernel, options.target->warpSize);
  auto has = [&](auto isIt) {
    return kernel
        .walk([&](Operation *op) {
          return isIt(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  const bool isPersistent = has([](Operation *op) { return isa<LaunchedOp>(op); });
  // Blocks that wait for nothing of each other may run in any order, one ahead of others by all.
  const bool meets = has([](Operation *op) {
    auto barrier = dyn_cast<BarrierOp>(op);
    return barrier && barrier.getScope() == BarrierScope::Cluster;
  });
  // Of a persistent kernel, fewer programs than the caller asks for, or as many.
  const uint64_t launched =
      isPersistent ? std::min<uint64_t>(options.grid, options.seed % 3 + 1) : options.grid;
  const uint64_t blocks = tile::getBlocks(kernel);
  constexpr uint64_t kMostWarps = 64; // A set of warps is a word.
  if (blocks > options.target->maxBlocks || (meets && blocks * (options.numWarps + 1) > kMostWarps))
    return llvm::createStringError("programs have too many blocks");
  for (uint64_t program = 0; program < launched; ++program)
    for (uint64_t i = 0; i < (meets ? 1 : blocks); ++i) {
      const uint64_t first = meets ? 0 : (i + options.seed) % blocks, together = meets ? blocks : 1;
      Cluster cluster(options.numWarps, unsigned(together),
                      options.seed * 0x9e3779b97f4a7c15 + program + 1 + (first << 32));
      for (uint64_t rank = first; rank < first + together; ++rank)
        cluster.blocks.push_back(
            std::make_unique<Program>(cluster, code, memory, options, program, launched, rank));
      if (llvm::Error error = cluster.run(arguments))
        return error;
    }
  return llvm::Error::success();
}
