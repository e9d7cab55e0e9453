#include "core/engine/server/session_view.h"

#include <sys/stat.h>

#include <filesystem>

namespace kw::server {

base::Result<store::Session> SessionView::read() {
  auto session = store::Session::open(path_, store::Session::Access::read);
  if (!session) return session.error();
  struct stat file {};
  if (stat(path_.c_str(), &file) == 0 && (file.st_dev != device_ || file.st_ino != inode_)) {   // the first time, or another file
    device_ = file.st_dev;
    inode_ = file.st_ino;
    tree_ = {};
    timelines_.clear();
  }
  if (auto status = tree_.refresh(*session); !status) return status.error();
  return session;
}

base::Result<const TimelineView*> SessionView::timeline(const store::Session& session, const std::string& name) {
  auto& view = timelines_[name];
  if (view && view->evaluations == tree_.rows().evaluations) return view.get();
  auto events = session.timeline(name);
  if (!events) return events.error();
  view = std::make_unique<TimelineView>(*events);
  view->evaluations = tree_.rows().evaluations;
  return view.get();
}

std::string session_name(const std::string& path) {
  std::error_code failed;
  const auto absolute = std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed).string();
  return failed ? path : absolute;
}

base::Result<SessionView*> Sessions::open(const std::string& path) {
  const std::string absolute = session_name(path);
  auto view = std::make_unique<SessionView>(absolute);
  if (auto session = view->read(); !session) return session.error();
  auto& kept = views_[absolute];
  if (!kept) kept = std::move(view);
  return kept.get();
}

base::Result<SessionView*> Sessions::find(const std::string& path) {
  const auto found = views_.find(path);
  if (found != views_.end()) return found->second.get();
  return base::Error{base::ErrorCode::not_found, "this session is not open here. Open it with session/open.", path};
}

}  // namespace kw::server
