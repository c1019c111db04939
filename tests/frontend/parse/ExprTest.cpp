// Expressions: precedence, and every form. `show` puts parentheses around everything.
#include "FrontendTest.h"

#include <random>

using namespace tilerun::test;

namespace {

TEST(Expr, Precedence) {
  EXPECT_EQ(expr("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(expr("a | b ^ c & d << e + f * -g ** -h"),
            "(a | (b ^ (c & (d << (e + (f * (-(g ** (-h)))))))))");
  EXPECT_EQ(expr("a ** b ** c"), "(a ** (b ** c))");
  EXPECT_EQ(expr("-a ** b"), "(-(a ** b))");
  EXPECT_EQ(expr("a * b // c % d @ e / f"), "(((((a * b) // c) % d) @ e) / f)");
  EXPECT_EQ(expr("a << b >> c"), "((a << b) >> c)");
  EXPECT_EQ(expr("~-+a"), "(~(-(+a)))");
  EXPECT_EQ(expr("not a == b"), "(not (a == b))");
  EXPECT_EQ(expr("a or b and not c or d"), "(a or (b and (not c)) or d)");
  EXPECT_EQ(expr("a if b else c if d else e"), "(a if b else (c if d else e))");
  EXPECT_EQ(expr("(a + b) * c"), "((a + b) * c)");
  EXPECT_EQ(expr("lambda: a if b else c"), "(lambda : (a if b else c))");
  EXPECT_EQ(expr("await a ** b"), "((await a) ** b)");
}

TEST(Expr, Comparisons) {
  EXPECT_EQ(expr("a < b <= c != d"), "(a < b <= c != d)");
  EXPECT_EQ(expr("a is not b"), "(a is not b)");
  EXPECT_EQ(expr("a is (not b)"), "(a is (not b))");
  EXPECT_EQ(expr("a not in b in c is d"), "(a not in b in c is d)");
  EXPECT_EQ(expr("a == b | c"), "(a == (b | c))");
  EXPECT_EQ(expr("a > b >= c"), "(a > b >= c)");
}

TEST(Expr, Constants) {
  EXPECT_EQ(expr("None, True, False, ..."), "(None, True, False, ...)");
  EXPECT_EQ(expr("00, 1_000, 0XfF, 0O17, 0B1_0"), "(0, 1000, 0xff, 0o17, 0b10)");
  EXPECT_EQ(expr("1., .5, 1e3, 1_0.5, 2j"), "(1.0, 0.5, 1000.0, 10.5, 2j)");
  EXPECT_EQ(expr("1e999, 1e-999, 0x" + std::string(40, 'f')),
            "(inf, 0.0, 0x" + std::string(40, 'f') + ")");
  EXPECT_EQ(expr("123456789012345678901234567890"), "123456789012345678901234567890");
}

TEST(Expr, HugeNumberIsRefused) {
  EXPECT_EQ(expr(std::string(5000, '1')),
            "1:1: this number has 5000 characters; the limit is 4300\n");
}

TEST(Expr, Tuples) {
  EXPECT_EQ(expr("()"), "()");
  EXPECT_EQ(expr("(a)"), "a");
  EXPECT_EQ(expr("(a,)"), "(a,)");
  EXPECT_EQ(expr("a,"), "(a,)");
  EXPECT_EQ(expr("a, b"), "(a, b)");
  EXPECT_EQ(expr("(a, *b, (c, d),)"), "(a, *b, (c, d))");
  EXPECT_EQ(expr("*a, b"), "(*a, b)");
}

TEST(Expr, ListsSetsDicts) {
  EXPECT_EQ(expr("[]"), "[]");
  EXPECT_EQ(expr("[a, *b, c,]"), "[a, *b, c]");
  EXPECT_EQ(expr("{}"), "{}");
  EXPECT_EQ(expr("{a, *b}"), "{a, *b}");
  EXPECT_EQ(expr("{a: b, **c, 'd': e,}"), "{a: b, **c, 'd': e}");
  EXPECT_EQ(expr("{**a}"), "{**a}");
  EXPECT_EQ(expr("{a: b if c else d}"), "{a: (b if c else d)}");
  EXPECT_EQ(expr("{lambda: a: b}"), "{(lambda : a): b}");
}

TEST(Expr, Postfix) {
  EXPECT_EQ(expr("a.b.c(d)[e].f"), "a.b.c(d)[e].f");
  EXPECT_EQ(expr("a()()"), "a()()");
  EXPECT_EQ(expr("(a + b).c"), "(a + b).c");
  EXPECT_EQ(expr("'a'.join"), "'a'.join");
}

TEST(Expr, Calls) {
  EXPECT_EQ(expr("f(a, *b, c=d, **e)"), "f(a, *b, c=d, **e)");
  EXPECT_EQ(expr("f(a=1, *b)"), "f(*b, a=1)");
  EXPECT_EQ(expr("f(**a, b=1)"), "f(**a, b=1)");
  EXPECT_EQ(expr("f(a for a in b)"), "f((a for a in b))");
  EXPECT_EQ(expr("f(a for a in b,)"), "f((a for a in b))");
  EXPECT_EQ(expr("f(a := b, c)"), "f((a := b), c)");
  EXPECT_EQ(expr("f(*a or b)"), "f(*(a or b))");
  EXPECT_EQ(expr("f(\n  a, # c\n  b,\n)"), "f(a, b)");
}

TEST(Expr, Subscripts) {
  EXPECT_EQ(expr("a[0]"), "a[0]");
  EXPECT_EQ(expr("a[:, None]"), "a[:, None]");
  EXPECT_EQ(expr("a[None, ..., 1:2, ::3, :b]"), "a[None, ..., 1:2, ::3, :b]");
  EXPECT_EQ(expr("a[b,]"), "a[b,]");
  EXPECT_EQ(expr("a[b:c:d]"), "a[b:c:d]");
  EXPECT_EQ(expr("a[b if c else d:e]"), "a[(b if c else d):e]");
  EXPECT_EQ(expr("a[*b]"), "a[*b,]");
  EXPECT_EQ(expr("a[b := 1]"), "a[(b := 1)]");
  EXPECT_EQ(expr("a[lambda: b]"), "a[(lambda : b)]");
}

TEST(Expr, Lambdas) {
  EXPECT_EQ(expr("lambda: 0"), "(lambda : 0)");
  EXPECT_EQ(expr("lambda a, b=1, *c, d, e=2, **f: a"), "(lambda a, b=1, *c, d, e=2, **f: a)");
  EXPECT_EQ(expr("lambda a, /, b, *, c: a"), "(lambda a, b, c: a)");
  EXPECT_EQ(expr("lambda *a, **k: (a, k)"), "(lambda *a, **k: (a, k))");
}

TEST(Expr, Comprehensions) {
  EXPECT_EQ(expr("[a for a in b if c if d for e in f]"), "[a for a in b if c if d for e in f]");
  EXPECT_EQ(expr("{a: b for a, b in c}"), "{a: b for (a, b) in c}");
  EXPECT_EQ(expr("{a for a, in b}"), "{a for (a,) in b}");
  EXPECT_EQ(expr("(a async for a in b)"), "(a for a in b)");
  EXPECT_EQ(expr("[a for a.b[c], *d in e or f]"), "[a for (a.b[c], *d) in (e or f)]");
  EXPECT_EQ(expr("[a for a in b if (c := d)]"), "[a for a in b if (c := d)]");
}

TEST(Expr, Assignment) { EXPECT_EQ(expr("(a := b + 1)"), "(a := (b + 1))"); }

TEST(Expr, Yield) {
  EXPECT_EQ(expr("(yield)"), "(yield)");
  EXPECT_EQ(expr("(yield a, b)"), "(yield (a, b))");
  EXPECT_EQ(expr("(yield from a)"), "(yield from a)");
}

TEST(Expr, RangesCoverTheText) {
  std::string text = "(a + b).c[1:2](x, *y, z=3) if -d else [lambda q: 1, (e, f)]";
  tilerun::SourceManager sources;
  uint32_t file = sources.addText("t.py", text);
  tilerun::ast::Context context;
  tilerun::DiagnosticEngine diagnostics(sources);
  const auto *e = tilerun::parseExpression(sources, file, context, diagnostics);
  ASSERT_NE(e, nullptr);
  auto spelled = [&](const tilerun::ast::Expr *n) {
    return text.substr(n->range.begin.offset, n->range.end - n->range.begin.offset);
  };
  EXPECT_EQ(spelled(e), text);
  const auto *ternary = llvm::cast<tilerun::ast::TernaryExpr>(e);
  EXPECT_EQ(spelled(ternary->condition), "-d");
  EXPECT_EQ(spelled(ternary->elseValue), "[lambda q: 1, (e, f)]");
  const auto *call = llvm::cast<tilerun::ast::CallExpr>(ternary->thenValue);
  EXPECT_EQ(spelled(call), "(a + b).c[1:2](x, *y, z=3)");
  EXPECT_EQ(spelled(call->callee), "(a + b).c[1:2]");
  EXPECT_EQ(spelled(call->args[1]), "*y");
  EXPECT_EQ(text.substr(call->keywords[0].range.begin.offset, 1), "z");
}

TEST(Expr, WholeTextOnly) {
  EXPECT_EQ(expr("  a + b  "), "(a + b)");
  EXPECT_EQ(expr("a b"), "1:3: expected the end of the expression, found 'b'\n");
  EXPECT_EQ(expr("a\nb"), "2:1: expected one expression, found another line\n");
  EXPECT_EQ(expr(""), "1:1: expected an expression, found end of file\n");
  EXPECT_EQ(expr("a)"), "1:2: ')' closes nothing; remove it, or add its opening bracket\n");
}

/// A random expression in the form that `show` gives.
class Generator {
public:
  explicit Generator(uint32_t seed) : random(seed) {}
  std::string make(unsigned depth) {
    if (depth == 0)
      return pick({"a", "b", "x1", "7", "0x1f", "2.5", "None", "True", "...", "'s'"});
    auto sub = [&] { return make(depth - 1); };
    static const char *kBinary[] = {"+", "-",  "*",  "/", "//", "%", "**",
                                    "@", "<<", ">>", "&", "|",  "^"};
    switch (random() % 16) {
    case 0:
    case 1:
    case 2:
      return "(" + sub() + " " + kBinary[random() % 13] + " " + sub() + ")";
    case 3:
      return "(" + pick({"-", "+", "~", "not "}) + sub() + ")";
    case 4:
      return "(" + sub() + " and " + sub() + " and " + sub() + ")";
    case 5:
      return "(" + sub() + " or " + sub() + ")";
    case 6:
      return "(" + sub() + " " + pick({"<", "<=", "==", "is not", "not in"}) + " " + sub() +
             " != " + sub() + ")";
    case 7:
      return "(" + sub() + " if " + sub() + " else " + sub() + ")";
    case 8:
      return name() + "(" + sub() + ", *" + sub() + ", k=" + sub() + ", **" + sub() + ")";
    case 9:
      return name() + "[" + sub() + ", :, " + sub() + ":" + sub() + "]";
    case 10:
      return "(" + sub() + ", " + sub() + ")";
    case 11:
      return "[" + sub() + ", *" + sub() + "]";
    case 12:
      return "{" + sub() + ": " + sub() + ", **" + sub() + "}";
    case 13:
      return "(lambda p, q=" + sub() + ", *r: " + sub() + ")";
    case 14:
      return "[" + sub() + " for i in " + sub() + " if " + sub() + "]";
    default:
      return "(w := " + sub() + ").attr";
    }
  }

private:
  std::string pick(std::initializer_list<const char *> items) {
    return items.begin()[random() % items.size()];
  }
  std::string name() { return pick({"f", "g.h", "a"}); }
  std::mt19937 random;
};

TEST(Expr, RandomTreesComeBackAsWritten) {
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    std::string text = Generator(seed).make(1 + seed % 5);
    ASSERT_EQ(expr(text), text) << "seed " << seed;
  }
}

} // namespace
