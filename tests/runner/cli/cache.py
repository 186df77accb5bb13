# SPDX-License-Identifier: MIT
"""The compilation cache by the command line: which commands fill it, what turns it off, and that a second run says the
same as the first. Words: AGX_RUNNER SOURCE_ROOT [TEST...]"""
from case import SAXPY, OK, FAILED, Case, main

PIGLIT = """/*!
[config]
name: three
kernel_name: three

[test]
name: adds
global_size: 4 0 0
arg_out: 0 buffer int[4] 3 3 3 3
!*/
kernel void three(global int *out) { out[get_global_id(0)] = 3; }
"""


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.on = {"AGX_RUNNER_CACHE_MIB": "64", "XDG_CACHE_HOME": str(self.folder), "HOME": str(self.folder)}

    def entries(self):
        return sorted(path for path in self.folder.glob("agx-runner/compiler/*/*"))

    def times(self):
        """What a hit changes: the time of the last use."""
        return [path.stat().st_mtime_ns for path in self.entries()]

    def twice(self, *words):
        first = self.expect(OK, *words, environment=self.on)
        entries, times = self.entries(), self.times()
        self.assertTrue(entries, "the first run keeps something")
        second = self.expect(OK, *words, environment=self.on)
        self.assertEqual(self.entries(), entries)
        self.assertTrue(all(before < after for before, after in zip(times, self.times())), "all entries are used again")
        return first, second

    def test_compile(self):
        first, second = self.twice("compile", SAXPY)
        self.assertEqual(first.stdout, second.stdout)
        self.assertEqual(first.stderr, second.stderr)

    def test_run(self):
        self.twice("run", "float/fadd32/*", "float/fadd16/*", "--device", "virtual:m1")

    def test_piglit(self):
        file = self.file("three.cl", PIGLIT)
        first, _ = self.twice("piglit", file, "--device", "virtual:m1", "--format", "csv")
        self.assertIn("pass", first.stdout.lower())

    def test_off(self):
        for words, environment in ((["--no-cache"], self.on), ([], {**self.on, "AGX_RUNNER_CACHE_MIB": "0"}),
                                   ([], {**self.on, "AGX_MESA_DEBUG": "shaders"})):
            self.expect(OK, "compile", SAXPY, *words, environment=environment)
            self.assertEqual(self.entries(), [])

    def test_compiled_code(self):
        """--no-cache keeps none of the virtual device's either."""
        words = ["run", "float/fadd32/throughput", "--device", "virtual:m1,jit=on", "--no-cache"]
        self.expect(OK, *words, environment=self.on)
        self.assertEqual(list(self.folder.glob("agx-runner/*")), [])

    def test_what_mesa_prints(self):
        """A program from the cache would print nothing."""
        self.twice("compile", SAXPY)
        for _ in range(2):
            result = self.expect(OK, "compile", SAXPY, environment={**self.on, "AGX_MESA_DEBUG": "shaders"})
            self.assertIn("block", result.stderr)

    def test_failure(self):
        file = self.file("wrong.cl", "kernel void k(global int *x) { nonsense }")
        for _ in range(2):
            self.expect(FAILED, "compile", file, environment=self.on, message="nonsense")
        self.assertEqual(self.entries(), [])

    def test_no_room(self):
        """A folder that cannot be made costs the cache, not the compilation."""
        for path in (self.file("plain", ""), "/proc", "relative"):
            self.expect(OK, "compile", SAXPY, environment={**self.on, "XDG_CACHE_HOME": str(path)}, cwd=self.folder)
        self.assertFalse((self.folder / "relative").exists())


main()
