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
  };
  return table;
}

}  // namespace kw::server
