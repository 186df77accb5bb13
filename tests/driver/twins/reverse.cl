/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const uint *in, global uint *out)
{
   local uint shared_[64];
   const uint i = get_local_id(0);
   shared_[i] = in[get_global_id(0)];
   barrier(CLK_LOCAL_MEM_FENCE);
   out[get_global_id(0)] = shared_[63 - i];
}
