// kernelwright: the command line. Starts in milliseconds; whatever touches tensors happens in a worker process.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/doctor.h"

namespace {

kw::base::CancelToken* stop_token = nullptr;

extern "C" void on_stop(int) {
  if (stop_token->cancelled()) _exit(130);   // the second time: now. Workers die with their parent.
  stop_token->cancel();
  const char note[] = "\nStopping: waiting for what is in flight. Once more stops at once.\n";
  (void)!write(STDERR_FILENO, note, sizeof(note) - 1);
}

void catch_signals(kw::base::CancelToken& token) {
  stop_token = &token;
  struct sigaction action {};
  action.sa_handler = on_stop;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  // A full disk (or a file size limit) and a closed pipe are errors to report, not reasons to die.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  kw::cli::Options options;
  kw::cli::describe(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  kw::base::CancelToken token;
  catch_signals(token);
  const std::string name = app.get_subcommands().front()->get_name();
  if (name == "doctor") return kw::cli::doctor(options.as_json);
  const int status = kw::cli::find_command(name)(options, token);
  if (std::fflush(stdout) == 0) return status;
  std::fprintf(stderr, "error: standard output could not be written.\n");
  return status == 0 ? 1 : status;
}
