#include "core/graph/pt2/tensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

namespace kw::graph::pt2 {

namespace {

struct TorchType {
  DType dtype;
  std::int64_t serde;               // torch/_export/serde/schema.py ScalarType
  std::string_view storage;         // class name of the typed storage in pickles
  std::string_view safetensors;     // dtype word of the safetensors header
};
constexpr std::array<TorchType, 12> torch_types{{{DType::u8, 1, "ByteStorage", "U8"}, {DType::i8, 2, "CharStorage", "I8"},
    {DType::i16, 3, "ShortStorage", "I16"}, {DType::i32, 4, "IntStorage", "I32"}, {DType::i64, 5, "LongStorage", "I64"},
    {DType::f16, 6, "HalfStorage", "F16"}, {DType::f32, 7, "FloatStorage", "F32"}, {DType::f64, 8, "DoubleStorage", "F64"},
    {DType::c64, 10, "ComplexFloatStorage", "C64"}, {DType::c128, 11, "ComplexDoubleStorage", "C128"},
    {DType::boolean, 12, "BoolStorage", "BOOL"}, {DType::bf16, 13, "BFloat16Storage", "BF16"}}};

struct Mapping {
  void* memory = MAP_FAILED;
  std::size_t size = 0;
  ~Mapping() { if (memory != MAP_FAILED) ::munmap(memory, size); }
};

std::shared_ptr<Mapping> map_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  struct stat info{};
  auto mapping = std::make_shared<Mapping>();
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    mapping->size = static_cast<std::size_t>(info.st_size);
    mapping->memory = ::mmap(nullptr, mapping->size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  ::close(fd);
  return mapping->memory == MAP_FAILED ? nullptr : mapping;
}

std::optional<StoredTensor> safetensor(const nlohmann::json& j, Bytes data) {
  std::optional<DType> dtype;
  for (const TorchType& t : torch_types)
    if (t.safetensors == j.at("dtype").get_ref<const std::string&>()) dtype = t.dtype;
  if (!dtype) return std::nullopt;
  TensorType type{*dtype, j.at("shape").get<std::vector<std::int64_t>>(), {}};
  type.strides = std::vector<std::int64_t>(type.sizes.size(), 0);
  if (!checked_span(type)) return std::nullopt;
  type.strides = contiguous_strides(type.sizes);
  const std::optional<std::int64_t> span = checked_span(type);
  const auto offsets = j.at("data_offsets").get<std::array<std::uint64_t, 2>>();
  if (!span || offsets[0] > offsets[1] || offsets[1] > data.size()) return std::nullopt;
  if (offsets[1] - offsets[0] != static_cast<std::uint64_t>(*span * byte_size(*dtype))) return std::nullopt;
  return StoredTensor{type, data.subspan(offsets[0], offsets[1] - offsets[0])};
}

}  // namespace

std::optional<DType> dtype_from_serde(std::int64_t number) {
  for (const TorchType& t : torch_types)
    if (t.serde == number) return t.dtype;
  return std::nullopt;
}

std::optional<DType> dtype_from_storage(std::string_view storage) {
  for (const TorchType& t : torch_types)
    if (t.storage == storage) return t.dtype;
  return std::nullopt;
}

base::Result<Leaves> read_safetensors(const std::string& path) {
  const std::shared_ptr<Mapping> mapping = map_file(path);
  if (!mapping) return base::bad_input("cannot open the file, or it is empty", path);
  const Bytes all(static_cast<const std::byte*>(mapping->memory), mapping->size);
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0 && all.size() >= 8;) length = length << 8 | std::to_integer<std::uint64_t>(all[i]);
  if (all.size() < 8 || length > all.size() - 8 || length > (100u << 20)) return base::bad_input("not a safetensors file: the header's length leaves the file", path);
  const auto* text = reinterpret_cast<const char*>(all.data()) + 8;
  const auto header = nlohmann::ordered_json::parse(text, text + length, nullptr, false);
  if (!header.is_object()) return base::bad_input("not a safetensors file: the header is not JSON", path);
  Leaves leaves;
  leaves.keep_alive = mapping;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") continue;
    std::optional<StoredTensor> tensor;
    try {
      tensor = safetensor(value, all.subspan(8 + length));
    } catch (const nlohmann::json::exception&) {
      tensor.reset();
    }
    if (!tensor) return base::bad_input("tensor '" + name + "' has a type, shape or offset that does not fit the file", path);
    leaves.leaves.emplace_back(*tensor);
    leaves.names.push_back(name);
  }
  return leaves;
}

base::Result<Leaves> read_inputs_file(const std::string& path) {
  if (path.ends_with(".safetensors")) return read_safetensors(path);
  base::Result<std::shared_ptr<const Archive>> archive = Archive::open(path);
  if (!archive) return archive.error();
  return unpickle(*archive);
}

}  // namespace kw::graph::pt2
