// Control flow of a warp: regions, loops, and where it lets others take their turns.
#include "tests/kernels/EmulatorWarp.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

Warp::Warp(Program &program, unsigned number, ArrayRef<uint64_t> arguments)
    : program(program), number(number), lanes(program.options.target->warpSize),
      running(allLanes()), values(program.code.counts.size()) {
  assert(lanes <= 64 && "a set of lanes is a word");
  func::FuncOp kernel = program.code.kernel;
  for (auto [argument, word] : llvm::zip(kernel.getArguments(), arguments)) {
    Data &data = define(argument);
    llvm::fill(data.words, word);
  }
  main = runKernel();
  main.start();
}

void Warp::resume() {
  levels.resume();
  if (levels.isDone())
    state = State::Done;
}

std::string Warp::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "warp " << number;
  if (state == State::Done) {
    os << " has ended";
    return text;
  }
  os << (state == State::Ready ? " is at " : " waits at ") << current->op->getName();
  if (auto place = dyn_cast<FileLineColLoc>(current->op->getLoc()))
    os << ", line " << place.getLine();
  for (uint64_t iteration : iterations)
    os << ", iteration " << iteration;
  return text;
}

std::pair<unsigned, unsigned> Warp::getMembers() const {
  if (current->use.barrier == BarrierScope::Role)
    return {RoleOp(role).getFirst(), RoleOp(role).getEnd()};
  return {0, program.options.numWarps};
}

bool Warp::canGoOn() const {
  if (state == State::Polling && awaitedTurn)
    return program.hasTurn(awaitedTurn->first, awaitedTurn->second);
  return state == State::Ready ||
         (state == State::Polling && program.shared.hasEnded(awaitedPlace, awaitedParity));
}

Task Warp::runRole(const Step &step, RoleOp op) {
  if (op.getEnd() > program.options.numWarps)
    co_return fail(op, "the program has fewer warps than a role");
  if (number < op.getFirst() || number >= op.getEnd())
    co_return true;
  role = op;
  Data &threads = define(op.getBody().getArgument(0));
  for (unsigned lane = 0; lane < lanes; ++lane)
    threads.words[lane] = (number - op.getFirst()) * lanes + lane;
  if (!co_await runSteps(step.regions[0]))
    co_return false;
  role = {};
  co_return true;
}

Task Warp::waitForPhase(PhaseWaitOp op) {
  if (running != allLanes())
    co_return fail(op, "control flow differs between threads");
  awaitedPlace = placeOf(op.getBuffer(), op.getOffset(), 0);
  awaitedParity = unsigned(at(op.getParity(), 0));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (placeOf(op.getBuffer(), op.getOffset(), lane) != awaitedPlace ||
        at(op.getParity(), lane) != awaitedParity)
      co_return fail(op, "lanes of a warp disagree about a phase");
    if (!check(op, program.shared.checkPhase(thread(lane), awaitedPlace)))
      co_return false;
  }
  state = State::Polling;
  while (!canGoOn())
    co_await levels.pause();
  state = State::Ready;
  program.shared.acquire(program.countThrough(number), awaitedPlace);
  co_return true;
}

template <typename Op> std::optional<unsigned> Warp::getGroup(Op op) {
  if (running != allLanes())
    return fail(op, "control flow differs between threads"), std::nullopt;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (at(op.getGroup(), lane) != at(op.getGroup(), 0))
      return fail(op, "lanes of a warp disagree about a warp group"), std::nullopt;
  unsigned group = unsigned(at(op.getGroup(), 0));
  if (group >= op.getGroups())
    return fail(op, "the warp group does not exist"), std::nullopt;
  return group;
}

bool Warp::giveTurn(TurnGiveOp op) {
  std::optional<unsigned> group = getGroup(op);
  return group && (program.giveTurn(*group, op.getThreads() / 2 / lanes) ||
                   fail(op, "gives a turn before the last one has been taken"));
}

Task Warp::waitForTurn(TurnAwaitOp op) {
  std::optional<unsigned> group = getGroup(op);
  if (!group)
    co_return false;
  unsigned warps = op.getThreads() / 2 / lanes;
  if ((number - RoleOp(role).getFirst()) / warps != *group)
    co_return fail(op, "a warp awaits the turn of another group");
  awaitedTurn = {*group, program.awaitTurn(*group, warps)};
  state = State::Polling;
  while (!canGoOn())
    co_await levels.pause();
  state = State::Ready;
  awaitedTurn.reset();
  co_return true;
}

Task Warp::runKernel() {
  // Tasks of this warp alone get here, so that nothing below is ever awaited by another one.
  co_return co_await runSteps(program.code.body) && checkEnd();
}

Task Warp::runSteps(const std::vector<Step> &steps) {
  for (const Step &step : steps) {
    current = &step;
    if (!program.countStep())
      co_return fail(step.op, "too many steps");
    if (step.isSwitch && program.drawSwitch())
      co_await levels.pause();
    if (program.hasFailed())
      co_return false;
    if (!inFlight.empty() && !checkInFlight(step))
      co_return false;
    if (auto loop = dyn_cast<scf::ForOp>(step.op)) {
      if (!co_await runLoop(step, loop))
        co_return false;
    } else if (auto loop = dyn_cast<scf::WhileOp>(step.op)) {
      if (!co_await runWhile(step, loop))
        co_return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(step.op)) {
      if (!co_await runBranch(step, branch))
        co_return false;
    } else if (auto role = dyn_cast<RoleOp>(step.op)) {
      if (!co_await runRole(step, role))
        co_return false;
    } else if (auto wait = dyn_cast<PhaseWaitOp>(step.op)) {
      if (!co_await waitForPhase(wait))
        co_return false;
    } else if (auto wait = dyn_cast<TurnAwaitOp>(step.op)) {
      if (!co_await waitForTurn(wait))
        co_return false;
    } else if (auto give = dyn_cast<TurnGiveOp>(step.op)) {
      if (!giveTurn(give))
        co_return false;
    } else if (!execute(step)) {
      co_return false;
    }
    if (state == State::Waiting)
      co_await levels.pause();
  }
  co_return true;
}

Task Warp::runLoop(const Step &step, scf::ForOp op) {
  Type type = op.getLowerBound().getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto asSigned = [bits](uint64_t v) { return int64_t(v << (64 - bits)) >> (64 - bits); };
  assign(op.getRegionIterArgs(), op.getInitArgs());
  Data index = get(op.getLowerBound());
  const Data upper = get(op.getUpperBound()), stride = get(op.getStep());
  const uint64_t outer = running;
  Operation *yield = op.getBody()->getTerminator();
  iterations.push_back(0);
  for (;;) {
    uint64_t goesOn = 0;
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (asSigned(index.words[lane]) < asSigned(upper.words[lane]))
        goesOn |= uint64_t(1) << lane;
    running = outer & goesOn;
    if (!running)
      break;
    get(op.getInductionVar()) = index;
    if (!co_await runSteps(step.regions[0]))
      co_return false;
    assign(op.getRegionIterArgs(), yield->getOperands());
    for (unsigned lane = 0; lane < lanes; ++lane) {
      uint64_t next = index.words[lane] + stride.words[lane];
      index.words[lane] = bits == 64 ? next : next & ((uint64_t(1) << bits) - 1);
    }
    ++iterations.back();
  }
  iterations.pop_back();
  running = outer;
  assign(op.getResults(), op.getRegionIterArgs());
  co_return true;
}

Task Warp::runBranch(const Step &step, scf::IfOp op) {
  const uint64_t outer = running, condition = flags(op.getCondition());
  for (unsigned i = 0; i < 2; ++i) {
    running = outer & (i ? ~condition : condition);
    if (!running || step.regions[i].empty())
      continue;
    if (!co_await runSteps(step.regions[i]))
      co_return false;
    assign(op.getResults(), op->getRegion(i).front().getTerminator()->getOperands());
  }
  running = outer;
  co_return true;
}

Task Warp::runWhile(const Step &step, scf::WhileOp op) {
  const uint64_t outer = running;
  assign(op.getBeforeArguments(), op.getInits());
  scf::ConditionOp end = op.getConditionOp();
  iterations.push_back(0);
  while (running) {
    if (!co_await runSteps(step.regions[0]))
      co_return false;
    // Lanes that stop keep the values that they pass now.
    assign(op.getResults(), end.getArgs());
    running &= flags(end.getCondition());
    if (!running)
      break;
    assign(op.getAfterArguments(), end.getArgs());
    if (!co_await runSteps(step.regions[1]))
      co_return false;
    assign(op.getBeforeArguments(), op.getYieldOp().getOperands());
    ++iterations.back();
  }
  iterations.pop_back();
  running = outer;
  co_return true;
}
