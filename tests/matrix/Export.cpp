// Writes cells with the interpreter's results.
#include "tests/matrix/Export.h"

#include "frontend/Frontend.h"
#include "tests/matrix/Launch.h"
#include "tests/matrix/Target.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace json = llvm::json;

static const char *getName(Rule rule) {
  switch (rule) {
  case Rule::Bits:
    return "bits";
  case Rule::Value:
    return "value";
  case Rule::Number:
    return "number";
  case Rule::Ulp:
    return "ulp";
  case Rule::Product:
    return "product";
  }
  return "";
}

namespace {
class Exporter {
public:
  Exporter(uint64_t seed, llvm::raw_ostream &index, llvm::raw_ostream &contents)
      : seed(seed), index(index), contents(contents), interpreter(makeInterpreter()),
        context(makeDialects(), mlir::MLIRContext::Threading::DISABLED) {}

  void write(const Cell &cell) {
    Memory before = makeMemory(cell, seed, /*wide=*/false), after = before;
    CompiledCell compiled;
    std::string error = compileCell(cell, /*wide=*/false,
                                    /*languageTarget=*/"", context, compiled);
    if (error.empty()) {
      Request request{compiled.bytecode, compiled.name, cell.numWarps, cell.numStages, cell.debug};
      if (Outcome failed = interpreter->run(request, cell.grid,
                                            makeArguments(cell, compiled, before), after.buffers))
        error = failed->message;
    }
    json::Array arguments;
    for (size_t i = 0; i < cell.tensors.size(); ++i) {
      const TensorArgument &argument = cell.tensors[i];
      json::Object object{{"name", argument.name},
                          {"dtype", argument.type.str()},
                          {"count", argument.count},
                          {"size", before.sizes[i]},
                          {"output", argument.isOutput},
                          {"exact", argument.exact},
                          {"before", append(before.getTensor(i))},
                          {"after", append(after.getTensor(i))}};
      if (const auto &descriptor = argument.descriptor) {
        json::Array strides(descriptor->strides);
        strides.push_back(1);
        object["descriptor"] = json::Object{{"shape", json::Array(descriptor->shape)},
                                            {"strides", std::move(strides)},
                                            {"block_shape", json::Array(descriptor->block)},
                                            {"padding", descriptor->padsWithNan ? "nan" : "zero"}};
      }
      arguments.push_back(std::move(object));
    }
    for (const ScalarArgument &argument : cell.scalars) {
      json::Value value =
          argument.type.isFloat() ? json::Value(argument.number) : json::Value(argument.integer);
      arguments.push_back(json::Object{
          {"name", argument.name}, {"dtype", argument.type.str()}, {"value", std::move(value)}});
    }
    index << json::Value(json::Object{{"id", cell.getId()},
                                      {"group", cell.group},
                                      {"source", cell.source},
                                      {"rule", getName(cell.tolerance.rule)},
                                      {"bound", cell.tolerance.bound},
                                      {"absolute", cell.tolerance.absolute},
                                      {"grid", json::Array(cell.grid)},
                                      {"num_warps", cell.numWarps},
                                      {"debug", cell.debug},
                                      {"error", error},
                                      {"arguments", std::move(arguments)}})
          << "\n";
  }

private:
  /// The offset of the bytes.
  uint64_t append(llvm::ArrayRef<uint8_t> bytes) {
    uint64_t offset = contents.tell();
    contents.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    return offset;
  }

  uint64_t seed;
  llvm::raw_ostream &index, &contents;
  std::unique_ptr<Target> interpreter;
  mlir::MLIRContext context;
};
} // namespace

std::string matrix::exportCells(const Cells &cells, uint64_t seed, const std::string &directory) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return "cannot make '" + directory + "': " + error.message();
  std::error_code error;
  llvm::raw_fd_ostream index(directory + "/cells.jsonl", error);
  if (error)
    return "cannot write '" + directory + "/cells.jsonl': " + error.message();
  llvm::raw_fd_ostream contents(directory + "/contents", error);
  if (error)
    return "cannot write '" + directory + "/contents': " + error.message();
  Exporter exporter(seed, index, contents);
  for (const Cell &cell : cells)
    exporter.write(cell);
  index.close();
  contents.close();
  if (index.has_error() || contents.has_error()) {
    index.clear_error();
    contents.clear_error();
    return "cannot write all of '" + directory + "'";
  }
  return "";
}
