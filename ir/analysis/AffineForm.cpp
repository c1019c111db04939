// See AffineForm.h.
#include "ir/analysis/AffineForm.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilerun;

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

Polynomial Polynomial::constant(int64_t value) {
  Polynomial result;
  result.add({}, value);
  return result;
}

Polynomial Polynomial::symbol(unsigned number) {
  Polynomial result;
  result.add({number}, 1);
  return result;
}

void Polynomial::add(const Product &product, int64_t factor) {
  if (!factor)
    return;
  auto [term, isNew] = terms.try_emplace(product, factor);
  if (isNew) {
    valid &= terms.size() <= kMostTerms;
    return;
  }
  valid &= !llvm::AddOverflow(term->second, factor, term->second);
  if (!term->second)
    terms.erase(term);
}

bool Polynomial::contains(unsigned number) const {
  return llvm::any_of(terms,
                      [&](const auto &term) { return llvm::is_contained(term.first, number); });
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (!valid || terms.size() > 1 || (terms.size() == 1 && !terms.begin()->first.empty()))
    return std::nullopt;
  return terms.empty() ? 0 : terms.begin()->second;
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial sum = *this;
  sum.valid &= other.valid;
  for (const auto &[product, factor] : other.terms)
    sum.add(product, factor);
  return sum;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  result.valid = valid && other.valid;
  for (const auto &[x, a] : terms)
    for (const auto &[y, b] : other.terms) {
      Product product(x);
      product.insert(product.end(), y.begin(), y.end());
      llvm::sort(product);
      int64_t factor = 0;
      result.valid &= !llvm::MulOverflow(a, b, factor);
      result.add(product, factor);
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Scalars and carried values
//===----------------------------------------------------------------------===//

/// How many dimensions a value has.
static unsigned rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

/// The same in all elements of a value like `like`.
static AffineForm makeUniform(Polynomial uniform, Value like) {
  return {{}, std::move(uniform), SmallVector<Polynomial, 2>(rankOf(like)), {}};
}

static bool isPointer(Value value) {
  return isa<tile::PointerType>(getElementTypeOrSelf(value.getType()));
}

Polynomial AffineForms::getSymbol(Value value) {
  auto [number, isNew] = numbers.try_emplace(value, symbols.size());
  if (isNew)
    symbols.push_back(value);
  return Polynomial::symbol(number->second);
}

/// A scalar that is not a sum or a product of others: from outside of the loop it is a symbol.
std::optional<AffineForm> AffineForms::computeScalar(Value value) {
  if (loop->isAncestor(value.getParentRegion()->getParentOp()))
    return std::nullopt;
  if (isPointer(value))
    return AffineForm{value, {}, {}, {}};
  if (!value.getType().isSignlessInteger() || value.getType().isInteger(1))
    return std::nullopt;
  return makeUniform(getSymbol(value), value);
}

std::optional<AffineForm> AffineForms::computeArgument(BlockArgument argument) {
  if (argument.getOwner() != loop.getBody())
    return rankOf(argument) ? std::nullopt : computeScalar(argument);
  if (argument != loop.getInductionVar())
    return computeCarried(argument);
  Form lower = get(loop.getLowerBound()), step = get(loop.getStep());
  if (!lower || !step)
    return std::nullopt;
  lower->uniform = lower->uniform + step->uniform * getSymbol(Value());
  return lower;
}

/// A carried value that grows by the same in each iteration.
std::optional<AffineForm> AffineForms::computeCarried(BlockArgument argument) {
  if (open.contains(argument))
    return std::nullopt;
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  Form form = get(loop.getInitArgs()[index]);
  if (!form)
    return std::nullopt;
  Form next;
  {
    // Forms in terms of this value are none of the loop's.
    llvm::SaveAndRestore outer(known, llvm::DenseMap<Value, Form>());
    open.insert(argument);
    known[argument] = AffineForm{argument, {}, SmallVector<Polynomial, 2>(rankOf(argument)), {}};
    next = get(loop.getYieldedValues()[index]);
    open.erase(argument);
  }
  if (!next || next->base != argument || !next->wraps.empty() ||
      llvm::any_of(next->strides, [](const Polynomial &stride) { return !stride.isZero(); }))
    return std::nullopt;
  Polynomial iteration = getSymbol(Value());
  if (next->uniform.contains(numbers.lookup(Value())))
    return std::nullopt; // It grows by more in each iteration.
  form->uniform = form->uniform + next->uniform * iteration;
  return form;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::optional<AffineForm> AffineForms::add(Value x, Value y, int64_t sign) {
  Form a = get(x), b = get(y);
  if (!a || !b || (a->base && b->base) || (sign < 0 && (b->base || !b->wraps.empty())))
    return std::nullopt;
  Polynomial factor = Polynomial::constant(sign);
  if (!a->base)
    a->base = b->base;
  a->uniform = a->uniform + b->uniform * factor;
  for (auto [stride, other] : llvm::zip_equal(a->strides, b->strides))
    stride = stride + other * factor;
  for (const AffineForm::Wrap &wrap : b->wraps) {
    if (llvm::any_of(a->wraps, [&](const auto &own) { return own.dim == wrap.dim; }))
      return std::nullopt;
    a->wraps.push_back(wrap);
  }
  return a;
}

std::optional<AffineForm> AffineForms::multiply(Value x, Value y) {
  Form a = get(x), b = get(y);
  auto isUniform = [](const AffineForm &form) {
    return form.wraps.empty() &&
           llvm::all_of(form.strides, [](const Polynomial &stride) { return stride.isZero(); });
  };
  if (!a || !b || a->base || b->base)
    return std::nullopt;
  if (!isUniform(*b))
    std::swap(a, b);
  if (!isUniform(*b))
    return std::nullopt;
  a->uniform = a->uniform * b->uniform;
  for (Polynomial &stride : a->strides)
    stride = stride * b->uniform;
  return a;
}

/// x % y of indices along one dimension.
std::optional<AffineForm> AffineForms::wrap(Value x, Value y) {
  Form a = get(x), b = get(y);
  if (!a || !b || a->base || b->base || !a->wraps.empty() || !b->wraps.empty())
    return std::nullopt;
  std::optional<unsigned> along;
  for (auto [dim, stride] : llvm::enumerate(a->strides)) {
    if (!b->strides[dim].isZero() || (!stride.isZero() && (along || stride.getConstant() != 1)))
      return std::nullopt;
    if (!stride.isZero())
      along = dim;
  }
  if (!along)
    return std::nullopt;
  a->wraps.push_back({*along, a->uniform, b->uniform});
  return a;
}

/// Ops that move elements.
std::optional<AffineForm> AffineForms::computeShape(Operation *op) {
  Value result = op->getResult(0);
  Form form = get(op->getOperand(0));
  if (!form)
    return std::nullopt;
  if (isa<tile::SplatOp>(op)) {
    form->strides.assign(rankOf(result), {});
  } else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    unsigned axis = expand.getAxis();
    form->strides.insert(form->strides.begin() + axis, Polynomial());
    for (AffineForm::Wrap &wrap : form->wraps)
      wrap.dim += wrap.dim >= axis;
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    auto shape = cast<RankedTensorType>(broadcast.getSource().getType()).getShape();
    for (auto [size, stride] : llvm::zip_equal(shape, form->strides))
      if (size == 1)
        stride = {};
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    SmallVector<Polynomial, 2> strides;
    for (int32_t from : trans.getOrder())
      strides.push_back(form->strides[from]);
    for (AffineForm::Wrap &wrap : form->wraps)
      wrap.dim = llvm::find(trans.getOrder(), int32_t(wrap.dim)) - trans.getOrder().begin();
    form->strides = std::move(strides);
  }
  return form;
}

std::optional<AffineForm> AffineForms::computeOp(Operation *op) {
  Value result = op->getResult(0);
  APInt number;
  if (matchPattern(result, m_ConstantInt(&number)))
    return number.getSignificantBits() <= 64
               ? Form(makeUniform(Polynomial::constant(number.getSExtValue()), result))
               : std::nullopt;
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case<arith::AddIOp>([&](auto sum) { return add(sum.getLhs(), sum.getRhs(), 1); })
      .Case<tile::AddPtrOp>([&](auto sum) { return add(sum.getBase(), sum.getOffset(), 1); })
      .Case<arith::SubIOp>([&](auto sum) { return add(sum.getLhs(), sum.getRhs(), -1); })
      .Case<arith::MulIOp>(
          [&](auto product) { return multiply(product.getLhs(), product.getRhs()); })
      .Case<arith::ExtSIOp>([&](auto extension) { return get(extension.getIn()); })
      .Case<arith::RemSIOp>([&](auto rem) { return wrap(rem.getLhs(), rem.getRhs()); })
      .Case<tile::MakeRangeOp>([&](auto range) {
        AffineForm form = makeUniform(Polynomial::constant(range.getStart()), result);
        form.strides[0] = Polynomial::constant(1);
        return Form(form);
      })
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransOp, tile::HintOp>(
          [&](auto) { return computeShape(op); })
      .Default(std::nullopt);
}

std::optional<AffineForm> AffineForms::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument);
  Form form;
  if (Operation *op = value.getDefiningOp(); op->getNumResults() == 1)
    form = computeOp(op);
  return form || rankOf(value) ? form : computeScalar(value);
}

std::optional<AffineForm> AffineForms::get(Value value) {
  constexpr unsigned kMostDepth = 256;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth == kMostDepth)
    return std::nullopt;
  llvm::SaveAndRestore deeper(depth, depth + 1);
  Form form = compute(value);
  if (form && (!form->uniform.isValid() ||
               llvm::any_of(form->strides, [](const Polynomial &s) { return !s.isValid(); })))
    form.reset();
  known[value] = form;
  return form;
}

//===----------------------------------------------------------------------===//
// Polynomials of arguments
//===----------------------------------------------------------------------===//

BlockArgument tilerun::argumentOf(Value symbol) {
  auto argument = dyn_cast_if_present<BlockArgument>(symbol);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

std::optional<AffineExpr> tilerun::toExpr(const Polynomial &value, MLIRContext *context,
                                          llvm::SetVector<unsigned> &arguments,
                                          llvm::function_ref<BlockArgument(unsigned)> find) {
  if (!value.isValid())
    return std::nullopt;
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const auto &[product, factor] : value.getTerms()) {
    AffineExpr term = getAffineConstantExpr(factor, context);
    for (unsigned number : product) {
      BlockArgument argument = find(number);
      if (!argument)
        return std::nullopt;
      arguments.insert(argument.getArgNumber());
      size_t place = llvm::find(arguments, argument.getArgNumber()) - arguments.begin();
      term = term * getAffineSymbolExpr(place, context);
    }
    sum = sum + term;
  }
  return sum;
}
