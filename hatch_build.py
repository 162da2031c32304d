"""Compile the modules that import ``templex_scrapy.cython``; they are valid Python, and run uncompiled as well.

TEMPLEX_COMPILED=1 makes it an error if they cannot be compiled, 0 leaves them as they are. Without it, they are
compiled if there is a C compiler.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import tempfile
from contextlib import chdir
from hashlib import sha256
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from Cython.Compiler.Errors import CompileError
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.errors import CCompilerError, ExecError, PlatformError

PACKAGE = "templex_scrapy"
DIGESTS = Path(PACKAGE, "compiled.sha256")
IMPORT = f"from {PACKAGE} import cython\n"
ASKED = {"": None, "0": False, "1": True}


class CompileHook(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel, or puts them beside their sources for an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, as far as that is asked for and can be done."""
        value = os.environ.get("TEMPLEX_COMPILED", "")
        if value not in ASKED:
            raise ValueError(f"TEMPLEX_COMPILED is {value!r}: allowed are 0 and 1")
        root = Path(self.root)
        if version == "editable":  # those of an earlier install may be out of date
            (root / DIGESTS).unlink(missing_ok=True)
            for built in [*root.glob(f"{PACKAGE}/**/*.so"), *root.glob(f"{PACKAGE}/**/*.pyd")]:
                built.unlink()
        if ASKED[value] is False:
            return
        # deletes itself with this process as well, as when the build fails
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        digests = digests_of(root)
        try:
            compiled = build(root, compiled_sources(root), folder)
        except (CompileError, CCompilerError, ExecError, PlatformError) as error:
            if ASKED[value]:
                raise
            self.app.display_warning(f"templex-scrapy is installed as plain Python, which is slower: {error}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for path in compiled:
            place = path.relative_to(folder)
            if version == "editable":
                shutil.copy(path, root / place)
            else:
                build_data["force_include"][str(path)] = str(place)
        if version == "editable":
            (root / DIGESTS).write_text(digests, "utf-8")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Remove what the wheel contains by now."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def compiled_sources(root: Path) -> list[Path]:
    """Return the modules that are compiled: those that import the decorators."""
    return [path for path in sorted(root.glob(f"{PACKAGE}/**/*.py")) if IMPORT in path.read_text("utf-8")]


def digests_of(root: Path) -> str:
    """Return the digests of all that is compiled, as ``templex_scrapy/compiled.py`` reads them."""
    package = root / PACKAGE
    paths = [*sorted(package.rglob("*.pxd")), *compiled_sources(root)]
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(package).as_posix()}\n" for path in paths]
    return "".join(lines)


def build(root: Path, sources: list[Path], folder: Path) -> list[Path]:
    """Compile modules into a folder."""
    work = folder / ".work"
    for path in [*root.glob(f"{PACKAGE}/**/*.pxd"), *root.glob(f"{PACKAGE}/**/__init__.py"), *sources]:
        copy = work / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(as_cython(path, root), "utf-8")
    # -O3 and what a debugger needs take half of the time, and make no page faster
    # a product and a sum in one instruction are rounded once, where Python rounds twice
    options = ["-O2", "-g0", "-ffp-contract=off"] if os.name == "posix" else []
    paths = [source.relative_to(root) for source in sources]
    extensions = [
        Extension(".".join(path.with_suffix("").parts), [path.as_posix()], extra_compile_args=options) for path in paths
    ]
    # annotations are for people and for mypy
    directives = {"language_level": 3, "annotation_typing": False}
    with chdir(work):
        extensions = cythonize(extensions, compiler_directives=directives, quiet=True)
        command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(folder), str(work)
        command.parallel = os.cpu_count()
        command.ensure_finalized()
        command.run()
    return [Path(path) for path in command.get_outputs()]


def as_cython(path: Path, root: Path) -> str:
    """Return a source as Cython reads it, line for line: with Cython's decorators, and with names of C from a .pxd."""
    text = path.read_text("utf-8")
    if IMPORT not in text or path.suffix == ".pxd":
        return text
    lines = text.replace(IMPORT, "import cython\n").splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.end_lineno:
            names = {alias.name for alias in node.names}
            of_c = names & declared(root.joinpath(*node.module.split(".")))
            if of_c:
                others = ", ".join(sorted(names - of_c))
                line = f"from cython.cimports.{node.module} import {', '.join(sorted(of_c))}"
                line += f"; from {node.module} import {others}" if others else ""
                lines[node.lineno - 1 : node.end_lineno] = [f"{line}\n", *["\n"] * (node.end_lineno - node.lineno)]
    return "".join(lines)


def declared(module: Path) -> set[str]:
    """Return the names that the .pxd of a module or a room declares."""
    files = [file for file in (module.with_suffix(".pxd"), module / "__init__.pxd") if file.exists()]
    text = "".join(file.read_text("utf-8") for file in files)
    imported = {name.strip() for names in re.findall(r"cimport (.*)", text) for name in names.split(",")}
    return imported | set(re.findall(r"^(?:cdef|cpdef) .*?(\w+)(?:\(|:)", text, re.MULTILINE))
