// How a product is computed, behind one interface: the plan of distribution chooses the strategy.
// A new kind of product is a file in products/ with a row in getStrategy.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

class ProductStrategy {
public:
  virtual ~ProductStrategy() = default;
  /// The registers of a·b + acc in `plan.d`.
  virtual mlir::FailureOr<mlir::Value> multiply(LowerContext &c, tile::DotOp op,
                                                const distribute::DotPlan &plan) const = 0;
};

/// The strategy for products with such a plan. Lives as long as the program.
const ProductStrategy &getStrategy(const distribute::DotPlan &plan);

/// How many groups of asynchronous instructions such a product leaves running where it is in
/// flight.
unsigned groupsInFlight(const distribute::DotPlan &plan);

const ProductStrategy &multiplyAddStrategy();
const ProductStrategy &warpMatrixStrategy();
const ProductStrategy &opaqueMatrixStrategy();
const ProductStrategy &warpGroupStrategy();

} // namespace tilerun::simt
