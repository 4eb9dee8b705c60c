"""Collections of 25 learners as the platforms hand them out, with their rosters and the truth."""

from __future__ import annotations

import os
import re
import unicodedata
import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import yaml  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from random import Random

AT = "2026-03-0{}-11-00-00"
_NAMES = (  # first, last: Jane Doe is there twice
    *("Jane|Doe", "Jane|Doe", "Jürgen|Müller", "Jörg|Mueller", "Åke|Ångström", "Zoë|O'Brien"),
    *("José|Núñez García", "Łukasz|Żółć", "محمد|علي", "فاطمة|الزهراء", "雷|李", "梅梅|韩"),
    *("राम|शर्मा", "Ada 🦊|Lovelace", "Jean-Luc|Picard", "Max|Mustermann", "Jan|van der Berg"),
    *("Strauß|Anna", "Strauss|Anna", "Nguyễn|Văn An", "Søren|Kierkegaard", "İpek|Yilmaz"),
    *("Eve|Late", "Tom|Twice", "Nil|Nothing"),
)
_FIRSTS = (
    *(
        "Jane",
        "Jürgen",
        "Åke",
        "Zoë",
        "José",
        "Łukasz",
        "محمد",
        "فاطمة",
        "雷",
        "梅梅",
        "राम",
        "Ada 🦊",
    ),
    *(
        "Jean-Luc",
        "Nguyễn",
        "Søren",
        "İpek",
        "O",
        "Ana María",
        "D'Arcy",
        "Ελένη",
        "Иван",
        "Ẽu",
        "Mary Ann",
    ),
)
_LASTS = (
    *(
        "Doe",
        "Müller",
        "Mueller",
        "Ångström",
        "O'Brien",
        "Núñez García",
        "Żółć",
        "علي",
        "李",
        "शर्मा",
    ),
    *(
        "Lovelace",
        "Müller-Lüdenscheidt",
        "van der Berg",
        "Strauß",
        "Strauss",
        "Văn An",
        "Doe-Roe",
        "Roe",
    ),
    *("Yilmaz", "Παπαδοπούλου", "Петров", "de la Cruz", "N'Golo", "Smith", "Al-Masri"),
)
LATE, TWICE, NOTHING = 22, 23, 24  # places of who is late, submitted twice, and did not submit
LOOSE = 5  # the place of who submitted several files, not packed


class Person(NamedTuple):
    """One learner: the names, and a number, a login and a matriculation number of their own."""

    first: str
    last: str
    number: str
    login: str
    sid: str

    @property
    def email(self) -> str:
        """Return the address."""
        return f"{self.login}@uni.example"


class Made(NamedTuple):
    """A collection and its roster as text.

    `entries` are its files by path. `truth` has each entry at the top with the key of its learner
    on the roster, None for a stranger's.
    """

    platform: str
    folder: str
    roster: str
    entries: Mapping[str, bytes]
    truth: Mapping[str, str | None]

    def as_folder(self, above: str) -> str:
        """Write the collection as a folder and return its path."""
        root = os.path.join(above, self.folder)
        for path, data in self.entries.items():
            full = os.path.join(root, *path.split("/"))
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(data)
        return root

    def as_zip(self, above: str) -> str:
        """Write the collection as a zip and return its path."""
        path = os.path.join(above, f"{self.folder}.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in self.entries.items():
                archive.writestr(name, data)
        return path


PEOPLE = tuple(
    Person(first, last, str(1000 + at), f"user{at:02}", f"{7_000 + at:07}")
    for at, (first, _, last) in enumerate(name.partition("|") for name in _NAMES)
)
_STRANGER = Person("Mallory", "Stranger", "9999", "mallory", "0009999")


def _csv(header: str, rows: Iterable[Iterable[str]], sign: str = ",") -> str:
    lines = [header.replace(",", sign)]
    lines += [sign.join(f'"{cell}"' for cell in row) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _full(one: Person) -> str:
    return f"{one.first} {one.last}"


def plain(pack: Callable[[int], bytes]) -> Made:
    """Return zips named by full name, or by matriculation number where two have one name."""
    names = [_full(one) for one in PEOPLE]
    truth: dict[str, str | None] = {
        f"{one.sid if names.count(_full(one)) > 1 else _full(one)}.zip": one.sid for one in PEOPLE
    }
    del truth[f"{_full(PEOPLE[NOTHING])}.zip"]
    rows = ((one.sid, one.last, one.first, one.email) for one in PEOPLE)
    roster = _csv("Matrikelnummer,Nachname,Vorname,E-Mail-Adresse", rows, ";")
    entries = {name: pack(at) for at, name in enumerate(truth)}
    truth[f"{_full(_STRANGER)}.zip"] = None
    entries[f"{_full(_STRANGER)}.zip"] = pack(99)
    return Made("plain", "submissions", roster, entries, truth)


def canvas(pack: Callable[[int], bytes]) -> Made:
    """Return Canvas's files: one learner has several, one has submitted again (`-1`)."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {}
    for at, one in _submitted():
        name = "".join(c for c in f"{one.last}{one.first}".lower() if c == "_" or _is_word(c))
        who = f"{name}_{'LATE_' * (at == LATE)}{one.number}"
        own = f"work{'-1' * (at == TWICE)}.zip"
        for part, file in enumerate(["plan.json", "git-result.json"] if at == LOOSE else [own]):
            entries[f"{who}_{5_000 + at * 10 + part}_{file}"] = pack(at)
            truth[f"{who}_{5_000 + at * 10 + part}_{file}"] = _key(one, one.number)
    rows = ((f"{one.last}, {one.first}", one.number, one.sid, one.login, "A") for one in PEOPLE)
    header = "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,"
    roster = _csv(header, [*rows, ("Student, Test", "1999", "", "", "A")])
    return Made("canvas", "course-plan submissions", roster, entries, truth)


def moodle(pack: Callable[[int], bytes]) -> Made:
    """Return Moodle's folders, with an online text of one learner, and a German worksheet."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {}
    for at, one in _submitted():
        who = f"{_full(one)}_{one.number}".replace("'", "")
        for part in ["onlinetext", "file"] if at == LOOSE else ["file"]:
            folder = f"{who}_assignsubmission_{part}"
            file = "onlinetext.html" if part == "onlinetext" else "work.zip"
            entries[f"{folder}/{file}"] = b"<p>Hello</p>" if part == "onlinetext" else pack(at)
            truth[folder] = _key(one, f"Teilnehmer/in{one.number}")
    rows = ((f"Teilnehmer/in{one.number}", _full(one), one.email, "", "") for one in PEOPLE)
    header = "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung"
    return Made("moodle", "CS1-Plan-77", _csv(header, rows), entries, truth)


def gradescope(pack: Callable[[int], bytes]) -> Made:
    """Return Gradescope's folders with their metadata."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {}
    metadata: dict[str, object] = {}
    for at, one in _submitted():
        entries[f"submission_{400 + at}/work.zip"] = pack(at)
        truth[f"submission_{400 + at}"] = _key(one, one.sid)
        metadata[f"submission_{400 + at}"] = {
            ":submitters": [{":name": _full(one), ":sid": one.sid, ":email": one.email}],
            ":created_at": "2026-03-01 11:00:00.000000000 Z",
            ":late": at == LATE,
        }
    entries["submission_metadata.yml"] = yaml.safe_dump(metadata, allow_unicode=True).encode()
    rows = ((one.first, one.last, one.sid, one.email) for one in PEOPLE)
    roster = _csv("First Name,Last Name,SID,Email", rows)
    return Made("gradescope", "assignment_123_export", roster, entries, truth)


def blackboard(pack: Callable[[int], bytes]) -> Made:
    """Return Blackboard's files with their logs: one learner has two attempts."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {}
    for at, one in _submitted():
        for day in (1, 2) if at == TWICE else (1,):
            name = f"gradebook_CS_1_Plan_1_{one.login}_attempt_{AT.format(day)}"
            entries[f"{name}_work.zip"] = pack(at * (day if at == TWICE else 1))
            entries[f"{name}.txt"] = f"Name: {_full(one)} ({one.login})\n".encode()
            truth |= {f"{name}_work.zip": _key(one, one.sid), f"{name}.txt": _key(one, one.sid)}
    rows = ((one.last, one.first, one.login, one.sid, "Yes") for one in PEOPLE)
    roster = _csv("Last Name,First Name,Username,Student ID,Availability", rows, "\t")
    folder = f"gradebook_CS_1_Plan_1_{AT.format(3)}"
    return Made("blackboard", folder, roster, entries, truth)


def classroom(pack: Callable[[int], bytes]) -> Made:
    """Return Classroom 50's clones, each with its work in an archive."""
    entries = {f"cs1-plan-1-{one.login}/work.zip": pack(at) for at, one in _submitted()}
    truth = {f"cs1-plan-1-{one.login}": _key(one, one.login) for _, one in _submitted()}
    entries["scores.csv"], truth["scores.csv"] = b"username,first_name\n", None
    rows = ((one.login, one.first, one.last, "", "A", one.number, "student") for one in PEOPLE)
    roster = _csv("username,first_name,last_name,email,section,github_id,role", rows)
    folder = "cs1-plan-1_submissions_2026_03_01_T_11_00_00"
    return Made("classroom", folder, roster, entries, truth)


def brightspace(pack: Callable[[int], bytes]) -> Made:
    """Return Brightspace's folders, which have names only; one learner has two attempts."""
    entries: dict[str, bytes] = {"index.html": b"<p>Plan</p>"}
    truth: dict[str, str | None] = {"index.html": None}
    for at, one in _submitted():
        for hour in ("926", "1036") if at == TWICE else ("926",):
            folder = f"397063-{2_557_000 + at} - {_full(one)} - Mar 1, 2026 {hour} AM"
            entries[f"{folder}/work.zip"] = pack(at)
            truth[folder] = _unless_namesake(one, one.sid)
    rows = ((f"#{one.sid}", f"#{one.login}", one.last, one.first, one.email) for one in PEOPLE)
    roster = _csv("OrgDefinedId,Username,Last Name,First Name,Email", rows)
    return Made("brightspace", "Plan Download Mar 2, 2026 900 AM", roster, entries, truth)


def sakai(pack: Callable[[int], bytes]) -> Made:
    """Return Sakai's folders, with what Sakai adds, and its own list as the roster."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {"grades.csv": None}
    for at, one in _submitted():
        folder = _without_marks(f"{one.last}, {one.first}({one.login})")
        entries[f"{folder}/Submission attachment(s)/work.zip"] = pack(at)
        entries[f"{folder}/timestamp.txt"] = b"2026-03-01T11:00:00Z"
        truth[folder] = _key(one, one.login)
    head = "Plan,Points,,,,,\n,,,,,,\nDisplay ID,ID,Last Name,First Name,grade,Submission,Late"
    late = {LATE: "Late"}
    rows = (
        (
            one.login,
            one.login,
            one.last,
            one.first,
            "",
            f"2026-03-01T11:00:{at:02}Z",
            late.get(at, ""),
        )
        for at, one in enumerate(PEOPLE)
    )
    roster = _csv(head, rows)
    return Made("sakai", "Plan", roster, entries | {"grades.csv": roster.encode()}, truth)


def ilias(pack: Callable[[int], bytes]) -> Made:
    """Return ILIAS's folders, whose names have no letters beyond ASCII."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {}
    for at, one in _submitted():
        marks = "".join(_without_marks(s) if s in "üöäåéñíćóø" else s for s in _full(one))
        first, last = marks[: len(one.first)], marks[len(one.first) + 1 :]
        name = "".join(s if s.isascii() else "_" * len(s.encode()) for s in f"{last}_{first}")
        entries[f"{name}_{one.login}_{30_000 + at}/20260301110000_work.zip"] = pack(at)
        truth[f"{name}_{one.login}_{30_000 + at}"] = _key(one, one.sid)
    rows = ((one.sid, one.login, one.last, one.first) for one in PEOPLE)
    roster = _csv("Matrikelnummer,Benutzername,Nachname,Vorname", rows, ";")
    return Made("ilias", "Plan", roster, entries, truth)


def teams(pack: Callable[[int], bytes]) -> Made:
    """Return the folders of Microsoft Teams: one learner has two versions."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {}
    for at, one in _submitted():
        for version in (9, 10) if at == TWICE else (1,):
            data = pack(at) if version != 9 else b"an older one"
            entries[f"{_full(one)}/Plan/Version {version}/work.zip"] = data
        truth[_full(one)] = _unless_namesake(one, one.email)
    rows = ((one.first, one.last, one.email) for one in PEOPLE)
    roster = _csv("First Name,Last Name,Email Address", rows)
    return Made("teams", "Submitted files", roster, entries, truth)


def drive(pack: Callable[[int], bytes]) -> Made:
    """Return the files of a form's uploads in Google Drive, and copies that Classroom made."""
    entries: dict[str, bytes] = {}
    truth: dict[str, str | None] = {}
    for at, one in _submitted():
        name = f"{_full(one)} - Plan.zip" if at % 2 else f"my - work - {_full(one)}.zip"
        if truth.setdefault(name, _unless_namesake(one, one.email)) is not None or one is _STRANGER:
            entries[name] = pack(at)
    entries[f"my - work - {_full(PEOPLE[0])}.zip"] = pack(0)
    rows = ((one.last, one.first, one.email) for one in PEOPLE)
    roster = _csv("Last Name,First Name,Email Address", rows)
    return Made("google-drive", "Plan", roster, entries, {name: truth[name] for name in entries})


MAKERS = (
    *(plain, canvas, moodle, gradescope, blackboard, classroom),
    *(brightspace, sakai, ilias, teams, drive),
)


@contextmanager
def class_of(people: Sequence[Person]) -> Iterator[None]:
    """Make collections of other people while it is open."""
    global PEOPLE  # noqa: PLW0603  # each maker is of one class
    before, PEOPLE = PEOPLE, tuple(people)
    try:
        yield
    finally:
        PEOPLE = before


def random_class(random: Random) -> list[Person]:
    """Return 25 people with hard names, numbers and logins that look alike."""
    people: list[Person] = []
    while len(people) < 25:
        first, last = random.choice(_FIRSTS), random.choice(_LASTS)
        login = random.choice((f"u{len(people):02}", f"{len(people)}", f"x{len(people)}.y"))
        person = Person(
            first,
            last,
            f"{2_000 + len(people)}",
            login,
            f"{random.randrange(9)}{8_000 + len(people):06}",
        )
        if random.random() < 0.02 or not any(one[:2] == person[:2] for one in people):
            people.append(person)
    return people


class MadeGroups(NamedTuple):
    """A collection of groups: files by path, the tables, and the members of each entry."""

    entries: Mapping[str, bytes]
    roster: str
    groups: str
    truth: Mapping[str, tuple[str, ...]]


def groups_of(platform: str, random: Random) -> MadeGroups:
    """Return what groups have submitted on a platform, and what an unknown group has."""
    names = [
        f"{random.choice(('Team', 'Gruppe', 'Équipe'))} {at}-{random.choice('AÜ')}"
        for at in range(9)
    ]
    of = {one: names[at % 8] for at, one in enumerate(random.sample(PEOPLE, 24))}
    entries: dict[str, bytes] = {}
    truth: dict[str, tuple[str, ...]] = {}
    for at, name in enumerate(names):
        members = [one for one in PEOPLE if of.get(one) == name]
        number = members[0].number if members else "9999"
        plain = "".join(filter(str.isalnum, name.lower()))
        entry = {
            "canvas": f"{plain}_{number}_{5_000 + at}_work.zip",
            "moodle": f"{name}_{2_000 + at}_assignsubmission_file",
            "brightspace": f"39-{at} - {name} - Mar 1, 2026 926 AM",
        }[platform]
        entries[entry if platform == "canvas" else f"{entry}/work.zip"] = b"%d" % at
        truth[entry] = tuple(sorted(_group_key(platform, one) for one in members))
    maker = {"canvas": canvas, "moodle": moodle, "brightspace": brightspace}[platform]
    roster = maker(lambda _: b"").roster
    head, cells = _TABLES_OF_GROUPS[platform]
    rows = ((*(cell(one) for cell in cells), of.get(one, "")) for one in PEOPLE)
    return MadeGroups(entries, roster, _csv(head, rows), truth)


_TABLES_OF_GROUPS: dict[str, tuple[str, tuple[Callable[[Person], str], ...]]] = {
    "canvas": (
        "name,canvas_user_id,user_id,login_id,sections,group_name",
        (_full, lambda p: p.number, lambda p: p.sid, lambda p: p.login, lambda _: "A"),
    ),
    "moodle": (
        "ID,Vollständiger Name,Gruppe",
        (lambda p: f"Teilnehmer/in{p.number}", _full),
    ),
    "brightspace": (
        "OrgDefinedId,Username,Group Name",
        (lambda p: f"#{p.sid}", lambda p: f"#{p.login}"),
    ),
}


def _group_key(platform: str, one: Person) -> str:
    keys = {"canvas": one.number, "moodle": f"Teilnehmer/in{one.number}", "brightspace": one.sid}
    return keys[platform]


def _submitted() -> list[tuple[int, Person]]:
    return [*((at, one) for at, one in enumerate(PEOPLE) if at != NOTHING), (99, _STRANGER)]


def _key(one: Person, key: str) -> str | None:
    return None if one is _STRANGER else key


def _unless_namesake(one: Person, key: str) -> str | None:
    return None if [_full(person) for person in PEOPLE].count(_full(one)) > 1 else _key(one, key)


def _without_marks(text: str) -> str:
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", text))


def _is_word(character: str) -> bool:
    return character.isalnum() or "\u0300" <= character <= "\u0dff"
