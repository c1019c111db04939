// See Compile.h: the stages in order.
#include "backends/spirv/Compile.h"
#include "backends/common/DebugWriter.h"
#include "backends/common/Stages.h"
#include "backends/spirv/Fixups.h"
#include "backends/spirv/Interface.h"
#include "backends/spirv/Patterns.h"
#include "backends/spirv/Serialize.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/simt/CarriedValues.h"
#include "ir/simt/Scalarize.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;
using backend::makeError;

void spirvbackend::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect,
                  spirv::SPIRVDialect, ub::UBDialect, vector::VectorDialect>();
}

namespace {
/// Threads of the language's warps, whatever the subgroup size.
constexpr unsigned kWarp = 32;

class Compilation {
public:
  Compilation(ModuleOp module, const SpirvOptions &options)
      : module(module), options(options), target(options.target), info(getTargetInfo(target)) {}
  llvm::Error check();
  distribute::Program getProgram() const;
  LogicalResult toSpirvDialect();
  llvm::Error toWords();
  SpirvArtifact artifact;

private:
  LogicalResult simplify();
  func::FuncOp prepare();
  void makeEntry(func::FuncOp kernel, KernelContext &context);

  ModuleOp module;
  const SpirvOptions &options;
  const Target &target;
  target::TargetInfo info;
  spirv::ModuleOp spirvModule;
};
} // namespace

llvm::Error Compilation::check() {
  if (llvm::Error error = backend::checkNumWarps(options.numWarps))
    return error;
  if (llvm::Error error = backend::checkNumCtas(options.numCtas))
    return error;
  llvm::Expected<func::FuncOp> kernel = backend::findKernel(module);
  if (!kernel)
    return kernel.takeError();
  artifact.kernel = kernel->getName().str();
  artifact.target = printTarget(target);
  artifact.numThreads = std::max<uint64_t>(options.numWarps * kWarp, target.subgroupSize);
  artifact.subgroupSize = target.subgroupSize;
  artifact.requiresSubgroupSize = target.hasSubgroupControl;
  for (backend::KernelParameter &known : backend::getParameters(*kernel)) {
    SpirvParameter parameter{std::move(known), 0};
    unsigned bytes = std::max(parameter.bits / 8, 1u);
    parameter.offset = llvm::alignTo(artifact.argumentBytes, bytes);
    artifact.argumentBytes = parameter.offset + bytes;
    artifact.parameters.push_back(parameter);
  }
  uint64_t words = llvm::alignTo(kHeaderBytes + artifact.argumentBytes, 4);
  artifact.argumentsInMemory = words > kPushBytes;
  artifact.pushBytes = artifact.argumentsInMemory ? kHeaderBytes + 8 : words;
  return llvm::Error::success();
}

distribute::Program Compilation::getProgram() const {
  return {.target = &info,
          .numWarps = unsigned(artifact.numThreads / target.subgroupSize),
          .numStages = options.numStages,
          .warpUnit = kWarp,
          .numCtas = options.numCtas};
}

/// Never with aggressive simplification of regions: it breaks structured control flow.
LogicalResult Compilation::simplify() {
  PassManager passes(module.getContext());
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
  passes.addPass(createCanonicalizerPass(config));
  passes.addPass(createCSEPass());
  return passes.run(module);
}

/// The kernel with its register vectors scalarized; null after an error.
func::FuncOp Compilation::prepare() {
  func::FuncOp kernel;
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function->hasAttr(tile::TileDialect::kKernelAttr))
      kernel = function;
    else
      function.erase(); // helpers were inlined
  }
  backend::prepareDebug(kernel, target.sharedBytes, artifact.debugSites);
  artifact.sharedBytes = backend::getSharedBytes(kernel);
  if (failed(prepareAtomics(kernel, target)) ||
      failed(expandMath(module, target, options.fpFusion)) ||
      failed(legalizeTypes(module, target)) || failed(simplify()))
    return {};
  simt::scalarize(kernel, simt::PoisonIs::Zero);
  simt::dropUnusedCarried(kernel);
  if (failed(simplify()))
    return {};
  return kernel;
}

/// Moves the kernel's body to a function of the SPIR-V module and reads its parameters there.
void Compilation::makeEntry(func::FuncOp kernel, KernelContext &context) {
  MLIRContext *mlirContext = module.getContext();
  Location loc = kernel.getLoc();
  OpBuilder b(kernel);
  // The serializer asks for this extension before it writes lines; SPIR-V 1.6 has it in its core.
  auto triple = spirv::VerCapExtAttr::get(
      spirv::Version::V_1_6, {}, {spirv::Extension::SPV_KHR_non_semantic_info}, mlirContext);
  spirvModule = spirv::ModuleOp::create(
      b, loc, spirv::AddressingModel::PhysicalStorageBuffer64,
      target.hasMemoryModel ? spirv::MemoryModel::Vulkan : spirv::MemoryModel::GLSL450, triple);
  context.module = spirvModule;
  b.setInsertionPointToStart(spirvModule.getBody());
  context.function =
      spirv::FuncOp::create(b, loc, kernel.getName(), FunctionType::get(mlirContext, {}, {}));
  context.function.getBody().takeBody(kernel.getBody());
  Block &body = context.function.getBody().front();

  Type i32 = b.getI32Type();
  auto words = spirv::ArrayType::get(i32, artifact.pushBytes / 4, /*stride=*/4);
  auto block = spirv::StructType::get({words}, {0});
  auto pointer = spirv::PointerType::get(block, spirv::StorageClass::PushConstant);
  spirv::GlobalVariableOp push = globalVariable(context, "parameters", pointer);
  b.setInsertionPointToStart(&body);
  context.pushPointer = addressOf(b, loc, push);

  Value address;
  if (artifact.argumentsInMemory)
    address = joinWords(b, loc, pushWord(b, loc, context, kHeaderBytes),
                        pushWord(b, loc, context, kHeaderBytes + 4));
  auto readWord = [&](unsigned offset) -> Value {
    if (!artifact.argumentsInMemory)
      return pushWord(b, loc, context, kHeaderBytes + offset);
    Value place = offset ? Value(spirv::IAddOp::create(b, loc, address,
                                                       constantOf(b, loc, b.getI64Type(), offset)))
                         : address;
    return loadGlobal(b, loc, place, i32, 4);
  };
  for (auto [argument, parameter] : llvm::zip_equal(body.getArguments(), artifact.parameters)) {
    if (argument.use_empty())
      continue;
    SmallVector<Value> parts{readWord(parameter.offset & ~3u)};
    if (parameter.bits == 64)
      parts.push_back(readWord(parameter.offset + 4));
    if (unsigned shift = 8 * (parameter.offset & 3))
      parts[0] =
          spirv::ShiftRightLogicalOp::create(b, loc, i32, parts[0], constantOf(b, loc, i32, shift));
    Value value;
    if (parameter.bits == 1) {
      Value byte = spirv::BitwiseAndOp::create(b, loc, parts[0], constantOf(b, loc, i32, 0xff));
      value = spirv::INotEqualOp::create(b, loc, byte, constantOf(b, loc, i32, 0));
    } else {
      value = fromWords(b, loc, parts, argument.getType(), 1, target).front();
    }
    if (value.getType() != argument.getType())
      value = UnrealizedConversionCastOp::create(b, loc, TypeRange{argument.getType()}, value)
                  .getResult(0);
    argument.replaceAllUsesWith(value);
  }
  body.eraseArguments(0, body.getNumArguments());
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  spirv::ReturnOp::create(b, end->getLoc());
  end->erase();
  kernel.erase();
}

/// A full conversion whose errors explain why an op has no pattern.
static LogicalResult convertAll(Operation *module, const ConversionTarget &legal,
                                RewritePatternSet &&patterns) {
  struct Unknown {
    Location location;
    std::string name;
  };
  std::vector<Unknown> unknown;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(module->getContext(), [&](Diagnostic &diagnostic) {
      std::string text = diagnostic.str();
      StringRef rest = text;
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
          !rest.consume_front("failed to legalize operation '"))
        return failure();
      unknown.push_back(
          {diagnostic.getLocation(), rest.take_until([](char c) { return c == '\''; }).str()});
      return success();
    });
    result = applyFullConversion(module, legal, std::move(patterns));
  }
  for (const Unknown &op : unknown)
    emitError(op.location) << "'" << op.name << "' cannot be compiled for " << kTargetName
                           << ": it is not supported for these types";
  return result;
}

LogicalResult Compilation::toSpirvDialect() {
  MLIRContext *context = module.getContext();
  func::FuncOp function = prepare();
  if (!function)
    return failure();
  KernelContext kernel(target);
  kernel.numThreads = artifact.numThreads;
  kernel.sharedBytes = artifact.sharedBytes;
  kernel.debug = options.debug;
  makeEntry(function, kernel);
  groupAccesses(kernel);

  spirv::TargetEnvAttr environment = spirv::TargetEnvAttr::get(
      spirv::VerCapExtAttr::get(spirv::Version::V_1_6, {}, {}, context),
      spirv::getDefaultResourceLimits(context), spirv::ClientAPI::Vulkan, spirv::Vendor::Unknown,
      spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
  SPIRVConversionOptions conversion;
  conversion.emulateLT32BitScalarTypes = false;
  conversion.emulateUnsupportedFloatTypes = false;
  conversion.use64bitIndex = true;
  SPIRVTypeConverter converter(environment, conversion);
  converter.addConversion([this](Type type) -> std::optional<Type> {
    if (!isa<IntegerType, FloatType, IndexType>(type))
      return std::nullopt;
    return heldType(type, target);
  });
  converter.addConversion(
      [this](VectorType type, SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
        Type element = heldType(type.getElementType(), target);
        if (type.getRank() != 1 || !element)
          return failure();
        results.append(type.getNumElements(), element);
        return success();
      });
  converter.addConversion(
      [context](simt::SharedType) -> Type { return IntegerType::get(context, 32); });

  RewritePatternSet patterns(context);
  populateControlFlowPatterns(converter, patterns, kernel);
  populateArithPatterns(converter, patterns, kernel);
  populateVectorPatterns(converter, patterns, kernel);
  populateMemoryPatterns(converter, patterns, kernel);
  populateSharedPatterns(converter, patterns, kernel);
  populateSubgroupPatterns(converter, patterns, kernel);
  populateAtomicPatterns(converter, patterns, kernel);
  populateDebugPatterns(converter, patterns, kernel);
  populateMathPatterns(converter, patterns, kernel);
  populateCastPatterns(converter, patterns, kernel);
  populateMatrixPatterns(converter, patterns, kernel);
  ConversionTarget legal(*context);
  legal.addLegalDialect<spirv::SPIRVDialect>();
  legal.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  if (failed(convertAll(spirvModule, legal, std::move(patterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  spirvModule.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
  PassManager passes(context);
  passes.addNestedPass<spirv::ModuleOp>(createCSEPass());
  if (failed(passes.run(module)))
    return failure();
  finishModule(kernel);
  return verify(module);
}

llvm::Error Compilation::toWords() {
  FailureOr<SmallVector<uint32_t, 0>> words = serializeModule(spirvModule, options.lineInfo);
  if (failed(words))
    return makeError("the module could not be serialized");
  llvm::Expected<std::vector<uint32_t>> fixed = fixUp(*words, target);
  if (fixed)
    fixed = specializeWorkgroup(*fixed);
  if (!fixed)
    return fixed.takeError();
  artifact.words = std::move(*fixed);
  return llvm::Error::success();
}

/// Runs the stages up to `stage`; `text` gets its text.
static llvm::Expected<SpirvArtifact> runStages(ModuleOp module, const SpirvOptions &options,
                                               Stage stage, std::string *text) {
  backend::StageRunner runner(module, spirvbackend::registerDialects);
  Compilation compilation(module, options);
  if (llvm::Error error = compilation.check())
    return std::move(error);
  llvm::Expected<std::optional<std::string>> asked =
      runner.lowerToThreads(compilation.getProgram(), backend::getThreadStage(stage),
                            {options.schedule, options.scheduleName}, options.locations);
  if (!asked)
    return asked.takeError();
  if (*asked) {
    *text = std::move(**asked);
    return compilation.artifact;
  }
  if (llvm::Error error = runner.check(compilation.toSpirvDialect(), "lowering to SPIR-V"))
    return std::move(error);
  if (stage == Stage::SpirvDialect) {
    *text = runner.print(options.locations);
    return compilation.artifact;
  }
  if (llvm::Error error = runner.explain(compilation.toWords()))
    return std::move(error);
  if (stage == Stage::SpirvAsm) {
    llvm::Expected<std::string> assembly = disassemble(compilation.artifact.words);
    if (!assembly)
      return assembly.takeError();
    *text = std::move(*assembly);
  }
  return std::move(compilation.artifact);
}

llvm::Expected<SpirvArtifact> spirvbackend::compile(ModuleOp module, const SpirvOptions &options) {
  return runStages(module, options, Stage::Spirv, nullptr);
}

llvm::Expected<SpirvArtifact> spirvbackend::compile(llvm::StringRef bytecode,
                                                    const SpirvOptions &options, Stage stage,
                                                    std::string *text) {
  SpirvArtifact artifact;
  llvm::Error error =
      backend::readModule(bytecode, registerDialects, [&](ModuleOp module) -> llvm::Error {
        std::string unused;
        llvm::Expected<SpirvArtifact> compiled =
            runStages(module, options, stage, text ? text : &unused);
        if (!compiled)
          return compiled.takeError();
        artifact = std::move(*compiled);
        return llvm::Error::success();
      });
  if (error)
    return std::move(error);
  return artifact;
}

llvm::Expected<std::string> spirvbackend::compileTo(ModuleOp module, const SpirvOptions &options,
                                                    Stage stage) {
  std::string text;
  llvm::Expected<SpirvArtifact> artifact = runStages(module, options, stage, &text);
  if (!artifact)
    return artifact.takeError();
  if (stage == Stage::Spirv)
    text.assign(reinterpret_cast<const char *>(artifact->words.data()), 4 * artifact->words.size());
  return text;
}
