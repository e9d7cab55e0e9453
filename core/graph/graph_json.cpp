// The JSON and the text form of a graph.
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "core/graph/graph.h"

namespace kw::graph {

using nlohmann::json;

namespace {

constexpr const char* kind_names[] = {"tensor", "tensor_list", "integer", "floating", "boolean"};
constexpr const char* origin_names[] = {"input", "parameter", "buffer", "constant", "node"};
constexpr const char* output_names[] = {"user", "buffer_mutation", "input_mutation"};

template <typename Enum, std::size_t N>
Enum enum_from(const json& j, const char* const (&names)[N]) {
  const std::string& text = j.get_ref<const std::string&>();
  for (std::size_t i = 0; i < N; ++i)
    if (text == names[i]) return static_cast<Enum>(i);
  throw std::invalid_argument("unknown word '" + text + "'");
}

DType dtype_from(const json& j) {
  if (auto d = dtype_from_name(j.get_ref<const std::string&>())) return *d;
  throw std::invalid_argument("unknown dtype '" + j.get<std::string>() + "'");
}

// Doubles that JSON cannot hold travel as text.
json number(double d) { return std::isfinite(d) ? json(d) : json(std::isnan(d) ? "nan" : d > 0 ? "inf" : "-inf"); }
double number_from(const json& j) { return j.is_string() ? std::strtod(j.get<std::string>().c_str(), nullptr) : j.get<double>(); }

struct LiteralToJson {
  json operator()(const None&) const { return {{"none", true}}; }
  json operator()(const ValueRef& v) const { return {{"value", v.id}}; }
  json operator()(const ValueList& v) const { return {{"values", v.ids}}; }
  json operator()(std::int64_t i) const { return {{"int", i}}; }
  json operator()(double d) const { return {{"float", number(d)}}; }
  json operator()(bool b) const { return {{"bool", b}}; }
  json operator()(const std::string& s) const { return {{"string", s}}; }
  json operator()(const std::vector<IntOrValue>& v) const {
    json out = json::array();
    for (const IntOrValue& i : v) out.push_back(i.id == no_value ? json(i.literal) : json{{"value", i.id}});
    return {{"ints", out}};
  }
  json operator()(const std::vector<double>& v) const {
    json out = json::array();
    for (double d : v) out.push_back(number(d));
    return {{"floats", out}};
  }
  json operator()(const std::vector<bool>& v) const { return {{"bools", v}}; }
  json operator()(DType d) const { return {{"dtype", name(d)}}; }
  json operator()(const LayoutArg& a) const { return {{"layout", a.value}}; }
  json operator()(const MemoryFormatArg& a) const { return {{"memory_format", a.value}}; }
  json operator()(const DeviceArg& a) const { return {{"device", a.type}, {"index", a.index}}; }
};

std::vector<IntOrValue> ints_from(const json& j) {
  std::vector<IntOrValue> out;
  for (const json& i : j) out.push_back(i.is_object() ? IntOrValue{0, i.at("value").get<ValueId>()} : IntOrValue{i.get<std::int64_t>(), no_value});
  return out;
}

std::vector<double> floats_from(const json& j) {
  std::vector<double> out;
  for (const json& d : j) out.push_back(number_from(d));
  return out;
}

using FromJson = Literal (*)(const json& all, const json& member);
constexpr std::pair<const char*, FromJson> literal_rows[] = {
    {"none", [](const json&, const json&) -> Literal { return None{}; }},
    {"value", [](const json&, const json& j) -> Literal { return ValueRef{j.get<ValueId>()}; }},
    {"values", [](const json&, const json& j) -> Literal { return ValueList{j.get<std::vector<ValueId>>()}; }},
    {"int", [](const json&, const json& j) -> Literal { return j.get<std::int64_t>(); }},
    {"float", [](const json&, const json& j) -> Literal { return number_from(j); }},
    {"bool", [](const json&, const json& j) -> Literal { return j.get<bool>(); }},
    {"string", [](const json&, const json& j) -> Literal { return j.get<std::string>(); }},
    {"ints", [](const json&, const json& j) -> Literal { return ints_from(j); }},
    {"floats", [](const json&, const json& j) -> Literal { return floats_from(j); }},
    {"bools", [](const json&, const json& j) -> Literal { return j.get<std::vector<bool>>(); }},
    {"dtype", [](const json&, const json& j) -> Literal { return dtype_from(j); }},
    {"layout", [](const json&, const json& j) -> Literal { return LayoutArg{j.get<int>()}; }},
    {"memory_format", [](const json&, const json& j) -> Literal { return MemoryFormatArg{j.get<int>()}; }},
    {"device", [](const json& all, const json& j) -> Literal { return DeviceArg{j.get<std::string>(), all.at("index").get<int>()}; }},
};

Literal literal_from(const json& j) {
  for (const auto& [key, make] : literal_rows)
    if (auto found = j.find(key); found != j.end()) return make(j, *found);
  throw std::invalid_argument("an argument of unknown kind");
}

json value_json(const Value& v) {
  json j{{"name", v.name}, {"kind", kind_names[static_cast<int>(v.kind)]}, {"origin", origin_names[static_cast<int>(v.origin)]}};
  if (v.kind == ValueKind::tensor) j["type"] = {{"dtype", name(v.type.dtype)}, {"sizes", v.type.sizes}, {"strides", v.type.strides}};
  if (!v.target.empty()) j["target"] = v.target;
  if (v.storage) j["storage"] = {{"entry", v.storage->entry}, {"storage_offset", v.storage->storage_offset}};
  if (!v.elements.empty()) j["elements"] = v.elements;
  if (v.known_int) j["known_int"] = *v.known_int;
  return j;
}

Value value_from(const json& j) {
  Value v;
  v.name = j.at("name");
  v.kind = enum_from<ValueKind>(j.at("kind"), kind_names);
  v.origin = enum_from<Origin>(j.at("origin"), origin_names);
  if (auto t = j.find("type"); t != j.end())
    v.type = {dtype_from(t->at("dtype")), t->at("sizes").get<std::vector<std::int64_t>>(), t->at("strides").get<std::vector<std::int64_t>>()};
  v.target = j.value("target", "");
  if (auto s = j.find("storage"); s != j.end()) v.storage = StorageRef{s->at("entry"), s->at("storage_offset")};
  v.elements = j.value("elements", std::vector<ValueId>{});
  if (auto k = j.find("known_int"); k != j.end()) v.known_int = k->get<std::int64_t>();
  return v;
}

json node_json(const Node& n) {
  json arguments = json::array();
  for (const Argument& a : n.arguments) {
    json j = std::visit(LiteralToJson{}, a.value);
    j["name"] = a.name;
    if (a.keyword) j["keyword"] = true;
    arguments.push_back(std::move(j));
  }
  return {{"op", n.op}, {"arguments", arguments}, {"outputs", n.outputs}, {"file", n.source.file}, {"line", n.source.line}, {"module_path", n.module_path}};
}

Node node_from(const json& j) {
  Node n{j.at("op"), {}, j.at("outputs").get<std::vector<ValueId>>(), {j.value("file", ""), j.value("line", 0)}, j.value("module_path", "")};
  for (const json& a : j.at("arguments")) n.arguments.push_back({a.at("name"), a.value("keyword", false), literal_from(a)});
  return n;
}

std::string value_name(const Graph& g, ValueId id) { return id == no_value ? "None" : g.values[static_cast<std::size_t>(id)].name; }

struct LiteralText {
  const Graph& g;
  std::string operator()(const None&) const { return "None"; }
  std::string operator()(const ValueRef& v) const { return value_name(g, v.id); }
  std::string operator()(const ValueList& v) const {
    std::string out;
    for (ValueId id : v.ids) out += (out.empty() ? "" : ", ") + value_name(g, id);
    return "[" + out + "]";
  }
  std::string operator()(const std::string& s) const { return "'" + s + "'"; }
  std::string operator()(DType d) const { return std::string(name(d)); }
  std::string operator()(const DeviceArg& d) const { return d.type; }
  std::string operator()(const std::vector<IntOrValue>& v) const {
    std::string out;
    for (const IntOrValue& i : v) out += (out.empty() ? "" : ", ") + (i.id == no_value ? std::to_string(i.literal) : value_name(g, i.id));
    return "[" + out + "]";
  }
  template <typename T>
  std::string operator()(const T& other) const { return LiteralToJson{}(other).begin()->dump(); }
};

}  // namespace

json to_json(const Graph& graph) {
  json values = json::array(), nodes = json::array(), outputs = json::array();
  for (const Value& v : graph.values) values.push_back(value_json(v));
  for (const Node& n : graph.nodes) nodes.push_back(node_json(n));
  for (const Output& o : graph.outputs) outputs.push_back({{"value", o.value}, {"kind", output_names[static_cast<int>(o.kind)]}, {"target", o.target}});
  return {{"values", values}, {"nodes", nodes}, {"inputs", graph.inputs}, {"outputs", outputs}, {"notes", graph.notes}};
}

base::Result<Graph> graph_from_json(const json& j) {
  Graph graph;
  try {
    for (const json& v : j.at("values")) graph.values.push_back(value_from(v));
    for (const json& n : j.at("nodes")) graph.nodes.push_back(node_from(n));
    graph.inputs = j.at("inputs").get<std::vector<ValueId>>();
    for (const json& o : j.at("outputs"))
      graph.outputs.push_back({o.at("value").get<ValueId>(), enum_from<OutputKind>(o.at("kind"), output_names), o.at("target").get<ValueId>()});
    graph.notes = j.value("notes", std::vector<std::string>{});
  } catch (const std::exception& e) {
    return base::bad_input(std::string("not a graph: ") + e.what(), "graph");
  }
  if (base::Status valid = validate(graph); !valid) return valid.error();
  return graph;
}

std::string text(const Graph& graph) {
  std::string out;
  for (ValueId id : graph.inputs) out += "input " + value_name(graph, id) + ": " + graph.values[static_cast<std::size_t>(id)].type.text() + "\n";
  for (const Node& node : graph.nodes) {
    std::string results, arguments;
    for (ValueId id : node.outputs) {
      results += (results.empty() ? "" : ", ") + value_name(graph, id);
      if (id != no_value && graph.values[static_cast<std::size_t>(id)].kind == ValueKind::tensor)
        results += ": " + graph.values[static_cast<std::size_t>(id)].type.text();
    }
    for (const Argument& a : node.arguments)
      arguments += (arguments.empty() ? "" : ", ") + (a.keyword ? a.name + "=" : "") + std::visit(LiteralText{graph}, a.value);
    out += results + " = " + node.op + "(" + arguments + ")\n";
  }
  std::string results;
  for (const Output& o : graph.outputs) results += (results.empty() ? "" : ", ") + value_name(graph, o.value);
  return out + "return " + results + "\n";
}

}  // namespace kw::graph
