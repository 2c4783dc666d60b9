/* OpenMP's target by the calls that clang makes of it, on the device that LLVM 19's libomptarget has on every host. Clang itself needs
   a linker for devices, which is in another package. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  void *address;
  const char *name;
  size_t size;
  int32_t flags, data;
};
struct image {
  void *begin, *end;
  struct entry *entries, *entries_end;
};
struct descriptor {
  int32_t count;
  struct image *images;
  struct entry *entries, *entries_end;
};
struct arguments {
  uint32_t version, count;
  void **bases, **pointers;
  int64_t *sizes, *types;
  void **names, **mappers;
  uint64_t trip_count, flags;
  uint32_t teams[3], threads[3], memory;
};
/* target DEVICE-CODE [FUNCTION] */
void __tgt_register_lib(struct descriptor *);
void __tgt_unregister_lib(struct descriptor *);
int __tgt_target_kernel(void *, int64_t, int32_t, int32_t, void *, struct arguments *);
void __tgt_target_data_begin_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
void __tgt_target_data_end_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
void __tgt_target_data_update_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);

enum { COUNT = 1000, TO = 1, FROM = 2, PARAMETER = 32, LITERAL = 256 };
static char region;
static double values[COUNT];

static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) abort();
  fseek(file, 0, SEEK_END), *size = ftell(file), rewind(file);
  void *all = malloc(*size);
  if (fread(all, 1, *size, file) != *size) abort();
  fclose(file);
  return all;
}

static int target(int64_t device, int32_t teams) {
  void *pointers[] = {(void *)(intptr_t)COUNT, values};
  int64_t sizes[] = {8, sizeof values}, types[] = {PARAMETER | LITERAL, PARAMETER | TO | FROM};
  struct arguments all = {3, 2, pointers, pointers, sizes, types, 0, 0, 0, 0, {teams}, {1}, 0};
  return __tgt_target_kernel(NULL, device, teams, 1, &region, &all);
}
typedef void data(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
static void move(data *how, int64_t type) {
  void *pointers[] = {values};
  int64_t sizes[] = {sizeof values};
  how(NULL, -1, 1, pointers, pointers, sizes, &type, NULL, NULL);
}

int main(int argc, char **argv) {
  size_t size;
  char *device_code = read_file(argv[1], &size);
  struct entry entry = {&region, argc > 2 ? argv[2] : "twice", 0, 0, 0};
  struct image image = {device_code, device_code + size, &entry, &entry + 1};
  struct descriptor all = {1, &image, &entry, &entry + 1};
  __tgt_register_lib(&all);
  for (int i = 0; i < COUNT; i++) values[i] = i;
  int failed = target(-1, 1);
  move(__tgt_target_data_begin_mapper, TO);
  for (int i = 0; i < 3; i++) failed += target(-1, 2);
  move(__tgt_target_data_update_mapper, FROM);
  move(__tgt_target_data_end_mapper, FROM);
  int device = omp_get_default_device();
  void *memory = omp_target_alloc(100, device);
  omp_target_memcpy(memory, values, 100, 0, 0, device, omp_get_initial_device());
  omp_target_free(memory, device);
  printf("%d %g\n", failed, values[COUNT - 1]);
  __tgt_unregister_lib(&all);
}
