// Checks who else can modify a file that code is loaded from: plugins and entries of the cache. The
// user of this process and root are trusted; anybody else who could write or replace a file would
// decide what runs here.
#pragma once

#include <string>

namespace tilerun::trust {

/// Whom an owner or a group makes trusted besides this user and root.
enum class Circle {
  Self,   ///< Nobody.
  Members ///< The file's owner and group: they share it on purpose.
};

/// Why an open file or folder can be changed by others: words that follow its name, such as
/// "belongs to user 1001"; empty if nobody else can. A group in which this user is the only member
/// is trusted.
std::string findOthers(int fd, Circle circle = Circle::Self);

/// The same for a path, with every folder and link on the way to it: a whole sentence that names
/// the place. A folder on the way may be open to all if it is sticky, as /tmp is. Also empty for a
/// missing path. `path` may be relative.
std::string findOthersOnPath(const std::string &path);

} // namespace tilerun::trust
