/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on files, without libFuzzer.
 *
 *     fuzz_TARGET FILE...
 *
 * A target that finds something aborts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exactly as long as the file, so that AddressSanitizer sees a read past its end. */
static void run(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    long size;

    if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
        perror(path);
        exit(1);
    }
    rewind(file);
    data = malloc(size > 0 ? (size_t)size : 1);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

int main(int argc, char **argv)
{
    int i;

    for (i = 1; i < argc; i++) {
        run(argv[i]);
    }
    printf("%s: %d inputs replayed\n", argv[0], argc - 1);
    return argc > 1 ? 0 : 1;
}
