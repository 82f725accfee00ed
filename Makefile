# SPDX-License-Identifier: Apache-2.0
#
# mod_bench: Ruby inside Apache httpd.  `make help` lists the targets.

# ---- what you may set --------------------------------------------------------------------------

CFLAGS ?= -O2 -g
# A source tree of mruby, 3.3 or later, in place of Debian's, which is fetched:
MRUBY_SRC ?= build/mruby-src
# make run:
MPM ?= event
PORT ?= 8080
# make install, make uninstall:
DESTDIR ?=

# ---- the usual ---------------------------------------------------------------------------------

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
ifeq ($(origin CC),default)
CC := gcc
endif

.PHONY: all
all: build/mod_bench.so ## build the module (the default)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-20s %s\n", $$1, $$2 }' Makefile

.PHONY: deps
deps: ## install the Debian packages that are missing (as root, or with sudo)
	@tools/deps build test

# Ahead of everything that needs a tool: says which command installs it.
.PHONY: tools-present
tools-present:
	@tools/deps --check build

# ---- sources and flags -------------------------------------------------------------------------

SOURCES := mod_bench.c $(sort $(wildcard src/*.c))
# Ruby that an interpreter loads when a script asks for it.
LATER := $(patsubst mrblib/later/%.rb,%,$(sort $(wildcard mrblib/later/*.rb)))

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror

ASAN := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
TSAN := -O1 -fno-omit-frame-pointer -fsanitize=thread

# Asked for at their first use, and once: until `make deps` there may be no apxs.
HTTPD_FLAGS = $(eval HTTPD_FLAGS := $(shell apxs -q EXTRA_CPPFLAGS) $(patsubst -I%,-isystem %,\
	-I$(shell apxs -q INCLUDEDIR) $(shell apr-1-config --includes) $(shell apu-1-config --includes)))$(HTTPD_FLAGS)
APR_LIBS = $(shell apr-1-config --link-ld) $(shell apu-1-config --link-ld)
MODULES = $(shell apxs -q LIBEXECDIR)

# What is done in a few words; make V=1 says the whole command.
say = @$(if $(V),set -x,echo '  $(1)');

compile = $(CC) -std=gnu11 -fPIC -fvisibility=hidden $(CFLAGS) $(WARNINGS) -MMD -MP -Isrc $(HTTPD_FLAGS)

# ---- mruby -------------------------------------------------------------------------------------

build/mruby-src: | tools-present
	@tools/fetch-mruby $@

# Changes when MRUBY_SRC does.
.PHONY: FORCE
build/mruby-src.name: FORCE
	@mkdir -p build
	@echo '$(MRUBY_SRC)' | cmp -s - $@ || echo '$(MRUBY_SRC)' > $@

MRUBY_INPUT := tools/build-mruby build/mruby-src.name $(shell find build_config.rb mrblib $(wildcard mrbgems \
	$(MRUBY_SRC)/src $(MRUBY_SRC)/include $(MRUBY_SRC)/mrblib $(MRUBY_SRC)/mrbgems) -path mrblib/later -prune -o -not -path 'mrbgems/*/test*' -print)

# ---- the module, three times: plain and under two sanitizers ---------------------------------------

# $(call module,directory,what build_config.rb is told,flags)
define module
.PHONY: $(1)/mruby
$(1)/mruby: $(1)/mruby/lib/libmruby.a

$(1)/mruby/lib/libmruby.a: $(MRUBY_INPUT) | $(MRUBY_SRC) tools-present
	@tools/build-mruby $(MRUBY_SRC) $(1)/mruby $(2)

$(1)/obj/%.o: %.c Makefile $(1)/mruby/lib/libmruby.a
	@mkdir -p $$(@D)
	$$(call say,CC $$@) $$(compile) $(3) $$$$(cat $(1)/mruby/lib/defines) -isystem $(1)/mruby/include -c -o $$@ $$<

# The parts of mrblib that are loaded later.  No debug information: what is raised in them is told of
# the line that called them.
$(1)/later/%.c: mrblib/later/%.rb $(1)/mruby/lib/libmruby.a
	@mkdir -p $$(@D)
	$$(call say,MRBC $$@) ASAN_OPTIONS=detect_leaks=0 $(1)/mruby/bin/mrbc -B bench_later_$$* -o $$@ $$<

$(1)/obj/later/%.o: $(1)/later/%.c Makefile
	@mkdir -p $$(@D)
	$$(call say,CC $$@) $$(compile) $(3) -include src/later.h -c -o $$@ $$<

$(1)/mod_bench.so: $(SOURCES:%.c=$(1)/obj/%.o) $(LATER:%=$(1)/obj/later/%.o) $(1)/mruby/lib/libmruby.a tools/exports.map
	$$(call say,LD $$@) $$(CC) -shared -Wl,--version-script=tools/exports.map $$(LDFLAGS) $(3) \
	  -o $$@ $$(filter %.o %.a,$$^) $$$$(cat $(1)/mruby/lib/libs)

-include $(patsubst %.c,$(1)/obj/%.d,$(SOURCES) $(wildcard test/unit/*.c))
endef

VARIANTS := build build/asan build/tsan
$(eval $(call module,build,,))
$(eval $(call module,build/asan,address,$(ASAN)))
$(eval $(call module,build/tsan,thread,$(TSAN)))

# ---- running and installing ----------------------------------------------------------------------

.PHONY: run
run: ## serve htdocs/ on loopback until Ctrl-C [MPM=event|worker|prefork] [PORT=8080]
	@tools/deps build
	@$(MAKE) all
	@tools/run $(MPM) $(PORT)

.PHONY: install uninstall
install: build/mod_bench.so ## put the module where httpd looks for modules [DESTDIR=dir]
	install -D -m 644 build/mod_bench.so $(DESTDIR)$(MODULES)/mod_bench.so
	@tools/install-conf install '$(DESTDIR)'

uninstall: ## take away what install has put there [DESTDIR=dir]
	rm -f $(DESTDIR)$(MODULES)/mod_bench.so
	@tools/install-conf uninstall '$(DESTDIR)'

# ---- tests ---------------------------------------------------------------------------------------
# Each step also runs alone.  Finding nothing to check is a failure in all of them.  Under the
# sanitizers it is the tests marked short, and ThreadSanitizer gets one MPM that has threads;
# check-asan and check-tsan run everything.

JOBS := -j$(shell nproc)

# Where threads meet: what ThreadSanitizer, which is slow, looks at each time; `make check-tsan` looks at all.
THREADED := test_concurrency or test_lifecycle or test_interpreters or test_code_cache or test_require or \
	test_protocols or test_body_again or test_inner_requests

.PHONY: test
test: ## everything that a submission must pass; installs what is missing first
	@tools/deps build test
	@$(MAKE) $(JOBS) all build/asan/mod_bench.so build/tsan/mod_bench.so
	@$(MAKE) test-guards check-format check-cppcheck check-conf
	@$(MAKE) $(JOBS) unit-programs
	@$(MAKE) test-unit test-ruby test-fuzz
	@$(call pytest,asan,build/asan/mod_bench.so) -m short
	@BENCH_MPMS=event $(call pytest,tsan,build/tsan/mod_bench.so) -m short -k '$(THREADED)'
	@$(MAKE) test-http

.PHONY: test-guards
test-guards: build/mod_bench.so ## the rules that hold the tree together
	@tools/each $(sort $(shell find test/guards -maxdepth 1 -type f -executable))

C_FILES = $(wildcard mod_bench.c src/*.[ch] mrbgems/*/src/*.[ch] mrbgems/*/include/*.h test/unit/*.[ch] test/fuzz/*.[ch] bench/*.[ch])
.PHONY: format check-format
format: ## put the C sources into the project's format
	clang-format -i $(C_FILES)

check-format: ## say where the C sources are not in the project's format
	@clang-format --dry-run -Werror $(C_FILES)

.PHONY: check-cppcheck
check-cppcheck: ## static analysis
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	  --inline-suppr --suppressions-list=.cppcheck-suppressions --library=tools/cppcheck.cfg -Isrc $(filter %.c,$(C_FILES))

.PHONY: check-conf
check-conf: build/mod_bench.so ## does httpd accept conf/ and its examples?
	@tools/check-conf $<

# C units, and mrblib/ inside an interpreter: under ASan and UBSan, leaks included.  They are linked
# with the rooms that need no httpd.
UNIT_ROOMS := util readfloat utf8 urlform multipart params spool source interp code script rberr
UNIT_OBJECTS := $(patsubst %.c,build/asan/obj/%.o,$(wildcard $(UNIT_ROOMS:%=src/%.c))) \
	build/asan/mruby/lib/libmruby.a
UNIT_TESTS := $(patsubst test/unit/%.c,build/asan/%,$(wildcard test/unit/test_*.c))

build/asan/test_%: build/asan/obj/test/unit/test_%.o $(UNIT_OBJECTS)
	$(call say,LD $@) $(CC) $(ASAN) -o $@ $^ $$(cat build/asan/mruby/lib/libs) $(APR_LIBS) -lcmocka

build/asan/rubytest: build/asan/obj/test/unit/rubytest.o $(UNIT_OBJECTS)
	$(call say,LD $@) $(CC) $(ASAN) -o $@ $^ $$(cat build/asan/mruby/lib/libs) $(APR_LIBS)

# Fuzz targets: replayed on their corpus, under ASan and UBSan; and with libFuzzer, which wants clang.
# There, what is fuzzed is compiled for it, and the rest comes from the plain libmruby.
FUZZ := $(filter-out replay,$(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/*.c)))

build/asan/fuzz_%: test/fuzz/%.c test/fuzz/replay.c build/asan/mruby/lib/libmruby.a
	$(compile) $(ASAN) $$(cat build/asan/mruby/lib/defines) -isystem build/asan/mruby/include \
	  -o $@ $(filter %.c %.a,$^) $$(cat build/asan/mruby/lib/libs)

build/fuzz/%: test/fuzz/%.c build/mruby/lib/libmruby.a
	@mkdir -p $(@D)
	clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined $$(cat build/mruby/lib/defines) \
	  -isystem build/mruby/include -o $@ $< $(wildcard mrbgems/$*/src/*.c) build/mruby/lib/libmruby.a \
	  $$(cat build/mruby/lib/libs)

.PHONY: unit-programs
unit-programs: $(UNIT_TESTS) build/asan/rubytest $(FUZZ:%=build/asan/fuzz_%)

SANITIZED := ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

.PHONY: test-unit test-ruby
test-unit: $(UNIT_TESTS) ## C units, under ASan and UBSan
	@$(SANITIZED) tools/each $^

# What gems do, as CRuby does it: expressions of mrbgems/NAME/test/compare/cases.rb (see tools/compare.rb), or
# what a program mrbgems/NAME/test/compare makes up itself: it gets the file to write, a seed and a number.
ZONE := CET-1CEST,M3.5.0,M10.5.0/3
CASES := $(patsubst mrbgems/%/test/compare/cases.rb,build/compare/%.rb,$(wildcard mrbgems/*/test/compare/cases.rb))
MADE_UP := $(patsubst mrbgems/%/test/compare,%,$(shell find mrbgems -path '*/test/compare' -type f))
build/compare/%.rb: mrbgems/%/test/compare/cases.rb tools/compare.rb
	@mkdir -p $(@D)
	@TZ=$(ZONE) /usr/bin/ruby -W0 tools/compare.rb $< > $@

rubytest = $(SANITIZED) TZ=$(ZONE) build/asan/rubytest
# $(call made_up,seed,number)
made_up = mkdir -p build/compare && for gem in $(MADE_UP); do \
	mrbgems/$$gem/test/compare build/compare/$$gem.rb $(1) $(2) && $(rubytest) build/compare/$$gem.rb || exit 1; done

test-ruby: build/asan/rubytest $(CASES) ## Ruby tests inside an interpreter, and gems compared with CRuby
	@$(rubytest) $(CASES) $(sort $(wildcard mrbgems/*/test/*.rb)) \
	  $(or $(sort $(wildcard test/ruby/*.rb)),$(error test/ruby: nothing to check))
	@$(call made_up,1,700)

.PHONY: test-fuzz fuzz
test-fuzz: $(FUZZ:%=build/asan/fuzz_%) ## what fuzzing has found worth keeping, once more
	@$(foreach f,$(FUZZ),$(SANITIZED) build/asan/fuzz_$f $(or $(sort $(wildcard test/fuzz/corpus/$f/*)),\
	  $(error test/fuzz/corpus/$f: nothing to check)) &&) true

SECONDS ?= 60
fuzz: ## look for more with libFuzzer [FUZZ=target] [SECONDS=60]
	@tools/deps build fuzz
	@$(MAKE) $(FUZZ:%=build/fuzz/%)
	@for f in $(FUZZ); do mkdir -p build/fuzz/found/$$f && build/fuzz/$$f -max_total_time=$(SECONDS) \
	  -timeout=20 -close_fd_mask=1 build/fuzz/found/$$f test/fuzz/corpus/$$f || exit 1; done

.PHONY: check-gems
SEED ?= $(shell date +%s)
check-gems: build/asan/rubytest ## gems compared with CRuby at length [SEED=number]
	@echo "check-gems: SEED=$(SEED)"
	@$(call made_up,$(SEED),4000)

# Against a real httpd.  BENCH_MPMS=event,worker,prefork chooses among the MPMs; PYTEST_FLAGS adds flags.
pytest = BENCH_TOOL=$(1) BENCH_MODULE=$(2) /usr/bin/python3 -m pytest test/http $(PYTEST_FLAGS)

.PHONY: test-http check-asan check-tsan check-valgrind
test-http: build/mod_bench.so ## the tests against a real httpd, under each MPM
	@$(call pytest,none,$<)

check-asan: build/asan/mod_bench.so ## the same, all of them, under AddressSanitizer and UBSan
	@$(call pytest,asan,$<)

check-tsan: build/tsan/mod_bench.so ## the same under ThreadSanitizer
	@$(call pytest,tsan,$<)

check-valgrind: build/mod_bench.so ## the same under valgrind's memcheck (slow)
	@$(call pytest,valgrind,$<)

# ---- figures -------------------------------------------------------------------------------------

# What hello.mrb is compared with: the same 19 bytes from a handler in C.
build/bench/mod_baseline.so: bench/mod_baseline.c Makefile | tools-present
	@mkdir -p $(@D)
	$(call say,CC $@) $(filter-out -fvisibility=hidden,$(compile)) -shared -o $@ $<

.PHONY: bench-instructions check-figures
bench-instructions: build/mod_bench.so build/bench/mod_baseline.so ## instructions per request, against the bar
	@bench/instructions

check-figures: build/mod_bench.so build/bench/mod_baseline.so ## the figures that the README promises (slow)
	@bench/figures

# ---- cleaning up ---------------------------------------------------------------------------------

.PHONY: clean distclean
clean: ## remove what was built, but not mruby
	rm -rf build/run build/bench build/compare build/fuzz $(VARIANTS:%=%/mod_bench.so) $(VARIANTS:%=%/obj) \
	  $(VARIANTS:%=%/later) build/asan/rubytest build/asan/test_* build/asan/fuzz_*

distclean: ## remove everything that make has made
	rm -rf build
