"""Which files are tests: the published table against a list that was written without it."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import product
from typing import Any, NamedTuple

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol.conventions import TABLE, is_code_path, is_document_path, is_test_path
from pipeline.protocol.validate import validate
from pipeline.schema import KINDS

Plans = list[list[str]]


class Row(NamedTuple):
    """A path of an ecosystem, with what somebody who knows it calls it."""

    ecosystem: str
    path: str
    label: str


def independent_rows() -> list[Row]:
    """Return the rows of `fixtures/test-conventions.tsv`."""
    with open(os.path.join(ROOT, "fixtures", "test-conventions.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if line[0] not in "#\n"]
    return [Row(*fields[:3]) for fields in lines]


def refused(files: list[str]) -> list[str]:
    """Return the files that validation calls implementation after a test."""
    steps = [
        {"order": number, "file": file, "description": "Write this file"}
        for number, file in enumerate(files, start=1)
    ]
    plan = {"affected_files": list(dict.fromkeys(files)), "steps": steps}
    problems = validate(json.dumps(plan).encode(), KINDS["plan"]).problems
    return [files[p.path[1]] for p in problems if p.rule == "tests-last"]  # type: ignore[index]


def table() -> Any:
    with open(TABLE, encoding="utf-8") as file:
        return json.load(file)


def test_t6_the_table_covers_forty_languages_and_frameworks_with_their_sources() -> None:
    rows = table()["tests"]

    assert len({row["name"] for row in rows}) == len(rows) >= 40
    assert all(row["source"].startswith("https://") for row in rows)
    assert [row["example"] for row in rows if not is_test_path(row["example"])] == []


def test_t6_no_independent_source_is_a_test_and_no_other_file_is_surely_code() -> None:
    rows = independent_rows()
    tests = {row for row in rows if is_test_path(row.path)}
    code = {row for row in rows if is_code_path(row.path)}
    known = Counter(row.label for row in tests | code)

    assert {row.label for row in tests} <= {"test", "neutral-or-test"}
    assert {row.label for row in code} <= {"source"}
    assert known["test"] >= 0.75 * len([row for row in rows if row.label == "test"])
    assert known["source"] >= 0.75 * len([row for row in rows if row.label == "source"])


def honest_plans() -> Plans:
    """Return plans of each ecosystem: code first, and then any other file after any test."""
    rows = independent_rows()
    plans: Plans = []
    for ecosystem in dict.fromkeys(row.ecosystem for row in rows):
        own = [row for row in rows if row.ecosystem == ecosystem]
        code = [row.path for row in own if row.label == "source"]
        tests = [row.path for row in own if row.label == "test"]
        others = [row.path for row in own if row.label != "source"]
        plans += [[*code, *pair] for pair in product(tests, others)]
        plans += [[path, *code, *tests] for path in code]  # no source makes the next one late
    return plans


def test_t6_no_honest_plan_of_any_ecosystem_is_refused() -> None:
    plans = honest_plans()

    assert len(plans) > 2_800
    assert [found for found in plans if refused([*dict.fromkeys(found)])] == []


@pytest.mark.parametrize(
    "path",
    [
        *("test/a.js", "src/test/java/A.java", "src/__tests__/a.ts", "sandbox/test/a.js"),
        *("test_a.py", "pkg/a_test.py", "conftest.py", "a_test.go", "polls/tests.py"),
        *("src/a.test.mjs", "src/a.spec.tsx", "spec/models/user_spec.rb", "spec/spec_helper.rb"),
        *("rails_helper.rb", "Shop.Tests/Helper.cs", "src/Shop.UnitTests/Cart.cs", "tests/it.rs"),
        *("cypress/support/commands.js", "web/login.cy.ts", "e2e/login.ts", "t/cart.t"),
        *("Tests/ShopTests/CartTests.swift", "tests/cart.bats", "Get-Cart.Tests.ps1"),
    ],
)
def test_a_test_is_known_by_the_convention_of_its_runner(path: str) -> None:
    assert (is_test_path(path), is_code_path(path)) == (True, False)


@pytest.mark.parametrize(
    "path",
    [
        *("app/test/page.tsx", "LabTest.java", "CircuIT.java", "lib/e2e/crypto.ts"),
        *("src/ATest.kt", "src/AppIT.java", "src/CartTests.cs"),  # tests, or a laboratory's
        *("src/spec_helper.js", "src/e2e.ts", "src/cypress.js", "testing/a.js", "a_tests.go"),
        *("tests/factories.json", "store/testdata/a.go", "src/__mocks__/fs.js", "app/factories.py"),
        *("package.json", "Cargo.lock", "openapi.yaml", "CHANGELOG.md", ".github/workflows/ci.yml"),
        *("vite.config.ts", "setup.py", "build.rs", "src/api_pb2.py", "src/a.generated.ts"),
        *("db/migrate/1_a.rb", "src/pkg/__init__.py", "docs/conf.py", "Makefile", "a.unknown"),
        *("", ".", "/", "a" * 5_000 + ".py", "test_" * 1_000 + ".py"),
    ],
)
def test_t6_what_is_not_surely_a_test_or_code_is_neither(path: str) -> None:
    assert (is_test_path(path), is_code_path(path)) == (False, False)


@pytest.mark.parametrize(
    "path",
    [
        *("src/app.js", "src/contest.js", "src/latest.py", "src/Latest.java", "attest.rb"),
        *("src/fuzzy.js", "src/units.js", "src/community.cs", "src/hottest.py", "src/stressed.py"),
        *("src/workbench.ts", "src/verifier.go", "pages/login.ts", "src/t.ts", "main.sh"),
        *("app/page.tsx", "lib/shop.ex", "src/lib.rs", "Shop.Contests/Cart.cs", "cmd/shop/main.go"),
        *("Sources/Shop/Cart.swift", "src/main/java/Cart.java", "src/Cart.php", "lib/cart.dart"),
    ],
)
def test_t6_code_after_a_test_is_still_refused(path: str) -> None:
    assert refused(["a.py", "test_a.py", path]) == [path]


@pytest.mark.parametrize(
    "path",
    [
        *("fuzz/fuzz_targets/x.rs", "fuzz/x.go", "fuzz_x.go", "src/x_fuzzer.cc", "fuzzers/x.cpp"),
        *("src/x.fuzz.ts", "oss-fuzz/x.c", "afl/x.c", "XFuzzTarget.java", "honggfuzz/x.c"),
        *("lib/list_kunit.c", "ui/x_browsertest.cc", "ui/x_pixeltest.cc", "x_uitest.mm"),
        *("k6/load.js", "load/k6.js", "loadtests/x.js", "stress/x.js", "locust/x.py", "jmh/A.java"),
        *("robot/libs/x.py", "resources/robot/x.py", "RobotLib.py", "atest/x.py", "utest/x.py"),
        *("global-setup.ts", "globalSetup.js", "src/teardown.ts", "pacts/x.js", "src/msw/x.ts"),
        *("page-objects/login.ts", "t/helper.c", "src/prop_cart.erl", "qa/x.py", "uat/x.rb"),
        *("check.sh", "knexfile.js", "celeryconfig.py", "AppTest.java", "src/AppTests.cs"),
    ],
)
def test_t6_what_supports_tests_is_never_refused_after_a_test(path: str) -> None:
    assert refused(["a.py", "test_a.py", path]) == []


@pytest.mark.parametrize(
    ("files", "late"),
    [
        (["AppTest.java", "App.java"], ["App.java"]),
        (["test/x/AppTests.kt", "src/x/App.kt"], ["src/x/App.kt"]),
        (["Shop/CartTests.cs", "Shop/Cart.cs"], ["Shop/Cart.cs"]),
        (["CartIT.java", "Cart.java", "CartTest.java"], ["Cart.java"]),
        (["App.java", "AppTest.java"], []),
        (["LabTest.java", "Result.java"], []),  # no Lab.java: it may be a laboratory's
        (["src/main/java/LabTest.java", "src/main/java/Lab.java"], []),
        (["CircuIT.java", "Circuit.java"], []),
        (["ProductSpec.cs", "Product.cs"], []),  # it may be a specification
    ],
)
def test_t6_a_class_and_its_test_are_known_by_their_names(
    files: list[str], late: list[str]
) -> None:
    assert refused(files) == late


def test_t6_a_file_with_its_own_unit_tests_may_come_again_after_the_tests() -> None:
    assert refused(["src/lib.rs", "tests/it.rs", "src/lib.rs"]) == []
    assert refused(["src/lib.rs", "tests/it.rs", "src/new.rs"]) == ["src/new.rs"]
    assert refused(["src/a.js", "test/a.js", "src/a.js"]) == ["src/a.js"]


@pytest.mark.parametrize("path", ["README.MD", "docs/a.html", "x/Doc/y.py", "notes.txt", "doc/z"])
def test_a_document_is_known_by_its_ending_or_its_folder(path: str) -> None:
    assert is_document_path(path)
    assert not is_document_path(path.replace("oc", "ok").replace("MD", "C").replace("txt", "c"))
