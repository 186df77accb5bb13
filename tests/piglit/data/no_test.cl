/* A program, and nothing that says what must come of it. */
kernel void k(global int *out)
{
   out[0] = 1;
}
