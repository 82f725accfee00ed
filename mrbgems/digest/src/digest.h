/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What digests and HMAC share.
 */
#ifndef GEM_DIGEST_H
#define GEM_DIGEST_H

#include <mruby.h>
#include <openssl/evp.h>

/* One of the algorithms that there are. */
typedef struct {
    const char *name; /* as Ruby people write it, and as OpenSSL knows it */
    mrb_sym class_name;
    unsigned char digest_length;
    unsigned char block_length;
} gem_algorithm_t;

/* The algorithm for a name, a class or a digest.  Raises if it is none that there is. */
const gem_algorithm_t *gem_digest_algorithm(mrb_state *mrb, mrb_value which);

/* OpenSSL's part of it, which lasts as long as the interpreter.  Raises if OpenSSL has none (FIPS).
 */
const EVP_MD *gem_digest_md(mrb_state *mrb, const gem_algorithm_t *algorithm);

/* What Ruby gets of len bytes: themselves, or their text. */
typedef mrb_value gem_shape_t(mrb_state *mrb, const unsigned char *bytes, mrb_int len);
gem_shape_t gem_digest_bytes;
gem_shape_t gem_digest_hex;
gem_shape_t gem_digest_base64;

/* Raises for a failure in OpenSSL. */
void gem_digest_fail(mrb_state *mrb);

void gem_hmac_init(mrb_state *mrb);

#endif
