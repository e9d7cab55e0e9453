#include "core/graph/pt2/reader.h"

#include <nlohmann/json.hpp>

#include "core/graph/pt2/json_graph.h"

namespace kw::graph::pt2 {

using nlohmann::json;

namespace {

constexpr int newest_schema_major = 8;
constexpr int deepest_json = 200;

// nlohmann's parser recurses on nothing, but values are destroyed recursively: depth is bounded here.
json parse_bounded(std::string_view text, const std::string& where) {
  bool too_deep = false;
  json parsed = json::parse(text, [&](int depth, json::parse_event_t, json&) {
    if (depth > deepest_json) too_deep = true;
    return !too_deep;
  }, false);
  if (too_deep || !parsed.is_object()) throw Malformed{base::bad_input("not the JSON that torch.export writes; the archive is damaged", where)};
  return parsed;
}

std::string model_entry(const Archive& archive) {
  for (const auto& [name, bytes] : archive.entries())
    if (name.starts_with("models/") && name.ends_with(".json")) return name;
  const bool torchscript = archive.entries().contains("constants.pkl");
  throw Malformed{torchscript ? base::Error{base::ErrorCode::unsupported, "this is a TorchScript archive; export the model with torch.export instead", archive.where()}
                              : base::bad_input("no models/*.json inside: this is not an archive of torch.export.save", archive.where())};
}

void check_schema(const json& program, const std::string& where) {
  const json version = program.value("schema_version", json::object());
  const int major = version.value("major", -1);
  if (major != newest_schema_major)
    throw Malformed{base::bad_input("the archive has schema version " + std::to_string(major) + "." + std::to_string(version.value("minor", 0)) + ", this program reads " +
                                    std::to_string(newest_schema_major) + ".x; export the model again with torch 2.11", where)};
}

struct Config { std::string folder, suffix; };

// Weights and constants: name -> where their bytes are, checked against the entry.
void attach_storages(const Archive& archive, const Config& config, Graph& graph) {
  for (const auto& [name, bytes] : archive.entries()) {
    if (!name.starts_with(config.folder) || !name.ends_with(config.suffix)) continue;
    const json all = parse_bounded({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
    const json& entries = all.at("config");
    for (Value& value : graph.values) {
      const auto found = value.target.empty() ? entries.end() : entries.find(value.target);
      if (found == entries.end()) continue;
      if (found->value("use_pickle", false))
        throw Malformed{{base::ErrorCode::unsupported, "'" + value.target + "' is stored as a pickle (a tensor subclass?); only plain tensors are read", archive.where()}};
      const json& meta = found->at("tensor_meta");
      value.type = tensor_type(meta, nullptr);
      value.storage = StorageRef{config.folder + found->at("path_name").get<std::string>(), sym_int(meta.at("storage_offset"), nullptr)};
      if (base::Result<StoredTensor> stored = stored_tensor(archive, value); !stored) throw Malformed{stored.error()};
    }
  }
}

}  // namespace

base::Result<Model> read_model(const std::string& path) {
  base::Result<std::shared_ptr<const Archive>> archive = Archive::open(path);
  if (!archive) return archive.error();
  Model model;
  model.archive = *archive;
  try {
    const std::string entry = model_entry(**archive);
    const json program = parse_bounded(*(*archive)->text(entry), path + ", " + entry);
    check_schema(program, path);
    model.torch_version = program.value("torch_version", "");
    model.graph = graph_from_serde(program);
    attach_storages(**archive, {"data/weights/", "weights_config.json"}, model.graph);
    attach_storages(**archive, {"data/constants/", "constants_config.json"}, model.graph);
  } catch (const Malformed& m) {
    base::Error error = m.error;
    if (error.context.find(path) == std::string::npos) error.context = path + (error.context.empty() ? "" : ", " + error.context);
    return error;
  } catch (const std::exception& e) {
    return base::bad_input(std::string("the archive does not follow torch's schema: ") + e.what(), path);
  }
  for (const Value& v : model.graph.values)
    if ((v.origin == Origin::parameter || v.origin == Origin::buffer || v.origin == Origin::constant) && !v.storage)
      return base::bad_input("the archive holds no bytes for '" + v.target + "'", path);
  if (base::Status valid = validate(model.graph); !valid) return valid.error();
  return model;
}

base::Result<StoredTensor> stored_tensor(const Archive& archive, const Value& value) {
  if (!value.storage) return base::bad_input("'" + value.name + "' has no bytes in the archive", archive.where());
  base::Result<Bytes> bytes = archive.entry(value.storage->entry);
  if (!bytes) return bytes.error();
  const std::optional<std::int64_t> span = checked_span(value.type);
  const std::int64_t width = byte_size(value.type.dtype), available = static_cast<std::int64_t>(bytes->size()) / width;
  const std::int64_t offset = value.storage->storage_offset;
  if (!span || offset < 0 || offset > available || *span > available - offset)
    return base::bad_input("the sizes and strides of '" + value.target + "' leave its storage; the archive is damaged", archive.where());
  return StoredTensor{value.type, bytes->subspan(static_cast<std::size_t>(offset * width), static_cast<std::size_t>(*span * width))};
}

base::Result<Leaves> example_inputs(const std::shared_ptr<const Archive>& archive) {
  for (const auto& [name, bytes] : archive->entries()) {
    if (!name.starts_with("data/sample_inputs/") || !name.ends_with(".pt")) continue;
    base::Result<std::shared_ptr<const Archive>> inner = Archive::view(bytes, archive->where() + ", " + name);
    if (!inner) return inner.error();
    base::Result<Leaves> leaves = unpickle(*inner);
    if (!leaves) return leaves.error();
    struct Both { std::shared_ptr<const void> a, b; };
    leaves->keep_alive = std::make_shared<Both>(Both{leaves->keep_alive, archive});
    return leaves;
  }
  return base::Error{base::ErrorCode::not_found, "the archive holds no example inputs", archive->where()};
}

}  // namespace kw::graph::pt2
