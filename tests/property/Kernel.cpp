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
    {"comb_max", "def comb_max(a, b):\n    return tl.maximum(a, b)\n"},
    {"comb_pair", "def comb_pair(a, i, b, j):\n"
                  "    first = (a > b) | ((a == b) & (i > j))\n"
                  "    return tl.where(first, a, b), tl.where(first, i, j)\n"},
    {"comb_linear", "def comb_linear(a1, b1, a2, b2):\n    return a1 * a2, a2 * b1 + b2\n"},
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
  return std::make_shared<Expr>(
      Expr{std::move(type), std::move(format), std::move(args), std::move(dims), has, ""});
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
    const std::string &text = wide && !expr->wide.empty() ? expr->wide : expr->format;
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
                            : std::to_string(1 << expr->dims[index].getLog(kernel.sizes));
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
      out += indent + names + " = " + format(stmt.value) + "\n";
      break;
    case Stmt::Kind::Store: {
      const Shape &shape = stmt.value->type.shape;
      int count = 1 << getNumElements(shape).getLog(kernel.sizes);
      out += indent + "tl.store(" + stmt.text + " + tl.program_id(0) * " + std::to_string(count) +
             (shape.empty() ? "" : " + " + format(makePositions(shape))) + ", " +
             format(stmt.value) + (stmt.mask ? ", mask=" + format(stmt.mask) : "") + ")\n";
      break;
    }
    case Stmt::Kind::Effect:
      out += indent + format(stmt.value) + "\n";
      break;
    case Stmt::Kind::If:
      out += indent + "if " + format(stmt.value) + ":\n";
      print(stmt.body, indent + "    ");
      if (!stmt.orElse.empty()) {
        out += indent + "else:\n";
        print(stmt.orElse, indent + "    ");
      }
      break;
    case Stmt::Kind::For:
      out += indent + "for " + names + " in " + stmt.text + ":\n";
      print(stmt.body, indent + "    ");
      break;
    case Stmt::Kind::While:
      out += indent + names + " = " + stmt.text + "\n" + indent + "while " + names + " > 0:\n" +
             indent + "    " + names + " = " + names + " - 1\n";
      print(stmt.body, indent + "    ");
      break;
    case Stmt::Kind::Return:
      out += indent + "if " + format(stmt.value) + ":\n" + indent + "    return\n";
      break;
    }
  }

  std::string out;

private:
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

/// The kernel's body, and of what it names the parameters.
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
    std::string text = "@triton.jit\ndef " + helper.name + "(" + list + "):\n    return " +
                       Printer(kernel, wide).format(helper.body) + "\n\n\n";
    used += text;
    helpers = text + helpers;
  }
  for (const auto &[name, text] : kCombines)
    if (names(used, name))
      helpers = "@triton.jit\n" + std::string(text) + "\n\n" + helpers;
  return "import triton\nimport triton.language as tl\n\n\n" + helpers +
         "@triton.jit\ndef kernel(" + parameters + "):\n" + body;
}

matrix::Cell property::makeCell(const Kernel &kernel, bool wide) {
  matrix::Cell cell;
  cell.op = "kernel" + std::to_string(kernel.seed);
  cell.source = print(kernel, wide);
  cell.grid[0] = kernel.grid;
  cell.numWarps = kernel.numWarps;
  cell.unaligned = kernel.unaligned;
  std::string body = printBody(kernel, wide);
  for (const Tensor &tensor : kernel.tensors) {
    if (!names(body, tensor.name))
      continue;
    matrix::TensorArgument argument;
    argument.name = tensor.name;
    argument.type = wide && !tensor.function.empty() ? dtype(Scalar::F64) : tensor.dtype;
    argument.count =
        tensor.fixed ? tensor.fixed : int64_t(kernel.grid) << tensor.count.getLog(kernel.sizes);
    argument.isOutput = tensor.isOutput;
    if (tensor.isOutput && !tensor.isAtomic)
      argument.fill.kind = matrix::Fill::Kind::Pattern;
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

size_t property::countStatements(const Kernel &kernel) { return count(kernel.body); }
