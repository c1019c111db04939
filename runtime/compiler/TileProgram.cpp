// Kernels in tile IR: compiled for one signature already.
#include "runtime/compiler/Backend.h"

#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/tile/SmallMemory.h"
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"
#include "runtime/core/Arguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilerun;
using namespace tilerun::compiler;
using core::SignatureEntry;
using core::SourceParameter;
using core::Status;

namespace {

class TileProgram : public core::Program {
public:
  explicit TileProgram(std::shared_ptr<const Services> services) : backend(std::move(services)) {}

  Status load(llvm::StringRef text, const std::string &kernel);

  const std::string &getName() const override { return name; }
  const std::vector<SourceParameter> &getParameters() const override { return parameters; }
  const std::vector<SignatureEntry> *getFixedSignature() const override { return &signature; }
  Status parseSignature(const std::string &, std::vector<SignatureEntry> &) const override {
    return refuseSignature();
  }
  Status compile(const core::Device &device, const std::string &text,
                 const TilerunCompileOptions &options, core::CompiledArtifact &artifact) override {
    if (!text.empty())
      return refuseSignature();
    std::vector<uint8_t> bytecode;
    TILERUN_TRY(optimizeModule(options, bytecode));
    return backend.compile(device, bytecode, text, options, artifact);
  }
  Status emit(const plugin::Plugin &plugin, const std::string &target, const std::string &text,
              const TilerunCompileOptions &options, const std::string &stage,
              const TakeArtifact &take) override;
  void refuse(const core::Device &device, const std::string &text,
              const TilerunCompileOptions &options) override {
    backend.refuse(device, text, options);
  }

private:
  Status refuseSignature() const {
    return Status::invalid("kernel '" + name + "' is tile IR, which has one signature: give none");
  }
  /// `text`, if it is not null: a stage's name, and then its text (Backend::printTile).
  Status optimizeModule(const TilerunCompileOptions &options, std::vector<uint8_t> &bytecode,
                        std::string *text = nullptr) const;

  Backend backend;
  std::string name;
  std::vector<SourceParameter> parameters;
  std::vector<SignatureEntry> signature;
  std::vector<uint8_t> plain; ///< The module, not optimized and without descriptors.
};

} // namespace

// AUTO where the IR does not tell: integers have no sign there, unless they are booleans.
static uint16_t getType(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, uint16_t>(type)
      .Case<mlir::Float16Type>([](auto) { return TILERUN_DTYPE_FP16; })
      .Case<mlir::BFloat16Type>([](auto) { return TILERUN_DTYPE_BF16; })
      .Case<mlir::Float32Type>([](auto) { return TILERUN_DTYPE_FP32; })
      .Case<mlir::Float64Type>([](auto) { return TILERUN_DTYPE_FP64; })
      .Case<mlir::Float8E5M2Type>([](auto) { return TILERUN_DTYPE_FP8E5; })
      .Case<mlir::Float8E4M3FNType>([](auto) { return TILERUN_DTYPE_FP8E4NV; })
      .Case<mlir::Float8E4M3FNUZType>([](auto) { return TILERUN_DTYPE_FP8E4B8; })
      .Case<mlir::Float8E5M2FNUZType>([](auto) { return TILERUN_DTYPE_FP8E5B16; })
      .Case<tile::F8E4M3B15Type>([](auto) { return TILERUN_DTYPE_FP8E4B15; })
      .Default([](mlir::Type other) {
        return other.isInteger(1) ? TILERUN_DTYPE_I1 : TILERUN_DTYPE_AUTO;
      });
}

Status TileProgram::load(llvm::StringRef text, const std::string &kernel) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += (messages.empty() ? "" : "\n  ") + diagnostic.str();
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = tile::readModule(text, &context);
  if (!module)
    return Status(TILERUN_STATUS_COMPILE, "the tile IR cannot be read: " +
                                              (messages.empty() ? "it is not a module" : messages));
  auto function = module->lookupSymbol<mlir::func::FuncOp>(kernel);
  if (!function || !function->hasAttr(tile::TileDialect::kKernelAttr)) {
    std::string known;
    for (auto other : module->getOps<mlir::func::FuncOp>())
      if (other->hasAttr(tile::TileDialect::kKernelAttr))
        known += (known.empty() ? "'" : ", '") + other.getName().str() + "'";
    return Status(TILERUN_STATUS_NOT_FOUND, "the tile IR has no kernel '" + kernel + "'; it has " +
                                                (known.empty() ? "none" : known));
  }
  if (mlir::failed(expandDescriptors(*module)))
    return Status(TILERUN_STATUS_COMPILE, "the tile IR cannot be compiled: " + messages);
  name = kernel;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    SignatureEntry entry;
    auto given = function.getArgAttrOfType<mlir::StringAttr>(i, tile::TileDialect::kNameAttr);
    entry.name = given ? given.str() : "#" + std::to_string(i);
    mlir::Type type = function.getArgument(i).getType();
    auto pointer = llvm::dyn_cast<tile::PointerType>(type);
    entry.isPointer = static_cast<bool>(pointer);
    entry.dtype = getType(pointer ? pointer.getPointeeType() : type);
    if (auto divisibility =
            function.getArgAttrOfType<mlir::IntegerAttr>(i, tile::TileDialect::kDivisibilityAttr))
      entry.divisibility = divisibility.getInt();
    entry.isSmall = bool(function.getArgAttr(i, tile::kSmallAttr));
    SourceParameter parameter;
    parameter.name = entry.name;
    parameters.push_back(std::move(parameter));
    signature.push_back(std::move(entry));
  }
  plain = tile::writeModule(*module);
  return {};
}

Status TileProgram::emit(const plugin::Plugin &plugin, const std::string &target,
                         const std::string &text, const TilerunCompileOptions &options,
                         const std::string &stage, const TakeArtifact &take) {
  if (!text.empty())
    return refuseSignature();
  std::vector<uint8_t> bytecode;
  std::string own = stage;
  const bool isOwn = Backend::isTileStage(stage);
  TILERUN_TRY(optimizeModule(options, bytecode, isOwn ? &own : nullptr));
  if (!isOwn)
    return Backend::emit(plugin, target, bytecode, options, stage, take);
  Backend::takeText(own, stage, take);
  return {};
}

Status TileProgram::optimizeModule(const TilerunCompileOptions &options,
                                   std::vector<uint8_t> &bytecode, std::string *text) const {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::StringRef bytes(reinterpret_cast<const char *>(plain.data()), plain.size());
  mlir::OwningOpRef<mlir::ModuleOp> module = tile::readModule(bytes, &context);
  if (!module)
    return Status(TILERUN_STATUS_INTERNAL, "the tile IR of '" + name + "' cannot be read again");
  TILERUN_TRY(makeBytecode(*module, name, options, bytecode));
  if (text)
    *text = Backend::printTile(*module, *text);
  return {};
}

Status compiler::loadTileIr(std::shared_ptr<const Services> services, llvm::StringRef module,
                            const std::string &kernel, std::shared_ptr<core::Program> &program) {
  auto tile = std::make_shared<TileProgram>(std::move(services));
  TILERUN_TRY(tile->load(module, kernel));
  program = std::move(tile);
  return {};
}
