// See RandomProgram.h.
#include "tests/ir/transforms/RandomProgram.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace tilerun;

namespace {

/// A value's type: scalar where the shape is empty.
struct Shape {
  std::vector<int64_t> dims;
  std::string element;

  int64_t size() const {
    int64_t result = 1;
    for (int64_t dim : dims)
      result *= dim;
    return result;
  }
  std::string text(llvm::StringRef elementType) const {
    if (dims.empty())
      return elementType.str();
    std::string result = "tensor<";
    for (int64_t dim : dims)
      result += std::to_string(dim) + "x";
    return result + elementType.str() + ">";
  }
  std::string text() const { return text(element); }
  bool operator==(const Shape &) const = default;
};

struct Value {
  std::string name;
  Shape type;
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}
  std::string run();

private:
  using Pool = std::vector<Value>;

  uint64_t pick(uint64_t count) { return random() % count; }
  std::string fresh() { return "%v" + std::to_string(counter++); }
  void line(const std::string &text) { body += text + "\n"; }
  std::string emit(const std::string &op) {
    std::string name = fresh();
    line(name + " = " + op);
    return name;
  }
  Value define(Pool &pool, Shape type, const std::string &op) {
    Value value{emit(op), std::move(type)};
    pool.push_back(value);
    return value;
  }

  Value any(const Pool &pool, llvm::function_ref<bool(const Shape &)> accept) {
    for (int attempt = 0; attempt < 30; ++attempt) {
      size_t index =
          pick(3) ? pool.size() - 1 - pick(std::min<size_t>(pool.size(), 8)) : pick(pool.size());
      if (accept(pool[index].type))
        return pool[index];
    }
    return {};
  }
  /// A value of a type: an existing one, a scalar spread out, or a constant.
  Value of(Pool &pool, const Shape &type);
  Value constant(const Shape &type, std::optional<int64_t> number = {});

  void step(Pool &pool, int depth);
  void shape(Pool &pool);
  void arithmetic(Pool &pool);
  void memory(Pool &pool);
  void outer(Pool &pool);
  void reduction(Pool &pool);
  void product(Pool &pool);
  void control(Pool &pool, int depth);
  /// A pointer at `offset & 63` from a base, in the shape of `offset`.
  std::string address(const Value &offset, const std::string &base, const std::string &pointee);
  void output(const Value &value);

  std::mt19937_64 random;
  std::string body;
  unsigned counter = 0;
  unsigned outputs = 0;
};

Value Generator::constant(const Shape &type, std::optional<int64_t> number) {
  std::string text;
  if (type.element == "i1")
    text = pick(2) ? "true" : "false";
  else if (type.element == "f32")
    text = llvm::ArrayRef<const char *>{"0.0", "1.0", "-0.0", "2.5", "-3.0"}[pick(5)];
  else
    text = std::to_string(number ? *number : pick(3) == 0 ? 0 : int64_t(pick(40)) - 8);
  if (type.element == "i1" && type.dims.empty())
    return {emit("arith.constant " + text), type};
  if (!type.dims.empty())
    text = "dense<" + text + ">";
  return {emit("arith.constant " + text + " : " + type.text()), type};
}

Value Generator::of(Pool &pool, const Shape &type) {
  if (pick(3))
    if (Value found = any(pool, [&](const Shape &t) { return t == type; }); !found.name.empty())
      return found;
  if (!type.dims.empty() && pick(2)) {
    Shape element{{}, type.element};
    Value scalar = any(pool, [&](const Shape &t) { return t == element; });
    if (!scalar.name.empty())
      return {emit("tile.splat " + scalar.name + " : " + type.element + " -> " + type.text()),
              type};
  }
  return constant(type);
}

void Generator::shape(Pool &pool) {
  Value x = any(pool, [](const Shape &) { return true; });
  const std::vector<int64_t> &dims = x.type.dims;
  std::string from = x.type.text();
  if (dims.empty()) {
    std::vector<std::vector<int64_t>> shapes{{8}, {4, 8}, {4, 1}, {1, 8}, {2, 4, 4}};
    Shape type{shapes[pick(shapes.size())], x.type.element};
    define(pool, type, "tile.splat " + x.name + " : " + from + " -> " + type.text());
    return;
  }
  Shape type = x.type;
  switch (pick(6)) {
  case 0: {
    if (dims.size() >= 3)
      return;
    size_t axis = pick(dims.size() + 1);
    type.dims.insert(type.dims.begin() + axis, 1);
    define(pool, type,
           "tile.expand_dims " + x.name + " axis " + std::to_string(axis) + " : " + from + " -> " +
               type.text());
    return;
  }
  case 1:
    for (int64_t &dim : type.dims)
      if (dim == 1)
        dim = int64_t(1) << pick(4);
    if (type.size() <= 128)
      define(pool, type, "tile.broadcast " + x.name + " : " + from + " -> " + type.text());
    return;
  case 2: {
    std::vector<int> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i = 0; i < order.size(); ++i)
      type.dims[i] = dims[order[i]];
    define(
        pool, type,
        "tile.trans " + x.name + " [" +
            llvm::join(llvm::map_range(order, [](int dim) { return std::to_string(dim); }), ", ") +
            "] : " + from + " -> " + type.text());
    return;
  }
  case 3: {
    int64_t rest = x.type.size();
    type.dims.clear();
    while (rest > 1 && type.dims.size() < 2) {
      int64_t factor = std::min(rest, int64_t(1) << pick(4));
      type.dims.push_back(factor);
      rest /= factor;
    }
    type.dims.push_back(rest);
    define(pool, type, "tile.reshape " + x.name + " : " + from + " -> " + type.text());
    return;
  }
  case 4: {
    if (dims.back() == 2) {
      type.dims.pop_back();
      std::string pair = fresh();
      line(pair + ":2 = tile.split " + x.name + " : " + from + " -> " + type.text() + ", " +
           type.text());
      pool.push_back({pair + "#0", type});
      pool.push_back({pair + "#1", type});
      return;
    }
    Value y = of(pool, x.type);
    if (x.type.size() > 64)
      return;
    type.dims.push_back(2);
    define(pool, type, "tile.join " + x.name + ", " + y.name + " : " + from + " -> " + type.text());
    return;
  }
  default: {
    if (dims.size() != 1 || dims[0] > 32)
      return;
    Value y = of(pool, x.type);
    type.dims[0] *= 2;
    define(pool, type,
           "tile.cat " + x.name + ", " + y.name + " : " + from + ", " + from + " -> " +
               type.text());
  }
  }
}

void Generator::arithmetic(Pool &pool) {
  Value a = any(pool, [](const Shape &) { return true; });
  Shape type = a.type, mask{type.dims, "i1"};
  Value b = of(pool, type);
  std::string operands = " " + a.name + ", " + b.name + " : " + type.text();
  if (pick(4) == 0) {
    Value condition = pick(4) ? of(pool, mask) : of(pool, {{}, "i1"});
    std::string prefix = condition.type.dims.empty() ? "" : condition.type.text() + ", ";
    define(pool, type,
           "arith.select " + condition.name + ", " + a.name + ", " + b.name + " : " + prefix +
               type.text());
    return;
  }
  if (type.element == "f32") {
    const char *ops[] = {"addf", "subf", "mulf", "maximumf", "minnumf"};
    if (pick(4) == 0)
      define(pool, mask, "arith.cmpf " + std::string(pick(2) ? "olt" : "une") + "," + operands);
    else
      define(pool, type, "arith." + std::string(ops[pick(5)]) + operands);
    return;
  }
  if (type.element == "i1") {
    const char *ops[] = {"andi", "ori", "xori"};
    define(pool, type, "arith." + std::string(ops[pick(3)]) + operands);
    return;
  }
  switch (pick(6)) {
  case 0: {
    const char *predicates[] = {"slt", "sle", "eq", "ne", "ult", "uge"};
    define(pool, mask, "arith.cmpi " + std::string(predicates[pick(6)]) + "," + operands);
    return;
  }
  case 1: {
    const char *ops[] = {"divsi", "divui", "remsi", "remui"};
    Value divisor = constant(type, int64_t(1) + int64_t(pick(12)));
    define(pool, type,
           "arith." + std::string(ops[pick(4)]) + " " + a.name + ", " + divisor.name + " : " +
               type.text());
    return;
  }
  case 2: {
    const char *ops[] = {"shli", "shrsi", "shrui"};
    Value amount = constant(type, pick(9));
    define(pool, type,
           "arith." + std::string(ops[pick(3)]) + " " + a.name + ", " + amount.name + " : " +
               type.text());
    return;
  }
  case 3:
    if (pick(3) == 0) {
      Shape to{type.dims, "f32"};
      define(pool, to, "arith.sitofp " + a.name + " : " + type.text() + " to " + to.text());
      return;
    }
    [[fallthrough]];
  default: {
    const char *ops[] = {"addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxui"};
    define(pool, type, "arith." + std::string(ops[pick(8)]) + operands);
  }
  }
}

std::string Generator::address(const Value &offset, const std::string &base,
                               const std::string &pointee) {
  std::string pointer = "!tile.ptr<" + pointee + ">";
  Value limit = constant(offset.type, 63);
  std::string index =
      emit("arith.andi " + offset.name + ", " + limit.name + " : " + offset.type.text());
  std::string bases = base;
  if (!offset.type.dims.empty())
    bases = emit("tile.splat " + base + " : " + pointer + " -> " + offset.type.text(pointer));
  return emit("tile.addptr " + bases + ", " + index + " : " + offset.type.text(pointer) + ", " +
              offset.type.text());
}

void Generator::memory(Pool &pool) {
  Value offset = any(pool, [](const Shape &t) { return t.element == "i32"; });
  if (offset.name.empty())
    return;
  bool isFloat = pick(3) == 0, isScratch = !isFloat && pick(2);
  std::string pointee = isFloat ? "f32" : "i32";
  std::string p = address(offset, isFloat ? "%fin" : isScratch ? "%scratch" : "%in", pointee);
  std::string pointers = offset.type.text("!tile.ptr<" + pointee + ">");
  Shape type{offset.type.dims, pointee};
  Value mask;
  std::string masked;
  if (pick(3)) {
    mask = of(pool, {type.dims, "i1"});
    if (pick(3) == 0) {
      Value more = of(pool, mask.type);
      mask.name = emit("arith.andi " + mask.name + ", " + more.name + " : " + mask.type.text());
    }
    masked = " mask " + mask.name;
  }
  if (isScratch && pick(3) == 0) {
    Value value = of(pool, type);
    if (!masked.empty() && pick(2)) {
      Value other = of(pool, type);
      value.name = emit("arith.select " + mask.name + ", " + value.name + ", " + other.name +
                        " : " + (type.dims.empty() ? "" : mask.type.text() + ", ") + type.text());
    }
    if (pick(3) == 0)
      define(pool, type,
             "tile.atomic_rmw add " + p + ", " + value.name + masked + " : " + pointers);
    else
      line("tile.store " + p + ", " + value.name + masked + " : " + pointers);
    return;
  }
  std::string other;
  if (!masked.empty() && pick(2))
    other = " other " + of(pool, type).name;
  std::string op = "tile.load " + p + masked + other + " : " + pointers;
  Value loaded = define(pool, type, op);
  // The same load again, perhaps after a store.
  if (pick(3) == 0) {
    if (pick(2))
      memory(pool);
    define(pool, type, op);
  }
  if (!masked.empty() && pick(2)) {
    Value rest = of(pool, type);
    if (pick(3) == 0)
      mask = of(pool, mask.type);
    define(pool, type,
           "arith.select " + mask.name + ", " + loaded.name + ", " + rest.name + " : " +
               (type.dims.empty() ? "" : mask.type.text() + ", ") + type.text());
  }
}

/// A combination of two vectors as a column and a row, or both as columns.
void Generator::outer(Pool &pool) {
  Value x = any(pool, [](const Shape &t) { return t.dims.size() == 1 && t.size() <= 8; });
  if (x.name.empty() || x.type.element == "i1")
    return;
  Value y = of(pool, x.type);
  Shape square{{x.type.size(), x.type.size()}, x.type.element};
  auto spread = [&](const Value &v, bool isRow) {
    Shape thin = square;
    thin.dims[isRow ? 0 : 1] = 1;
    std::string expanded =
        emit("tile.expand_dims " + v.name + (isRow ? " axis 0 : " : " axis 1 : ") + v.type.text() +
             " -> " + thin.text());
    return emit("tile.broadcast " + expanded + " : " + thin.text() + " -> " + square.text());
  };
  std::string a = spread(x, false), b = spread(y, pick(2));
  define(pool, square,
         "arith." + std::string(square.element == "f32" ? "subf " : "subi ") + a + ", " + b +
             " : " + square.text());
}

void Generator::reduction(Pool &pool) {
  Value x = any(pool, [](const Shape &t) { return !t.dims.empty() && t.element == "i32"; });
  if (x.name.empty())
    return;
  bool isScan = pick(3) == 0;
  size_t axis = pick(x.type.dims.size());
  Shape type = x.type;
  if (!isScan)
    type.dims.erase(type.dims.begin() + axis);
  const char *ops[] = {"addi", "maxsi", "xori"};
  define(pool, type,
         std::string(isScan ? "tile.scan " : "tile.reduce ") + x.name + " axis " +
             std::to_string(axis) + (isScan && pick(2) ? " reverse" : "") + " : (" + x.type.text() +
             ") -> " + type.text() + " {\n^bb0(%a: i32, %b: i32):\n%c = arith." + ops[pick(3)] +
             " %a, %b : i32\ntile.yield %c : i32\n}");
}

void Generator::product(Pool &pool) {
  Value a = any(pool, [](const Shape &t) { return t.dims.size() == 2 && t.element == "i32"; });
  if (a.name.empty() || a.type.size() > 64)
    return;
  int64_t m = a.type.dims[0], k = a.type.dims[1], n = int64_t(1) << pick(4);
  Shape bytes{{m, k}, "i8"}, other{{k, n}, "i32"}, result{{m, n}, "i32"};
  Value b = of(pool, other);
  Shape otherBytes{other.dims, "i8"};
  std::string x = emit("arith.trunci " + a.name + " : " + a.type.text() + " to " + bytes.text());
  std::string y =
      emit("arith.trunci " + b.name + " : " + other.text() + " to " + otherBytes.text());
  Value acc = pick(3) ? constant(result, 0) : of(pool, result);
  Value dot = define(pool, result,
                     "tile.dot " + x + ", " + y + ", " + acc.name + " : " + bytes.text() + ", " +
                         otherBytes.text() + " -> " + result.text());
  if (pick(2)) {
    Value more = of(pool, result);
    define(pool, result, "arith.addi " + more.name + ", " + dot.name + " : " + result.text());
  }
}

void Generator::control(Pool &pool, int depth) {
  Value first = any(pool, [](const Shape &) { return true; });
  Value second = any(pool, [](const Shape &) { return true; });
  std::string types = first.type.text() + ", " + second.type.text();
  Pool inner = pool;
  auto lastOf = [&](const Value &like, size_t since) {
    for (size_t i = inner.size(); i > since; --i)
      if (inner[i - 1].type == like.type && pick(3))
        return inner[i - 1].name;
    return like.name;
  };
  auto block = [&](const Value &a, const Value &b) {
    size_t before = inner.size();
    for (uint64_t i = 0, steps = 1 + pick(5); i < steps; ++i)
      step(inner, depth + 1);
    line("scf.yield " + lastOf(a, before) + ", " + lastOf(b, before) + " : " + types);
  };
  std::string result = fresh();
  if (pick(2)) {
    Value condition = of(pool, {{}, "i1"});
    line(result + ":2 = scf.if " + condition.name + " -> (" + types + ") {");
    block(first, second);
    line("} else {");
    inner = pool;
    block(first, second);
    line("}");
  } else {
    // From none to three rounds; the bound is known or not.
    Shape scalar{{}, "i32"};
    std::string lower = constant(scalar, 0).name, step = constant(scalar, 1).name;
    std::string upper = constant(scalar, pick(4)).name;
    if (pick(2))
      upper = emit("arith.andi %n, " + constant(scalar, 3).name + " : i32");
    std::string x = fresh(), y = fresh(), i = fresh();
    line(result + ":2 = scf.for " + i + " = " + lower + " to " + upper + " step " + step +
         " iter_args(" + x + " = " + first.name + ", " + y + " = " + second.name + ") -> (" +
         types + ") : i32 {");
    inner.push_back({i, scalar});
    inner.push_back({x, first.type});
    inner.push_back({y, second.type});
    block({x, first.type}, {y, second.type});
    line("}");
  }
  // Values that are left out here are dead.
  if (pick(4))
    pool.push_back({result + "#0", first.type});
  if (pick(4))
    pool.push_back({result + "#1", second.type});
}

void Generator::step(Pool &pool, int depth) {
  switch (pick(13)) {
  case 0:
  case 1:
  case 2:
    return shape(pool);
  case 11:
    return outer(pool);
  case 3:
  case 4:
  case 5:
  case 6:
    return arithmetic(pool);
  case 7:
  case 8:
    return memory(pool);
  case 9:
    return reduction(pool);
  case 10:
    return product(pool);
  default:
    if (depth < 3)
      control(pool, depth);
  }
}

void Generator::output(const Value &value) {
  int64_t size = value.type.size();
  if (outputs + size > test::kOutputs)
    return;
  Value stored = value;
  if (value.type.element == "i1") {
    stored.type.element = "i32";
    stored.name =
        emit("arith.extui " + value.name + " : " + value.type.text() + " to " + stored.type.text());
  }
  bool isFloat = stored.type.element == "f32";
  std::string pointer = isFloat ? "!tile.ptr<f32>" : "!tile.ptr<i32>";
  std::string base = isFloat ? "%fout" : "%out";
  std::string start = constant({{}, "i32"}, outputs).name;
  std::string p = emit("tile.addptr " + base + ", " + start + " : " + pointer + ", i32");
  if (stored.type.dims.empty()) {
    line("tile.store " + p + ", " + stored.name + " : " + pointer);
  } else {
    Shape flat{{size}, stored.type.element}, index{{size}, "i32"};
    std::string v = stored.name;
    if (stored.type.dims.size() > 1)
      v = emit("tile.reshape " + v + " : " + stored.type.text() + " -> " + flat.text());
    std::string r = emit("tile.make_range 0 to " + std::to_string(size) + " : " + index.text());
    std::string ps = emit("tile.splat " + p + " : " + pointer + " -> " + flat.text(pointer));
    std::string q =
        emit("tile.addptr " + ps + ", " + r + " : " + flat.text(pointer) + ", " + index.text());
    line("tile.store " + q + ", " + v + " : " + flat.text(pointer));
  }
  outputs += size;
}

std::string Generator::run() {
  Pool pool{{"%n", {{}, "i32"}}};
  define(pool, {{}, "i32"}, "tile.program_id 0");
  define(pool, {{8}, "i32"}, "tile.make_range 0 to 8 : tensor<8xi32>");
  define(pool, {{16}, "i32"}, "tile.make_range 4 to 20 : tensor<16xi32>");
  for (int i = 0; i < 28; ++i)
    step(pool, 0);
  for (const Value &value : pool)
    if (pick(2))
      output(value);
  return "func.func @k(%in: !tile.ptr<i32> {tile.name = \"in\"}, %fin: !tile.ptr<f32> {tile.name = "
         "\"fin\"}, %scratch: !tile.ptr<i32> {tile.name = \"scratch\"}, %out: !tile.ptr<i32> "
         "{tile.name = \"out\"}, %fout: !tile.ptr<f32> {tile.name = \"fout\"}, %n: i32 {tile.name "
         "= \"n\"}) attributes {tile.kernel} {\n" +
         body + "return\n}\n";
}

} // namespace

std::string test::makeRandomProgram(uint64_t seed) { return Generator(seed).run(); }
