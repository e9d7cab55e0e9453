// A stand-in for `kernelwright serve`, for what a good engine never does:
//   fake_engine MODE serve
// Answers from tests/gui/canned.json ({method: result}); MODE says how it misbehaves, "good" that it does not.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "core/protocol/framing.h"
#include "core/protocol/records.h"

namespace {

using nlohmann::json;

class FakeEngine {
 public:
  FakeEngine(std::string mode, json canned) : mode_(std::move(mode)), canned_(std::move(canned)) {}

  int serve() {
    if (mode_ == "nonsense") return say("Welcome to the wrong program.\n\n");
    if (mode_ == "broken_json") return say("Content-Length: 5\r\n\r\n{\"a\":");
    if (mode_ == "dies_at_once") return std::fputs("no such container\n", stderr), 3;
    kw::protocol::FrameReader frames(STDIN_FILENO);
    while (auto frame = frames.read()) {
      const json request = json::parse(*frame, nullptr, false);
      if (!request.is_object()) return 4;
      const std::string method = request.value("method", "");
      if (mode_ == "dies_at_open" && method == "session/open") {
        std::fputs("the disk is on fire\n", stderr);
        std::abort();
      }
      answer(request, method);
      if (method == "shutdown") return 0;
    }
    return 0;
  }

 private:
  // And waits, so that the client has to make sense of it.
  static int say(const std::string& words) {
    [[maybe_unused]] const ssize_t n = write(STDOUT_FILENO, words.data(), words.size());
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
    return 0;
  }

  static void send(const json& message) { (void)kw::protocol::write_frame(STDOUT_FILENO, message.dump()); }
  static void notify(const char* method, json params) { send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}); }
  static json error(const char* message, const char* context) { return {{"code", 1000}, {"message", message}, {"data", {{"context", context}}}}; }

  json result_of(const std::string& method, const json& params) const {
    json result = canned_.value(method, json::object());
    if (method == "initialize") result["protocol"] = kw::protocol::protocol_version + (mode_ == "wrong_protocol" ? 1 : 0);
    if (method == "candidate/get") result = canned_["candidates"].value(params.value("id", ""), json());
    if (mode_ == "wrong_types" && method != "initialize") result = {{"session", 7}, {"operators", "many"}, {"steps", {1, "two", nullptr}}, {"groups", {{{"members", 3}}}}};
    if (mode_ == "huge" && method == "session/failures") result["padding"] = std::string(1 << 20, 'x');
    return result;
  }

  void answer(const json& request, const std::string& method) {
    const json id = request.value("id", json()), params = request.value("params", json::object());
    json reply = {{"jsonrpc", "2.0"}, {"id", id}};
    const bool refused = mode_ == "asks_trust" && method == "run/start" && !trusted_;
    if (method == "trust/grant") trusted_ = true;
    if (refused) reply["error"] = error("This model is a Python program that was never run here.", "trust");
    else if (mode_ == "newer_session" && method == "session/open") reply["error"] = error("The session was written by a newer version. Install that version.", "");
    else if (json result = result_of(method, params); result.is_null()) reply["error"] = error("There is no such candidate.", "");
    else reply["result"] = std::move(result);
    send(reply);
    after(method, params);
  }

  void after(const std::string& method, const json& params) {
    if (method == "run/start") {
      notify("job/progress", {{"job", "j1"}, {"fraction", 0.25}, {"text", "profiling"}, {"eta_s", 90}});
      notify("run/state", {{"session", "/s/sample.kwr"}, {"state", "searching"}, {"evaluations", 5}, {"budget", 20}, {"measured_per_min", 12.5}, {"best_speedup", 1.5}});
    }
    if (method == "run/stop") {
      notify("run/state", {{"session", "/s/sample.kwr"}, {"state", "done"}, {"evaluations", 5}, {"budget", 20}});
      notify("job/done", {{"job", "j1"}, {"result", json::object()}});
    }
    if (method == "candidate/edit") notify("job/done", {{"job", "j2"}, {"result", {{"candidate", "c2"}}}});
    if (method == "candidate/verify") notify("job/done", {{"job", "j3"}, {"error", error("The machine was busy.", "")}});
    if (method == "review/set") {
      json review = params;
      review["date"] = "2026-01-02T03:04:05Z";
      canned_["review/list"]["reviews"].push_back(review);
      notify("session/changed", {{"session", "/s/sample.kwr"}, {"version", 2}});
    }
    if (method == "session/open") notify("log", {{"level", "warning"}, {"part", "store"}, {"text", "made up"}, {"time", "12:00:00"}});
  }

  const std::string mode_;
  json canned_;
  bool trusted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: fake_engine MODE serve\n", stderr), 2;
  const char* source = std::getenv("KW_SOURCE_DIR");
  std::ifstream file(std::string(source ? source : ".") + "/tests/gui/canned.json");
  json canned = json::parse(file, nullptr, false);
  if (!canned.is_object()) return std::fputs("tests/gui/canned.json is missing; set KW_SOURCE_DIR\n", stderr), 2;
  return FakeEngine(argv[1], std::move(canned)).serve();
}
