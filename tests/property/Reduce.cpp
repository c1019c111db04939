// Reduction: single changes, tried in order of their size.
#include "tests/property/Reduce.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::property;

namespace {

/// Rewrites expressions bottom up; a null result keeps the expression.
using Rewrite = std::function<ExprRef(const ExprRef &)>;

ExprRef rewriteIn(const ExprRef &expr, const Rewrite &rewrite) {
  if (!expr)
    return expr;
  if (ExprRef replaced = rewrite(expr))
    return replaced;
  std::vector<ExprRef> args;
  bool changed = false;
  for (const ExprRef &arg : expr->args) {
    args.push_back(rewriteIn(arg, rewrite));
    changed |= args.back() != arg;
  }
  if (!changed)
    return expr;
  auto copy = std::make_shared<Expr>(*expr);
  copy->args = std::move(args);
  return copy;
}

void rewriteIn(std::vector<Stmt> &body, const Rewrite &rewrite) {
  for (Stmt &stmt : body) {
    stmt.value = rewriteIn(stmt.value, rewrite);
    stmt.mask = rewriteIn(stmt.mask, rewrite);
    rewriteIn(stmt.body, rewrite);
    rewriteIn(stmt.orElse, rewrite);
  }
}

void rewriteIn(Kernel &kernel, const Rewrite &rewrite) {
  rewriteIn(kernel.body, rewrite);
  for (Helper &helper : kernel.helpers) {
    rewriteIn(helper.statements, rewrite);
    for (ExprRef &result : helper.results)
      result = rewriteIn(result, rewrite);
  }
}

/// Drops the assignments to a name; its uses become 1.
void forget(Kernel &kernel, const std::string &name) {
  std::function<void(std::vector<Stmt> &)> drop = [&](std::vector<Stmt> &body) {
    std::erase_if(body, [&](const Stmt &stmt) {
      return stmt.kind == Stmt::Kind::Assign && stmt.names[0] == name;
    });
    for (Stmt &stmt : body) {
      drop(stmt.body);
      drop(stmt.orElse);
    }
  };
  drop(kernel.body);
  for (Helper &helper : kernel.helpers)
    drop(helper.statements);
  // No parameter of a helper is called like a variable.
  rewriteIn(kernel, [&](const ExprRef &expr) {
    return expr->args.empty() && expr->format == name ? makeOne(expr->type) : nullptr;
  });
}

/// The block that holds the n-th statement, counted in the order of the text, and its place there.
std::vector<Stmt> *find(std::vector<Stmt> &body, size_t &n, size_t &place) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (n-- == 0) {
      place = i;
      return &body;
    }
    for (std::vector<Stmt> *inner : {&body[i].body, &body[i].orElse})
      if (std::vector<Stmt> *found = find(*inner, n, place))
        return found;
  }
  return nullptr;
}

std::vector<Stmt> *find(Kernel &kernel, size_t n, size_t &place) {
  if (std::vector<Stmt> *found = find(kernel.body, n, place))
    return found;
  for (Helper &helper : kernel.helpers)
    if (std::vector<Stmt> *found = find(helper.statements, n, place))
      return found;
  return nullptr;
}

/// Drops a statement, and everything that only it gave a value.
void remove(Kernel &kernel, size_t n) {
  size_t place = 0;
  std::vector<Stmt> *block = find(kernel, n, place);
  Stmt stmt = (*block)[place];
  block->erase(block->begin() + ptrdiff_t(place));
  if (stmt.declares)
    for (const std::string &name : stmt.names)
      forget(kernel, name);
}

/// Jumps out of a loop that is no longer there.
void dropJumps(std::vector<Stmt> &body) {
  std::erase_if(body, [](const Stmt &stmt) {
    return stmt.kind == Stmt::Kind::Break || stmt.kind == Stmt::Kind::Continue;
  });
  for (Stmt &stmt : body)
    if (stmt.kind == Stmt::Kind::If) {
      dropJumps(stmt.body);
      dropJumps(stmt.orElse);
    }
}

/// A loop or a branch becomes its body.
bool open(Kernel &kernel, size_t n, bool orElse) {
  size_t place = 0;
  std::vector<Stmt> *block = find(kernel, n, place);
  Stmt stmt = (*block)[place];
  if (stmt.kind != Stmt::Kind::If && stmt.kind != Stmt::Kind::For && stmt.kind != Stmt::Kind::While)
    return false;
  std::vector<Stmt> inner = orElse ? stmt.orElse : stmt.body;
  if (inner.empty())
    return false;
  if (stmt.kind != Stmt::Kind::If)
    dropJumps(inner);
  block->erase(block->begin() + ptrdiff_t(place));
  block->insert(block->begin() + ptrdiff_t(place), inner.begin(), inner.end());
  for (const std::string &name : stmt.names)
    forget(kernel, name);
  return true;
}

/// All expressions in one order, which replacing one does not change for those before it.
void collect(const ExprRef &expr, std::vector<ExprRef> &out) {
  if (!expr)
    return;
  out.push_back(expr);
  for (const ExprRef &arg : expr->args)
    collect(arg, out);
}

std::vector<ExprRef> collect(const Kernel &kernel) {
  std::vector<ExprRef> out;
  std::function<void(const std::vector<Stmt> &)> visit = [&](const std::vector<Stmt> &body) {
    for (const Stmt &stmt : body) {
      collect(stmt.value, out);
      collect(stmt.mask, out);
      visit(stmt.body);
      visit(stmt.orElse);
    }
  };
  visit(kernel.body);
  for (const Helper &helper : kernel.helpers) {
    visit(helper.statements);
    for (const ExprRef &result : helper.results)
      collect(result, out);
  }
  return out;
}

/// Whether a statement, or one in it, uses a name's value or gives it one.
bool mentions(const Stmt &stmt, const std::string &name) {
  std::vector<ExprRef> all;
  collect(stmt.value, all);
  collect(stmt.mask, all);
  auto mentionsToo = [&](const Stmt &inner) { return mentions(inner, name); };
  return llvm::is_contained(stmt.names, name) || llvm::any_of(stmt.body, mentionsToo) ||
         llvm::any_of(stmt.orElse, mentionsToo) || llvm::any_of(all, [&](const ExprRef &expr) {
           return expr->args.empty() && expr->format == name;
         });
}

/// Drops the assignment that makes a name if the next statement about it is another one, which does
/// not use it.
bool dropFirst(Kernel &kernel, size_t n) {
  size_t place = 0;
  std::vector<Stmt> &block = *find(kernel, n, place);
  auto isAssignment = [](const Stmt &stmt) {
    return stmt.kind == Stmt::Kind::Assign && stmt.text.empty();
  };
  if (!isAssignment(block[place]) || !block[place].declares)
    return false;
  const std::vector<std::string> names = block[place].names;
  auto next = std::find_if(block.begin() + ptrdiff_t(place) + 1, block.end(),
                           [&](const Stmt &stmt) { return mentions(stmt, names[0]); });
  if (next == block.end() || !isAssignment(*next) || next->names != names)
    return false;
  next->names.clear(); // Only its expressions count.
  bool isUsed = mentions(*next, names[0]);
  next->names = names;
  if (isUsed)
    return false;
  next->declares = true;
  block.erase(block.begin() + ptrdiff_t(place));
  return true;
}

/// Parts of an expression that may stand for the whole.
void collectParts(const ExprRef &whole, const ExprRef &expr, std::vector<ExprRef> &out) {
  for (const ExprRef &arg : expr->args) {
    if (arg->type == whole->type && arg->has.covers(whole->has))
      out.push_back(arg);
    else
      collectParts(whole, arg, out);
  }
}

bool isOne(const ExprRef &expr) { return expr->format == makeOne(expr->type)->format; }

} // namespace

std::vector<Kernel> property::getSmaller(const Kernel &kernel) {
  std::vector<Kernel> out;
  auto add = [&](const auto &change) {
    Kernel copy = kernel;
    change(copy);
    out.push_back(std::move(copy));
  };
  size_t statements = countStatements(kernel);
  // From the end: unused statements go first.
  for (size_t n = statements; n-- > 0;)
    add([&](Kernel &copy) { remove(copy, n); });
  for (size_t n = 0; n < statements; ++n)
    for (bool orElse : {false, true}) {
      Kernel copy = kernel;
      if (open(copy, n, orElse))
        out.push_back(std::move(copy));
    }
  for (size_t n = 0; n < statements; ++n) {
    Kernel copy = kernel;
    if (dropFirst(copy, n))
      out.push_back(std::move(copy));
  }
  // Expressions, the outer ones first.
  for (const ExprRef &expr : collect(kernel)) {
    std::vector<ExprRef> replacements;
    collectParts(expr, expr, replacements);
    if (!isOne(expr))
      replacements.push_back(makeOne(expr->type));
    if (expr->isFixed)
      replacements.clear();
    for (const ExprRef &replacement : replacements)
      add([&](Kernel &copy) {
        rewriteIn(copy, [&](const ExprRef &e) { return e == expr ? replacement : nullptr; });
      });
  }
  for (size_t i = 0; i < kernel.sizes.size(); ++i)
    if (kernel.sizes[i].get() > 1) {
      add([&](Kernel &copy) { copy.sizes[i] = {}; });
      if (kernel.sizes[i].odd > 1)
        add([&](Kernel &copy) { copy.sizes[i].odd = 1; });
      if (kernel.sizes[i].log > 0)
        add([&](Kernel &copy) { --copy.sizes[i].log; });
    }
  if (kernel.grid > 1)
    add([](Kernel &copy) { copy.grid = 1; });
  if (kernel.numWarps > 1)
    add([](Kernel &copy) { copy.numWarps = 1; });
  if (kernel.numStages != 1)
    add([](Kernel &copy) { copy.numStages = 1; });
  if (kernel.unaligned)
    add([](Kernel &copy) { copy.unaligned = false; });
  // Masks of stores.
  for (size_t n = 0; n < statements; ++n) {
    Kernel copy = kernel;
    size_t place = 0;
    Stmt &stmt = (*find(copy, n, place))[place];
    if (stmt.kind == Stmt::Kind::Store && stmt.mask) {
      stmt.mask = nullptr;
      out.push_back(std::move(copy));
    }
  }
  return out;
}

/// Functions that nothing calls have no part in a failure.
static void dropUnused(Kernel &kernel) {
  std::string text = print(kernel);
  std::erase_if(kernel.helpers, [&](const Helper &helper) {
    return text.find("def " + helper.name + "(") == std::string::npos;
  });
}

Kernel property::reduce(Kernel kernel, const FindFailing &find, unsigned steps) {
  while (steps-- > 0) {
    dropUnused(kernel);
    std::vector<Kernel> smaller = getSmaller(kernel);
    std::optional<size_t> failing = find(smaller);
    if (!failing)
      break;
    kernel = std::move(smaller[*failing]);
  }
  return kernel;
}
