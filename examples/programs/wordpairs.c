/* wordpairs - which phrases of a text nearly repeat each other?
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   wordpairs TEXT [CHUNK [WORDS]]
 *
 * Takes the distinct phrases of WORDS consecutive words (default 2) and compares all pairs by edit
 * distance. Comparing phrase i with every later one makes the loops triangular: the first iterations
 * do the most work, so how the chunks are dealt decides how well the threads are balanced. CHUNK is
 * the chunk size of the heaviest loop, by default a badly large one.
 *
 * The program counts, inside the loops, the chunks and iterations that it really runs, and prints
 * them: what a tool should have seen. The count knows nothing of OMPT. (It is right for teams of two
 * and more threads; some runtimes give a team of one the whole loop as one chunk.)
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PHRASE = 63, LETTERS = 27, NEAREST_CHUNK = 16 };

typedef struct phrase {
  char text[MAX_PHRASE + 1];
  int length;
  unsigned char letters[LETTERS]; /* how often each letter and the blank occur */
} phrase;

typedef struct ran {
  const char *what;
  int line;
  long chunks, iterations;
} ran;

static _Noreturn void die(const char *what, const char *which) {
  fprintf(stderr, "wordpairs: %s: %s\n", which, what);
  exit(1);
}

static char *read_text(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in)
    die("cannot open", path);
  size_t used = 0, room = 1 << 16;
  char *text = malloc(room);
  while (text) {
    used += fread(text + used, 1, room - 1 - used, in);
    if (used < room - 1)
      break;
    room *= 2;
    text = realloc(text, room);
  }
  if (!text)
    die("too large for the memory", path);
  text[used] = 0;
  fclose(in);
  return text;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Splits `text` in place into its words, lower case. */
static char **split(char *text, int *count) {
  int used = 0, room = 1024;
  char **words = malloc(room * sizeof *words);
  for (char *c = text; *c && words;) {
    while (*c && !is_letter(*c))
      c++;
    if (!*c)
      break;
    if (used == room)
      words = realloc(words, (room *= 2) * sizeof *words);
    if (words)
      words[used++] = c;
    for (; is_letter(*c); c++)
      *c |= 'a' - 'A';
    if (*c)
      *c++ = 0;
  }
  if (!words)
    die("out of memory", "words");
  *count = used;
  return words;
}

static int by_text(const void *a, const void *b) {
  return strcmp(((const phrase *)a)->text, ((const phrase *)b)->text);
}

/* The distinct phrases of `width` consecutive words, in alphabetical order. */
static phrase *phrases_of(char **words, int count, int width, int *distinct) {
  int n = count - width + 1;
  phrase *all = calloc(n > 0 ? n : 1, sizeof *all);
  if (!all)
    die("out of memory", "phrases");
  for (int i = 0; i < n; i++)
    for (int w = 0, used = 0; w < width && used < MAX_PHRASE; w++)
      used += snprintf(all[i].text + used, MAX_PHRASE + 1 - used, w ? " %s" : "%s", words[i + w]);
  qsort(all, n > 0 ? n : 0, sizeof *all, by_text);
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (!kept || strcmp(all[kept - 1].text, all[i].text))
      all[kept++] = all[i];
  *distinct = kept;
  return all;
}

/* Levenshtein's distance, keeping one row of the table. */
static int edit_distance(const phrase *a, const phrase *b) {
  int row[MAX_PHRASE + 1];
  for (int j = 0; j <= b->length; j++)
    row[j] = j;
  for (int i = 1; i <= a->length; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= b->length; j++) {
      int above = row[j], best = diagonal + (a->text[i - 1] != b->text[j - 1]);
      if (above + 1 < best)
        best = above + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[b->length];
}

/* Never more than the edit distance, and much cheaper: letters that the other phrase lacks. */
static int letters_apart(const phrase *a, const phrase *b) {
  int more = 0, fewer = 0;
  for (int l = 0; l < LETTERS; l++) {
    int d = a->letters[l] - b->letters[l];
    more += d > 0 ? d : 0;
    fewer += d < 0 ? -d : 0;
  }
  return more > fewer ? more : fewer;
}

/* Counts letters. One range per thread; a thread's private `fresh` marks the beginning of its range. */
static ran count_letters(phrase *p, int n) {
  ran r = {.what = "letters"};
  long chunks = 0, iterations = 0;
  int fresh = 1;
  r.line = __LINE__ + 1;
#pragma omp parallel for schedule(static) firstprivate(fresh) reduction(+ : chunks, iterations)
  for (int i = 0; i < n; i++) {
    chunks += fresh;
    fresh = 0;
    iterations++;
    p[i].length = (int)strlen(p[i].text);
    for (const char *c = p[i].text; *c; c++)
      p[i].letters[*c == ' ' ? LETTERS - 1 : *c - 'a']++;
  }
  r.chunks = chunks;
  r.iterations = iterations;
  return r;
}

/* For every phrase the nearest later one; the chunk size is a constant of the program. */
static ran find_nearest(const phrase *p, int n, int *nearest, int *distance) {
  ran r = {.what = "nearest"};
  long chunks = 0, iterations = 0;
  r.line = __LINE__ + 1;
#pragma omp parallel for schedule(static, NEAREST_CHUNK) reduction(+ : chunks, iterations)
  for (int i = 0; i < n; i++) {
    chunks += i % NEAREST_CHUNK == 0;
    iterations++;
    int best = MAX_PHRASE + 1, which = -1;
    for (int j = i + 1; j < n; j++) {
      if (letters_apart(&p[i], &p[j]) >= best)
        continue;
      int d = edit_distance(&p[i], &p[j]);
      if (d < best)
        best = d, which = j;
    }
    nearest[i] = which;
    distance[i] = best;
  }
  r.chunks = chunks;
  r.iterations = iterations;
  return r;
}

/* How many pairs there are at each distance; the chunk size is known only at run time. */
static ran histogram(const phrase *p, int n, int chunk, long pairs[MAX_PHRASE + 1]) {
  ran r = {.what = "histogram"};
  long chunks = 0, iterations = 0;
  r.line = __LINE__ + 1;
#pragma omp parallel for schedule(static, chunk) reduction(+ : chunks, iterations, pairs[:MAX_PHRASE + 1])
  for (int i = 0; i < n; i++) {
    chunks += i % chunk == 0;
    iterations++;
    for (int j = i + 1; j < n; j++)
      pairs[edit_distance(&p[i], &p[j])]++;
  }
  r.chunks = chunks;
  r.iterations = iterations;
  return r;
}

int main(int argc, char **argv) {
  int chunk = argc > 2 ? atoi(argv[2]) : 512, width = argc > 3 ? atoi(argv[3]) : 2;
  if (argc < 2 || argc > 4 || chunk < 1 || width < 1) {
    fprintf(stderr, "usage: wordpairs TEXT [CHUNK [WORDS]]\n");
    return 2;
  }
  char *text = read_text(argv[1]);
  int words, n;
  char **word = split(text, &words);
  phrase *p = phrases_of(word, words, width, &n);
  if (n < 2)
    die("needs at least two different phrases", argv[1]);
  int *nearest = malloc(n * sizeof *nearest), *distance = malloc(n * sizeof *distance);
  long pairs[MAX_PHRASE + 1] = {0};
  if (!nearest || !distance)
    die("out of memory", "results");

  ran loops[] = {count_letters(p, n), find_nearest(p, n, nearest, distance),
                 histogram(p, n, chunk, pairs)};

  int close = 0;
  for (int i = 1; i < n - 1; i++)
    if (distance[i] < distance[close])
      close = i;
  long total = 0, weighted = 0;
  for (int d = 0; d <= MAX_PHRASE; d++) {
    total += pairs[d];
    weighted += d * pairs[d];
  }
  printf("%d words, %d distinct phrases of %d\n", words, n, width);
  printf("closest: \"%s\" and \"%s\", distance %d\n", p[close].text, p[nearest[close]].text,
         distance[close]);
  printf("mean distance of %ld pairs: %ld.%03ld\n", total, weighted / total,
         weighted % total * 1000 / total);
  for (size_t l = 0; l < sizeof loops / sizeof *loops; l++)
    printf("ran %s line %d chunks %ld iterations %ld\n", loops[l].what, loops[l].line,
           loops[l].chunks, loops[l].iterations);
  free(distance);
  free(nearest);
  free(p);
  free(word);
  free(text);
  return 0;
}
