// Hidden inputs: their distributions, the domains they respect, and rolls that keep the values.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/worker/oracle/element.h"
#include "core/worker/oracle/floor.h"
#include "core/worker/oracle/input_sets.h"

namespace kw::oracle {
namespace {

using graph::DType;

std::vector<double> numbers(const Storage& storage, DType dtype) {
  std::vector<double> result;
  const auto size = static_cast<std::size_t>(graph::byte_size(dtype));
  for (std::size_t at = 0; at < storage.size(); at += size) result.push_back(load_number(dtype, storage.data() + at));
  return result;
}

InputSet captured_of(const InputFacts& facts) {
  InputSet set{"captured", {}};
  for (const auto& type : facts.types) {
    Storage storage(storage_bytes(type));
    const auto size = static_cast<std::size_t>(graph::byte_size(type.dtype));
    for (std::size_t i = 0; i * size < storage.size(); ++i) store_number(type.dtype, storage.data() + i * size, static_cast<double>(i % 7));
    set.storages.push_back(std::move(storage));
  }
  return set;
}

std::size_t position(const std::string& name) {
  const auto& all = hidden_distributions();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
}

InputFacts one(DType dtype, Domain domain = {}) { return {{{dtype, {64, 1024}, {1024, 1}}}, {domain}}; }

TEST(InputSets, EachDistributionIsWhatItsNameSays) {
  const InputFacts facts = one(DType::f32);
  const InputSet captured = captured_of(facts);
  const auto drawn = [&](const char* name) { return numbers(draw(position(name), facts, captured, 1).storages[0], DType::f32); };
  const auto normal = drawn("hidden:normal"), offset = drawn("hidden:offset"), tiny = drawn("hidden:tiny"), special = drawn("hidden:special"),
             heavy = drawn("hidden:heavy-tailed"), large = drawn("hidden:large");
  double mean = 0, square = 0;
  for (double v : normal) mean += v / 65536, square += v * v / 65536;
  EXPECT_NEAR(mean, 0, 0.03);
  EXPECT_NEAR(square, 1, 0.05);
  EXPECT_TRUE(std::all_of(offset.begin(), offset.end(), [](double v) { return v > 900 && v < 1100; }));
  EXPECT_TRUE(std::all_of(tiny.begin(), tiny.end(), [](double v) { return std::fabs(v) < 1.1755e-38; }));   // denormal
  EXPECT_TRUE(std::any_of(tiny.begin(), tiny.end(), [](double v) { return v != 0; }));
  EXPECT_TRUE(std::any_of(special.begin(), special.end(), [](double v) { return std::isnan(v); }));
  EXPECT_TRUE(std::any_of(special.begin(), special.end(), [](double v) { return std::isinf(v) && v < 0; }));
  EXPECT_TRUE(std::any_of(special.begin(), special.end(), [](double v) { return v == 0 && std::signbit(v); }));
  EXPECT_GT(*std::max_element(heavy.begin(), heavy.end()), 1000);
  EXPECT_GT(*std::max_element(large.begin(), large.end()), 2e4);
}

TEST(InputSets, SameSeedSameValues) {
  const InputFacts facts = one(DType::f16);
  const InputSet captured = captured_of(facts);
  EXPECT_EQ(draw(0, facts, captured, 5).storages, draw(0, facts, captured, 5).storages);
  EXPECT_NE(draw(0, facts, captured, 5).storages, draw(0, facts, captured, 6).storages);
}

TEST(InputSets, DomainsHoldInEverySet) {
  for (std::size_t d = 0; d < hidden_distributions().size(); ++d) {
    InputFacts facts = one(DType::f32, {DomainKind::positive});
    for (double v : numbers(draw(d, facts, captured_of(facts), 1).storages[0], DType::f32)) ASSERT_TRUE(v > 0 && std::isfinite(v)) << hidden_distributions()[d];
    facts = one(DType::i64, {DomainKind::index, 0, 9});
    double high = 0;
    for (double v : numbers(draw(d, facts, captured_of(facts), 1).storages[0], DType::i64)) {
      ASSERT_TRUE(v >= 0 && v <= 9);
      high = std::max(high, v);
    }
    EXPECT_EQ(high, 9);
    facts = one(DType::i32);   // no row: the captured range
    for (double v : numbers(draw(d, facts, captured_of(facts), 1).storages[0], DType::i32)) ASSERT_TRUE(v >= 0 && v <= 6);
    facts = one(DType::boolean);
    for (double v : numbers(draw(d, facts, captured_of(facts), 1).storages[0], DType::boolean)) ASSERT_TRUE(v == 0 || v == 1);
    facts = one(DType::i64, {DomainKind::fixed});
    EXPECT_EQ(draw(d, facts, captured_of(facts), 1).storages, captured_of(facts).storages);
  }
}

TEST(InputSets, RollKeepsTheValuesAndMovesThem) {
  InputFacts facts = one(DType::f32);
  facts.types.push_back({DType::i64, {30}, {1}});
  facts.domains.push_back({DomainKind::fixed});
  InputSet captured = captured_of(facts);
  for (std::size_t i = 0; i < 65536; ++i) store_number(DType::f32, captured.storages[0].data() + 4 * i, static_cast<double>(i));
  const InputSet moved = rolled(facts, captured, 3);
  EXPECT_NE(moved.storages[0], captured.storages[0]);
  EXPECT_EQ(moved.storages[1], captured.storages[1]);
  auto values = numbers(moved.storages[0], DType::f32);
  EXPECT_EQ(values[1] - values[0], 1);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, numbers(captured.storages[0], DType::f32));
}

// x -> view -> batch_norm's running_var; indices -> embedding of a [10, 4] table.
graph::Graph two_operators() {
  graph::Graph g;
  const auto add = [&](DType dtype, std::vector<std::int64_t> sizes, bool input) {
    graph::Value value;
    value.origin = input ? graph::Origin::input : graph::Origin::node;
    value.type = {dtype, sizes, graph::contiguous_strides(sizes)};
    g.values.push_back(value);
    if (input) g.inputs.push_back(static_cast<graph::ValueId>(g.values.size()) - 1);
    return static_cast<graph::ValueId>(g.values.size()) - 1;
  };
  const auto var = add(DType::f32, {4}, true), table = add(DType::f32, {10, 4}, true), indices = add(DType::i64, {3}, true), viewed = add(DType::f32, {4}, false);
  const auto ref = [](const char* name, graph::ValueId id) { return graph::Argument{name, false, graph::ValueRef{id}}; };
  graph::Node view, norm, embed;
  view.op = "aten.view.default", view.arguments = {ref("self", var)}, view.outputs = {viewed};
  norm.op = "aten.batch_norm.default", norm.arguments = {ref("running_var", viewed)}, norm.outputs = {add(DType::f32, {4}, false)};
  embed.op = "aten.embedding.default", embed.arguments = {ref("weight", table), ref("indices", indices)}, embed.outputs = {add(DType::f32, {3, 4}, false)};
  g.nodes = {view, norm, embed};
  return g;
}

TEST(Domains, ComeFromTheArgumentsThatAnInputReaches) {
  const auto domains = input_domains(two_operators());
  EXPECT_EQ(domains[0].kind, DomainKind::positive);
  EXPECT_EQ(domains[1].kind, DomainKind::any);
  EXPECT_EQ(domains[2].kind, DomainKind::index);
  EXPECT_EQ(domains[2].high, 9);
}

TEST(Floor, IsBytesOverBandwidthAndLeavesOutWhatMayNotBeRead) {
  graph::Graph g;
  graph::Node node;
  node.op = "aten.relu.default";
  g.nodes = {node};
  EXPECT_EQ(compulsory_bytes(g, 100, 10), 110);
  g.nodes[0].op = "aten.embedding.default";
  EXPECT_EQ(compulsory_bytes(g, 100, 10), 10);
  protocol::Ceilings ceilings;
  EXPECT_EQ(floor_us(1000, std::int64_t{1} << 40, ceilings), 0);
  ceilings.read_gb_s = 10, ceilings.copy_gb_s = 20, ceilings.cache_copy_gb_s = 100;
  EXPECT_DOUBLE_EQ(floor_us(2'000'000, std::int64_t{1} << 40, ceilings), 100);
}

}  // namespace
}  // namespace kw::oracle
