#include "ui/shell/docks.h"

#include "ui/shell/jobs_dock.h"
#include "ui/views/candidate/candidate_dock.h"
#include "ui/views/diff/diff_dock.h"
#include "ui/views/failures/failures_dock.h"
#include "ui/views/log/log_dock.h"
#include "ui/views/operators/operators_dock.h"
#include "ui/views/progress/progress_dock.h"
#include "ui/views/replay/replay_dock.h"
#include "ui/views/review/review_dock.h"
#include "ui/views/search_tree/search_tree_dock.h"
#include "ui/views/timeline/timeline_dock.h"
#include "ui/views/why/why_dock.h"

namespace kw::ui {

const std::vector<DockRow>& dock_table() {
  static const std::vector<DockRow> rows{
      {"operators", "Operators", make_operators_dock, Qt::LeftDockWidgetArea, "gui-operators.md", "Ctrl+1"},
      {"search_tree", "Search tree", make_search_tree_dock, Qt::RightDockWidgetArea, "gui-search-tree.md", "Ctrl+2"},
      {"candidate", "Candidate", make_candidate_dock, Qt::RightDockWidgetArea, "gui-candidate.md", "Ctrl+3"},
      {"diff", "Diff", make_diff_dock, Qt::RightDockWidgetArea, "gui-diff.md", "Ctrl+4"},
      {"timeline", "Timeline", make_timeline_dock, Qt::BottomDockWidgetArea, "gui-timeline.md", "Ctrl+5"},
      {"failures", "Failures", make_failures_dock, Qt::LeftDockWidgetArea, "gui-failures.md", "Ctrl+6"},
      {"progress", "Progress", make_progress_dock, Qt::BottomDockWidgetArea, "gui-progress.md", "Ctrl+7"},
      {"review", "Review", make_review_dock, Qt::RightDockWidgetArea, "gui-review.md", "Ctrl+8"},
      {"why", "Why", make_why_dock, Qt::RightDockWidgetArea, "gui-why.md", "Ctrl+9"},
      {"replay", "Replay", make_replay_dock, Qt::BottomDockWidgetArea, "gui-replay.md", "Ctrl+0"},
      {"log", "Log", make_log_dock, Qt::BottomDockWidgetArea, "gui-log.md", "Ctrl+Shift+L"},
      {"jobs", "Jobs", make_jobs_dock, Qt::BottomDockWidgetArea, "gui-jobs.md", "Ctrl+Shift+J"},
  };
  return rows;
}

const std::vector<LayoutRow>& layout_table() {
  static const std::vector<LayoutRow> rows{
      {"optimize", "Optimize", "Watch a search and steer it",
       {{36, {{3, {"operators"}}, {2, {"failures", "log", "jobs"}}}}, {34, {{3, {"search_tree"}}, {2, {"progress", "timeline"}}}}, {30, {{1, {"candidate", "diff", "why"}}}}}},
      {"review", "Review", "Decide whether a candidate may ship",
       {{30, {{3, {"review"}}, {2, {"operators", "failures"}}}}, {42, {{3, {"candidate"}}, {2, {"diff"}}}}, {28, {{1, {"why"}}, {1, {"progress", "search_tree", "log"}}}}}},
      {"teach", "Teach", "Walk through a search step by step",
       {{40, {{5, {"search_tree"}}, {3, {"progress", "timeline"}}, {1, {"replay"}}}}, {30, {{1, {"why"}}, {1, {"operators", "failures"}}}}, {30, {{1, {"candidate", "diff"}}}}}},
  };
  return rows;
}

}  // namespace kw::ui
