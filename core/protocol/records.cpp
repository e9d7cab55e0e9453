#include "core/protocol/records.h"

#include <cmath>
#include <limits>

#include "core/protocol/outcome.h"

namespace kw::protocol {

namespace {

const std::vector<VerdictRow> verdict_table = {
    {Verdict::accepted, "accepted", "Right on every input set and repeatable.", true},
    {Verdict::build_error, "build_error", "The compiler refused the source.", true},
    {Verdict::launch_error, "launch_error", "The built kernel could not be loaded or started.", true},
    {Verdict::crash, "crash", "A signal ended the kernel.", true},
    {Verdict::timeout, "timeout", "The kernel did not return in time.", true},
    {Verdict::wrong_result, "wrong_result", "An output differs from the float64 truth.", true},
    {Verdict::imprecise, "imprecise", "The outputs are near the truth, but less accurate than PyTorch's allowance.", true},
    {Verdict::nondeterministic, "nondeterministic", "The same inputs gave different bits.", true},
    {Verdict::out_of_bounds, "out_of_bounds", "The kernel wrote outside its buffers.", true},
    {Verdict::input_mutated, "input_mutated", "The kernel changed one of its inputs.", true},
    {Verdict::cheat, "cheat", "The kernel fools the judge instead of doing the work.", true},
    {Verdict::impossible_speed, "impossible_speed", "Faster than the machine can move the bytes.", true},
    {Verdict::out_of_memory, "out_of_memory", "The kernel asked for more memory than it is given.", true},
    {Verdict::not_evaluated, "not_evaluated", "No judgement was made; nothing is learned from it.", false},
};

constexpr const char* outcome_names[] = {"faster", "equal", "slower", "undecided"};

// JSON has no infinity: an unbounded end of an interval is written as null.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

double number_or(const json& j, const char* key, double otherwise) {
  const auto found = j.find(key);
  return found != j.end() && found->is_number() ? found->get<double>() : otherwise;
}

json interval(const Interval& i) { return json::array({number(i.low), number(i.high)}); }

Interval interval_from(const json& j, const char* key) {
  const auto found = j.find(key);
  if (found == j.end() || !found->is_array() || found->size() != 2) return {};
  const auto end = [&](std::size_t i, double otherwise) { return (*found)[i].is_number() ? (*found)[i].get<double>() : otherwise; };
  return {end(0, 0.0), end(1, std::numeric_limits<double>::infinity())};
}

template <typename Enum, typename Name>
Enum from_name(const json& j, int count, Name name_of, Enum otherwise) {
  for (int i = 0; i < count; ++i)
    if (j.is_string() && j.get_ref<const std::string&>() == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  return otherwise;
}

}  // namespace

const std::vector<VerdictRow>& verdicts() { return verdict_table; }
const char* name(Verdict verdict) { return verdict_table[static_cast<std::size_t>(verdict)].name; }
const char* name(Outcome outcome) { return outcome_names[static_cast<std::size_t>(outcome)]; }

Outcome outcome(const Measurement& measurement) { return outcome(measurement.ratio_ci95); }

Outcome outcome(const Interval& ci) {
  constexpr double same = 0.03;   // the precision at which equality is claimed
  if (ci.low > 1) return Outcome::faster;
  if (ci.high < 1) return Outcome::slower;
  return ci.low >= 1 - same && ci.high <= 1 + same ? Outcome::equal : Outcome::undecided;
}

std::string Evaluation::verdict_text() const { return kind.empty() ? name(verdict) : std::string(name(verdict)) + ":" + kind; }

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Span, what, start_s, end_s)

static void to_json(json& j, const OutputError& e) {
  j = {{"max", number(e.max)}, {"rms", number(e.rms)}, {"eager_max", number(e.eager_max)}, {"eager_rms", number(e.eager_rms)},
       {"tolerance_max", number(e.tolerance_max)}, {"tolerance_rms", number(e.tolerance_rms)}, {"left_out", e.left_out}};
}
static void from_json(const json& j, OutputError& e) {
  const double infinity = std::numeric_limits<double>::infinity();
  e = {number_or(j, "max", infinity), number_or(j, "rms", infinity), number_or(j, "eager_max", infinity), number_or(j, "eager_rms", infinity),
       number_or(j, "tolerance_max", infinity), number_or(j, "tolerance_rms", infinity), j.value("left_out", std::int64_t{0})};
}

static void to_json(json& j, const Evidence::Element& e) {
  // NaN and infinities are what a worst element is about: written as text.
  const auto value = [](double v) { return std::isfinite(v) ? json(v) : json(std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"); };
  j = {{"output", e.output}, {"index", e.index}, {"value", value(e.value)}, {"truth", value(e.truth)}, {"error", value(e.error)}};
}
static void from_json(const json& j, Evidence::Element& e) {
  const auto value = [&](const char* key) {
    const json& v = j.at(key);
    return v.is_number() ? v.get<double>() : std::strtod(v.get<std::string>().c_str(), nullptr);
  };
  e = {j.at("output"), j.at("index"), value("value"), value("truth"), value("error")};
}

void to_json(json& j, const Evidence& e) {
  j = {{"summary", e.summary}, {"detail", e.detail}, {"input_set", e.input_set}, {"worst", e.worst}, {"errors", e.errors}};
}
void from_json(const json& j, Evidence& e) {
  e.summary = j.value("summary", "");
  e.detail = j.value("detail", "");
  e.input_set = j.value("input_set", "");
  e.worst = j.value("worst", decltype(e.worst){});
  e.errors = j.value("errors", decltype(e.errors){});
}

static void to_json(json& j, const WeakerBaseline& b) {
  j = {{"name", b.name}, {"median_us", b.median_us}, {"ratio", b.ratio}, {"ratio_ci95", interval(b.ratio_ci95)}};
}
static void from_json(const json& j, WeakerBaseline& b) {
  b = {j.value("name", ""), j.value("median_us", 0.0), j.value("ratio", 0.0), interval_from(j, "ratio_ci95")};
}

void to_json(json& j, const Measurement& m) {
  j = {{"clock", m.clock}, {"baseline", m.baseline}, {"candidate_us", m.candidate_us}, {"baseline_us", m.baseline_us},
       {"candidate_median_us", m.candidate_median_us}, {"baseline_median_us", m.baseline_median_us}, {"ratio", m.ratio},
       {"ratio_ci95", interval(m.ratio_ci95)}, {"rounds", m.rounds}, {"discarded", m.discarded}, {"threads", m.threads},
       {"device", m.device}, {"floor_us", m.floor_us}, {"weaker", m.weaker}};
}
void from_json(const json& j, Measurement& m) {
  m.clock = j.value("clock", "");
  m.baseline = j.value("baseline", "");
  m.candidate_us = j.value("candidate_us", std::vector<double>{});
  m.baseline_us = j.value("baseline_us", std::vector<double>{});
  m.candidate_median_us = j.value("candidate_median_us", 0.0);
  m.baseline_median_us = j.value("baseline_median_us", 0.0);
  m.ratio = j.value("ratio", 0.0);
  m.ratio_ci95 = interval_from(j, "ratio_ci95");
  m.rounds = j.value("rounds", 0);
  m.discarded = j.value("discarded", 0);
  m.threads = j.value("threads", 0);
  m.device = j.value("device", "");
  m.floor_us = j.value("floor_us", 0.0);
  m.weaker = j.value("weaker", decltype(m.weaker){});
}

// A timeline may be long: what an event does not have is not written.
void to_json(json& j, const TimelineEvent& e) {
  j = {{"name", e.name}, {"track", e.track}, {"start_us", e.start_us}, {"duration_us", e.duration_us}, {"node", e.node}};
  if (e.grid[0] > 0) j["grid"] = e.grid;
  if (e.block[0] > 0) j["block"] = e.block;
  if (e.registers > 0) j["registers"] = e.registers;
  if (e.shared_bytes > 0) j["shared_bytes"] = e.shared_bytes;
}
void from_json(const json& j, TimelineEvent& e) {
  e.name = j.value("name", "");
  e.track = j.value("track", "");
  e.start_us = j.value("start_us", 0.0);
  e.duration_us = j.value("duration_us", 0.0);
  e.node = j.value("node", -1);
  e.grid = j.value("grid", decltype(e.grid){});
  e.block = j.value("block", decltype(e.block){});
  e.registers = j.value("registers", 0);
  e.shared_bytes = j.value("shared_bytes", std::int64_t{0});
}

void to_json(json& j, const Evaluation& e) {
  j = {{"verdict", name(e.verdict)}, {"kind", e.kind}, {"evidence", e.evidence}, {"spans", e.spans}};
  if (e.measurement) j["measurement"] = *e.measurement;
  if (!e.timeline.empty()) j["timeline"] = e.timeline;
}
void from_json(const json& j, Evaluation& e) {
  e.verdict = from_name(j.at("verdict"), static_cast<int>(verdict_table.size()), [](Verdict v) { return name(v); }, Verdict::not_evaluated);
  e.kind = j.value("kind", "");
  e.evidence = j.value("evidence", Evidence{});
  e.spans = j.value("spans", std::vector<Span>{});
  e.timeline = j.value("timeline", std::vector<TimelineEvent>{});
  e.measurement.reset();
  if (auto m = j.find("measurement"); m != j.end()) e.measurement = m->get<Measurement>();
}

#define KW_JSON(Type, ...)                                                                              \
  void to_json(json& nlohmann_json_j, const Type& nlohmann_json_t) {                                    \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                            \
  }                                                                                                     \
  void from_json(const json& nlohmann_json_j, Type& nlohmann_json_t) {                                  \
    const Type nlohmann_json_default_obj{};                                                             \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__))             \
  }

KW_JSON(OperatorCard, op, signature, module_path, source, calls, time_us, share, bytes, flops, bound, roofline_share, nodes)
KW_JSON(Ceilings, read_gb_s, write_gb_s, copy_gb_s, cache_copy_gb_s, f32_gflop_s, f64_gflop_s)
KW_JSON(Profile, node_us, model_us, interpreter_us_per_node, runs, cards, timeline, ceilings, note)
KW_JSON(Environment, cpu, torch, compiler, flags, os, kernel, device, threads, cores, l1_bytes, l2_bytes, l3_bytes, vector_bytes, target, multiprocessors, shared_bytes,
        driver_version, gpu_uuid)

#undef KW_JSON

static void to_json(json& j, const EndToEndWay& w) {
  j = {{"name", w.name}, {"before_us", w.before_us}, {"after_us", w.after_us}, {"speedup", w.speedup}, {"speedup_ci95", interval(w.speedup_ci95)},
       {"rounds", w.rounds}};
}
static void from_json(const json& j, EndToEndWay& w) {
  w = {j.value("name", ""), j.value("before_us", 0.0), j.value("after_us", 0.0), j.value("speedup", 0.0), interval_from(j, "speedup_ci95"), j.value("rounds", 0)};
}

void to_json(json& j, const EndToEnd& e) {
  j = {{"before_us", e.before_us}, {"after_us", e.after_us}, {"speedup", e.speedup}, {"speedup_ci95", interval(e.speedup_ci95)},
       {"rounds", e.rounds}, {"discarded", e.discarded}, {"ways", e.ways}, {"error_max", number(e.error_max)}, {"error_rms", number(e.error_rms)},
       {"error_eager_max", number(e.error_eager_max)}, {"error_eager_rms", number(e.error_eager_rms)},
       {"within_tolerance", e.within_tolerance}, {"left_out", e.left_out}, {"note", e.note}};
}
void from_json(const json& j, EndToEnd& e) {
  const double infinity = std::numeric_limits<double>::infinity();
  e.before_us = j.value("before_us", 0.0);
  e.after_us = j.value("after_us", 0.0);
  e.speedup = j.value("speedup", 0.0);
  e.speedup_ci95 = interval_from(j, "speedup_ci95");
  e.rounds = j.value("rounds", 0);
  e.discarded = j.value("discarded", 0);
  e.ways = j.value("ways", decltype(e.ways){});
  e.error_max = number_or(j, "error_max", infinity);
  e.error_rms = number_or(j, "error_rms", infinity);
  e.error_eager_max = number_or(j, "error_eager_max", infinity);
  e.error_eager_rms = number_or(j, "error_eager_rms", infinity);
  e.within_tolerance = j.value("within_tolerance", false);
  e.left_out = j.value("left_out", std::vector<std::string>{});
  e.note = j.value("note", "");
}

}  // namespace kw::protocol
