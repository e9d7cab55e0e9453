#pragma once
// The walk of one model: open, profile, find tasks, search, confirm winners afresh, time the whole model end to end, with
// everything written into the session as it happens. The caller's thread; returns when done, stopped or cancelled.

#include "core/engine/conductor/open_model.h"
#include "core/engine/search/search.h"
#include "core/engine/store/session.h"

namespace kw::conductor {

struct OptimizeOptions {
  ModelOptions model;
  std::string session;                 // "": the default path beside the model
  std::string task;                    // only this one
  int tasks = 0;                       // only the N of the largest share; 0: all
  int evaluations = 0;                 // 0: no limit. An interrupted run is finished first (see README)
  double minutes = 0;                  // 0: no limit
  int plateau = 0;                     // stop after so many evaluations without gain; 0: never
  std::string policy = "default";      // none: uniform prior; default: hand-made
  int finalists = 3;                   // candidates of each task measured again, afresh
  int end_to_end_rounds = 20;
  double precision = 0.03;
  int capacity = 6;
  bool profile_only = false;           // as far as the tasks of the session
  search::Steering* steering = nullptr;   // outlives the walk; none: the marks that the session holds still count
};

struct Optimized {
  std::string session;                 // path
  std::int64_t run = 0;
  std::string reason;                  // why the search stopped
  int evaluations = 0, measured = 0, workers_lost = 0;
  int unjudged = 0;                    // evaluations that ended without a verdict, and why the last one did
  std::string unjudged_because;
  double wall_s = 0;                   // the search and its finals
  double overhead_share = 0;
  bool cancelled = false;
};

struct OptimizeWatch {
  Watch common;
  std::function<void(const std::string& stage)> stage;                       // "opening", "profiling", "searching", "confirming", "timing the model"
  std::function<void(const std::string& session)> chosen;                    // once, when the session's path is known
  std::function<void(const std::vector<protocol::OperatorCard>&)> profiled;  // once, when the model's operators are known
  std::function<void(const search::Snapshot&, int budget)> search;           // budget: evaluations, 0 = none
};

base::Result<Optimized> optimize(const OptimizeOptions& options, const OptimizeWatch& watch, const base::CancelToken& cancel);

}  // namespace kw::conductor
