-- Makes one gradebook of two, a and b, which are attached; main is new. `merging.py` has put the runs
-- in order (ordered: side, old, new) and has views of both (both_run: side, and the columns of run).
-- Sides are 0 and 1; choice has the side that wins where people or runs disagree.

INSERT INTO main.run
  SELECT new, assignment, kind, started, max(finished), sources, options, by
  FROM both_run r JOIN ordered o ON o.side = r.side AND o.old = r.id GROUP BY new;

INSERT INTO main.rules (exercise, digest, title, points, checks)
  SELECT exercise, digest, title, points, checks FROM both_rules WHERE true ORDER BY side, id
  ON CONFLICT DO NOTHING;
CREATE TEMP TABLE rules_of AS
  SELECT side, o.id AS old, n.id AS new FROM both_rules o JOIN main.rules n USING (exercise, digest);

INSERT INTO main.run_exercise
  SELECT r.new, position, u.new, compared FROM both_run_exercise e
    JOIN ordered r ON r.side = e.side AND r.old = e.run
    JOIN rules_of u ON u.side = e.side AND u.old = e.rules
  WHERE true ORDER BY e.side ON CONFLICT DO NOTHING;

INSERT INTO main.reads (text)
  SELECT text FROM both_reads WHERE true ORDER BY side, id ON CONFLICT DO NOTHING;
CREATE TEMP TABLE reads_of AS
  SELECT side, o.id AS old, n.id AS new FROM both_reads o JOIN main.reads n USING (text);

INSERT INTO main.submission
    (assignment, learner, attempt, kind, container, inner, submitted, late, conflict, seen)
  SELECT s.assignment, learner, attempt, kind, container, inner, submitted, late, conflict, r.new
  FROM both_submission s JOIN ordered r ON r.side = s.side AND r.old = s.seen
  WHERE true ORDER BY s.side, s.id
  ON CONFLICT (assignment, learner, attempt) DO UPDATE SET kind = excluded.kind,
    container = excluded.container, inner = excluded.inner, submitted = excluded.submitted,
    late = excluded.late, conflict = excluded.conflict, seen = excluded.seen
  WHERE excluded.seen > seen;
CREATE TEMP TABLE submission_of AS
  SELECT side, o.id AS old, n.id AS new, assignment, learner, attempt, o.seen
  FROM both_submission o JOIN main.submission n USING (assignment, learner, attempt);
CREATE INDEX temp.by_submission ON submission_of (side, old);

CREATE TEMP TABLE last AS
  SELECT assignment, r.side, max(new) AS run FROM both_run r
    JOIN ordered o ON o.side = r.side AND o.old = r.id
  WHERE kind = 'grade' GROUP BY assignment, r.side;

-- A result that both have has one number; numbers grow with the runs.
CREATE TEMP TABLE graded AS
  SELECT *, dense_rank() OVER (ORDER BY run, submission, exercise, rules, outcome, score, outcomes,
    reads, digests, provenance, fingerprint, nth) AS new
  FROM (SELECT x.side, x.id AS old, s.new AS submission, x.exercise, u.new AS rules, r.new AS run,
      outcome, score, outcomes, d.new AS reads, digests, provenance, fingerprint,
      superseded IS NULL AS current, EXISTS (
        SELECT 1 FROM last l WHERE l.side = x.side AND l.assignment = s.assignment
        AND (r.new > l.run OR EXISTS (
          SELECT 1 FROM main.run_exercise e WHERE e.run = l.run AND e.rules = u.new))) AS counted,
      row_number() OVER (PARTITION BY x.side, x.submission, x.run,
        x.exercise, x.rules, outcome, score, outcomes, x.reads, digests ORDER BY x.id) AS nth
    FROM both_result x
      JOIN submission_of s ON s.side = x.side AND s.old = x.submission
      JOIN rules_of u ON u.side = x.side AND u.old = x.rules
      JOIN ordered r ON r.side = x.side AND r.old = x.run
      JOIN reads_of d ON d.side = x.side AND d.old = x.reads);
CREATE INDEX temp.by_number ON graded (new, side);

-- What is current: of two, the one that the other gradebook does not know as an earlier one.
CREATE TEMP TABLE current AS
  SELECT submission, exercise, new AS winner, lead(new) OVER won AS loser, lead(side) OVER won AS side,
    row_number() OVER won AS place
  FROM (SELECT g.*, side = (SELECT side FROM choice) AS chosen, EXISTS (
      SELECT 1 FROM graded e WHERE e.new = g.new AND e.side <> g.side AND NOT e.current) AS earlier
    FROM graded g WHERE current)
  WINDOW won AS (PARTITION BY submission, exercise ORDER BY earlier, counted DESC, chosen DESC,
    new DESC, side);
CREATE TEMP TABLE disagreed AS
  SELECT c.* FROM current c WHERE place = 1 AND winner <> loser AND NOT EXISTS (
    SELECT 1 FROM graded e WHERE e.new = c.loser AND e.side <> c.side AND NOT e.current);

INSERT INTO main.result
  SELECT g.new, g.submission, g.exercise, rules, run, outcome, score, outcomes, reads, digests,
    provenance, fingerprint,
    lead(g.new) OVER (PARTITION BY g.submission, g.exercise ORDER BY g.new = c.winner, g.new)
  FROM graded g JOIN current c
    ON c.place = 1 AND c.submission = g.submission AND c.exercise = g.exercise
  WHERE NOT EXISTS (SELECT 1 FROM graded e WHERE e.new = g.new AND e.side < g.side);
INSERT INTO main.finding
  SELECT g.new, position, ordinal, message, expected, found, file, path, line, "column", next_step,
    excerpt, waits_for
  FROM both_finding f JOIN graded g ON g.side = f.side AND g.old = f.result
  WHERE true ORDER BY g.side ON CONFLICT DO NOTHING;
INSERT INTO main.sketch
  SELECT g.new, hashes FROM both_sketch k JOIN graded g ON g.side = k.side AND g.old = k.result
  WHERE true ORDER BY g.side ON CONFLICT DO NOTHING;

-- Overrides: what one gradebook has withdrawn is withdrawn; of two in effect, the later one stays.
CREATE TEMP TABLE decided AS
  SELECT assignment, learner, exercise, kind, score, reason, by, made, min(withdrawn) AS withdrawn,
    withdrawn_by, (SELECT side FROM choice) BETWEEN min(side) AND max(side) AS chosen,
    max(side) AS side, min(id) AS id
  FROM (SELECT *, row_number() OVER (PARTITION BY side, assignment, learner, exercise, kind, score,
      reason, by, made ORDER BY id) AS nth FROM both_override)
  GROUP BY assignment, learner, exercise, kind, score, reason, by, made, nth;
CREATE TEMP TABLE effective AS
  SELECT rowid AS number, row_number() OVER won AS place, first_value(rowid) OVER won AS winner
  FROM decided WHERE withdrawn IS NULL
  WINDOW won AS (PARTITION BY assignment, learner, exercise, kind = 'comment'
    ORDER BY chosen DESC, made DESC, side, id);
INSERT INTO main.override (assignment, learner, exercise, kind, score, reason, by, made, withdrawn,
    withdrawn_by)
  SELECT assignment, learner, exercise, kind, score, reason, by, made,
    iif(place > 1, (SELECT now FROM choice), withdrawn),
    iif(place > 1, (SELECT by FROM choice), withdrawn_by)
  FROM decided d LEFT JOIN effective e ON e.number = d.rowid ORDER BY made, side, id;

-- Tables without a history: the winner's row, else the other one's.
CREATE TEMP TABLE entry AS
  SELECT collection, entry, side, group_concat(learner) AS learners, max(made) AS made, max(by) AS by
  FROM (SELECT * FROM both_decision ORDER BY learner) GROUP BY collection, entry, side;
CREATE TEMP TABLE owner AS
  SELECT *, row_number() OVER won AS place, lead(learners) OVER won AS other FROM entry
  WINDOW won AS (PARTITION BY collection, entry
    ORDER BY side = (SELECT side FROM choice) DESC, made DESC, learners, side);
INSERT INTO main.decision
  SELECT collection, entry, learner, why, d.by, d.made
  FROM both_decision d JOIN owner o USING (collection, entry, side) WHERE place = 1;
INSERT INTO main.exported SELECT cell, value FROM both_exported WHERE true ON CONFLICT DO NOTHING;
INSERT INTO main.learner SELECT key, name, email, ids FROM both_learner WHERE true
  ORDER BY side = (SELECT newer FROM choice) DESC ON CONFLICT DO NOTHING;
INSERT INTO main.identity SELECT learner, heading, value FROM both_identity WHERE true
  ORDER BY side = (SELECT newer FROM choice) DESC ON CONFLICT DO NOTHING;
INSERT INTO main.earlier SELECT assignment, learner, exercise, score, text FROM both_earlier
  WHERE true ORDER BY side = (SELECT newer FROM choice) DESC ON CONFLICT DO NOTHING;
INSERT INTO main.term SELECT id, path, document FROM both_term WHERE true
  ORDER BY side = (SELECT newer FROM choice) DESC ON CONFLICT DO NOTHING;

-- A cohort is what the last run found. Where each gradebook has a last run of an assignment that the
-- other does not know, and the later one did not find everything, one more run has what both found.
CREATE TEMP TABLE final AS
  SELECT n.assignment, n.run AS newer, o.run AS older, n.run AS run, n.side, 0 AS regrade,
    o.run < n.run AND NOT EXISTS (
      SELECT 1 FROM ordered WHERE side = n.side AND new = o.run) AS apart
  FROM last n LEFT JOIN last o ON o.assignment = n.assignment AND o.side <> n.side
  WHERE n.run > coalesce(o.run, 0) OR (n.run = o.run AND n.side = 0);
CREATE TEMP TABLE united AS
  SELECT DISTINCT assignment, u.new AS submission
  FROM final JOIN submission_of u USING (assignment)
    JOIN ordered o ON o.side = u.side AND o.old = u.seen AND o.new IN (newer, older);
UPDATE final SET run = (SELECT max(id) FROM main.run) + rowid WHERE apart AND (EXISTS (
    SELECT 1 FROM united u JOIN main.submission s ON s.id = u.submission
    WHERE u.assignment = final.assignment AND s.seen <> newer)
  OR EXISTS (
    SELECT exercise FROM main.run_exercise e JOIN main.rules x ON x.id = e.rules WHERE e.run = older
    EXCEPT
    SELECT exercise FROM main.run_exercise e JOIN main.rules x ON x.id = e.rules WHERE e.run = newer));
INSERT INTO main.run
  SELECT f.run, f.assignment, 'grade', (SELECT now FROM choice),
    iif(n.finished IS NULL OR o.finished IS NULL, NULL, (SELECT now FROM choice)),
    (SELECT json_group_array(json(value)) FROM (
      SELECT value FROM json_each(n.sources) UNION SELECT value FROM json_each(o.sources))),
    n.options, (SELECT by FROM choice)
  FROM final f JOIN main.run n ON n.id = newer JOIN main.run o ON o.id = older WHERE run <> newer;
INSERT INTO main.run_exercise
  SELECT run, row_number() OVER (PARTITION BY run ORDER BY is_older, position) - 1, rules, compared
  FROM (SELECT f.run, e.run = older AS is_older, position, compared, coalesce((
        SELECT g.rules FROM main.run_exercise g JOIN main.rules y ON y.id = g.rules
          JOIN main.run z ON z.id = g.run
        WHERE z.kind = 'regrade' AND z.assignment = f.assignment AND y.exercise = x.exercise
          AND g.run > e.run ORDER BY g.run DESC LIMIT 1
      ), e.rules) AS rules,
      row_number() OVER (PARTITION BY f.run, x.exercise ORDER BY e.run = older) AS nth
    FROM final f JOIN main.run_exercise e ON e.run IN (newer, older)
      JOIN main.rules x ON x.id = e.rules
    WHERE f.run <> newer)
  WHERE nth = 1;
INSERT INTO main.attention
  SELECT a.assignment, line FROM both_attention a JOIN final f USING (assignment)
  WHERE f.run <> newer OR a.side = f.side OR newer = older ON CONFLICT DO NOTHING;
UPDATE main.submission SET seen = f.run FROM united u JOIN final f USING (assignment)
  WHERE u.submission = main.submission.id AND f.run <> newer AND apart;

-- Results that counted, and would not in the last run because of other rules, are kept by a regrade.
UPDATE final SET regrade = (SELECT max(id) FROM main.run) + rowid;
CREATE TEMP TABLE carried AS
  SELECT r.id AS old, f.run AS grade, regrade AS run,
    (SELECT max(id) FROM main.result) + row_number() OVER (ORDER BY r.id) AS new
  FROM final f CROSS JOIN main.submission s ON s.assignment = f.assignment AND s.seen = f.run
    CROSS JOIN main.result r ON r.submission = s.id AND r.superseded IS NULL AND r.run <= f.run
    JOIN main.run_exercise e ON e.run = f.run AND e.rules <> r.rules
    JOIN main.rules x ON x.id = e.rules AND x.exercise = r.exercise
  WHERE EXISTS (
    SELECT 1 FROM graded g WHERE g.new = r.id AND current AND counted AND (
      apart OR g.side = f.side OR NOT EXISTS (
        SELECT 1 FROM graded k WHERE k.new = g.new AND k.side <> g.side)));
INSERT INTO main.run
  SELECT DISTINCT c.run, assignment, 'regrade', (SELECT now FROM choice), (SELECT now FROM choice),
    '[]', options, (SELECT by FROM choice)
  FROM carried c JOIN main.run r ON r.id = grade;
INSERT INTO main.run_exercise
  SELECT DISTINCT c.run, position, rules, compared FROM carried c JOIN main.run_exercise e
    ON e.run = grade;
UPDATE main.result SET superseded = c.new FROM carried c WHERE c.old = main.result.id;
INSERT INTO main.result
  SELECT c.new, submission, exercise, rules, c.run, outcome, score, outcomes, reads, digests,
    provenance, fingerprint, NULL
  FROM carried c JOIN main.result r ON r.id = c.old;
INSERT INTO main.finding
  SELECT c.new, position, ordinal, message, expected, found, file, path, line, "column", next_step,
    excerpt, waits_for
  FROM carried c JOIN main.finding f ON f.result = c.old;
INSERT INTO main.sketch SELECT c.new, hashes FROM carried c JOIN main.sketch k ON k.result = c.old;

CREATE TEMP TABLE latest AS
  SELECT u.side, assignment, learner, max(attempt) AS attempt
  FROM submission_of u JOIN last l USING (side, assignment)
    JOIN ordered o ON o.side = u.side AND o.old = u.seen AND o.new = l.run
  GROUP BY u.side, assignment, learner;

-- What they say differently: what it is about, what counts now, and what does not.
CREATE TEMP TABLE conflict AS
SELECT 'result', trim(s.assignment || ' ' || s.learner || ' ' || w.exercise),
  printf('%s %s, %s', w.outcome, coalesce(w.score, ''), wr.started),
  printf('%s %s, %s', l.outcome, coalesce(l.score, ''), lr.started)
FROM disagreed d JOIN main.submission s ON s.id = d.submission
  JOIN main.result w ON w.id = d.winner JOIN main.run wr ON wr.id = w.run
  JOIN main.result l ON l.id = d.loser JOIN main.run lr ON lr.id = l.run
WHERE (w.outcome, w.score, w.outcomes) IS NOT (l.outcome, l.score, l.outcomes)
UNION ALL
SELECT 'attempt', trim(assignment || ' ' || learner), max(n.attempt, o.attempt),
  min(n.attempt, o.attempt)
FROM final JOIN latest n USING (assignment) JOIN latest o USING (assignment, learner)
WHERE apart AND n.side = 0 AND o.side = 1 AND n.attempt <> o.attempt
UNION ALL
SELECT 'override', trim(w.assignment || ' ' || w.learner || ' ' || w.exercise),
  printf('%s by %s, %s, %s', iif(w.kind = 'score', printf('%.12g', w.score), w.kind), w.by, w.made, w.reason),
  printf('%s by %s, %s, %s', iif(l.kind = 'score', printf('%.12g', l.score), l.kind), l.by, l.made, l.reason)
FROM effective e JOIN decided w ON w.rowid = e.winner JOIN decided l ON l.rowid = e.number
WHERE place > 1
UNION ALL
SELECT 'decision', entry || ' ' || collection, learners, other FROM owner
WHERE place = 1 AND other <> learners
UNION ALL
SELECT 'roster', key, n.name || ' ' || n.ids, o.name || ' ' || o.ids
FROM both_learner n JOIN both_learner o USING (key)
WHERE n.side = (SELECT newer FROM choice) AND o.side <> n.side
  AND (n.name, n.email, n.ids) <> (o.name, o.email, o.ids)
UNION ALL
SELECT 'term', '', n.path, o.path FROM both_term n JOIN both_term o USING (id)
WHERE n.side = (SELECT newer FROM choice) AND o.side <> n.side AND n.document <> o.document;

-- Who is not the same in both, by the rosters: one key for two people, or two keys for one.
CREATE TEMP TABLE elsewhere AS -- two keys of one name, which nobody shares
WITH x AS (
  SELECT value, min(learner) AS learner FROM a.identity
  WHERE heading = 'name' AND learner IN (SELECT key FROM a.learner)
  GROUP BY value HAVING count(*) = 1),
y AS (
  SELECT value, min(learner) AS learner FROM b.identity
  WHERE heading = 'name' AND learner IN (SELECT key FROM b.learner)
  GROUP BY value HAVING count(*) = 1),
pair AS (
  SELECT x.learner AS one, y.learner AS two FROM x JOIN y USING (value)
  WHERE x.learner <> y.learner)
SELECT one AS learner FROM pair UNION SELECT two FROM pair;
CREATE TEMP TABLE stranger AS
SELECT learner, max(iif(heading = 'name', x.value, '')), max(iif(heading = 'name', y.value, ''))
FROM a.identity x JOIN b.identity y USING (learner, heading) WHERE x.value <> casefold(learner)
GROUP BY learner HAVING max(heading = 'name') AND total(x.value = y.value) = 0
  AND (count(*) > 1 OR learner IN elsewhere)
UNION ALL
SELECT value, x.learner, y.learner FROM a.identity x JOIN b.identity y USING (value)
WHERE value LIKE '%@%' AND x.learner IN (SELECT key FROM a.learner EXCEPT SELECT key FROM b.learner)
  AND y.learner IN (SELECT key FROM b.learner EXCEPT SELECT key FROM a.learner);
