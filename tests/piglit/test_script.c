/* SPDX-License-Identifier: MIT
 *
 * The readers of tests of shaders: what each understands becomes steps with the values of the format's own rules, and
 * what it does not understand has a message with file and line.
 */
#include <errno.h>
#include <stdlib.h>

#include "agx_runner/piglit/script/load.h"
#include "tests/check.h"

#define AMBER "#!amber\nSHADER compute s GLSL\nvoid main() {}\nEND\n"
#define GL "[require]\nGLSL >= 4.30\n[compute shader]\nvoid main() {}\n[test]\n"
#define VK "[compute shader]\nvoid main() {}\n[test]\n"
#define PROBE "probe ssbo uint 0 0 == 1\n"

static const struct {
   const char *path, *text;
   const char *message; /* its beginning; NULL: the text is understood */
} cases[] = {
    {"t.amber", "", "t.amber:1: the first line is not #!amber"},
    {"t.amber", "#!amber\n", "t.amber:1: the test expects nothing"},
    {"t.amber", "#!amber\nSHADER vertex v GLSL\n", "t.amber:2: a shader of kind 'vertex'"},
    {"t.amber", "#!amber\nSHADER compute s GLSL\nvoid main() {}\n", "t.amber:2: the shader has no END"},
    {"t.amber", AMBER "CLEAR p\n", "t.amber:5: 'CLEAR' is not understood"},
    {"t.amber", AMBER "BUFFER b DATA_TYPE mat4x4<float> SIZE 1\n", "t.amber:5: DATA_TYPE mat4x4<float>: expected"},
    {"t.amber", AMBER "BUFFER b DATA_TYPE uint32 DATA\n 1 2\n 3\n", "t.amber:5: the data has no END"},
    {"t.amber", AMBER "BUFFER b DATA_TYPE uint32 DATA\n 1\n x END\n", "t.amber:7: 'x': not an integer"},
    {"t.amber", AMBER "PIPELINE compute p\n ATTACH t\nEND\n", "t.amber:6: there is no shader 't'"},
    {"t.amber", AMBER "PIPELINE compute p\nEND\n", "t.amber:5: the pipeline has no shader"},
    {"t.amber", AMBER "PIPELINE graphics p\nEND\n", "t.amber:5: a pipeline that is no compute pipeline"},
    {"t.amber", AMBER "PIPELINE compute p\n ATTACH s\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n",
     "t.amber:7: there is no buffer 'b'"},
    {"t.amber", AMBER "BUFFER b DATA_TYPE uint32 SIZE 4 FILL 1\nEXPECT b IDX 0 XX 1\n",
     "t.amber:6: 'XX' is no comparison"},
    {"t.amber",
     AMBER "BUFFER b DATA_TYPE vec2<float> SIZE 2\nPIPELINE compute p\n ATTACH s\n BIND BUFFER b AS uniform "
           "DESCRIPTOR_SET 0 BINDING 0\nEND\n",
     "t.amber:8: uniform buffer 'b': its elements would need std140's padding"},
    {"t.shader_test", "[vertex shader]\nvoid main() {}\n", "t.shader_test:1: a section [vertex shader]: only compute"},
    {"t.shader_test", "[require]\nSPIRV YES\n", "t.shader_test:2: the requirement 'SPIRV YES' is not understood"},
    {"t.shader_test", "[test]\ncompute 1 1 1\n", "t.shader_test:1: there is no compute shader before [test]"},
    {"t.shader_test", GL "draw rect -1 -1 2 2\n", "t.shader_test:6: 'draw' needs a rasteriser"},
    {"t.shader_test", GL "probe all rgba 0 1 0 1\n", "t.shader_test:6: a probe of the window needs a rasteriser"},
    {"t.shader_test", GL "compute 1 1 1\n", "t.shader_test:6: the test expects nothing"},
    {"t.shader_test", GL "compute 1 1\n" PROBE, "t.shader_test:6: expected compute X Y Z"},
    {"t.shader_test", GL "ssbo 0 4\nssbo 0 8\n" PROBE, "t.shader_test:7: ssbo 0 has 4 bytes already"},
    {"t.shader_test", GL "uniform vec2 a 1 2 3\n", "t.shader_test:6: 3 values, where vec2 has 2"},
    {"t.shader_test", GL "uniform vec5 a 1\n", "t.shader_test:6: 'vec5' is no type of a uniform"},
    {"t.shader_test", GL "uniform int 3 1\n", "t.shader_test:6: uniform '3': a uniform is given by its name"},
    {"t.shader_test", GL "image texture 0 GL_RGBA8\n", "t.shader_test:6: there is no texture 0"},
    {"t.shader_test", GL "texture rgbw 0 (4, 4) GL_RGBA8\nimage texture 0 GL_R32F\n",
     "t.shader_test:7: image 'r32f': the texture's format is rgba8"},
    {"t.shader_test", GL "texture rgbw 0 (4, 2) GL_RGBA8\nfb tex 2d 0\nprobe rgb 0 2 0 0 0\n",
     "t.shader_test:8: '2' is no number from 0 to 1"},
    {"t.shader_test", GL "tolerance 1\n", "t.shader_test:6: expected tolerance"},
    {"t.shader_test", GL "mesh 1 1\n", "t.shader_test:6: 'mesh 1' is not understood"},
    {"t.shader_test", GL "ssbo 0 4\n" PROBE, NULL},
    {"t.vk_shader_test", "[fragment shader]\n", "t.vk_shader_test:1: a section [fragment shader]: only compute"},
    {"t.vk_shader_test", VK "probe all rgba 0 1 0 1\n", "t.vk_shader_test:4: 'probe all' is not understood"},
    {"t.vk_shader_test", VK "uniform ubo 0 float 0 1 2\n", "t.vk_shader_test:4: several elements that would need"},
    {"t.vk_shader_test", VK "probe ssbo uint 1:2 0 = 1\n", "t.vk_shader_test:4: '=' is no comparison"},
    {"t.vk_shader_test", VK "ssbo 1:2 subdata uint 0 \\\n 1 \\\n x\n", "t.vk_shader_test:4: 'x': not an integer"},
};

/* Exactly as large as the text, so that a sanitizer sees what is read behind it. */
static struct script *read_text(const char *path, const char *text, char message[512])
{
   struct script *script = NULL;

   (void)script_parse(path, text, strlen(text), &script, message, 512);
   return script;
}

static void check_messages(void)
{
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      char message[512] = "";
      struct script *script = read_text(cases[i].path, cases[i].text, message);
      const char *wanted = cases[i].message != NULL ? cases[i].message : "";
      CHECK((script != NULL) == (cases[i].message == NULL), "%s: '%s'", cases[i].text, message);
      CHECK(strncmp(message, wanted, strlen(wanted)) == 0, "of '%s': '%s', not '%s'", cases[i].text, message, wanted);
      script_destroy(script);
   }
}

static void check_amber(void)
{
   char message[512];
   struct script *script = read_text("t.amber",
                                     AMBER "BUFFER b DATA_TYPE vec2<float> SIZE 2 SERIES_FROM 1 INC_BY 0.5\n"
                                           "PIPELINE compute p\n ATTACH s\n SPECIALIZE 3 AS uint32 7\n"
                                           " BIND BUFFER b AS storage DESCRIPTOR_SET 1 BINDING 2\nEND\n"
                                           "RUN p 4 2 1\nEXPECT b IDX 8 TOLERANCE 10% EQ 2 2.5\n",
                                     message);

   if (!CHECK(script != NULL, "%s", message) || !CHECK_EQUAL(script->step_count, 3)) {
      script_destroy(script);
      return;
   }
   const struct script_step *write = &script->steps[0], *run = &script->steps[1], *expect = &script->steps[2];
   const float series[] = {1, 1.5f, 2, 2.5f};
   CHECK_EQUAL(script->api, SCRIPT_VULKAN);
   CHECK(write->kind == STEP_WRITE && write->size == sizeof(series) &&
         memcmp(write->bytes, series, sizeof(series)) == 0);
   CHECK(run->kind == STEP_RUN && run->line == 11 && run->groups[0] == 4 && run->groups[1] == 2 && run->groups[2] == 1);
   CHECK_TEXT(script->pipelines[0].constants[0], "3=7");
   CHECK_TEXT(script->pipelines[0].bindings[0].name, "1.2");
   CHECK(expect->kind == STEP_EXPECT && expect->offset == 8 && expect->value_count == 2 && expect->values[1].f == 2.5);
   CHECK(expect->tolerance == 10 && expect->percent && expect->compare == COMPARE_EQ);
   CHECK_TEXT(script->shaders[0].text, "\n\nvoid main() {}\n"); /* so that messages have the file's lines */
   script_destroy(script);
}

static void check_piglit(void)
{
   char message[512];
   struct script *script =
       read_text("t.shader_test",
                 GL "ssbo 3 32\nssbo 3 subdata float 4 0.5\nuniform mat2x3 m 1 2 3 4 5 6\nuniform int tex 0\n"
                    "texture rgbw 0 (4, 1) GL_RGBA32F\nimage texture 0 GL_RGBA32F\nfb tex 2d 0\nclear color 0 0 1 0\n"
                    "clear\ncompute 1 1 1\nprobe rgb 3 0 0.0 1.0 0.0 1.0\nprobe ssbo int 3 8 != -4\n",
                 message);

   if (!CHECK(script != NULL, "%s", message) || !CHECK_EQUAL(script->step_count, 8)) {
      script_destroy(script);
      return;
   }
   CHECK_EQUAL(script->api, SCRIPT_OPENGL);
   CHECK_EQUAL(script->memories[0].size, 32);
   CHECK_EQUAL(script->pipelines[0].bindings[0].number, 3);
   CHECK_EQUAL(script->steps[1].size, 24); /* six floats without padding, as glUniformMatrix2x3fv takes them */
   CHECK(script->steps[4].kind == STEP_FILL && script->steps[4].values[2].f == 1);
   CHECK(script->steps[6].kind == STEP_TEXELS && script->steps[6].texel[0] == 3 && script->steps[6].value_count == 3);
   CHECK(script->steps[7].compare == COMPARE_NE && script->steps[7].values[0].i == -4);
   CHECK_CONTAINS(script->shaders[0].text, "#version 430\n");
   script_destroy(script);
}

static void check_vkrunner(void)
{
   char message[512];
   struct script *script = read_text("t.vk_shader_test",
                                     "[require]\nvulkan 1.1\n[compute shader spirv]\n; nothing\n[test]\n"
                                     "ssbo 1:2 subdata vec3 16 1 2 3 4 5 6\npush int 4 -1\ncompute 1 1 1\n"
                                     "tolerance 1%\nprobe ssbo vec3 1:2 16 ~= 1 2 3 4 5 6\n",
                                     message);

   if (!CHECK(script != NULL, "%s", message) || !CHECK_EQUAL(script->step_count, 6)) {
      script_destroy(script);
      return;
   }
   CHECK_EQUAL(script->steps[1].offset, 32); /* a vec3 of std430 takes the room of four */
   CHECK_EQUAL(script->memories[0].size, 44);
   CHECK_TEXT(script->pipelines[0].bindings[0].name, "1.2");
   CHECK_TEXT(script->pipelines[0].bindings[1].name, "push");
   CHECK(script->shaders[0].language == SCRIPT_SPIRV_ASSEMBLY);
   CHECK_TEXT(script->shaders[0].environment, "vulkan1.1");
   CHECK(script->steps[5].tolerance == 1 && script->steps[5].percent && script->steps[5].offset == 32);
   script_destroy(script);
}

int main(void)
{
   check_messages();
   check_amber();
   check_piglit();
   check_vkrunner();
   return check_result();
}
