// Functions that depend on the target: assembly, registers of the machine, launches that overlap,
// and questions about the target itself.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

#include "ir/tile/InlineAsm.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
constexpr StringLiteral kCuda{"triton.language.extra.cuda"};
constexpr StringLiteral kHip{"triton.language.extra.hip"};
constexpr StringLiteral kTargetInfo{"triton.language.target_info"};

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// LLVM takes no blanks in a list of constraints.
std::string withoutBlanks(StringRef text) {
  std::string out;
  llvm::copy_if(text, std::back_inserter(out), [](char c) { return !llvm::isSpace(c); });
  return out;
}

FailureOr<SmallVector<DType>> getResultTypes(Emitter &e, const Arguments &args, size_t i) {
  SmallVector<DType> out;
  if (args[i].isNone())
    return out;
  if (!args[i].getTuple()) {
    FailureOr<DType> type = getDType(e, args, i);
    if (failed(type))
      return failure();
    out.push_back(*type);
    return out;
  }
  for (const Value &element : args[i].getTuple()->elements) {
    const DType *type = element.getIf<DType>();
    if (!type)
      return argError(e, args, i,
                      "must be a dtype or a tuple of dtypes, but it has " + element.describe());
    out.push_back(*type);
  }
  return out;
}

Result emitInlineAsm(Emitter &e, const Arguments &args) {
  FailureOr<std::string> text = getString(e, args, 0), constraints = getString(e, args, 1);
  if (failed(text) || failed(constraints))
    return failure();
  SmallVector<TensorValue> inputs;
  SmallVector<std::optional<int64_t>> constants; ///< Of the inputs that are known integers.
  for (const Value &v : args[2].isNone() ? std::vector<Value>() : getElements(args[2])) {
    if (!getOperand(v) && !v.isTensor())
      return argError(e, args, 2, "must hold tensors or numbers, but one is " + v.describe());
    TensorOr input = toTensor(e, v);
    if (failed(input))
      return failure();
    inputs.push_back(*input);
    std::optional<int64_t> &known = constants.emplace_back();
    APInt constant;
    if (auto *boolean = v.getIf<bool>())
      known = *boolean;
    else if (input->type.isScalar() && input->type.dtype.isInt() &&
             matchPattern(input->value, m_ConstantInt(&constant)))
      known = input->type.dtype.isSigned() ? constant.getSExtValue() : constant.getZExtValue();
  }
  FailureOr<SmallVector<DType>> types = getResultTypes(e, args, 3);
  FailureOr<bool> isPure = getBool(e, args, 4);
  FailureOr<int64_t> pack = getInt(e, args, 5, 1, 64);
  if (failed(types) || failed(isPure) || failed(pack))
    return failure();
  tile::ImmediateOperands immediates = tile::expandImmediates(
      *text, withoutBlanks(*constraints), *pack,
      llvm::map_to_vector(inputs, [](const TensorValue &v) { return v.value.getType(); }),
      constants);
  if (!immediates.error.empty())
    return callError(e, args, immediates.error);
  inputs = llvm::map_to_vector(immediates.kept, [&](unsigned i) { return inputs[i]; });
  Shape shape;
  if (!inputs.empty()) {
    if (failed(broadcastTogether(e, inputs)))
      return failure();
    shape = Shape(inputs[0].type.shape);
  }

  if (types->empty() && *isPure)
    return argError(e, args, 4,
                    "is true, but without results only the effects of the assembly count; write "
                    "is_pure=False");
  if (types->empty() &&
      !llvm::all_of(shape, [](int64_t n) { return llvm::isPowerOf2_64(uint64_t(n)); }))
    return argError(
        e, args, 2,
        "has the shape " + shapeString(shape) +
            ", but assembly with effects needs sizes that are powers of two, because it "
            "also runs on the padding of a block");
  SmallVector<mlir::Type> givenTypes, operandTypes, resultTypes;
  for (const TensorValue &input : inputs)
    givenTypes.push_back(input.value.getType());
  tile::ReadWriteConstraints expanded =
      tile::expandReadWrite(immediates.constraints, *pack, givenTypes);
  if (!expanded.error.empty())
    return callError(e, args, expanded.error);
  SmallVector<mlir::Value> operands;
  for (unsigned i : expanded.order) {
    operands.push_back(inputs[i].value);
    operandTypes.push_back(givenTypes[i]);
  }
  for (DType type : *types)
    resultTypes.push_back(getMlirType(e.builder.getContext(), TensorType{type, shape}));
  const std::string &list = expanded.constraints;
  std::string error = tile::checkInlineAsm(immediates.text, list, *pack, operandTypes, resultTypes);
  if (StringRef(error).contains(" register") && StringRef(*constraints).contains('+'))
    error += "; each output with '+' also reads an argument, in order from the first of 'args'";
  if (!error.empty())
    return callError(e, args, error);
  auto op = tile::InlineAsmOp::create(e.builder, e.loc(), resultTypes, *isPure, immediates.text,
                                      list, displayName(*args.builtin), *pack,
                                      /*assembler=*/StringAttr(), operands);
  std::vector<Value> out;
  for (auto [result, type] : llvm::zip(op.getOutputs(), *types))
    out.push_back(fromTensor(result, type, shape));
  if (out.empty())
    return Value::none();
  // A tuple of types gives a tuple, also of one.
  return args[3].getTuple() ? Value::tuple(std::move(out)) : out[0];
}

/// "cuda:sm_90a": kind and architecture; both empty for a compilation for no target at all.
struct TargetName {
  explicit TargetName(StringRef target) { std::tie(kind, arch) = target.split(':'); }
  bool isGpu() const { return !kind.empty() && kind != "cpu"; }
  /// 90 for sm_90a; 0 where it is not an NVIDIA GPU.
  unsigned capability() const {
    StringRef digits = arch;
    unsigned number = 0;
    if (kind == "cuda" && digits.consume_front("sm_"))
      digits.consumeInteger(10, number);
    return number;
  }
  StringRef kind, arch;
};

/// The target, where its architecture makes a difference. An error if there are several,
/// "hip:gfx942,gfx1100": one kernel is compiled for all of them.
FailureOr<TargetName> askArchitecture(Emitter &e, const Arguments &args) {
  TargetName target(e.services.getTarget());
  if (target.kind == "hip" && target.arch.contains(','))
    return e.error("'" + displayName(*args.builtin) +
                   "' depends on the architecture, and target '" + e.services.getTarget() +
                   "' has several; compile for each by itself");
  return target;
}

/// One instruction without arguments that reads a register of the machine.
Result readRegister(Emitter &e, const Arguments &args, StringRef assembler, StringRef text,
                    StringRef constraint, Scalar scalar, bool isPure) {
  DType type = dtype(scalar);
  auto op = tile::InlineAsmOp::create(e.builder, e.loc(),
                                      getMlirType(e.builder.getContext(), TensorType{type, {}}),
                                      isPure, text, constraint, displayName(*args.builtin),
                                      /*pack=*/1, e.builder.getStringAttr(assembler), ValueRange());
  return fromTensor(op.getResult(0), type, {});
}

Result emitSmid(Emitter &e, const Arguments &args) {
  return readRegister(e, args, "ptx", "mov.u32 $0, %smid;", "=r", Scalar::Int32, true);
}
Result emitGlobalTimer(Emitter &e, const Arguments &args) {
  return readRegister(e, args, "ptx", "mov.u64 $0, %globaltimer;", "=l", Scalar::Int64, false);
}
Result emitMemRealTime(Emitter &e, const Arguments &args) {
  FailureOr<TargetName> target = askArchitecture(e, args);
  if (failed(target))
    return failure();
  StringRef arch = target->arch;
  // From gfx11 on a message asks for the clock; from gfx12 on its answer has a counter of its own.
  StringRef text = "s_memrealtime $0\ns_waitcnt lgkmcnt(0)";
  if (arch.starts_with("gfx11"))
    text = "s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)";
  else if (arch.starts_with("gfx12"))
    text = "s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\ns_wait_kmcnt 0x0";
  return readRegister(e, args, "gcn", text, "=s", Scalar::Int64, false);
}

template <tile::GridDependencyKind kind> Result emitDependency(Emitter &e, const Arguments &) {
  tile::GridDependencyOp::create(e.builder, e.loc(), kind);
  return Value::none();
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

Result emitCurrentTarget(Emitter &e, const Arguments &args) {
  FailureOr<TargetName> found = askArchitecture(e, args);
  if (failed(found))
    return failure();
  const TargetName &target = *found;
  if (!target.isGpu())
    return Value::none();
  auto tuple = std::make_shared<TupleValue>();
  tuple->typeName = "GPUTarget";
  tuple->names = {"backend", "arch"};
  tuple->elements = {Value::string(target.kind), target.capability()
                                                     ? Value::integer(target.capability())
                                                     : Value::string(target.arch)};
  return Value(std::move(tuple));
}

Result emitIsCuda(Emitter &e, const Arguments &) {
  return Value(TargetName(e.services.getTarget()).kind == "cuda");
}
Result emitIsHip(Emitter &e, const Arguments &) {
  return Value(TargetName(e.services.getTarget()).kind == "hip");
}
Result isHipArch(Emitter &e, const Arguments &args, StringRef arch) {
  FailureOr<TargetName> target = askArchitecture(e, args);
  if (failed(target))
    return failure();
  // Features may follow: "gfx942:xnack-".
  return Value(target->kind == "hip" && target->arch.split(':').first == arch);
}
Result emitIsCdna3(Emitter &e, const Arguments &args) { return isHipArch(e, args, "gfx942"); }
Result emitIsCdna4(Emitter &e, const Arguments &args) { return isHipArch(e, args, "gfx950"); }

Result emitCapabilityAtLeast(Emitter &e, const Arguments &args) {
  FailureOr<int64_t> major = getInt(e, args, 0, 0, 1000), minor = getInt(e, args, 1, 0, 9);
  if (failed(major) || failed(minor))
    return failure();
  unsigned capability = TargetName(e.services.getTarget()).capability();
  return Value(capability != 0 && capability >= *major * 10 + *minor);
}

const Builtin kRows[] = {
    {"inline_asm_elementwise", kTl, "asm, constraints, args, dtype, is_pure, pack",
     "Assembly of the target (PTX on NVIDIA GPUs), once for every `pack` elements of arguments "
     "that "
     "broadcast together; `dtype` is the type of the result, a tuple of types for several, or None "
     "if the assembly is run for its effects alone. An output with the constraint `+r` also "
     "reads an argument; the first of `args` belong to such outputs. An argument with the "
     "constraint `n` is an integer known at compile time, which is pasted into the text. An output "
     "that is narrower than its integer type is zero-extended. A compile error on any other "
     "target.",
     emitInlineAsm},
    {"smid", kCuda, "", "Number of the multiprocessor that runs this program. NVIDIA GPUs only.",
     emitSmid},
    {"globaltimer", kCuda, "", "Nanoseconds of the GPU's clock, as int64. NVIDIA GPUs only.",
     emitGlobalTimer},
    {"gdc_wait", kCuda, "",
     "Waits until the writes of earlier launches of the stream are visible: a launch with "
     "`launch_pdl=True` may begin before they end. Does nothing where launches do not overlap.",
     emitDependency<tile::GridDependencyKind::Wait>},
    {"gdc_launch_dependents", kCuda, "",
     "Lets the next launch of the stream begin, if it has `launch_pdl=True`. "
     "Does nothing where launches do not overlap.",
     emitDependency<tile::GridDependencyKind::Release>},
    {"memrealtime", kHip, "", "The GPU's constant clock, as int64. AMD GPUs only.",
     emitMemRealTime},
    {"current_target", kTargetInfo, "",
     "The target: `backend` (\"cuda\") and `arch` (90; a string where targets have no "
     "number). None on the interpreter.",
     emitCurrentTarget},
    {"is_cuda", kTargetInfo, "", "Whether the target is an NVIDIA GPU.", emitIsCuda},
    {"cuda_capability_geq", kTargetInfo, "major, minor=0",
     "Whether the target is an NVIDIA GPU of at least this compute capability.",
     emitCapabilityAtLeast},
    {"is_hip", kTargetInfo, "", "Whether the target is an AMD GPU.", emitIsHip},
    {"is_hip_cdna3", kTargetInfo, "", "Whether the target is gfx942.", emitIsCdna3},
    {"is_hip_cdna4", kTargetInfo, "", "Whether the target is gfx950.", emitIsCdna4},
};
} // namespace

void addTargetOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
