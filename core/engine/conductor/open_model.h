#pragma once
// One model open in one worker: what profile, optimize, run and verify begin with. Owned by one command; one thread.

#include <memory>
#include <string>
#include <vector>

#include "core/engine/conductor/worker_client.h"
#include "core/engine/store/records.h"
#include "core/graph/graph.h"

namespace kw::conductor {

struct ModelOptions {
  std::string path;                    // .pt2 or .py
  std::string target = "auto";         // auto: cuda where there is a GPU, else cpu
  int threads = 0;                     // 0: the cores this process may use
  std::int64_t seed = 0;
  std::string python, inputs, input_set;
  std::string worker;                  // program; "": beside the executable
};

// What a command tells its user while it runs. Any function may be empty.
struct Watch {
  std::function<void(const std::string& line)> say;                          // one thing worth knowing
  std::function<void(double fraction, const std::string& what)> progress;    // a long step; any thread; fraction < 0: unknown
};

class OpenModel {
 public:
  static base::Result<std::unique_ptr<OpenModel>> open(const ModelOptions& options, const Watch& watch, const base::CancelToken& cancel);

  WorkerClient& worker() { return *worker_; }
  base::Status reopen();                                       // in a worker that was restarted
  base::Result<protocol::Profile> profile(int runs, const base::CancelToken& cancel);

  const graph::Graph& graph() const { return graph_; }         // functionalised
  const nlohmann::json& graph_json() const { return graph_json_; }
  const store::ModelInfo& info() const { return info_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  base::Result<nlohmann::json> ask_open(const base::CancelToken& cancel);

  ModelOptions options_;
  std::unique_ptr<WorkerClient> worker_;
  graph::Graph graph_;
  nlohmann::json graph_json_;
  store::ModelInfo info_;
  std::vector<std::string> notes_;
};

int default_threads();                 // the cores this process may use

}  // namespace kw::conductor
