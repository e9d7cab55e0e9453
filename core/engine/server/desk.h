#pragma once
// What the methods work with. Owned by the Server; members say which thread may use them.

#include <string>

#include "core/base/result.h"
#include "core/engine/server/jobs.h"
#include "core/engine/server/runs.h"
#include "core/engine/server/session_view.h"
#include "core/engine/server/trust.h"

namespace kw::server {

using nlohmann::json;

struct ServerOptions {
  std::string version;                 // of Kernelwright
  std::string worker;                  // program; "": beside the executable
  std::string uploads;                 // folder; "": in the cache folder
  std::string trusted;                 // file; "": in the config folder
};

class Desk {
 public:
  Desk(const ServerOptions& options, Notify notify);

  const ServerOptions options;
  const Notify notify;                 // any thread
  Trust trust;                         // any thread
  Sessions sessions;                   // quick lane
  Runs runs;                           // any thread
  Jobs jobs;                           // any thread; its threads use what stands above
};

// The session that `params` names.
base::Result<SessionView*> view_of(Desk& desk, const json& params);
// Open for marks, reviews and evaluations, also beside a run of this engine.
base::Result<store::Session> writable(const std::string& session);
// Read again for a slow method.
base::Result<store::Session> session_of(const json& params);

}  // namespace kw::server
