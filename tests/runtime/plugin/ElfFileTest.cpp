// Shared objects that cannot be loaded are recognized before they are loaded.
#include "runtime/plugin/ElfFile.h"

#include "runtime/include/tilerun/plugin.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <vector>

using namespace tilerun::plugin;

namespace {

std::vector<char> readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string check(const std::vector<char> &bytes) {
  return checkElfBytes(bytes.data(), bytes.size(), TILERUN_PLUGIN_ENTRY);
}

class ElfFile : public testing::Test {
protected:
  std::vector<char> bytes = readFile(NULL_PLUGIN);
  Elf64_Ehdr &header() { return *reinterpret_cast<Elf64_Ehdr *>(bytes.data()); }
};

TEST_F(ElfFile, TakesAPlugin) {
  ASSERT_GT(bytes.size(), 4096u);
  EXPECT_EQ(check(bytes), "");
  EXPECT_EQ(checkElfFile(NULL_PLUGIN, TILERUN_PLUGIN_ENTRY), "");
}

TEST_F(ElfFile, NamesTheMachine) {
  header().e_machine = EM_RISCV;
  EXPECT_NE(check(bytes).find("wrong architecture: it is for riscv"), std::string::npos);
  header().e_machine = 4242;
  EXPECT_NE(check(bytes).find("machine 4242"), std::string::npos);
}

TEST_F(ElfFile, TellsClassOrderAndType) {
  auto change = [&](auto apply, const char *text) {
    std::vector<char> copy = bytes;
    apply(*reinterpret_cast<Elf64_Ehdr *>(copy.data()));
    EXPECT_NE(check(copy).find(text), std::string::npos) << check(copy);
  };
  change([](Elf64_Ehdr &h) { h.e_ident[EI_CLASS] = ELFCLASS32; }, "not a 64-bit");
  change([](Elf64_Ehdr &h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }, "big-endian");
  change([](Elf64_Ehdr &h) { h.e_type = ET_REL; }, "not a shared object");
  change([](Elf64_Ehdr &h) { h.e_phnum = 0; }, "no program headers");
  change([](Elf64_Ehdr &h) { h.e_phoff = UINT64_MAX - 8; }, "truncated");
  change([](Elf64_Ehdr &h) { h.e_shoff = UINT64_MAX - 8; }, "truncated");
  change([](Elf64_Ehdr &h) { h.e_ident[0] = 'x'; }, "not a shared object");
}

TEST_F(ElfFile, MissesTheSymbol) {
  EXPECT_NE(checkElfBytes(bytes.data(), bytes.size(), "otherEntry").find("does not export"),
            std::string::npos);
}

TEST_F(ElfFile, EveryTruncationIsSeen) {
  // The section headers are last, so each shorter file lacks something.
  for (size_t size = 0; size < bytes.size(); size += size < 256 ? 1 : 997)
    EXPECT_NE(checkElfBytes(bytes.data(), size, TILERUN_PLUGIN_ENTRY), "") << size;
}

TEST_F(ElfFile, RandomDamageDoesNotCrash) {
  std::mt19937 random(20240711);
  size_t refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<char> copy = bytes;
    for (int i = 0; i < 4; ++i) {
      // The header, the program headers or the section headers.
      size_t table = round % 3 == 0 ? 0 : round % 3 == 1 ? header().e_phoff : header().e_shoff;
      size_t at = table + random() % 512;
      copy[std::min(at, copy.size() - 1)] = static_cast<char>(random());
    }
    refused += !check(copy).empty();
  }
  EXPECT_GT(refused, 100u);
}

TEST(ElfFileErrors, SaysWhatIsWrongWithTheFile) {
  EXPECT_NE(checkElfFile("/nonexistent.so", "x").find("cannot be read"), std::string::npos);
  EXPECT_NE(checkElfFile("/tmp", "x").find("not a file"), std::string::npos);
  EXPECT_NE(checkElfFile("/dev/null", "x").find("not a file"), std::string::npos);
  EXPECT_NE(checkElfFile("/proc/self/exe", "x").find("does not export"), std::string::npos);
}

} // namespace
