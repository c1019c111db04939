// Compares the dtypes that the frontend gives to expressions with tables recorded from Triton's own
// compiler (see record.py). One kernel per cell: it loads the operands and prints the dtype of the
// result at compile time.
#include "frontend/Frontend.h"
#include "tests/frontend/recorded/RecordedTable.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilerun;

namespace {

struct Cell {
  std::string expression, a, b, expected;
};

/// Cells by expression; b is empty in tables of one operand.
std::map<std::string, std::vector<Cell>> readTable(llvm::StringRef name) {
  std::map<std::string, std::vector<Cell>> out;
  for (const auto &[expression, cells] : test::readRecordedTable(name))
    for (const test::RecordedCell &cell : cells)
      out[expression].push_back(cell.row.empty()
                                    ? Cell{expression, cell.column, "", cell.expected}
                                    : Cell{expression, cell.row, cell.column, cell.expected});
  return out;
}

bool isDType(llvm::StringRef operand) {
  return !operand.empty() && parseDType(operand).has_value();
}

/// The frontend's results where it deliberately differs from the recorded tables.
std::string getExpected(const Cell &cell) {
  if (cell.expression == "not a")
    return "i1"; // `not` takes any scalar here, with Python's boolean.
  if (auto dtype = parseDType(cell.expected))
    return dtype->signature();
  return cell.expected;
}

/// The dtype that the frontend prints for a cell, or "-" where it rejects it.
std::string compileCell(const Cell &cell, mlir::MLIRContext &context, std::string &diagnostics) {
  std::string parameters, body;
  KernelSignature signature;
  llvm::StringRef expression = cell.expression;
  std::string text = cell.expression;
  std::string castName = cell.b;
  if (expression == "a.to(column)") {
    text = "a.to(tl." + parseDType(cell.b)->str() + ")";
    castName.clear();
  }
  std::pair<llvm::StringRef, llvm::StringRef> operands[] = {{"a", cell.a}, {"b", castName}};
  for (auto [name, value] : operands) {
    if (value.empty())
      continue;
    if (isDType(value)) {
      parameters += (parameters.empty() ? "" : ", ") + name.str() + "p";
      signature.arguments[name.str() + "p"] = TypedArgument{parseDType(value)->getPointerTo(), 1};
      body += ("    " + name + " = tl.load(" + name + "p" +
               (expression.starts_with("not ") ? "" : " + tl.arange(0, 16)") + ")\n")
                  .str();
    } else if (value.starts_with("=")) {
      body += ("    " + name + " = " + value.drop_front() + "\n").str();
    } else {
      body += ("    " + name + ": tl.constexpr = " + value + "\n").str();
    }
  }
  Frontend frontend;
  LoadedModule *module = frontend.loadText(
      "cell.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef k(" + parameters +
                     "):\n" + body + "    tl.static_print((" + text + ").dtype)\n");
  std::string result = "-";
  if (module) {
    auto kernel = frontend.compile(*module, "k", signature, context);
    if (mlir::succeeded(kernel)) {
      auto printed = parseDType(llvm::StringRef(kernel->staticOutput).trim());
      result = printed ? printed->signature() : "printed '" + kernel->staticOutput + "'";
    }
  }
  llvm::raw_string_ostream os(diagnostics);
  frontend.getDiagnostics().print(os, /*color=*/false);
  return result;
}

void checkTable(llvm::StringRef table, size_t atLeast) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  size_t checked = 0, differences = 0;
  for (const auto &[expression, cells] : readTable(table)) {
    for (const Cell &cell : cells) {
      std::string expected = getExpected(cell);
      std::string diagnostics;
      std::string got = compileCell(cell, context, diagnostics);
      ++checked;
      if (got == expected)
        continue;
      if (++differences <= 40)
        ADD_FAILURE() << expression << " with a = " << cell.a << ", b = " << cell.b << ": expected "
                      << expected << ", got " << got << "\n"
                      << diagnostics;
    }
  }
  EXPECT_EQ(differences, 0u);
  EXPECT_GE(checked, atLeast);
}

TEST(RecordedTypes, Binary) { checkTable("binary.txt", 12500); }
TEST(RecordedTypes, Unary) { checkTable("unary.txt", 400); }
TEST(RecordedTypes, Casts) { checkTable("cast.txt", 225); }

} // namespace
