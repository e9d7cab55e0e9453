#include "core/engine/server/desk.h"

#include "core/base/paths.h"
#include "core/engine/store/writer_lock.h"

namespace kw::server {
namespace {

std::string below(const base::Result<std::string>& folder, const char* name) { return folder ? *folder + "/" + name : ""; }

ServerOptions filled(ServerOptions options) {
  if (options.uploads.empty()) options.uploads = below(base::cache_dir(), "uploads");
  if (options.trusted.empty()) options.trusted = below(base::config_dir(), "trusted");
  return options;
}

}  // namespace

Desk::Desk(const ServerOptions& chosen, Notify tell) : options(filled(chosen)), notify(std::move(tell)), trust(options.trusted), runs(notify, jobs), jobs(notify) {}

base::Result<SessionView*> view_of(Desk& desk, const json& params) { return desk.sessions.find(params.at("session").get<std::string>()); }

base::Result<store::Session> writable(const std::string& session) {
  using Access = store::Session::Access;
  return store::Session::open(session, store::WriterLock::ours(session) ? Access::annotate : Access::write);
}

base::Result<store::Session> session_of(const json& params) {
  return store::Session::open(params.at("session").get<std::string>(), store::Session::Access::read);
}

}  // namespace kw::server
