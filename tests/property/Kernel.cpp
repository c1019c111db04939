// Kernels as text and as cells.
#include "tests/property/Kernel.h"

#include "tests/matrix/Tolerance.h"

#include <algorithm>
#include <cctype>

using namespace tilerun;
using namespace tilerun::property;

namespace tilerun::property {
// None is 1, which a launch would make a constant.
const Number kNumbers[4] = {
    {"n0", "i32", 5}, {"n1", "i32", 32}, {"n2", "i64", -7}, {"s0", "fp32", 1.5}};
} // namespace tilerun::property

/// Functions to combine two values, by name; those that a kernel names are printed.
static const std::pair<const char *, const char *> kCombines[] = {
    {"comb_add", "def comb_add(a, b):\n    return a + b\n"},
    {"comb_xor", "def comb_xor(a, b):\n    return a ^ b\n"},
    // bfloat16 becomes float32 in tl.maximum, which no scan takes.
    {"comb_max", "def comb_max(a, b):\n    return tl.maximum(a, b).to(a.dtype)\n"},
    {"comb_pair", "def comb_pair(a, i, b, j):\n"
                  "    first = (a > b) | ((a == b) & (i > j))\n"
                  "    return tl.where(first, a, b), tl.where(first, i, j)\n"},
    {"comb_linear", "def comb_linear(a1, b1, a2, b2):\n    return a1 * a2, a2 * b1 + b2\n"},
    {"comb_branch", "def comb_branch(a, b):\n"
                    "    if a > b:\n"
                    "        r = a\n"
                    "    else:\n"
                    "        r = b\n"
                    "    return r\n"},
    {"comb_first", "def comb_first(a, b):\n    return a\n"},
    {"comb_last", "def comb_last(a, b):\n    return b\n"},
    {"comb_bounds", "def comb_bounds(a, b, c, d):\n"
                    "    return tl.minimum(a, c), tl.maximum(b, d)\n"},
    {"comb_count", "def comb_count(a, m, b, n):\n"
                   "    count = tl.where(a == b, m + n, tl.where(a > b, m, n))\n"
                   "    return tl.where(a > b, a, b), count\n"},
    {"comb_segments", "def comb_segments(a, f, b, g):\n"
                      "    if (g & 1) == 1:\n"
                      "        r = b\n"
                      "    else:\n"
                      "        r = a + b\n"
                      "    return r, f | g\n"},
    {"comb_matrix", "def comb_matrix(a, b, c, d, e, f, g, h):\n"
                    "    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h\n"},
    {"comb_three", "def comb_three(a, b, c, d, e, f):\n"
                   "    return a + d, b ^ e, tl.maximum(c, f)\n"},
    {"number", "def number(x):\n    return tl.where(x == x, x, 1.0)\n"},
    {"normal", "def normal(x):\n    return tl.where(tl.abs(x) > 1e-30, x, 1.5)\n"},
    {"finite", "def finite(x):\n    return tl.where(tl.abs(x) < float(\"inf\"), x, 1.5)\n"},
    {"nonzero", "def nonzero(x):\n    return tl.where(tl.abs(x) > 0, x, 2.0)\n"},
    {"take_second", "def take_second(p):\n    first, second = p\n    return second\n"},
    {"exchange", "def exchange(a, b):\n    return b, a\n"},
};

Dim property::getNumElements(const Shape &shape) {
  Dim count;
  for (const Dim &dim : shape)
    count = count * dim;
  return count;
}

ExprRef property::makeExpr(ValueType type, std::string format, std::vector<ExprRef> args,
                           Shape dims, Traits has) {
  if (!type.dtype.isFloat())
    has = {};
  Expr expr;
  expr.type = std::move(type);
  expr.format = std::move(format);
  expr.args = std::move(args);
  expr.dims = std::move(dims);
  expr.has = has;
  return std::make_shared<Expr>(std::move(expr));
}

ExprRef property::makeGuarded(ValueType type, std::string format, std::string guarded,
                              std::vector<ExprRef> args, Traits has) {
  Expr expr = *makeExpr(std::move(type), std::move(format), std::move(args), {}, has);
  expr.guarded = std::move(guarded);
  return std::make_shared<Expr>(std::move(expr));
}

ExprRef property::makeFixed(ValueType type, std::string format, std::vector<ExprRef> args,
                            Shape dims, Traits has) {
  Expr expr = *makeExpr(std::move(type), std::move(format), std::move(args), std::move(dims), has);
  expr.isFixed = true;
  return std::make_shared<Expr>(std::move(expr));
}

static std::string spell(DType dtype) { return "tl." + dtype.str(); }

ExprRef property::makeOne(const ValueType &type) {
  std::string shape;
  for (size_t i = 0; i < type.shape.size(); ++i)
    shape += (i ? ", #" : "#") + std::to_string(i);
  std::string text = type.dtype.isFp8()
                         ? "tl.full([" + shape + "], 1, tl.float32).to(" + spell(type.dtype) + ")"
                         : "tl.full([" + shape + "], 1, " + spell(type.dtype) + ")";
  return makeExpr(type, text, {}, type.shape);
}

ExprRef property::makePositions(const Shape &shape) {
  // #0 … are the dimensions, the following ones the strides.
  std::string text;
  Shape dims = shape;
  size_t rank = shape.size();
  for (size_t i = 0; i < rank; ++i) {
    text += (i ? " + tl.arange(0, #" : "tl.arange(0, #") + std::to_string(i) + ")";
    if (rank > 1) {
      text += "[";
      for (size_t j = 0; j < rank; ++j)
        text += std::string(j ? ", " : "") + (i == j ? ":" : "None");
      text += "]";
    }
    if (i + 1 < rank) {
      text += " * #" + std::to_string(dims.size());
      dims.push_back(getNumElements(Shape(shape.begin() + ptrdiff_t(i) + 1, shape.end())));
    }
  }
  return makeExpr({dtype(Scalar::Int32), shape}, rank ? "(" + text + ")" : "0", {}, dims);
}

namespace {

class Printer {
public:
  Printer(const Kernel &kernel, bool wide) : kernel(kernel), wide(wide) {}

  std::string format(const ExprRef &expr) const {
    const std::string &text = wide && !expr->wide.empty()                  ? expr->wide
                              : kernel.isGuarded && !expr->guarded.empty() ? expr->guarded
                                                                           : expr->format;
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      bool isPlace = (text[i] == '$' || text[i] == '#') && i + 1 < text.size() &&
                     std::isdigit(static_cast<unsigned char>(text[i + 1]));
      if (!isPlace) {
        out += text[i];
        continue;
      }
      size_t index = static_cast<size_t>(text[i + 1] - '0');
      out += text[i] == '$' ? format(expr->args[index])
                            : std::to_string(expr->dims[index].getSize(kernel.sizes));
      ++i;
    }
    return out;
  }

  void print(const std::vector<Stmt> &body, std::string indent) {
    for (const Stmt &stmt : body)
      print(stmt, indent);
    if (body.empty())
      out += indent + "pass\n";
  }

  void print(const Stmt &stmt, const std::string &indent) {
    std::string names;
    for (const std::string &name : stmt.names)
      names += (names.empty() ? "" : ", ") + name;
    switch (stmt.kind) {
    case Stmt::Kind::Assign:
    case Stmt::Kind::Unpack:
      out += indent + names + " " + stmt.text + "= " + format(stmt.value) + "\n";
      break;
    case Stmt::Kind::Store:
      out += indent + printStore(stmt) + "\n";
      break;
    case Stmt::Kind::Effect:
      out += indent + format(stmt.value) + "\n";
      break;
    case Stmt::Kind::If:
      out +=
          indent + "if " +
          (names.empty() ? format(stmt.value) : "(" + names + " := " + format(stmt.value) + ")") +
          ":\n";
      print(stmt.body, indent + "    ");
      printElse(stmt, indent);
      break;
    case Stmt::Kind::For:
      out += indent + "for " + names + " in " + stmt.text + ":\n";
      print(stmt.body, indent + "    ");
      break;
    case Stmt::Kind::While:
      printWhile(stmt, names, indent);
      break;
    case Stmt::Kind::Return:
      out += indent + "if " + format(stmt.value) + ":\n" + indent + "    return" +
             (stmt.mask ? " " + format(stmt.mask) : "") + "\n";
      break;
    case Stmt::Kind::Break:
    case Stmt::Kind::Continue:
      out += indent + "if " + format(stmt.value) + ":\n" + indent +
             (stmt.kind == Stmt::Kind::Break ? "    break\n" : "    continue\n");
      break;
    }
  }

  std::string out;

private:
  int64_t getSize(const Dim &dim) const { return dim.getSize(kernel.sizes); }

  /// `elif` where the other side is one branch.
  void printElse(const Stmt &stmt, const std::string &indent) {
    if (stmt.orElse.empty())
      return;
    const Stmt &first = stmt.orElse[0];
    if (stmt.variant && stmt.orElse.size() == 1 && first.kind == Stmt::Kind::If &&
        first.names.empty()) {
      out += indent + "elif " + format(first.value) + ":\n";
      print(first.body, indent + "    ");
      return printElse(first, indent);
    }
    out += indent + "else:\n";
    print(stmt.orElse, indent + "    ");
  }

  /// Counts a name down in one of several ways.
  void printWhile(const Stmt &stmt, const std::string &name, const std::string &indent) {
    std::string inner = indent + "    ", step = inner + name + " = " + name + " - 1\n";
    out += indent + name + " = " + stmt.text + "\n" + indent;
    switch (stmt.variant % kWhileForms) {
    case 0:
      out += "while " + name + " > 0:\n" + step;
      break;
    case 1:
      out += "while (" + name + " := " + name + " - 1) > 0:\n";
      break;
    case 2:
      out += "while tl.condition(" + name + " > 0):\n" + step;
      break;
    default:
      out += "while True:\n" + step + inner + "if " + name + " < 0:\n" + inner + "    break\n";
      break;
    }
    print(stmt.body, inner);
  }

  /// The dimensions as a list; `less` of the first.
  std::string printDims(const Shape &shape, int less = 0) const {
    std::string text;
    for (const Dim &dim : shape) {
      text +=
          (text.empty() ? "" : ", ") + std::to_string(std::max<int64_t>(1, getSize(dim) - less));
      less = 0;
    }
    return text;
  }
  std::string printStrides(const Shape &shape) const {
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i)
      text += (i ? ", " : "") + std::to_string(getSize(getNumElements(
                                    Shape(shape.begin() + ptrdiff_t(i) + 1, shape.end()))));
    return text;
  }

  std::string printStore(const Stmt &stmt) const {
    const Shape &shape = stmt.value->type.shape;
    std::string base =
        stmt.text + " + tl.program_id(0) * " + std::to_string(getSize(getNumElements(shape)));
    std::string pointers = base + (shape.empty() ? "" : " + " + format(makePositions(shape)));
    std::string value = format(stmt.value),
                options = stmt.mask ? ", mask=" + format(stmt.mask) : "";
    std::string zeros, axes, order;
    for (size_t i = 0; i < shape.size(); ++i) {
      zeros += "0, ";
      axes += std::to_string(i) + ", ";
      order += std::to_string(shape.size() - 1 - i) + ", ";
    }
    switch (shape.empty() ? 0 : stmt.variant % kStoreForms) {
    case 1:
      return "tl.store(" + pointers + ", " + value + options + ", cache_modifier=\".cg\")";
    case 2:
      return "tl.store(" + pointers + ", " + value + options + ", eviction_policy=\"evict_last\")";
    case 3:
      return "(" + pointers + ").store(" + value + options + ")";
    case 4: // Through a block pointer; one form leaves the last row out.
    case 5: {
      if (stmt.mask)
        break;
      bool isPart = stmt.variant % kStoreForms == 5;
      return "tl.store(tl.make_block_ptr(" + base + ", (" + printDims(shape, isPart) + ",), (" +
             printStrides(shape) + ",), (" + zeros + "), (" + printDims(shape) + ",), (" + order +
             ")), " + value + (isPart ? ", boundary_check=(" + axes + "))" : ")");
    }
    case 6: // A row of a descriptor has at least 16 bytes, whatever the sizes.
      if (stmt.mask || (stmt.value->type.dtype.getBits() << shape.back().twos) < 128 ||
          stmt.value->type.dtype.isBool())
        break;
      return "tl.make_tensor_descriptor(" + base + ", [" + printDims(shape, 1) + "], [" +
             printStrides(shape) + "], [" + printDims(shape) + "]).store([" + zeros + "], " +
             value + ")";
    default:
      break;
    }
    return "tl.store(" + pointers + ", " + value + options + ")";
  }

  const Kernel &kernel;
  bool wide;
};

bool names(const std::string &text, const std::string &word) {
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
    if ((at == 0 || !isPart(text[at - 1])) &&
        (at + word.size() == text.size() || !isPart(text[at + word.size()])))
      return true;
  return false;
}

/// The kernel's body, and the parameters that it names.
std::string printBody(const Kernel &kernel, bool wide) {
  Printer printer(kernel, wide);
  printer.print(kernel.body, "    ");
  return printer.out;
}

} // namespace

std::string property::print(const Kernel &kernel, bool wide) {
  std::string body = printBody(kernel, wide), parameters, helpers;
  auto add = [&](const std::string &name) {
    if (names(body, name))
      parameters += (parameters.empty() ? "" : ", ") + name;
  };
  for (const Tensor &tensor : kernel.tensors)
    add(tensor.name);
  for (const Number &number : kNumbers)
    add(number.name);
  // A helper may call earlier ones.
  std::string used = body;
  for (size_t i = kernel.helpers.size(); i-- > 0;) {
    const Helper &helper = kernel.helpers[i];
    if (!names(used, helper.name))
      continue;
    std::string list;
    for (const std::string &parameter : helper.parameters)
      list += (list.empty() ? "" : ", ") + parameter;
    Printer printer(kernel, wide);
    if (!helper.statements.empty())
      printer.print(helper.statements, "    ");
    std::string results;
    for (const ExprRef &result : helper.results)
      results += (results.empty() ? "" : ", ") + printer.format(result);
    std::string text = "@triton.jit\ndef " + helper.name + "(" + list + "):\n" + printer.out +
                       "    return " + results + "\n\n\n";
    used += text;
    helpers = text + helpers;
  }
  for (const auto &[name, text] : kCombines)
    if (names(used, name))
      helpers = "@triton.jit\n" + std::string(text) + "\n\n" + helpers;
  std::string imports = "import triton\nimport triton.language as tl\n";
  if (names(used, "libdevice"))
    imports += "from triton.language.extra import libdevice\n";
  return imports + "\n\n" + helpers + "@triton.jit\ndef kernel(" + parameters + "):\n" + body;
}

matrix::Cell property::makeCell(const Kernel &kernel, bool wide) {
  matrix::Cell cell;
  cell.op = "kernel" + std::to_string(kernel.seed);
  cell.source = print(kernel, wide);
  cell.grid[0] = kernel.grid;
  cell.numWarps = kernel.numWarps;
  cell.numStages = kernel.numStages;
  cell.unaligned = kernel.unaligned;
  std::string body = printBody(kernel, wide);
  for (const Tensor &tensor : kernel.tensors) {
    if (!names(body, tensor.name))
      continue;
    matrix::TensorArgument argument;
    argument.name = tensor.name;
    argument.type = wide && !tensor.function.empty() ? dtype(Scalar::F64) : tensor.dtype;
    argument.count = tensor.fixed ? tensor.fixed : kernel.grid * tensor.count.getSize(kernel.sizes);
    argument.isOutput = tensor.isOutput;
    if (tensor.isOutput && !tensor.isAtomic)
      argument.fill.kind = matrix::Fill::Kind::Pattern;
    if (tensor.isNormal)
      argument.fill = {matrix::Fill::Kind::Range, -1000, 1000};
    if (tensor.isSigns)
      argument.fill.kind = matrix::Fill::Kind::Signs;
    cell.tensors.push_back(argument);
  }
  for (const Number &number : kNumbers)
    if (names(body, number.name))
      cell.scalars.push_back({number.name, matrix::type(number.dtype), number.value,
                              static_cast<int64_t>(number.value)});
  return cell;
}

matrix::Tolerance property::getTolerance(const Kernel &kernel, const std::string &output) {
  for (const Tensor &tensor : kernel.tensors)
    if (tensor.name == output && !tensor.function.empty())
      return matrix::getMathTolerance(tensor.function, "fp32");
  return matrix::kNumber;
}

static size_t count(const std::vector<Stmt> &body) {
  size_t total = body.size();
  for (const Stmt &stmt : body)
    total += count(stmt.body) + count(stmt.orElse);
  return total;
}

size_t property::countStatements(const Kernel &kernel) {
  size_t total = count(kernel.body);
  for (const Helper &helper : kernel.helpers)
    total += count(helper.statements);
  return total;
}
