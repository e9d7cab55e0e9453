#include "core/engine/store/session.h"

#include <unistd.h>

#include "core/engine/store/session_impl.h"

namespace kw::store {

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() {
  if (impl_) (void)close();
}

const std::string& Session::path() const { return impl_->path; }

base::Result<Session> Session::create(const std::string& path, const ModelInfo& model) {
  auto lock = WriterLock::take(path);
  if (!lock) return lock.error();
  if (access(path.c_str(), F_OK) == 0)
    return base::Error{base::ErrorCode::busy, "the session exists already; it is left as it is.", path};
  if (auto status = create_file(path); !status) return status.error();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->lock = std::move(*lock);
  auto database = open_for_writing(path);
  if (!database) return database.error();
  impl->database = std::move(*database);
  Session session(std::move(impl));
  if (auto status = session.set_model(model); !status) return status.error();
  if (auto status = session.impl_->sign(); !status) return status.error();
  return session;
}

base::Result<Session> Session::open(const std::string& path, Access access) {
  if (auto status = check_header(path); !status) return status.error();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  if (access == Access::write) {
    auto lock = WriterLock::take(path);
    if (!lock) return lock.error();
    impl->lock = std::move(*lock);
  }
  auto database = access == Access::read ? open_for_reading(path) : open_for_writing(path);
  if (!database) return database.error();
  impl->database = std::move(*database);
  impl->format = format_of(*impl->database);
  return Session(std::move(impl));
}

base::Status Session::close() {
  if (!impl_->database) return base::done();
  // A reader that has the file open keeps it in WAL mode: the next clean close, by anybody, folds it in.
  base::Status status = impl_->lock ? leave_wal(*impl_->database) : base::done();
  impl_->database.reset();
  impl_->lock.reset();
  if (!status && status.error().code == base::ErrorCode::busy) return base::done();
  return status;
}

}  // namespace kw::store
