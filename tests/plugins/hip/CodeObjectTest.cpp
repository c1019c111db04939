// Names of targets, compatibility strings, bundles, and the check of ELF files before a runtime
// gets them.
#include "plugins/hip/CodeObject.h"
#include "plugins/hip/SelfTestObjects.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <vector>

using namespace hip;

namespace {

TEST(TargetId, FeaturesThatAreNotNamedMayHaveAnySetting) {
  const TargetId device = TargetId::parse("gfx942:sramecc+:xnack-");
  EXPECT_EQ(device.arch, "gfx942");
  EXPECT_EQ(device.features, ":sramecc+:xnack-");
  for (const char *good : {"gfx942", "gfx942:sramecc+", "gfx942:xnack-", "gfx942:xnack-:sramecc+"})
    EXPECT_TRUE(TargetId::parse(good).runsOn(device)) << good;
  for (const char *bad : {"gfx94", "gfx950", "gfx942:xnack+", "gfx942:xnack", "gfx942:sramecc-",
                          "gfx942:", "gfx942:+", "gfx942:xnack-:", "", "gfx942:tgsplit+"})
    EXPECT_FALSE(TargetId::parse(bad).runsOn(device)) << bad;
  // A device without a setting takes only code without one.
  EXPECT_TRUE(TargetId::parse("gfx1100").runsOn(TargetId::parse("gfx1100")));
  EXPECT_FALSE(TargetId::parse("gfx1100:xnack-").runsOn(TargetId::parse("gfx1100")));
}

TEST(Compatibility, IsAKindATargetAndAVersion) {
  const Compatibility plain = Compatibility::parse("hip:gfx942:cov5");
  EXPECT_EQ(plain.target, "gfx942");
  EXPECT_EQ(plain.version, 5u);
  EXPECT_FALSE(plain.isBundle());
  EXPECT_EQ(Compatibility::parse("hip:gfx942:sramecc+:xnack-:cov6").target,
            "gfx942:sramecc+:xnack-");
  EXPECT_TRUE(Compatibility::parse("hip:bundle:cov5").isBundle());
  for (const char *bad :
       {"", "hip", "hip:", "hip::cov5", "hip:cov5", "hip:gfx942", "hip:gfx942:cov",
        "hip:gfx942:cov5x", "hip:gfx942:cov-5", "cuda:gfx942:cov5", "hip:gfx942:cov99999999999"})
    EXPECT_EQ(Compatibility::parse(bad).target, "") << bad;
}

std::string_view getObject(std::string_view target) {
  for (const SelfTestObject *object = kSelfTestObjects; object->target; ++object)
    if (target == object->target)
      return {object->bytes, object->numBytes};
  return {};
}

TEST(CodeObject, EachSelfTestIsOneOfVersionFive) {
  unsigned count = 0;
  for (const SelfTestObject *object = kSelfTestObjects; object->target; ++object, ++count) {
    const std::string_view bytes(object->bytes, object->numBytes);
    std::string reason;
    EXPECT_EQ(findCodeObject(bytes, TargetId::parse(object->target), reason), bytes) << reason;
    EXPECT_EQ(getVersion(bytes), 5u) << object->target;
  }
  EXPECT_EQ(count, 11u);
}

TEST(CodeObject, WhatIsNotWholeIsRefused) {
  const std::string whole(getObject("gfx942"));
  const TargetId device = TargetId::parse("gfx942");
  auto refuse = [&](std::string_view bytes) {
    std::string reason;
    EXPECT_TRUE(findCodeObject(bytes, device, reason).empty()) << bytes.size();
    return reason;
  };
  EXPECT_EQ(refuse(""), "the code object cannot be used: it is neither an ELF file nor a bundle of "
                        "ELF files");
  EXPECT_EQ(refuse("no code"), refuse(""));
  for (size_t size = 0; size < whole.size(); size += size < 256 ? 1 : 97)
    EXPECT_FALSE(refuse(std::string_view(whole).substr(0, size)).empty());
  EXPECT_EQ(refuse(std::string_view(whole).substr(0, whole.size() - 1)),
            "the code object cannot be used: it is cut off, or damaged");
  auto change = [&](size_t offset, auto value) {
    std::string bytes = whole;
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
    return refuse(bytes);
  };
  EXPECT_EQ(change(offsetof(Elf64_Ehdr, e_machine), Elf64_Half(EM_X86_64)),
            "the code object cannot be used: it is an ELF file for another machine");
  EXPECT_EQ(change(EI_CLASS, uint8_t(ELFCLASS32)),
            "the code object cannot be used: it is an ELF file for another machine");
  // Tables and what they name, at places that do not exist.
  for (size_t offset : {offsetof(Elf64_Ehdr, e_phoff), offsetof(Elf64_Ehdr, e_shoff)})
    for (uint64_t value : {uint64_t(whole.size()), UINT64_MAX, UINT64_MAX - 4096})
      EXPECT_EQ(change(offset, value), "the code object cannot be used: it is cut off, or damaged");
  const size_t firstSegment = sizeof(Elf64_Ehdr);
  EXPECT_EQ(change(firstSegment + offsetof(Elf64_Phdr, p_filesz), UINT64_MAX),
            "the code object cannot be used: it is cut off, or damaged");
}

TEST(Bundle, GivesTheObjectOfTheDevice) {
  const std::pair<std::string_view, std::string_view> objects[] = {
      {"gfx942:xnack+", getObject("gfx942")},
      {"gfx1100", getObject("gfx1100")},
      {"gfx942", getObject("gfx942")}};
  const std::string bundle = makeBundle(objects);
  std::string reason;
  EXPECT_EQ(findCodeObject(bundle, TargetId::parse("gfx1100"), reason), getObject("gfx1100"));
  const auto found = findCodeObject(bundle, TargetId::parse("gfx942:sramecc+:xnack-"), reason);
  EXPECT_EQ(found, getObject("gfx942")) << reason;
  EXPECT_EQ(reason, "");
  EXPECT_EQ((found.data() - bundle.data()) % 4096, 0);
  EXPECT_TRUE(findCodeObject(bundle, TargetId::parse("gfx1010"), reason).empty());
  EXPECT_EQ(reason, "the bundle has code for gfx942:xnack+, gfx1100, gfx942, but not for gfx1010");
  // Cut off anywhere: an error, or the same answer.
  for (size_t size = 0; size < bundle.size(); size += size < 512 ? 1 : 509) {
    const auto cut =
        findCodeObject(std::string_view(bundle).substr(0, size), TargetId::parse("gfx942"), reason);
    EXPECT_TRUE(cut.empty() || cut == getObject("gfx942")) << size;
  }
  EXPECT_TRUE(
      findCodeObject(std::string_view(bundle).substr(0, 100), TargetId::parse("gfx1100"), reason)
          .empty());
  EXPECT_EQ(reason, "the bundle is cut off, or damaged");
  // A number of entries that nothing can hold.
  std::string many = bundle.substr(0, 24) + std::string(8, '\xff');
  EXPECT_TRUE(findCodeObject(many, TargetId::parse("gfx1100"), reason).empty());
}

} // namespace
