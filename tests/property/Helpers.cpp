// Functions that a kernel calls: of tensors or of each element, with statements of their own,
// early returns, and one result or several.
#include "tests/property/Builder.h"

using namespace tilerun;
using namespace tilerun::property;

namespace {

constexpr size_t kMostHelpers = 4;

/// Makes one function. While it lives, names are the function's own.
class Function {
public:
  Function(Builder &b, std::vector<Variable> parameters, bool isRegion)
      : b(b), outer(std::move(b.scope)) {
    b.scope = std::move(parameters);
    b.inHelper = true;
    b.inRegion = isRegion;
    for (const Variable &parameter : b.scope)
      helper.parameters.push_back(parameter.name);
  }
  ~Function() {
    b.scope = std::move(outer);
    b.inHelper = b.inRegion = false;
  }

  /// Statements before the results, which have these types.
  void addStatements(const std::vector<ValueType> &types, Traits need) {
    for (size_t count = b.random.below(4); count > 0; --count)
      addStatement(helper.statements, types, 0);
    if (types.size() == 1 && b.random.chance(15)) {
      Stmt stmt;
      stmt.kind = Stmt::Kind::Return;
      stmt.value = b.makeCondition(1);
      stmt.mask = b.make(types[0], 1, need);
      early = stmt.mask->has;
      helper.statements.push_back(std::move(stmt));
    }
  }

  /// The function's name, once it has all results.
  std::string finish(Traits &has) {
    has = has & early;
    helper.name = "helper" + std::to_string(b.kernel.helpers.size());
    b.kernel.helpers.push_back(helper);
    return helper.name;
  }

  Helper helper;

private:
  void addAssignment(std::vector<Stmt> &body, const std::vector<ValueType> &types) {
    ValueType type{b.pickDtype(), b.random.pick(types).shape};
    Stmt stmt;
    stmt.value = b.make(type, 2, {b.random.chance(40), false});
    stmt.names = {b.makeName("h")};
    stmt.declares = true;
    b.scope.push_back({stmt.names[0], type, stmt.value->has, true});
    body.push_back(std::move(stmt));
  }

  void addReassignment(std::vector<Stmt> &body) {
    std::vector<Variable> locals;
    for (const Variable &variable : b.scope)
      if (variable.isMutable && variable.name[0] == 'h')
        locals.push_back(variable);
    if (locals.empty())
      return;
    Variable variable = b.random.pick(locals);
    Stmt stmt;
    stmt.names = {variable.name};
    stmt.value = b.make(variable.type, 2, variable.has);
    body.push_back(std::move(stmt));
  }

  void addInner(std::vector<Stmt> &body, const std::vector<ValueType> &types, int level,
                bool isLoop) {
    size_t depth = b.scope.size();
    if (isLoop && b.random.chance(30)) {
      Stmt jump;
      jump.kind = b.random.chance(50) ? Stmt::Kind::Break : Stmt::Kind::Continue;
      jump.value = b.makeCondition(2);
      body.push_back(std::move(jump));
    }
    if (b.random.chance(40))
      addStatement(body, types, level);
    addReassignment(body);
    b.scope.resize(depth);
  }

  void addStatement(std::vector<Stmt> &body, const std::vector<ValueType> &types, int level) {
    size_t choice = b.random.below(10);
    Stmt stmt;
    if (choice < 3 && level < 2) {
      stmt.kind = Stmt::Kind::If;
      stmt.value = b.makeCondition(2);
      addInner(stmt.body, types, level + 1, false);
      if (b.random.chance(60))
        addInner(stmt.orElse, types, level + 1, false);
    } else if (choice < 5 && level < 2) {
      static const char *const kRanges[] = {"range(3)", "range(1, 6, 2)", "range(4, 0, -1)",
                                            "tl.range(2)", "tl.static_range(2)"};
      stmt.kind = Stmt::Kind::For;
      stmt.text = b.random.pick(kRanges);
      stmt.names = {b.makeName("hk")};
      bool isStatic = stmt.text.find("static") != std::string::npos;
      size_t depth = b.scope.size();
      if (!isStatic)
        b.scope.push_back({stmt.names[0], {dtype(Scalar::Int32), {}}, {}, false});
      addInner(stmt.body, types, level + 1, !isStatic);
      b.scope.resize(depth);
    } else if (choice < 6 && level < 2) {
      stmt.kind = Stmt::Kind::While;
      stmt.text = std::to_string(1 + b.random.below(3));
      stmt.names = {b.makeName("hw")};
      stmt.variant = static_cast<unsigned>(b.random.below(kWhileForms));
      size_t depth = b.scope.size();
      b.scope.push_back({stmt.names[0], {dtype(Scalar::Int32), {}}, {}, false});
      addInner(stmt.body, types, level + 1, true);
      b.scope.resize(depth);
    } else {
      return addAssignment(body, types);
    }
    body.push_back(std::move(stmt));
  }

  Builder &b;
  std::vector<Variable> outer;
  Traits early;
};

struct Arguments {
  std::vector<ExprRef> values;
  std::vector<Variable> parameters;
};

/// One to three arguments; in a function for each element their parameters are scalars.
Arguments makeArguments(Builder &b, const ValueType &first, int depth, Traits need, bool isRegion) {
  Arguments made;
  for (size_t i = 0, count = 1 + b.random.below(3); i < count; ++i) {
    ValueType type{i == 0 ? first.dtype : b.pickDtype(),
                   b.random.chance(20) && i > 0 && !isRegion ? Shape() : first.shape};
    made.values.push_back(b.make(type, depth - 1, need));
    made.parameters.push_back({std::string(1, static_cast<char>('a' + i)),
                               {type.dtype, isRegion ? Shape() : type.shape},
                               made.values.back()->has,
                               false});
  }
  return made;
}

/// "$0, $1", or another way to pass them.
std::string spellArguments(Builder &b, const Arguments &arguments, bool isRegion) {
  std::string list, named;
  for (size_t i = 0; i < arguments.values.size(); ++i) {
    std::string place = "$" + std::to_string(i);
    list += (i ? ", " : "") + place;
    named = arguments.parameters[i].name + "=" + place + (i ? ", " : "") + named;
  }
  if (isRegion || b.random.chance(70))
    return list;
  return b.random.chance(50) ? named : "*(" + list + ",)";
}

} // namespace

ExprRef Builder::makeCall(const ValueType &type, int depth, Traits need) {
  if (inHelper || kernel.helpers.size() >= kMostHelpers)
    return nullptr;
  Arguments arguments = makeArguments(*this, type, depth, need, /*isRegion=*/false);
  if (kernel.helpers.size() >= kMostHelpers) // Made by an argument.
    return nullptr;
  std::string text = "(" + spellArguments(*this, arguments, /*isRegion=*/false) + ")";
  Function function(*this, arguments.parameters, /*isRegion=*/false);
  bool isTuple = random.chance(25), isSecond = random.chance(50);
  if (random.chance(60))
    function.addStatements(isTuple ? std::vector{type, type} : std::vector{type}, need);
  function.helper.results = {make(type, 2, need)};
  Traits has = function.helper.results[0]->has;
  if (isTuple) {
    auto at = function.helper.results.begin() + (isSecond ? 0 : 1);
    function.helper.results.insert(at, make({pickDtype(), type.shape}, 1));
    text += isSecond ? "[1]" : "[0]";
  }
  std::string name = function.finish(has);
  return makeExpr(type, name + text, arguments.values, {}, has);
}

ExprRef Builder::makeTupleCall(const std::vector<ValueType> &types, int depth) {
  if (inHelper || kernel.helpers.size() >= kMostHelpers)
    return nullptr;
  Arguments arguments = makeArguments(*this, types[0], depth, {false, false}, /*isRegion=*/false);
  if (kernel.helpers.size() >= kMostHelpers)
    return nullptr;
  std::string text = "(" + spellArguments(*this, arguments, /*isRegion=*/false) + ")";
  Function function(*this, arguments.parameters, /*isRegion=*/false);
  if (random.chance(60))
    function.addStatements(types, {false, false});
  Traits has;
  for (const ValueType &type : types) {
    function.helper.results.push_back(make(type, 2));
    // One statement has one set of traits: the common ones.
    has = has & function.helper.results.back()->has;
  }
  std::string name = function.finish(has);
  ExprRef call = makeFixed(types[0], name + text, arguments.values);
  auto copy = std::make_shared<Expr>(*call);
  copy->has = has;
  return copy;
}

ExprRef Builder::makeMap(const ValueType &type, int depth, Traits need) {
  if (inHelper || type.shape.empty() || kernel.helpers.size() >= kMostHelpers)
    return nullptr;
  Arguments arguments = makeArguments(*this, type, depth, need, /*isRegion=*/true);
  if (kernel.helpers.size() >= kMostHelpers)
    return nullptr;
  std::string list = spellArguments(*this, arguments, /*isRegion=*/true);
  Function function(*this, arguments.parameters, /*isRegion=*/true);
  ValueType element{type.dtype, {}};
  bool isTuple = random.chance(20);
  if (random.chance(80))
    function.addStatements(isTuple ? std::vector{element, element} : std::vector{element}, need);
  function.helper.results = {make(element, 2, need)};
  Traits has = function.helper.results[0]->has;
  std::string part;
  if (isTuple) {
    function.helper.results.push_back(make({pickDtype(), {}}, 1));
    part = "[0]";
  }
  std::string name = function.finish(has);
  return makeExpr(type, "tl.map_elementwise(" + name + ", " + list + ")" + part, arguments.values,
                  {}, has);
}
