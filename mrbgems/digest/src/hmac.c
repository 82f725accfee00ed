/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC, which is also OpenSSL::HMAC, and comparisons that take the same time whatever they find.
 */
#include "digest.h"

#include <string.h>

#include <mruby/class.h>
#include <mruby/data.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/params.h>

/* An HMAC that is being made. */
typedef struct {
    EVP_MAC_CTX *context;
    char counted[1280]; /* as in a digest: what OpenSSL holds for it */
} hmac_t;

static void free_hmac(mrb_state *mrb, void *data)
{
    hmac_t *hmac = data;

    if (hmac) {
        EVP_MAC_CTX_free(hmac->context);
        mrb_free(mrb, hmac);
    }
}

static const struct mrb_data_type hmac_type = {"HMAC", free_hmac};

/* ---- of one string ------------------------------------------------------------------------- */

static mrb_value hmac_of(mrb_state *mrb, gem_shape_t *shape)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    mrb_value which;
    const char *key, *data;
    mrb_int key_len, data_len;
    const EVP_MD *md;

    mrb_get_args(mrb, "oss", &which, &key, &key_len, &data, &data_len);
    md = gem_digest_md(mrb, gem_digest_algorithm(mrb, which));
    if (key_len > INT_MAX ||
        !HMAC(md, key, (int)key_len, (const unsigned char *)data, (size_t)data_len, bytes, &len)) {
        gem_digest_fail(mrb);
    }
    return shape(mrb, bytes, (mrb_int)len);
}

static mrb_value class_digest(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return hmac_of(mrb, gem_digest_bytes);
}

static mrb_value class_hexdigest(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return hmac_of(mrb, gem_digest_hex);
}

static mrb_value class_base64digest(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return hmac_of(mrb, gem_digest_base64);
}

/* ---- in pieces ----------------------------------------------------------------------------- */

static hmac_t *hmac_get(mrb_state *mrb, mrb_value self)
{
    hmac_t *hmac = mrb_data_check_get_ptr(mrb, self, &hmac_type);

    if (!hmac || !hmac->context) {
        mrb_raise(mrb, E_RUNTIME_ERROR, "this HMAC was not initialized");
    }
    return hmac;
}

/* Puts a new context, or none, in the place of the one that self has. */
static hmac_t *hmac_replace(mrb_state *mrb, mrb_value self, EVP_MAC_CTX *context)
{
    hmac_t *hmac = mrb_data_check_get_ptr(mrb, self, &hmac_type);

    EVP_MAC_CTX_free(hmac->context);
    hmac->context = context;
    if (!context) {
        gem_digest_fail(mrb);
    }
    return hmac;
}

static void hmac_allocate(mrb_state *mrb, mrb_value self)
{
    if (!mrb_data_check_get_ptr(mrb, self, &hmac_type)) {
        hmac_t *hmac = mrb_malloc(mrb, sizeof(*hmac));

        hmac->context = NULL;
        mrb_data_init(self, hmac, &hmac_type);
    }
}

/* HMAC.new(key, algorithm), the order that OpenSSL::HMAC has. */
static mrb_value hmac_initialize(mrb_state *mrb, mrb_value self)
{
    mrb_value which;
    const char *key;
    mrb_int len;
    const EVP_MD *md;
    OSSL_PARAM parameters[2];
    EVP_MAC *mac;
    hmac_t *hmac;

    mrb_get_args(mrb, "so", &key, &len, &which);
    md = gem_digest_md(mrb, gem_digest_algorithm(mrb, which));
    hmac_allocate(mrb, self);
    mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    hmac = hmac_replace(mrb, self, mac ? EVP_MAC_CTX_new(mac) : NULL);
    EVP_MAC_free(mac);
    parameters[0] = OSSL_PARAM_construct_utf8_string("digest", (char *)EVP_MD_get0_name(md), 0);
    parameters[1] = OSSL_PARAM_construct_end();
    if (!EVP_MAC_init(hmac->context, (const unsigned char *)key, (size_t)len, parameters)) {
        gem_digest_fail(mrb);
    }
    return self;
}

static mrb_value hmac_initialize_copy(mrb_state *mrb, mrb_value self)
{
    mrb_value other;

    mrb_get_args(mrb, "o", &other);
    hmac_allocate(mrb, self);
    hmac_replace(mrb, self, EVP_MAC_CTX_dup(hmac_get(mrb, other)->context));
    return self;
}

/* Begins again with the same key. */
static mrb_value hmac_reset(mrb_state *mrb, mrb_value self)
{
    if (!EVP_MAC_init(hmac_get(mrb, self)->context, NULL, 0, NULL)) {
        gem_digest_fail(mrb);
    }
    return self;
}

static mrb_value hmac_update(mrb_state *mrb, mrb_value self)
{
    const char *bytes;
    mrb_int len;

    mrb_get_args(mrb, "s", &bytes, &len);
    if (!EVP_MAC_update(hmac_get(mrb, self)->context, (const unsigned char *)bytes, (size_t)len)) {
        gem_digest_fail(mrb);
    }
    return self;
}

/* The HMAC of what there is so far, by a copy: EVP_MAC_final spends a context. */
static size_t hmac_so_far(mrb_state *mrb, mrb_value self, unsigned char *bytes)
{
    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(hmac_get(mrb, self)->context);
    size_t len = 0;
    int done = copy && EVP_MAC_final(copy, bytes, &len, EVP_MAX_MD_SIZE);

    EVP_MAC_CTX_free(copy);
    if (!done) {
        gem_digest_fail(mrb);
    }
    return len;
}

static mrb_value hmac_as(mrb_state *mrb, mrb_value self, gem_shape_t *shape)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];

    return shape(mrb, bytes, (mrb_int)hmac_so_far(mrb, self, bytes));
}

static mrb_value hmac_digest(mrb_state *mrb, mrb_value self)
{
    return hmac_as(mrb, self, gem_digest_bytes);
}

static mrb_value hmac_hexdigest(mrb_state *mrb, mrb_value self)
{
    return hmac_as(mrb, self, gem_digest_hex);
}

static mrb_value hmac_base64digest(mrb_state *mrb, mrb_value self)
{
    return hmac_as(mrb, self, gem_digest_base64);
}

static mrb_value hmac_equal(mrb_state *mrb, mrb_value self)
{
    unsigned char mine[EVP_MAX_MD_SIZE], theirs[EVP_MAX_MD_SIZE];
    mrb_value other;
    size_t len;

    mrb_get_args(mrb, "o", &other);
    if (!mrb_data_check_get_ptr(mrb, other, &hmac_type)) {
        return mrb_false_value();
    }
    len = hmac_so_far(mrb, self, mine);
    return mrb_bool_value(hmac_so_far(mrb, other, theirs) == len &&
                          CRYPTO_memcmp(mine, theirs, len) == 0);
}

/* ---- comparisons --------------------------------------------------------------------------- */

static mrb_value fixed_length_secure_compare(mrb_state *mrb, mrb_value self)
{
    const char *a, *b;
    mrb_int a_len, b_len;

    (void)self;
    mrb_get_args(mrb, "ss", &a, &a_len, &b, &b_len);
    if (a_len != b_len) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "inputs must be of equal length");
    }
    return mrb_bool_value(CRYPTO_memcmp(a, b, (size_t)a_len) == 0);
}

/* Of any length: what is compared is their digests, so the time does not tell the length of the
 * longest common beginning. */
static mrb_value secure_compare(mrb_state *mrb, mrb_value self)
{
    unsigned char a_digest[EVP_MAX_MD_SIZE], b_digest[EVP_MAX_MD_SIZE];
    const char *a, *b;
    mrb_int a_len, b_len;
    const EVP_MD *md;
    unsigned len = 0;

    (void)self;
    mrb_get_args(mrb, "ss", &a, &a_len, &b, &b_len);
    md = gem_digest_md(mrb, gem_digest_algorithm(mrb, mrb_symbol_value(MRB_SYM(SHA256))));
    if (!EVP_Digest(a, (size_t)a_len, a_digest, &len, md, NULL) ||
        !EVP_Digest(b, (size_t)b_len, b_digest, &len, md, NULL)) {
        gem_digest_fail(mrb);
    }
    return mrb_bool_value(CRYPTO_memcmp(a_digest, b_digest, len) == 0 && a_len == b_len &&
                          CRYPTO_memcmp(a, b, (size_t)a_len) == 0);
}

void gem_hmac_init(mrb_state *mrb)
{
    struct RClass *openssl = mrb_define_module_id(mrb, MRB_SYM(OpenSSL));
    struct RClass *hmac = mrb_define_class_id(mrb, MRB_SYM(HMAC), mrb->object_class);

    MRB_SET_INSTANCE_TT(hmac, MRB_TT_CDATA);
    mrb_define_class_method_id(mrb, hmac, MRB_SYM(digest), class_digest, MRB_ARGS_REQ(3));
    mrb_define_class_method_id(mrb, hmac, MRB_SYM(hexdigest), class_hexdigest, MRB_ARGS_REQ(3));
    mrb_define_class_method_id(mrb, hmac, MRB_SYM(base64digest), class_base64digest,
                               MRB_ARGS_REQ(3));
    mrb_define_method_id(mrb, hmac, MRB_SYM(initialize), hmac_initialize, MRB_ARGS_REQ(2));
    mrb_define_method_id(mrb, hmac, MRB_SYM(initialize_copy), hmac_initialize_copy,
                         MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, hmac, MRB_SYM(reset), hmac_reset, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, hmac, MRB_SYM(update), hmac_update, MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, hmac, MRB_OPSYM(lshift), hmac_update, MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, hmac, MRB_SYM(digest), hmac_digest, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, hmac, MRB_SYM(hexdigest), hmac_hexdigest, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, hmac, MRB_SYM(to_s), hmac_hexdigest, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, hmac, MRB_SYM(inspect), hmac_hexdigest, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, hmac, MRB_SYM(base64digest), hmac_base64digest, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, hmac, MRB_OPSYM(eq), hmac_equal, MRB_ARGS_REQ(1));

    mrb_define_const_id(mrb, openssl, MRB_SYM(HMAC), mrb_obj_value(hmac));
    mrb_define_const_id(mrb, openssl, MRB_SYM(Digest),
                        mrb_obj_value(mrb_module_get_id(mrb, MRB_SYM(Digest))));
    mrb_define_class_method_id(mrb, openssl, MRB_SYM(secure_compare), secure_compare,
                               MRB_ARGS_REQ(2));
    mrb_define_class_method_id(mrb, openssl, MRB_SYM(fixed_length_secure_compare),
                               fixed_length_secure_compare, MRB_ARGS_REQ(2));
}
