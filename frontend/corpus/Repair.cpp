// See Repair.h.
#include "frontend/corpus/Repair.h"

#include "frontend/corpus/Slice.h"
#include "frontend/sema/Names.h"

using namespace tilerun;
using namespace tilerun::corpus;
using llvm::StringRef;

/// The most changes of one signature that are kept.
static constexpr unsigned kMostChanges = 16;
/// The most functions that are passed to a parameter that is called.
static constexpr size_t kMostFunctions = 16;

bool corpus::isBeyondRepair(StringRef message) {
  return llvm::any_of(llvm::ArrayRef<StringRef>{"has no name", "host module", "host function",
                                                "is not known", "not supported", "has no parameter",
                                                "does not have it", "was not found",
                                                "cannot be used in a kernel",
                                                "cannot be called in a kernel", "internal error"},
                      [&](StringRef part) { return message.contains(part); });
}

/// Whether `a` gets further than `b`: its first error is later, or it has fewer errors.
static bool isFurther(const Attempt &a, const Attempt &b) {
  if (a.compiles || b.compiles)
    return a.compiles && !b.compiles;
  if (a.errors.empty() || b.errors.empty())
    return false;
  ErrorPath left = getErrorPath(a.errors.front()), right = getErrorPath(b.errors.front());
  auto isWithin = [](SourceRange inner, SourceRange outer) {
    return inner.begin.offset >= outer.begin.offset && inner.end <= outer.end;
  };
  for (auto [l, r] : llvm::zip(left, right)) {
    if (l.begin == r.begin && l.end == r.end)
      continue;
    if (l.begin.file != r.begin.file)
      return false;
    // Operands come before the results made from them.
    if (isWithin(l, r) || isWithin(r, l))
      return isWithin(r, l);
    return l.begin.offset > r.begin.offset;
  }
  if (left.size() != right.size())
    return left.size() < right.size();
  // A value comes before what a descriptor objects to in it: "desc.store: 'value' has …".
  auto isOfCall = [](const Attempt &of) {
    auto [function, rest] = StringRef(of.errors.front().message).split(": '");
    return !rest.empty() && function.starts_with("desc.");
  };
  if (isOfCall(a) != isOfCall(b))
    return isOfCall(a);
  return a.errors.size() < b.errors.size();
}

static ArgumentSpec pointerTo(Scalar scalar) {
  return TypedArgument{dtype(scalar).getPointerTo(), 16};
}

static ArgumentSpec descriptorOf(Scalar scalar, llvm::ArrayRef<int64_t> block) {
  TypedArgument out{dtype(scalar).getPointerTo(), 16};
  out.block = block.vec();
  return out;
}

static constexpr Scalar kElements[] = {Scalar::Int32,  Scalar::F32,   Scalar::Int64, Scalar::F16,
                                       Scalar::BF16,   Scalar::UInt8, Scalar::Int8,  Scalar::Int1,
                                       Scalar::UInt32, Scalar::F8E4NV};

static bool isConstexpr(const ast::Parameter &parameter) {
  return sema::isConstexprAnnotation(parameter.annotation);
}

/// How much a change alters: small changes are tried first.
enum class Tier {
  Same,  ///< Another type or number of the same kind.
  Other, ///< Another kind of thing.
  Flag   ///< Which code is compiled, rather than sizes and types; may leave out the faulty part.
};

static Tier getTier(const ArgumentSpec *now, const ArgumentSpec &next) {
  if (const auto *constant = std::get_if<ConstantArgument>(&next)) {
    if (std::holds_alternative<bool>(constant->value) ||
        std::holds_alternative<std::monostate>(constant->value) ||
        std::holds_alternative<std::string>(constant->value))
      return Tier::Flag;
    const auto *before = now ? std::get_if<ConstantArgument>(now) : nullptr;
    return before && before->value.index() == constant->value.index() ? Tier::Same : Tier::Other;
  }
  const auto &typed = std::get<TypedArgument>(next);
  const auto *before = now ? std::get_if<TypedArgument>(now) : nullptr;
  return before && before->type.isPointer() == typed.type.isPointer() &&
                 before->block.empty() == typed.block.empty()
             ? Tier::Same
             : Tier::Other;
}

/// Alternatives for a parameter, the likeliest first.
static std::vector<ArgumentSpec> listAlternatives(const JitFunction &function,
                                                  const ast::Parameter &parameter,
                                                  const ParameterUse &use,
                                                  const ArgumentSpec *now) {
  std::vector<ArgumentSpec> out;
  auto add = [&](auto value) { out.push_back(ConstantArgument{value}); };
  if (use.isCalled)
    for (const auto &other : function.module->functions)
      if (other.get() != &function && returnsValue(*other) && out.size() < kMostFunctions)
        add(ConstantArgument::FunctionName{other->qualifiedName});
  if (isConstexpr(parameter)) {
    for (const std::string &text : use.strings)
      add(text);
    if (use.isDType)
      for (Scalar scalar : {Scalar::F32, Scalar::F16, Scalar::BF16, Scalar::Int32, Scalar::F8E4NV})
        add(dtype(scalar));
    if (use.isIndexed)
      for (int64_t number : {1, 16})
        add(std::vector(8, ConstantArgument{number}));
    for (int64_t number : {16, 32, 64, 128, 1, 2, 4, 8, 256, 3, 0})
      add(number);
    if (!use.isDType) {
      add(1.0);
      for (Scalar scalar : {Scalar::F32, Scalar::F16, Scalar::Int32, Scalar::F8E4NV})
        add(dtype(scalar));
    }
    add(std::string("ieee"));
    add(std::string()); // Of caches and evictions.
    add(true);
    add(false);
    add(std::monostate());
    return out;
  }
  const auto *typed = now ? std::get_if<TypedArgument>(now) : nullptr;
  const bool isPointer = typed ? typed->type.isPointer() && typed->block.empty() : use.isPointer;
  auto addPointers = [&] {
    for (Scalar scalar : kElements)
      out.push_back(pointerTo(scalar));
  };
  if (use.isDescriptor || (typed && !typed->block.empty())) {
    const std::vector<int64_t> blocks[] = {{64, 64},       {64},       {1, 64, 64},
                                           {1, 1, 64, 64}, {1, 64},    {16, 16},
                                           {32, 32},       {128, 128}, {1, 1, 1, 64, 64}};
    constexpr Scalar kDescribed[] = {Scalar::F16, Scalar::F32, Scalar::BF16, Scalar::F8E4NV,
                                     Scalar::UInt8};
    if (typed && !typed->block.empty())
      for (Scalar scalar : kDescribed)
        out.push_back(descriptorOf(scalar, typed->block));
    for (Scalar scalar : kDescribed)
      for (const auto &block : blocks)
        out.push_back(descriptorOf(scalar, block));
  }
  if (isPointer)
    addPointers();
  for (Scalar scalar : {Scalar::Int32, Scalar::F32, Scalar::Int64, Scalar::Int1})
    out.push_back(TypedArgument{dtype(scalar), 1});
  if (!isPointer)
    addPointers();
  add(std::monostate());
  return out;
}

namespace {
/// The search from one signature on.
class Repairer {
public:
  Repairer(const JitFunction &function, Attempt start, unsigned triesLeft, Try attempt)
      : function(function), uses(analyzeUses(function)), best(std::move(start)),
        triesLeft(triesLeft), attempt(attempt) {}
  Attempt run();

private:
  /// By the parameter, or by the element of a tuple ("t.0").
  using Change = std::vector<std::pair<std::string, ArgumentSpec>>;
  /// Whether the change gets further, and is kept.
  bool improvesBy(const Change &change);
  /// A value for a global that only host code knows.
  bool giveGlobal();
  bool changeOne(llvm::ArrayRef<StringRef> names, Tier tier);
  /// All element types that are involved become the same.
  bool changeElements(llvm::ArrayRef<StringRef> names);
  /// A parameter that is indexed becomes a tuple.
  bool makeTuple(llvm::ArrayRef<StringRef> names);
  /// Descriptors get blocks of the sizes that the kernel has, with one element type.
  bool changeBlocks(llvm::ArrayRef<StringRef> names);
  /// Two sizes that have to match.
  bool changeTwoSizes(llvm::ArrayRef<StringRef> names);

  const ArgumentSpec *getCurrent(StringRef name) const {
    auto found = best.signature.arguments.find(name.str());
    return found == best.signature.arguments.end() ? nullptr : &found->second;
  }
  const ast::Parameter &getParameter(StringRef name) const {
    return *llvm::find_if(function.def->parameters, [&](auto &p) { return p.name == name; });
  }

  const JitFunction &function;
  llvm::StringMap<ParameterUse> uses;
  Attempt best;
  unsigned triesLeft;
  Try attempt;
};
} // namespace

bool Repairer::improvesBy(const Change &change) {
  if (triesLeft == 0)
    return false;
  --triesLeft;
  KernelSignature changed = best.signature;
  for (const auto &[name, spec] : change) {
    if (auto [whole, rest] = StringRef(name).split('.'); !rest.empty())
      changed.arguments.erase(whole.str());
    changed.arguments[name] = spec;
  }
  Attempt next = attempt(changed);
  if (!isFurther(next, best))
    return false;
  best = std::move(next);
  return true;
}

bool Repairer::giveGlobal() {
  bool improved = false;
  // Most are flags that say what a machine has.
  const std::vector<ConstantArgument> flags = {{false}, {true}, {int64_t(64)}, {int64_t(1)}, {}};
  const auto functions = best.functionLines;
  for (const std::string &name : std::vector(best.missedGlobals)) {
    std::vector<ConstantArgument> values;
    if (auto known = functions.find(name); known != functions.end())
      for (int64_t line : known->second)
        values.push_back({line});
    else
      values = flags;
    for (const ConstantArgument &value : values)
      if (!best.compiles)
        improved |= improvesBy({{name, value}});
  }
  return improved;
}

bool Repairer::changeOne(llvm::ArrayRef<StringRef> names, Tier tier) {
  for (StringRef name : names)
    for (ArgumentSpec &spec :
         listAlternatives(function, getParameter(name), uses[name], getCurrent(name)))
      if (getTier(getCurrent(name), spec) == tier && improvesBy({{name.str(), std::move(spec)}}))
        return true;
  return false;
}

bool Repairer::changeElements(llvm::ArrayRef<StringRef> names) {
  Change change;
  for (StringRef name : names)
    if (const ArgumentSpec *now = getCurrent(name))
      if (auto *typed = std::get_if<TypedArgument>(now); typed && typed->type.isPointer())
        change.emplace_back(name.str(), *now);
  if (change.size() < 2)
    return false;
  // All of them, and the two nearest.
  for (size_t count : {change.size(), size_t(2)}) {
    change.resize(count);
    for (Scalar scalar : kElements) {
      for (auto &[name, spec] : change)
        std::get<TypedArgument>(spec).type = dtype(scalar).getPointerTo();
      if (improvesBy(change))
        return true;
    }
  }
  return false;
}

bool Repairer::makeTuple(llvm::ArrayRef<StringRef> names) {
  for (StringRef name : names) {
    const ArgumentSpec *now = getCurrent(name);
    if (!now || !uses[name].isIndexed || isConstexpr(getParameter(name)))
      continue;
    std::vector<ArgumentSpec> elements = {pointerTo(Scalar::F32), pointerTo(Scalar::F16),
                                          pointerTo(Scalar::Int32),
                                          TypedArgument{dtype(Scalar::Int32), 1}};
    // Most have a few elements; some are as long as a block.
    for (size_t count : {4, 2, 8, 64})
      for (const ArgumentSpec &element : elements) {
        Change change;
        for (size_t i = 0; i < count; ++i)
          change.emplace_back((name + "." + llvm::Twine(i)).str(), element);
        if (improvesBy(change))
          return true;
      }
  }
  return false;
}

bool Repairer::changeBlocks(llvm::ArrayRef<StringRef> names) {
  constexpr size_t kMostSizes = 4;
  std::vector<int64_t> sizes;
  for (const auto &[name, spec] : best.signature.arguments)
    if (auto *constant = std::get_if<ConstantArgument>(&spec))
      if (auto *size = std::get_if<int64_t>(&constant->value);
          size && *size >= 16 && llvm::isPowerOf2_64(*size) && !llvm::is_contained(sizes, *size) &&
          sizes.size() < kMostSizes)
        sizes.push_back(*size);
  // The value that does not fit is what an error is about, and the descriptor is beside it.
  llvm::SmallVector<StringRef> candidates(names);
  if (StringRef(best.errors.front().message).starts_with("desc."))
    for (const ast::Parameter &parameter : function.def->parameters)
      if (!llvm::is_contained(candidates, parameter.name))
        candidates.push_back(parameter.name);
  Change descriptors;
  for (StringRef name : candidates)
    if (const ArgumentSpec *now = getCurrent(name))
      if (auto *typed = std::get_if<TypedArgument>(now); typed && typed->block.size() >= 2)
        descriptors.emplace_back(name.str(), *now);
  // With the element types that they have, or all with one.
  llvm::SmallVector<std::optional<Scalar>> scalars = {std::nullopt};
  if (StringRef(best.errors.front().message).contains("different dtypes"))
    scalars.push_back(Scalar::F16);
  for (std::optional<Scalar> scalar : scalars)
    for (auto &[name, spec] : descriptors)
      for (int64_t rows : sizes)
        for (int64_t columns : sizes) {
          const auto &block = std::get<TypedArgument>(spec).block;
          if (!scalar && block.back() == columns && block[block.size() - 2] == rows)
            continue;
          Change change{{name, spec}};
          if (scalar)
            change = descriptors;
          for (auto &[other, otherSpec] : change) {
            auto &typed = std::get<TypedArgument>(otherSpec);
            if (scalar)
              typed.type = dtype(*scalar).getPointerTo();
            if (other == name)
              typed.block.back() = columns, typed.block[typed.block.size() - 2] = rows;
          }
          if (improvesBy(change))
            return true;
        }
  return false;
}

bool Repairer::changeTwoSizes(llvm::ArrayRef<StringRef> names) {
  constexpr size_t kMostSizes = 4;
  llvm::SmallVector<StringRef> sizes;
  for (StringRef name : names)
    if (const ArgumentSpec *now = getCurrent(name); now && sizes.size() < kMostSizes)
      if (auto *constant = std::get_if<ConstantArgument>(now);
          constant && std::holds_alternative<int64_t>(constant->value))
        sizes.push_back(name);
  for (size_t i = 0; i < sizes.size(); ++i)
    for (size_t j = i + 1; j < sizes.size(); ++j)
      for (int64_t a : {16, 32, 64, 128, 1, 2, 4})
        for (int64_t b : {16, 32, 64, 128, 1, 2, 4})
          if (improvesBy(
                  {{sizes[i].str(), ConstantArgument{a}}, {sizes[j].str(), ConstantArgument{b}}}))
            return true;
  return false;
}

Attempt Repairer::run() {
  for (unsigned change = 0; change < kMostChanges && !best.compiles; ++change) {
    if (best.errors.empty())
      break;
    if (!best.missedGlobals.empty() && giveGlobal())
      continue;
    if (isBeyondRepair(best.errors.front().message))
      break;
    std::vector<StringRef> names = findInfluences(function, getErrorPath(best.errors.front()));
    if (!makeTuple(names) && !changeBlocks(names) && !changeOne(names, Tier::Same) &&
        !changeElements(names) && !changeOne(names, Tier::Other) && !changeTwoSizes(names) &&
        !changeOne(names, Tier::Flag))
      break;
  }
  return std::move(best);
}

Attempt corpus::repair(const JitFunction &function, std::vector<Attempt> attempts,
                       unsigned mostTries, Try attempt) {
  Attempt best = std::move(attempts.front());
  for (Attempt &other : llvm::drop_begin(attempts))
    if (isFurther(other, best))
      best = std::move(other);
  return Repairer(function, std::move(best), mostTries, attempt).run();
}
