-- The gradebook, version 5 (PRAGMA user_version), shown in docs/reference/gradebook.md.

CREATE TABLE run (                          -- of verify batch or verify regrade --apply
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('grade', 'regrade')),
  started TEXT NOT NULL,                    -- ISO 8601, UTC
  finished TEXT,                            -- NULL while it runs, or where it was interrupted
  sources TEXT NOT NULL,                    -- JSON: [[kind, container], ...]; [] for a regrading
  options TEXT NOT NULL,                    -- JSON: exercises, course, target, issue, strict,
                                            -- provenance, witness_key, attempts, naming (of --layout)
  by TEXT NOT NULL                          -- who ran it, as the system names the user
) STRICT;

CREATE TABLE learner (                      -- of the roster, until another one replaces it
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  ids TEXT NOT NULL DEFAULT '{}'            -- JSON object: the roster's other columns by their name
) STRICT, WITHOUT ROWID;

CREATE TABLE submission (                   -- those of the last grade run, by seen, are the cohort
  id INTEGER PRIMARY KEY,
  learner TEXT NOT NULL,                    -- a roster's key; without one, the name in the collection
  attempt TEXT NOT NULL,                    -- labels sort as text, the latest last
  kind TEXT NOT NULL,                       -- of collection: folder, zip, manifest, remote
  container TEXT NOT NULL,                  -- its folder, file or address, absolute
  inner TEXT NOT NULL,                      -- the names of its entries in it, one on each line
  submitted TEXT NOT NULL DEFAULT '',       -- ISO 8601, as the platform says; '': it does not
  late INTEGER NOT NULL DEFAULT 0,          -- 1: the platform calls it late
  conflict TEXT NOT NULL DEFAULT '',        -- why several entries claim this learner; '': one does
  seen INTEGER NOT NULL REFERENCES run (id), -- the last run that met it
  UNIQUE (learner, attempt)
) STRICT;

CREATE TABLE rules (                        -- one exercise as it was graded: its checks, their code
  id INTEGER PRIMARY KEY,
  exercise TEXT NOT NULL,
  digest TEXT NOT NULL,                     -- of the check code, the course, the options, the versions
  title TEXT NOT NULL,
  points INTEGER NOT NULL,
  checks TEXT NOT NULL,                     -- JSON: [{code, title, points, advisory, page}, ...]
  UNIQUE (exercise, digest)
) STRICT;

CREATE TABLE run_exercise (                 -- the exercises of a run, in order
  run INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,                -- from 0
  rules INTEGER NOT NULL REFERENCES rules (id),
  compared TEXT NOT NULL DEFAULT '',        -- JSON: which artifacts are compared (paths, counted,
                                            -- shipped, handed_out); '': nothing
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE reads (                        -- what grading read of a submission, in order
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE                 -- JSON: [[operation, path], ...]: read, is_file, names, history
) STRICT;

CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  submission INTEGER NOT NULL REFERENCES submission (id),
  exercise TEXT NOT NULL,
  rules INTEGER NOT NULL REFERENCES rules (id),
  run INTEGER NOT NULL REFERENCES run (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('pass', 'fail', 'unresolved', 'error')),
  score INTEGER CHECK ((score IS NULL) = (outcome IN ('unresolved', 'error'))),
  outcomes TEXT NOT NULL,                   -- one letter a check, in order: p, f, s, e or u; '': unresolved
  reads INTEGER NOT NULL REFERENCES reads (id),
  digests BLOB NOT NULL,                    -- 16 bytes a read: the digest of its answer
  provenance TEXT NOT NULL CHECK (provenance IN ('', 'L0', 'L1', 'L2', 'L3')), -- '': not asked for
  fingerprint BLOB NOT NULL DEFAULT x'',    -- 16 bytes an artifact: the digest of what it says
  superseded INTEGER REFERENCES result (id) -- by a later one; NULL: this one counts
) STRICT;

CREATE UNIQUE INDEX result_current ON result (submission, exercise) WHERE superseded IS NULL;

CREATE TABLE finding (                      -- why a check did not pass; why a result is unresolved
  result INTEGER NOT NULL REFERENCES result (id),
  position INTEGER NOT NULL,                -- of its check among the exercise's, from 0
  ordinal INTEGER NOT NULL,                 -- of the finding among the check's, from 0
  message TEXT NOT NULL,
  expected TEXT NOT NULL,
  found TEXT NOT NULL,
  file TEXT NOT NULL,
  path TEXT NOT NULL,
  line INTEGER NOT NULL,                    -- 1-based, 0 for the file as a whole
  column INTEGER NOT NULL,
  next_step TEXT NOT NULL,
  excerpt TEXT NOT NULL,                    -- the lines around it; the first is line max(1, line - 2)
  waits_for TEXT NOT NULL,                  -- of a skipped check: the code of its blocker
  PRIMARY KEY (result, position, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE override (
  id INTEGER PRIMARY KEY,
  learner TEXT NOT NULL,
  exercise TEXT NOT NULL,
  score REAL NOT NULL,                      -- the score that counts
  reason TEXT NOT NULL,
  by TEXT NOT NULL,
  made TEXT NOT NULL,                       -- ISO 8601, UTC
  withdrawn TEXT,                           -- ISO 8601, UTC; NULL: it holds
  withdrawn_by TEXT
) STRICT;

CREATE UNIQUE INDEX override_holding ON override (learner, exercise) WHERE withdrawn IS NULL;
