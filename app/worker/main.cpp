// kernelwright-worker: the one program with torch. Speaks JSON-RPC over the descriptors it was started with.
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "app/worker/service.h"
#include "core/protocol/channel.h"
#include "core/worker/timer/environment.h"

#include <torch/version.h>

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--version") {
    std::printf("kernelwright-worker %s, torch %s\n", KW_VERSION, TORCH_VERSION);
    return 0;
  }
  kw::timer::ensure_openmp_settings(argv);   // may start this program again; nothing has been read yet
  const kw::protocol::Descriptors wire = kw::protocol::take_private_descriptors();
  kw::worker::Service service;
  kw::protocol::Channel channel(wire.read, wire.write, service.handlers());
  channel.wait_closed();
  service.stop();
  ::_exit(0);   // the engine is gone: whatever still runs is not waited for
}
