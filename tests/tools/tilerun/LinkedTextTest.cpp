// Which line of the source each line of code comes from.
#include "tools/tilerun/picture/LinkedText.h"

#include <gtest/gtest.h>

using namespace tilerun::picture;

namespace {

using Lines = std::vector<std::pair<std::string, std::vector<unsigned>>>;

Lines toLines(const std::vector<LinkedLine> &linked) {
  Lines out;
  for (const LinkedLine &line : linked)
    out.emplace_back(line.text, std::vector<unsigned>(line.sources.begin(), line.sources.end()));
  return out;
}

TEST(LinkedText, MlirHasAliasesCallsAndRegions) {
  const char *text = R"(#loc = loc("k.py":3:1)
module {
  func.func @k(%arg0: i32 loc("k.py":4:7)) {
    %0 = op.a "a loc( in a string" : i32 loc(#loc1)
    %1 = scf.for %i = %0 to %0 step %0 -> (i32) {
      %2 = op.b %i : i32 loc(#loc3)
      scf.yield %2 : i32 loc(#loc4)
    } loc(#loc5)
    scf.if %c {
      op.c loc("other.py":99:1)
    } else {
      op.d loc(unknown)
    } loc(fused<"x">[#loc1, "k.py":12:3])
    return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("k.py":5:9)
#loc2 = loc("k.py":20:1)
#loc3 = loc(callsite(#loc2 at #loc1))
#loc4 = loc("name (with a parenthesis"(#loc2))
#loc5 = loc("k.py":6:5)
)";
  EXPECT_EQ(toLines(linkMlir(text, "k.py")),
            (Lines{{"module {", {3}},
                   {"  func.func @k(%arg0: i32) {", {3}},
                   {"    %0 = op.a \"a loc( in a string\" : i32", {5}},
                   {"    %1 = scf.for %i = %0 to %0 step %0 -> (i32) {", {6}},
                   {"      %2 = op.b %i : i32", {5, 20}},
                   {"      scf.yield %2 : i32", {20}},
                   {"    }", {6}},
                   {"    scf.if %c {", {5, 12}},
                   {"      op.c", {}},
                   {"    } else {", {5, 12}},
                   {"      op.d", {}},
                   {"    }", {5, 12}},
                   {"    return", {3}},
                   {"  }", {3}},
                   {"}", {3}}}));
}

TEST(LinkedText, PtxHasFilesAfterItsCode) {
  const char *text = R"(.visible .entry k(
)
{
	.reg .b32 	%r<3>;
	.loc	1 5 9
	add.s32 	%r1, %r2, %r3;
	.loc	2 7 1, function_name $L__info_string0, inlined_at 1 6 3
	mul.lo.s32 	%r1, %r2, %r3;
$L__BB0_1:
	.loc	2 8 1
	ret;
}
	.file	1 "/tmp/k.py"
	.file	2 "/tmp/other.py"
	.section	.debug_abbrev
	{
.b8 1
	}
)";
  EXPECT_EQ(toLines(linkAssembly(text, "k.py")), (Lines{{".visible .entry k(", {}},
                                                        {")", {}},
                                                        {"{", {}},
                                                        {"\t.reg .b32 \t%r<3>;", {}},
                                                        {"\tadd.s32 \t%r1, %r2, %r3;", {5}},
                                                        {"\tmul.lo.s32 \t%r1, %r2, %r3;", {6}},
                                                        {"$L__BB0_1:", {}},
                                                        {"\tret;", {}},
                                                        {"}", {}}}));
}

TEST(LinkedText, SpirvHasNamesOfFiles) {
  const char *text = R"(%1 = OpString "k.py"
%2 = OpString "other.py"
OpLine %1 9 4
%7 = OpIAdd %int %5 %6
OpLine %2 10 4
%8 = OpIAdd %int %5 %6
OpNoLine
OpFunctionEnd
)";
  EXPECT_EQ(toLines(linkCode(text, "k.py")), (Lines{{"%1 = OpString \"k.py\"", {}},
                                                    {"%2 = OpString \"other.py\"", {}},
                                                    {"%7 = OpIAdd %int %5 %6", {9}},
                                                    {"%8 = OpIAdd %int %5 %6", {}},
                                                    {"OpFunctionEnd", {}}}));
}

TEST(LinkedText, SassHasCommentsOfEachPlace) {
  const char *text = R"(	.section	.text.add,"ax",@progbits
.text.add:
	//## File "/tree/k.py", line 7
	//## File ".nv_debug_ptx_txt", line 19
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
	//## File "/lib/other.py", line 43 inlined at "/tree/k.py", line 9
	//## File "/tree/k.py", line 9
        /*0020*/               @P0 EXIT ;
.L_x_1:
        /*0030*/                   BRA `(.L_x_1);
	//## File "/lib/other.py", line 44
        /*0040*/                   NOP;
)";
  EXPECT_EQ(toLines(linkSass(text, "k.py")),
            (Lines{{"	.section	.text.add,\"ax\",@progbits", {}},
                   {".text.add:", {}},
                   {"        /*0000*/                   LDC R1, c[0x0][0x28] ;", {7}},
                   {"        /*0010*/                   S2R R0, SR_TID.X ;", {7}},
                   {"        /*0020*/               @P0 EXIT ;", {9}},
                   {".L_x_1:", {}},
                   {"        /*0030*/                   BRA `(.L_x_1);", {9}},
                   {"        /*0040*/                   NOP;", {}}}));
}

TEST(LinkedText, LlvmHasDebugInformation) {
  const char *text = R"(define void @k(i32 %0) !dbg !2 {
  %1 = add i32 %0, 1, !dbg !5
  %2 = load i32, ptr %p, align 4, !dbg !6, !range !9
  %3 = mul i32 %1, %2, !dbg !7
  ret void
}
!0 = !DIFile(filename: "k.py", directory: "/tmp")
!1 = !DIFile(filename: "other.py", directory: "/tmp")
!2 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 3)
!3 = distinct !DISubprogram(name: "helper", scope: !1, file: !1, line: 30)
!4 = !DILexicalBlock(scope: !2, line: 4, column: 1)
!5 = !DILocation(line: 5, column: 9, scope: !2)
!6 = !DILocation(line: 6, column: 9, scope: !4)
!7 = !DILocation(line: 31, column: 1, scope: !3, inlinedAt: !5)
!9 = !{i32 0, i32 7}
)";
  const Lines expected = {{"define void @k(i32 %0) !dbg !2 {", {}},
                          {"  %1 = add i32 %0, 1", {5}},
                          {"  %2 = load i32, ptr %p, align 4, !range !9", {6}},
                          {"  %3 = mul i32 %1, %2", {5}},
                          {"  ret void", {}},
                          {"}", {}}};
  EXPECT_EQ(toLines(linkCode(text, "k.py")), expected);
  EXPECT_EQ(toLines(linkCode(text, "/tmp/k.py")), expected);
}

TEST(LinkedText, CutTextEnds) {
  // Each beginning of a text is one, too.
  const std::string text =
      "#loc = loc(\"k.py\":3:1)\n  %0 = op.a \"x\\\"y\" loc(callsite(#loc at \"k.py\":4:5)) {\n}\n";
  for (size_t size = 0; size <= text.size(); ++size)
    (void)linkMlir(llvm::StringRef(text).take_front(size), "k.py");
}

} // namespace
