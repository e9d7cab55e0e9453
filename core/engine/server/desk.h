#pragma once
// What the methods work with. Owned by the Server; members say which thread may use them.

#include <functional>
#include <string>

#include "core/base/result.h"
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
  Desk(const ServerOptions& options, std::function<void(const std::string& method, const json& params)> notify);

  const ServerOptions options;
  const std::function<void(const std::string& method, const json& params)> notify;   // any thread
  Trust trust;                         // any thread
  Sessions sessions;                   // quick lane
};

// The session that `params` names.
base::Result<SessionView*> view_of(Desk& desk, const json& params);
// Read again for a slow method.
base::Result<store::Session> session_of(const json& params);

}  // namespace kw::server
