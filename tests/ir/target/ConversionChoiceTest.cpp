// The choice between shuffles and shared memory by a target's costs.
#include "ir/target/ConversionChoice.h"
#include "ir/target/GenericTarget.h"

#include <gtest/gtest.h>

using namespace tilerun;
using namespace tilerun::target;
using layout::ConversionKind;
using layout::LinearLayout;

static LinearLayout parse(llvm::StringRef text) {
  return llvm::cantFail(LinearLayout::parse(text));
}

// Pairs of neighbours in a lane; then each lane's two elements are eight apart.
static const char *const kFrom = "{register = [(1)], lane = [(2), (4), (8)]} -> (dim0: 16)";
static const char *const kTo = "{register = [(8)], lane = [(1), (2), (4)]} -> (dim0: 16)";

static layout::ConversionPlan choose(llvm::StringRef target, const char *to = kTo) {
  return llvm::cantFail(
      chooseConversion(llvm::cantFail(parseTarget(target)), parse(kFrom), parse(to), 4));
}

TEST(ConversionChoice, CheaperMechanismIsTaken) {
  layout::ConversionPlan plan = choose("generic:");
  ASSERT_EQ(plan.kind, ConversionKind::Shuffles);
  TargetInfo target = llvm::cantFail(parseTarget("generic:"));
  uint64_t shuffles = conversionCost(*plan.shuffle, target);
  layout::ConversionPlan other = choose("generic:shuffle=off");
  ASSERT_EQ(other.kind, ConversionKind::SharedMemory);
  EXPECT_LT(shuffles, conversionCost(*other.shared, target));
  // The same with other prices.
  EXPECT_EQ(choose("generic:shuffle-cost=1000").kind, ConversionKind::SharedMemory);
  EXPECT_EQ(choose("generic:shuffle-cost=1000,barrier-cost=100000").kind, ConversionKind::Shuffles);
}

TEST(ConversionChoice, CostsAddUpInTheTargetsUnits) {
  layout::ConversionPlan shared = choose("generic:shuffle=off");
  TargetInfo target =
      llvm::cantFail(parseTarget("generic:barrier-cost=100,wavefront-cost=7,shuffle-cost=5,"
                                 "select-cost=0"));
  EXPECT_EQ(conversionCost(*shared.shared, target),
            100 + 7 * (shared.shared->choice.write.wavefronts() +
                       shared.shared->choice.read.wavefronts()));
  layout::ConversionPlan shuffles = choose("generic:");
  EXPECT_EQ(conversionCost(*shuffles.shuffle, target), 5 * shuffles.shuffle->shuffles);
}

TEST(ConversionChoice, WhatNeedsNoExchangeHasNoChoice) {
  EXPECT_EQ(choose("generic:shuffle=off", kFrom).kind, ConversionKind::None);
  llvm::Expected<layout::ConversionPlan> plan =
      chooseConversion(TargetInfo(), parse(kFrom), parse("{lane = [(1)]} -> (dim0: 2)"), 4);
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(llvm::toString(plan.takeError()),
            "source and destination differ in output dimension 'dim0'");
}
