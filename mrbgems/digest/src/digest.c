/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digest: MD5, SHA1, SHA256, SHA384, SHA512.
 *
 * OpenSSL 3 looks an algorithm up under a lock each time that one is named; so each interpreter
 * asks once, at first use, and keeps the answer in the algorithm's class.
 */
#include "digest.h"

#include <string.h>
#include <strings.h>

#include <mruby/class.h>
#include <mruby/data.h>
#include <mruby/presym.h>
#include <mruby/string.h>
#include <mruby/variable.h>

#include "gem_base64.h"

static const gem_algorithm_t algorithms[] = {
    {"MD5", MRB_SYM(MD5), 16, 64},        {"SHA1", MRB_SYM(SHA1), 20, 64},
    {"SHA256", MRB_SYM(SHA256), 32, 64},  {"SHA384", MRB_SYM(SHA384), 48, 128},
    {"SHA512", MRB_SYM(SHA512), 64, 128},
};
enum { ALGORITHMS = sizeof(algorithms) / sizeof(algorithms[0]) };

/* A digest that is being made. */
typedef struct {
    EVP_MD_CTX *context;
    /* What OpenSSL allocates for a context is out of the sight of the interpreter's account.  As
     * much is held here, so that a limit on memory also limits how many contexts there are. */
    char counted[320];
} digest_t;

static void free_md(mrb_state *mrb, void *md)
{
    (void)mrb;
    EVP_MD_free(md);
}

static void free_digest(mrb_state *mrb, void *data)
{
    digest_t *digest = data;

    if (digest) {
        EVP_MD_CTX_free(digest->context);
        mrb_free(mrb, digest);
    }
}

static const struct mrb_data_type md_type = {"Digest algorithm", free_md};
static const struct mrb_data_type digest_type = {"Digest", free_digest};

void gem_digest_fail(mrb_state *mrb)
{
    mrb_raise(mrb, E_RUNTIME_ERROR, "OpenSSL refuses this digest");
}

static struct RClass *class_of(mrb_state *mrb, const gem_algorithm_t *algorithm)
{
    struct RClass *module = mrb_module_get_id(mrb, MRB_SYM(Digest));

    return mrb_class_get_under_id(mrb, module, algorithm->class_name);
}

const EVP_MD *gem_digest_md(mrb_state *mrb, const gem_algorithm_t *algorithm)
{
    mrb_value owner = mrb_obj_value(class_of(mrb, algorithm));
    mrb_value kept = mrb_iv_get(mrb, owner, MRB_SYM(__md__));
    const EVP_MD *md;

    if (mrb_nil_p(kept)) {
        struct RData *data = mrb_data_object_alloc(mrb, mrb->object_class, NULL, &md_type);

        data->data = EVP_MD_fetch(NULL, algorithm->name, NULL);
        if (!data->data) {
            gem_digest_fail(mrb);
        }
        kept = mrb_obj_value(data);
        mrb_iv_set(mrb, owner, MRB_SYM(__md__), kept);
    }
    md = mrb_data_check_get_ptr(mrb, kept, &md_type);
    if (!md) {
        gem_digest_fail(mrb);
    }
    return md;
}

/* That of a class, which may be a script's own class over one of ours. */
static const gem_algorithm_t *algorithm_of_class(mrb_state *mrb, struct RClass *c)
{
    for (; c; c = c->super) {
        mrb_value index = mrb_iv_get(mrb, mrb_obj_value(c), MRB_SYM(__algorithm__));

        if (mrb_integer_p(index) && mrb_integer(index) >= 0 && mrb_integer(index) < ALGORITHMS) {
            return &algorithms[mrb_integer(index)];
        }
    }
    mrb_raise(mrb, E_NOTIMP_ERROR, "Digest::Base is an abstract class");
    return NULL;
}

/* SHA256, sha256 and SHA-256 are the same. */
static const gem_algorithm_t *algorithm_named(mrb_state *mrb, mrb_value name)
{
    const char *text = RSTRING_PTR(name);
    mrb_int len = RSTRING_LEN(name);
    char plain[8];
    size_t n = 0;
    mrb_int i;

    for (i = 0; i < len && n < sizeof(plain); i++) {
        if (text[i] != '-') {
            plain[n++] = text[i];
        }
    }
    if (n < sizeof(plain)) {
        plain[n] = '\0';
        for (i = 0; i < ALGORITHMS; i++) {
            if (n == strlen(algorithms[i].name) && strcasecmp(plain, algorithms[i].name) == 0) {
                return &algorithms[i];
            }
        }
    }
    mrb_raisef(mrb, E_RUNTIME_ERROR, "Unsupported digest algorithm (%v)", name);
    return NULL;
}

const gem_algorithm_t *gem_digest_algorithm(mrb_state *mrb, mrb_value which)
{
    switch (mrb_type(which)) {
    case MRB_TT_STRING:
        return algorithm_named(mrb, which);
    case MRB_TT_SYMBOL:
        return algorithm_named(mrb, mrb_sym_str(mrb, mrb_symbol(which)));
    case MRB_TT_CLASS:
        return algorithm_of_class(mrb, mrb_class_ptr(which));
    case MRB_TT_CDATA:
        return algorithm_of_class(mrb, mrb_obj_class(mrb, which));
    default:
        mrb_raise(mrb, E_TYPE_ERROR, "a digest algorithm is a name, a class or a digest");
    }
    return NULL;
}

/* ---- the shapes of a result ---------------------------------------------------------------- */

mrb_value gem_digest_bytes(mrb_state *mrb, const unsigned char *bytes, mrb_int len)
{
    return mrb_str_new(mrb, (const char *)bytes, len);
}

mrb_value gem_digest_hex(mrb_state *mrb, const unsigned char *bytes, mrb_int len)
{
    static const char digits[] = "0123456789abcdef";
    mrb_value text;
    char *to;
    mrb_int i;

    if (len > MRB_INT_MAX / 2) {
        mrb_raise(mrb, E_ARGUMENT_ERROR, "string size too big");
    }
    text = mrb_str_new(mrb, NULL, len * 2);
    to = RSTRING_PTR(text);
    for (i = 0; i < len; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    return text;
}

mrb_value gem_digest_base64(mrb_state *mrb, const unsigned char *bytes, mrb_int len)
{
    return gem_base64_encode(mrb, bytes, len, 0);
}

/* ---- the digest of one string -------------------------------------------------------------- */

static mrb_value digest_of(mrb_state *mrb, const gem_algorithm_t *algorithm, mrb_value data,
                           gem_shape_t *shape)
{
    const EVP_MD *md = gem_digest_md(mrb, algorithm);
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    if (!EVP_Digest(RSTRING_PTR(data), (size_t)RSTRING_LEN(data), bytes, &len, md, NULL)) {
        gem_digest_fail(mrb);
    }
    return shape(mrb, bytes, (mrb_int)len);
}

static mrb_value class_digest_as(mrb_state *mrb, mrb_value self, gem_shape_t *shape)
{
    mrb_value data;

    mrb_get_args(mrb, "S", &data);
    return digest_of(mrb, algorithm_of_class(mrb, mrb_class_ptr(self)), data, shape);
}

static mrb_value class_digest(mrb_state *mrb, mrb_value self)
{
    return class_digest_as(mrb, self, gem_digest_bytes);
}

static mrb_value class_hexdigest(mrb_state *mrb, mrb_value self)
{
    return class_digest_as(mrb, self, gem_digest_hex);
}

static mrb_value class_base64digest(mrb_state *mrb, mrb_value self)
{
    return class_digest_as(mrb, self, gem_digest_base64);
}

static mrb_value module_digest_as(mrb_state *mrb, gem_shape_t *shape)
{
    mrb_value which, data;

    mrb_get_args(mrb, "oS", &which, &data);
    return digest_of(mrb, gem_digest_algorithm(mrb, which), data, shape);
}

static mrb_value module_digest(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return module_digest_as(mrb, gem_digest_bytes);
}

static mrb_value module_hexdigest(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return module_digest_as(mrb, gem_digest_hex);
}

static mrb_value module_base64digest(mrb_state *mrb, mrb_value self)
{
    (void)self;
    return module_digest_as(mrb, gem_digest_base64);
}

/* OpenSSL::Digest.new("SHA256"): a digest of the class that the name stands for. */
static mrb_value module_new(mrb_state *mrb, mrb_value self)
{
    mrb_value which, made;
    mrb_value data = mrb_nil_value();

    (void)self;
    mrb_get_args(mrb, "o|S!", &which, &data);
    made = mrb_obj_new(mrb, class_of(mrb, gem_digest_algorithm(mrb, which)), 0, NULL);
    if (!mrb_nil_p(data)) {
        mrb_funcall_id(mrb, made, MRB_SYM(update), 1, data);
    }
    return made;
}

static mrb_value module_hexencode(mrb_state *mrb, mrb_value self)
{
    const char *bytes;
    mrb_int len;

    (void)self;
    mrb_get_args(mrb, "s", &bytes, &len);
    return gem_digest_hex(mrb, (const unsigned char *)bytes, len);
}

/* ---- digests in pieces --------------------------------------------------------------------- */

static digest_t *digest_get(mrb_state *mrb, mrb_value self)
{
    digest_t *digest = mrb_data_check_get_ptr(mrb, self, &digest_type);

    if (!digest) {
        mrb_raise(mrb, E_RUNTIME_ERROR, "this digest was not initialized");
    }
    return digest;
}

static void digest_start(mrb_state *mrb, mrb_value self, digest_t *digest)
{
    const gem_algorithm_t *algorithm = algorithm_of_class(mrb, mrb_obj_class(mrb, self));

    if (!EVP_DigestInit_ex2(digest->context, gem_digest_md(mrb, algorithm), NULL)) {
        gem_digest_fail(mrb);
    }
}

static digest_t *digest_allocate(mrb_state *mrb, mrb_value self)
{
    digest_t *digest = mrb_data_check_get_ptr(mrb, self, &digest_type);

    if (!digest) {
        digest = mrb_malloc(mrb, sizeof(*digest));
        digest->context = EVP_MD_CTX_new();
        mrb_data_init(self, digest, &digest_type);
        if (!digest->context) {
            gem_digest_fail(mrb);
        }
    }
    return digest;
}

static mrb_value digest_initialize(mrb_state *mrb, mrb_value self)
{
    digest_start(mrb, self, digest_allocate(mrb, self));
    return self;
}

static mrb_value digest_initialize_copy(mrb_state *mrb, mrb_value self)
{
    mrb_value other;

    mrb_get_args(mrb, "o", &other);
    if (!EVP_MD_CTX_copy_ex(digest_allocate(mrb, self)->context, digest_get(mrb, other)->context)) {
        gem_digest_fail(mrb);
    }
    return self;
}

static mrb_value digest_reset(mrb_state *mrb, mrb_value self)
{
    digest_start(mrb, self, digest_get(mrb, self));
    return self;
}

static mrb_value digest_update(mrb_state *mrb, mrb_value self)
{
    const char *bytes;
    mrb_int len;

    mrb_get_args(mrb, "s", &bytes, &len);
    if (!EVP_DigestUpdate(digest_get(mrb, self)->context, bytes, (size_t)len)) {
        gem_digest_fail(mrb);
    }
    return self;
}

/* The digest of what there is so far.  The context is left as it was: EVP_DigestFinal_ex spends
 * one, so it gets a copy, which is freed before anything may raise. */
static unsigned digest_so_far(mrb_state *mrb, mrb_value self, unsigned char *bytes)
{
    digest_t *digest = digest_get(mrb, self);
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    unsigned len = 0;
    int done =
        copy && EVP_MD_CTX_copy_ex(copy, digest->context) && EVP_DigestFinal_ex(copy, bytes, &len);

    EVP_MD_CTX_free(copy);
    if (!done) {
        gem_digest_fail(mrb);
    }
    return len;
}

/* With a string its digest, as of the class; without, the one so far. */
static mrb_value digest_as(mrb_state *mrb, mrb_value self, gem_shape_t *shape)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    mrb_value data = mrb_nil_value();

    mrb_get_args(mrb, "|S!", &data);
    if (!mrb_nil_p(data)) {
        digest_reset(mrb, self);
        return digest_of(mrb, algorithm_of_class(mrb, mrb_obj_class(mrb, self)), data, shape);
    }
    return shape(mrb, bytes, (mrb_int)digest_so_far(mrb, self, bytes));
}

static mrb_value digest_digest(mrb_state *mrb, mrb_value self)
{
    return digest_as(mrb, self, gem_digest_bytes);
}

static mrb_value digest_hexdigest(mrb_state *mrb, mrb_value self)
{
    return digest_as(mrb, self, gem_digest_hex);
}

static mrb_value digest_base64digest(mrb_state *mrb, mrb_value self)
{
    return digest_as(mrb, self, gem_digest_base64);
}

static mrb_value digest_name(mrb_state *mrb, mrb_value self)
{
    return mrb_str_new_cstr(mrb, algorithm_of_class(mrb, mrb_obj_class(mrb, self))->name);
}

static mrb_value digest_length(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(algorithm_of_class(mrb, mrb_obj_class(mrb, self))->digest_length);
}

static mrb_value digest_block_length(mrb_state *mrb, mrb_value self)
{
    return mrb_fixnum_value(algorithm_of_class(mrb, mrb_obj_class(mrb, self))->block_length);
}

/* Equal to a digest of the same bytes, and to the text of its bytes. */
static mrb_value digest_equal(mrb_state *mrb, mrb_value self)
{
    unsigned char mine[EVP_MAX_MD_SIZE], theirs[EVP_MAX_MD_SIZE];
    unsigned len;
    mrb_value other;

    mrb_get_args(mrb, "o", &other);
    len = digest_so_far(mrb, self, mine);
    if (mrb_string_p(other)) {
        return mrb_bool_value(mrb_str_equal(mrb, gem_digest_hex(mrb, mine, len), other));
    }
    if (!mrb_data_check_get_ptr(mrb, other, &digest_type)) {
        return mrb_false_value();
    }
    return mrb_bool_value(digest_so_far(mrb, other, theirs) == len &&
                          memcmp(mine, theirs, len) == 0);
}

/* ---- names --------------------------------------------------------------------------------- */

static void define_base(mrb_state *mrb, struct RClass *base)
{
    MRB_SET_INSTANCE_TT(base, MRB_TT_CDATA);
    mrb_define_class_method_id(mrb, base, MRB_SYM(digest), class_digest, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, base, MRB_SYM(hexdigest), class_hexdigest, MRB_ARGS_REQ(1));
    mrb_define_class_method_id(mrb, base, MRB_SYM(base64digest), class_base64digest,
                               MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, base, MRB_SYM(initialize), digest_initialize, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_SYM(initialize_copy), digest_initialize_copy,
                         MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, base, MRB_SYM(reset), digest_reset, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_SYM(update), digest_update, MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, base, MRB_OPSYM(lshift), digest_update, MRB_ARGS_REQ(1));
    mrb_define_method_id(mrb, base, MRB_SYM(digest), digest_digest, MRB_ARGS_OPT(1));
    mrb_define_method_id(mrb, base, MRB_SYM(hexdigest), digest_hexdigest, MRB_ARGS_OPT(1));
    mrb_define_method_id(mrb, base, MRB_SYM(base64digest), digest_base64digest, MRB_ARGS_OPT(1));
    mrb_define_method_id(mrb, base, MRB_SYM(to_s), digest_hexdigest, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_SYM(name), digest_name, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_SYM(digest_length), digest_length, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_SYM(length), digest_length, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_SYM(size), digest_length, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_SYM(block_length), digest_block_length, MRB_ARGS_NONE());
    mrb_define_method_id(mrb, base, MRB_OPSYM(eq), digest_equal, MRB_ARGS_REQ(1));
}

void mrb_digest_gem_init(mrb_state *mrb)
{
    struct RClass *module = mrb_define_module_id(mrb, MRB_SYM(Digest));
    struct RClass *base = mrb_define_class_under_id(mrb, module, MRB_SYM(Base), mrb->object_class);
    int i;

    mrb_define_class_method_id(mrb, module, MRB_SYM(new), module_new, MRB_ARGS_ARG(1, 1));
    mrb_define_class_method_id(mrb, module, MRB_SYM(digest), module_digest, MRB_ARGS_REQ(2));
    mrb_define_class_method_id(mrb, module, MRB_SYM(hexdigest), module_hexdigest, MRB_ARGS_REQ(2));
    mrb_define_class_method_id(mrb, module, MRB_SYM(base64digest), module_base64digest,
                               MRB_ARGS_REQ(2));
    mrb_define_class_method_id(mrb, module, MRB_SYM(hexencode), module_hexencode, MRB_ARGS_REQ(1));
    define_base(mrb, base);
    mrb_define_const_id(mrb, module, MRB_SYM(Class), mrb_obj_value(base));
    for (i = 0; i < ALGORITHMS; i++) {
        struct RClass *c = mrb_define_class_under_id(mrb, module, algorithms[i].class_name, base);

        mrb_iv_set(mrb, mrb_obj_value(c), MRB_SYM(__algorithm__), mrb_fixnum_value(i));
    }
    gem_hmac_init(mrb);
}

void mrb_digest_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
