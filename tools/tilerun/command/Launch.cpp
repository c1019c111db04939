// Runs one launch on a device.
#include "tools/tilerun/command/Launch.h"

#include "ir/tile/KeepOther.h"
#include "ir/tile/ModuleBytes.h"
#include "runtime/cache/Bytes.h"
#include "runtime/cache/Key.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Crash.h"
#include "tools/tilerun/host/Npy.h"
#include "tools/tilerun/host/Operators.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace tilerun;
using namespace tilerun::command;
using host::Tensor;
using host::Value;

static bool isCsv(llvm::StringRef path) { return path.ends_with(".csv"); }

/// Whether a tensor can be saved in the format that a path names.
static llvm::Error checkFormat(llvm::StringRef path, const Tensor &tensor) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (isCsv(path) && tensor.shape.size() > 2)
    return makeCommandError(ExitCode::Usage, "--save: '" + path +
                                                 "' can hold one or two dimensions, not " +
                                                 tensor.describe() + "; save it as FILE.npy");
  if (extension.empty() || extension == ".npy" || isCsv(path))
    return llvm::Error::success();
  return makeCommandError(ExitCode::Usage, "--save: '" + path +
                                               "' names a format that is not written; there are "
                                               ".npy and .csv");
}

llvm::Error Launch::run() {
  llvm::Expected<Binding> bound = bindArguments(session);
  if (!bound)
    return bound.takeError();
  binding = std::move(*bound);
  binding.signature.target = getTarget(device.getProperties());
  if (llvm::Error error = bindGrid(session, binding, device.getProperties()))
    return error;
  if (llvm::Error error = prepareOutputs())
    return error;
  if (llvm::Error error = checkSurplus(session))
    return error;
  if (!session.options.allowOverlap)
    if (llvm::Error error = checkOverlap(binding))
      return error;
  if (llvm::Error error = compile())
    return error;
  if (llvm::Error error = execute())
    return error;
  for (Expectation &expectation : expectations) {
    Tensor after = getAfter(expectation.tensor);
    expectation.result = expectation.integers ? host::compareIntegers(after, *expectation.integers)
                                              : host::compareTensor(after, *expectation.array,
                                                                    expectation.tolerance);
  }
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
  return makeCommandError(ExitCode::Usage, option + ": '" + name +
                                               "' is no tensor that the kernel gets" +
                                               suggest(name, candidates));
}

llvm::Error Launch::prepareExpectation(llvm::StringRef text) {
  auto split = splitAssignment(text, "--expect");
  if (!split)
    return split.takeError();
  llvm::StringRef source = llvm::StringRef(split->second).trim();
  llvm::Expected<Tensor> tensor = findOutput(split->first, "--expect");
  if (!tensor)
    return tensor.takeError();
  Expectation out;
  out.name = split->first;
  out.text = split->second;
  out.tensor = *tensor;
  out.tolerance = host::getDefaultTolerance(tensor->dtype);
  out.tolerance.rtol = session.options.rtol.value_or(out.tolerance.rtol);
  out.tolerance.atol = session.options.atol.value_or(out.tolerance.atol);

  std::string what = "--expect " + out.name;
  Value value;
  bool isFile = source.starts_with("@") || source.ends_with(".npy");
  if (isFile) {
    source.consume_front("@");
    bool raw = tensor->dtype.isFp8() || tensor->dtype.scalar == Scalar::BF16;
    llvm::Expected<Tensor> file =
        host::readNpy(source, raw ? std::optional(tensor->dtype) : std::nullopt);
    if (!file)
      return makeCommandError(ExitCode::Usage, what + ": " + llvm::toString(file.takeError()));
    value = Value(*file);
  } else {
    mlir::FailureOr<Value> evaluated = host::evaluateText(session.expressions, what, split->second);
    if (mlir::failed(evaluated))
      return session.failure(ExitCode::Usage);
    value = *evaluated;
  }
  auto *exact = value.getIf<Tensor>();
  bool sameShape = exact && exact->shape == tensor->shape;
  bool exactTolerance = out.tolerance.rtol == 0 && out.tolerance.atol == 0;
  if (sameShape && exact->dtype.isInt() && tensor->dtype.isInt() && exactTolerance) {
    out.integers = *exact;
  } else {
    llvm::Expected<host::Array> array = host::getArray(value);
    if (!array)
      return makeCommandError(ExitCode::Usage, what + ": " + llvm::toString(array.takeError()));
    llvm::Expected<host::Array> shaped = host::broadcastTo(*array, tensor->shape);
    // A file must have the very shape; an expression may broadcast.
    if (isFile && array->shape != tensor->shape) {
      llvm::consumeError(shaped.takeError());
      shaped = host::makeError("wrong shape");
    }
    if (!shaped) {
      llvm::consumeError(shaped.takeError());
      return makeCommandError(
          ExitCode::Usage, what + ": the expectation has shape " + host::formatIndex(array->shape) +
                               ", '" + out.name + "' has " + host::formatIndex(tensor->shape));
    }
    out.array = std::move(*shaped);
  }
  expectations.push_back(std::move(out));
  return llvm::Error::success();
}

llvm::Error Launch::prepareOutputs() {
  for (const std::string &text : session.options.expects)
    if (llvm::Error error = prepareExpectation(text))
      return error;
  for (const std::string &name : session.options.prints) {
    llvm::Expected<Tensor> tensor = findOutput(name, "--print");
    if (!tensor)
      return tensor.takeError();
    printed.push_back({name, "", *tensor});
  }
  for (const std::string &text : session.options.saves) {
    auto split = splitAssignment(text, "--save");
    if (!split)
      return split.takeError();
    llvm::Expected<Tensor> tensor = findOutput(split->first, "--save");
    if (!tensor)
      return tensor.takeError();
    if (llvm::Error error = checkFormat(split->second, *tensor))
      return error;
    for (const Output &other : saved)
      if (other.path == split->second)
        return makeCommandError(ExitCode::Usage,
                                "--save: '" + split->second + "' is to be written twice");
    saved.push_back({split->first, split->second, *tensor});
  }
  // Opened before the launch, so that a bad path costs no work.
  for (const Output &output : saved) {
    llvm::Expected<host::AtomicFile> file = host::AtomicFile::open(output.path);
    if (!file)
      return makeCommandError(ExitCode::Usage,
                              "--save " + output.name + ": " + llvm::toString(file.takeError()));
    files.push_back(std::move(*file));
  }
  return llvm::Error::success();
}

// What a launch needs to know of a compiled kernel, as the note that is kept with its code.
static std::string writeNote(const CompiledKernel &compiled) {
  cache::ByteWriter writer;
  writer.addText(compiled.staticOutput);
  writer.add<uint32_t>(compiled.parameters.size());
  for (const CompiledParameter &parameter : compiled.parameters) {
    writer.addText(parameter.name);
    writer.add<uint8_t>(static_cast<uint8_t>(parameter.type.scalar));
    writer.add<uint8_t>(parameter.type.pointerDepth);
    writer.add<uint8_t>(parameter.type.isConst);
  }
  std::vector<uint8_t> bytes = writer.take();
  return std::string(bytes.begin(), bytes.end());
}

static bool readNote(llvm::StringRef note, CompiledKernel &compiled) {
  cache::ByteReader reader(llvm::ArrayRef(note.bytes_begin(), note.size()));
  compiled.staticOutput = reader.getText();
  uint32_t count = reader.getCount(11);
  for (uint32_t i = 0; i < count && !reader.failed(); ++i) {
    CompiledParameter &parameter = compiled.parameters.emplace_back();
    parameter.name = reader.getText();
    parameter.type.scalar = static_cast<Scalar>(reader.get<uint8_t>());
    parameter.type.pointerDepth = reader.get<uint8_t>();
    parameter.type.isConst = reader.get<uint8_t>() != 0;
  }
  return reader.finished();
}

// All that decides what the frontend and the optimizer make of the kernel.
static std::string getIdentity(Session &session, const KernelSignature &signature) {
  // The compiler is in the same object as this function.
  static const std::string build = cache::getBuildId(reinterpret_cast<const void *>(&runCommand));
  cache::KeyBuilder key("launch of the command");
  key.add("build", llvm::StringRef(build))
      .add("sources", llvm::StringRef(session.frontend.getSourceDigest()))
      .add("kernel", llvm::StringRef(session.kernel->qualifiedName))
      .add("signature", llvm::StringRef(getCanonicalText(signature)))
      .add("optimize", uint64_t(session.options.optimize));
  return key.finish().toHex();
}

llvm::Error Launch::compile() {
  auto start = std::chrono::steady_clock::now();
  std::vector<uint8_t> bytecode;
  auto make = [&]() -> llvm::Expected<SourceModule> {
    llvm::Expected<CompiledKernel> kernel = session.compile(binding.signature);
    if (!kernel)
      return kernel.takeError();
    compiled = std::move(*kernel);
    if (session.options.command == Options::Command::Check)
      (*compiled.module)
          ->setAttr(tile::kKeepOtherAttr, mlir::UnitAttr::get(compiled.module->getContext()));
    if (session.options.optimize)
      if (llvm::Error error = session.optimize(compiled))
        return error;
    bytecode = tile::writeModule(*compiled.module);
    // Warnings are told each time, so they need the frontend each time.
    bool silent = session.getDiagnostics().getDiagnostics().empty();
    return SourceModule{bytecode, writeNote(compiled), silent};
  };
  LoadOptions loadOptions;
  loadOptions.numWarps = static_cast<unsigned>(binding.signature.numWarps);
  loadOptions.numStages = static_cast<unsigned>(binding.signature.numStages);
  loadOptions.numCtas = static_cast<unsigned>(binding.signature.numCtas);
  if (binding.signature.maxnreg)
    loadOptions.maxnreg = static_cast<unsigned>(*binding.signature.maxnreg);
  loadOptions.debug = binding.signature.debug;
  loadOptions.useCache = session.options.useCache;
  std::string note;
  KernelSource source{getIdentity(session, binding.signature), session.kernel->def->name.str(),
                      make};
  llvm::Expected<std::unique_ptr<DeviceKernel>> kernelOrError =
      device.loadSource(source, loadOptions, note);
  if (!kernelOrError) {
    llvm::Error error = withExitCode(kernelOrError.takeError(), ExitCode::Compile);
    llvm::Error out = llvm::Error::success();
    llvm::handleAllErrors(std::move(error), [&](const CommandError &e) {
      // A module that the device cannot take although the compiler made it is worth a reproducer;
      // what failed before it has one, or needs none.
      out = e.code == ExitCode::Internal && e.reproducer.empty() && !bytecode.empty()
                ? makeInternalError(session.options, e.message, "mlirbc",
                                    llvm::StringRef(reinterpret_cast<const char *>(bytecode.data()),
                                                    bytecode.size()))
                : llvm::make_error<CommandError>(e.code, e.message, e.reproducer);
    });
    return out;
  }
  loaded = std::move(*kernelOrError);
  if (!compiled.module) {
    compiled.name = source.name;
    if (!readNote(note, compiled))
      return makeCommandError(ExitCode::Internal, "the cache's note of kernel '" + source.name +
                                                      "' cannot be read; 'tilerun cache clear' "
                                                      "removes it");
    llvm::errs() << compiled.staticOutput;
  }
  compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

llvm::Error Launch::upload(const Tensor &tensor, llvm::StringRef name) {
  Memory &slot = memory[tensor.storage.get()];
  if (slot.address)
    return llvm::Error::success();
  auto bytes = tensor.storage->bytes();
  llvm::Expected<DeviceAddress> address = device.allocate(bytes.size(), name);
  if (!address)
    return address.takeError();
  slot.address = *address;
  // Bytes between the elements of a strided tensor belong to nobody: they count as never written.
  // A view of another tensor is uploaded as a whole, because that tensor has written it all.
  uint64_t elementBytes = static_cast<uint64_t>(tensor.numElements()) * tensor.elementBytes();
  bool gaps = tensor.offset == 0 && tensor.getByteRange().second == bytes.size() &&
              elementBytes < bytes.size();
  if (tensor.poisoned || gaps)
    if (llvm::Error error = device.poison(slot.address))
      return error;
  if (tensor.poisoned)
    return llvm::Error::success();
  if (!gaps)
    return device.copyIn(slot.address, bytes);
  std::vector<bool> written(bytes.size());
  tensor.forEach([&](int64_t, uint64_t at) {
    std::fill_n(written.begin() + static_cast<ptrdiff_t>(at), tensor.elementBytes(), true);
  });
  for (uint64_t begin = 0; begin < bytes.size();) {
    uint64_t end = begin;
    while (end < bytes.size() && written[end] == written[begin])
      ++end;
    if (written[begin])
      if (llvm::Error error = device.copyIn(slot.address + begin, bytes.slice(begin, end - begin)))
        return error;
    begin = end;
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<LaunchArgument>> Launch::makeArguments() {
  std::vector<LaunchArgument> arguments;
  for (const CompiledParameter &parameter : compiled.parameters) {
    auto it = binding.values.find(parameter.name);
    Value value;
    if (it != binding.values.end())
      value = it->second;
    else if (auto def = session.evaluator.getNames().find(parameter.name);
             def != session.evaluator.getNames().end())
      value = def->second; // A run-time parameter with a default.
    if (auto *tensor = value.getIf<Tensor>()) {
      arguments.push_back(
          LaunchArgument::pointer(memory[tensor->storage.get()].address + tensor->offset));
      arguments.back().shape = {{tensor->shape.begin(), tensor->shape.end()},
                                {tensor->strides.begin(), tensor->strides.end()}};
    } else if (auto integer = value.asInteger(); integer && !parameter.type.isFloat()) {
      arguments.push_back(LaunchArgument::integer(static_cast<uint64_t>(*integer)));
    } else if (auto number = value.asDouble()) {
      arguments.push_back(LaunchArgument::floating(*number));
    } else {
      return makeInternalError(session.options,
                               "the compiled kernel wants a run-time value for '" + parameter.name +
                                   "', which is " + value.describe(),
                               "mlirbc", "");
    }
  }
  return arguments;
}

llvm::Error Launch::execute() {
  auto release = llvm::scope_exit([&] {
    for (auto &[storage, slot] : memory)
      if (slot.address)
        llvm::consumeError(device.free(slot.address));
  });
  for (const auto &[name, value] : binding.values)
    if (auto *tensor = value.getIf<Tensor>())
      if (llvm::Error error = upload(*tensor, name))
        return error;
  llvm::Expected<std::vector<LaunchArgument>> arguments = makeArguments();
  if (!arguments)
    return arguments.takeError();

  const Options &options = session.options;
  LaunchOptions launchOptions;
  launchOptions.grid = binding.grid;
  launchOptions.numThreads = options.threads;
  launchOptions.debug = binding.signature.debug;
  launchOptions.bounds = options.boundsChecks;
  if (options.command == Options::Command::Check) {
    launchOptions.checks = CheckOptions::all();
    launchOptions.checks.nanInf = options.nanInf;
    if (!device.getProperties().supportsChecks)
      return makeCommandError(ExitCode::Usage, "device '" + device.getProperties().id +
                                                   "' cannot check; use --device cpu");
  }
  if (!launchOptions.checks.bounds &&
      !(launchOptions.bounds && device.getProperties().checksBounds))
    noteUncheckedLaunch(session.options.json);
  Progress progress("running " + compiled.name + " (" + std::to_string(getNumPrograms()) +
                    " programs)");
  llvm::Expected<LaunchResult> first = device.launch(*loaded, *arguments, launchOptions);
  if (!first)
    return first.takeError();
  result = std::move(*first);
  fastest = result.seconds;
  for (auto &[storage, slot] : memory) {
    auto after = host::Storage::create(storage->bytes().size());
    if (!after)
      return after.takeError();
    slot.after = std::move(*after);
    if (llvm::Error error = device.copyOut(slot.after->bytes(), slot.address))
      return error;
  }
  // Repetitions work on what the first launch left; only their time counts.
  for (unsigned i = 1; i < options.repeat; ++i) {
    llvm::Expected<LaunchResult> again = device.launch(*loaded, *arguments, launchOptions);
    if (!again)
      return again.takeError();
    fastest = std::min(fastest, again->seconds);
  }
  return llvm::Error::success();
}
