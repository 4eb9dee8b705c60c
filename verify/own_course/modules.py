"""Imports the Python files of a course from its folder, under names that no other course has."""

from __future__ import annotations

import hashlib
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from typing import TYPE_CHECKING

from verify.model import COURSE_PACKAGE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

_finders: dict[str, CourseFinder] = {}


def package_of(root: str) -> str:
    """Return the name of the package that stands for a course's folder, the same in any process.

    Its modules are found below it and nowhere else: `sys.path` stays as it is, and a file of the
    course imports another by a relative import.
    """
    name = COURSE_PACKAGE + hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    if name not in _finders:
        _finders[name] = CourseFinder(name, root)
        sys.meta_path.insert(0, _finders[name])  # before the one that keeps bytecode
    return name


class CourseFinder(MetaPathFinder):
    """Finds the modules of one course."""

    def __init__(self, package: str, root: str) -> None:
        self._package = package
        self._root = root

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  # as importlib calls it
        target: ModuleType | None = None,  # noqa: ARG002  # as importlib calls it
    ) -> ModuleSpec | None:
        """Return where a module of the course stands, None for any other."""
        package, *names = fullname.split(".")
        if package != self._package:
            return None
        place = os.path.join(self._root, *names)
        if os.path.isdir(place):
            return _package_spec(fullname, place)
        file = f"{place}.py"
        if not os.path.isfile(file):
            return None
        return spec_from_file_location(fullname, file, loader=AsWritten(fullname, file))


def _package_spec(fullname: str, folder: str) -> ModuleSpec | None:
    file = os.path.join(folder, "__init__.py")
    if os.path.isfile(file):
        return spec_from_file_location(
            fullname,
            file,
            loader=AsWritten(fullname, file),
            submodule_search_locations=[folder],
        )
    spec = ModuleSpec(fullname, None, is_package=True)
    spec.submodule_search_locations = [folder]
    return spec


class AsWritten(SourceFileLoader):
    """Compiles a file as it stands: no bytecode is left in the course, none that is stale read."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the module."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code
