// See EmulatorProgram.h.
#include "tests/kernels/EmulatorProgram.h"
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

Program::Program(const Code &code, ArrayRef<MemoryRange> memory, const EmulatorOptions &options,
                 uint64_t number, uint64_t launched)
    : code(code), memory(memory), options(options), number(number), launched(launched),
      shared(sharedBytesOf(code.kernel), options.numWarps), groups(options.numWarps),
      random(options.seed * 0x9e3779b97f4a7c15 + number + 1) {
  // Some programs run each warp to the next barrier, some change at every place, most in between.
  constexpr unsigned kSwitches[] = {0, 16, 64, 256};
  switches = kSwitches[drawBelow(4)];
}

Program::~Program() = default;

unsigned Program::drawBelow(unsigned bound) {
  // SplitMix64 (Steele, Lea and Flood).
  random += 0x9e3779b97f4a7c15;
  uint64_t word = random;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return unsigned((word ^ (word >> 31)) >> 32) % bound;
}

bool Program::fail(const Warp &warp, Operation *op, const Twine &message) {
  if (error.empty()) {
    llvm::raw_string_ostream os(error);
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

bool Program::checkPhaseEnd(const Warp &warp, Operation *op, uint64_t place, uint32_t bytes) {
  if (!shared.isLastArrival(place, bytes))
    return true;
  for (const std::unique_ptr<Warp> &other : warps)
    if (other->isAboutToSee(place))
      return fail(warp, op, "a phase ends before all have seen the end of the last one");
  return true;
}

void Program::releaseBarrier(const Warp &arrived) {
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
      error = "warps meet at different barriers:" + describeWarps();
      return;
    }
  shared.synchronize(members);
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

void Program::schedule() {
  SmallVector<Warp *> ready;
  while (error.empty()) {
    ready.clear();
    if (!boxes.empty() && drawSwitch())
      landBox();
    bool isDone = true;
    for (const std::unique_ptr<Warp> &warp : warps) {
      isDone &= warp->getState() == Warp::State::Done;
      if (warp->canGoOn())
        ready.push_back(warp.get());
    }
    if (isDone) {
      if (!boxes.empty() && error.empty())
        fail(*boxes.front().warp, boxes.front().op, "the program ends and has not waited for this");
      for (auto &[group, turn] : turns)
        if (turn.given && error.empty())
          error = "the program ends, and warp group " + std::to_string(group) +
                  " has been given a turn that it has not taken";
      return;
    }
    if (ready.empty() && !boxes.empty()) {
      landBox();
      continue;
    }
    if (ready.empty()) {
      error = "no warp can go on:" + describeWarps();
      return;
    }
    Warp &next = *ready[drawBelow(unsigned(ready.size()))];
    next.resume();
    if (next.getState() == Warp::State::Waiting && error.empty())
      releaseBarrier(next);
  }
}

llvm::Error Program::run(ArrayRef<uint64_t> arguments) {
  for (unsigned w = 0; w < options.numWarps; ++w)
    warps.push_back(std::make_unique<Warp>(*this, w, arguments));
  schedule();
  if (error.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
}

llvm::Error test::emulate(func::FuncOp kernel, ArrayRef<uint64_t> arguments,
                          ArrayRef<MemoryRange> memory, const EmulatorOptions &options) {
  Code code(kernel, options.target->warpSize);
  const bool isPersistent =
      kernel.walk([](LaunchedOp) { return WalkResult::interrupt(); }).wasInterrupted();
  // Of a persistent kernel, fewer programs than the caller asks for, or as many.
  const uint64_t launched =
      isPersistent ? std::min<uint64_t>(options.grid, options.seed % 3 + 1) : options.grid;
  for (uint64_t program = 0; program < launched; ++program)
    if (llvm::Error error = Program(code, memory, options, program, launched).run(arguments))
      return error;
  return llvm::Error::success();
}
