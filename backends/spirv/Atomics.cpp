// Atomics. Before anything else is lowered, each becomes operations that the device has: relaxed
// ones on words, under control flow where there is a mask, with fences around them. Operations that
// the device lacks become loops of compare-and-swap; 16-bit elements are halves of words there.
// Fences stay outside those loops: some drivers get them wrong where lanes have left.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;
using tile::AtomicKind;
using tile::MemScope;
using tile::MemSemantic;

//===----------------------------------------------------------------------===//
// Before conversion
//===----------------------------------------------------------------------===//

namespace {

/// Rewrites one atomic.
class AtomicExpander {
public:
  AtomicExpander(Operation *op, const Target &target)
      : op(op), target(target), b(op), loc(op->getLoc()) {}
  LogicalResult expand();

private:
  /// The results of `body` where `mask` holds, or everywhere without a mask; else 0.
  Value under(Value mask, Type type, llvm::function_ref<Value()> body);
  Value modify(AtomicKind kind, Value address, Value value);
  Value compareAndSwap(Value address, Value compare, Value value);
  Value native(AtomicKind kind, Value address, Value value) {
    return simt::AtomicRMWOp::create(b, loc, value.getType(), kind, address, value, Value(),
                                     MemSemantic::Relaxed, MemScope::GPU);
  }
  Value nativeSwap(Value address, Value compare, Value value) {
    return simt::AtomicCASOp::create(b, loc, value.getType(), address, compare, value, Value(),
                                     MemSemantic::Relaxed, MemScope::GPU);
  }
  /// Replaces the word at `address` by next(word), retrying until the exchange succeeds; returns
  /// the old word.
  Value repeat(Value address, Type word, llvm::function_ref<Value(Value)> next);
  /// The same for the 16 bits at `address`.
  Value repeatHalf(Value address, llvm::function_ref<Value(Value)> next);
  Value bitcast(Type type, Value value) {
    return value.getType() == type ? value : Value(arith::BitcastOp::create(b, loc, type, value));
  }
  Value constant(Type type, int64_t value) {
    return arith::ConstantIntOp::create(b, loc, type, value);
  }

  Operation *op;
  const Target &target;
  OpBuilder b;
  Location loc;
};

} // namespace

Value AtomicExpander::under(Value mask, Type type, llvm::function_ref<Value()> body) {
  if (!mask)
    return body();
  bool isUsed = !op->use_empty();
  auto guarded = scf::IfOp::create(b, loc, isUsed ? TypeRange(type) : TypeRange(), mask,
                                   /*withElseRegion=*/isUsed);
  b.setInsertionPointToStart(guarded.thenBlock());
  Value value = body();
  if (isUsed) {
    scf::YieldOp::create(b, loc, value);
    b.setInsertionPointToStart(guarded.elseBlock());
    scf::YieldOp::create(b, loc,
                         ValueRange{arith::ConstantOp::create(b, loc, b.getZeroAttr(type))});
  }
  b.setInsertionPointAfter(guarded);
  return isUsed ? guarded.getResult(0) : Value();
}

Value AtomicExpander::repeat(Value address, Type word, llvm::function_ref<Value(Value)> next) {
  // A guess, which the exchange verifies.
  Value vector = simt::LoadOp::create(b, loc, VectorType::get({1}, word), address, Value(), Value(),
                                      tile::CacheModifier::None, tile::EvictionPolicy::Normal,
                                      /*is_volatile=*/true);
  Value first = vector::ExtractOp::create(b, loc, vector, 0);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(word), ValueRange(first),
      [&](OpBuilder &, Location, ValueRange arguments) {
        Value seen = nativeSwap(address, arguments[0], next(arguments[0]));
        Value again = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, seen, arguments[0]);
        scf::ConditionOp::create(b, loc, again, seen);
      },
      [&](OpBuilder &, Location, ValueRange arguments) {
        scf::YieldOp::create(b, loc, arguments);
      });
  return loop.getResult(0);
}

Value AtomicExpander::repeatHalf(Value address, llvm::function_ref<Value(Value)> next) {
  Type i16 = b.getI16Type(), i32 = b.getI32Type(), i64 = b.getI64Type();
  Value start = arith::AndIOp::create(b, loc, address, constant(i64, ~int64_t(3)));
  Value second = arith::AndIOp::create(b, loc, arith::TruncIOp::create(b, loc, i32, address),
                                       constant(i32, 2));
  Value shift = arith::ShLIOp::create(b, loc, second, constant(i32, 3));
  Value own = arith::ShLIOp::create(b, loc, constant(i32, 0xffff), shift);
  Value others = arith::XOrIOp::create(b, loc, own, constant(i32, -1));
  auto halfOf = [&](Value word) -> Value {
    return arith::TruncIOp::create(b, loc, i16, arith::ShRUIOp::create(b, loc, word, shift));
  };
  Value word = repeat(start, i32, [&](Value old) -> Value {
    Value wide = arith::ExtUIOp::create(b, loc, i32, next(halfOf(old)));
    Value placed = arith::ShLIOp::create(b, loc, wide, shift);
    Value kept = arith::AndIOp::create(b, loc, old, others);
    return arith::OrIOp::create(b, loc, kept, placed);
  });
  return halfOf(word);
}

Value AtomicExpander::modify(AtomicKind kind, Value address, Value value) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  if (kind == AtomicKind::FMax || kind == AtomicKind::FMin) {
    // As integers, floats are ordered by magnitude: positive ones ascending, negative ones
    // descending.
    bool isMax = kind == AtomicKind::FMax;
    Value asInteger = bitcast(integer, value);
    Value isPositive =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, asInteger, constant(integer, 0));
    if (bits == 16) {
      using P = arith::CmpIPredicate;
      Value old = repeatHalf(address, [&](Value old) -> Value {
        auto isBefore = [&](P predicate) {
          return arith::CmpIOp::create(b, loc, predicate, old, asInteger).getResult();
        };
        Value ascending = isBefore(isMax ? P::sgt : P::slt);
        Value descending = isBefore(isMax ? P::ult : P::ugt);
        Value keeps = arith::SelectOp::create(b, loc, isPositive, ascending, descending);
        return arith::SelectOp::create(b, loc, keeps, old, asInteger);
      });
      return bitcast(type, old);
    }
    auto branch = scf::IfOp::create(
        b, loc, isPositive,
        [&](OpBuilder &inner, Location) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          scf::YieldOp::create(
              b, loc, native(isMax ? AtomicKind::Max : AtomicKind::Min, address, asInteger));
        },
        [&](OpBuilder &inner, Location) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          scf::YieldOp::create(
              b, loc, native(isMax ? AtomicKind::UMin : AtomicKind::UMax, address, asInteger));
        });
    b.setInsertionPointAfter(branch);
    return bitcast(type, branch.getResult(0));
  }
  if (kind == AtomicKind::FAdd && !type.isBF16() && target.hasAtomicFloatAdd(bits) &&
      (bits != 16 || target.hasFloat16))
    return native(kind, address, value);
  if (kind == AtomicKind::FAdd) {
    auto sum = [&](Value old) {
      return bitcast(integer, arith::AddFOp::create(b, loc, bitcast(type, old), value));
    };
    return bitcast(type, bits == 16 ? repeatHalf(address, sum) : repeat(address, integer, sum));
  }
  Value operand = bitcast(integer, value);
  if (bits == 16)
    return bitcast(type, repeatHalf(address, [&](Value) { return operand; }));
  return bitcast(type, native(kind, address, operand));
}

Value AtomicExpander::compareAndSwap(Value address, Value compare, Value value) {
  if (value.getType().getIntOrFloatBitWidth() != 16)
    return nativeSwap(address, compare, value);
  return repeatHalf(address, [&](Value old) -> Value {
    Value matches = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, old, compare);
    return arith::SelectOp::create(b, loc, matches, value, old);
  });
}

LogicalResult AtomicExpander::expand() {
  Type type = op->getResult(0).getType();
  auto rmw = dyn_cast<simt::AtomicRMWOp>(op);
  bool isAddition = rmw && rmw.getKind() == AtomicKind::FAdd;
  if (type.getIntOrFloatBitWidth() == 64 && !target.hasAtomicInt64 &&
      !(isAddition && target.hasAtomicFloat64Add))
    return lacks(op,
                 llvm::Twine("64-bit atomics (shaderBufferInt64Atomics), which 'tile.") +
                     (rmw ? "atomic_rmw" : "atomic_cas") + "' needs",
                 "use elements of 32 bits or less");
  Value result;
  if (rmw) {
    result = under(rmw.getMask(), type,
                   [&] { return modify(rmw.getKind(), rmw.getAddress(), rmw.getValue()); });
  } else {
    auto cas = cast<simt::AtomicCASOp>(op);
    result = under(cas.getMask(), type, [&] {
      return compareAndSwap(cas.getAddress(), cas.getCompare(), cas.getValue());
    });
  }
  if (result)
    op->replaceAllUsesWith(ValueRange(result));
  op->erase();
  return success();
}

static MemSemantic semanticOf(Operation *op) {
  if (auto rmw = dyn_cast<simt::AtomicRMWOp>(op))
    return rmw.getSem();
  return cast<simt::AtomicCASOp>(op).getSem();
}

static MemScope scopeOf(Operation *op) {
  if (auto rmw = dyn_cast<simt::AtomicRMWOp>(op))
    return rmw.getScope();
  return cast<simt::AtomicCASOp>(op).getScope();
}

/// Fences around the atomics that one op of the source became: those are unordered among each
/// other.
static void insertFences(ArrayRef<Operation *> group) {
  Operation *first = group.front(), *last = group.back();
  MemSemantic semantic = semanticOf(first);
  MemScope scope = scopeOf(first);
  // An unused result cannot reveal that another thread's release came before.
  bool isRead = llvm::any_of(group, [](Operation *op) { return !op->use_empty(); });
  if (semantic == MemSemantic::Release || semantic == MemSemantic::AcquireRelease) {
    OpBuilder b(first);
    simt::FenceOp::create(b, first->getLoc(), scope);
  }
  if (isRead && (semantic == MemSemantic::Acquire || semantic == MemSemantic::AcquireRelease)) {
    OpBuilder b(last->getContext());
    b.setInsertionPointAfter(last);
    simt::FenceOp::create(b, last->getLoc(), scope);
  }
}

LogicalResult spirvbackend::prepareAtomics(func::FuncOp kernel, const Target &target) {
  SmallVector<Operation *> atomics;
  SmallVector<SmallVector<Operation *>> groups;
  kernel.walk([&](Block *block) {
    bool isOpen = false;
    for (Operation &op : *block) {
      if (!isa<simt::AtomicRMWOp, simt::AtomicCASOp>(op)) {
        isOpen &= isMemoryEffectFree(&op);
        continue;
      }
      atomics.push_back(&op);
      Operation *before = isOpen ? groups.back().back() : nullptr;
      if (before && before->getName() == op.getName() && before->getLoc() == op.getLoc() &&
          semanticOf(before) == semanticOf(&op) && scopeOf(before) == scopeOf(&op))
        groups.back().push_back(&op);
      else
        groups.push_back({&op});
      isOpen = true;
    }
  });
  for (const auto &group : groups)
    insertFences(group);
  for (Operation *op : atomics)
    if (failed(AtomicExpander(op, target).expand()))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct AtomicRMWPattern : KernelPattern<simt::AtomicRMWOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Value pointer =
        pointerTo(rewriter, op.getLoc(), adaptor.getAddress(), adaptor.getValue().getType());
    auto replace = [&]<typename Op>() {
      rewriter.replaceOpWithNewOp<Op>(op, adaptor.getValue().getType(), pointer,
                                      spirv::Scope::Device, spirv::MemorySemantics::None,
                                      adaptor.getValue());
      return success();
    };
    switch (op.getKind()) {
    case AtomicKind::And:
      return replace.operator()<spirv::AtomicAndOp>();
    case AtomicKind::Or:
      return replace.operator()<spirv::AtomicOrOp>();
    case AtomicKind::Xor:
      return replace.operator()<spirv::AtomicXorOp>();
    case AtomicKind::Add:
      return replace.operator()<spirv::AtomicIAddOp>();
    case AtomicKind::FAdd:
      return replace.operator()<spirv::EXTAtomicFAddOp>();
    case AtomicKind::Max:
      return replace.operator()<spirv::AtomicSMaxOp>();
    case AtomicKind::Min:
      return replace.operator()<spirv::AtomicSMinOp>();
    case AtomicKind::UMax:
      return replace.operator()<spirv::AtomicUMaxOp>();
    case AtomicKind::UMin:
      return replace.operator()<spirv::AtomicUMinOp>();
    case AtomicKind::Xchg:
      return replace.operator()<spirv::AtomicExchangeOp>();
    case AtomicKind::FMax:
    case AtomicKind::FMin:
      break;
    }
    return failure(); // Integer operations have taken their place.
  }
};

struct AtomicCASPattern : KernelPattern<simt::AtomicCASOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::AtomicCASOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Type type = adaptor.getValue().getType();
    Value pointer = pointerTo(rewriter, op.getLoc(), adaptor.getAddress(), type);
    rewriter.replaceOpWithNewOp<spirv::AtomicCompareExchangeOp>(
        op, type, pointer, spirv::Scope::Device, spirv::MemorySemantics::None,
        spirv::MemorySemantics::None, adaptor.getValue(), adaptor.getCompare());
    return success();
  }
};

} // namespace

void spirvbackend::populateAtomicPatterns(SPIRVTypeConverter &converter,
                                          RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<AtomicRMWPattern, AtomicCASPattern>(converter, kernel);
}
