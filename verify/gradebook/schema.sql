-- The gradebook, version 7 (PRAGMA user_version), shown in docs/reference/gradebook.md.

CREATE TABLE run (                          -- a run of verify batch or verify regrade --apply
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL DEFAULT '',      -- of the term; '' for the only one of a gradebook
                                            -- without a term, here and in the other tables
  kind TEXT NOT NULL CHECK (kind IN ('grade', 'regrade')),
  started TEXT NOT NULL,                    -- ISO 8601, UTC
  finished TEXT,                            -- NULL if the run is in progress or was interrupted
  sources TEXT NOT NULL,                    -- JSON: [[kind, container], ...]; [] for a regrade
  options TEXT NOT NULL,                    -- JSON: exercises, course, target, issue, strict,
                                            -- provenance, witness_key, attempts, naming (--layout)
  by TEXT NOT NULL                          -- who started it: the operating system's user name
) STRICT;

CREATE TABLE learner (                      -- a row of the roster; a new roster replaces all rows
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  ids TEXT NOT NULL DEFAULT '{}'            -- JSON object: the cells of the row, by column name
) STRICT, WITHOUT ROWID;

CREATE TABLE submission (                   -- a cohort: rows whose seen is the last 'grade' run of
  id INTEGER PRIMARY KEY,                   -- the assignment
  assignment TEXT NOT NULL DEFAULT '',
  learner TEXT NOT NULL,                    -- the key; without a roster, the name in the collection
  attempt TEXT NOT NULL,                    -- a label; sorted as text, the latest attempt is last
  kind TEXT NOT NULL,                       -- kind of collection: folder, zip, manifest, remote
  container TEXT NOT NULL,                  -- absolute path or address of the collection
  inner TEXT NOT NULL,                      -- names of the submission's entries, one on each line
  submitted TEXT NOT NULL DEFAULT '',       -- ISO 8601, from the platform; '' if unknown
  late INTEGER NOT NULL DEFAULT 0,          -- 1 if the platform marks it as late
  conflict TEXT NOT NULL DEFAULT '',        -- why several entries claim this learner, or ''
  seen INTEGER NOT NULL REFERENCES run (id), -- the last run that found it
  UNIQUE (assignment, learner, attempt)
) STRICT;

CREATE TABLE rules (                        -- an exercise, and the rules by which it was graded
  id INTEGER PRIMARY KEY,
  exercise TEXT NOT NULL,
  digest TEXT NOT NULL,                     -- of the code, the course, the options and the versions
  title TEXT NOT NULL,
  points INTEGER NOT NULL,
  checks TEXT NOT NULL,                     -- JSON: [{code, title, points, advisory, page}, ...]
  UNIQUE (exercise, digest)
) STRICT;

CREATE TABLE run_exercise (                 -- the exercises of a run, in order
  run INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,                -- from 0
  rules INTEGER NOT NULL REFERENCES rules (id),
  compared TEXT NOT NULL DEFAULT '',        -- JSON: how copies are found (paths, counted,
                                            -- shipped, handed_out); '' if nothing is compared
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE reads (                        -- what grading reads from a submission, in order
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE                 -- JSON: [[operation, path], ...]; operations: read,
                                            -- is_file, names, history
) STRICT;

CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  submission INTEGER NOT NULL REFERENCES submission (id),
  exercise TEXT NOT NULL,
  rules INTEGER NOT NULL REFERENCES rules (id),
  run INTEGER NOT NULL REFERENCES run (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('pass', 'fail', 'unresolved', 'error')),
  score INTEGER CHECK ((score IS NULL) = (outcome IN ('unresolved', 'error'))),
  outcomes TEXT NOT NULL,                   -- a letter for each check, in order: p, f, s, e or u;
                                            -- '' if unresolved
  reads INTEGER NOT NULL REFERENCES reads (id),
  digests BLOB NOT NULL,                    -- 16 bytes for each read: the digest of its result
  provenance TEXT NOT NULL CHECK (provenance IN ('', 'L0', 'L1', 'L2', 'L3')), -- or ''
  fingerprint BLOB NOT NULL DEFAULT x'',    -- 16 bytes for each artifact: the digest of its content
  superseded INTEGER REFERENCES result (id) -- the later result; NULL if this one counts
) STRICT;

CREATE TABLE sketch (                       -- of a result of batch --near-copies
  result INTEGER PRIMARY KEY REFERENCES result (id),
  hashes BLOB NOT NULL                      -- 4 bytes for each, sorted
) STRICT;

CREATE UNIQUE INDEX result_current ON result (submission, exercise) WHERE superseded IS NULL;

CREATE TABLE finding (                      -- why a check did not pass or a result is unresolved
  result INTEGER NOT NULL REFERENCES result (id),
  position INTEGER NOT NULL,                -- of the check in the exercise, from 0
  ordinal INTEGER NOT NULL,                 -- of the finding in the check, from 0
  message TEXT NOT NULL,
  expected TEXT NOT NULL,
  found TEXT NOT NULL,
  file TEXT NOT NULL,
  path TEXT NOT NULL,
  line INTEGER NOT NULL,                    -- from 1; 0 for the whole file
  column INTEGER NOT NULL,
  next_step TEXT NOT NULL,
  excerpt TEXT NOT NULL,                    -- the lines around it, from line max(1, line - 2)
  waits_for TEXT NOT NULL,                  -- if skipped: the code of the check that it waits for;
                                            -- if failed: the part of its points that it gives
  PRIMARY KEY (result, position, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE override (                     -- what a person decided about a score
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL DEFAULT '',
  learner TEXT NOT NULL,
  exercise TEXT NOT NULL,                   -- '' for the whole assignment
  kind TEXT NOT NULL DEFAULT 'score' CHECK (kind IN ('score', 'excused', 'comment')),
  score REAL CHECK ((score IS NULL) = (kind <> 'score')), -- the score that counts
  reason TEXT NOT NULL,                     -- or the text of the comment
  by TEXT NOT NULL,
  made TEXT NOT NULL,                       -- ISO 8601, UTC
  withdrawn TEXT,                           -- ISO 8601, UTC; NULL if the override is in effect
  withdrawn_by TEXT
) STRICT;

CREATE UNIQUE INDEX override_holding        -- a score or an excuse, and a comment beside it
  ON override (assignment, learner, exercise, kind = 'comment') WHERE withdrawn IS NULL;

CREATE TABLE term (                         -- the last term.toml; no row for one assignment
  id INTEGER PRIMARY KEY CHECK (id = 1),
  path TEXT NOT NULL,
  document TEXT NOT NULL                    -- JSON: what the file says
) STRICT;

CREATE TABLE decision (                     -- whose an entry is, as a person decided
  collection TEXT NOT NULL,                 -- container of the entry; '' for any collection
  entry TEXT NOT NULL,
  learner TEXT NOT NULL,                    -- the key; a group's entry has a row for each learner
  why TEXT NOT NULL,                        -- the column why of the table of decisions, or ''
  by TEXT NOT NULL,
  made TEXT NOT NULL,                       -- ISO 8601, UTC
  PRIMARY KEY (collection, entry, learner)
) STRICT, WITHOUT ROWID;

CREATE TABLE exported (                     -- a grade that an export wrote into a platform's file
  cell TEXT NOT NULL,                       -- JSON: [option, [ids of the row], column]
  value TEXT NOT NULL,
  PRIMARY KEY (cell, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE identity (                     -- what identifies a learner; also one who left the roster
  learner TEXT NOT NULL,                    -- and holds an override or a decision
  heading TEXT NOT NULL,                    -- of the roster's column; 'name' for the full name
  value TEXT NOT NULL,                      -- as it is compared
  PRIMARY KEY (learner, heading)
) STRICT, WITHOUT ROWID;

CREATE INDEX identity_value ON identity (value);

CREATE VIEW last_run AS                     -- the last 'grade' run of each assignment
  SELECT assignment, max(id) AS run FROM run WHERE kind = 'grade' GROUP BY assignment;

CREATE TABLE attention (                    -- an entry that a person has to look at, of the last
  assignment TEXT NOT NULL,                 -- run of the assignment
  line TEXT NOT NULL,
  PRIMARY KEY (assignment, line)
) STRICT, WITHOUT ROWID;

CREATE VIEW cohort AS                       -- who is on the roster, or has a submission: the
  SELECT s.assignment, l.run, s.learner, s.id AS submission -- last of each learner, else NULL
    FROM last_run l JOIN submission s ON s.assignment = l.assignment AND s.seen = l.run
    WHERE NOT EXISTS (
      SELECT 1 FROM submission t WHERE t.assignment = s.assignment
      AND t.learner = s.learner AND t.attempt > s.attempt AND t.seen = s.seen)
  UNION ALL SELECT l.assignment, l.run, key, NULL FROM last_run l JOIN learner WHERE NOT EXISTS (
    SELECT 1 FROM submission s
    WHERE s.assignment = l.assignment AND s.learner = key AND s.seen = l.run);

CREATE VIEW grade AS                        -- what each learner has in each exercise of the last run
  SELECT assignment, learner, exercise, score, -- and the same as text: pass 9, missing
    outcome || iif(score IS NULL, '', printf(' %.12g', score)) AS text FROM (
      SELECT c.assignment, c.learner, rules.exercise,
        iif(o.kind = 'excused', NULL, coalesce(o.score, r.score)) AS score,
        CASE WHEN o.kind = 'excused' THEN o.kind WHEN c.submission IS NULL THEN 'missing'
          ELSE coalesce(r.outcome, 'error') END AS outcome
      FROM cohort c JOIN run_exercise e ON e.run = c.run JOIN rules ON rules.id = e.rules
        LEFT JOIN result r ON r.submission = c.submission AND r.exercise = rules.exercise
          AND r.superseded IS NULL
        LEFT JOIN override o ON o.assignment = c.assignment AND o.learner = c.learner
          AND o.exercise = rules.exercise AND o.withdrawn IS NULL AND o.kind <> 'comment');

CREATE TABLE earlier (                      -- the grades when the last 'grade' run of the
  assignment TEXT NOT NULL DEFAULT '',      -- assignment began, of the run before it
  learner TEXT NOT NULL,
  exercise TEXT NOT NULL,
  score REAL,
  text TEXT NOT NULL,
  PRIMARY KEY (assignment, learner, exercise)
) STRICT, WITHOUT ROWID;

CREATE VIEW newest AS                       -- the last 'grade' run of all, and the assignment's
  SELECT n.assignment, n.id AS run, (       -- run before it
    SELECT max(id) FROM run r
    WHERE r.kind = 'grade' AND r.assignment = n.assignment AND r.id < n.id) AS previous
  FROM run n WHERE n.kind = 'grade' ORDER BY n.id DESC LIMIT 1;

CREATE VIEW before AS                       -- the grades before the newest run
  SELECT learner, exercise, score, text FROM earlier
  WHERE assignment = (SELECT assignment FROM newest);

CREATE VIEW dropped AS                      -- of what has a score there, what that run leaves out
  SELECT 'exercise' AS kind, printf('%s (%d)', exercise, count(*)) AS text FROM before
  WHERE score IS NOT NULL AND exercise NOT IN (
    SELECT exercise FROM newest JOIN run_exercise USING (run) JOIN rules ON rules.id = rules)
  GROUP BY exercise
  UNION ALL SELECT DISTINCT 'learner', learner FROM submission JOIN newest ON seen = previous
  WHERE learner IN (SELECT learner FROM before WHERE score IS NOT NULL)
    AND learner NOT IN (SELECT learner FROM submission JOIN newest ON seen = run)
    AND inner NOT IN (SELECT inner FROM submission JOIN newest ON seen = run)
  UNION ALL SELECT 'collection', value FROM newest n JOIN run r ON r.id = n.previous,
    json_each(r.sources) WHERE value NOT IN (
      SELECT value FROM newest n JOIN run r ON r.id = n.run, json_each(r.sources));

CREATE VIEW holder AS                       -- who has an override in effect, or a decision
  SELECT learner FROM override WHERE withdrawn IS NULL UNION SELECT learner FROM decision;

CREATE VIEW unclaimed AS                    -- what belongs to nobody in the cohort any more
  SELECT 'override' AS kind,
    printf('%s %s (%s, %s)', learner, trim(assignment || ' ' || exercise),
      iif(kind = 'score', printf('%.12g', score), kind), reason) AS text FROM override
  WHERE withdrawn IS NULL AND learner NOT IN (SELECT learner FROM cohort)
  UNION ALL
  SELECT 'decision', printf('%s (%s)', entry, learner) FROM decision
  WHERE EXISTS (SELECT 1 FROM learner) AND learner NOT IN (SELECT key FROM learner);

CREATE VIEW certain AS                      -- an identifying value that one learner on the roster
  SELECT old.learner AS former, old.heading AS former_heading, -- has, and one who left it
    new.learner, new.heading, value
  FROM identity old JOIN identity new USING (value)
  WHERE old.learner NOT IN (SELECT key FROM learner) AND new.learner IN (SELECT key FROM learner)
    AND old.heading NOT IN ('name', 'identifier') AND new.heading NOT IN ('name', 'identifier')
    AND NOT EXISTS (
      SELECT 1 FROM identity i WHERE i.value = old.value AND i.heading NOT IN ('name', 'identifier')
      AND i.learner NOT IN (old.learner, new.learner));

CREATE VIEW successor AS                    -- the new key of a learner whose key has changed: a
  SELECT former, min(learner) AS learner FROM certain c -- value of the same column, an address, or
  WHERE heading = former_heading OR value LIKE '%@%' -- any value with the same full name
    OR EXISTS (
      SELECT 1 FROM identity a JOIN identity b USING (heading, value)
      WHERE heading = 'name' AND a.learner = c.former AND b.learner = c.learner)
  GROUP BY former HAVING count(DISTINCT learner) = 1;
