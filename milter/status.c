/* SPDX-License-Identifier: BSD-2-Clause */
#include "status.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "endpoint.h"
#include "metrics.h"
#include "publication_json.h"
#include "status_page.h"
#include "status_sources.h"

#define NS_PER_SECOND UINT64_C(1000000000)

/* Against clients that are hostile or forgetful. */
enum {
	MAX_IDLE_S = 5,
	MAX_LIFE_S = 10,
	MAX_REQUEST_BYTES = 16 * 1024,
	MAX_PAGE_BYTES = 4 * 1024 * 1024,
};

struct connection {
	int fd; /* -1: a free place */
	uint64_t since_ns;
};

struct listener {
	struct MHD_Daemon *daemon;
	struct connection connections[STATUS_MAX_CONNECTIONS];
};

struct status {
	struct status_sources sources;
	struct listener listeners[STATUS_MAX_LISTENERS];
	size_t listener_count;
	struct endpoint unix_endpoint; /* to be unlinked; len 0 for none */
	int stop_fd;
	pthread_t thread;
	bool started;
	_Atomic uint64_t cpu_ns; /* of the server's thread */
	clockid_t main_clock;
	uint64_t mail_cpu_ns; /* shown so far; the server's thread's own */
};

/*
 * Readings.
 */
static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* libmilter's threads come and go, so theirs is what the others leave. The
 * clocks are read one after the other: what is shown must not fall for that,
 * or a reader takes it for a restart. */
static void
read_threads(struct status *status, struct metrics_readings *readings)
{
	uint64_t *cpu_ns = readings->thread_cpu_ns;
	uint64_t rest_ns;

	cpu_ns[THREAD_STATUS] = stats_thread_cpu_ns();
	cpu_ns[THREAD_OTHER] = clock_ns(status->main_clock);
	rest_ns = cpu_ns[THREAD_WORKER] + cpu_ns[THREAD_DNS] +
	    cpu_ns[THREAD_STATUS] + cpu_ns[THREAD_OTHER];
	metrics_read_process(&readings->process);
	if (readings->process.cpu_ns > rest_ns + status->mail_cpu_ns)
		status->mail_cpu_ns = readings->process.cpu_ns - rest_ns;
	cpu_ns[THREAD_MAIL] = status->mail_cpu_ns;
}

static bool
is_ready(const struct status *status)
{
	return status->sources.ready == NULL ||
	    status->sources.ready(status->sources.ctx);
}

static void
read_all(struct status *status, struct metrics_readings *readings)
{
	const struct status_sources *sources = &status->sources;
	int64_t uptime_s = (int64_t)time(NULL) - sources->started;
	unsigned o, a;

	memset(readings, 0, sizeof(*readings));
	if (sources->stats != NULL) {
		stats_read(sources->stats, &readings->totals);
		stats_read_rates(sources->stats, &readings->rates);
	}
	for (o = 0; o < OPERATIONS; o++)
		for (a = 0; a < STATS_ALGORITHMS; a++)
			readings->worker_cpu_ns[o] +=
			    readings->totals.times[o][a].cpu.sum_ns;
	status_read_sources(sources, readings);
	read_threads(status, readings);
	readings->started_s = (uint64_t)sources->started;
	readings->uptime_s = uptime_s > 0 ? (uint64_t)uptime_s : 0;
	readings->ready = is_ready(status);
	readings->one = 1;
}

/*
 * Pages. Each appends its text and returns the code of the answer.
 */
static unsigned
print_page(
    struct status *status, struct MHD_Connection *connection, struct buf *out)
{
	(void)status, (void)connection;
	buf_append_str(out, status_page_text());
	return MHD_HTTP_OK;
}

static unsigned
print_metrics(
    struct status *status, struct MHD_Connection *connection, struct buf *out)
{
	struct metrics_readings readings;

	(void)connection;

	read_all(status, &readings);
	metrics_print_text(&readings, out);
	return MHD_HTTP_OK;
}

/* Gives JSON up; NULL: there was no memory for it. FLAGS are those of
 * json_dumps. */
static unsigned
print_json(json_t *json, size_t flags, struct buf *out)
{
	char *text = json != NULL ? json_dumps(json, flags) : NULL;

	json_decref(json);
	if (text == NULL)
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	buf_append_str(out, text);
	buf_append_char(out, '\n');
	free(text);
	return MHD_HTTP_OK;
}

static unsigned
print_status(
    struct status *status, struct MHD_Connection *connection, struct buf *out)
{
	struct metrics_readings readings;

	(void)connection;
	read_all(status, &readings);
	return print_json(metrics_to_json(&readings), JSON_INDENT(2), out);
}

static unsigned
print_history(
    struct status *status, struct MHD_Connection *connection, struct buf *out)
{
	struct stats_history history = { .count = 0 };

	(void)connection;
	if (status->sources.stats != NULL)
		stats_read_history(status->sources.stats, &history);
	return print_json(metrics_history_to_json(&history),
	    JSON_COMPACT | JSON_REAL_PRECISION(6), out);
}

static unsigned
print_keys(
    struct status *status, struct MHD_Connection *connection, struct buf *out)
{
	const char *domain = MHD_lookup_connection_value(
	    connection, MHD_GET_ARGUMENT_KIND, "domain");

	if (status->sources.publication == NULL)
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	return print_json(
	    publication_to_json(status->sources.publication, domain),
	    JSON_INDENT(2), out);
}

static unsigned
print_health(
    struct status *status, struct MHD_Connection *connection, struct buf *out)
{
	bool ready = is_ready(status);

	(void)connection;
	buf_append_str(out, ready ? "ready\n" : "not ready\n");
	return ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
}

struct page {
	const char *path;
	const char *content_type;
	unsigned (*print)(struct status *status,
	    struct MHD_Connection *connection, struct buf *out);
	const char *(*policy)(void); /* what the page may load; NULL: nothing */
};

static const struct page pages[] = {
	{ "/", "text/html; charset=utf-8", print_page, status_page_policy },
	{ "/status", "application/json", print_status, NULL },
	{ "/keys", "application/json", print_keys, NULL },
	{ "/history", "application/json", print_history, NULL },
	{ "/metrics", "text/plain; version=0.0.4", print_metrics, NULL },
	{ "/healthz", "text/plain", print_health, NULL },
};

/* Of what is no page. */
static const struct page no_page = { "", "text/plain", NULL, NULL };

static void
add_headers(
    struct MHD_Response *response, unsigned code, const struct page *page)
{
	MHD_add_response_header(
	    response, MHD_HTTP_HEADER_CONTENT_TYPE, page->content_type);
	MHD_add_response_header(
	    response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	/* A browser takes none for another kind, or for its own page's. */
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Content-Security-Policy",
	    page->policy != NULL
		? page->policy()
		: "default-src 'none'; frame-ancestors 'none'");
	/* A place is for one answer: no idle client keeps one. */
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(
		    response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
}

static enum MHD_Result
answer(struct MHD_Connection *connection, unsigned code,
    const struct page *page, struct buf *body)
{
	struct MHD_Response *response;
	enum MHD_Result result;
	size_t len = body->len;
	char *text = buf_take_string(body);

	if (text == NULL)
		return MHD_NO;
	response =
	    MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE);
	if (response == NULL) {
		free(text);
		return MHD_NO;
	}
	add_headers(response, code, page);
	result = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return result;
}

static const struct page *
find_page(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (strcmp(path, pages[i].path) == 0)
			return &pages[i];
	return NULL;
}

/* Answers when the header is there; a body is never read. */
static enum MHD_Result
handle_request(void *ctx, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *upload,
    size_t *upload_size, void **request_ctx)
{
	const struct page *page = find_page(url);
	struct status *status = ctx;
	struct buf body;
	unsigned code;

	(void)version, (void)upload, (void)upload_size, (void)request_ctx;
	buf_init(&body, MAX_PAGE_BYTES);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		buf_append_str(
		    &body, "Nothing can be changed here: GET and HEAD only.\n");
		code = MHD_HTTP_METHOD_NOT_ALLOWED;
		page = &no_page;
	} else if (page == NULL) {
		buf_append_str(&body,
		    "There is no such page. There are "
		    "/, /status, /keys, /history, /metrics and /healthz.\n");
		code = MHD_HTTP_NOT_FOUND;
		page = &no_page;
	} else {
		code = page->print(status, connection, &body);
	}
	return answer(connection, code, page, &body);
}

/*
 * Connections.
 */
static void
note_connection(void *ctx, struct MHD_Connection *connection, void **socket_ctx,
    enum MHD_ConnectionNotificationCode code)
{
	struct listener *listener = ctx;
	struct connection *place = *socket_ctx;
	const union MHD_ConnectionInfo *info;
	size_t i;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (place != NULL)
			place->fd = -1;
		return;
	}
	info = MHD_get_connection_info(
	    connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	for (i = 0; i < STATUS_MAX_CONNECTIONS && info != NULL; i++) {
		place = &listener->connections[i];
		if (place->fd >= 0)
			continue;
		place->fd = info->connect_fd;
		place->since_ns = stats_monotonic_ns();
		*socket_ctx = place;
		break;
	}
}

/* The library only caps idleness, which one octet now and then defeats. */
static void
end_old_connections(struct listener *listener)
{
	uint64_t now_ns = stats_monotonic_ns();
	size_t i;

	for (i = 0; i < STATUS_MAX_CONNECTIONS; i++) {
		struct connection *place = &listener->connections[i];

		if (place->fd >= 0 &&
		    now_ns - place->since_ns > MAX_LIFE_S * NS_PER_SECOND)
			shutdown(place->fd, SHUT_RDWR);
	}
}

static int
epoll_fd_of(struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info =
	    MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);

	return info != NULL ? info->epoll_fd : -1;
}

static int
timeout_ms(struct status *status)
{
	MHD_UNSIGNED_LONG_LONG one, least = 1000;
	size_t i;

	for (i = 0; i < status->listener_count; i++)
		if (MHD_get_timeout(status->listeners[i].daemon, &one) ==
			MHD_YES &&
		    one < least)
			least = one;
	return (int)least;
}

static void *
serve(void *arg)
{
	struct status *status = arg;
	struct pollfd fds[1 + STATUS_MAX_LISTENERS];
	size_t i;

	for (i = 0; i < status->listener_count; i++)
		fds[i] = (struct pollfd){ .fd = epoll_fd_of(
					      status->listeners[i].daemon),
			.events = POLLIN };
	fds[i] = (struct pollfd){ .fd = status->stop_fd, .events = POLLIN };
	for (;;) {
		/* Interrupted or not, what is ready is found out below. */
		if (poll(fds, i + 1, timeout_ms(status)) > 0 &&
		    fds[status->listener_count].revents != 0)
			return NULL;
		for (i = 0; i < status->listener_count; i++) {
			end_old_connections(&status->listeners[i]);
			MHD_run(status->listeners[i].daemon);
		}
		atomic_store(&status->cpu_ns, stats_thread_cpu_ns());
	}
}

/*
 * Life.
 */
static bool
add_listener(struct status *status, const char *text, unsigned mode,
    char *error, size_t error_size)
{
	struct listener *listener = &status->listeners[status->listener_count];
	struct endpoint endpoint;
	char why[128];
	size_t i;
	int fd;

	if (!endpoint_parse(text, &endpoint)) {
		snprintf(error, error_size,
		    "%s: not unix:/PATH, ADDRESS:PORT or [ADDRESS]:PORT", text);
		return false;
	}
	fd = endpoint_listen(&endpoint, mode, why, sizeof(why));
	if (fd < 0) {
		snprintf(error, error_size, "%s: %s", text, why);
		return false;
	}
	if (endpoint_path(&endpoint) != NULL)
		status->unix_endpoint = endpoint;
	for (i = 0; i < STATUS_MAX_CONNECTIONS; i++)
		listener->connections[i].fd = -1;
	listener->daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL,
	    handle_request, status, MHD_OPTION_LISTEN_SOCKET, fd,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)STATUS_MAX_CONNECTIONS,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)MAX_IDLE_S,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_REQUEST_BYTES,
	    MHD_OPTION_NOTIFY_CONNECTION, note_connection, listener,
	    MHD_OPTION_END);
	if (listener->daemon == NULL) {
		snprintf(
		    error, error_size, "%s: the HTTP server won't start", text);
		close(fd);
		return false;
	}
	status->listener_count++;
	return true;
}

bool
status_new(const struct status_sources *sources, const char *unix_socket,
    unsigned unix_mode, const char *http, struct status **status_r, char *error,
    size_t error_size)
{
	struct status *status = calloc(1, sizeof(*status));

	*status_r = NULL;
	if (status == NULL) {
		snprintf(error, error_size, "out of memory");
		return false;
	}
	status->sources = *sources;
	status->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (status->stop_fd < 0) {
		snprintf(error, error_size, "eventfd: %s", strerror(errno));
		goto fail;
	}
	if (unix_socket != NULL && unix_socket[0] != '\0' &&
	    !add_listener(status, unix_socket, unix_mode, error, error_size))
		goto fail;
	if (http != NULL && http[0] != '\0' &&
	    !add_listener(status, http, unix_mode, error, error_size))
		goto fail;
	*status_r = status;
	return true;
fail:
	status_free(status);
	return false;
}

bool
status_start(struct status *status)
{
	sigset_t all, old;
	int result;

	if (pthread_getcpuclockid(pthread_self(), &status->main_clock) != 0)
		return false;
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	result = pthread_create(&status->thread, NULL, serve, status);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (result != 0)
		return false;
	status->started = true;
	pthread_setname_np(status->thread, "signpost-status");
	return true;
}

void
status_free(struct status *status)
{
	const char *path;
	size_t i;

	if (status == NULL)
		return;
	if (status->started) {
		eventfd_write(status->stop_fd, 1);
		pthread_join(status->thread, NULL);
	}
	/* Stopping closes the listening socket, too. */
	for (i = 0; i < status->listener_count; i++)
		MHD_stop_daemon(status->listeners[i].daemon);
	path = endpoint_path(&status->unix_endpoint);
	if (path != NULL)
		unlink(path);
	if (status->stop_fd >= 0)
		close(status->stop_fd);
	free(status);
}

const char *
status_version(void)
{
	return MHD_get_version();
}

uint64_t
status_cpu_ns(struct status *status)
{
	return atomic_load(&status->cpu_ns);
}
