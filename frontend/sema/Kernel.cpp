// Entry points of the evaluator: a kernel with a signature, and a compile-time expression.
#include "frontend/lang/TensorDescriptor.h"
#include "frontend/sema/Evaluator.h"
#include "ir/tile/SmallMemory.h"
#include "ir/tile/TileOps.h"

namespace tilerun::sema {

using namespace ast;

// A jit function by its name in a module, which may have imported it.
static const JitFunction *findFunction(const LoadedModule &module, llvm::StringRef name) {
  if (const JitFunction *function = module.findFunction(name))
    return function;
  const Global *global = module.lookup(name);
  bool imported = global && global->kind == Global::Kind::ImportedName && global->module;
  return imported ? global->module->findFunction(global->importedName) : nullptr;
}

Value makeValue(const ConstantArgument &argument, const LoadedModule &module) {
  return std::visit(
      [&](const auto &v) -> Value {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return Value::none();
        } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>) {
          return Value(static_cast<PyInt>(v));
        } else if constexpr (std::is_same_v<T, std::vector<ConstantArgument>>) {
          std::vector<Value> elements;
          elements.reserve(v.size());
          for (const ConstantArgument &element : v)
            elements.push_back(makeValue(element, module));
          Value tuple = Value::tuple(std::move(elements));
          tuple.get<std::shared_ptr<TupleValue>>()->isList = argument.isList;
          return tuple;
        } else if constexpr (std::is_same_v<T, ConstantArgument::FunctionName>) {
          if (const JitFunction *function = findFunction(module, v.name))
            return Value(FunctionValue{function});
          return Value(OpaqueValue{"'" + v.name + "'",
                                   {},
                                   "it is not a jit function of this file",
                                   "",
                                   "give the name of one, or quote a string"});
        } else if constexpr (std::is_same_v<T, ConstantArgument::Tensor>) {
          OpaqueValue tensor{"a run-time tensor", {}, "the compiler only sees that it is not None"};
          tensor.isSomeObject = true;
          return Value(std::move(tensor));
        } else {
          return Value(v);
        }
      },
      argument.value);
}

/// The parameters of the compiled function that one argument becomes.
static void appendParameters(llvm::StringRef name, const TypedArgument &typed,
                             std::vector<CompiledParameter> &out) {
  out.push_back({name.str(), typed.type});
  const DType wide = dtype(Scalar::Int64);
  for (size_t d = 0; d < typed.block.size(); ++d)
    out.push_back({(name + ".shape." + llvm::Twine(d)).str(), wide});
  for (size_t d = 0; d + 1 < typed.block.size(); ++d)
    out.push_back({(name + ".stride." + llvm::Twine(d)).str(), wide});
}

/// The arguments of a parameter: itself, or the elements of a tuple with run-time elements, whose
/// names are the parameter's with their positions: "t.0", "t.1.0".
static std::vector<std::string> findArguments(const KernelSignature &signature,
                                              llvm::StringRef parameter) {
  std::vector<std::string> out;
  if (signature.arguments.count(parameter.str()))
    return {parameter.str()};
  std::string prefix = (parameter + ".").str();
  for (auto it = signature.arguments.lower_bound(prefix);
       it != signature.arguments.end() && llvm::StringRef(it->first).starts_with(prefix); ++it)
    out.push_back(it->first);
  // By position: "t.2" before "t.10".
  auto positions = [](llvm::StringRef path) {
    llvm::SmallVector<llvm::StringRef> parts;
    path.split(parts, '.');
    llvm::SmallVector<uint64_t> numbers;
    for (llvm::StringRef part : llvm::drop_begin(parts)) {
      uint64_t number = 0;
      part.getAsInteger(10, number);
      numbers.push_back(number);
    }
    return numbers;
  };
  llvm::sort(
      out, [&](const std::string &a, const std::string &b) { return positions(a) < positions(b); });
  return out;
}

/// The value at a path out of its leaves. There is one.
static Value assemble(const std::string &path, const std::map<std::string, Value> &leaves) {
  if (auto it = leaves.find(path); it != leaves.end())
    return it->second;
  std::vector<Value> elements;
  auto hasWithin = [&](const std::string &prefix) {
    auto it = leaves.lower_bound(prefix);
    return it != leaves.end() && llvm::StringRef(it->first).starts_with(prefix);
  };
  for (;;) {
    std::string element = path + "." + std::to_string(elements.size());
    if (!leaves.count(element) && !hasWithin(element + "."))
      break;
    elements.push_back(assemble(element, leaves));
  }
  return Value::tuple(std::move(elements));
}

/// Entries of the signature that are not parameters are values of globals that only host code
/// knows.
void Evaluator::takeGlobals(const JitFunction &kernel, llvm::ArrayRef<llvm::StringRef> parameters) {
  std::map<std::string, ConstantArgument> taken;
  for (const auto &[path, spec] : options.arguments) {
    llvm::StringRef name = llvm::StringRef(path).split('.').first;
    if (llvm::is_contained(parameters, name))
      continue;
    name = getGlobalName(path);
    SourceRange place = kernel.def->nameRange;
    std::string quoted = "'" + name.str() + "'";
    auto *constant = std::get_if<ConstantArgument>(&spec);
    switch (getGlobalState(kernel, name)) {
    case GlobalState::Unknown:
      if (constant && path == name)
        taken[path] = *constant;
      else
        (void)error(place, "the global " + quoted + " needs a value, and gets a run-time type");
      continue;
    case GlobalState::Known:
      (void)error(place, quoted + " is not a parameter of kernel '" + kernel.def->name +
                             "', and the global of this name has a value in its file; only a "
                             "global whose value host code computes can be given");
      continue;
    case GlobalState::Absent:
      break;
    }
    auto near = findNearName(name, parameters);
    (void)error(place, "kernel '" + kernel.def->name + "' has no parameter " + quoted +
                           (near ? "; did you mean '" + near->str() + "'?" : std::string()));
  }
  given = std::move(taken);
}

void Evaluator::bindMeta(const JitFunction &function, Environment &out,
                         std::shared_ptr<TupleValue> rest) {
  if (function.metaName.empty())
    return;
  if (!rest)
    rest = std::make_shared<TupleValue>();
  rest->typeName = TupleValue::kDict;
  for (const std::string &key : function.metaKeys)
    if (auto given = out.names.find(key); given != out.names.end() && given->second.isBound()) {
      rest->names.push_back(key);
      rest->elements.push_back(given->second.value);
    }
  const Parameter &meta = function.def->parameters.back();
  out.names[meta.name] = Binding::bound(Value(std::move(rest)), meta.range);
}

FailureOr<CompiledKernel> Evaluator::compileKernel(LoadedModule &module,
                                                   const JitFunction &kernel) {
  const FunctionDef &def = *kernel.def;
  mlir::Location loc = getLocation(def.nameRange);
  CompiledKernel out;
  out.name = def.name.str();
  out.module = mlir::ModuleOp::create(loc);

  frames.push_back(std::make_unique<Frame>());
  frame().module = kernel.module ? kernel.module : &module;
  frame().scope = getScope(kernel);
  frame().liveness = &getLiveness(def);

  // Parameters: run-time ones become arguments, the others names.
  std::vector<llvm::StringRef> names;
  struct RuntimeArgument {
    const Parameter *parameter;
    std::string path; ///< "t.0" for an element of a tuple, else the parameter's name.
    TypedArgument typed;
  };
  std::vector<RuntimeArgument> arguments;
  std::map<std::string, Value> leaves; ///< The knowledge about them, by path.
  for (const Parameter &parameter : def.parameters)
    names.push_back(parameter.name);
  takeGlobals(kernel, names);
  for (const Parameter &parameter : def.parameters) {
    if (parameter.kind == ParameterKind::VarArgs) {
      (void)error(parameter.range, "a kernel cannot have '*' parameters; name each one");
      continue;
    }
    if (parameter.kind == ParameterKind::KwArgs) {
      olderForm(parameter.range, "**" + parameter.name + "' of the kernel '" + kernel.def->name,
                "a tl.constexpr parameter for each value");
      continue;
    }
    bool isConstexpr = isConstexprAnnotation(parameter.annotation);
    Binding binding = Binding::bound(Value(), parameter.range);
    binding.isConstexpr = isConstexpr;
    std::vector<std::string> paths = findArguments(options, parameter.name);
    if (paths.empty()) {
      if (!parameter.defaultValue) {
        (void)error(parameter.range, "no argument is given for parameter '" + parameter.name +
                                         "' of kernel '" + def.name + "'" +
                                         (isConstexpr ? ", which is a tl.constexpr" : ""));
        env().names[parameter.name] = Binding::poisoned(parameter.range);
        continue;
      }
      if (frame().scope.empty())
        frame().place = parameter.defaultValue->range.begin.offset;
      Result value = evaluate(*parameter.defaultValue);
      frame().place = 0;
      if (failed(value)) {
        env().names[parameter.name] = Binding::poisoned(parameter.range);
        continue;
      }
      binding.value = std::move(*value);
    }
    bool isRuntime = false, isPoisoned = false;
    for (const std::string &path : paths) {
      const ArgumentSpec &given = options.arguments.find(path)->second;
      if (auto *constant = std::get_if<ConstantArgument>(&given)) {
        leaves[path] = makeValue(*constant, *frame().module);
        continue;
      }
      TypedArgument typed = std::get<TypedArgument>(given);
      if (isConstexpr) {
        (void)error(parameter.range, "parameter '" + parameter.name +
                                         "' is a tl.constexpr and needs a value, but the signature "
                                         "gives the run-time type " +
                                         typed.type.str() + "; '" + typed.type.signature() +
                                         "!' passes the dtype itself");
        isPoisoned = true;
        continue;
      }
      if (typed.type.scalar == Scalar::Void && typed.type.pointerDepth == 0) {
        (void)error(parameter.range, "parameter '" + parameter.name + "' cannot have type void");
        isPoisoned = true;
        continue;
      }
      auto annotated = getAnnotatedType(parameter.annotation);
      if (annotated && path == parameter.name && !typed.type.isPointer() &&
          annotated->isFloat() == typed.type.isFloat())
        typed.type = *annotated;
      if (typed.type.isPointer() && isConstAnnotation(parameter.annotation))
        typed.type.isConst = true;
      std::string why;
      if (!typed.block.empty())
        why = lang::checkDescriptorBlock(typed.type.getPointee(), typed.block);
      if (!why.empty()) {
        (void)error(parameter.range,
                    "the block shape of the tensor descriptor '" + path + "' " + why);
        isPoisoned = true;
        continue;
      }
      isRuntime = true;
      appendParameters(path, typed, out.parameters);
      arguments.push_back({&parameter, path, std::move(typed)});
    }
    if (isPoisoned) {
      env().names[parameter.name] = Binding::poisoned(parameter.range);
      continue;
    }
    if (isRuntime)
      continue;
    if (!paths.empty())
      binding.value = assemble(parameter.name.str(), leaves);
    env().names[parameter.name] = std::move(binding);
  }

  llvm::SmallVector<mlir::Type> types;
  for (const CompiledParameter &parameter : out.parameters)
    types.push_back(lang::getMlirType(&context, parameter.type));
  builder.setInsertionPointToEnd(out.module->getBody());
  auto function =
      mlir::func::FuncOp::create(builder, loc, out.name, builder.getFunctionType(types, {}));
  function->setAttr(tile::TileDialect::kKernelAttr, builder.getUnitAttr());
  mlir::Block *body = function.addEntryBlock();
  for (auto [index, parameter] : llvm::enumerate(out.parameters))
    function.setArgAttr(index, tile::TileDialect::kNameAttr, builder.getStringAttr(parameter.name));
  unsigned index = 0;
  auto takeArgument = [&] {
    TensorType type{out.parameters[index].type, {}};
    return Value(TensorValue{body->getArgument(index++), type});
  };
  builder.setInsertionPointToEnd(body);
  for (auto &[parameter, path, typed] : arguments) {
    if (typed.divisibility > 1 && (typed.type.isPointer() || typed.type.isInt()))
      function.setArgAttr(index, tile::TileDialect::kDivisibilityAttr,
                          builder.getI64IntegerAttr(typed.divisibility));
    if (typed.isSmall)
      function.setArgAttr(index, tile::kSmallAttr, builder.getUnitAttr());
    Value value = takeArgument();
    if (size_t rank = typed.block.size()) {
      std::vector<Value> shape, strides;
      for (size_t d = 0; d < rank; ++d)
        shape.push_back(takeArgument());
      for (size_t d = 0; d + 1 < rank; ++d)
        strides.push_back(takeArgument());
      strides.push_back(Value::integer(1));
      value = lang::makeTensorDescriptor(at(parameter->range), value.get<TensorValue>(), shape,
                                         strides, typed.block, typed.padsWithNan);
    }
    leaves[path] = std::move(value);
  }
  const Parameter *last = nullptr;
  for (const RuntimeArgument &argument : arguments)
    if (const Parameter &parameter = *argument.parameter;
        &parameter != std::exchange(last, &parameter))
      env().names[parameter.name] =
          Binding::bound(assemble(parameter.name.str(), leaves), parameter.range);
  frame().function = &kernel;
  emitEntered(kernel.qualifiedName, def.parameters, def.nameRange);
  for (const std::string &key : kernel.metaKeys)
    if (!options.arguments.count(key))
      env().names.erase(key); // `meta.get` has its own default.
  bindMeta(kernel, env());
  emitBlock(def.body);
  emitEvent(tile::DebugEvent::Leave, kernel.qualifiedName, def.nameRange);
  mlir::func::ReturnOp::create(builder, getLocation(def.nameRange));
  frames.pop_back();
  out.staticOutput = std::move(staticOutput);
  reportNotes();
  if (numErrors != 0 || diagnostics.hasErrors())
    return failure();
  return std::move(out);
}

Result Evaluator::evaluateConstant(LoadedModule &module, const Expr &expression,
                                   std::map<llvm::StringRef, Value> names, llvm::StringRef remedy) {
  hostRemedy = remedy.str();
  mlir::OwningOpRef<mlir::ModuleOp> scratch(
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  builder.setInsertionPointToEnd(scratch->getBody());
  frames.push_back(std::make_unique<Frame>());
  frame().module = &module;
  const Expr *body = &expression;
  if (const auto *lambda = llvm::dyn_cast<LambdaExpr>(&expression)) {
    if (lambda->parameters.size() != 1) {
      (void)error(expression.range, "this lambda must take one parameter, the arguments by name");
      frames.pop_back();
      return failure();
    }
    auto dict = std::make_shared<TupleValue>();
    dict->typeName = "dict";
    for (auto &[name, value] : names) {
      dict->names.push_back(name.str());
      dict->elements.push_back(value);
    }
    env().names[lambda->parameters.front().name] =
        Binding::bound(Value(std::move(dict)), lambda->parameters.front().range);
    body = lambda->body;
  } else {
    for (auto &[name, value] : names)
      env().names[name] = Binding::bound(value, expression.range);
  }
  Result result = evaluate(*body);
  if (succeeded(result) && !result->isConstexpr())
    result = error(expression.range,
                   "this must be known at compile time, but it is " + result->describe());
  frames.pop_back();
  return result;
}

} // namespace tilerun::sema
