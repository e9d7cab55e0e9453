#include <sqlite3.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "core/engine/store/session_path.h"
#include "tests/unit/store/fixture.h"

namespace kw::store::testing {
namespace {

std::string journal_mode(const std::string& path) {   // from the file's header: 1 rollback journal, 2 WAL
  std::ifstream file(path, std::ios::binary);
  char header[20] = {};
  file.read(header, 20);
  return header[18] == 2 ? "wal" : "delete";
}

TEST_F(StoreTest, WhatIsWrittenIsReadBack) {
  { Session session = filled(at("a.kwr")); }
  auto session = Session::open(at("a.kwr"), Session::Access::read);
  ASSERT_TRUE(session.ok()) << session.error().text();
  EXPECT_EQ(session->model()->threads, 2);
  EXPECT_EQ(session->tasks()->at(0).operators, std::vector<std::string>{"aten.softmax.int"});
  EXPECT_EQ(session->tasks()->at(0).floor_us, 12.5);
  EXPECT_FALSE(session->tasks()->at(0).baseline_us.has_value());
  const auto found = session->candidate("c2");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->source, "void f();");
  EXPECT_EQ(session->edges()->at(0).to, "16");
  const auto evaluations = session->evaluations("");
  ASSERT_EQ(evaluations->size(), 2u);
  EXPECT_EQ(evaluations->at(0).evaluation.measurement->candidate_us, (std::vector<double>{10, 11}));
  EXPECT_EQ(evaluations->at(0).evaluation.spans.at(0).end_s, 2.5);
  EXPECT_EQ(evaluations->at(1).evaluation.verdict, protocol::Verdict::wrong_result);
  EXPECT_FALSE(evaluations->at(1).evaluation.measurement.has_value());
  EXPECT_EQ(evaluations->at(1).path, (std::vector<std::string>{"c1", "c2"}));
  EXPECT_EQ(session->candidate("c9").error().code, base::ErrorCode::not_found);
}

TEST_F(StoreTest, ASourceIsStoredOnce) {
  filled(at("a.kwr"));
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(at("a.kwr").c_str(), &db), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(db, "SELECT count(*), (SELECT summary FROM failures) FROM sources", -1, &statement, nullptr);
  sqlite3_step(statement);
  EXPECT_EQ(sqlite3_column_int(statement, 0), 1);
  EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(statement, 1)), "output 0 differs");
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

TEST_F(StoreTest, WalWhileOpenOneFileAfterwards) {
  {
    Session session = filled(at("a.kwr"));
    EXPECT_EQ(journal_mode(at("a.kwr")), "wal");
    EXPECT_TRUE(fs::exists(at("a.kwr.lock")));
    EXPECT_TRUE(session.close().ok());
  }
  EXPECT_EQ(journal_mode(at("a.kwr")), "delete");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"a.kwr"});
}

TEST_F(StoreTest, ASecondWriterIsToldWhoHoldsTheSessionAReaderIsNot) {
  Session session = filled(at("a.kwr"));
  const auto second = Session::open(at("a.kwr"), Session::Access::write);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, base::ErrorCode::busy);
  EXPECT_NE(second.error().message.find("process " + std::to_string(getpid())), std::string::npos) << second.error().text();
  auto reader = Session::open(at("a.kwr"), Session::Access::read);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->evaluations("")->size(), 2u);
}

TEST_F(StoreTest, KillLosesNothingThatWasWrittenAndFreesTheLock) {
  const pid_t child = fork();
  if (child == 0) {
    Session session = filled(at("a.kwr"));
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(journal_mode(at("a.kwr")), "wal");
  {
    auto reader = Session::open(at("a.kwr"), Session::Access::read);
    ASSERT_TRUE(reader.ok()) << reader.error().text();
    EXPECT_EQ(reader->evaluations("")->size(), 2u);
    EXPECT_EQ(reader->runs()->at(0).ended, "");
  }
  auto writer = Session::open(at("a.kwr"), Session::Access::write);
  ASSERT_TRUE(writer.ok()) << writer.error().text();
  EXPECT_TRUE(writer->add_candidate(candidate("c3", "h3"), {}).ok());
  EXPECT_EQ(writer->candidates("")->size(), 3u);
}

TEST_F(StoreTest, ForeignNewerAndDamagedFilesAreRefusedUntouched) {
  std::ofstream(at("notes.kwr")) << "shopping list, long enough to hold a header " << std::string(200, 'x');
  std::ofstream(at("empty.kwr"));
  fs::create_directory(at("folder.kwr"));
  filled(at("newer.kwr"));
  sqlite3* db = nullptr;
  sqlite3_open(at("newer.kwr").c_str(), &db);
  sqlite3_exec(db, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  sqlite3_open(at("other.kwr").c_str(), &db);
  sqlite3_exec(db, "CREATE TABLE t (x)", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  for (const std::string name : {"notes.kwr", "empty.kwr", "folder.kwr", "newer.kwr", "other.kwr"}) {
    const auto before = fs::is_directory(at(name)) ? 0 : fs::file_size(at(name));
    for (const auto access : {Session::Access::read, Session::Access::write}) {
      const auto session = Session::open(at(name), access);
      ASSERT_FALSE(session.ok()) << name;
      EXPECT_EQ(session.error().code, base::ErrorCode::bad_input) << name << ": " << session.error().text();
    }
    EXPECT_EQ(fs::is_directory(at(name)) ? 0 : fs::file_size(at(name)), before);
  }
  EXPECT_NE(Session::open(at("newer.kwr"), Session::Access::read).error().message.find("newer Kernelwright"), std::string::npos);
  EXPECT_EQ(Session::open(at("none.kwr"), Session::Access::read).error().code, base::ErrorCode::not_found);
}

TEST_F(StoreTest, ADamagedPageIsAnErrorNotACrash) {
  filled(at("a.kwr"));
  {
    std::fstream file(at("a.kwr"), std::ios::in | std::ios::out | std::ios::binary);
    const auto size = fs::file_size(at("a.kwr"));
    file.seekp(4096);
    file << std::string(size - 4096, '\xa5');
  }
  auto session = Session::open(at("a.kwr"), Session::Access::read);
  EXPECT_FALSE(session.ok() && session->candidates("").ok());
}

// The permission checks of an ordinary user, also when the tests run as root.
class AsNobody {
 public:
  AsNobody() { setfsuid(65534); }
  ~AsNobody() { setfsuid(geteuid()); }
};

TEST_F(StoreTest, AReadOnlyFolderSuggestsAnotherPlace) {
  fs::permissions(folder_, fs::perms{0555});
  const AsNobody nobody;
  const auto session = choose_session(model(at("encoder.py")), "");
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, base::ErrorCode::io);
  EXPECT_NE(session.error().message.find("--session"), std::string::npos) << session.error().text();
}

TEST_F(StoreTest, AReadOnlyFolderCanStillBeShown) {
  filled(at("a.kwr"));
  fs::permissions(at("a.kwr"), fs::perms{0444});
  fs::permissions(folder_, fs::perms{0555});
  const AsNobody nobody;
  auto session = Session::open(at("a.kwr"), Session::Access::read);
  ASSERT_TRUE(session.ok()) << session.error().text();
  EXPECT_EQ(session->evaluations("")->size(), 2u);
  EXPECT_EQ(Session::open(at("a.kwr"), Session::Access::write).error().code, base::ErrorCode::io);
}

TEST_F(StoreTest, AFullDiskIsAnErrorAndLosesNothing) {
  { Session session = filled(at("a.kwr")); }
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    auto session = Session::open(at("a.kwr"), Session::Access::write);
    if (!session) _exit(10);
    const rlimit limit{200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int written = 0;
    for (int i = 0; i < 100; ++i) {
      const auto status = session->add_candidate(candidate("d" + std::to_string(i), "d" + std::to_string(i), std::string(10000, static_cast<char>('a' + i % 26)) + std::to_string(i)), {});
      if (status.ok()) {
        ++written;
        continue;
      }
      const bool clear = status.error().code == base::ErrorCode::io && status.error().message.find("disk") != std::string::npos;
      _exit(clear && written > 0 ? written : 11);
    }
    _exit(12);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  const int written = WEXITSTATUS(status);
  EXPECT_NE(written, 10);
  EXPECT_NE(written, 11);
  auto session = Session::open(at("a.kwr"), Session::Access::write);
  ASSERT_TRUE(session.ok()) << session.error().text();
  EXPECT_EQ(static_cast<int>(session->candidates("")->size()), 2 + written);
  EXPECT_EQ(session->evaluations("")->size(), 2u);
}

TEST_F(StoreTest, TheDefaultPathContinuesWhatAgreesAndNumbersWhatDoesNot) {
  const auto first = [&](ModelInfo m) {
    auto chosen = choose_session(m, "");
    EXPECT_TRUE(chosen.ok()) << chosen.error().text();
    return std::pair{fs::path(chosen->session.path()).filename().string(), chosen->resumed};
  };
  ModelInfo m = model(at("encoder.py"));
  EXPECT_EQ(first(m), std::pair(std::string("encoder.kwr"), false));
  EXPECT_EQ(first(m), std::pair(std::string("encoder.kwr"), true));
  m.threads = 4;
  EXPECT_EQ(first(m), std::pair(std::string("encoder-2.kwr"), false));
  EXPECT_EQ(first(m), std::pair(std::string("encoder-2.kwr"), true));
  m.sha256 = "other";
  EXPECT_EQ(first(m), std::pair(std::string("encoder-3.kwr"), false));
  const auto named = choose_session(m, at("encoder.kwr"));
  ASSERT_FALSE(named.ok());
  EXPECT_EQ(named.error().code, base::ErrorCode::bad_input);
  EXPECT_NE(named.error().message.find("another version of the model"), std::string::npos);
}

}  // namespace
}  // namespace kw::store::testing
