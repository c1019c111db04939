// Crashes of the command itself become exit code 70 and a file with the command line.
#include "tools/tilerun/command/Crash.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace tilerun::command;

static void crash(bool launched, bool json) {
  const char *argv[] = {"tilerun", "list", "some file.py"};
  installCrashHandler(3, argv);
  if (launched)
    noteUncheckedLaunch(json);
  std::abort();
}

TEST(CrashDeathTest, InternalBugNamesTheReproducer) {
  EXPECT_EXIT(crash(false, false), testing::ExitedWithCode(70),
              "internal error: crashed(.|\n)*please report it with(.|\n)*tilerun-crash-[0-9]+.txt");
}

TEST(CrashDeathTest, KernelsWithoutChecksFault) {
  EXPECT_EXIT(crash(true, false), testing::ExitedWithCode(5),
              "Run the same launch by 'tilerun check'");
}
