#pragma once
// models/model.json -> Graph. Internal to the reader.

#include <nlohmann/json.hpp>

#include "core/graph/graph.h"

namespace kw::graph::pt2 {

// Throws Malformed (and nlohmann::json::exception) where the text is not what torch's serde schema says.
struct Malformed { base::Error error; };

Graph graph_from_serde(const nlohmann::json& program);

TensorType tensor_type(const nlohmann::json& meta, std::vector<std::string>* notes);
std::int64_t sym_int(const nlohmann::json& j, std::vector<std::string>* notes);   // as_int, or the hint of as_expr

}  // namespace kw::graph::pt2
