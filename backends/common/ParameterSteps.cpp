// See ParameterSteps.h.
#include "backends/common/ParameterSteps.h"

using namespace mlir;
using namespace tilerun;
using Step = backend::DerivedParameter::Step;

void backend::push(std::vector<Step> &steps, AffineExpr expr, ArrayRef<int32_t> arguments) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    steps.push_back({Step::Kind::Constant, constant.getValue()});
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    steps.push_back({Step::Kind::Argument, arguments[symbol.getPosition()]});
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  push(steps, binary.getLHS(), arguments);
  push(steps, binary.getRHS(), arguments);
  assert(expr.getKind() == AffineExprKind::Add || expr.getKind() == AffineExprKind::Mul);
  steps.push_back({expr.getKind() == AffineExprKind::Add ? Step::Kind::Add : Step::Kind::Multiply});
}

backend::DerivedParameter backend::getPreference(schedule::PrefersAttr preferred) {
  std::vector<Step> steps;
  push(steps, preferred.getNumber().getValue().getResult(0), preferred.getArguments());
  steps.push_back({Step::Kind::Require});
  return {"words", std::move(steps)};
}

backend::DerivedParameter backend::getProgramLimits(ArrayRef<int32_t> most) {
  std::vector<Step> steps;
  for (auto [axis, number] : llvm::enumerate(most))
    if (number) {
      steps.push_back({Step::Kind::Constant, number});
      steps.push_back({Step::Kind::Grid, int64_t(axis)});
      steps.push_back({Step::Kind::Subtract});
      steps.push_back({Step::Kind::Require});
    }
  return {"words", std::move(steps)};
}
