#pragma once
// What a client of the search tree has not seen yet, in answers of a bounded size. Pure functions.

#include "core/engine/server/tree_replay.h"

namespace kw::server {

using nlohmann::json;

struct DeltaOptions {
  bool running = false;                // what has no evaluation is in flight
  std::size_t limit = 20000;           // nodes of one answer
};

json version_json(const store::Rows& rows);
store::Rows rows_of(const json& version);           // throws json::exception; null: nothing seen

json edge_json(const TreeReplay& tree, const ReplayEdge& edge);

// {version, nodes, edges, more} as JSON text: asking again with the version that was answered goes on where this answer ended.
std::string delta_text(const TreeReplay& tree, const json& since, const DeltaOptions& options);

}  // namespace kw::server
