// The table of learners × checks: sorts, filters, and shows a page of rows at a time.
"use strict";
(() => {
  const SIZE = 50; // rows of a page
  const [FILE, NAME, KEY, EMAIL, ATTEMPT, OUTCOME, FLAGS, MARKS, SCORES, CHECKS, BY_HAND, COPIES, SUM, SECTION] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
  ];
  const SIGNS = {
    f: ["✗", "fail"],
    e: ["?", "error"],
    n: ["!", "note"],
    s: ["·", "skip"],
    a: ["∅", "not checked"],
    p: ["✓", "pass"],
    m: ["–", "missing"],
    u: ["¿", "unresolved"],
    x: ["○", "excused"],
  };
  const RANK = "fuensapmx"; // what wants attention first comes first
  const LETTERS = { pass: "p", fail: "f", missing: "m", unresolved: "u", excused: "x", error: "e" };
  const data = JSON.parse(document.getElementById("data").textContent);
  const { rows, exercises } = data;
  const find = (name) => document.getElementById(name);
  const [form, table, status, pages, only] = ["filter", "map", "status", "pages", "only"].map(find);
  const names = new Intl.Collator(undefined, { numeric: true });
  const count = (number) => number.toLocaleString("en");
  let state = {};
  let shown = []; // numbers of the rows that pass the filter, sorted
  let texts = null; // what the text filter looks at

  // ---- state, which is the address after its #

  function read(address) {
    const given = new URLSearchParams(address);
    const text = (name) => given.get(name) ?? "";
    return {
      q: text("q"),
      outcome: text("outcome"),
      section: data.sections.includes(text("section")) ? text("section") : "",
      exercise: exercises[text("exercise")] ? text("exercise") : "",
      group: data.groups[text("group")] ? text("group") : "",
      sort: text("sort"),
      page: Math.max(1, Number.parseInt(text("page"), 10) || 1),
      at: text("at"),
    };
  }

  function address() {
    const kept = new URLSearchParams();
    for (const name of ["q", "outcome", "exercise", "section", "group", "sort"])
      if (state[name]) kept.set(name, state[name]);
    if (state.page > 1) kept.set("page", state.page);
    return kept.toString();
  }

  // ---- what is shown, in which order

  const asked = () => (state.exercise === "" ? exercises.map((_, i) => i) : [Number(state.exercise)]);

  function scoreOf(row) {
    const scored = asked().filter((i) => row[SCORES][i] !== null);
    if (!scored.length) return null;
    if (state.exercise === "") return row[SUM][0];
    return scored.reduce((sum, i) => sum + row[SCORES][i], 0);
  }

  function fits(row, number) {
    if (state.q && !textOf(number).includes(state.q.toLowerCase())) return false;
    if (state.section && row[SECTION] !== state.section) return false;
    if (state.outcome === "unknown") return row[FLAGS].includes("u");
    if (state.outcome === "late") return row[FLAGS].includes("l");
    if (state.outcome === "overridden") return row[BY_HAND].some((i) => asked().includes(i));
    if (!state.outcome) return true;
    const letter = state.exercise === "" ? row[OUTCOME] : row[MARKS][state.exercise];
    return letter === LETTERS[state.outcome];
  }

  function textOf(number) {
    texts ??= rows.map((row) =>
      [row[NAME], row[KEY], row[EMAIL], row[ATTEMPT]].join("\n").toLowerCase(),
    );
    return texts[number];
  }

  function comparer(sort) {
    const [, exercise, check] = /^(\d+)(?:\.(\d+))?$/.exec(sort) ?? [];
    if (sort === "name") return (a, b) => names.compare(rows[a][NAME], rows[b][NAME]);
    if (sort === "attempt") return (a, b) => names.compare(rows[a][ATTEMPT], rows[b][ATTEMPT]);
    if (sort === "score") {
      const scores = rows.map(scoreOf);
      return (a, b) => (scores[a] ?? Infinity) - (scores[b] ?? Infinity) || 0;
    }
    if (sort === "copies") return (a, b) => rows[b][COPIES].length - rows[a][COPIES].length;
    if (!exercises[exercise]) return null;
    const ranks = rows.map((row) =>
      RANK.indexOf(check ? row[CHECKS].split(" ")[exercise][check] : row[MARKS][exercise]),
    );
    return (a, b) => ranks[a] - ranks[b];
  }

  function choose() {
    const from = state.group === "" ? rows.keys() : data.groups[state.group];
    shown = [...from].filter((number) => fits(rows[number], number));
    const down = state.sort.startsWith("-");
    const compare = comparer(state.sort.replace("-", ""));
    if (compare) shown.sort((a, b) => (down ? compare(b, a) : compare(a, b)) || a - b);
    const at = state.at ? shown.findIndex((number) => rows[number][FILE] === state.at) : -1;
    if (at >= 0) state.page = Math.floor(at / SIZE) + 1;
    state.page = Math.min(state.page, Math.max(1, Math.ceil(shown.length / SIZE)));
  }

  // ---- drawing

  function element(tag, className, ...children) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  function header(sort, label, title, className) {
    const button = element("button", "", element("span", "", label));
    button.type = "button";
    button.dataset.sort = sort;
    if (title) {
      button.title = title;
      button.append(element("span", "heard", ` ${title}`));
    }
    const cell = element("th", className, button);
    cell.scope = "col";
    return cell;
  }

  function drawHead() {
    const over = element("tr", "", element("td", "corner"));
    over.firstChild.colSpan = 3 + data.attempts;
    const under = element("tr", "", header("name", "Learner", "", "who"));
    if (data.attempts) under.append(header("attempt", "Attempt", "", "attempt"));
    under.append(header("score", "Score", "", "score"));
    under.append(header("copies", "Same as", "", "copies"));
    for (const i of asked()) {
      const { name, title, checks } = exercises[i];
      const group = element("th", "group", name, element("span", "heard", ` ${title}`));
      group.colSpan = checks.length + 1;
      group.scope = "colgroup";
      group.title = title;
      over.append(group);
      under.append(header(String(i), "all", `of ${name}`, "check first"));
      checks.forEach(([code, what], j) => under.append(header(`${i}.${j}`, code, what, "check")));
    }
    table.tHead.replaceChildren(over, under);
  }

  function cell(letter, className) {
    const [symbol, word] = SIGNS[letter];
    const sign = element("span", `cell ${word}`, symbol);
    sign.setAttribute("aria-hidden", "true");
    return element("td", className, sign, element("span", "heard", word));
  }

  function scoreCell(row) {
    const score = scoreOf(row);
    if (score === null) return element("td", "score", "–", element("span", "heard", " no score"));
    const scored = asked().filter((i) => row[SCORES][i] !== null);
    const own = scored.reduce((sum, i) => sum + exercises[i].points, 0);
    const points = state.exercise === "" ? row[SUM][1] : own;
    const of = element("span", "soft", ` of ${points}`);
    const made = element("td", "score", String(Math.round(score * 100) / 100), of);
    if (row[BY_HAND].some((i) => asked().includes(i))) {
      const sign = element("span", "", " ✎");
      sign.setAttribute("aria-hidden", "true");
      made.append(sign, element("span", "heard", " set by hand"));
    }
    return made;
  }

  function copiesCell(row) {
    const made = element("td", "copies");
    row[COPIES].forEach((group, i) => {
      const link = element("a", "", data.copies[group]);
      link.href = `#group=${group}`;
      if (i) made.append(", ");
      made.append(link);
    });
    return made;
  }

  function drawRow(row) {
    const link = element("a", "", element("bdi", "", row[NAME]));
    link.href = `learners/${row[FILE]}.html#${address()}`;
    link.dataset.file = row[FILE];
    const who = element("th", "who", link);
    who.scope = "row";
    if (row[KEY]) who.append(" ", element("bdi", "soft", row[KEY]));
    const made = element("tr", "", who);
    if (data.attempts) made.append(element("td", "attempt", element("bdi", "", row[ATTEMPT])));
    made.append(scoreCell(row), copiesCell(row));
    const letters = row[CHECKS].split(" ");
    for (const i of asked()) {
      made.append(cell(row[MARKS][i], "check first"));
      for (const letter of letters[i]) made.append(cell(letter, "check"));
    }
    return made;
  }

  function drawSorting() {
    const down = state.sort.startsWith("-");
    for (const button of table.tHead.querySelectorAll("button")) {
      const sorted = button.dataset.sort === state.sort.replace("-", "");
      const cell = button.parentElement;
      if (sorted) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
  }

  function drawStatus() {
    const first = (state.page - 1) * SIZE;
    const last = Math.min(first + SIZE, shown.length);
    const one = shown.length === 1;
    const who = one
      ? `1 ${data.noun}`
      : `${count(first + 1)} to ${count(last)} of ${count(shown.length)} ${data.noun}s`;
    const fit = one ? "matches" : "match";
    const of = shown.length === rows.length ? "" : ` that ${fit}, of ${count(rows.length)} in all`;
    status.textContent = shown.length
      ? `${who}${of}.`
      : `None of the ${count(rows.length)} ${data.noun}s match.`;
    const many = Math.max(1, Math.ceil(shown.length / SIZE));
    pages.hidden = many === 1;
    const [number] = pages.getElementsByTagName("input");
    number.value = state.page;
    number.max = many;
    find("of").textContent = `of ${count(many)}`;
    for (const button of pages.querySelectorAll("button"))
      button.disabled = state.page + Number(button.dataset.step) < 1 ||
        state.page + Number(button.dataset.step) > many;
  }

  function drawGroup() {
    only.hidden = state.group === "";
    if (only.hidden) return;
    only.textContent = `Only: ${find(`group-${state.group}`)?.textContent ?? "one group"}`;
  }

  function draw() {
    const first = (state.page - 1) * SIZE;
    table.tBodies[0].replaceChildren(
      ...shown.slice(first, first + SIZE).map((number) => drawRow(rows[number])),
    );
    drawSorting();
    drawStatus();
    drawGroup();
  }

  // ---- what the reader does

  function change(given) {
    const columns = "exercise" in given && given.exercise !== state.exercise;
    state = { ...state, page: 1, at: "", ...given };
    choose();
    if (columns) drawHead();
    draw();
    history.replaceState(null, "", `#${address() || "learners"}`);
  }

  function open() {
    const wanted = location.hash.slice(1);
    const asks = wanted.includes("=");
    state = read(asks ? wanted : "");
    for (const name of ["q", "outcome", "exercise", "section"])
      if (form.elements[name]) form.elements[name].value = state[name];
    choose();
    drawHead();
    draw();
    if (!asks) return;
    const row = state.at && table.querySelector(`a[data-file="${CSS.escape(state.at)}"]`);
    const place = row || find("learners");
    if (!row) place.scrollIntoView();
    else row.scrollIntoView({ block: "center" });
    place.focus({ preventScroll: true });
    history.replaceState(null, "", `#${address() || "learners"}`);
  }

  table.tHead.addEventListener("click", (event) => {
    const sort = event.target.closest("button")?.dataset.sort;
    if (sort) change({ sort: state.sort === sort ? `-${sort}` : sort });
  });
  form.addEventListener("input", () => {
    const { q, outcome, exercise, section } = form.elements;
    change({
      q: q.value,
      outcome: outcome.value,
      exercise: exercise.value,
      section: section?.value ?? "",
    });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    change({ q: "", outcome: "", exercise: "", section: "", group: "", sort: "" });
  });
  pages.addEventListener("click", (event) => {
    const step = event.target.closest("button")?.dataset.step;
    if (step) change({ page: state.page + Number(step) });
  });
  pages.addEventListener("change", (event) => {
    change({ page: Math.max(1, Number.parseInt(event.target.value, 10) || 1) });
  });
  addEventListener("hashchange", () => {
    if (location.hash.includes("=")) open();
  });
  form.hidden = false;
  table.hidden = false;
  open();
})();
