// See ConversionChoice.h.
#include "ir/target/ConversionChoice.h"

using namespace tilerun;
using namespace tilerun::layout;

uint64_t target::conversionCost(const ShufflePlan &plan, const TargetInfo &target) {
  // Choosing among 2^n values by the thread takes 2^n - 1 selects.
  auto selects = [](const LinearLayout &map, llvm::StringRef out) {
    Subspace chosen;
    for (llvm::StringRef in : {llvm::StringRef(kLane), llvm::StringRef(kWarp)})
      if (map.hasIn(in))
        for (unsigned bit = 0; bit < map.inBits(in); ++bit)
          chosen.insert(map.getBasis(in, bit, out));
    return (uint64_t(1) << chosen.dimension()) - 1;
  };
  uint64_t rounds = plan.needsShuffle.size();
  uint64_t registers = uint64_t(1) << plan.round.inBits(kRegister);
  uint64_t positions = uint64_t(1) << plan.packedRegisters.size();
  uint64_t count = rounds * positions * selects(plan.publish, kRegister) +
                   registers * (selects(plan.round, kRound) + selects(plan.position, kPosition));
  return plan.shuffles * target.exchange.shuffle + count * target.exchange.select;
}

uint64_t target::conversionCost(const SharedPlan &plan, const TargetInfo &target) {
  return target.exchange.barrier +
         (plan.choice.write.wavefronts() + plan.choice.read.wavefronts()) *
             target.exchange.sharedWavefront;
}

llvm::Expected<ConversionPlan> target::chooseConversion(const TargetInfo &target,
                                                        const LinearLayout &from,
                                                        const LinearLayout &to,
                                                        unsigned elementBytes) {
  ConversionOptions options;
  options.elementBytes = elementBytes;
  options.sharedMemory = target.sharedModel;
  // More shuffles always cost more than a round trip through shared memory.
  options.maxShuffles = target.hasShuffle ? 256 : 0;
  llvm::Expected<ConversionPlan> plan = planConversion(from, to, options);
  if (!plan || plan->kind != ConversionKind::Shuffles)
    return plan;
  options.maxShuffles = 0;
  llvm::Expected<ConversionPlan> other = planConversion(from, to, options);
  if (!other)
    llvm::consumeError(other.takeError());
  else if (conversionCost(*other->shared, target) < conversionCost(*plan->shuffle, target))
    return other;
  return plan;
}
