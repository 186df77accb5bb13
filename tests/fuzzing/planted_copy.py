#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""planted.py puts its copy of Mesa in order, whatever a killed run left there: a file with a fault, newer than the tree's, is
replaced and gets a new time, so that ninja builds it; what is alike stays as it is; a hard link's other name keeps its bytes.

Usage: planted_copy.py
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import planted  # pylint: disable=wrong-import-position


def main():
    """Exit status: 0 when the copy is in order."""
    with tempfile.TemporaryDirectory() as folder:
        tree, work = pathlib.Path(folder, "tree"), pathlib.Path(folder, "work")
        names = ["a.py", "deep/b.c", "new.c", "link"]
        for name, text in ("a.py", "right"), ("deep/b.c", "same"), ("new.c", "new"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text, encoding="utf-8")
        (tree / "link").symlink_to("a.py")
        (work / "deep").mkdir(parents=True)
        (work / "deep/b.c").write_text("same", encoding="utf-8")
        other = work / "other name"
        other.write_text("wrong", encoding="utf-8")
        os.link(other, work / "a.py")
        for path in work / "deep/b.c", work / "a.py":
            os.utime(path, (4e9, 4e9))  # newer than the tree
        assert planted.mirror(names, tree, work) == ["a.py", "new.c", "link"]
        for name in names:
            assert (work / name).read_bytes() == (tree / name).read_bytes(), name
        assert (work / "link").is_symlink()
        assert (work / "deep/b.c").stat().st_mtime == 4e9
        assert (work / "a.py").stat().st_mtime != 4e9 and (work / "a.py").stat().st_mtime >= (tree / "a.py").stat().st_mtime
        assert other.read_text(encoding="utf-8") == "wrong"
        assert planted.mirror(names, tree, work) == []
    return 0


if __name__ == "__main__":
    sys.exit(main())
