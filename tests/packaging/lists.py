# SPDX-License-Identifier: MIT
"""The packages' own lists of what a build needs say what ci/packages.txt says.

lists.py SOURCE_ROOT
"""

import re
import sys

# Needed by the scripts, not by a package's build: Meson of the right version and Mesa's source are fetched by them, the
# compiler's library comes with the compiler, mold saves time where many programs are linked, and gnuplot is recommended to those who use the package.
NOT_DEBIAN = {"ca-certificates", "git", "gnuplot-nox", "libc6-dev", "meson", "mold", "patch", "xz-utils"}
NOT_FEDORA = {"ca-certificates", "git", "glibc-devel", "gnuplot", "mold", "patch", "xz"}
# The other way round: what builds the package itself.
DEBIAN_TOOLS = {"debhelper-compat"}
LLVM = ("15", "19", "21", "22")  # Debian 12, Debian 13, sid


def wanted(root):
    debian, fedora = set(), set()
    with open(root + "/ci/packages.txt", encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and "build" in words[0].split(","):
                debian.add(words[1])
                fedora.add(words[2])
    return debian - {"-"} - NOT_DEBIAN, fedora - {"-"} - NOT_FEDORA


def in_control(root):
    with open(root + "/ci/packaging/debian/control", encoding="utf-8") as file:
        field = re.search(r"^Build-Depends:((?:.*\n)(?: .*\n)*)", file.read(), re.M).group(1)
    found = set()
    for need in field.split(","):
        names = [re.sub(r"\(.*\)", "", name).strip() for name in need.split("|")]
        if LLVM[0] in names[0]:
            pattern = names[0].replace(LLVM[0], "{llvm}")
            if names != [pattern.replace("{llvm}", version) for version in LLVM]:
                sys.exit(f"debian/control: {need.strip()!r} is not one package in the versions {LLVM}")
            names = [pattern]
        found.add("|".join(names))
    return found - DEBIAN_TOOLS


def in_spec(root):
    with open(root + "/ci/packaging/agx-runner.spec", encoding="utf-8") as file:
        return set(" ".join(re.findall(r"^BuildRequires:(.*)$", file.read(), re.M)).split())


def main():
    root = sys.argv[1]
    debian, fedora = wanted(root)
    wrong = False
    for name, want, found in (("debian/control", debian, in_control(root)), ("agx-runner.spec", fedora, in_spec(root))):
        for package in sorted(want - found):
            wrong = True
            print(f"{name} lacks {package}, which ci/packages.txt has")
        for package in sorted(found - want):
            wrong = True
            print(f"{name} has {package}, which ci/packages.txt lacks")
    print(f"{len(debian)} packages of Debian, {len(fedora)} of Fedora")
    return 1 if wrong else 0


sys.exit(main())
