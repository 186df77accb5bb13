// Specialization constants of each type, one as the workgroup's size and one as an array's.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int count = 3;
layout(constant_id = 2) const float factor = 1.5;
layout(constant_id = 3) const bool negate = false;
layout(constant_id = 4) const uint seed = 7;
layout(set = 0, binding = 0) buffer Out { float out_[]; };
void main()
{
   uint words[count];
   uint i = gl_GlobalInvocationID.x, sum = seed;
   for (int k = 0; k < count; k++) {
      words[k] = i * uint(k + 1) + seed;
   }
   for (int k = 0; k < count; k++) {
      sum += words[(k + int(i)) % count] >> k;
   }
   out_[i] = float(sum) * factor * (negate ? -1.0 : 1.0) + float(gl_WorkGroupSize.x);
}
