#include "core/worker/oracle/floor.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace kw::oracle {
namespace {

constexpr std::string_view partial_readers[] = {"aten.slice",  "aten.select",    "aten.narrow",       "aten.index",      "aten.gather",
                                                "aten.embedding", "aten.index_select", "aten.max_pool", "aten.avg_pool", "aten.split",
                                                "aten.chunk",  "aten.unbind",    "aten.diagonal",     "aten.tril",       "aten.triu",
                                                "aten.take",   "aten.as_strided", "aten.unfold",      "aten.where",      "aten.masked_fill",
                                                "aten.zeros_like", "aten.ones_like", "aten.full_like", "aten.upsample",  "aten.constant_pad"};

bool reads_in_part(const graph::Node& node) {
  return std::any_of(std::begin(partial_readers), std::end(partial_readers), [&](std::string_view op) { return node.op.starts_with(op); });
}

}  // namespace

std::int64_t compulsory_bytes(const graph::Graph& task, std::int64_t input_bytes, std::int64_t output_bytes) {
  const bool partial = std::any_of(task.nodes.begin(), task.nodes.end(), reads_in_part);
  return output_bytes + (partial ? 0 : input_bytes);
}

double floor_us(std::int64_t bytes, std::int64_t footprint, const protocol::Ceilings& c) {
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  double gb_s = std::max({c.read_gb_s, c.write_gb_s, c.copy_gb_s});
  if (cache > 0 && footprint < cache) gb_s = std::max(gb_s, c.cache_copy_gb_s);   // the inputs were just written: they may be in the cache
  return gb_s > 0 ? static_cast<double>(bytes) / (gb_s * 1e3) : 0;
}

}  // namespace kw::oracle
