// The tree as indented text, for people and for tests: one node a line, each with its role in its
// parent, its own data and its place.
#include "frontend/ast/Ast.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace tilerun::ast {
namespace {

class Dumper {
public:
  Dumper(const SourceManager &sources, raw_ostream &os) : sources(sources), os(os) {}

  void node(StringRef role, const Node *n) {
    if (!n)
      return;
    os.indent(2 * depth);
    if (!role.empty())
      os << role << ": ";
    os << getKindName(n->kind);
    SourceManager::LineColumn at = sources.getLineColumn(n->range.begin);
    place = (" <" + Twine(at.line) + ":" + Twine(at.column) + ">").str();
    ++depth;
    children(*n);
    --depth;
  }

private:
  /// Ends the node's own line: its data, then its place.
  void head(const Twine &data = "") {
    std::string text = data.str();
    if (!text.empty())
      os << ' ' << text;
    os << place << '\n';
  }
  void line(const Twine &text) { os.indent(2 * depth) << text << '\n'; }

  template <typename List> void nodes(StringRef role, const List &list) {
    for (const auto *n : list)
      node(role, n);
  }
  void block(StringRef name, Block body) {
    if (body.empty())
      return;
    line(name + ":");
    ++depth;
    nodes("", body);
    --depth;
  }
  static std::string quote(StringRef text) {
    std::string out = "'";
    raw_string_ostream stream(out);
    printEscapedString(text, stream);
    return out + "'";
  }

  void parameters(ArrayRef<Parameter> list) {
    for (const Parameter &p : list) {
      static constexpr StringLiteral kKinds[] = {"", " positional-only", " keyword-only", " *args",
                                                 " **kwargs"};
      line("parameter '" + p.name + "'" + kKinds[static_cast<unsigned>(p.kind)]);
      ++depth;
      node("annotation", p.annotation);
      node("default", p.defaultValue);
      --depth;
    }
  }
  void keywords(ArrayRef<Keyword> list) {
    for (const Keyword &k : list)
      node(k.name.empty() ? std::string("**") : ("keyword '" + k.name + "'").str(), k.value);
  }
  void parts(ArrayRef<JoinedPart> list) {
    for (const JoinedPart &p : list) {
      if (!p.value) {
        line("text " + quote(p.text));
        continue;
      }
      std::string role = "value";
      if (!p.sourceText.empty())
        role += " " + quote(p.sourceText);
      if (p.conversion)
        role += std::string(" !") + p.conversion;
      node(role, p.value);
      if (!p.format.empty()) {
        line("format:");
        ++depth;
        parts(p.format);
        --depth;
      }
    }
  }

  void constant(const ConstantExpr &e) {
    switch (e.constant) {
    case ConstantKind::None:
      return head("None");
    case ConstantKind::True:
      return head("True");
    case ConstantKind::False:
      return head("False");
    case ConstantKind::Ellipsis:
      return head("...");
    case ConstantKind::Int:
      return head("int " + e.text);
    case ConstantKind::Float:
    case ConstantKind::Imaginary: {
      std::string text;
      raw_string_ostream(text) << format("%.17g", e.floating);
      return head((e.constant == ConstantKind::Float ? "float " : "imaginary ") + text);
    }
    case ConstantKind::String:
      return head("string " + quote(e.text));
    case ConstantKind::Bytes:
      return head("bytes " + quote(e.text));
    }
  }

  void children(const Node &n);

  const SourceManager &sources;
  raw_ostream &os;
  unsigned depth = 0;
  std::string place;
};

void Dumper::children(const Node &n) {
  TypeSwitch<const Node *>(&n)
      .Case([&](const NameExpr *e) { head("'" + e->name + "'"); })
      .Case([&](const ConstantExpr *e) { constant(*e); })
      .Case([&](const JoinedStrExpr *e) {
        head();
        parts(e->parts);
      })
      .Case<TupleExpr, ListExpr, SetExpr>([&](auto *e) {
        head();
        nodes("", e->elements);
      })
      .Case([&](const DictExpr *e) {
        head();
        for (auto [key, value] : llvm::zip(e->keys, e->values)) {
          node("key", key);
          node(key ? "value" : "**", value);
        }
      })
      .Case([&](const UnaryExpr *e) {
        head("'" + getSpelling(e->op) + "'");
        node("", e->operand);
      })
      .Case([&](const BinaryExpr *e) {
        head("'" + getSpelling(e->op) + "'");
        node("", e->lhs);
        node("", e->rhs);
      })
      .Case([&](const BoolOpExpr *e) {
        head(e->isAnd ? "'and'" : "'or'");
        nodes("", e->operands);
      })
      .Case([&](const CompareExpr *e) {
        head();
        node("", e->first);
        for (auto [op, rest] : llvm::zip(e->ops, e->rest))
          node(("'" + getSpelling(op) + "'").str(), rest);
      })
      .Case([&](const TernaryExpr *e) {
        head();
        node("condition", e->condition);
        node("then", e->thenValue);
        node("else", e->elseValue);
      })
      .Case([&](const CallExpr *e) {
        head();
        node("callee", e->callee);
        nodes("argument", e->args);
        keywords(e->keywords);
      })
      .Case([&](const AttributeExpr *e) {
        head("'" + e->name + "'");
        node("", e->value);
      })
      .Case([&](const SubscriptExpr *e) {
        head();
        node("value", e->value);
        node("index", e->index);
      })
      .Case([&](const SliceExpr *e) {
        head();
        node("lower", e->lower);
        node("upper", e->upper);
        node("step", e->step);
      })
      .Case<StarredExpr, AwaitExpr>([&](auto *e) {
        head();
        node("", e->value);
      })
      .Case([&](const LambdaExpr *e) {
        head();
        parameters(e->parameters);
        node("body", e->body);
      })
      .Case([&](const NamedExpr *e) {
        head();
        node("target", e->target);
        node("value", e->value);
      })
      .Case([&](const ComprehensionExpr *e) {
        static constexpr StringLiteral kKinds[] = {"list", "set", "dict", "generator"};
        head(kKinds[static_cast<unsigned>(e->comprehension)]);
        node("key", e->key);
        node("element", e->element);
        for (const ComprehensionFor &clause : e->clauses) {
          node("for", clause.target);
          node("in", clause.iterable);
          nodes("if", clause.conditions);
        }
      })
      .Case([&](const YieldExpr *e) {
        head(e->isFrom ? "from" : "");
        node("", e->value);
      })
      .Case([&](const ExprStmt *s) {
        head();
        node("", s->value);
      })
      .Case([&](const AssignStmt *s) {
        head();
        nodes("target", s->targets);
        node("value", s->value);
      })
      .Case([&](const AugAssignStmt *s) {
        head("'" + getSpelling(s->op) + "='");
        node("target", s->target);
        node("value", s->value);
      })
      .Case([&](const AnnAssignStmt *s) {
        head();
        node("target", s->target);
        node("annotation", s->annotation);
        node("value", s->value);
      })
      .Case([&](const IfStmt *s) {
        head();
        node("condition", s->condition);
        block("then", s->thenBody);
        block("else", s->elseBody);
      })
      .Case([&](const ForStmt *s) {
        head();
        node("target", s->target);
        node("in", s->iterable);
        block("body", s->body);
        block("else", s->elseBody);
      })
      .Case([&](const WhileStmt *s) {
        head();
        node("condition", s->condition);
        block("body", s->body);
        block("else", s->elseBody);
      })
      .Case([&](const ReturnStmt *s) {
        head();
        node("", s->value);
      })
      .Case([&](const AssertStmt *s) {
        head();
        node("condition", s->condition);
        node("message", s->message);
      })
      .Case([&](const RaiseStmt *s) {
        head();
        node("value", s->value);
        node("cause", s->cause);
      })
      .Case([&](const WithStmt *s) {
        head();
        for (const WithItem &item : s->items) {
          node("context", item.context);
          node("as", item.target);
        }
        block("body", s->body);
      })
      .Case([&](const FunctionDef *s) {
        head("'" + s->name + "'" + (s->isAsync ? " async" : ""));
        nodes("decorator", s->decorators);
        parameters(s->parameters);
        node("returns", s->returns);
        block("body", s->body);
      })
      .Case([&](const ClassDef *s) {
        head("'" + s->name + "'");
        nodes("decorator", s->decorators);
        nodes("base", s->bases);
        keywords(s->keywords);
        block("body", s->body);
      })
      .Case<ImportStmt>([&](auto *s) {
        head();
        for (const ImportName &name : s->names)
          line("name '" + name.name + "'" + (name.alias.empty() ? "" : " as '") + name.alias +
               (name.alias.empty() ? "" : "'"));
      })
      .Case<ImportFromStmt>([&](auto *s) {
        head("'" + std::string(s->level, '.') + s->module + "'");
        for (const ImportName &name : s->names)
          line("name '" + name.name + "'" + (name.alias.empty() ? "" : " as '") + name.alias +
               (name.alias.empty() ? "" : "'"));
      })
      .Case([&](const GlobalStmt *s) {
        head((s->isNonlocal ? "nonlocal " : "") + llvm::join(s->names, ", "));
      })
      .Case([&](const DeleteStmt *s) {
        head();
        nodes("", s->targets);
      })
      .Case([&](const TryStmt *s) {
        head();
        block("body", s->body);
        for (const ExceptHandler &handler : s->handlers) {
          line(handler.name.empty() ? "except" : "except as '" + handler.name + "'");
          ++depth;
          node("type", handler.type);
          block("body", handler.body);
          --depth;
        }
        block("else", s->elseBody);
        block("finally", s->finalBody);
      })
      .Default([&](const Node *) { head(); });
}

} // namespace

void dump(const Node &node, const SourceManager &sources, raw_ostream &os) {
  Dumper(sources, os).node("", &node);
}

void dump(const Module &module, const SourceManager &sources, raw_ostream &os) {
  for (const Stmt *stmt : module.body)
    dump(*stmt, sources, os);
}

} // namespace tilerun::ast
