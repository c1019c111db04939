// The bytes of artifacts of kernels that print or assert.
#include "plugins/hip/Artifact.h"

#include <gtest/gtest.h>

using namespace hip;
using tilerun::backend::DebugSite;

namespace {

const std::vector<DebugSite> kSites = {
    {DebugSite::Kind::Print, "x is %d and %f\n", "if", "", 0, 0},
    {DebugSite::Kind::Assert, "x must be positive", "", "kernel.py", 12, 5}};

TEST(Artifact, WithoutSitesIsTheCode) {
  EXPECT_EQ(encodeArtifact({}, "code"), "code");
  ArtifactContent content;
  std::string reason;
  ASSERT_TRUE(decodeArtifact("code", content, reason));
  EXPECT_EQ(content.code, "code");
  EXPECT_TRUE(content.sites.empty());
}

TEST(Artifact, SitesComeBack) {
  const std::string bytes = encodeArtifact(kSites, std::string("co\0de", 5));
  ArtifactContent content;
  std::string reason;
  ASSERT_TRUE(decodeArtifact(bytes, content, reason)) << reason;
  EXPECT_EQ(content.code, std::string("co\0de", 5));
  ASSERT_EQ(content.sites.size(), 2u);
  EXPECT_EQ(content.sites[0].text, "x is %d and %f\n");
  EXPECT_EQ(content.sites[0].arguments, "if");
  EXPECT_EQ(content.sites[1].kind, DebugSite::Kind::Assert);
  EXPECT_EQ(content.sites[1].file, "kernel.py");
  EXPECT_EQ(content.sites[1].line, 12u);
  EXPECT_EQ(content.sites[1].column, 5u);
}

TEST(Artifact, WhatIsNotOneIsRefused) {
  const std::string bytes = encodeArtifact(kSites, "code");
  ArtifactContent content;
  std::string reason;
  // From the end of the magic on, as before it is other code.
  for (size_t size = 8; size < bytes.size(); ++size) {
    reason.clear();
    EXPECT_FALSE(decodeArtifact(std::string_view(bytes).substr(0, size), content, reason)) << size;
    EXPECT_NE(reason, "") << size;
  }
  EXPECT_FALSE(decodeArtifact(bytes + "x", content, reason));
  EXPECT_EQ(reason, "the artifact's content does not fit its lengths");
  std::string later = bytes;
  later[8] = 2;
  EXPECT_FALSE(decodeArtifact(later, content, reason));
  EXPECT_EQ(reason, "the artifact has version 2, this plugin reads 1");
  std::vector<DebugSite> unknown = kSites;
  unknown[0].arguments = "ix";
  EXPECT_FALSE(decodeArtifact(encodeArtifact(unknown, "code"), content, reason));
}

} // namespace
