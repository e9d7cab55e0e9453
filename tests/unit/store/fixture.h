#pragma once
// A folder for each test, and a small session in it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/engine/store/session.h"

namespace kw::store::testing {

namespace fs = std::filesystem;

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kw_store_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all, fs::perm_options::add);
    fs::remove_all(folder_);
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

inline ModelInfo model(const std::string& path = "/models/encoder.py") {
  ModelInfo m;
  m.path = path;
  m.sha256 = "abc";
  m.kind = "py";
  m.threads = 2;
  return m;
}

inline TaskRecord task(const std::string& id = "t00-softmax") {
  TaskRecord t;
  t.id = id;
  t.operators = {"aten.softmax.int"};
  t.share = 0.25;
  t.floor_us = 12.5;
  t.graph = {{"nodes", 1}};
  t.instances = json::array();
  return t;
}

inline CandidateRecord candidate(const std::string& id, const std::string& hash, const std::string& source = "void f();") {
  CandidateRecord c;
  c.id = id;
  c.task = "t00-softmax";
  c.recipe = "generator=1 k0.vector=8";
  c.structural_hash = hash;
  c.plan = {{"steps", 1}};
  c.source = source;
  return c;
}

inline EvaluationRecord evaluation(const std::string& id, std::int64_t run, bool measured = true) {
  EvaluationRecord e;
  e.run = run;
  e.candidate = id;
  e.path = {"c1", id};
  e.evaluation.verdict = measured ? protocol::Verdict::accepted : protocol::Verdict::wrong_result;
  e.evaluation.evidence.summary = measured ? "right" : "output 0 differs";
  e.evaluation.spans = {{"compile", 1.0, 2.5}};
  if (measured) {
    protocol::Measurement m;
    m.ratio = 1.5;
    m.ratio_ci95 = {1.4, 1.6};
    m.candidate_us = {10, 11};
    e.evaluation.measurement = m;
  }
  return e;
}

// A session with one task, two candidates and their evaluations.
inline Session filled(const std::string& path) {
  auto session = Session::create(path, model());
  EXPECT_TRUE(session.ok()) << session.error().text();
  EXPECT_TRUE(session->set_tasks({task()}).ok());
  const auto run = session->begin_run({{"evals", 2}});
  EXPECT_TRUE(run.ok());
  EXPECT_TRUE(session->add_candidate(candidate("c1", "h1"), {}).ok());
  EXPECT_TRUE(session->add_candidate(candidate("c2", "h2"), {{"c1", "c2", "k0.vector", "8", "16", "vector width", "wider"}}).ok());
  EXPECT_TRUE(session->add_evaluation(evaluation("c1", *run)).ok());
  EXPECT_TRUE(session->add_evaluation(evaluation("c2", *run, false)).ok());
  return std::move(*session);
}

}  // namespace kw::store::testing
