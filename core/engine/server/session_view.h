#pragma once
// What the server keeps of a session that a client looks at: the replayed search tree and the timelines that were asked for. The file
// itself is opened for each request: an open reader would keep a run from folding its journal in. Quick lane only.

#include <sys/types.h>

#include <map>
#include <memory>

#include "core/engine/server/timeline_view.h"
#include "core/engine/server/tree_replay.h"

namespace kw::server {

class SessionView {
 public:
  explicit SessionView(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // The file as it is now; brings the tree up to it.
  base::Result<store::Session> read();
  const TreeReplay& tree() const { return tree_; }
  base::Result<const TimelineView*> timeline(const store::Session& session, const std::string& name);

  store::Rows told;                    // what clients know of

 private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  TreeReplay tree_;
  std::map<std::string, std::unique_ptr<TimelineView>> timelines_;
};

std::string session_name(const std::string& path);   // its one name: absolute, without links

class Sessions {
 public:
  base::Result<SessionView*> open(const std::string& path);            // made absolute
  base::Result<SessionView*> find(const std::string& path);            // not_found: never opened
  void close(const std::string& path) { views_.erase(path); }
  const std::map<std::string, std::unique_ptr<SessionView>>& all() const { return views_; }

 private:
  std::map<std::string, std::unique_ptr<SessionView>> views_;
};

}  // namespace kw::server
