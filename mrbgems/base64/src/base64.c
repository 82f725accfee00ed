/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64: encode64 and decode64 as pack("m") and unpack("m") have it, and RFC 4648's two alphabets.
 */
#include "gem_base64.h"

#include <stdint.h>

#include <mruby/class.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

enum { LINE_BYTES = 45 };

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char urlsafe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* The value of a character of either alphabet; -1 for any other. */
static int value_of(unsigned char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static char *encode(char *to, const unsigned char *from, mrb_int len, unsigned how)
{
    const char *digits = how & GEM_BASE64_URLSAFE ? urlsafe : standard;

    for (; len >= 3; from += 3, len -= 3) {
        *to++ = digits[from[0] >> 2];
        *to++ = digits[(from[0] & 3) << 4 | from[1] >> 4];
        *to++ = digits[(from[1] & 15) << 2 | from[2] >> 6];
        *to++ = digits[from[2] & 63];
    }
    if (len > 0) {
        *to++ = digits[from[0] >> 2];
        *to++ = digits[(from[0] & 3) << 4 | (len == 2 ? from[1] >> 4 : 0)];
        if (len == 2) {
            *to++ = digits[(from[1] & 15) << 2];
        } else if (!(how & GEM_BASE64_UNPADDED)) {
            *to++ = '=';
        }
        if (!(how & GEM_BASE64_UNPADDED)) {
            *to++ = '=';
        }
    }
    return to;
}

mrb_value gem_base64_encode(mrb_state *mrb, const void *bytes, mrb_int len, unsigned how)
{
    const unsigned char *from = bytes;
    mrb_int lines = how & GEM_BASE64_LINES ? (len + LINE_BYTES - 1) / LINE_BYTES : 0;
    mrb_value text;
    char *to;

    if (len > MRB_INT_MAX / 2) { /* the text is longer by a third and more */
        mrb_raise(mrb, E_ARGUMENT_ERROR, "string size too big");
    }
    text = mrb_str_new(mrb, NULL, (len + 2) / 3 * 4 + lines);
    to = RSTRING_PTR(text);
    if (lines > 0) {
        for (; len > 0; from += LINE_BYTES, len -= LINE_BYTES) {
            to = encode(to, from, len < LINE_BYTES ? len : LINE_BYTES, how);
            *to++ = '\n';
        }
    } else {
        to = encode(to, from, len, how);
    }
    return mrb_str_resize(mrb, text, to - RSTRING_PTR(text));
}

/* What decoding has come to: up to four characters, 24 bits. */
typedef struct {
    uint32_t bits;
    int characters;
    char *to;
} decoder_t;

static void decoder_take(decoder_t *decoder, int value)
{
    decoder->bits = decoder->bits << 6 | (uint32_t)value;
    if (++decoder->characters == 4) {
        *decoder->to++ = (char)(decoder->bits >> 16);
        *decoder->to++ = (char)(decoder->bits >> 8);
        *decoder->to++ = (char)decoder->bits;
        decoder->characters = 0;
        decoder->bits = 0;
    }
}

/* Characters that make no whole group; returns the bits left over, -1 if they make no byte. */
static int decoder_end(decoder_t *decoder)
{
    switch (decoder->characters) {
    case 2:
        *decoder->to++ = (char)(decoder->bits >> 4);
        return decoder->bits & 15;
    case 3:
        *decoder->to++ = (char)(decoder->bits >> 10);
        *decoder->to++ = (char)(decoder->bits >> 2);
        return decoder->bits & 3;
    default:
        return decoder->characters == 0 ? 0 : -1;
    }
}

/* What is no character of the standard alphabet is passed over, as unpack("m") does. */
static mrb_value decode64(mrb_state *mrb, mrb_value self)
{
    decoder_t decoder = {0, 0, NULL};
    const char *from;
    mrb_int len, i;
    mrb_value bytes;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    bytes = mrb_str_new(mrb, NULL, len / 4 * 3 + 3);
    decoder.to = RSTRING_PTR(bytes);
    for (i = 0; i < len; i++) {
        int value = from[i] == '-' || from[i] == '_' ? -1 : value_of((unsigned char)from[i]);

        if (value >= 0) {
            decoder_take(&decoder, value);
        } else if (from[i] == '=' && decoder.characters >= 2) {
            break;
        }
    }
    decoder_end(&decoder);
    return mrb_str_resize(mrb, bytes, decoder.to - RSTRING_PTR(bytes));
}

/* Everything must be right: alphabet, length, padding, and no bit set that stands for nothing. */
static mrb_value decode_strictly(mrb_state *mrb, const char *from, mrb_int len, unsigned how)
{
    decoder_t decoder = {0, 0, NULL};
    mrb_int end = len;
    mrb_value bytes;
    mrb_int i;

    if (!(how & GEM_BASE64_UNPADDED) || (len > 0 && from[len - 1] == '=')) {
        if (len % 4 != 0) {
            goto invalid;
        }
        for (i = 0; i < 2 && end > 0 && from[end - 1] == '='; i++) {
            end--;
        }
    }
    bytes = mrb_str_new(mrb, NULL, len / 4 * 3 + 3);
    decoder.to = RSTRING_PTR(bytes);
    for (i = 0; i < end; i++) {
        int value = value_of((unsigned char)from[i]);

        if (value < 0 || (!(how & GEM_BASE64_URLSAFE) && (from[i] == '-' || from[i] == '_'))) {
            goto invalid;
        }
        decoder_take(&decoder, value);
    }
    if (decoder_end(&decoder) == 0) {
        return mrb_str_resize(mrb, bytes, decoder.to - RSTRING_PTR(bytes));
    }
invalid:
    mrb_raise(mrb, E_ARGUMENT_ERROR, "invalid base64");
    return mrb_nil_value();
}

static mrb_value strict_decode64(mrb_state *mrb, mrb_value self)
{
    const char *from;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    return decode_strictly(mrb, from, len, 0);
}

static mrb_value urlsafe_decode64(mrb_state *mrb, mrb_value self)
{
    const char *from;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    return decode_strictly(mrb, from, len, GEM_BASE64_URLSAFE | GEM_BASE64_UNPADDED);
}

static mrb_value encode64(mrb_state *mrb, mrb_value self)
{
    const char *from;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    return gem_base64_encode(mrb, from, len, GEM_BASE64_LINES);
}

static mrb_value strict_encode64(mrb_state *mrb, mrb_value self)
{
    const char *from;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s", &from, &len);
    return gem_base64_encode(mrb, from, len, 0);
}

static mrb_value urlsafe_encode64(mrb_state *mrb, mrb_value self)
{
    mrb_sym names[1] = {MRB_SYM(padding)};
    mrb_value values[1];
    mrb_kwargs keywords = {1, 0, names, values, NULL};
    unsigned how = GEM_BASE64_URLSAFE;
    const char *from;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s:", &from, &len, &keywords);
    if (!mrb_undef_p(values[0]) && !mrb_test(values[0])) {
        how |= GEM_BASE64_UNPADDED;
    }
    return gem_base64_encode(mrb, from, len, how);
}

void mrb_base64_gem_init(mrb_state *mrb)
{
    struct RClass *base64 = mrb_define_module_id(mrb, MRB_SYM(Base64));

    mrb_define_module_function_id(mrb, base64, MRB_SYM(encode64), encode64, MRB_ARGS_REQ(1));
    mrb_define_module_function_id(mrb, base64, MRB_SYM(decode64), decode64, MRB_ARGS_REQ(1));
    mrb_define_module_function_id(mrb, base64, MRB_SYM(strict_encode64), strict_encode64,
                                  MRB_ARGS_REQ(1));
    mrb_define_module_function_id(mrb, base64, MRB_SYM(strict_decode64), strict_decode64,
                                  MRB_ARGS_REQ(1));
    mrb_define_module_function_id(mrb, base64, MRB_SYM(urlsafe_encode64), urlsafe_encode64,
                                  MRB_ARGS_REQ(1) | MRB_ARGS_KEY(1, 0));
    mrb_define_module_function_id(mrb, base64, MRB_SYM(urlsafe_decode64), urlsafe_decode64,
                                  MRB_ARGS_REQ(1));
}

void mrb_base64_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
