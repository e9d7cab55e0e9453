#include "core/engine/server/methods.h"

namespace kw::server {

const std::vector<Method>& methods() {
  static const std::vector<Method> table = {
      {"initialize", initialize, Lane::quick},
      {"files/list", files_list, Lane::quick},
      {"files/read", files_read, Lane::quick},
      {"files/write", files_write, Lane::quick},
      {"session/open", session_open, Lane::quick},
      {"session/close", session_close, Lane::quick},
      {"session/summary", session_summary, Lane::slow},
      {"session/operators", session_operators, Lane::quick},
      {"session/tree", session_tree, Lane::quick},
      {"session/history", session_history, Lane::quick},
      {"session/failures", session_failures, Lane::quick},
      {"session/timelines", session_timelines, Lane::quick},
      {"session/timeline", session_timeline, Lane::quick},
      {"candidate/get", candidate_get, Lane::quick},
      {"candidate/diff", candidate_diff, Lane::quick},
      {"candidate/assembly", candidate_assembly, Lane::slow},
      {"candidate/export", candidate_export, Lane::slow},
      {"candidate/verify", candidate_verify, Lane::quick},
      {"candidate/edit", candidate_edit, Lane::quick},
      {"review/set", review_set, Lane::quick},
      {"review/list", review_list, Lane::quick},
      {"trust/check", trust_check, Lane::slow},
      {"trust/grant", trust_grant, Lane::quick},
      {"model/profile", model_profile, Lane::slow},
      {"run/start", run_start, Lane::slow},
      {"run/pause", run_pause, Lane::quick},
      {"run/resume", run_resume, Lane::quick},
      {"run/stop", run_stop, Lane::quick},
      {"run/steer", run_steer, Lane::quick},
      {"jobs/list", jobs_list, Lane::quick},
      {"jobs/cancel", jobs_cancel, Lane::quick},
  };
  return table;
}

}  // namespace kw::server
