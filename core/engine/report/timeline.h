#pragma once
// One run on the clock: which operator launched which kernels, how long each took and how it was launched. A profile's timeline has the
// tracks "operators" (the host's side) and, on a GPU, "kernels"; a finalist's has "candidate" and "eager", one call of each.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/graph/graph.h"
#include "core/protocol/records.h"

namespace kw::report {

using Timeline = std::vector<protocol::TimelineEvent>;

std::string operators_and_kernels(const Timeline& events, const graph::Graph& graph);   // a table: each operator, its kernels below it
std::string kernels_by_track(const Timeline& events);                                   // a table a track, with its sum

std::string source_of(const graph::Graph& graph, int node);   // "/m/model.py:12"; "" where it is not known

// Trace Event Format ("X" events in µs; an arrow from an operator to each of its kernels): opens in chrome://tracing and Perfetto. `graph`
// names operators and source lines.
nlohmann::json chrome_trace(const Timeline& events, const graph::Graph& graph, const std::string& process);

}  // namespace kw::report
