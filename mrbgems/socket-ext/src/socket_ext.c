/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening sockets.
 *
 * Socket, address and queue are made in one go: no Ruby runs while a descriptor belongs to nobody,
 * and what fails leaves none behind.
 */
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <mruby.h>
#include <mruby/class.h>
#include <mruby/error.h>
#include <mruby/presym.h>
#include <mruby/string.h>

static void close_quietly(int fd)
{
    int error = errno;

    close(fd);
    errno = error;
}

/* A descriptor that listens, otherwise -1 with errno set. */
static int listen_at(const struct sockaddr *address, socklen_t len, int backlog)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;

    if (fd < 0) {
        return -1;
    }
    if ((address->sa_family != AF_UNIX &&
         setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0) ||
        bind(fd, address, len) != 0 || listen(fd, backlog) != 0) {
        close_quietly(fd);
        return -1;
    }
    return fd;
}

/* The first address that can be had. */
static int listen_at_any(const struct addrinfo *list, int backlog)
{
    const struct addrinfo *one;
    int fd = -1;

    for (one = list; one && fd < 0; one = one->ai_next) {
        fd = listen_at(one->ai_addr, one->ai_addrlen, backlog);
    }
    return fd;
}

typedef struct {
    mrb_value io;
    mrb_value fd;
    mrb_value mode;
} wrap_t;

static mrb_value wrap_body(mrb_state *mrb, void *data)
{
    wrap_t *wrap = data;

    return mrb_funcall_id(mrb, wrap->io, MRB_SYM(__initialize), 2, wrap->fd, wrap->mode);
}

/* Gives a descriptor to an IO: closed if that fails. */
static void wrap(mrb_state *mrb, mrb_value io, int fd, mrb_value mode)
{
    wrap_t args = {io, mrb_fixnum_value(fd), mode};
    mrb_bool raised;
    mrb_value result = mrb_protect_error(mrb, wrap_body, &args, &raised);

    if (raised) {
        close(fd);
        mrb_exc_raise(mrb, result);
    }
}

static int backlog_of(mrb_int backlog)
{
    return backlog < 0 ? 0 : backlog > INT_MAX ? INT_MAX : (int)backlog;
}

/* __listen(host, port, backlog); any address for a host of nil or "". */
static mrb_value tcp_listen(mrb_state *mrb, mrb_value self)
{
    struct addrinfo hints, *list;
    mrb_value host, port, mode;
    const char *node = NULL, *service;
    mrb_int backlog;
    int fd, error;

    mrb_get_args(mrb, "ooi", &host, &port, &backlog);
    if (!mrb_nil_p(host)) {
        host = mrb_ensure_string_type(mrb, host);
        node = RSTRING_LEN(host) > 0 ? mrb_string_cstr(mrb, host) : NULL;
    }
    port = mrb_obj_as_string(mrb, port);
    service = mrb_string_cstr(mrb, port);
    mode = mrb_str_new_lit(mrb, "r+");

    memset(&hints, 0, sizeof(hints));
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    error = getaddrinfo(node, service, &hints, &list);
    if (error != 0) {
        mrb_raisef(mrb, mrb_class_get_id(mrb, MRB_SYM(SocketError)), "getaddrinfo: %s",
                   gai_strerror(error));
    }
    fd = listen_at_any(list, backlog_of(backlog));
    error = errno;
    freeaddrinfo(list);
    if (fd < 0) {
        mrb_value what = mrb_format(mrb, "bind(2) for \"%v\" port %v", host, port);

        errno = error;
        mrb_sys_fail(mrb, RSTRING_PTR(what));
    }
    wrap(mrb, self, fd, mode);
    return self;
}

/* __listen(path, backlog) */
static mrb_value unix_listen(mrb_state *mrb, mrb_value self)
{
    struct sockaddr_un address;
    mrb_value path, mode;
    mrb_int backlog;
    const char *name;
    int fd;

    mrb_get_args(mrb, "Si", &path, &backlog);
    name = mrb_string_cstr(mrb, path);
    if ((size_t)RSTRING_LEN(path) >= sizeof(address.sun_path)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR,
                   "too long unix socket path (%ibytes given but %ibytes max)", RSTRING_LEN(path),
                   (mrb_int)sizeof(address.sun_path) - 1);
    }
    mode = mrb_str_new_lit(mrb, "r+");
    memset(&address, 0, sizeof(address));
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, name, (size_t)RSTRING_LEN(path));
    fd = listen_at((const struct sockaddr *)&address, sizeof(address), backlog_of(backlog));
    if (fd < 0) {
        mrb_sys_fail(mrb, name);
    }
    wrap(mrb, self, fd, mode);
    return self;
}

void mrb_socket_ext_gem_init(mrb_state *mrb)
{
    struct RClass *tcp = mrb_class_get_id(mrb, MRB_SYM(TCPServer));
    struct RClass *local = mrb_class_get_id(mrb, MRB_SYM(UNIXServer));

    mrb_define_alias_id(mrb, mrb_class_get_id(mrb, MRB_SYM(BasicSocket))->super,
                        MRB_SYM(__initialize), MRB_SYM(initialize));
    mrb_define_method_id(mrb, tcp, MRB_SYM(__listen), tcp_listen, MRB_ARGS_REQ(3));
    mrb_define_method_id(mrb, local, MRB_SYM(__listen), unix_listen, MRB_ARGS_REQ(2));
}

void mrb_socket_ext_gem_final(mrb_state *mrb)
{
    (void)mrb;
}
