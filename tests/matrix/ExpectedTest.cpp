// The list of expected failures: what a run makes of it, and where recorded results contradict it.
#include "tests/matrix/Expected.h"

#include "gtest/gtest.h"

using namespace tilerun::matrix;

namespace {

using Lines = std::vector<std::string>;

constexpr const char *kList = "# A comment.\n"
                              "[GPU *, vulkan:*]\n"
                              "sort*.i32: it is too slow: by far\n"
                              "\n"
                              "[cuda:sm_8?]\n"
                              "sort.i8: no reason\n";

ExpectedFailures parse(llvm::StringRef text) {
  ExpectedFailures expected;
  EXPECT_EQ(expected.parse(text, "list.txt"), "");
  return expected;
}

CellResult makeCell(std::string id, Verdict verdict, std::string text = "") {
  auto [op, dtype] = llvm::StringRef(id).rsplit('.');
  return {"sorting", op.str(), dtype.str(), id, verdict, std::move(text)};
}

Results makeColumn(std::vector<CellResult> cells, bool compileOnly = false) {
  Results out;
  out.column = compileOnly ? "cuda:sm_80" : "vulkan (GPU)";
  out.description = compileOnly ? "compiled only" : "GPU 7, vulkan:1.3,f16";
  out.date = "2026-01-01";
  out.compileOnly = compileOnly;
  out.seed = 1;
  out.cells = std::move(cells);
  return out;
}

TEST(MatrixExpected, OneRunAFailureIsExpectedAndAPassIsNot) {
  ExpectedFailures expected = parse(kList);
  auto apply = [&](llvm::StringRef device, llvm::StringRef id, Verdict verdict) {
    Result result{verdict, "seen", 0, false};
    expected.apply(device, id, result);
    return result;
  };
  const char *gpu = "GPU 7, vulkan:1.3";
  EXPECT_EQ(apply(gpu, "sort (1-D).i32", Verdict::Fail).verdict, Verdict::ExpectedFailure);
  EXPECT_EQ(apply(gpu, "sort (1-D).i32", Verdict::Fail).text, "it is too slow: by far (seen)");
  EXPECT_EQ(apply(gpu, "sort.i32", Verdict::Pass).verdict, Verdict::UnexpectedPass);
  EXPECT_EQ(apply(gpu, "sort.i32", Verdict::Unsupported).verdict, Verdict::Unsupported);
  EXPECT_EQ(apply(gpu, "sort.i8", Verdict::Fail).verdict, Verdict::Fail);
  // The list is about a device.
  EXPECT_EQ(apply("llvmpipe, vulkan:1.3", "sort.i32", Verdict::Fail).verdict, Verdict::Fail);
  EXPECT_EQ(apply("llvmpipe, vulkan:1.3", "sort.i32", Verdict::Pass).verdict, Verdict::Pass);
  EXPECT_EQ(apply("cuda:sm_80", "sort.i8", Verdict::Fail).verdict, Verdict::ExpectedFailure);
}

TEST(MatrixExpected, ListsThatCannotBeRead) {
  EXPECT_EQ(ExpectedFailures().parse("[gpu]\n\nsort.i8\n", "list.txt"),
            "list.txt:3: neither '[DEVICE]' nor 'CELL: reason'");
  EXPECT_EQ(ExpectedFailures().parse("[gpu]\nsort.i8: \n", "list.txt"),
            "list.txt:2: neither '[DEVICE]' nor 'CELL: reason'");
  EXPECT_EQ(ExpectedFailures().parse("sort.i8: slow\n", "list.txt"),
            "list.txt:1: stands below no '[DEVICE]'");
  EXPECT_EQ(ExpectedFailures().read("/nonexistent").rfind("cannot read '/nonexistent': ", 0), 0u);
}

TEST(MatrixExpected, ResultsAndListAgree) {
  Results columns[] = {
      makeColumn({makeCell("sort.i32", Verdict::Fail, "element 3"),
                  makeCell("sort (1-D).i32", Verdict::ExpectedFailure, "an old reason (element 4)"),
                  makeCell("flip.i8", Verdict::Pass, "a remark"),
                  makeCell("flip.i16", Verdict::Unsupported, "too wide")}),
      makeColumn({makeCell("sort.i8", Verdict::Fail, "element 5")}, /*compileOnly=*/true)};
  EXPECT_EQ(parse(kList).judge(columns), Lines());
  EXPECT_EQ(columns[0].cells[0].verdict, Verdict::ExpectedFailure);
  // The page gives the reason of the list as it is now.
  EXPECT_EQ(columns[0].cells[0].text, "it is too slow: by far");
  EXPECT_EQ(columns[0].cells[1].text, "it is too slow: by far");
  EXPECT_EQ(columns[0].cells[2].text, "a remark");
  EXPECT_EQ(columns[0].cells[3].verdict, Verdict::Unsupported);
  EXPECT_EQ(columns[1].cells[0].verdict, Verdict::ExpectedFailure);
}

TEST(MatrixExpected, ResultsAndListContradict) {
  Results columns[] = {
      makeColumn({makeCell("sort.i32", Verdict::Pass), makeCell("flip.i8", Verdict::Fail, "off"),
                  makeCell("flip.i16", Verdict::ExpectedFailure, "was listed"),
                  makeCell("sort.i16.i32", Verdict::Unsupported, "too wide")})};
  EXPECT_EQ(
      parse(kList).judge(columns),
      (Lines{
          "list.txt:3: vulkan (GPU): 'sort.i32' passes; it is not to be listed any more",
          "vulkan (GPU): 'flip.i8' fails and is not listed: off",
          "vulkan (GPU): 'flip.i16' fails and is not listed: was listed",
          "list.txt:3: vulkan (GPU): 'sort.i16.i32' is unsupported, which is not listed: too wide",
          "list.txt:6: no recorded result is of a cell 'sort.i8' on 'cuda:sm_8?'"}));
  EXPECT_EQ(columns[0].cells[0].verdict, Verdict::UnexpectedPass);
  EXPECT_EQ(columns[0].cells[2].verdict, Verdict::Fail);
}

TEST(MatrixResults, CellsThatRunAgainTakeTheirOldPlaces) {
  // Cells of the matrix, since others are dropped.
  auto withCells = [](std::vector<std::pair<const char *, Verdict>> verdicts) {
    Results out = makeColumn({});
    for (auto [id, verdict] : verdicts) {
      out.cells.push_back(makeCell(id, verdict));
      out.cells.back().group = "elementwise";
    }
    return out;
  };
  Results recorded =
      withCells({{"sub.i8", Verdict::Pass}, {"add.i8", Verdict::Fail}, {"gone.i8", Verdict::Pass}});
  Results again = withCells({{"add.i8", Verdict::Pass}, {"add.i16", Verdict::Pass}});
  again.date = "2026-01-03";
  ASSERT_EQ(updateResults(recorded, again), "");
  ASSERT_EQ(recorded.cells.size(), 3u);
  EXPECT_EQ(recorded.cells[0].id, "add.i8");
  EXPECT_EQ(recorded.cells[0].verdict, Verdict::Pass);
  EXPECT_EQ(recorded.cells[1].id, "add.i16");
  EXPECT_EQ(recorded.cells[2].id, "sub.i8");
  EXPECT_EQ(recorded.date, "2026-01-01");
  ASSERT_EQ(updateResults(recorded, again), "");
  using Updates = std::vector<std::pair<std::string, size_t>>;
  EXPECT_EQ(recorded.updates, (Updates{{"2026-01-03", 4}}));

  Results parsed;
  ASSERT_EQ(parseResults(formatResults(recorded), parsed), "");
  EXPECT_EQ(parsed.updates, recorded.updates);
  EXPECT_EQ(parsed.cells.size(), 3u);
  EXPECT_NE(makePage(parsed).find("| 2026-01-01; 4 cells 2026-01-03 |"), std::string::npos);

  again.description = "GPU 8";
  EXPECT_EQ(updateResults(recorded, again),
            "it has results of 'GPU 7, vulkan:1.3,f16', not of 'GPU 8'");
  again.description = recorded.description;
  again.seed = 2;
  EXPECT_EQ(updateResults(recorded, again), "its results have the seed 1, not 2");
}

} // namespace
