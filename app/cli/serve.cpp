// serve: the engine behind the desktop application.
#include <csignal>

#include "app/cli/commands.h"
#include "core/engine/server/server.h"

namespace kw::cli {

int serve(const Options&, const base::CancelToken& cancel) {
  std::signal(SIGHUP, SIG_IGN);   // a search outlives the connection that asked for it
  const auto wire = protocol::take_private_descriptors();
  server::ServerOptions options;
  options.version = KW_VERSION;
  auto status = server::Server(options, wire.read, wire.write).run(cancel);
  return status ? 0 : fail(status.error());
}

}  // namespace kw::cli
