// Contents of strings: escapes, prefixes, joined pieces, f-strings.
#include "FrontendTest.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {

TEST(Strings, Escapes) {
  EXPECT_EQ(expr("'\\n\\t\\\\\\'\\\"'"), "'\\0A\\09\\\\'\\22'");
  EXPECT_EQ(expr("'\\x41\\101\\7\\u0042\\U00000043'"), "'AA\\07BC'");
  EXPECT_EQ(expr("'\\q\\{'"), "'\\\\q\\\\{'") << "unknown escapes stay";
  EXPECT_EQ(expr("'a\\\nb'"), "'ab'");
  EXPECT_EQ(expr("'a\\\r\nb'"), "'ab'");
  EXPECT_EQ(expr("'\\a\\b\\f\\v\\r\\0'"), "'\\07\\08\\0C\\0B\\0D\\00'");
  EXPECT_EQ(expr("'\\xe9'"), "'\\C3\\A9'") << "text is UTF-8";
  EXPECT_EQ(expr("'\\N{BULLET}\\N{latin small letter a}'"), "'\\E2\\80\\A2a'");
}

TEST(Strings, RawAndBytes) {
  EXPECT_EQ(expr("r'\\n\\''"), "'\\\\n\\\\''");
  EXPECT_EQ(expr("b'\\xff\\u0041\\N'"), "b'\\FF\\\\u0041\\\\N'");
  EXPECT_EQ(expr("rb'\\x'"), "b'\\\\x'");
  EXPECT_EQ(expr("u'a'"), "'a'");
}

TEST(Strings, TripleQuotes) {
  EXPECT_EQ(expr("'''a'b''c\n'''"), "'a'b''c\\0A'");
  EXPECT_EQ(expr("\"\"\"\"a\\\"\"\"\""), "'\\22a\\22'");
  EXPECT_EQ(expr("'''a\r\nb\rc'''"), "'a\\0Ab\\0Ac'") << "line ends become one form";
  EXPECT_EQ(expr("''''''"), "''");
}

TEST(Strings, PiecesAreJoined) {
  EXPECT_EQ(expr("'a' \"b\" r'\\c' '''d'''"), "'ab\\\\cd'");
  EXPECT_EQ(expr("('a'\n 'b')"), "'ab'");
  EXPECT_EQ(expr("b'a' rb'\\b'"), "b'a\\\\b'");
  EXPECT_EQ(expr("'a' f'b{c}' 'd'"), "f'ab{c}d'");
}

TEST(Strings, Mistakes) {
  EXPECT_EQ(expr("'a' b'b'"),
            "1:5: bytes and text are adjacent; make both the same kind of string\n");
  EXPECT_EQ(expr("'ab\\x4'"), "1:4: this escape needs 2 hexadecimal digits\n");
  EXPECT_EQ(expr("'\\u12g4'"), "1:2: this escape needs 4 hexadecimal digits\n");
  EXPECT_EQ(expr("'\\U00110000'"), "1:2: Unicode characters end at \\U0010FFFF\n");
  EXPECT_EQ(expr("'\\N{NO SUCH THING}'"), "1:2: no Unicode character has this name\n");
  EXPECT_EQ(expr("'\\N'"), "1:2: \\N needs a character name in braces, as in \\N{BULLET}\n");
  EXPECT_EQ(expr("b'\xC3\xA9'"),
            "1:3: a bytes literal holds ASCII characters only; write others as \\xNN\n");
  EXPECT_EQ(expr("'\xE9'"), "1:2: byte 0xE9 in this string is not UTF-8; save the file as UTF-8, "
                            "or write \\xe9\n");
}

TEST(FStrings, Values) {
  EXPECT_EQ(expr("f'a{b}c{d + 1}'"), "f'a{b}c{(d + 1)}'");
  EXPECT_EQ(expr("f''"), "f''");
  EXPECT_EQ(expr("f'{{a}}'"), "f'{a}'") << "doubled braces are text";
  EXPECT_EQ(expr("f'{a, b}'"), "f'{(a, b)}'");
  EXPECT_EQ(expr("f'{*a, b}'"), "f'{(*a, b)}'");
  EXPECT_EQ(expr("f'{yield a}'"), "f'{(yield a)}'");
  EXPECT_EQ(expr("f'{(lambda x: 1)}'"), "f'{(lambda x: 1)}'");
  EXPECT_EQ(expr("f'{a != b}{a[1:2]}{ {1: 2}[1] }'"), "f'{(a != b)}{a[1:2]}{{1: 2}[1]}'");
  EXPECT_EQ(expr("f'\\x41\\N{BULLET}{a}\\n'"), "f'A\xE2\x80\xA2{a}\n'");
  EXPECT_EQ(expr("rf'\\{a}\\n'"), "f'\\{a}\\n'");
}

TEST(FStrings, ConversionsAndFormats) {
  EXPECT_EQ(expr("f'{a!r}{b!s:>10}{c:.2f}'"), "f'{a!r}{b!s:>10}{c:.2f}'");
  EXPECT_EQ(expr("f'{a:{b}.{c}}'"), "f'{a:{b}.{c}}'");
  EXPECT_EQ(expr("f'{a:%Y-%m}'"), "f'{a:%Y-%m}'");
  EXPECT_EQ(expr("f'{a:=5}'"), "f'{a:=5}'");
  EXPECT_EQ(expr("f'{(a := 5)}'"), "f'{(a := 5)}'");
}

TEST(FStrings, SelfDocumenting) {
  EXPECT_EQ(expr("f'{a=}'"), "f'{a=a!r}'");
  EXPECT_EQ(expr("f'{a + b = }'"), "f'{a + b = (a + b)!r}'");
  EXPECT_EQ(expr("f'{a=!s}{a=:>3}'"), "f'{a=a!s}{a=a:>3}'");
}

TEST(FStrings, Nesting) {
  EXPECT_EQ(expr("f'{f'{a}'}'"), "f'{f'{a}'}'");
  EXPECT_EQ(expr("f\"{'b' if a else \"c\"}\""), "f'{('b' if a else 'c')}'");
  EXPECT_EQ(expr("f'''{\n  a # comment\n  + b\n}'''"), "f'{(a + b)}'");
}

TEST(FStrings, Mistakes) {
  EXPECT_EQ(expr("f'{}'"),
            "1:3: this replacement field is empty; write a value, or '{{' for a brace\n");
  EXPECT_EQ(expr("f'{a!x}'"), "1:6: expected a conversion (!r, !s or !a), found 'x'\n");
  EXPECT_EQ(expr("f'{a b}'"), "1:6: expected '!', ':' or '}' to close '{', found 'b'\n");
  EXPECT_EQ(expr("f'{a'"),
            "1:3: expected '}' to end this replacement field before the f-string ends\n");
  EXPECT_EQ(expr("f'a}'"), "1:4: single '}' in an f-string; write '}}' for the character itself\n");
  EXPECT_EQ(expr("f'{a +}'"), "1:7: expected an expression, found '}'\n");
  EXPECT_EQ(expr("f'\\xg'"), "1:3: this escape needs 2 hexadecimal digits\n");
}

} // namespace
