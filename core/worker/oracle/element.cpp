#include "core/worker/oracle/element.h"

namespace kw::oracle {

void gather(const graph::TensorType& type, const std::byte* first, std::byte* out) {
  const auto bytes = static_cast<std::size_t>(graph::byte_size(type.dtype));
  const std::int64_t count = type.elements();
  if (type.contiguous()) {
    std::memcpy(out, first, static_cast<std::size_t>(count) * bytes);
    return;
  }
  std::vector<std::int64_t> index(type.sizes.size(), 0);
  std::int64_t offset = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    std::memcpy(out + static_cast<std::size_t>(k) * bytes, first + offset * static_cast<std::int64_t>(bytes), bytes);
    for (std::size_t d = index.size(); d-- > 0;) {   // an odometer
      offset += type.strides[d];
      if (++index[d] < type.sizes[d]) break;
      offset -= type.strides[d] * type.sizes[d];
      index[d] = 0;
    }
  }
}

std::vector<std::int64_t> unravel(const std::vector<std::int64_t>& sizes, std::int64_t k) {
  std::vector<std::int64_t> index(sizes.size(), 0);
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) break;
    index[d] = k % sizes[d];
    k /= sizes[d];
  }
  return index;
}

}  // namespace kw::oracle
