// See Guess.h. The rules follow the names that published kernels give their parameters.
#include "frontend/corpus/Guess.h"

#include "frontend/corpus/Usage.h"
#include "frontend/sema/Names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::corpus;
using llvm::StringRef;

namespace {
/// How one guess differs from another.
struct Style {
  Scalar element;
  int64_t block;
  bool flag;
};
constexpr Style kStyles[] = {
    {Scalar::F32, 64, false}, {Scalar::F16, 64, false},   {Scalar::F32, 32, true},
    {Scalar::BF16, 16, true}, {Scalar::Int32, 64, false}, {Scalar::Int1, 64, false},
    {Scalar::F32, 16, false}, {Scalar::F16, 128, true},
};

/// Whether one of the words, separated by blanks, is in `name` as a whole part: `x_ptr` has "ptr".
bool hasPart(StringRef name, StringRef words) {
  llvm::SmallVector<StringRef> parts, wanted;
  std::string lower = name.lower();
  StringRef(lower).split(parts, '_', -1, false);
  words.split(wanted, ' ', -1, false);
  return llvm::any_of(parts, [&](StringRef part) { return llvm::is_contained(wanted, part); });
}
bool hasText(StringRef name, StringRef words) {
  llvm::SmallVector<StringRef> wanted;
  words.split(wanted, ' ', -1, false);
  std::string lower = name.lower();
  return llvm::any_of(wanted, [&](StringRef word) { return StringRef(lower).contains(word); });
}

ArgumentSpec pointerTo(Scalar scalar) {
  TypedArgument out;
  out.type = dtype(scalar).getPointerTo();
  out.divisibility = 16;
  return out;
}

ArgumentSpec guessPointer(StringRef name, const ParameterUse &use, const Style &style) {
  if (hasPart(name, "mask masks flag flags") && style.flag)
    return pointerTo(Scalar::Int1);
  if (use.holdsIndices || hasPart(name, "idx index indices indexes seqlens lens lengths labels "
                                        "label target targets ids table tables locs loc slots"))
    return pointerTo(style.block == 16 ? Scalar::Int64 : Scalar::Int32);
  return pointerTo(style.element);
}

ArgumentSpec guessScalar(StringRef name) {
  TypedArgument out;
  // A number of things is an integer, whatever the name of the things suggests.
  const bool isCount = hasPart(name, "n num stride strides rs size len dim numel count") ||
                       hasText(name, "stride num_ n_ _size seed offset");
  if (!isCount &&
      (hasPart(name, "eps epsilon alpha beta gamma scale p prob momentum lr decay theta "
                     "softcap threshold temperature value negative slope rate dropout "
                     "factor coef weight delta lambda beta1 beta2 min max inv std lo hi "
                     "low high rstd mean step normalizer smoothing cap limit base") ||
       hasText(name, "scale eps smooth softcap alpha loss")))
    out.type = dtype(Scalar::F32);
  else
    out.type = dtype(Scalar::Int32);
  return out;
}

ConstantArgument guessConstant(StringRef name, const ParameterUse &use, const Style &style) {
  if (!use.strings.empty())
    return {use.strings[style.flag ? use.strings.size() - 1 : 0]};
  if (use.isDType || hasText(name, "dtype"))
    return {dtype(style.element == Scalar::Int32 || style.element == Scalar::Int1 ? Scalar::F32
                                                                                  : style.element)};
  if (use.isComparedToNone && !use.isCount)
    return {};
  if (hasText(name, "cache_modifier eviction"))
    return {std::string()};
  const bool isFlag =
      hasPart(name, "is use has store with reverse causal enable do output fuse need even apply "
                    "transpose trans compute load save varlen inplace exact allow enabled return "
                    "keep add no");
  if ((use.isCondition && !use.isCount) || (isFlag && !use.isCount))
    return {style.flag};
  // Whatever it belongs to, a stride is a number of elements.
  if (hasPart(name, "axis ndim stride strides base offset shift"))
    return {int64_t(1)};
  if (hasPart(name, "stages stage"))
    return {int64_t(2)};
  if (hasPart(name, "warps"))
    return {int64_t(4)};
  if (hasPart(name, "group groups") || hasPart(name, "g"))
    return {int64_t(8)};
  if (hasPart(name, "eps epsilon scale softcap momentum alpha beta"))
    return {0.5};
  if (hasPart(name, "precision"))
    return {std::string("ieee")};
  if ((use.isUnrolled && !use.isShape) ||
      (hasPart(name, "num n") && !hasText(name, "block cols rows elements size dim")))
    return {int64_t(4)};
  return {style.block};
}

/// Values and options of the first autotune configuration.
void applyConfig(Frontend &frontend, const JitFunction &function, KernelSignature &signature) {
  if (!function.autotune || function.autotune->configs.empty())
    return;
  const AutotuneConfig &config = function.autotune->configs.front();
  auto evaluate = [&](const ast::Expr *expr) -> std::optional<ConstantArgument> {
    if (!expr)
      return std::nullopt;
    return frontend.evaluateConstant(*function.module, *expr, {});
  };
  for (const auto &[name, expr] : config.kwargs)
    if (auto value = evaluate(expr);
        value && llvm::any_of(function.def->parameters, [&](auto &p) { return p.name == name; }))
      signature.arguments[name] = *value;
  auto set = [&](const ast::Expr *expr, int64_t &out) {
    if (auto value = evaluate(expr))
      if (auto *number = std::get_if<int64_t>(&value->value))
        out = *number;
  };
  set(config.numWarps, signature.numWarps);
  set(config.numStages, signature.numStages);
}

std::string formatConstant(const ConstantArgument &constant) {
  if (std::holds_alternative<std::monostate>(constant.value))
    return "none";
  if (auto *flag = std::get_if<bool>(&constant.value))
    return *flag ? "true" : "false";
  if (auto *integer = std::get_if<int64_t>(&constant.value))
    return std::to_string(*integer);
  if (auto *natural = std::get_if<uint64_t>(&constant.value))
    return std::to_string(*natural);
  if (auto *number = std::get_if<double>(&constant.value))
    return std::isinf(*number) ? (*number < 0 ? "-inf" : "inf")
                               : llvm::formatv("{0:e17}", *number).str();
  if (auto *text = std::get_if<std::string>(&constant.value)) {
    std::string out = "\"";
    for (char c : *text)
      out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    return out + "\"";
  }
  if (auto *type = std::get_if<DType>(&constant.value))
    return type->signature() + "!";
  if (auto *function = std::get_if<ConstantArgument::FunctionName>(&constant.value))
    return function->name;
  if (auto *elements = std::get_if<std::vector<ConstantArgument>>(&constant.value)) {
    std::string out = "(";
    for (const ConstantArgument &element : *elements)
      out += formatConstant(element) + ",";
    return out + ")";
  }
  return "none"; // A tensor; only whether it is absent matters.
}
} // namespace

std::vector<KernelSignature> corpus::guessSignatures(Frontend &frontend,
                                                     const JitFunction &function) {
  llvm::StringMap<ParameterUse> uses = analyzeUses(function);
  std::vector<KernelSignature> out;
  for (const Style &style : kStyles) {
    KernelSignature signature;
    applyConfig(frontend, function, signature);
    for (const ast::Parameter &parameter : function.def->parameters) {
      if (parameter.kind == ast::ParameterKind::VarArgs ||
          parameter.kind == ast::ParameterKind::KwArgs ||
          signature.arguments.count(parameter.name.str()))
        continue;
      const ParameterUse &use = uses[parameter.name];
      ArgumentSpec spec;
      if (sema::isConstexprAnnotation(parameter.annotation)) {
        // Flags are tried both ways; other parameters keep their defaults.
        if (parameter.defaultValue && !(use.isCondition && style.flag))
          continue;
        spec = guessConstant(parameter.name, use, style);
      } else if (parameter.defaultValue) {
        continue;
      } else if (use.isDescriptor) {
        TypedArgument typed = std::get<TypedArgument>(pointerTo(style.element));
        // Only the last two dimensions are large.
        typed.block.assign(use.rank ? use.rank : 2, 1);
        for (int64_t &size : llvm::MutableArrayRef(typed.block).take_back(2))
          size = style.block;
        spec = typed;
      } else if (use.isPointer ||
                 (!use.isCount && hasPart(parameter.name, "ptr pointer ptrs base"))) {
        spec = guessPointer(parameter.name, use, style);
      } else if (auto type = sema::getAnnotatedType(parameter.annotation)) {
        TypedArgument typed;
        typed.type = *type;
        spec = typed;
      } else if (use.isComparedToNone && !use.isOperand) {
        spec = ConstantArgument{};
      } else {
        spec = use.isCount || use.isIndex ? ArgumentSpec(TypedArgument{dtype(Scalar::Int32), 1})
                                          : guessScalar(parameter.name);
      }
      signature.arguments[parameter.name.str()] = std::move(spec);
    }
    out.push_back(std::move(signature));
  }
  return out;
}

static std::string formatSpec(const ArgumentSpec &spec) {
  auto *typed = std::get_if<TypedArgument>(&spec);
  if (!typed)
    return formatConstant(std::get<ConstantArgument>(spec));
  if (!typed->block.empty())
    return "tensordesc<" + typed->type.getPointee().signature() + "[" +
           llvm::join(llvm::map_range(typed->block, [](int64_t n) { return std::to_string(n); }),
                      ",") +
           "]" + (typed->padsWithNan ? ",nan>" : ">");
  return typed->type.signature() +
         (typed->divisibility > 1 ? ":" + std::to_string(typed->divisibility) : "") +
         (typed->isSmall ? ":small" : "");
}

// Of a parameter, or of a tuple whose elements are arguments of their own: "t.0", "t.1".
static std::string formatArgument(const std::map<std::string, ArgumentSpec> &arguments,
                                  const std::string &path) {
  if (auto it = arguments.find(path); it != arguments.end())
    return formatSpec(it->second);
  std::string out = "(";
  unsigned count = 0;
  for (;; ++count) {
    std::string element = path + "." + std::to_string(count);
    auto next = arguments.lower_bound(element);
    if (next == arguments.end() ||
        (next->first != element && !llvm::StringRef(next->first).starts_with(element + ".")))
      break;
    out += (count ? ", " : "") + formatArgument(arguments, element);
  }
  return out + (count == 1 ? ",)" : ")");
}

std::string corpus::formatSignature(const KernelSignature &signature) {
  std::string out, last;
  for (const auto &[path, spec] : signature.arguments) {
    // A constant of a class has a dotted name; other dots number the elements of a tuple.
    std::string name = getGlobalName(path).str();
    if (name == last)
      continue;
    out += (out.empty() ? "" : ", ") + name + "=" + formatArgument(signature.arguments, name);
    last = name;
  }
  return out;
}
