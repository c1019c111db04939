// Runs one launch on a device.
#include "tools/tilerun/command/Launch.h"

#include "frontend/corpus/Guess.h"
#include "runtime/cache/PluginArtifacts.h"
#include "runtime/compiler/Programs.h"
#include "runtime/core/MemoryPool.h"
#include "runtime/plugin/Trace.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/command/Crash.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/ResultNotes.h"
#include "tools/tilerun/host/Npy.h"
#include "tools/tilerun/host/Operators.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstdlib>

using namespace tilerun;
using namespace tilerun::command;
using host::Tensor;
using host::Value;

static bool isCsv(llvm::StringRef path) { return path.ends_with(".csv"); }

/// Whether a tensor can be saved in the format that a path names.
static llvm::Error checkFormat(llvm::StringRef path, const Tensor &tensor) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (isCsv(path) && tensor.shape.size() > 2)
    return makeUsageError("--save: '" + path + "' can hold one or two dimensions, not " +
                          tensor.describe() + "; save it as FILE.npy");
  if (extension.empty() || extension == ".npy" || isCsv(path))
    return llvm::Error::success();
  return makeUsageError("--save: '" + path +
                        "' names a format that is not written; formats are "
                        ".npy and .csv");
}

llvm::Error Launch::run() {
  {
    Span span("host", "make arguments");
    TILERUN_TRY_VALUE(bound, bindArguments(session));
    binding = std::move(bound);
  }
  if (session.options.command == Options::Command::Check && !device->checksBounds())
    return makeUsageError("device '" + device->getId() + "' cannot run checks; use --device cpu");
  TILERUN_TRY_ERROR(checkPhases(device->getPlugin(), device->getInfo().target, session.options));
  TILERUN_TRY_ERROR(bindGrid(session, binding, *device));
  {
    Span span("host", "compute expectations");
    TILERUN_TRY_ERROR(prepareOutputs());
  }
  TILERUN_TRY_ERROR(checkSurplus(session));
  if (!session.options.allowOverlap)
    TILERUN_TRY_ERROR(checkOverlap(binding));
  // A check runs in one thread anyway.
  const bool isCheck = session.options.command == Options::Command::Check;
  const bool isRun = session.options.command == Options::Command::Run;
  knowsWriters = isCheck && !expectations.empty();
  TILERUN_TRY_ERROR(compile(!device->checksBounds() ? ""
                            : isRun                 ? "activity"
                            : knowsWriters          ? "activity,writers"
                            : isCheck               ? "activity"
                                                    : ""));
  TILERUN_TRY_ERROR(execute());
  Span span("host", "compare");
  dropNotesOfInputs(binding, result.findings.notes);
  // What --nan-inf finds says more.
  if (isRun || (isCheck && !session.options.nanInf))
    noteNans(
        binding, session.kernel->qualifiedName,
        [&](const Tensor &tensor) { return getAfter(tensor); }, result.findings.notes);
  for (Expectation &expectation : expectations)
    expectation.result = compare(expectation);
  if (!allMatch() && (isRun || isCheck))
    explainMismatches();
  for (auto [file, output] : llvm::zip_equal(files, saved)) {
    const Tensor after = getAfter(output.tensor);
    llvm::Error error = isCsv(output.path) ? file.commit(host::formatCsv(after))
                                           : file.commit(host::formatNpy(after));
    if (error)
      return withExitCode(std::move(error), ExitCode::Usage);
  }
  return llvm::Error::success();
}

Tensor Launch::getAfter(const Tensor &tensor) const {
  Tensor after = tensor;
  auto it = memory.find(tensor.storage.get());
  if (it != memory.end() && it->second.after)
    after.storage = it->second.after;
  after.poisoned = false;
  return after;
}

int64_t Launch::getNumElements() const {
  int64_t most = 0;
  for (const auto &[name, value] : binding.values)
    if (auto *tensor = value.getIf<Tensor>())
      most = std::max(most, tensor->numElements());
  return most;
}

void Launch::forEachError(const Expectation &expectation,
                          llvm::function_ref<void(const host::ElementError &)> each) const {
  const Tensor after = getAfter(expectation.tensor);
  if (expectation.integers)
    host::forEachError(after, *expectation.integers, each);
  else
    host::forEachError(after, *expectation.array, expectation.tolerance, each);
}

host::Comparison Launch::compare(const Expectation &expectation) const {
  const Tensor after = getAfter(expectation.tensor);
  return expectation.integers
             ? host::compareIntegers(after, *expectation.integers)
             : host::compareTensor(after, *expectation.array, expectation.tolerance);
}

bool Launch::allMatch() const {
  return llvm::all_of(expectations, [](const Expectation &e) { return e.result.ok(); });
}

//===----------------------------------------------------------------------===//
// Before the launch
//===----------------------------------------------------------------------===//

llvm::Expected<Tensor> Launch::findOutput(llvm::StringRef name, llvm::StringRef option) {
  const auto &names = session.evaluator.getNames();
  auto it = names.find(name);
  const Tensor *tensor = it == names.end() ? nullptr : it->second.getIf<Tensor>();
  auto shares = [&](const Tensor &t) {
    return llvm::any_of(binding.values, [&](const auto &entry) {
      auto *argument = entry.second.template getIf<Tensor>();
      return argument && argument->storage == t.storage;
    });
  };
  if (tensor && shares(*tensor))
    return *tensor;
  std::vector<llvm::StringRef> candidates;
  for (const auto &[candidate, value] : names)
    if (auto *t = value.getIf<Tensor>(); t && shares(*t))
      candidates.push_back(candidate);
  return makeUsageError(option + ": '" + name + "' is not a tensor argument of the kernel" +
                        suggest(name, candidates));
}

llvm::Error Launch::prepareExpectation(llvm::StringRef text) {
  TILERUN_TRY_VALUE(split, splitAssignment(text, "--expect"));
  llvm::StringRef source = llvm::StringRef(split.second).trim();
  TILERUN_TRY_VALUE(tensor, findOutput(split.first, "--expect"));
  Expectation out;
  out.name = split.first;
  out.text = split.second;
  out.tensor = tensor;
  out.tolerance = host::getDefaultTolerance(tensor.dtype);
  out.tolerance.rtol = session.options.rtol.value_or(out.tolerance.rtol);
  out.tolerance.atol = session.options.atol.value_or(out.tolerance.atol);

  std::string what = "--expect " + out.name;
  Value value;
  bool isFile = source.starts_with("@") || source.ends_with(".npy");
  if (isFile) {
    source.consume_front("@");
    bool raw = tensor.dtype.isFp8() || tensor.dtype.scalar == Scalar::BF16;
    llvm::Expected<Tensor> file =
        host::readNpy(source, raw ? std::optional(tensor.dtype) : std::nullopt);
    if (!file)
      return makeUsageError(what + ": " + llvm::toString(file.takeError()));
    value = Value(*file);
  } else {
    mlir::FailureOr<Value> evaluated = host::evaluateText(session.expressions, what, split.second);
    if (mlir::failed(evaluated))
      return session.failure(ExitCode::Usage);
    value = *evaluated;
  }
  auto *exact = value.getIf<Tensor>();
  bool sameShape = exact && exact->shape == tensor.shape;
  bool exactTolerance = out.tolerance.rtol == 0 && out.tolerance.atol == 0;
  if (sameShape && exact->dtype.isInt() && tensor.dtype.isInt() && exactTolerance) {
    out.integers = *exact;
  } else {
    llvm::Expected<host::Array> array = host::getArray(value);
    if (!array)
      return makeUsageError(what + ": " + llvm::toString(array.takeError()));
    llvm::Expected<host::Array> shaped = host::broadcastTo(*array, tensor.shape);
    // A file must have exactly the shape; an expression may broadcast.
    if (isFile && array->shape != tensor.shape) {
      llvm::consumeError(shaped.takeError());
      shaped = host::makeError("wrong shape");
    }
    if (!shaped) {
      llvm::consumeError(shaped.takeError());
      return makeUsageError(what + ": the expectation has shape " +
                            host::formatIndex(array->shape) + ", '" + out.name + "' has " +
                            host::formatIndex(tensor.shape));
    }
    out.array = std::move(*shaped);
  }
  expectations.push_back(std::move(out));
  return llvm::Error::success();
}

llvm::Error Launch::prepareOutputs() {
  for (const std::string &text : session.options.expects)
    TILERUN_TRY_ERROR(prepareExpectation(text));
  for (const std::string &name : session.options.prints) {
    TILERUN_TRY_VALUE(tensor, findOutput(name, "--print"));
    printed.push_back({name, "", tensor});
  }
  for (const std::string &text : session.options.saves) {
    TILERUN_TRY_VALUE(split, splitAssignment(text, "--save"));
    TILERUN_TRY_VALUE(tensor, findOutput(split.first, "--save"));
    TILERUN_TRY_ERROR(checkFormat(split.second, tensor));
    for (const Output &other : saved)
      if (other.path == split.second)
        return makeUsageError("--save: '" + split.second + "' is to be written twice");
    saved.push_back({split.first, split.second, tensor});
  }
  // Opened before the launch, so that a bad path costs no work.
  for (const Output &output : saved) {
    llvm::Expected<host::AtomicFile> file = host::AtomicFile::open(output.path);
    if (!file)
      return makeUsageError("--save " + output.name + ": " + llvm::toString(file.takeError()));
    files.push_back(std::move(*file));
  }
  return llvm::Error::success();
}

void Launch::noteSmallMemory() {
  for (const core::SourceParameter &parameter : compiler::describeParameters(*session.kernel)) {
    auto argument = binding.signature.arguments.find(parameter.name);
    auto value = binding.values.find(parameter.name);
    if (argument == binding.signature.arguments.end() || value == binding.values.end())
      continue;
    auto *typed = std::get_if<TypedArgument>(&argument->second);
    const auto *tensor = value->second.getIf<Tensor>();
    if (typed && tensor && parameter.specialize)
      typed->isSmall = tensor->storage->bytes().size() <= TILERUN_SMALL_BYTES &&
                       tensor->offset <= TILERUN_SMALL_BEFORE;
  }
}

llvm::Error Launch::compile(llvm::StringRef watch) {
  auto start = std::chrono::steady_clock::now();
  const Options &options = session.options;
  if (device->usesSmall())
    noteSmallMemory();
  CompileSettings settings(binding.signature, options);
  if (options.command == Options::Command::Check)
    settings.add("checks", std::string("bounds,uninitialized,races,overflow,unwritten,") +
                               "masked-values" + (options.nanInf ? ",nan-inf" : ""));
  if (!watch.empty())
    settings.add("watch", watch.str());
  // The interpreter's own: GPUs have no threads of the host.
  if (options.threads && device->checksBounds())
    settings.add("threads", std::to_string(options.threads));
  auto services = std::make_shared<compiler::Services>();
  if (options.useCache)
    services->cache = cache::getSharedCache();
  if (!isRepetition)
    services->log = [](int32_t, const std::string &text) { llvm::errs() << text; };
  std::shared_ptr<core::Program> program =
      compiler::adoptKernel(services, session.frontend, *session.module, *session.kernel);
  const std::string signature = corpus::formatSignature(binding.signature);
  core::Status status =
      core::Kernel(program).specialize(*device, signature, settings.get(), loaded);
  if (!status.isOk())
    return session.explainFailure(status, binding.signature);
  // Warnings are repeated each time, which needs the frontend each time.
  if (!session.getDiagnostics().getDiagnostics().empty())
    program->refuse(*device, signature, settings.get());
  compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return options.remarks ? askRemarks(signature, settings.get()) : llvm::Error::success();
}

// Cached artifacts have none, so a program of their own produces them: the session's frontend would
// repeat its warnings.
llvm::Error Launch::askRemarks(const std::string &signature,
                               const TilerunCompileOptions &settings) {
  const std::string &target = device->getInfo().target;
  std::shared_ptr<core::Program> program;
  TILERUN_TRY_LIBRARY(session.loadAgain(std::make_shared<compiler::Services>(), program));
  llvm::Expected<llvm::json::Array> read = llvm::json::Array();
  TILERUN_TRY_LIBRARY(
      program->emit(device->getPlugin(), target, signature, settings, "remarks-json",
                    [&](const TilerunPluginArtifact &artifact) { read = readRemarks(artifact); }));
  if (!read)
    return read.takeError();
  remarks = std::move(*read);
  printRemarks(session, target, remarks);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

llvm::Error Launch::upload(const Tensor &tensor) {
  Memory &slot = memory[tensor.storage.get()];
  if (slot.address)
    return llvm::Error::success();
  const core::Stream &stream = device->getDefaultStream();
  auto bytes = tensor.storage->bytes();
  TILERUN_TRY_LIBRARY(device->getPool().allocate(stream, bytes.size(), slot.address));
  // Bytes between the elements of a strided tensor belong to no tensor: they count as never
  // written. A view of another tensor is uploaded as a whole, because that tensor has written it
  // all.
  uint64_t elementBytes = static_cast<uint64_t>(tensor.numElements()) * tensor.elementBytes();
  bool gaps = tensor.offset == 0 && tensor.getByteRange().second == bytes.size() &&
              elementBytes < bytes.size();
  // All bits set are a NaN in every format. Checks fill unwritten memory that way already.
  if ((tensor.poisoned || gaps) && !device->checksBounds())
    TILERUN_TRY_LIBRARY(stream.fill(slot.address, 0xFF, 1, bytes.size()));
  if (tensor.poisoned)
    return llvm::Error::success();
  std::vector<bool> written(bytes.size(), !gaps);
  if (gaps)
    tensor.forEach([&](int64_t, uint64_t at) {
      std::fill_n(written.begin() + static_cast<ptrdiff_t>(at), tensor.elementBytes(), true);
    });
  for (uint64_t begin = 0; begin < bytes.size();) {
    uint64_t end = begin;
    while (end < bytes.size() && written[end] == written[begin])
      ++end;
    if (written[begin])
      TILERUN_TRY_LIBRARY(
          stream.copyToDevice(slot.address + begin, bytes.data() + begin, end - begin));
    begin = end;
  }
  return llvm::Error::success();
}

llvm::Error Launch::makeArguments() {
  for (const core::Specialization::Parameter &parameter : loaded->parameters) {
    auto it = binding.values.find(parameter.name);
    const auto *tensor = it == binding.values.end() ? nullptr : it->second.getIf<Tensor>();
    std::optional<TilerunArgument> argument;
    if (it != binding.values.end())
      argument = toArgument(it->second, tensor ? memory[tensor->storage.get()].address : 0);
    if (!argument)
      return makeInternalError(
          session.options,
          "the compiled kernel needs a run-time value for '" + parameter.name + "'", "mlirbc", "");
    arguments.push_back(*argument);
    ranges.push_back({});
    if (tensor)
      ranges.back() = {0,
                       0,
                       tensor->shape.data(),
                       tensor->strides.data(),
                       static_cast<uint32_t>(tensor->shape.size()),
                       0};
  }
  return llvm::Error::success();
}

std::array<uint32_t, 3> Launch::getGrid() const {
  std::array<uint32_t, 3> grid;
  for (unsigned axis = 0; axis < 3; ++axis) // No axis has more than a device takes.
    grid[axis] = static_cast<uint32_t>(binding.grid[axis]);
  return grid;
}

uint32_t Launch::getFlags() const {
  return session.options.boundsChecks ? 0 : uint32_t(TILERUN_LAUNCH_NO_BOUNDS_CHECKS);
}

void Launch::free() {
  for (auto &[storage, slot] : memory)
    if (TilerunAddress address = std::exchange(slot.address, 0))
      (void)device->getPool().free(device->getDefaultStream(), address);
}

llvm::Expected<LaunchResult> Launch::launch(uint32_t flags) {
  const core::Stream &stream = device->getDefaultStream();
  const std::array<uint32_t, 3> grid = getGrid();
  std::unique_ptr<core::Event> start, end;
  TILERUN_TRY_LIBRARY(core::Event::create(device, TILERUN_EVENT_TIMING, start));
  TILERUN_TRY_LIBRARY(core::Event::create(device, TILERUN_EVENT_TIMING, end));
  TILERUN_TRY_VALUE(output, CapturedOutput::begin(session.options.json));
  TILERUN_TRY_LIBRARY(start->record(stream));
  TILERUN_TRY_LIBRARY(core::Kernel::launchSpecialized(
      *loaded, stream, grid.data(), arguments.data(), static_cast<uint32_t>(arguments.size()),
      flags, ranges.data()));
  TILERUN_TRY_LIBRARY(end->record(stream));
  LaunchResult out;
  if (core::Status status = stream.synchronize(); !status.isOk()) {
    TILERUN_TRY_VALUE(findings, readFindings(status.getError()));
    if (findings.empty())
      return toError(status);
    out.findings = std::move(findings);
  }
  out.printed = output.end();
  TILERUN_TRY_LIBRARY(core::Event::getElapsed(*start, *end, out.seconds));
  out.seconds /= 1000;
  return out;
}

// Whether the device detects bad addresses.
static bool isChecked(const core::Device &device, const Options &options) {
  const char *text = std::getenv("TILERUN_BOUNDS_CHECKS");
  const bool isOff = !options.boundsChecks || (text && llvm::StringRef(text) == "0");
  return device.checksBounds() && (options.command == Options::Command::Check || !isOff);
}

llvm::Error Launch::execute() {
  const core::Stream &stream = device->getDefaultStream();
  auto release = llvm::scope_exit([&] { free(); });
  for (const auto &[name, value] : binding.values)
    if (auto *tensor = value.getIf<Tensor>())
      TILERUN_TRY_ERROR(upload(*tensor));
  TILERUN_TRY_ERROR(makeArguments());
  const Options &options = session.options;
  if (!isChecked(*device, options))
    noteUncheckedLaunch(options.json);
  const uint32_t flags = getFlags();
  Progress progress("running " + loaded->executable->getName() + " (" +
                    std::to_string(getNumPrograms()) + " programs)");
  TILERUN_TRY_VALUE(first, launch(flags));
  result = std::move(first);
  writers = std::move(result.findings.writers);
  fastest = result.seconds;
  for (auto &[storage, slot] : memory) {
    TILERUN_TRY_VALUE(after, host::Storage::create(storage->bytes().size()));
    slot.after = std::move(after);
    TILERUN_TRY_LIBRARY(stream.copyFromDevice(slot.after->bytes().data(), slot.address,
                                              slot.after->bytes().size()));
  }
  TILERUN_TRY_LIBRARY(stream.synchronize());
  // Repetitions work on the memory that the first launch left; only their time counts.
  for (unsigned i = 1; i < options.repeat && !isRepetition; ++i) {
    TILERUN_TRY_VALUE(again, launch(flags));
    fastest = std::min(fastest, again.seconds);
  }
  return llvm::Error::success();
}
