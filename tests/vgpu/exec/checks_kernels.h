/* SPDX-License-Identifier: MIT
 *
 * The kernels of checks.c: for each check those that break it, and beside them look-alikes that do not. r1 is the
 * thread's number in the grid.
 */
#define HEAD "mov r1, sr80\n"
#define TAIL "store r8, du2, r1, i32, x, a\nstop\n"

static const struct kernel kernels[] = {
    /* ---- Hazards: a load and its wait ---- */
    {"load read before its wait", VGPU_CHECK_HAZARDS, "iadd r8, r4, 1", "r4l is read before the wait",
     HEAD "load r4, du0, r1, i32, x, a\niadd r8, r4, 1\nwait a\n" TAIL},
    {"load read after its wait", 0, "", "", HEAD "load r4, du0, r1, i32, x, a\nwait a\niadd r8, r4, 1\n" TAIL},
    {"wait for the other slot", VGPU_CHECK_HAZARDS, "iadd r8, r4, 1", "r4l is read before the wait",
     HEAD "load r4, du0, r1, i32, x, b\nwait a\niadd r8, r4, 1\nwait b\n" TAIL},
    {"load overwritten before its wait", VGPU_CHECK_HAZARDS, "ldimm r4", "r4l is overwritten before the wait",
     HEAD "load r4, du0, r1, i32, x, a\nldimm r4, 1\nwait a\niadd r8, r4, 1\n" TAIL},
    {"another register before the wait", 0, "", "",
     HEAD "load r4, du0, r1, i32, x, a\nldimm r5, 1\nwait a\niadd r8, r4, r5\n" TAIL},
    {"second component before its wait", VGPU_CHECK_HAZARDS, "iadd r8, r5, 1", "r5l is read",
     HEAD "load r4_r5, du0, r1, i32, xy, a\niadd r8, r5, 1\nwait a\n" TAIL},
    /* ---- Hazards: last use ---- */
    {"read after its last use", VGPU_CHECK_HAZARDS, "iadd r8, r4, r5", "r4l is read after its last use",
     HEAD "ldimm r4, 1\niadd r5, ^r4, 1\niadd r8, r4, r5\n" TAIL},
    {"written after its last use", 0, "", "", HEAD "ldimm r4, 1\niadd r5, ^r4, 1\nldimm r4, 2\niadd r8, r4, r5\n" TAIL},
    {"last use in both branches", 0, "", "",
     HEAD "ldimm r0l, 0\nldimm r4, 7\nif r1, 5, 1, ult\niadd r8, ^r4, 1\nelse 0, 0, 1, ieq\niadd r8, ^r4, "
          "2\npop_exec 1\n" TAIL},
    /* ---- Hazards: the rest ---- */
    {"shift beyond the width", VGPU_CHECK_HAZARDS, "asr r8", "the shift count 33 is beyond the width",
     HEAD "ldimm r4, 33\nasr r8, r1, r4\n" TAIL},
    {"shift by the width less one", 0, "", "", HEAD "ldimm r4, 31\nasr r8, r1, r4\n" TAIL},
    {"barrier in a branch", VGPU_CHECK_HAZARDS, "barrier", "of the simdgroup's 32 threads execute",
     HEAD "ldimm r0l, 0\nmov r2, sr52\nif r2, 5, 1, ult\nbarrier\npop_exec 1\nmov r8, r1\n" TAIL},
    {"barrier after a branch", 0, "", "",
     HEAD "ldimm r0l, 0\nmov r2, sr52\nldimm r8, 1\nif r2, 5, 1, ult\nldimm r8, 2\npop_exec 1\nbarrier\n" TAIL},
    {"barrier in a branch that all take", 0, "", "",
     HEAD "ldimm r0l, 0\nif r1, 200, 1, ult\nbarrier\npop_exec 1\nmov r8, r1\n" TAIL},
    {"uniform without a value", VGPU_CHECK_HAZARDS, "mov r8, u6", "neither the launch nor the preamble wrote: u6l",
     HEAD "mov r8, u6\n" TAIL},
    {"uniform of the preamble", 0, "", "",
     ".preamble\nldimm r0, 5\nmov u6l_u6h, r0l_r0h\nstop\n.main\n" HEAD "mov r8, u6\n" TAIL},
    /* ---- Undefined ---- */
    {"undefined value stored", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored", HEAD TAIL},
    {"undefined half stored", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored", HEAD "mov r8l, 1\n" TAIL},
    {"both halves written", 0, "", "", HEAD "mov r8l, 1\nmov r8h, 2\n" TAIL},
    {"undefined value branched on", VGPU_CHECK_UNDEFINED, "if r9", "r9 decides a branch",
     HEAD "ldimm r0l, 0\nldimm r8, 1\nif r9, 5, 1, ult\nldimm r8, 2\npop_exec 1\n" TAIL},
    {"undefined value copied only", 0, "", "", HEAD "ldimm r8, 1\nmov r9, r20\niadd r10, r9, 3\n" TAIL},
    {"undefined index", VGPU_CHECK_UNDEFINED, "load r8", "r9 is an index",
     HEAD "and r9, r9, 15\niadd r9, r9, 1\nload r8, du0, r9, i32, x, a\nwait a\n" TAIL},
    {"undefined bits masked off", 0, "", "", HEAD "mov r9l, 3\nand r8, r9, 255\n" TAIL},
    {"undefined bits not masked off", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "mov r9h, 3\nand r8, r9, 255\n" TAIL},
    {"undefined bits shifted out", 0, "", "", HEAD "mov r9h, 3\nshr r8, r9, 16\n" TAIL},
    {"undefined in one lane's branch", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r0l, 0\nif r1, 5, 1, ult\nldimm r8, 2\npop_exec 1\n" TAIL},
    {"written in both branches", 0, "", "",
     HEAD "ldimm r0l, 0\nif r1, 5, 1, ult\nldimm r8, 2\nelse 0, 0, 1, ieq\nldimm r8, 3\npop_exec 1\n" TAIL},
    {"stack word that nothing wrote", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "stack_adjust 8\nstack_load r8, 4, i32, x, a\nwait a\nstack_adjust -8\n" TAIL},
    {"stack word that is written", 0, "", "",
     HEAD "stack_adjust 8\nstack_store r1, 4, i32, x, a\nstack_load r8, 4, i32, x, a\nwait a\nstack_adjust -8\n" TAIL},
    {"threadgroup bytes that nothing wrote", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nlload r8, r3l, 0, i32, x\n" TAIL},
    {"threadgroup bytes that are written", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nlstore r1, r3l, 0, i32, x\nlload r8, r3l, 0, i32, x\n" TAIL},
    /* ---- Races ---- */
    {"neighbour's word without a barrier", VGPU_CHECK_RACES, "lload", "no barrier is between them",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nxor r4, r3, 4\nlstore r1, r3l, 0, i32, x\nlload r8, r4l, 0, i32, x\n" TAIL},
    {"neighbour's word after a barrier", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nxor r4, r3, 4\nlstore r1, r3l, 0, i32, x\nbarrier\nlload r8, r4l, 0, i32, "
          "x\n" TAIL},
    {"overwritten while it is read", VGPU_CHECK_RACES, "lstore r2", "has read",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nxor r4, r3, 4\nlstore r1, r3l, 0, i32, x\nbarrier\nlload r8, r4l, 0, i32, "
          "x\nlstore r2, r3l, 0, i32, x\n" TAIL},
    {"all write one word", VGPU_CHECK_RACES, "lstore r1", "has written",
     HEAD "ldimm r3, 0\nldimm r8, 0\nlstore r1, r3l, 0, i32, x\n" TAIL},
    {"all write the same value", 0, "", "", HEAD "ldimm r3, 0\nldimm r8, 7\nlstore r8, r3l, 0, i32, x\n" TAIL},
    {"all add to one word", 0, "", "",
     HEAD "ldimm r0l, 0\nldimm r3, 0\nldimm r8, 7\nmov r2, sr51\nif r2, 0, 1, ieq\nlstore r8, r3l, 0, i32, x\npop_exec "
          "1\nbarrier\nlatomic _, r8, r3l, 0, add\nbarrier\n" TAIL},
    {"word of another threadgroup", VGPU_CHECK_RACES, "store r8, du2, r2", "nothing orders threadgroups",
     HEAD "mov r2, sr51\nmov r8, sr0\nstore r8, du2, r2, i32, x, a\nstop\n"},
    {"words of its own", 0, "", "", HEAD "mov r8, sr0\n" TAIL},
    {"device word of a neighbour", VGPU_CHECK_RACES, "load r8", "no barrier is between them",
     HEAD "xor r4, r1, 1\nstore r1, du2, r1, i32, x, a\nload r8, du2, r4, i32, x, a\nwait a\nstop\n"},
    {"device word of a neighbour after a barrier", 0, "", "",
     HEAD "xor r4, r1, 1\nstore r1, du2, r1, i32, x, a\nbarrier\nload r8, du2, r4, i32, x, a\nwait a\nstop\n"},
    /* ---- Bounds ---- */
    {"past the end of the mapping", VGPU_CHECK_BOUNDS, "load r8", "no buffer is bound",
     HEAD "imadd r4, r1, 128, r1\nload r8, du0, r4, i32, x, a\nwait a\n" TAIL},
    {"within the mapping", 0, "", "", HEAD "load r8, du0, r1, i32, x, a\nwait a\n" TAIL},
    {"a write to what is read-only", VGPU_CHECK_BOUNDS, "store r8, du0", "read-only",
     HEAD "ldimm r8, 1\nstore r8, du0, r1, i32, x, a\n" TAIL},
    {"past the threadgroup memory", VGPU_CHECK_BOUNDS, "lload r8", "threadgroup memory, which has 512",
     HEAD "mov r2, sr51\nshl r3, r2, 4\nlload r8, r3l, 0, i32, x\nldimm r8, 1\n" TAIL},
    {"inside the threadgroup memory", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 3\nlload r8, r3l, 0, i32, x\nldimm r8, 1\n" TAIL},
};
