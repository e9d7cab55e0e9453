// Rows without their JSON, sessions of the first format, marks and reviews.
#include <sqlite3.h>

#include "tests/unit/store/fixture.h"

namespace kw::store::testing {
namespace {

// What format 2 added, taken away again.
void make_format_1(const std::string& path) {
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  const char* sql =
      "DROP TABLE marks; DROP TABLE reviews; DROP INDEX evaluations_brief; DROP INDEX candidates_brief; ALTER TABLE edges DROP COLUMN prior;"
      "ALTER TABLE evaluations DROP COLUMN ratio; ALTER TABLE evaluations DROP COLUMN ratio_low; ALTER TABLE evaluations DROP COLUMN ratio_high;"
      "ALTER TABLE evaluations DROP COLUMN candidate_us; ALTER TABLE evaluations DROP COLUMN error_max;"
      "ALTER TABLE evaluations DROP COLUMN completed_s; DELETE FROM meta WHERE key = 'origin';"
      "UPDATE runs SET started = '2026-01-01T00:00:00Z'; CREATE INDEX evaluations_candidate ON evaluations (candidate); PRAGMA user_version = 1";
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

void expect_rows(const Session& session) {
  const auto rows = session.rows();
  ASSERT_TRUE(rows.ok()) << rows.error().text();
  EXPECT_EQ(rows->candidates, 2);
  EXPECT_EQ(rows->evaluations, 2);
  const auto candidates = session.candidate_rows(0, rows->candidates);
  ASSERT_EQ(candidates->size(), 2u);
  EXPECT_EQ(candidates->at(1).id, "c2");
  EXPECT_EQ(candidates->at(1).task, "t00-softmax");
  EXPECT_EQ(session.candidate_rows(1, rows->candidates)->size(), 1u);
  EXPECT_EQ(session.edge_rows(0, rows->edges)->at(0).edge.to, "16");
  const auto evaluations = session.evaluation_rows(0, rows->evaluations);
  ASSERT_TRUE(evaluations.ok()) << evaluations.error().text();
  ASSERT_EQ(evaluations->size(), 2u);
  EXPECT_EQ(evaluations->at(0).ratio, 1.5);
  EXPECT_EQ(evaluations->at(0).ratio_ci95.low, 1.4);
  EXPECT_EQ(evaluations->at(1).path, (std::vector<std::string>{"c1", "c2"}));
  EXPECT_EQ(evaluations->at(1).verdict, "wrong_result");
  EXPECT_FALSE(evaluations->at(1).ratio.has_value());
  EXPECT_TRUE(evaluations->at(0).completed_s.has_value());
}

TEST_F(StoreTest, AllRowsAreReadWithoutTheirJson) {
  const Session session = filled(at("a.kwr"));
  expect_rows(session);
  EXPECT_EQ(session.rows()->runs, 1);
  EXPECT_EQ(session.origin()->created.size(), 20u);
}

TEST_F(StoreTest, AFileOfTheFirstFormatIsReadAsItIsAndBroughtUpWhenWritten) {
  { Session session = filled(at("a.kwr")); }
  make_format_1(at("a.kwr"));
  const auto bytes = fs::file_size(at("a.kwr"));
  {
    auto reader = Session::open(at("a.kwr"), Session::Access::read);
    ASSERT_TRUE(reader.ok()) << reader.error().text();
    expect_rows(*reader);
    EXPECT_EQ(*reader->evaluation_rows(0, 2)->at(0).completed_s, 1767225600 + 1.5);   // 2026-01-01 and the span from 1.0 to 2.5
    EXPECT_TRUE(reader->reviews("")->empty());
    EXPECT_EQ(reader->origin()->created, "2026-01-01T00:00:00Z");
  }
  EXPECT_EQ(fs::file_size(at("a.kwr")), bytes);
  {
    auto writer = Session::open(at("a.kwr"), Session::Access::write);
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    EXPECT_TRUE(writer->add_mark("c2", "pin").ok());
  }
  auto reader = Session::open(at("a.kwr"), Session::Access::read);
  expect_rows(*reader);
  EXPECT_EQ(reader->marks(0, 9)->at(0).mark, "pin");
  EXPECT_EQ(*reader->evaluation_rows(0, 2)->at(0).completed_s, 1767225600 + 1.5);
}

TEST_F(StoreTest, WinnersAndTheirEndLeaveMarks) {
  Session session = filled(at("a.kwr"));
  EXPECT_TRUE(session.set_final({"t00-softmax", "c1", 1, true}).ok());
  EXPECT_TRUE(session.clear_final("t00-softmax").ok());
  const auto marks = session.marks(0, 9);
  ASSERT_EQ(marks->size(), 2u);
  EXPECT_EQ(marks->at(0).mark, "winner");
  EXPECT_EQ(marks->at(1).mark, "no winner");
  EXPECT_EQ(marks->at(1).candidate, "c1");
}

TEST_F(StoreTest, ReviewsAreAddedBesideTheWriter) {
  Session writer = filled(at("a.kwr"));
  {
    auto beside = Session::open(at("a.kwr"), Session::Access::annotate);
    ASSERT_TRUE(beside.ok()) << beside.error().text();
    EXPECT_TRUE(beside->add_review({"c1", "approved", "fine", "ada", "", "hash"}).ok());
  }
  EXPECT_EQ(writer.reviews("c1")->at(0).reviewer, "ada");
  EXPECT_TRUE(writer.reviews("c2")->empty());
  EXPECT_TRUE(writer.add_candidate(candidate("c3", "h3"), {}).ok());
}

TEST_F(StoreTest, ManyWritesAreOneTransaction) {
  Session session = filled(at("a.kwr"));
  const auto failed = session.together([&] {
    EXPECT_TRUE(session.add_mark("c1", "pin").ok());
    return base::Status(base::bad_input("no"));
  });
  EXPECT_FALSE(failed.ok());
  EXPECT_TRUE(session.marks(0, 9)->empty());
  EXPECT_TRUE(session.together([&] { return session.add_mark("c1", "pin"); }).ok());
  EXPECT_EQ(session.marks(0, 9)->size(), 1u);
}

}  // namespace
}  // namespace kw::store::testing
