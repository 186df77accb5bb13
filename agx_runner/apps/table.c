/* SPDX-License-Identifier: MIT
 *
 * The table of applications. Invariant: nobody's program is changed; what decides is its own test, or the answer of
 * the same program on the processor.
 */
#include "agx_runner/apps/table.h"

#include <string.h>

#include "agx_runner/apps/vkfft.h"
#include "agx_runner/apps/whisper.h"
#include "util/array.h"

/* Architectures of language models, of which test-llama-archs makes tiny ones with random weights. Its exit status says
 * whether all answers are right. Another thread writes its lines, for which it does not wait at its end, so that the
 * last ones may be missing, with each driver and without one: so what must be there is the beginning of the model's
 * line. */
#define MODEL(name_)                                                                                                   \
   {                                                                                                                   \
      name_, NULL, name_ "|"                                                                                           \
   }
static const struct app_case models[] = {
    MODEL("llama"),    MODEL("gemma2"),    MODEL("gemma3"),     MODEL("qwen2"),  MODEL("qwen3"),
    MODEL("qwen3moe"), MODEL("phi3"),      MODEL("gpt2"),       MODEL("falcon"), MODEL("mamba"),
    MODEL("mamba2"),   MODEL("deepseek2"), MODEL("mpt"),        MODEL("bloom"),  MODEL("gpt-oss"),
    MODEL("olmo2"),    MODEL("command-r"), MODEL("starcoder2"), MODEL("t5"),     MODEL("granite"),
};

static const struct app_case blas[] = {
    {.name = "amax"},     {.name = "asum"},        {.name = "axpy"},        {.name = "copy"},
    {.name = "dot"},      {.name = "had"},         {.name = "nrm2"},        {.name = "scal"},
    {.name = "swap"},     {.name = "gbmv"},        {.name = "gemv"},        {.name = "ger"},
    {.name = "sbmv"},     {.name = "spmv"},        {.name = "spr"},         {.name = "spr2"},
    {.name = "symv"},     {.name = "syr"},         {.name = "syr2"},        {.name = "tbmv"},
    {.name = "tpmv"},     {.name = "trmv"},        {.name = "trsv"},        {.name = "gemm"},
    {.name = "symm"},     {.name = "syr2k"},       {.name = "syrk"},        {.name = "trmm"},
    {.name = "trsm"},     {.name = "omatcopy"},    {.name = "im2col"},      {.name = "col2im"},
    {.name = "convgemm"}, {.name = "axpybatched"}, {.name = "gemmbatched"}, {.name = "gemmstridedbatched"},
};

static const struct app_case fft_sizes[] = {
    {"16", "-x 16", NULL},
    {"256", "-x 256", NULL},
    {"243", "-x 243", NULL},
    {"625", "-x 625", NULL},
    {"1000", "-x 1000", NULL},
    {"32x32", "-x 32 -y 32", NULL},
    {"16x12x10", "-x 16 -y 12 -z 10", NULL},
    {"batch", "-x 64 -b 8", NULL},
};

/* 17 and 4093 are primes, which VkFFT transforms by Bluestein's algorithm. */
static const struct app_case transforms[] = {
    {.name = "4096", .words = "complex 4096"},   {.name = "243", .words = "complex 243"},
    {.name = "4093", .words = "complex 4093"},   {.name = "real-1000", .words = "real 1000"},
    {.name = "17x19", .words = "complex 17 19"}, {.name = "inverse-16x12x10", .words = "inverse 16 12 10"},
};

/* Hashes of "042", by coreutils and openssl. */
static const struct app_case hashes[] = {
    {"md5", "0 2ba100d60448c3b5fe2dc55a892104f0", NULL},
    {"sha1", "100 84908f1555e8a1f0aa0f67bdcf63d3e2b1953188", NULL},
    {"sha224", "1300 8ab8927923c652f2b68a8a44b6ec69c9a60377684474e17187af9679", NULL},
    {"sha256", "1400 19158c4a7252e121f7367e7e86a3baabbf93fded76110076cfab2b31eb7df887", NULL},
    {"sha384", "10800 6a788babcb395f844e7b881870e50c9e65539f8c72a8840a7453d9d4bfa3c07b649eefdd9c0d8d2cfa8dd3cafa349143",
     NULL},
    {"sha512",
     "1700 "
     "6e832a1f8eb08176019bee07aceed9a02572f93c219f2ab0feaf405ced86123aae1908f8a4b0ff041e8c441d1c95e6f8c3cbef04ab066f05e"
     "0e49f1983b04672",
     NULL},
    {"md4", "900 1fc3ad17d36c6a67ac1e9c1f10470f2d", NULL},
    {"ntlm", "1000 303f5939711387823b81f90969e17e33", NULL},
    {"ripemd160", "6000 47f0c5ffa02ccc645b564c2ad4f2de62febd0da6", NULL},
    {"sha3-256", "17400 5bfe7dfc7d4ec33bad83a77541eee330e621cdc7caa90906bebee36222c21dae", NULL},
    {"sha1-of-sha1", "300 47adbfa826078dcc0fd4dd6db99997da1bf8146c", NULL},
};

/* hashcat's numbers of kinds of hashes, with which a line of its speeds begins. */
static const struct app_case speeds[] = {
    {"md5", "0", "1:0:"},
    {"sha1", "100", "1:100:"},
    {"sha224", "1300", "1:1300:"},
    {"sha256", "1400", "1:1400:"},
    {"sha384", "10800", "1:10800:"},
    {"sha512", "1700", "1:1700:"},
    {"md4", "900", "1:900:"},
    {"ntlm", "1000", "1:1000:"},
    {"ripemd160", "6000", "1:6000:"},
    {"sha3-256", "17400", "1:17400:"},
};

#define DARKTABLE                                                                                                      \
   "darktable-cli /usr/share/darktable/pixmaps/idbutton-1.png @image.ppm --core --datadir /usr/share/darktable "       \
   "--moduledir /usr/lib/x86_64-linux-gnu/darktable --configdir @conf --cachedir @cache --library :memory: "
#define FRAMES "-f lavfi -i testsrc2=size=128x96:rate=5:duration=0.4"
#define FFMPEG "ffmpeg -hide_banner -loglevel error -nostdin "
static const struct app_case vulkan_filters[] = {
    {.name = "avgblur", .words = "avgblur_vulkan=sizeX=5:sizeY=3"},
    {.name = "chromaber", .words = "chromaber_vulkan=dist_x=2:dist_y=3"},
    {.name = "flip", .words = "flip_vulkan"},
    {.name = "gblur", .words = "gblur_vulkan=sigma=2"},
    {.name = "hflip", .words = "hflip_vulkan"},
    {.name = "vflip", .words = "vflip_vulkan"},
    {.name = "nlmeans", .words = "nlmeans_vulkan=r=5"},
    {.name = "scale", .words = "scale_vulkan=w=96:h=64"},
    {.name = "transpose", .words = "transpose_vulkan=dir=1"},
    {.name = "v360", .words = "v360_vulkan=input=e:output=c3x2"},
    {.name = "interlace", .words = "interlace_vulkan"},
    {.name = "bwdif", .words = "bwdif_vulkan"},
    {.name = "blend", .words = "split[a][b];[a][b]blend_vulkan=all_mode=multiply"},
    {.name = "overlay", .words = "split[a][b];[a][b]overlay_vulkan=x=8:y=4"},
    {.name = "xfade", .words = "split[a][b];[a][b]xfade_vulkan=transition=fade:duration=0.2:offset=0.1"},
};
static const struct app_case opencl_filters[] = {
    {.name = "avgblur", .words = "avgblur_opencl=sizeX=5"},
    {.name = "boxblur", .words = "boxblur_opencl=2:1"},
    {.name = "colorkey", .words = "colorkey_opencl=red:0.3"},
    {.name = "dilation", .words = "dilation_opencl"},
    {.name = "erosion", .words = "erosion_opencl"},
    {.name = "convolution", .words = "convolution_opencl"},
    {.name = "nlmeans", .words = "nlmeans_opencl=r=5"},
    {.name = "pad", .words = "pad_opencl=160:120:8:4"},
    {.name = "prewitt", .words = "prewitt_opencl"},
    {.name = "roberts", .words = "roberts_opencl"},
    {.name = "sobel", .words = "sobel_opencl"},
    {.name = "transpose", .words = "transpose_opencl"},
    {.name = "unsharp", .words = "unsharp_opencl"},
    {.name = "overlay", .words = "split[a][b];[a][b]overlay_opencl=8:4"},
    {.name = "xfade", .words = "split[a][b];[a][b]xfade_opencl=transition=fade:duration=0.2:offset=0.1"},
};
static const struct app_case placebo[] = {
    {.name = "scale", .words = "w=96:h=64"},
    {.name = "bilinear", .words = "w=256:h=192:upscaler=bilinear:downscaler=none"},
    {.name = "lanczos", .words = "w=200:h=150:upscaler=lanczos"},
    {.name = "crop", .words = "crop_x=8:crop_y=4:crop_w=64:crop_h=48"},
    {.name = "deband", .words = "deband=true:dithering=none"},
    {.name = "saturation", .words = "saturation=0.5:contrast=1.2"},
    {.name = "rotate", .words = "rotate=90"},
};

static const struct app_case peaks[] = {
    {"single", "--compute-sp", NULL},
    {"half", "--compute-hp", NULL},
    {"integer", "--compute-integer", NULL},
    {"latency", "--kernel-latency", NULL},
};

/* The likeliest word each time: the sums of beams differ in the last bits, and so may which of them wins. */
static const struct app_case speech[] = {
    {.name = "greedy", .words = "-bs 1 -bo 1"},
    {.name = "attention", .words = "-bs 1 -bo 1 -nfa"},
};

/* Groups of operators in ci/tfjs/operators.cjs. */
static const struct app_case operators[] = {
    {.name = "unary"},       {.name = "binary"}, {.name = "reduce"}, {.name = "matrix"},
    {.name = "convolution"}, {.name = "shape"},  {.name = "image"},
};

static const struct app_case develops[] = {{"export", "", NULL}};

#define CASES(list_) .list = APP_CASES, .cases = (list_), .count = ARRAY_COUNT(list_)
#define LLAMA_TESTS "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/"
#define LLAMA_PACKAGES "llama.cpp-tests libggml0-backend-vulkan"

#define WHISPER "whisper-cli -of @text -otxt -m @model.bin -f @sound.wav -l en -nf -nt % "

const struct application applications[] = {
    {.name = "llama.cpp",
     .what = "ggml's operations, Vulkan",
     .packages = LLAMA_PACKAGES,
     .answers = "ggml's backend for the processor",
     .list = APP_GGML,
     .judge = APP_GGML_LINES,
     .command = LLAMA_TESTS "test-backend-ops test -b Vulkan0 -o %"},
    {.name = "llama-models",
     .what = "tiny language models with random weights, Vulkan",
     .packages = LLAMA_PACKAGES,
     .answers = "ggml's backend for the processor",
     CASES(models),
     .judge = APP_EXIT,
     .command = LLAMA_TESTS "test-llama-archs -s 1 -b Vulkan0 -a ^%$"},
    {.name = "whisper",
     .what = "whisper.cpp's words for a sound, a tiny model with random weights, Vulkan",
     .packages = "whisper.cpp-tools libggml0-backend-vulkan",
     .answers = "ggml's backend for the processor",
     CASES(speech),
     .judge = APP_SAME,
     .bytes = 1,
     .make = whisper_write_files,
     .suffix = ".txt",
     .command = WHISPER,
     .reference = WHISPER "-ng"},
    {.name = "clblast",
     .what = "CLBlast's tests of BLAS, OpenCL",
     .packages = "clblast-tests",
     .answers = "CBLAS on the processor",
     CASES(blas),
     .judge = APP_EXIT,
     .wants = "test(s) passed",
     .command = "clblast_test_x% -precision 32"},
    {.name = "clfft",
     .what = "clFFT's client, OpenCL",
     .packages = "clfft-client",
     .answers = "the transform's values, which the client knows",
     CASES(fft_sizes),
     .judge = APP_EXIT,
     .wants = "*****PASS*****",
     .command = "clFFT-client %"},
    {.name = "vkfft",
     .what = "VkFFT by pyvkfft, OpenCL",
     .packages = "python3-pyvkfft python3-pyopencl",
     .answers = "numpy on the processor",
     CASES(transforms),
     .judge = APP_EXIT,
     .wants = VKFFT_RIGHT,
     .make = vkfft_write_script,
     .command = "python3 @fft.py %"},
    {.name = "hashcat",
     .what = "passwords of hashes, OpenCL",
     .packages = "hashcat",
     .answers = "hashes by openssl",
     CASES(hashes),
     .judge = APP_EXIT,
     .wants = ":042",
     .command = "hashcat -a 3 -n 1 -u 1 -T 32 --force --potfile-disable --quiet -m % ?d?d?d"},
    {.name = "hashcat-speed",
     .what = "hashcat's benchmark of ten kinds of hashes, OpenCL",
     .packages = "hashcat",
     .answers = "nothing: that it runs without a fault",
     CASES(speeds),
     .judge = APP_EXIT,
     .command = "hashcat -b -m % -n 1 -u 1 -T 32 --force --quiet --machine-readable"},
    {.name = "ffmpeg-vulkan",
     .what = "ffmpeg's filters, Vulkan",
     .packages = "ffmpeg",
     .answers = "lavapipe",
     CASES(vulkan_filters),
     .judge = APP_SAME,
     .tolerance = 1,
     .bytes = 1,
     .command = FFMPEG "-init_hw_device vulkan=v -filter_hw_device v " FRAMES
                       " -vf format=rgba,hwupload,%,hwdownload,format=rgba -f rawvideo -y @frames"},
    {.name = "ffmpeg-opencl",
     .what = "ffmpeg's filters, OpenCL",
     .packages = "ffmpeg",
     .answers = "llvmpipe",
     CASES(opencl_filters),
     .judge = APP_SAME,
     .tolerance = 1,
     .bytes = 1,
     .command = FFMPEG "-init_hw_device opencl=o -filter_hw_device o " FRAMES
                       " -vf format=rgba,hwupload,%,hwdownload,format=rgba -f rawvideo -y @frames"},
    {.name = "libplacebo",
     .what = "libplacebo's filters in ffmpeg, Vulkan",
     .packages = "ffmpeg",
     .answers = "lavapipe",
     CASES(placebo),
     .judge = APP_SAME,
     .tolerance = 2,
     .bytes = 1,
     .command = FFMPEG "-init_hw_device vulkan=v -filter_hw_device v " FRAMES
                       " -vf format=rgba,libplacebo=%:format=rgba -pix_fmt rgba -f rawvideo -y @frames"},
    {.name = "darktable",
     .what = "darktable-cli, OpenCL",
     .packages = "darktable",
     .answers = "darktable on the processor",
     CASES(develops),
     .judge = APP_SAME,
     .tolerance = 2048,
     .bytes = 2,
     .command = DARKTABLE "--conf clplatform_rusticl=TRUE --conf opencl_mandatory_timeout=100000",
     .reference = DARKTABLE "--disable-opencl"},
    {.name = "clpeak",
     .what = "clpeak, OpenCL",
     .packages = "clpeak",
     .answers = "nothing: that it runs without a fault",
     CASES(peaks),
     .judge = APP_EXIT,
     .command = "clpeak -i 1 %"},
    {.name = "dawn",
     .what = "Dawn's end-to-end tests of WebGPU, Vulkan",
     .packages = "dawn-tools",
     .answers = "the tests' own values",
     .list = APP_GTEST,
     .judge = APP_GTEST_LINES,
     .command = "dawn_end2end_tests --backend=vulkan --gtest_filter=%.*"},
    {.name = "tfjs",
     .what = "TensorFlow.js's operators on Dawn's WebGPU in node, Vulkan",
     .packages = "nodejs",
     .setup = "tfjs-get",
     .needs = "/usr/lib/agx-tfjs/node_modules/webgpu/package.json",
     .answers = "TensorFlow.js's backend for the processor",
     CASES(operators),
     .judge = APP_GGML_LINES,
     .command = "node /usr/lib/agx-tfjs/operators.cjs %"},
    {.name = "piglit-opencl",
     .what = "Piglit's OpenCL programs",
     .packages = "piglit",
     .answers = "the tests' own values",
     .list = APP_FILES,
     .listed = "/usr/lib/*/piglit/tests/cl/program/*/*.cl",
     .starts = "/tests/cl/",
     .judge = APP_PIGLIT,
     .command = "cl-program-tester %"},
    {.name = "piglit-opengl",
     .what = "Piglit's compute shaders, OpenGL",
     .packages = "piglit",
     .answers = "the tests' own values",
     .list = APP_FILES,
     .listed =
         "/usr/lib/*/piglit/tests/spec/arb_{compute_shader,shader_storage_buffer_object}/execution/{,*/}*.shader_test",
     .judge = APP_PIGLIT,
     .command = "shader_runner % -auto -fbo"},
};
const size_t application_count = ARRAY_COUNT(applications);

const struct application *application_find(const char *name)
{
   for (size_t i = 0; i < application_count; i++) {
      if (strcmp(applications[i].name, name) == 0) {
         return &applications[i];
      }
   }
   return NULL;
}
