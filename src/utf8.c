/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

/* The least and the greatest second byte after a first one, and how many bytes follow. */
static int shape(unsigned char first, unsigned char *least, unsigned char *greatest)
{
    *least = 0x80;
    *greatest = 0xBF;
    if (first >= 0xC2 && first <= 0xDF) {
        return 1;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        *least = first == 0xE0 ? 0xA0 : 0x80;
        *greatest = first == 0xED ? 0x9F : 0xBF;
        return 2;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        *least = first == 0xF0 ? 0x90 : 0x80;
        *greatest = first == 0xF4 ? 0x8F : 0xBF;
        return 3;
    }
    return -1;
}

int bench_utf8_is_valid(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    const unsigned char *end = p + size;

    while (p < end) {
        unsigned char least, greatest;
        int follow;

        if (*p < 0x80) {
            p++;
            continue;
        }
        follow = shape(*p++, &least, &greatest);
        if (follow < 0 || end - p < follow || *p < least || *p > greatest) {
            return 0;
        }
        for (p++, follow--; follow > 0; p++, follow--) {
            if (*p < 0x80 || *p > 0xBF) {
                return 0;
            }
        }
    }
    return 1;
}
