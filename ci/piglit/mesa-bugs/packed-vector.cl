/*!
# docs/mesa-bugs.md F25: a vector of more than 32 bytes at any address of private memory.
[config]
name: a large vector in a packed struct

[test]
name: of uint
kernel_name: of_uint
arg_out: 0 buffer uint16[1] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
arg_out: 1 buffer ulong[1] 0
arg_in:  2 uchar 0

[test]
name: of ulong
kernel_name: of_ulong
arg_out: 0 buffer ulong8[1] 0 1 2 3 4 5 6 7
arg_out: 1 buffer ulong[1] 0
arg_in:  2 uchar 0
!*/
struct __attribute__((packed)) of_uint {
   uint16 vector;
   char last;
};

struct __attribute__((packed)) of_ulong {
   ulong8 vector;
   char last;
};

/* Stores a zero through a pointer, so that private variables are addresses. */
void zero(global ulong *out)
{
   ulong zero = 0;

   for (int i = 0; i < 8; i++) {
      ((global uchar *)out)[i] = ((uchar *)&zero)[i];
   }
}

kernel void of_uint(global uint16 *out, global ulong *other, uchar i)
{
   struct of_uint s[2];

   s[0].vector = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
   s[1].vector = 16;
   *out = s[i & 1].vector;
   zero(other);
}

kernel void of_ulong(global ulong8 *out, global ulong *other, uchar i)
{
   struct of_ulong s[2];

   s[0].vector = (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);
   s[1].vector = 8;
   *out = s[i & 1].vector;
   zero(other);
}
