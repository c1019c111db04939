// Messages about mistakes: once, at the right place, with a hint; and the mistakes that the parser
// finds after them.
#include "FrontendTest.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {

TEST(Errors, MissingColon) {
  EXPECT_EQ(errors("if x\n  y\n"),
            "1:5: expected ':' after the condition of 'if', found end of line\n");
  EXPECT_EQ(errors("while x\n  y\n"),
            "1:8: expected ':' after the condition of 'while', found end of line\n");
  EXPECT_EQ(errors("for x in y\n  z\n"),
            "1:11: expected ':' after the range of 'for', found end of line\n");
  EXPECT_EQ(errors("def f()\n  pass\n"),
            "1:8: expected ':' after the parameters of a function, found end of line\n");
  EXPECT_EQ(errors("class A\n  pass\n"),
            "1:8: expected ':' after the class's name, found end of line\n");
  EXPECT_EQ(errors("if x: pass\nelse\n  y\n"),
            "2:5: expected ':' after 'else', found end of line\n");
  EXPECT_EQ(errors("try\n  pass\nfinally: pass"),
            "1:4: expected ':' after 'try', found end of line\n");
  EXPECT_EQ(errors("with a\n  pass\n"),
            "1:7: expected ':' after the header of 'with', found end of line\n");
}

TEST(Errors, AssignmentInsteadOfComparison) {
  EXPECT_EQ(errors("if x = 1:\n  y\n"),
            "1:6: expected ':' after the condition of 'if', found '='; '==' compares\n");
  EXPECT_EQ(errors("f(a.b=1)"), "1:6: only a plain name can be the name of a keyword argument; "
                                "'==' compares\n");
  EXPECT_EQ(errors("x = = 1"), "1:5: expected a value after '=', found '='; '==' compares\n");
  EXPECT_EQ(errors("f() = 1"), "1:1: cannot assign to a call; '==' compares\n");
  EXPECT_EQ(errors("1 = x"), "1:1: cannot assign to the constant 1; '==' compares\n");
  EXPECT_EQ(errors("a + b = c"), "1:1: cannot assign to a binary operation; '==' compares\n");
  EXPECT_EQ(errors("(a, b.c, d()) = e"), "1:10: cannot assign to a call; '==' compares\n");
  EXPECT_EQ(errors("x = None = y"), "1:5: cannot assign to the constant None; '==' compares\n");
  EXPECT_EQ(errors("del f()"), "1:5: cannot delete a call\n");
  EXPECT_EQ(errors("a, b += 1"),
            "1:1: '+=' needs a name, an attribute or a subscript on its left side\n");
  EXPECT_EQ(errors("*a, *b = c"), "1:5: only one target may be starred\n");
}

TEST(Errors, OperatorsOfOtherLanguages) {
  EXPECT_EQ(errors("if a && b: pass"), "1:7: expected an expression, found '&'; write 'and'\n");
  EXPECT_EQ(errors("x = a || b"), "1:8: expected an expression, found '|'; write 'or'\n");
  EXPECT_EQ(errors("x = !a"), "1:5: '!' is not an operator; write 'not'\n");
  EXPECT_EQ(errors("x++"), "1:4: expected an expression, found end of line\n");
  EXPECT_EQ(errors("if a: pass\nelse if b: pass"),
            "2:6: expected ':' after 'else', found 'if'; write 'elif'\n");
  EXPECT_EQ(errors("print 'x'"), "1:7: expected the end of the statement, found a string; calls "
                                 "need parentheses: print(...)\n");
}

TEST(Errors, BracketsPointToTheOpener) {
  auto parsed = parse("x = f(a,\n      b c)\n");
  EXPECT_EQ(parsed->errors(), "2:9: expected ',' or ')' to close '(', found 'c'\n");
  const Diagnostic &d = parsed->diagnostics.getDiagnostics()[0];
  ASSERT_EQ(d.notes.size(), 1u);
  EXPECT_EQ(d.notes[0].message, "opened here");
  EXPECT_EQ(d.notes[0].range.begin.offset, 5u);
  EXPECT_EQ(errors("x = (1, 2\ny = 3\n"), "1:5: '(' was never closed\n");
  EXPECT_EQ(errors("x = [1, 2)\n"), "1:10: ')' does not close '['\n");
  EXPECT_EQ(errors("def f(a,\n  b = 1\ndef g(): pass\n"),
            "1:6: '(' was never closed: the next line that begins a statement is still inside "
            "it\n");
}

TEST(Errors, Indentation) {
  EXPECT_EQ(errors("x\n  y\nz\n"),
            "2:3: unexpected indentation; align this line with the one before\n");
  EXPECT_EQ(errors("  x\n"), "1:3: unexpected indentation; align this line with the one before\n");
  EXPECT_EQ(errors("if x:\ny\n"), "2:1: expected an indented block after 'if' on line 1, found "
                                  "'y'\n");
  EXPECT_EQ(errors("def f():\n"),
            "2:1: expected an indented block after 'def' on line 1, found end of file\n");
  EXPECT_EQ(errors("if x:\n    y\n  z\n"),
            "3:1: indentation of this line matches no enclosing block; align it with an earlier "
            "line\n");
  EXPECT_EQ(errors("if x:\n\ty\n        z\n"),
            "3:1: indentation mixes tabs and spaces, so its depth depends on the tab size; use "
            "spaces only\n");
}

TEST(Errors, MisplacedClauses) {
  EXPECT_EQ(errors("else: pass"), "1:1: 'else' belongs to no 'if', 'for', 'while' or 'try'; check "
                                  "the indentation\n");
  EXPECT_EQ(errors("elif x:\n  y\n"), "1:1: 'elif' belongs to no 'if'; check the indentation\n");
  EXPECT_EQ(errors("except: pass"), "1:1: 'except' belongs to no 'try'; check the indentation\n");
  EXPECT_EQ(errors("try: pass\nx"),
            "1:1: this 'try' has neither 'except' nor 'finally'; add one of them\n");
  EXPECT_EQ(errors("@a\nx = 1"), "2:1: expected 'def' or 'class' after a decorator, found 'x'\n");
  EXPECT_EQ(errors("async x"), "1:7: expected 'def', 'for' or 'with' after 'async', found 'x'\n");
  EXPECT_EQ(errors("if a: if b: c"),
            "1:7: 'if' cannot begin on the line of 'if'; put it on its own line\n");
}

TEST(Errors, Parameters) {
  EXPECT_EQ(errors("def f(a, a): pass"), "1:10: two parameters are named 'a'; rename one\n");
  EXPECT_EQ(errors("def f(a=1, b): pass"),
            "1:12: parameter 'b' without a default follows one with a default; give it one, or "
            "put it first\n");
  EXPECT_EQ(errors("def f(*): pass"), "1:7: a named parameter must follow the bare '*'\n");
  EXPECT_EQ(errors("def f(*, **k): pass"), "1:7: a named parameter must follow the bare '*'\n");
  EXPECT_EQ(errors("def f(*a, *b): pass"), "1:11: '*' may appear only once\n");
  EXPECT_EQ(errors("def f(**a, b): pass"), "1:12: nothing may follow the '**' parameter\n");
  EXPECT_EQ(errors("def f(/): pass"), "1:7: '/' needs a parameter before it\n");
  EXPECT_EQ(errors("def f(*a=1): pass"), "1:9: a '*' or '**' parameter cannot have a default\n");
  EXPECT_EQ(errors("def f(a b): pass"), "1:9: expected ',' or ')' after a parameter, found 'b'\n");
  EXPECT_EQ(errors("def f(1): pass"), "1:7: expected a parameter name, found the number 1\n");
  EXPECT_EQ(errors("def (a): pass"), "1:5: expected a function name after 'def', found '('\n");
  EXPECT_EQ(errors("def class(a): pass"),
            "1:5: expected a function name after 'def', found 'class', which is a keyword\n");
}

TEST(Errors, Arguments) {
  EXPECT_EQ(errors("f(a=1, b)"), "1:8: a positional argument follows a keyword argument; put it "
                                 "first, or name it too\n");
  EXPECT_EQ(errors("f(**a, b)"),
            "1:8: a positional argument follows a '**' argument; put it first\n");
  EXPECT_EQ(errors("f(**a, *b)"), "1:8: a '*' argument cannot follow a '**' argument; put it "
                                  "first\n");
  EXPECT_EQ(errors("f(a for a in b, c)"),
            "1:3: a generator next to other arguments needs its own parentheses\n");
  EXPECT_EQ(errors("a[]"), "1:3: expected an index between '[' and ']'\n");
}

TEST(Errors, Expressions) {
  EXPECT_EQ(errors("x = "), "1:5: expected a value after '=', found end of line\n");
  EXPECT_EQ(errors("x = 1 +"), "1:8: expected an expression, found end of line\n");
  EXPECT_EQ(errors("x = a."), "1:7: expected an attribute name after '.', found end of line\n");
  EXPECT_EQ(errors("x = a.if"),
            "1:7: expected an attribute name after '.', found 'if', which is a keyword\n");
  EXPECT_EQ(errors("x = a if b"), "1:11: expected 'else' and a value, which a conditional "
                                  "expression needs, found end of line\n");
  EXPECT_EQ(errors("x = *a"), "1:5: a starred expression must be in a list or a tuple; add a "
                              "','\n");
  EXPECT_EQ(errors("for i range(3): pass"),
            "1:7: expected 'in' after the target of 'for', found 'range'\n");
  EXPECT_EQ(errors("x: int: 3"), "1:7: expected the end of the statement, found ':'; only if, "
                                 "for, while, def and the like end in ':'\n");
  EXPECT_EQ(errors("import"), "1:7: expected a name to import, found end of line\n");
  EXPECT_EQ(errors("from a import"), "1:14: expected a name to import, found end of line\n");
  EXPECT_EQ(errors("[**a for a in b]"), "1:2: expected an expression, found '**'\n");
  EXPECT_EQ(errors("{**a for a in b}"), "1:6: '**' cannot be used in a comprehension\n");
}

TEST(Errors, SeveralInOneRunAndNoneFollowsFromAnother) {
  EXPECT_EQ(errors("def f(x):\n"
                   "    if x = 3:\n"     // 2
                   "        y = (1, 2\n" // 3
                   "    elif x\n"        // 4 (the rest of line 3 ends at 'elif')
                   "        z = 0777\n"  // 5
                   "    else:\n"
                   "        return 1 2\n" // 7
                   "    a = 'abc\n"       // 8
                   "    return a\n"
                   "def g(:\n" // 10
                   "        x\n"
                   "        pass\n"
                   "ok = 1\n"),
            "2:10: expected ':' after the condition of 'if', found '='; '==' compares\n"
            "3:13: '(' was never closed: the next line that begins a statement is still inside "
            "it\n"
            "4:11: expected ':' after the condition of 'elif', found end of line\n"
            "5:13: invalid number '0777': decimal integers have no leading zeros; write 0o for "
            "octal\n"
            "7:18: expected the end of the statement, found the number 2\n"
            "8:9: unterminated string; add the closing quote on this line\n"
            "10:6: '(' was never closed: the next line that begins a statement is still inside "
            "it\n");
}

TEST(Errors, StopAfterTwenty) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "x = = 1\n";
  auto parsed = parse(text);
  EXPECT_EQ(parsed->diagnostics.getNumErrors(), kMaxParseErrors);
  const Diagnostic &last = parsed->diagnostics.getDiagnostics().back();
  ASSERT_EQ(last.notes.size(), 1u);
  EXPECT_EQ(last.notes[0].message, "too many errors; the rest of the text is not checked");
}

TEST(Errors, BrokenHeaderStillOpensItsBlock) {
  EXPECT_EQ(errors("fro x in y:\n    z = 1\n    w = = 2\nv = 1\n"),
            "1:5: expected the end of the statement, found 'x'\n"
            "3:9: expected a value after '=', found '='; '==' compares\n");
  EXPECT_EQ(errors("if +:\n  x\nelif y:\n  z\nelse:\n  w\n"),
            "1:5: expected an expression, found ':'\n");
}

TEST(Errors, RangesMarkWhatWasSeen) {
  auto parsed = parse("x = foo bar\n");
  ASSERT_EQ(parsed->diagnostics.getNumErrors(), 1u);
  const Diagnostic &d = parsed->diagnostics.getDiagnostics()[0];
  EXPECT_EQ(d.range.begin.offset, 8u);
  EXPECT_EQ(d.range.end, 11u);
}

} // namespace
