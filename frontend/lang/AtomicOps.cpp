// Atomic read-modify-write operations and compare-and-swap.
#include "frontend/lang/Memory.h"
#include "frontend/lang/Table.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
enum class Atomic { Add, Max, Min, And, Or, Xor, Xchg };

FailureOr<tile::MemSemantic> getSemantic(Emitter &e, const Arguments &args, size_t i) {
  using S = tile::MemSemantic;
  FailureOr<std::string> text = getString(e, args, i);
  if (failed(text))
    return failure();
  auto semantic = llvm::StringSwitch<std::optional<S>>(*text)
                      .Cases({"", "acq_rel"}, S::AcquireRelease)
                      .Case("acquire", S::Acquire)
                      .Case("release", S::Release)
                      .Case("relaxed", S::Relaxed)
                      .Default(std::nullopt);
  if (!semantic)
    return argError(e, args, i,
                    "is '" + *text + "'; use 'acquire', 'release', 'acq_rel' or 'relaxed'");
  return *semantic;
}

FailureOr<tile::MemScope> getScope(Emitter &e, const Arguments &args, size_t i) {
  using S = tile::MemScope;
  FailureOr<std::string> text = getString(e, args, i);
  if (failed(text))
    return failure();
  auto scope = llvm::StringSwitch<std::optional<S>>(*text)
                   .Cases({"", "gpu"}, S::GPU)
                   .Case("cta", S::CTA)
                   .Case("sys", S::System)
                   .Default(std::nullopt);
  if (!scope)
    return argError(e, args, i, "is '" + *text + "'; use 'gpu', 'cta' or 'sys'");
  return *scope;
}

/// Which operation on which element type; empty where there is none.
std::optional<tile::AtomicKind> getKind(Atomic op, DType type) {
  using K = tile::AtomicKind;
  if (type.isPointer())
    return std::nullopt;
  unsigned bits = type.getBits();
  bool isWide = bits == 32 || bits == 64;
  switch (op) {
  case Atomic::Add:
    if (type.isFloat())
      return bits >= 16 ? std::optional<K>(K::FAdd) : std::nullopt;
    return isWide ? std::optional<K>(K::Add) : std::nullopt;
  case Atomic::Max:
  case Atomic::Min: {
    bool isMax = op == Atomic::Max;
    if (type.isFloat() && bits >= 16)
      return isMax ? K::FMax : K::FMin;
    if (!isWide)
      return std::nullopt;
    if (type.isSigned())
      return isMax ? K::Max : K::Min;
    return isMax ? K::UMax : K::UMin;
  }
  case Atomic::And:
  case Atomic::Or:
  case Atomic::Xor:
    if (!type.isInt() || !isWide)
      return std::nullopt;
    return op == Atomic::And ? K::And : op == Atomic::Or ? K::Or : K::Xor;
  case Atomic::Xchg:
    return bits >= 16 ? std::optional<K>(K::Xchg) : std::nullopt;
  }
  return std::nullopt;
}

StringRef supportedTypes(Atomic op) {
  switch (op) {
  case Atomic::Add:
  case Atomic::Max:
  case Atomic::Min:
    return "integers of 32 or 64 bits and floats of 16, 32 or 64 bits";
  case Atomic::Xchg:
    return "numbers of 16, 32 or 64 bits";
  default:
    return "integers of 32 or 64 bits";
  }
}

Atomic parseAtomic(StringRef name) {
  return llvm::StringSwitch<Atomic>(name)
      .Case("atomic_add", Atomic::Add)
      .Case("atomic_max", Atomic::Max)
      .Case("atomic_min", Atomic::Min)
      .Case("atomic_and", Atomic::And)
      .Case("atomic_or", Atomic::Or)
      .Case("atomic_xor", Atomic::Xor)
      .Case("atomic_xchg", Atomic::Xchg);
}
} // namespace

FailureOr<tile::AtomicKind> getAtomicKind(Emitter &e, const Arguments &args, DType type,
                                          StringRef is) {
  Atomic op = parseAtomic(args.builtin->name);
  if (std::optional<tile::AtomicKind> kind = getKind(op, type))
    return *kind;
  return argError(e, args, 0,
                  is + " " + type.str() + ", but this atomic works on " + supportedTypes(op));
}

namespace {
/// An operand cast to the pointee type, in the pointer's shape.
TensorOr getValue(Emitter &e, const Arguments &args, size_t i, const TensorValue &pointer) {
  if (!getOperand(args[i]))
    return argError(e, args, i,
                    "must be a tensor or a number, but it is " + describeNonTensor(args[i]));
  TensorOr value = cast(e, args[i], pointer.type.dtype.getPointee());
  if (failed(value))
    return failure();
  return broadcastArgument(e, args, i, *value, pointer.type.shape);
}

Result emitRmw(Emitter &e, const Arguments &args) {
  TensorOr pointer = getPointer(e, args, 0, /*forWriting=*/true);
  if (failed(pointer))
    return failure();
  DType type = pointer->type.dtype.getPointee();
  FailureOr<tile::AtomicKind> kind = getAtomicKind(e, args, type, "points to");
  if (failed(kind))
    return failure();
  if ((*kind == tile::AtomicKind::FMax || *kind == tile::AtomicKind::FMin) && type.getBits() == 16)
    e.beyondTriton("'tl." + args.builtin->name + "' of " + type.str(), "U6", "use float32");
  TensorOr value = getValue(e, args, 1, *pointer);
  if (failed(value))
    return failure();
  FailureOr<std::optional<TensorValue>> mask = getMask(e, args, 2, *pointer);
  if (failed(mask))
    return failure();
  mlir::Value maskValue;
  if (*mask) {
    TensorOr wide = broadcastArgument(e, args, 2, **mask, pointer->type.shape);
    if (failed(wide))
      return failure();
    maskValue = wide->value;
  }
  FailureOr<tile::MemSemantic> semantic = getSemantic(e, args, 3);
  if (failed(semantic))
    return failure();
  FailureOr<tile::MemScope> scope = getScope(e, args, 4);
  if (failed(scope))
    return failure();
  auto op = tile::AtomicRMWOp::create(e.builder, e.loc(), *kind, pointer->value, value->value,
                                      maskValue, *semantic, *scope);
  return fromTensor(op.getResult(), type, pointer->type.shape);
}

Result emitCas(Emitter &e, const Arguments &args) {
  TensorOr pointer = getPointer(e, args, 0, /*forWriting=*/true);
  if (failed(pointer))
    return failure();
  DType type = pointer->type.dtype.getPointee();
  if (type.isPointer() || type.getBits() < 16)
    return argError(e, args, 0,
                    "points to " + type.str() +
                        ", but compare-and-swap works on numbers of 16, 32 or 64 bits");
  TensorOr compare = getValue(e, args, 1, *pointer);
  if (failed(compare))
    return failure();
  TensorOr value = getValue(e, args, 2, *pointer);
  if (failed(value))
    return failure();
  FailureOr<tile::MemSemantic> semantic = getSemantic(e, args, 3);
  if (failed(semantic))
    return failure();
  FailureOr<tile::MemScope> scope = getScope(e, args, 4);
  if (failed(scope))
    return failure();
  auto op = tile::AtomicCASOp::create(e.builder, e.loc(), pointer->value, compare->value,
                                      value->value, *semantic, *scope);
  return fromTensor(op.getResult(), type, pointer->type.shape);
}

constexpr StringLiteral kRmw{"pointer, val, mask=None, sem=None, scope=None"};

const Builtin kRows[] = {
    {"atomic_add", kTl, kRmw, "Adds to memory and gives the old value.", emitRmw, true},
    {"atomic_max", kTl, kRmw, "Keeps the larger value in memory and gives the old one.", emitRmw,
     true},
    {"atomic_min", kTl, kRmw, "Keeps the smaller value in memory and gives the old one.", emitRmw,
     true},
    {"atomic_and", kTl, kRmw, "Bitwise and with memory; gives the old value.", emitRmw, true},
    {"atomic_or", kTl, kRmw, "Bitwise or with memory; gives the old value.", emitRmw, true},
    {"atomic_xor", kTl, kRmw, "Bitwise exclusive or with memory; gives the old value.", emitRmw,
     true},
    {"atomic_xchg", kTl, kRmw, "Writes to memory and gives the old value.", emitRmw, true},
    {"atomic_cas", kTl, "pointer, cmp, val, sem=None, scope=None",
     "Writes `val` where memory holds `cmp` (compared by bits); gives the old value.", emitCas,
     true},
};
} // namespace

void addAtomicOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
