#pragma once
// What session_write.cpp and session_read.cpp share. Private to the store.

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include "core/engine/store/database.h"
#include "core/engine/store/schema.h"
#include "core/engine/store/session.h"
#include "core/engine/store/writer_lock.h"

namespace kw::store {

struct Session::Impl {
  std::string path;
  std::optional<WriterLock> lock;
  std::unique_ptr<SQLite::Database> database;
  int format = schema_version;

  base::Status sign();                 // writes the session's Origin

  bool together = false;               // a transaction is open that holds several writes

  // Runs `work` in one transaction.
  template <typename Work>
  base::Status write(Work work) {
    if (together) return guarded(path, [&] { work(*database); });
    return guarded(path, [&] {
      SQLite::Transaction transaction(*database);
      work(*database);
      transaction.commit();
    });
  }
  // One call of `row` for each row of `statement`; JSON that does not parse is a damaged file.
  template <typename Row>
  base::Status read(const std::string& sql, const std::vector<std::string>& bound, Row row) const {
    try {
      return guarded(path, [&] {
        SQLite::Statement statement(*database, sql);
        for (std::size_t i = 0; i < bound.size(); ++i) statement.bind(static_cast<int>(i + 1), bound[i]);
        while (statement.executeStep()) row(statement);
      });
    } catch (const nlohmann::json::exception& e) {
      return base::Error{base::ErrorCode::bad_input, std::string("the session file is damaged: ") + e.what(), path};
    }
  }
};

template <typename... Values>
void insert(SQLite::Database& database, const char* sql, const Values&... values) {
  SQLite::Statement statement(database, sql);
  SQLite::bind(statement, values...);
  statement.exec();
}

// NULL where the value is absent.
inline void bind_optional(SQLite::Statement& statement, int index, const std::optional<double>& value) {
  if (value)
    statement.bind(index, *value);
  else
    statement.bind(index);
}

}  // namespace kw::store
