// See FrontendTest.h.
#include "FrontendTest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace tilerun::test {

using namespace ast;

static std::string list(ArrayRef<const Expr *> items) {
  std::string out;
  for (const Expr *item : items)
    out += (out.empty() ? "" : ", ") + show(item);
  return out;
}

static std::string parameters(ArrayRef<Parameter> items) {
  std::string out;
  for (const Parameter &p : items) {
    out += out.empty() ? "" : ", ";
    out += p.kind == ParameterKind::VarArgs ? "*" : p.kind == ParameterKind::KwArgs ? "**" : "";
    out += p.name.str();
    if (p.defaultValue)
      out += "=" + show(p.defaultValue);
  }
  return out;
}

static std::string parts(ArrayRef<JoinedPart> items) {
  std::string out;
  for (const JoinedPart &p : items) {
    if (!p.value) {
      out += p.text.str();
      continue;
    }
    out += "{" + p.sourceText.str() + show(p.value);
    if (p.conversion)
      out += std::string("!") + p.conversion;
    if (!p.format.empty())
      out += ":" + parts(p.format);
    out += "}";
  }
  return out;
}

static std::string constant(const ConstantExpr *e) {
  switch (e->constant) {
  case ConstantKind::None:
    return "None";
  case ConstantKind::True:
    return "True";
  case ConstantKind::False:
    return "False";
  case ConstantKind::Ellipsis:
    return "...";
  case ConstantKind::Int:
    return e->text.str();
  case ConstantKind::Float:
  case ConstantKind::Imaginary: {
    std::string out;
    raw_string_ostream(out) << format("%g", e->floating);
    if (e->constant == ConstantKind::Imaginary)
      return out + "j";
    return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;
  }
  case ConstantKind::String:
  case ConstantKind::Bytes: {
    std::string out = e->constant == ConstantKind::Bytes ? "b'" : "'";
    raw_string_ostream stream(out);
    printEscapedString(e->text, stream);
    return out + "'";
  }
  }
  return "?";
}

std::string show(const Expr *expr) {
  if (!expr)
    return "";
  return TypeSwitch<const Expr *, std::string>(expr)
      .Case([](const NameExpr *e) { return e->name.str(); })
      .Case([](const ConstantExpr *e) { return constant(e); })
      .Case([](const JoinedStrExpr *e) { return "f'" + parts(e->parts) + "'"; })
      .Case([](const TupleExpr *e) {
        return "(" + list(e->elements) + (e->elements.size() == 1 ? ",)" : ")");
      })
      .Case([](const ListExpr *e) { return "[" + list(e->elements) + "]"; })
      .Case([](const SetExpr *e) { return "{" + list(e->elements) + "}"; })
      .Case([](const DictExpr *e) {
        std::string out;
        for (auto [key, value] : zip(e->keys, e->values))
          out += (out.empty() ? "" : ", ") + (key ? show(key) + ": " : "**") + show(value);
        return "{" + out + "}";
      })
      .Case([](const UnaryExpr *e) {
        return "(" + getSpelling(e->op).str() + (e->op == UnaryOp::Not ? " " : "") +
               show(e->operand) + ")";
      })
      .Case([](const BinaryExpr *e) {
        return "(" + show(e->lhs) + " " + getSpelling(e->op).str() + " " + show(e->rhs) + ")";
      })
      .Case([](const BoolOpExpr *e) {
        std::string out;
        for (const Expr *operand : e->operands)
          out += (out.empty() ? "" : e->isAnd ? " and " : " or ") + show(operand);
        return "(" + out + ")";
      })
      .Case([](const CompareExpr *e) {
        std::string out = "(" + show(e->first);
        for (auto [op, rest] : zip(e->ops, e->rest))
          out += " " + getSpelling(op).str() + " " + show(rest);
        return out + ")";
      })
      .Case([](const TernaryExpr *e) {
        return "(" + show(e->thenValue) + " if " + show(e->condition) + " else " +
               show(e->elseValue) + ")";
      })
      .Case([](const CallExpr *e) {
        std::string out = list(e->args);
        for (const Keyword &k : e->keywords)
          out += (out.empty() ? "" : ", ") + (k.name.empty() ? "**" : k.name.str() + "=") +
                 show(k.value);
        return show(e->callee) + "(" + out + ")";
      })
      .Case([](const AttributeExpr *e) { return show(e->value) + "." + e->name.str(); })
      .Case([](const SubscriptExpr *e) {
        auto *tuple = dyn_cast<TupleExpr>(e->index);
        if (!tuple || tuple->elements.empty())
          return show(e->value) + "[" + show(e->index) + "]";
        return show(e->value) + "[" + list(tuple->elements) +
               (tuple->elements.size() == 1 ? ",]" : "]");
      })
      .Case([](const SliceExpr *e) {
        return show(e->lower) + ":" + show(e->upper) + (e->step ? ":" + show(e->step) : "");
      })
      .Case([](const StarredExpr *e) { return "*" + show(e->value); })
      .Case([](const LambdaExpr *e) {
        return "(lambda " + parameters(e->parameters) + ": " + show(e->body) + ")";
      })
      .Case(
          [](const NamedExpr *e) { return "(" + show(e->target) + " := " + show(e->value) + ")"; })
      .Case([](const ComprehensionExpr *e) {
        std::string out = e->key ? show(e->key) + ": " : "";
        out += show(e->element);
        for (const ComprehensionFor &c : e->clauses) {
          out += " for " + show(c.target) + " in " + show(c.iterable);
          for (const Expr *condition : c.conditions)
            out += " if " + show(condition);
        }
        bool brackets = e->comprehension == ComprehensionKind::List;
        bool parens = e->comprehension == ComprehensionKind::Generator;
        return (brackets ? "[" : parens ? "(" : "{") + out + (brackets ? "]" : parens ? ")" : "}");
      })
      .Case([](const AwaitExpr *e) { return "(await " + show(e->value) + ")"; })
      .Case([](const YieldExpr *e) {
        return std::string("(yield") + (e->isFrom ? " from" : "") +
               (e->value ? " " + show(e->value) : "") + ")";
      })
      .Default([](const Expr *) { return std::string("?"); });
}

static std::string describe(const DiagnosticEngine &diagnostics) {
  std::string out;
  for (const Diagnostic &d : diagnostics.getDiagnostics()) {
    SourceManager::LineColumn at = diagnostics.getSources().getLineColumn(d.range.begin);
    out += (Twine(at.line) + ":" + Twine(at.column) + ": " + d.message + "\n").str();
  }
  return out;
}

std::string Parsed::errors() const { return describe(diagnostics); }
std::string Loaded::errors() const { return describe(diagnostics); }

std::string Parsed::dump() const {
  std::string out;
  raw_string_ostream os(out);
  if (module)
    ast::dump(*module, sources, os);
  return out;
}

std::unique_ptr<Parsed> parse(std::string text) {
  auto out = std::make_unique<Parsed>();
  out->file = out->sources.addText("test.py", std::move(text));
  out->module = parseModule(out->sources, out->file, out->context, out->diagnostics);
  EXPECT_EQ(out->module.has_value(), !out->diagnostics.hasErrors());
  return out;
}

std::string expr(std::string text) {
  Parsed p;
  p.file = p.sources.addText("test.py", std::move(text));
  const Expr *e = parseExpression(p.sources, p.file, p.context, p.diagnostics);
  EXPECT_EQ(e == nullptr, p.diagnostics.hasErrors());
  return e ? show(e) : p.errors();
}

std::string errors(std::string text) { return parse(std::move(text))->errors(); }

std::unique_ptr<Loaded> load(std::string text) {
  auto out = std::make_unique<Loaded>();
  out->loader.setFollowImports(false);
  out->module = out->loader.loadText("test.py", std::move(text));
  EXPECT_EQ(out->module == nullptr, out->diagnostics.hasErrors());
  return out;
}

} // namespace tilerun::test
