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
CREATE INDEX candidates_brief ON candidates (id, task, kind);

CREATE TABLE edges (
  number INTEGER PRIMARY KEY, parent TEXT NOT NULL REFERENCES candidates(id), child TEXT NOT NULL REFERENCES candidates(id),
  key TEXT NOT NULL, from_value TEXT NOT NULL, to_value TEXT NOT NULL, kind TEXT NOT NULL, description TEXT NOT NULL,
  prior REAL);
CREATE INDEX edges_child ON edges (child);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY, started TEXT NOT NULL, ended TEXT, reason TEXT NOT NULL DEFAULT '', options TEXT NOT NULL,
  evaluations INTEGER NOT NULL DEFAULT 0, measured INTEGER NOT NULL DEFAULT 0, wall_s REAL NOT NULL DEFAULT 0,
  overhead_share REAL);

CREATE TABLE evaluations (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), candidate TEXT NOT NULL REFERENCES candidates(id),
  purpose TEXT NOT NULL, attempt INTEGER NOT NULL, path TEXT NOT NULL, verdict TEXT NOT NULL, kind TEXT NOT NULL,
  evidence TEXT NOT NULL, measurement TEXT, spans TEXT NOT NULL, wall_s REAL NOT NULL,
  ratio REAL, ratio_low REAL, ratio_high REAL, candidate_us REAL, error_max REAL, completed_s REAL);
CREATE INDEX evaluations_brief ON evaluations (
  candidate, run, purpose, path, verdict, kind, ratio, ratio_low, ratio_high, candidate_us, error_max, completed_s);

CREATE TABLE finals (
  task TEXT PRIMARY KEY REFERENCES tasks(id), candidate TEXT NOT NULL REFERENCES candidates(id),
  evaluation INTEGER NOT NULL REFERENCES evaluations(id), used INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE end_to_end (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), result TEXT NOT NULL);

CREATE TABLE timelines (name TEXT PRIMARY KEY, events TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE marks (id INTEGER PRIMARY KEY, candidate TEXT NOT NULL REFERENCES candidates(id), mark TEXT NOT NULL, date TEXT NOT NULL);

CREATE TABLE reviews (
  id INTEGER PRIMARY KEY, candidate TEXT NOT NULL REFERENCES candidates(id), decision TEXT NOT NULL, comment TEXT NOT NULL,
  reviewer TEXT NOT NULL, date TEXT NOT NULL, hash TEXT NOT NULL);

CREATE VIEW failures AS
  SELECT e.id, c.task, e.candidate, e.verdict, e.kind, json_extract(e.evidence, '$.summary') AS summary, e.purpose
  FROM evaluations e JOIN candidates c ON c.id = e.candidate
  WHERE e.verdict NOT IN ('accepted', 'not_evaluated');
)sql";

// Format 1 had no plain columns beside the JSON, no marks and no reviews. Its spans are on a clock of their own: an evaluation completed
// as long after its run began as its last span ended after the first span of that run began.
const char* const brief_of_1_sql = R"sql(
DROP TABLE IF EXISTS temp.brief;
CREATE TEMP TABLE brief (id INTEGER PRIMARY KEY, run INTEGER, candidate TEXT, purpose TEXT, path TEXT, verdict TEXT, kind TEXT, ratio REAL,
                         ratio_low REAL, ratio_high REAL, candidate_us REAL, error_max REAL, completed_s REAL);
WITH spans AS (
  SELECT e.id, e.run, min(json_extract(s.value, '$[1]')) AS first_s, max(json_extract(s.value, '$[2]')) AS last_s
  FROM evaluations e, json_each(e.spans) s GROUP BY e.id),
began AS (SELECT run, min(first_s) AS first_s FROM spans GROUP BY run)
INSERT INTO temp.brief
  SELECT e.id, e.run, e.candidate, e.purpose, e.path, e.verdict, e.kind, json_extract(e.measurement, '$.ratio'),
         json_extract(e.measurement, '$.ratio_ci95[0]'), json_extract(e.measurement, '$.ratio_ci95[1]'),
         json_extract(e.measurement, '$.candidate_median_us'),
         (SELECT max(json_extract(o.value, '$.max')) FROM json_each(e.evidence, '$.errors') o),
         CAST(strftime('%s', r.started) AS REAL) + spans.last_s - began.first_s
  FROM evaluations e JOIN runs r ON r.id = e.run LEFT JOIN spans ON spans.id = e.id LEFT JOIN began ON began.run = e.run;
)sql";

const char* const upgrade_to_2_sql = R"sql(
ALTER TABLE edges ADD COLUMN prior REAL;
ALTER TABLE evaluations ADD COLUMN ratio REAL;
ALTER TABLE evaluations ADD COLUMN ratio_low REAL;
ALTER TABLE evaluations ADD COLUMN ratio_high REAL;
ALTER TABLE evaluations ADD COLUMN candidate_us REAL;
ALTER TABLE evaluations ADD COLUMN error_max REAL;
ALTER TABLE evaluations ADD COLUMN completed_s REAL;
UPDATE evaluations SET (ratio, ratio_low, ratio_high, candidate_us, error_max, completed_s) =
  (SELECT b.ratio, b.ratio_low, b.ratio_high, b.candidate_us, b.error_max, b.completed_s FROM temp.brief b WHERE b.id = evaluations.id);
DROP INDEX evaluations_candidate;
CREATE INDEX candidates_brief ON candidates (id, task, kind);
CREATE INDEX evaluations_brief ON evaluations (
  candidate, run, purpose, path, verdict, kind, ratio, ratio_low, ratio_high, candidate_us, error_max, completed_s);
CREATE TABLE marks (id INTEGER PRIMARY KEY, candidate TEXT NOT NULL REFERENCES candidates(id), mark TEXT NOT NULL, date TEXT NOT NULL);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY, candidate TEXT NOT NULL REFERENCES candidates(id), decision TEXT NOT NULL, comment TEXT NOT NULL,
  reviewer TEXT NOT NULL, date TEXT NOT NULL, hash TEXT NOT NULL);
DROP TABLE temp.brief;
)sql";

}  // namespace kw::store
