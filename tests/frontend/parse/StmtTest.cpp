// Statements: every form, by its dump.
#include "FrontendTest.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {

/// The dump without places, indentation by one blank.
std::string tree(std::string text) {
  auto parsed = parse(std::move(text));
  if (!parsed->module)
    return parsed->errors();
  std::string out;
  std::string dump = parsed->dump();
  for (llvm::StringRef line : llvm::split(dump, '\n')) {
    size_t depth = line.size() - line.ltrim(' ').size();
    if (line.ends_with(">"))
      line = line.take_front(line.rfind(" <"));
    if (!line.trim().empty())
      out += std::string(depth / 2, ' ') + line.ltrim(' ').str() + "\n";
  }
  return out;
}

TEST(Stmt, Assignments) {
  EXPECT_EQ(tree("a = b = 1"), "assignment\n target: name 'a'\n target: name 'b'\n"
                               " value: constant int 1\n");
  EXPECT_EQ(tree("a, *b = c"), "assignment\n target: tuple\n  name 'a'\n  starred expression\n"
                               "   name 'b'\n value: name 'c'\n");
  EXPECT_EQ(tree("*a, b = c"), "assignment\n target: tuple\n  starred expression\n   name 'a'\n"
                               "  name 'b'\n value: name 'c'\n");
  EXPECT_EQ(tree("a: b"), "annotated assignment\n target: name 'a'\n annotation: name 'b'\n");
  EXPECT_EQ(tree("a.b: c = 1"),
            "annotated assignment\n target: attribute 'b'\n  name 'a'\n annotation: name 'c'\n"
            " value: constant int 1\n");
  EXPECT_EQ(tree("a = yield"), "assignment\n target: name 'a'\n value: yield\n");
}

TEST(Stmt, AugmentedAssignments) {
  for (const char *op : {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"})
    EXPECT_EQ(tree("a " + std::string(op) + "= b"), "augmented assignment '" + std::string(op) +
                                                        "='\n target: name 'a'\n value: name "
                                                        "'b'\n");
}

TEST(Stmt, Simple) {
  EXPECT_EQ(tree("pass; break; continue;"), "pass\nbreak\ncontinue\n");
  EXPECT_EQ(tree("return"), "return\n");
  EXPECT_EQ(tree("return a, *b"),
            "return\n tuple\n  name 'a'\n  starred expression\n   name 'b'\n");
  EXPECT_EQ(tree("raise a from b"), "raise\n value: name 'a'\n cause: name 'b'\n");
  EXPECT_EQ(tree("assert a, b"), "assert\n condition: name 'a'\n message: name 'b'\n");
  EXPECT_EQ(tree("del a[0], (b, c)"),
            "del\n subscript\n  value: name 'a'\n  index: constant int 0\n tuple\n  name 'b'\n"
            "  name 'c'\n");
  EXPECT_EQ(tree("global a, b\nnonlocal c"), "global a, b\nglobal nonlocal c\n");
  EXPECT_EQ(tree("f()"), "expression statement\n call\n  callee: name 'f'\n");
}

TEST(Stmt, Imports) {
  EXPECT_EQ(tree("import a, b.c as d"), "import\n name 'a'\n name 'b.c' as 'd'\n");
  EXPECT_EQ(tree("from a.b import c as d, e"), "from import 'a.b'\n name 'c' as 'd'\n name 'e'\n");
  EXPECT_EQ(tree("from . import a"), "from import '.'\n name 'a'\n");
  EXPECT_EQ(tree("from ...a import (b,\n c,)"), "from import '...a'\n name 'b'\n name 'c'\n");
  EXPECT_EQ(tree("from .... import a"), "from import '....'\n name 'a'\n");
  EXPECT_EQ(tree("from a import *"), "from import 'a'\n name '*'\n");
  EXPECT_EQ(tree("import a . b"), "import\n name 'a.b'\n");
}

TEST(Stmt, IfChains) {
  EXPECT_EQ(tree("if a: b\nelif c: d\nelse: e"),
            "if\n condition: name 'a'\n then:\n  expression statement\n   name 'b'\n else:\n"
            "  if\n   condition: name 'c'\n   then:\n    expression statement\n     name 'd'\n"
            "   else:\n    expression statement\n     name 'e'\n");
  EXPECT_EQ(tree("if (a := 1): pass"),
            "if\n condition: assignment expression\n  target: name 'a'\n  value: constant int 1\n"
            " then:\n  pass\n");
}

TEST(Stmt, Loops) {
  EXPECT_EQ(tree("for a, b in c, d: pass\nelse: break"),
            "for\n target: tuple\n  name 'a'\n  name 'b'\n in: tuple\n  name 'c'\n  name 'd'\n"
            " body:\n  pass\n else:\n  break\n");
  EXPECT_EQ(tree("while a:\n  continue\nelse:\n  pass"),
            "while\n condition: name 'a'\n body:\n  continue\n else:\n  pass\n");
  EXPECT_EQ(tree("async for a in b: pass"),
            "for\n target: name 'a'\n in: name 'b'\n body:\n  pass\n");
}

TEST(Stmt, Functions) {
  EXPECT_EQ(tree("@a.b\n@c(1)\ndef f(p, q: int = 1, /, r=2, *s, t, **u) -> v:\n  'doc'\n  pass"),
            "function definition 'f'\n decorator: attribute 'b'\n  name 'a'\n decorator: call\n"
            "  callee: name 'c'\n  argument: constant int 1\n parameter 'p' positional-only\n"
            " parameter 'q' positional-only\n  annotation: name 'int'\n  default: constant int 1\n"
            " parameter 'r'\n  default: constant int 2\n parameter 's' *args\n"
            " parameter 't' keyword-only\n parameter 'u' **kwargs\n returns: name 'v'\n body:\n"
            "  expression statement\n   constant string 'doc'\n  pass\n");
  EXPECT_EQ(tree("async def f[T: int, *Ts, **P = 1](*, a): pass"),
            "function definition 'f' async\n parameter 'a' keyword-only\n body:\n  pass\n");
  EXPECT_EQ(tree("def f(*args: *T): pass"),
            "function definition 'f'\n parameter 'args' *args\n  annotation: starred expression\n"
            "   name 'T'\n body:\n  pass\n");
}

TEST(Stmt, Docstring) {
  auto parsed = parse("def f():\n  '''a\n  b'''\ndef g():\n  f'x'\ndef h():\n  1\n");
  ASSERT_TRUE(parsed->module);
  auto doc = [&](unsigned i) {
    return llvm::cast<ast::FunctionDef>(parsed->module->body[i])->docstring;
  };
  EXPECT_EQ(doc(0), "a\n  b");
  EXPECT_EQ(doc(1), "");
  EXPECT_EQ(doc(2), "");
}

TEST(Stmt, Classes) {
  EXPECT_EQ(tree("class A(B, metaclass=C): x: int = 1"),
            "class definition 'A'\n base: name 'B'\n keyword 'metaclass': name 'C'\n body:\n"
            "  annotated assignment\n   target: name 'x'\n   annotation: name 'int'\n"
            "   value: constant int 1\n");
  EXPECT_EQ(tree("@d\nclass A[T]: pass"),
            "class definition 'A'\n decorator: name 'd'\n body:\n  pass\n");
}

TEST(Stmt, Try) {
  EXPECT_EQ(tree("try: a\nexcept B as c: d\nexcept (E, F): pass\nexcept: pass\nelse: pass\n"
                 "finally: pass"),
            "try\n body:\n  expression statement\n   name 'a'\n except as 'c'\n  type: name 'B'\n"
            "  body:\n   expression statement\n    name 'd'\n except\n  type: tuple\n   name 'E'\n"
            "   name 'F'\n  body:\n   pass\n except\n  body:\n   pass\n else:\n  pass\n finally:\n"
            "  pass\n");
  EXPECT_EQ(tree("try: pass\nexcept* A: pass"),
            "try\n body:\n  pass\n except\n  type: name 'A'\n  body:\n   pass\n");
}

TEST(Stmt, With) {
  std::string twoItems = "with\n context: name 'a'\n as: name 'b'\n context: name 'c'\n body:\n"
                         "  pass\n";
  EXPECT_EQ(tree("with a as b, c: pass"), twoItems);
  EXPECT_EQ(tree("with (a as b, c): pass"), twoItems);
  EXPECT_EQ(tree("with (a as b, c,): pass"), twoItems);
  EXPECT_EQ(tree("with (a, b) as c: pass"),
            "with\n context: tuple\n  name 'a'\n  name 'b'\n as: name 'c'\n body:\n  pass\n");
  EXPECT_EQ(tree("with (a): pass"), "with\n context: name 'a'\n body:\n  pass\n");
  EXPECT_EQ(tree("with (a).b() as c: pass"),
            "with\n context: call\n  callee: attribute 'b'\n   name 'a'\n as: name 'c'\n body:\n"
            "  pass\n");
  EXPECT_EQ(tree("with (yield a): pass"), "with\n context: yield\n  name 'a'\n body:\n  pass\n");
  EXPECT_EQ(tree("with a as (b, c): pass"),
            "with\n context: name 'a'\n as: tuple\n  name 'b'\n  name 'c'\n body:\n  pass\n");
}

TEST(Stmt, MatchIsAStatementOrAName) {
  EXPECT_EQ(tree("match x:\n  case [1, *_] if y:\n    pass\n  case _: pass\nz"),
            "match\nexpression statement\n name 'z'\n");
  EXPECT_EQ(tree("match = 1\nmatch[0]\nmatch (x)\nmatch.a"),
            "assignment\n target: name 'match'\n value: constant int 1\n"
            "expression statement\n subscript\n  value: name 'match'\n  index: constant int 0\n"
            "expression statement\n call\n  callee: name 'match'\n  argument: name 'x'\n"
            "expression statement\n attribute 'a'\n  name 'match'\n");
  EXPECT_EQ(tree("case = type = 1"), "assignment\n target: name 'case'\n target: name 'type'\n"
                                     " value: constant int 1\n");
}

TEST(Stmt, TypeAlias) {
  EXPECT_EQ(tree("type A[T] = list[T]\ntype(x)\n"),
            "type alias\nexpression statement\n call\n  callee: name 'type'\n  argument: name "
            "'x'\n");
}

TEST(Stmt, OneLineBodies) {
  EXPECT_EQ(tree("if a: b = 1; c = 2\nd"),
            "if\n condition: name 'a'\n then:\n  assignment\n   target: name 'b'\n"
            "   value: constant int 1\n  assignment\n   target: name 'c'\n"
            "   value: constant int 2\nexpression statement\n name 'd'\n");
}

TEST(Stmt, EmptyFile) {
  EXPECT_EQ(tree(""), "");
  EXPECT_EQ(tree("\n# nothing\n\n"), "");
}

TEST(Stmt, DumpNamesPlaces) {
  EXPECT_EQ(parse("def f(x):\n    return x + 1\n")->dump(), "function definition 'f' <1:1>\n"
                                                            "  parameter 'x'\n"
                                                            "  body:\n"
                                                            "    return <2:5>\n"
                                                            "      binary operation '+' <2:12>\n"
                                                            "        name 'x' <2:12>\n"
                                                            "        constant int 1 <2:16>\n");
}

TEST(Stmt, EveryNodeHasANameAndIsDumped) {
#define EXPR(Class, Text) EXPECT_EQ(ast::getKindName(ast::Kind::Class), Text);
#define STMT(Class, Text) EXPECT_EQ(ast::getKindName(ast::Kind::Class), Text);
#include "frontend/ast/Nodes.def"
}

TEST(Stmt, PartOfAFile) {
  SourceManager sources;
  std::string text = "class A:\n    def f(x):\n        return x\n    junk junk\n";
  uint32_t file = sources.addText("t.py", text);
  ast::Context context;
  DiagnosticEngine diagnostics(sources);
  auto block = parseStatements(sources, file, 13, text.find("    junk"), context, &diagnostics);
  ASSERT_TRUE(block.has_value());
  ASSERT_EQ(block->size(), 1u);
  EXPECT_EQ(llvm::cast<ast::FunctionDef>((*block)[0])->name, "f");
  EXPECT_FALSE(parseStatements(sources, file, 0, text.size(), context, nullptr).has_value());
  EXPECT_FALSE(diagnostics.hasErrors()) << "nothing is reported where nobody asks";
}

} // namespace
