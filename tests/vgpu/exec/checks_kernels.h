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
    {"load with coherency 1", VGPU_CHECK_HAZARDS, "load r8", "coherency bits are neither 0 nor 3",
     HEAD "load r8, du0, r1, i32, x, coherent1, a\nwait a\n" TAIL},
    {"load with coherency 2", VGPU_CHECK_HAZARDS, "load r8", "coherency bits are neither 0 nor 3",
     HEAD "load r8, du0, r1, i32, x, coherent2, a\nwait a\n" TAIL},
    {"store with coherency 1", VGPU_CHECK_HAZARDS, "store r1", "coherency bits are neither 0 nor 3",
     HEAD "store r1, du2, r1, i32, x, coherent1, a\nstop\n"},
    {"coherent load and store", 0, "", "",
     HEAD "load r8, du0, r1, i32, x, coherent3, a\nwait a\nstore r8, du2, r1, i32, x, coherent3, a\nstop\n"},
    {"load that is not coherent", 0, "", "", HEAD "load r8, du0, r1, i32, x, a\nwait a\n" TAIL},
    {"coherent load alone", 0, "", "", HEAD "load r8, du0, r1, i32, x, coherent3, a\nwait a\n" TAIL},
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
    {"uniform without a value stored", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored", HEAD "mov r8, u6\n" TAIL},
    {"uniform without a value copied only", 0, "", "", HEAD "mov r9, u6\niadd r9, r9, u7\nldimm r8, 1\n" TAIL},
    {"uniform without a value branched on", VGPU_CHECK_UNDEFINED, "if u6",
     "u6l decides a branch, and neither the launch nor the preamble wrote it",
     HEAD "ldimm r0l, 0\nldimm r8, 1\nif u6, 5, 1, ult\nldimm r8, 2\npop_exec 1\n" TAIL},
    {"uniform without a value not selected", 0, "", "", HEAD "csel r8, r1, r1, r1, u6, ieq\n" TAIL},
    {"uniform without a value selected", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "csel r8, r1, r1, u6, r1, ieq\n" TAIL},
    {"uniform of which a half has a value", 0, "", "",
     ".preamble\nldimm r0, 5\nmov u6h, r0l\nstop\n.main\n" HEAD "shr r8, u6, 16\n" TAIL},
    {"uniform of the preamble", 0, "", "",
     ".preamble\nldimm r0, 5\nmov u6l_u6h, r0l_r0h\nstop\n.main\n" HEAD "mov r8, u6\n" TAIL},
    {"undefined value chooses between equals", 0, "", "",
     HEAD "ldimm r4, 9\nldimm r5, 9\ncsel r8, r9, 0, r4, r5, ieq\n" TAIL},
    {"undefined value chooses bits that are masked off", 0, "", "",
     HEAD "ldimm r4, 9\nldimm r5, 13\ncsel r8, r9, 0, r4, r5, ieq\nand r8, r8, 11\n" TAIL},
    {"undefined value chooses between others", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r4, 9\nldimm r5, 13\ncsel r8, r9, 0, r4, r5, ieq\n" TAIL},
    {"uniform that decides a select of the preamble", 0, "", "",
     ".preamble\nldimm r0, 5\ncsel r0, u0, 0, 0, r0, ieq\nmov u6l_u6h, r0l_r0h\nstop\n.main\n" HEAD
     "mov r8, u6\n" TAIL},
    {"uniform that the preamble writes without a value", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     ".preamble\nmov u6l_u6h, r1l_r1h\nstop\n.main\n" HEAD "mov r8, u6\n" TAIL},
    {"uniform that the preamble reads after it wrote it", 0, "", "",
     ".preamble\nldimm r0, 5\nmov u6l_u6h, r0l_r0h\niadd r1, u6, 1\nmov u7l_u7h, r1l_r1h\nstop\n.main\n" HEAD
     "mov r8, u7\n" TAIL},
#define SWAP(a, b) "xor " a ", " a ", " b "\nxor " b ", " a ", " b "\nxor " a ", " a ", " b "\n"
    {"defined value that an undefined one swaps with", 0, "", "", HEAD "ldimm r9, 7\n" SWAP("r9", "r8") TAIL},
    {"undefined value that a defined one swaps with", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r8, 7\n" SWAP("r9", "r8") TAIL},
    {"swapped there and back", 0, "", "", HEAD "ldimm r8, 7\n" SWAP("r9", "r8") SWAP("r9", "r8") TAIL},
    {"swapped there and back, undefined", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r9, 7\n" SWAP("r9", "r8") SWAP("r8", "r9") TAIL},
    {"halves that are swapped", 0, "", "", HEAD "ldimm r9, 7\nldimm r8, 7\nmov r8h, r10l\n" SWAP("r9l", "r8h") TAIL},
    {"swapped in some lanes", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r0l, 0\nldimm r9, 7\nif r1, 5, 1, ult\n" SWAP("r9", "r8") "pop_exec 1\n" TAIL},
    {"swapped and written in some lanes", 0, "", "",
     HEAD "ldimm r0l, 0\nldimm r8, 7\nif r1, 5, 1, ult\n" SWAP("r9", "r8") "ldimm r8, 3\npop_exec 1\n" TAIL},
    {"xor with an undefined value", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r8, 7\nxor r8, r8, r9\n" TAIL},
    {"two xors with an undefined value", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "and r8, r1, 7\nxor r9, r8, r9\nxor r8, r8, r9\n" TAIL},
    {"five xors with an undefined value", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r9, 7\n" SWAP("r9", "r8") "xor r8, r9, r8\nxor r9, r9, r8\n" TAIL},
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
    {"a register of the lanes that take a branch, read there", 0, "", "",
     HEAD
     "ldimm r0l, 0\nldimm r8, 1\nif r1, 5, 1, ult\nmov r9, r1\niadd r10, r9, 3\nand r8, r10, 255\npop_exec 1\n" TAIL},
    {"a register of the lanes that take a branch, read behind it", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r0l, 0\nif r1, 5, 1, ult\nmov r9, r1\niadd r10, r9, 3\npop_exec 1\niadd r8, r10, 1\n" TAIL},
    {"another half of the lanes that take a branch", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r0l, 0\nldimm r8, 1\nif r1, 5, 1, ult\nmov r9l, 1\niadd r8, r9h, 3\npop_exec 1\n" TAIL},
    {"a word of 64 bits of which the upper half is undefined", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD
     "ldimm r0l, 0\nldimm r8, 1\nif r1, 5, 1, ult\nmov r10, r1\niadd dr12, dr10, 1\nmov r8, r13\npop_exec 1\n" TAIL},
    /* Byte 1 of r4 is undefined. */
    {"the byte below the undefined one of a sum", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nldimm r5, 7\nlstore r5l, r3l, 0, i8, x\nlstore r5l, r3l, 2, i8, x\nlstore r5l, "
          "r3l, 3, i8, x\nlload r4, r3l, 0, i32, x\niadd r8, r4, 1\nldimm r9, 255\nand r8, r8, r9\n" TAIL},
    {"the byte above the undefined one of a sum", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nldimm r5, 7\nlstore r5l, r3l, 0, i8, x\nlstore r5l, r3l, 2, i8, x\nlstore r5l, "
          "r3l, 3, i8, x\nlload r4, r3l, 0, i32, x\niadd r8, r4, 1\nldimm r9, 65536\nand r8, r8, r9\n" TAIL},
    {"the byte above the undefined one of an or", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nldimm r5, 7\nlstore r5l, r3l, 0, i8, x\nlstore r5l, r3l, 2, i8, x\nlstore r5l, "
          "r3l, 3, i8, x\nlload r4, r3l, 0, i32, x\nor r8, r4, r1\nldimm r9, 65536\nand r8, r8, r9\n" TAIL},
    {"an or with what sets all undefined bits", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nldimm r5, 7\nlstore r5l, r3l, 0, i8, x\nlstore r5l, r3l, 2, i8, x\nlstore r5l, "
          "r3l, 3, i8, x\nlload r4, r3l, 0, i32, x\nldimm r9, 65280\nor r8, r4, r9\n" TAIL},
    /* Byte 3 of r8 is undefined. */
    {"the byte of an upper half below the undefined one of a sum", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nldimm r5, 7\nlstore r5l, r3l, 0, i8, x\nlstore r5l, r3l, 2, i8, x\nlstore r5l, "
          "r3l, 3, i8, x\nlload r4, r3l, 0, i32, x\nldimm r8, 0\niadd r8h, r4l, 1\nldimm r9, 16711680\nand r8, r8, "
          "r9\n" TAIL},
    {"the undefined byte of an upper half of an or", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nldimm r5, 7\nlstore r5l, r3l, 0, i8, x\nlstore r5l, r3l, 2, i8, x\nlstore r5l, "
          "r3l, 3, i8, x\nlload r4, r3l, 0, i32, x\nldimm r8, 0\nor r8h, r4l, r1l\n" TAIL},
    {"undefined bits of a second source masked off", 0, "", "",
     HEAD "ldimm r10, 255\nmov r9l, 3\nand r8, r10, r9\n" TAIL},
    {"undefined bits of a second source not masked off", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r10, 255\nmov r9h, 3\nand r8, r10, r9\n" TAIL},
    {"both of two undefined words", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored", HEAD "and r8, r4, r5\n" TAIL},
    {"the carry of an undefined word", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r11, 1\niadd dr12, dr10, 1\nmov r8, r13\n" TAIL},
    {"the word below the undefined one of a sum", 0, "", "",
     HEAD "ldimm r10, 1\niadd dr12, dr10, 1\nmov r8, r12\n" TAIL},
    {"an upper half that is undefined", VGPU_CHECK_UNDEFINED, "store r8", "r8 is stored",
     HEAD "ldimm r8, 0\niadd r8h, r4l, 1\n" TAIL},
    {"the half below one that is undefined", 0, "", "",
     HEAD "ldimm r8, 0\niadd r8h, r4l, 1\nldimm r9, 65535\nand r8, r8, r9\n" TAIL},
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
    {"a byte of a neighbour's word", VGPU_CHECK_RACES, "lload r8l", "no barrier is between them",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nxor r4, r3, 4\nlstore r1, r3l, 0, i32, x\nldimm r8, 0\nlload r8l, r4l, 1, i8, "
          "x\n" TAIL},
    {"bytes of one word, a thread each", 0, "", "",
     HEAD "mov r2, sr51\nmov r5, 3\nlstore r5l, r2l, 0, i8, x\nldimm r8, 0\nlload r8l, r2l, 0, i8, x\n" TAIL},
    {"a word of which others wrote bytes", VGPU_CHECK_RACES, "lload r8", "no barrier is between them",
     HEAD "mov r2, sr51\nlstore r1l, r2l, 0, i8, x\nand r3, r2, 60\nlload r8, r3l, 0, i32, x\n" TAIL},
    {"device word that a neighbour has read, too", VGPU_CHECK_RACES, "store r1", "has read",
     HEAD "xor r4, r1, 1\nload r8, du2, r1, i32, x, a\nload r9, du2, r4, i32, x, a\nwait a\nstore r1, du2, r1, i32, x, "
          "a\nstop\n"},
    {"device word that only its writer has read", 0, "", "",
     HEAD "load r8, du2, r1, i32, x, a\nload r9, du2, r1, i32, x, a\nwait a\nstore r1, du2, r1, i32, x, a\nstop\n"},
    {"words read in shifted runs, then written", VGPU_CHECK_RACES, "lstore r2", "has read",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nlstore r1, r3l, 0, i32, x\nbarrier\nlload r8, r3l, 0, i32, x\nlload r9, r3l, "
          "1, i32, x\nlstore r2, r3l, 0, i32, x\n" TAIL},
    {"words read in shifted runs, then written after a barrier", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nlstore r1, r3l, 0, i32, x\nbarrier\nlload r8, r3l, 0, i32, x\nlload r9, r3l, "
          "1, i32, x\nbarrier\nlstore r2, r3l, 0, i32, x\n" TAIL},
    {"a word that all read, then written by one", VGPU_CHECK_RACES, "lstore r2", "has read",
     HEAD
     "ldimm r0l, 0\nmov r2, sr51\nshl r3, r2, 2\nldimm r4, 0\nlstore r1, r3l, 0, i32, x\nbarrier\nlload r8, r4l, 0, "
     "i32, x\nif r2, 1, 1, ult\nlstore r2, r4l, 4, i32, x\nlstore r2, r4l, 0, i32, x\npop_exec 1\n" TAIL},
    {"a word that one reads and writes", 0, "", "",
     HEAD "ldimm r0l, 0\nmov r2, sr51\nshl r3, r2, 2\nldimm r4, 0\nldimm r8, 0\nlstore r1, r3l, 0, i32, x\nbarrier\nif "
          "r2, 1, 1, ult\nlload r8, r4l, 0, i32, x\nlstore r2, r4l, 0, i32, x\npop_exec 1\n" TAIL},
    /* Noted until a barrier, and entered where another access may meet them (noted.c). */
    {"words read in rows of eight lanes, then written", VGPU_CHECK_RACES, "lstore r2", "has read",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nlstore r1, r3l, 0, i32, x\nbarrier\nand r4, r2, 7\nshr r5, r2, 4\nimadd r4, "
          "r5, 9, r4\nshl r4, r4, 2\nlload r8, r4l, 0, i32, x\nlstore r2, r3l, 0, i32, x\n" TAIL},
    {"words read in rows of eight lanes, then written after a barrier", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nlstore r1, r3l, 0, i32, x\nbarrier\nand r4, r2, 7\nshr r5, r2, 4\nimadd r4, "
          "r5, 9, r4\nshl r4, r4, 2\nlload r8, r4l, 0, i32, x\nbarrier\nlstore r2, r3l, 0, i32, x\n" TAIL},
    {"other words than those that are read and written", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 2\nlstore r1, r3l, 0, i32, x\nbarrier\nlload r8, r3l, 0, i32, x\nlstore r2, r3l, "
          "64, i32, x\nlload r8, r3l, 64, i32, x\nlstore r2, r3l, 0, i32, x\n" TAIL},
    {"second word of a neighbour's vector", VGPU_CHECK_RACES, "lload r8", "has written",
     HEAD
     "mov r2, sr51\nshl r3, r2, 3\nmov r5, r1\nmov r6, r1\nlstore r5_r6, r3l, 0, i32, xy\nshr r7, r2, 1\nshl r7, r7, "
     "4\nlload r8, r7l, 1, i32, x\n" TAIL},
    {"second word of its own vector", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 3\nmov r5, r1\nmov r6, r1\nlstore r5_r6, r3l, 0, i32, xy\nlload r8, r3l, 1, i32, "
          "x\n" TAIL},
    {"bytes in a run, then as words after a barrier", 0, "", "",
     HEAD "mov r2, sr51\nlstore r1l, r2l, 0, i8, x\nbarrier\nand r3, r2, 60\nlload r8, r3l, 0, i32, x\n" TAIL},
    {"a neighbour's byte in a shifted run", VGPU_CHECK_RACES, "lload r8l", "has written",
     HEAD "mov r2, sr51\nldimm r8, 0\nlstore r1l, r2l, 0, i8, x\nlstore r1l, r2l, 64, i8, x\nlload r8l, r2l, 1, i8, "
          "x\n" TAIL},
    {"every second word, of a neighbour", VGPU_CHECK_RACES, "load r8", "no barrier is between them",
     HEAD "shl r3, r1, 1\nxor r4, r3, 2\nstore r1, du2, r3, i32, x, a\nload r8, du2, r4, i32, x, a\nwait a\nstop\n"},
    {"every second word, of a neighbour after a barrier", 0, "", "",
     HEAD "shl r3, r1, 1\nxor r4, r3, 2\nstore r1, du2, r3, i32, x, a\nbarrier\nload r8, du2, r4, i32, x, a\nwait "
          "a\nstop\n"},
    {"every second word that a neighbour has read", VGPU_CHECK_RACES, "store r1", "has read",
     HEAD "shl r3, r1, 1\nxor r4, r3, 2\nload r8, du2, r4, i32, x, a\nwait a\nstore r1, du2, r3, i32, x, a\nstop\n"},
    {"every second word that only its writer has read", 0, "", "",
     HEAD "shl r3, r1, 1\nload r8, du2, r3, i32, x, a\nload r9, du2, r3, i32, x, a\nwait a\nstore r1, du2, r3, i32, x, "
          "a\nstop\n"},
    {"every second word that two threadgroups have read", VGPU_CHECK_RACES, "store r1", "has read",
     HEAD "mov r2, sr51\nshl r3, r2, 1\nload r8, du2, r3, i32, x, a\nwait a\nstore r1, du2, r3, i32, x, a\nstop\n"},
    {"low halves of a neighbour's words", VGPU_CHECK_RACES, "load r8l", "no barrier is between them",
     HEAD "xor r4, r1, 1\nshl r4, r4, 1\nstore r1, du2, r1, i32, x, a\nload r8l, du2, r4, i16, x, a\nwait a\nstop\n"},
    {"low halves of a neighbour's words after a barrier", 0, "", "",
     HEAD "xor r4, r1, 1\nshl r4, r4, 1\nstore r1, du2, r1, i32, x, a\nbarrier\nload r8l, du2, r4, i16, x, a\nwait "
          "a\nstop\n"},
    {"a row of words, accessed again after each barrier", 0, "", "",
     HEAD "mov r2, sr51\nxor r4, r1, 1\nstore r1, du2, r1, i32, x, a\nbarrier\nload r8, du2, r1, i32, x, a\nwait "
          "a\nload r9, du2, r4, i32, x, a\nwait a\nbarrier\nstore r2, du2, r1, i32, x, a\nbarrier\nstore r9, du2, r1, "
          "i32, x, a\nstop\n"},
    {"a row that a barrier orders, but for a word that another thread has written, written", VGPU_CHECK_RACES,
     "store r2", "has written",
     HEAD "ldimm r0l, 0\nmov r2, sr51\niadd r4, r1, 4\nstore r1, du2, r1, i32, x, a\nbarrier\nif r2, 5, 1, "
          "ieq\nstore r1, du2, r4, i32, x, a\npop_exec 1\nstore r2, du2, r1, i32, x, a\nstop\n"},
    {"a row that a barrier orders, but for a word that another thread has written, read", VGPU_CHECK_RACES, "load r8",
     "has written",
     HEAD "ldimm r0l, 0\nmov r2, sr51\niadd r4, r1, 4\nstore r1, du2, r1, i32, x, a\nbarrier\nif r2, 5, 1, "
          "ieq\nstore r1, du2, r4, i32, x, a\npop_exec 1\nload r8, du2, r1, i32, x, a\nwait a\nstop\n"},
    {"a row that a barrier orders, but for a word that another thread has read", VGPU_CHECK_RACES, "store r2",
     "has read",
     HEAD "ldimm r0l, 0\nmov r2, sr51\niadd r4, r1, 4\nload r8, du2, r1, i32, x, a\nwait a\nbarrier\nif r2, 5, 1, "
          "ieq\nload r8, du2, r4, i32, x, a\nwait a\npop_exec 1\nstore r2, du2, r1, i32, x, a\nstop\n"},
    {"halves between those that others read", 0, "", "",
     HEAD
     "shl r3, r1, 1\nxor r4, r3, 2\nload r8l, du2, r4, i16, x, a\nwait a\niadd r3, r3, 1\nstore r1l, du2, r3, i16, "
     "x, a\nstop\n"},
    {"halves that others read", VGPU_CHECK_RACES, "store r1l", "has read",
     HEAD "shl r3, r1, 1\nxor r4, r3, 2\nload r8l, du2, r4, i16, x, a\nwait a\nstore r1l, du2, r3, i16, x, a\nstop\n"},
    {"words that another threadgroup has written, once", VGPU_CHECK_RACES, "load r8", "has written",
     HEAD "and r4, r1, 63\nstore r1, du2, r1, i32, x, a\nload r8, du2, r4, i32, x, a\nwait a\nstop\n"},
    {"halves that another threadgroup has written in its own order", VGPU_CHECK_RACES, "load r8l", "has written",
     HEAD "xor r3, r1, 9\nxor r4, r1, 64\nstore r1l, du2, r3, i16, x, a\nload r8l, du2, r4, i16, x, a\nwait "
          "a\nstop\n"},
    {"a word that all have read, then others often, then written", VGPU_CHECK_RACES, "store r1", "has read",
     HEAD "ldimm r0l, 0\nldimm r2, 0\nldimm r3, 1\nldimm r4, 200\nldimm r5, 2000\nload r7, du2, r3, i32, x, a\nwait a\n"
          "top:\nload r8, du2, r4, i32, x, a\nwait a\niadd r2, r2, 1\nwhile r2, r5, 1, ult\njmp_any top\npop_exec "
          "1\nstore r1, du2, r1, i32, x, a\nstop\n"},
    /* Other reads fill the room of the records after the write. */
    {"a word that one has written, then all read others often, then another threadgroup that", VGPU_CHECK_RACES,
     "load r9", "has written",
     HEAD "ldimm r0l, 0\nldimm r2, 0\nldimm r3, 1\nldimm r5, 2000\nmov r6, sr0\nxor r4, r1, 5\niadd r4, r4, 64\nif r1, "
          "1, 1, ult\nstore r1, du2, r3, i32, x, a\npop_exec 1\n"
          "top:\nload r8, du2, r4, i32, x, a\nwait a\niadd r2, r2, 1\nwhile r2, r5, 1, ult\njmp_any top\npop_exec 1\n"
          "if r6, 1, 1, ieq\nload r9, du2, r3, i32, x, a\nwait a\npop_exec 1\nstop\n"},
    {"words of its own, read often, then written", 0, "", "",
     HEAD "ldimm r0l, 0\nldimm r2, 0\nxor r4, r1, 0\nldimm r5, 2000\n"
          "top:\nload r8, du2, r4, i32, x, a\nwait a\niadd r2, r2, 1\nwhile r2, r5, 1, ult\njmp_any top\npop_exec "
          "1\nstore r1, du2, r1, i32, x, a\nstop\n"},
    /* ---- Bounds ---- */
    {"past the end of the mapping", VGPU_CHECK_BOUNDS, "load r8", "bytes past its end",
     HEAD "imadd r4, r1, 128, r1\nload r8, du0, r4, i32, x, a\nwait a\n" TAIL},
    {"a word past the end of the buffer", VGPU_CHECK_BOUNDS, "load r8", "at byte 2048 of a buffer of 2048 bytes",
     HEAD "ldimm r5, 385\niadd r4, r1, r5\nload r8, du0, r4, i32, x, a\nwait a\n" TAIL},
    {"the last word of the buffer", 0, "", "",
     HEAD "ldimm r5, 384\niadd r4, r1, r5\nload r8, du0, r4, i32, x, a\nwait a\n" TAIL},
    {"words at random places, one of them past the end of the buffer", VGPU_CHECK_BOUNDS, "load r8",
     "at byte 2048 of a buffer of 2048 bytes",
     HEAD "ldimm r5, 385\nxor r4, r1, 21\niadd r4, r4, r5\nload r8, du0, r4, i32, x, a\nwait a\n" TAIL},
    {"words at random places, one of them the last of the buffer", 0, "", "",
     HEAD "ldimm r5, 384\nxor r4, r1, 21\niadd r4, r4, r5\nload r8, du0, r4, i32, x, a\nwait a\n" TAIL},
    {"a vector over the end of the buffer", VGPU_CHECK_BOUNDS, "store r8_r9", ": 4 bytes past its end",
     HEAD "ldimm r5, 384\niadd r4, r1, r5\nldimm r8, 7\nldimm r9, 7\nstore r8_r9, du2, r4, i32, xy, a\nstop\n"},
    {"a word before the buffer", VGPU_CHECK_BOUNDS, "load r8",
     "a read of 4 bytes, 4 bytes before a buffer of 2048 bytes",
     HEAD "ldimm r4, 0xffffffff\niadd r4, r1, r4\nload r8, du0, r4.sx, i32, x, a\nwait a\n" TAIL},
    {"through a null pointer", VGPU_CHECK_BOUNDS, "load r8", "a read of 4 bytes, through a null pointer",
     HEAD "ldimm r4, 0\nldimm r5, 0\nload r8, dr4, r1, i32, x, a\nwait a\n" TAIL},
    {"a buffer that is freed", VGPU_CHECK_BOUNDS, "load r8", "which is freed",
     HEAD "load r8, du4, r1, i32, x, a\nwait a\n" TAIL},
    {"within the mapping", 0, "", "", HEAD "load r8, du0, r1, i32, x, a\nwait a\n" TAIL},
    {"a write to what is read-only", VGPU_CHECK_BOUNDS, "store r8, du0", "read-only",
     HEAD "ldimm r8, 1\nstore r8, du0, r1, i32, x, a\n" TAIL},
    {"past the threadgroup memory", VGPU_CHECK_BOUNDS, "lload r8", "threadgroup memory, which has 512",
     HEAD "mov r2, sr51\nshl r3, r2, 4\nlload r8, r3l, 0, i32, x\nldimm r8, 1\n" TAIL},
    {"the byte past the threadgroup memory", VGPU_CHECK_BOUNDS, "lload r8", "at byte 512 of threadgroup memory",
     HEAD "mov r2, sr51\nshl r3, r2, 3\niadd r3, r3, 8\nlload r8, r3l, 0, i32, x\nldimm r8, 1\n" TAIL},
    {"past the stack's frame", VGPU_CHECK_BOUNDS, "stack_store r1",
     "at byte 32 of the stack, of which the program has 32",
     HEAD "stack_adjust 8\nstack_store r1, 32, i32, x, a\nstack_adjust -8\nmov r8, 1\n" TAIL},
    {"the last word of the stack's frame", 0, "", "",
     HEAD "stack_adjust 8\nstack_store r1, 28, i32, x, a\nstack_adjust -8\nmov r8, 1\n" TAIL},
    {"inside the threadgroup memory", 0, "", "",
     HEAD "mov r2, sr51\nshl r3, r2, 3\nlload r8, r3l, 0, i32, x\nldimm r8, 1\n" TAIL},
};
