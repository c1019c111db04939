// Permissions, as the kernel applies them.
#include "runtime/plugin/Trust.h"

#include "runtime/plugin/Child.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

using namespace tilerun;

static bool isTrustedOwner(uid_t owner) { return owner == 0 || owner == geteuid(); }

// Whether this user is the group's only member, as in the private groups that many systems create
// for each user, with a umask that lets them write. Root's is not taken for one: services are put
// into it.
static bool isOwnGroup(gid_t group) {
  if (geteuid() == 0)
    return false;
  std::vector<char> buffer(1 << 16);
  passwd user, *foundUser = nullptr;
  if (getpwuid_r(geteuid(), &user, buffer.data(), buffer.size(), &foundUser) || !foundUser)
    return false;
  const std::string name = user.pw_name;
  if (user.pw_gid != group)
    return false;
  ::group entry, *foundGroup = nullptr;
  if (getgrgid_r(group, &entry, buffer.data(), buffer.size(), &foundGroup) || !foundGroup ||
      name != entry.gr_name)
    return false;
  for (char **member = entry.gr_mem; *member; ++member)
    if (name != *member)
      return false;
  return true;
}

// With an access list, the group's bits of a file are the upper bound for all members.
static bool hasAccessList(int fd, const char *path) {
  constexpr const char *kName = "system.posix_acl_access";
  return (fd >= 0 ? fgetxattr(fd, kName, nullptr, 0) : lgetxattr(path, kName, nullptr, 0)) > 0;
}

// The users besides its owner that can write to it. `path` counts where `fd` is negative.
static std::string findWriters(const struct stat &status, int fd, const char *path,
                               trust::Circle circle) {
  if (status.st_mode & S_IWOTH)
    return "can be written by everybody";
  if (!(status.st_mode & S_IWGRP) || circle == trust::Circle::Members)
    return "";
  if (hasAccessList(fd, path))
    return "can be written by those in its access control list";
  if (!isOwnGroup(status.st_gid))
    return "can be written by group " + std::to_string(status.st_gid);
  return "";
}

static std::string describeOwner(const struct stat &status) {
  return "belongs to user " + std::to_string(status.st_uid);
}

std::string trust::findOthers(int fd, Circle circle) {
  struct stat status;
  if (fstat(fd, &status))
    return std::string("cannot be examined: ") + std::strerror(errno);
  if (circle == Circle::Self && !isTrustedOwner(status.st_uid))
    return describeOwner(status);
  return findWriters(status, fd, "", circle);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static void prepend(const std::string &path, std::deque<std::string> &parts) {
  std::vector<std::string> own = plugin::split(path, '/');
  std::erase_if(own, [](const std::string &name) { return name.empty() || name == "."; });
  parts.insert(parts.begin(), own.begin(), own.end());
}

// Resolves it as the kernel does, one name at a time: each folder was found safe before a name
// is looked up in it, so that nobody else can change what the name stands for.
std::string trust::findOthersOnPath(const std::string &path) {
  constexpr int kMostLinks = 40; // As the kernel.
  std::deque<std::string> parts;
  prepend(path, parts);
  if (path.empty() || path[0] != '/') {
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof(folder)))
      return "";
    prepend(folder, parts);
  }
  std::string at; // The folder that was reached; "" is the root.
  for (int links = 0;;) {
    struct stat status;
    const char *place = at.empty() ? "/" : at.c_str();
    if (lstat(place, &status))
      return "";
    if (!isTrustedOwner(status.st_uid))
      return std::string("'") + place + "' " + describeOwner(status);
    if (S_ISLNK(status.st_mode)) {
      char target[PATH_MAX];
      ssize_t length = readlink(place, target, sizeof(target) - 1);
      if (length < 0 || ++links > kMostLinks)
        return "";
      target[length] = 0;
      prepend(target, parts);
      at = target[0] == '/' ? "" : at.substr(0, at.rfind('/'));
      continue;
    }
    std::string writers = findWriters(status, -1, place, Circle::Self);
    bool isOnTheWay = !parts.empty();
    // In a sticky folder others cannot replace files of this user or root, which is checked next.
    if (!writers.empty() && !(isOnTheWay && (status.st_mode & S_ISVTX)))
      return std::string("'") + place + "' " + writers;
    if (parts.empty())
      return "";
    if (parts.front() == "..")
      at = at.substr(0, at.empty() ? 0 : at.rfind('/'));
    else
      at += "/" + parts.front();
    parts.pop_front();
  }
}
