"""Compile the modules that have a ``.pxd`` beside them; they are valid Python, and run uncompiled as well.

One module (``.pyx``) is no Python, as it reads structures of C that lxml's headers declare: without it, or with another
lxml than at the build, the same is done more slowly.

TEMPLEX_COMPILED=1 makes it an error if they cannot be compiled, 0 leaves them as they are. Without it, they are
compiled if there is a C compiler.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from Cython.Compiler.Errors import CompileError
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.errors import CCompilerError, ExecError, PlatformError

try:
    from lxml import get_include
except ImportError:  # without build isolation

    def get_include() -> list[str]:
        """Return no folders of headers."""
        return []


DIGESTS = Path("templex_scrapy", "compiled.sha256")
ASKED = {"": None, "0": False, "1": True}


class CompileHook(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel, or puts them beside their sources for an editable install."""

    def dependencies(self) -> list[str]:
        """Return what is needed to compile beyond Cython."""
        return [] if os.environ.get("TEMPLEX_COMPILED") == "0" else ["lxml>=6.0,<7"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, as far as that is asked for and can be done."""
        value = os.environ.get("TEMPLEX_COMPILED", "")
        if value not in ASKED:
            raise ValueError(f"TEMPLEX_COMPILED is {value!r}: allowed are 0 and 1")
        root = Path(self.root)
        sources = sorted(path.with_suffix(".py") for path in root.glob("templex_scrapy/**/*.pxd"))
        readers = sorted(root.glob("templex_scrapy/**/*.pyx"))
        if version == "editable":  # those of an earlier install may be out of date
            (root / DIGESTS).unlink(missing_ok=True)
            for built in [*root.glob("templex_scrapy/**/*.so"), *root.glob("templex_scrapy/**/*.pyd")]:
                built.unlink()
        if ASKED[value] is False:
            return
        # deletes itself with this process as well, as when the build fails
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        must = ASKED[value] is True
        digests = digests_of(root)
        compiled = self._built(root, sources, folder, "as plain Python", must=must)
        if not compiled:
            return
        compiled += self._built(root, readers, folder, "without what reads the trees of lxml", must=must)
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

    def _built(self, root: Path, sources: list[Path], folder: Path, otherwise: str, *, must: bool) -> list[Path]:
        try:
            return build(root, sources, folder)
        except (CompileError, CCompilerError, ExecError, PlatformError) as error:
            if must:
                raise
            self.app.display_warning(f"templex-scrapy is installed {otherwise}, which is slower: {error}")
            return []

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Remove what the wheel contains by now."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def digests_of(root: Path) -> str:
    """Return the digests of all that is compiled, as ``templex_scrapy/compiled.py`` reads them."""
    package = (root / DIGESTS).parent
    paths = sorted(path for pattern in ("*.pxd", "*.pyx") for path in package.rglob(pattern))
    paths += [source for path in paths if path.suffix == ".pxd" and (source := path.with_suffix(".py")).exists()]
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(package).as_posix()}\n" for path in paths]
    return "".join(lines)


def build(root: Path, sources: list[Path], folder: Path) -> list[Path]:
    """Compile modules into a folder."""
    paths = [source.relative_to(root) for source in sources]
    # -O3 and what a debugger needs take half of the time, and make no page faster
    # a product and a sum in one instruction are rounded once, where Python rounds twice
    options = ["-O2", "-g0", "-ffp-contract=off"] if os.name == "posix" else []
    extensions = [
        Extension(
            ".".join(path.with_suffix("").parts),
            [str(path)],
            include_dirs=get_include() if path.suffix == ".pyx" else [],
            extra_compile_args=options,
        )
        for path in paths
    ]
    work = folder / ".work"
    # types are in the .pxd files: annotations are for people and for mypy
    directives = {"language_level": 3, "annotation_typing": False}
    extensions = cythonize(extensions, build_dir=str(work), compiler_directives=directives, quiet=True)
    command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder), str(work)
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    command.run()
    return [Path(path) for path in command.get_outputs()]
