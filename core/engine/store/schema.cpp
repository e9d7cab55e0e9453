#include "core/engine/store/schema.h"

namespace kw::store {

const char* const schema_sql = R"sql(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE cards (position INTEGER PRIMARY KEY, card TEXT NOT NULL);

CREATE TABLE tasks (
  id TEXT PRIMARY KEY, position INTEGER NOT NULL, signature TEXT NOT NULL, operators TEXT NOT NULL,
  module_path TEXT NOT NULL, source TEXT NOT NULL, calls INTEGER NOT NULL, share REAL NOT NULL, time_us REAL NOT NULL,
  bytes INTEGER NOT NULL, flops INTEGER NOT NULL, baseline_us REAL, floor_us REAL, note TEXT NOT NULL,
  graph TEXT NOT NULL, instances TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE sources (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE candidates (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, task TEXT NOT NULL REFERENCES tasks(id), kind TEXT NOT NULL,
  recipe TEXT NOT NULL, structural_hash TEXT NOT NULL, plan TEXT NOT NULL, source TEXT NOT NULL REFERENCES sources(hash),
  traffic_bytes INTEGER NOT NULL, UNIQUE (task, structural_hash));

CREATE TABLE edges (
  number INTEGER PRIMARY KEY, parent TEXT NOT NULL REFERENCES candidates(id), child TEXT NOT NULL REFERENCES candidates(id),
  key TEXT NOT NULL, from_value TEXT NOT NULL, to_value TEXT NOT NULL, kind TEXT NOT NULL, description TEXT NOT NULL);
CREATE INDEX edges_child ON edges (child);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY, started TEXT NOT NULL, ended TEXT, reason TEXT NOT NULL DEFAULT '', options TEXT NOT NULL,
  evaluations INTEGER NOT NULL DEFAULT 0, measured INTEGER NOT NULL DEFAULT 0, wall_s REAL NOT NULL DEFAULT 0,
  overhead_share REAL);

CREATE TABLE evaluations (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), candidate TEXT NOT NULL REFERENCES candidates(id),
  purpose TEXT NOT NULL, attempt INTEGER NOT NULL, path TEXT NOT NULL, verdict TEXT NOT NULL, kind TEXT NOT NULL,
  evidence TEXT NOT NULL, measurement TEXT, spans TEXT NOT NULL, wall_s REAL NOT NULL);
CREATE INDEX evaluations_candidate ON evaluations (candidate);

CREATE TABLE finals (
  task TEXT PRIMARY KEY REFERENCES tasks(id), candidate TEXT NOT NULL REFERENCES candidates(id),
  evaluation INTEGER NOT NULL REFERENCES evaluations(id), used INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE end_to_end (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), result TEXT NOT NULL);

CREATE TABLE timelines (name TEXT PRIMARY KEY, events TEXT NOT NULL) WITHOUT ROWID;

CREATE VIEW failures AS
  SELECT e.id, c.task, e.candidate, e.verdict, e.kind, json_extract(e.evidence, '$.summary') AS summary, e.purpose
  FROM evaluations e JOIN candidates c ON c.id = e.candidate
  WHERE e.verdict NOT IN ('accepted', 'not_evaluated');
)sql";

}  // namespace kw::store
