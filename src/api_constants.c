/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constants of Apache, with the values that httpd has for them.
 *
 * Floor 2.
 */
#include "api.h"

#include <string.h>

#include <apr_file_info.h>
#include <http_log.h>
#include <mod_auth.h>
#include <mruby/class.h>
#include <mruby/variable.h>

typedef struct {
    const char *name;
    int value;
} constant_t;

#define NAMED(name) \
    {               \
#name, name \
    }
#define LEVEL(name)                 \
    {"APLOG_" #name, APLOG_##name}, \
    {                               \
        "LOG_" #name, APLOG_##name  \
    }
#define METHOD(name)         \
    {                        \
        "M_" #name, M_##name \
    }
#define PROXYREQ(name)                     \
    {                                      \
        "PROXYREQ_" #name, PROXYREQ_##name \
    }
#define HTTP(name)                 \
    {                              \
        "HTTP_" #name, HTTP_##name \
    }

static const constant_t of_apache[] = {
    NAMED(OK),
    NAMED(DECLINED),
    NAMED(DONE),

    LEVEL(EMERG),
    LEVEL(ALERT),
    LEVEL(CRIT),
    LEVEL(ERR),
    LEVEL(WARNING),
    LEVEL(NOTICE),
    LEVEL(INFO),
    LEVEL(DEBUG),
    {"LOG_WARN", APLOG_WARNING},

    METHOD(GET),
    METHOD(PUT),
    METHOD(POST),
    METHOD(DELETE),
    METHOD(CONNECT),
    METHOD(OPTIONS),
    METHOD(TRACE),
    METHOD(PATCH),
    METHOD(PROPFIND),
    METHOD(PROPPATCH),
    METHOD(MKCOL),
    METHOD(COPY),
    METHOD(MOVE),
    METHOD(LOCK),
    METHOD(UNLOCK),
    METHOD(VERSION_CONTROL),
    METHOD(CHECKOUT),
    METHOD(UNCHECKOUT),
    METHOD(CHECKIN),
    METHOD(UPDATE),
    METHOD(LABEL),
    METHOD(REPORT),
    METHOD(MKWORKSPACE),
    METHOD(MKACTIVITY),
    METHOD(BASELINE_CONTROL),
    METHOD(MERGE),
    METHOD(INVALID),

    PROXYREQ(NONE),
    PROXYREQ(PROXY),
    PROXYREQ(REVERSE),
    PROXYREQ(RESPONSE),

    HTTP(CONTINUE),
    HTTP(SWITCHING_PROTOCOLS),
    HTTP(PROCESSING),
    HTTP(OK),
    HTTP(CREATED),
    HTTP(ACCEPTED),
    HTTP(NON_AUTHORITATIVE),
    HTTP(NO_CONTENT),
    HTTP(RESET_CONTENT),
    HTTP(PARTIAL_CONTENT),
    HTTP(MULTI_STATUS),
    HTTP(MULTIPLE_CHOICES),
    HTTP(MOVED_PERMANENTLY),
    HTTP(MOVED_TEMPORARILY),
    HTTP(SEE_OTHER),
    HTTP(NOT_MODIFIED),
    HTTP(USE_PROXY),
    HTTP(TEMPORARY_REDIRECT),
    HTTP(BAD_REQUEST),
    HTTP(UNAUTHORIZED),
    HTTP(PAYMENT_REQUIRED),
    HTTP(FORBIDDEN),
    HTTP(NOT_FOUND),
    HTTP(METHOD_NOT_ALLOWED),
    HTTP(NOT_ACCEPTABLE),
    HTTP(PROXY_AUTHENTICATION_REQUIRED),
    HTTP(REQUEST_TIME_OUT),
    HTTP(CONFLICT),
    HTTP(GONE),
    HTTP(LENGTH_REQUIRED),
    HTTP(PRECONDITION_FAILED),
    HTTP(REQUEST_ENTITY_TOO_LARGE),
    HTTP(REQUEST_URI_TOO_LARGE),
    HTTP(UNSUPPORTED_MEDIA_TYPE),
    HTTP(RANGE_NOT_SATISFIABLE),
    HTTP(EXPECTATION_FAILED),
    HTTP(UNPROCESSABLE_ENTITY),
    HTTP(LOCKED),
    HTTP(NOT_EXTENDED),
    HTTP(INTERNAL_SERVER_ERROR),
    HTTP(NOT_IMPLEMENTED),
    HTTP(BAD_GATEWAY),
    HTTP(SERVICE_UNAVAILABLE),
    HTTP(VARIANT_ALSO_VARIES),
};

static const constant_t of_finfo[] = {
    NAMED(APR_NOFILE), NAMED(APR_REG), NAMED(APR_DIR),  NAMED(APR_CHR),     NAMED(APR_BLK),
    NAMED(APR_PIPE),   NAMED(APR_LNK), NAMED(APR_SOCK), NAMED(APR_UNKFILE),
};

static const constant_t of_authn_provider[] = {
    NAMED(AUTH_DENIED),         NAMED(AUTH_GRANTED),       NAMED(AUTH_USER_FOUND),
    NAMED(AUTH_USER_NOT_FOUND), NAMED(AUTH_GENERAL_ERROR),
};

static void define(mrb_state *mrb, struct RClass *klass, const constant_t *constants, size_t size)
{
    size_t i;

    for (i = 0; i < size / sizeof(*constants); i++) {
        const char *name = constants[i].name;

        mrb_const_set(mrb, mrb_obj_value(klass), mrb_intern_static(mrb, name, strlen(name)),
                      mrb_fixnum_value(constants[i].value));
    }
}

void bench_api_constants_define(mrb_state *mrb, bench_api_t *api)
{
    struct RClass *apache = mrb_class_get(mrb, "Apache");
    struct RClass *object = mrb->object_class;

    (void)api;
    define(mrb, apache, of_apache, sizeof(of_apache));
    define(mrb, mrb_define_class_under(mrb, apache, "Finfo", object), of_finfo, sizeof(of_finfo));
    define(mrb, mrb_define_class_under(mrb, apache, "AuthnProvider", object), of_authn_provider,
           sizeof(of_authn_provider));
}
