// Statements of random kernels.
#include "tests/property/Generator.h"

#include "tests/property/Builder.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::property;

namespace {

constexpr int kDepth = 3;

/// Functions with a bound for float32, with operands that they have it for.
struct Function {
  const char *name, *call;
  const char *inside; ///< Condition on the operand, `$0`.
  const char *other;  ///< Taken where it does not hold.
};
constexpr Function kFunctions[] = {
    {"exp", "tl.exp(X)", "tl.abs($0) < 20", "1.5"},
    {"exp2", "tl.exp2(X)", "tl.abs($0) < 100", "1.5"},
    {"log", "tl.log(X)", "($0 > 0.001) & ($0 < 1000000)", "2.5"},
    {"log2", "tl.log2(X)", "($0 > 0.001) & ($0 < 1000000)", "2.5"},
    {"sin", "tl.sin(X)", "(tl.abs($0) < 3) & (tl.abs($0) > 1e-30)", "0.5"},
    {"cos", "tl.cos(X)", "tl.abs($0) < 3", "0.5"},
    {"sqrt", "tl.sqrt(X)", "($0 > 0.001) & ($0 < 1000000)", "2.5"},
    {"rsqrt", "tl.rsqrt(X)", "($0 > 0.001) & ($0 < 1000000)", "2.5"},
    {"divide", "(3.0 / X)", "(tl.abs($0) > 0.25) & (tl.abs($0) < 8)", "2.0"},
    {"erf", "tl.erf(X)", "(tl.abs($0) < 3) & (tl.abs($0) > 1e-30)", "0.5"},
};

class Generator {
public:
  explicit Generator(uint64_t seed) : b(seed) {}

  Kernel run() {
    makeBlock(b.kernel.body, 3 + b.random.below(6), 0);
    if (b.random.chance(25))
      accumulate();
    // The results must be visible.
    std::vector<Variable> rest = b.scope;
    for (size_t i = rest.size(); i-- > 0 && outputs < 5;)
      if (i + 3 >= rest.size() || b.random.chance(50))
        store(b.kernel.body, makeExpr(rest[i].type, rest[i].name, {}, {}, rest[i].has));
    return std::move(b.kernel);
  }

private:
  void makeBlock(std::vector<Stmt> &body, size_t count, int level) {
    for (size_t i = 0; i < count; ++i)
      makeStatement(body, level);
  }

  void assign(std::vector<Stmt> &body) {
    ValueType type = b.pickType();
    ExprRef value = b.make(type, static_cast<int>(1 + b.random.below(kDepth)),
                           {b.random.chance(40), b.random.chance(15)});
    std::string name = b.makeName("v");
    body.push_back({Stmt::Kind::Assign, {name}, true, value, nullptr, "", {}, {}});
    b.scope.push_back({name, type, value->has, true});
  }

  /// Changes a variable that exists; null if there is none.
  bool reassign(std::vector<Stmt> &body) {
    std::vector<Variable> candidates;
    for (const Variable &variable : b.scope)
      if (variable.isMutable)
        candidates.push_back(variable);
    if (candidates.empty())
      return false;
    Variable variable = b.random.pick(candidates);
    Stmt stmt;
    stmt.names = {variable.name};
    bool isFloat = variable.type.dtype.isFloat();
    bool isSum = !isFloat || (variable.has.noProduct && !variable.has.raw);
    if (b.random.chance(25) && !variable.type.dtype.isFp8() && isSum) {
      static const char *const kFloat[] = {"+", "-"}, *const kInteger[] = {"+", "-", "*", "^", "|"},
                               *const kBool[] = {"&", "|", "^"};
      stmt.text = isFloat                        ? b.random.pick(kFloat)
                  : variable.type.dtype.isBool() ? b.random.pick(kBool)
                                                 : b.random.pick(kInteger);
      stmt.value = b.make(variable.type, 2, {isFloat, false}); // No rounded product.
    } else {
      stmt.value = b.make(variable.type, 2, variable.has);
    }
    body.push_back(std::move(stmt));
    return true;
  }

  void unpack(std::vector<Stmt> &body) {
    ValueType type = b.pickType();
    if (b.random.chance(60))
      return unpackCall(body, type);
    ValueType from = type;
    from.shape.push_back(Dim{{}, 1});
    if (from.shape.size() > 3 || !b.isSmall(from.shape))
      return assign(body);
    ExprRef joined = b.make(from, 2);
    std::string first = b.makeName("v"), second = b.makeName("v");
    // The expression's type is that of each part.
    body.push_back({Stmt::Kind::Unpack,
                    {first, second},
                    true,
                    makeFixed(type, "tl.split($0)", {joined}, {}, joined->has),
                    nullptr,
                    "",
                    {},
                    {}});
    for (const std::string &name : {first, second})
      b.scope.push_back({name, type, joined->has, true});
  }

  /// Results of a function, of a reduction or of a scan.
  void unpackCall(std::vector<Stmt> &body, ValueType type) {
    std::vector<ValueType> types{type, type};
    ExprRef call;
    DType integer = b.pickInteger();
    size_t choice = b.random.below(5);
    if (choice < 2) {
      types[1].dtype = b.pickDtype();
      if (b.random.chance(30))
        types.push_back({b.pickDtype(), b.random.chance(50) ? Shape() : type.shape});
      call = b.makeTupleCall(types, 2);
    } else if (choice == 2 && !type.shape.empty()) {
      types = {{integer, type.shape}, {integer, type.shape}};
      ExprRef x = b.make(types[0], 2), y = b.make(types[1], 2);
      call = makeFixed(types[0],
                       "tl.associative_scan(($0, $1), " +
                           std::to_string(b.random.below(type.shape.size())) +
                           (b.random.chance(50) ? ", comb_linear)" : ", comb_segments)"),
                       {x, y});
    } else if (choice == 3 && type.shape.size() < 3) {
      size_t axis = b.random.below(type.shape.size() + 1);
      types = {{dtype(Scalar::Int32), type.shape}, {dtype(Scalar::Int32), type.shape}};
      ExprRef x = b.make({types[0].dtype, b.insertDim(type.shape, axis)}, 2);
      call = makeFixed(types[0],
                       std::string(b.random.chance(50) ? "tl.max" : "tl.min") +
                           "($0, axis=" + std::to_string(axis) + ", return_indices=True)",
                       {x});
    } else if (choice == 4) {
      DType u32 = dtype(Scalar::UInt32);
      types = std::vector<ValueType>(4, {u32, type.shape});
      call = makeFixed(types[0], "tl.randint4x(3, $0)",
                       {b.make({dtype(Scalar::Int32), type.shape}, 2)});
    }
    if (!call)
      return assign(body);
    Stmt stmt;
    stmt.kind = Stmt::Kind::Unpack;
    stmt.declares = true;
    stmt.value = call;
    for (const ValueType &each : types) {
      stmt.names.push_back(b.makeName("v"));
      b.scope.push_back(
          {stmt.names.back(), each, each.dtype.isFloat() ? call->has : Traits(), true});
    }
    body.push_back(std::move(stmt));
  }

  void store(std::vector<Stmt> &body, ExprRef value, const std::string &function = "") {
    std::string name = "o" + std::to_string(outputs++);
    const ValueType &type = value->type;
    b.kernel.tensors.push_back(
        {name, type.dtype, getNumElements(type.shape), 0, true, false, function});
    ExprRef mask;
    if (!type.shape.empty() && b.random.chance(30))
      mask = b.makeMask(type.shape, 1);
    unsigned variant = b.random.chance(40) ? static_cast<unsigned>(b.random.below(kStoreForms)) : 0;
    body.push_back({Stmt::Kind::Store, {}, false, std::move(value), mask, name, {}, {}, variant});
  }

  /// Stores f(x), perhaps moved; its bound holds against the same in float64.
  void storeApproximate(std::vector<Stmt> &body) {
    const Function &function = b.random.pick(kFunctions);
    ValueType type{dtype(Scalar::F32), b.pickShape()};
    ExprRef x = b.make(type, 2);
    std::string operand =
        "tl.where(" + std::string(function.inside) + ", $0, " + function.other + ")";
    auto write = [&](const std::string &argument) {
      std::string call = function.call;
      call.replace(call.find('X'), 1, argument);
      return call;
    };
    auto call = std::make_shared<Expr>(*makeExpr(type, write(operand), {x}, {}, {false, false}));
    call->wide = write(operand + ".to(tl.float64)");
    ExprRef value = call;
    if (type.shape.size() == 2 && b.random.chance(50))
      value = makeExpr({type.dtype, {type.shape[1], type.shape[0]}}, "tl.trans($0)", {call}, {},
                       {false, false});
    store(body, value, function.name);
  }

  /// An operand of an atomic. GPUs may add float32 without subnormal numbers in memory.
  ExprRef makeOperand(const ValueType &type, Traits need = {false, false}) {
    ExprRef value = b.make(type, 2, need);
    if (type.dtype == dtype(Scalar::F32) && !need.raw)
      return makeFixed(type, "normal($0)", {value}, {}, value->has);
    if (type.dtype.isFloat())
      return value;
    Expr expr = *makeFixed(type, "$0", {value});
    expr.guarded = "($0 ^ n1).to(" + spell(type.dtype) + ")";
    return std::make_shared<Expr>(std::move(expr));
  }

  /// Operations whose order does not matter, on positions that any program may choose.
  void atomics(std::vector<Stmt> &body) {
    static const char *const kOperations[] = {"add", "max", "min", "and", "or", "xor"};
    static const Scalar kTypes[] = {Scalar::Int32, Scalar::Int64, Scalar::UInt32, Scalar::UInt64};
    DType of = dtype(b.random.pick(kTypes));
    std::string operation = b.random.pick(kOperations);
    std::string name = "a_" + operation + "_" + of.signature();
    bool known = false;
    for (const Tensor &tensor : b.kernel.tensors)
      known |= tensor.name == name;
    if (!known)
      b.kernel.tensors.push_back({name, of, Dim(), 64, true, true, ""});
    Shape shape = b.pickShape();
    ExprRef index = b.make({dtype(Scalar::Int32), shape}, 2), value = makeOperand({of, shape});
    std::vector<ExprRef> args{index, value};
    std::string text = "tl.atomic_" + operation + "(" + name + " + ($0 & 63), $1";
    if (b.random.chance(40)) {
      args.push_back(b.makeMask(shape, 1));
      text += ", mask=$2";
    }
    if (b.random.chance(30))
      text += ", sem=\"relaxed\"";
    body.push_back({Stmt::Kind::Effect,
                    {},
                    false,
                    makeFixed({of, shape}, text + ")", args),
                    nullptr,
                    "",
                    {},
                    {}});
  }

  /// An operation on memory that nothing else touches, each element once, and the old values.
  void exchange(std::vector<Stmt> &body) {
    static const Scalar kTypes[] = {Scalar::Int32, Scalar::Int64, Scalar::UInt32, Scalar::UInt64,
                                    Scalar::Int16, Scalar::F32,   Scalar::F16,    Scalar::F64};
    static const char *const kInteger[] = {"add", "max", "min", "and", "or", "xor", "xchg", "cas"};
    DType of = dtype(b.random.pick(kTypes));
    bool isFloat = of.isFloat(), isNarrow = of.getBits() < 32;
    std::string operation = isFloat    ? (b.random.chance(50) ? "add" : "xchg")
                            : isNarrow ? (b.random.chance(50) ? "cas" : "xchg")
                                       : b.random.pick(kInteger);
    ValueType type{of, b.pickShape()};
    std::string name = b.makeName("e");
    constexpr int64_t kElements = 512;
    b.kernel.tensors.push_back({name, of, Dim(), 3 * kElements, true, true, ""});
    b.kernel.tensors.back().isNormal = of == dtype(Scalar::F32);
    // Numbers that are bits must have the same ones everywhere.
    Traits need{true, operation != "add"};
    ExprRef positions = makePositions(type.shape);
    std::string text = "tl.atomic_" + operation + "(" + name + " + tl.program_id(0) * " +
                       std::to_string(kElements) + " + " + positions->format + ", $0";
    std::vector<ExprRef> args{makeOperand(type, need)};
    Traits has{operation != "add", false};
    if (operation == "cas") {
      args.push_back(makeOperand(type, need));
      text += ", $1";
    } else if (b.random.chance(40)) {
      args.push_back(b.makeMask(type.shape, 1));
      text += ", mask=$1";
    }
    static const char *const kOptions[] = {", sem=\"relaxed\"", ", sem=\"acquire\"",
                                           ", scope=\"cta\"", ", sem=\"release\", scope=\"sys\""};
    if (b.random.chance(40))
      text += b.random.pick(kOptions);
    Stmt stmt;
    stmt.names = {b.makeName("v")};
    stmt.declares = true;
    stmt.value = makeFixed(type, text + ")", args, positions->dims, has);
    b.scope.push_back({stmt.names[0], type, stmt.value->has, true});
    body.push_back(std::move(stmt));
  }

  /// Atomics on a block of a tensor, or rows by their numbers, of memory that nothing else touches.
  void useDescriptor(std::vector<Stmt> &body) {
    static const Scalar kTypes[] = {Scalar::Int32, Scalar::Int64, Scalar::UInt32, Scalar::F32};
    static const char *const kInteger[] = {"add", "max", "min", "and", "or", "xor"};
    DType of = dtype(b.random.pick(kTypes));
    constexpr int64_t kElements = 1024;
    std::string name = b.makeName("e"), base = name + " + tl.program_id(0) * 1024";
    b.kernel.tensors.push_back({name, of, Dim(), 3 * kElements, true, true, ""});
    b.kernel.tensors.back().isNormal = of == dtype(Scalar::F32);
    Dim eight{{}, 3};
    Stmt stmt;
    stmt.kind = Stmt::Kind::Effect;
    if (b.random.chance(30)) {
      ValueType type{of, {eight, eight}};
      stmt.value = makeFixed(type,
                             "tl.make_tensor_descriptor(" + base +
                                 ", [7, 13], [16, 1], [1, 8]).scatter($0, " + "tl.arange(0, 8) ^ " +
                                 std::to_string(b.random.below(8)) + ", " +
                                 std::to_string(int(b.random.below(12)) - 3) + ")",
                             {b.make(type, 2, {true, true})});
    } else {
      Shape shape = b.pickShape();
      shape.back() = eight;
      if (!b.isSmall(shape))
        return;
      std::string places, sizes, offsets, strides;
      for (size_t i = 0; i < shape.size(); ++i) {
        std::string place = "#" + std::to_string(i);
        places += (i ? ", " : "") + place;
        sizes += (i ? ", " : "") + std::to_string(1 + b.random.below(9));
        offsets += (i ? ", " : "") + std::to_string(int(b.random.below(6)) - 2);
        strides += i + 1 == shape.size() ? "1" : i + 2 == shape.size() ? "9, " : "90, ";
      }
      std::string operation = of.isFloat() ? "add" : b.random.pick(kInteger);
      ValueType type{of, shape};
      stmt.value =
          makeFixed(type,
                    "tl.make_tensor_descriptor(" + base + ", [" + sizes + "], [" + strides +
                        "], [" + places + "]).atomic_" + operation + "([" + offsets + "], $0)",
                    {makeOperand(type, {true, false})}, shape);
    }
    body.push_back(std::move(stmt));
  }

  /// The promises hold, so these have no visible effect.
  void promise(std::vector<Stmt> &body) {
    static const char *const kForms[] = {"tl.static_assert(3 > 2, \"three\")", "tl.assume(n0 > 3)",
                                         "tl.debug_barrier()",
                                         "tl.device_assert($0 | (n0 == 5), \"five\")",
                                         "tl.device_assert(n0 == 5, \"five\", mask=$0)"};
    Stmt stmt;
    stmt.kind = Stmt::Kind::Effect;
    std::string text = b.random.pick(kForms);
    std::vector<ExprRef> args;
    if (text.find("$0") != std::string::npos)
      args.push_back(b.makeMask(b.pickShape(), 1));
    stmt.value = makeFixed({dtype(Scalar::Int1), {}}, text, args);
    body.push_back(std::move(stmt));
  }

  /// A block whose names end with it.
  void makeInner(std::vector<Stmt> &body, int level, const std::string &counter,
                 bool mayJump = false) {
    size_t depth = b.scope.size();
    if (!counter.empty())
      b.scope.push_back({counter, {dtype(Scalar::Int32), {}}, {}, false});
    makeBlock(body, b.random.below(3), level);
    if (mayJump && b.random.chance(30)) {
      Stmt jump;
      jump.kind = b.random.chance(50) ? Stmt::Kind::Break : Stmt::Kind::Continue;
      jump.value = b.makeCondition(2);
      body.push_back(std::move(jump));
      makeBlock(body, b.random.below(2), level);
    }
    reassign(body);
    b.scope.resize(depth);
  }

  /// One tile of a product, at the position of a loop's counter. It may be transposed or masked.
  ExprRef makeTile(DType of, Shape shape, const ExprRef &counter) {
    std::string name = "t_" + of.signature();
    auto isIts = [&](const Tensor &tensor) { return tensor.name == name; };
    if (llvm::none_of(b.kernel.tensors, isIts)) {
      b.kernel.tensors.push_back({name, of, Dim(), Builder::kInputElements, false, false, ""});
      b.kernel.tensors.back().isSigns = of.isFloat();
    }
    bool isTransposed = b.random.chance(25);
    if (isTransposed)
      std::swap(shape[0], shape[1]);
    ExprRef positions = makePositions(shape);
    std::vector<ExprRef> args{positions, counter};
    std::string text =
        "tl.load(" + name + " + $0 + ($1 * 16 + " + (b.random.chance(50) ? "16" : "0") + ")";
    if (b.random.chance(25)) {
      args.push_back(makeExpr({dtype(Scalar::Int1), shape}, "($0 % 3 != 1)", {positions}));
      text += ", mask=$2, other=0";
    }
    ExprRef tile = makeExpr({of, shape}, text + ")", args, {}, {false, true});
    if (!isTransposed)
      return tile;
    return makeExpr({of, {shape[1], shape[0]}}, "tl.trans($0)", {tile}, {}, {false, true});
  }

  /// A loop of products whose operands are tiles that it loads: where there are asynchronous copies
  /// they run ahead. It comes first in the kernel, where nothing that it would have to wait for is
  /// before it, and every sum is exact.
  void accumulate() {
    // The last one is computed through shared memory, by each role for itself.
    static const char *const kRanges[] = {
        "range(n0)",
        "range(0, n0)",
        "range(1, n0, 2)",
        "tl.range(0, n0, num_stages=4)",
        "range(n0 - 5)",
        "range(tl.max(tl.gather(tl.arange(0, 512), tl.arange(0, 512), 0)) >> 7)"};
    bool isFloat = b.random.chance(50);
    DType of = dtype(isFloat ? Scalar::F16 : Scalar::Int8),
          sum = dtype(isFloat ? Scalar::F32 : Scalar::Int32);
    Dim inner{{}, isFloat ? 4 : 5};
    auto pickSize = [&] {
      return b.random.chance(70) ? Dim{{}, 4 + int(b.random.below(2))} : b.pickDim();
    };
    ValueType type{sum, {pickSize(), pickSize()}};
    Shape left{type.shape[0], inner}, right{inner, type.shape[1]};
    if (!b.isSmall(type.shape) || !b.isSmall(left) || !b.isSmall(right))
      return;
    std::vector<Variable> later = std::exchange(b.scope, {});
    std::string name = b.makeName("v");
    ExprRef acc = makeExpr(type, name, {}, {}, {false, false});
    std::vector<Stmt> made;
    if (b.random.chance(30))
      makeBlock(made, 1, 2);
    made.push_back({Stmt::Kind::Assign,
                    {name},
                    true,
                    makeExpr(type, "tl.zeros([#0, #1], " + spell(sum) + ")", {}, type.shape),
                    nullptr,
                    "",
                    {},
                    {}});
    Stmt loop;
    loop.kind = Stmt::Kind::For;
    loop.text = b.random.pick(kRanges);
    loop.names = {b.makeName("k")};
    ExprRef counter = makeExpr({dtype(Scalar::Int32), {}}, loop.names[0]);
    size_t depth = b.scope.size();
    for (size_t products = b.random.chance(30) ? 2 : 1; products > 0; --products) {
      ExprRef a = makeTile(of, left, counter), c = makeTile(of, right, counter);
      Stmt product;
      product.names = {name};
      product.value = makeExpr(type, "tl.dot($0, $1, acc=$2)", {a, c, acc}, {}, {false, false});
      loop.body.push_back(std::move(product));
      if (b.random.chance(25))
        makeBlock(loop.body, 1, 2);
    }
    b.scope.resize(depth);
    made.push_back(std::move(loop));
    b.kernel.body.insert(b.kernel.body.begin(), made.begin(), made.end());
    b.scope.insert(b.scope.begin(), later.begin(), later.end());
    b.scope.push_back({name, type, {false, false}, true});
  }

  /// The condition of a branch: some are known when the kernel is compiled.
  ExprRef makeBranch() {
    static const char *const kKnown[] = {"3 > 2", "tl.constexpr(4) // 2 == 3", "len((1, 2)) == 2",
                                         "not (1 == 1)"};
    ValueType type{dtype(Scalar::Int1), {}};
    return b.random.chance(10) ? makeFixed(type, b.random.pick(kKnown)) : b.make(type, 2);
  }

  void makeStatement(std::vector<Stmt> &body, int level) {
    size_t choice = b.random.below(100);
    if (choice < 10 && level < 2 && !b.scope.empty()) {
      Stmt stmt;
      stmt.kind = Stmt::Kind::If;
      stmt.value = makeBranch();
      stmt.variant = b.random.chance(60);
      Variable walrus{"", stmt.value->type, {}, false};
      if (!stmt.value->isFixed && b.random.chance(10)) {
        walrus.name = b.makeName("q");
        stmt.names = {walrus.name};
        stmt.declares = true;
      }
      makeInner(stmt.body, level + 1, "");
      if (b.random.chance(25)) {
        stmt.orElse.emplace_back();
        stmt.orElse[0].kind = Stmt::Kind::If;
        stmt.orElse[0].value = makeBranch();
        makeInner(stmt.orElse[0].body, level + 1, "");
        makeInner(stmt.orElse[0].orElse, level + 1, "");
      } else if (b.random.chance(60)) {
        makeInner(stmt.orElse, level + 1, "");
      }
      body.push_back(std::move(stmt));
      if (!walrus.name.empty())
        b.scope.push_back(walrus);
    } else if (choice < 20 && level < 2 && !b.scope.empty()) {
      static const char *const kRanges[] = {"range(0, n0)",
                                            "range(n0)",
                                            "range(7, 1, -2)",
                                            "range(1, 8, 3)",
                                            "tl.range(0, 3)",
                                            "range(n0, 3)",
                                            "tl.static_range(3)",
                                            "tl.range(0, n0, num_stages=2)",
                                            "range(n0, 0, -2)",
                                            "tl.range(tl.program_id(0), n0, 2, flatten=True)",
                                            "tl.static_range(4, 0, -2)",
                                            "tl.range(3, loop_unroll_factor=2, disable_licm=True)"};
      Stmt stmt;
      stmt.kind = Stmt::Kind::For;
      stmt.text = b.random.pick(kRanges);
      stmt.names = {b.makeName("k")};
      // A static range's counter is a compile-time number, with other rules.
      bool isStatic = stmt.text.find("static") != std::string::npos;
      makeInner(stmt.body, level + 1, isStatic ? "" : stmt.names[0], !isStatic);
      body.push_back(std::move(stmt));
    } else if (choice < 24 && level < 2 && !b.scope.empty()) {
      Stmt stmt;
      stmt.kind = Stmt::Kind::While;
      stmt.text = b.random.chance(50) ? "n0" : "tl.program_id(0) + 1";
      stmt.names = {b.makeName("w")};
      stmt.variant = static_cast<unsigned>(b.random.below(kWhileForms));
      makeInner(stmt.body, level + 1, stmt.names[0], true);
      body.push_back(std::move(stmt));
    } else if (choice < 26 && level == 0 && !b.scope.empty()) {
      body.push_back({Stmt::Kind::Return,
                      {},
                      false,
                      b.make({dtype(Scalar::Int1), {}}, 2),
                      nullptr,
                      "",
                      {},
                      {}});
    } else if (choice < 32 && outputs < 4) {
      store(body, b.make(b.pickType(), 2));
    } else if (choice < 36 && outputs < 4) {
      storeApproximate(body);
    } else if (choice < 41) {
      size_t form = b.random.below(10);
      if (form < 4 && level == 0)
        exchange(body);
      else if (form < 5 && level == 0)
        useDescriptor(body);
      else
        atomics(body);
    } else if (choice < 48) {
      unpack(body);
    } else if (choice < 50) {
      promise(body);
    } else if (choice < 59 && reassign(body)) {
    } else {
      assign(body);
    }
  }

  Builder b;
  unsigned outputs = 0;
};

} // namespace

Kernel property::generate(uint64_t seed) { return Generator(seed).run(); }

uint64_t property::getKernelSeed(uint64_t seed, uint64_t index) {
  return Random(seed * 0x9E3779B97F4A7C15 + index).next() >> 16;
}
