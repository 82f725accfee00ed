/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SecureRandom.
 *
 * All of it comes from RAND_bytes.  Since OpenSSL 1.1.1 each thread has a generator of its own
 * there, so threads do not wait for each other, and a generator notices that the process has
 * forked and seeds itself anew, so the children of a server do not share a sequence.
 */
#include <stdint.h>

#include <mruby.h>
#include <mruby/class.h>
#include <mruby/numeric.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <openssl/rand.h>

#include "gem_base64.h"

enum { DEFAULT_LENGTH = 16 };

static void fill(mrb_state *mrb, void *bytes, mrb_int len)
{
    unsigned char *to = bytes;

    while (len > 0) {
        int n = len > (1 << 30) ? 1 << 30 : (int)len;

        if (RAND_bytes(to, n) != 1) {
            mrb_raise(mrb, E_RUNTIME_ERROR, "the system gives no random numbers");
        }
        to += n;
        len -= n;
    }
}

/* How many bytes are asked for: 16 if nobody says. */
static mrb_int length_of(mrb_state *mrb, mrb_value n)
{
    mrb_int len = mrb_nil_p(n) ? DEFAULT_LENGTH : mrb_as_int(mrb, n);

    if (len < 0 || len > MRB_INT_MAX / 4) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "negative string size (or size too big)");
    }
    return len;
}

static mrb_value some_bytes(mrb_state *mrb, mrb_value n)
{
    mrb_int len = length_of(mrb, n);
    mrb_value bytes = mrb_str_new(mrb, NULL, len);

    fill(mrb, RSTRING_PTR(bytes), len);
    return bytes;
}

static mrb_value random_bytes(mrb_state *mrb, mrb_value self)
{
    mrb_value n = mrb_nil_value();

    (void)self;
    mrb_get_args(mrb, "|o", &n);
    return some_bytes(mrb, n);
}

static mrb_value bytes_of_length(mrb_state *mrb, mrb_value self)
{
    mrb_int n;

    (void)self;
    mrb_get_args(mrb, "i", &n);
    return some_bytes(mrb, mrb_int_value(mrb, n));
}

static void hex_of(char *to, const unsigned char *bytes, mrb_int len)
{
    static const char digits[] = "0123456789abcdef";
    mrb_int i;

    for (i = 0; i < len; i++) {
        unsigned char byte = bytes[i];

        *to++ = digits[byte >> 4];
        *to++ = digits[byte & 15];
    }
}

/* The bytes are put into the second half of their own text: none is overwritten before it is read.
 */
static mrb_value hex(mrb_state *mrb, mrb_value self)
{
    mrb_value n = mrb_nil_value();
    mrb_value text;
    mrb_int len;
    char *to;

    (void)self;
    mrb_get_args(mrb, "|o", &n);
    len = length_of(mrb, n);
    text = mrb_str_new(mrb, NULL, len * 2);
    to = RSTRING_PTR(text);
    fill(mrb, to + len, len);
    hex_of(to, (const unsigned char *)to + len, len);
    return text;
}

static mrb_value base64(mrb_state *mrb, mrb_value self)
{
    mrb_value n = mrb_nil_value();
    mrb_value bytes;

    (void)self;
    mrb_get_args(mrb, "|o", &n);
    bytes = some_bytes(mrb, n);
    return gem_base64_encode(mrb, RSTRING_PTR(bytes), RSTRING_LEN(bytes), 0);
}

static mrb_value urlsafe_base64(mrb_state *mrb, mrb_value self)
{
    mrb_value n = mrb_nil_value();
    mrb_bool padding = FALSE;
    mrb_value bytes;

    (void)self;
    mrb_get_args(mrb, "|ob", &n, &padding);
    bytes = some_bytes(mrb, n);
    return gem_base64_encode(mrb, RSTRING_PTR(bytes), RSTRING_LEN(bytes),
                             GEM_BASE64_URLSAFE | (padding ? 0 : GEM_BASE64_UNPADDED));
}

/* Version 4 of RFC 4122: 122 random bits. */
static mrb_value uuid(mrb_state *mrb, mrb_value self)
{
    /* How many bytes each group has. */
    static const unsigned char groups[] = {4, 2, 2, 2, 6};
    unsigned char bytes[16];
    const unsigned char *from = bytes;
    char text[36];
    char *to = text;
    size_t i;

    (void)self;
    fill(mrb, bytes, sizeof(bytes));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    for (i = 0; i < sizeof(groups); i++) {
        if (i > 0) {
            *to++ = '-';
        }
        hex_of(to, from, groups[i]);
        to += groups[i] * 2;
        from += groups[i];
    }
    return mrb_str_new(mrb, text, sizeof(text));
}

/* A byte of 62 * 4 and above is thrown away: it would make the first characters likelier. */
static mrb_value alphanumeric(mrb_state *mrb, mrb_value self)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    enum { LETTERS = sizeof(letters) - 1 };
    unsigned char pool[64];
    size_t left = 0;
    mrb_value n = mrb_nil_value();
    mrb_value text;
    mrb_int len, i;
    char *to;

    (void)self;
    mrb_get_args(mrb, "|o", &n);
    len = length_of(mrb, n);
    text = mrb_str_new(mrb, NULL, len);
    to = RSTRING_PTR(text);
    for (i = 0; i < len;) {
        if (left == 0) {
            fill(mrb, pool, sizeof(pool));
            left = sizeof(pool);
        }
        left--;
        if (pool[left] < LETTERS * 4) {
            to[i++] = letters[pool[left] % LETTERS];
        }
    }
    return text;
}

/* An integer from 0 to limit - 1.  Numbers of as many bits as limit - 1 has are drawn until one is
 * small enough: the rest of a division would be unfair. */
static mrb_value random_below(mrb_state *mrb, mrb_value self)
{
    mrb_int limit;
    uint64_t mask, drawn;

    (void)self;
    mrb_get_args(mrb, "i", &limit);
    if (limit < 1) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "nothing is below zero");
    }
    mask = (uint64_t)limit - 1;
    mask |= mask >> 1;
    mask |= mask >> 2;
    mask |= mask >> 4;
    mask |= mask >> 8;
    mask |= mask >> 16;
    mask |= mask >> 32;
    do {
        fill(mrb, &drawn, sizeof(drawn));
        drawn &= mask;
    } while (drawn >= (uint64_t)limit);
    return mrb_int_value(mrb, (mrb_int)drawn);
}

/* A float from 0 to 1, one of 2 ** 53 that are equally far apart; 1 is one of them if it is wanted.
 */
static mrb_value random_float(mrb_state *mrb, mrb_value self)
{
    const uint64_t top = (uint64_t)1 << 53;
    mrb_bool with_one = FALSE;
    uint64_t drawn;

    (void)self;
    mrb_get_args(mrb, "|b", &with_one);
    do {
        fill(mrb, &drawn, sizeof(drawn));
        drawn &= with_one ? top * 2 - 1 : top - 1;
    } while (drawn > top);
    return mrb_float_value(mrb, (mrb_float)drawn / (mrb_float)top);
}

void mrb_securerandom_gem_init(mrb_state *mrb)
{
    struct RClass *module = mrb_define_module_id(mrb, MRB_SYM(SecureRandom));

    mrb_define_class_method_id(mrb, module, MRB_SYM(random_bytes), random_bytes, MRB_ARGS_OPT(1));
    mrb_define_class_method_id(mrb, module, MRB_SYM(bytes), bytes_of_length, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, module, MRB_SYM(hex), hex, MRB_ARGS_OPT(1));
    mrb_define_class_method_id(mrb, module, MRB_SYM(base64), base64, MRB_ARGS_OPT(1));
    mrb_define_class_method_id(mrb, module, MRB_SYM(urlsafe_base64), urlsafe_base64,
                               MRB_ARGS_OPT(2));
    mrb_define_class_method_id(mrb, module, MRB_SYM(uuid), uuid, MRB_ARGS_NONE());
    mrb_define_class_method_id(mrb, module, MRB_SYM(alphanumeric), alphanumeric, MRB_ARGS_OPT(1));
    mrb_define_class_method_id(mrb, module, MRB_SYM(__below), random_below, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, module, MRB_SYM(__float), random_float, MRB_ARGS_OPT(1));
}

void mrb_securerandom_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
