# Two commands do everything on a fresh machine with Rust, and for the tests Node, npm, Python 3 and tmux:
#   make run     builds pi-brain, takes your sessions in and shows them, or a demo set where there are none
#   make test    installs what the tests need and runs every check

CARGO ?= cargo
TOOLS := .tools
PI_VERSIONS := 0.73.1 0.87.1 1.5.0
CARGO_DENY_VERSION := 0.20.2
RIPGREP_VERSION := 15.2.0
SCHEMATHESIS_VERSION := 4.32.5

export PATH := $(CURDIR)/$(TOOLS)/bin:$(PATH)

.PHONY: run test build without-page web fmt clippy deny unit extension page browser tools bench soak fuzz clean

run: build
	@{ $(CARGO) run --release --locked --quiet -- ingest && $(CARGO) run --release --locked --quiet; } || \
		{ [ $$? -eq 3 ] && echo "So here is a demo set:" && \
		$(CARGO) run --release --locked --quiet -- demo; }

# Who has no Node gets everything but the page.
build: $(if $(shell command -v npm 2>/dev/null),web,without-page)
	$(CARGO) build --release --locked

without-page:
	@echo "There is no npm here: pi-brain is built without its web page."

# The web page, which is embedded into the program. `cargo build` works without it; then there is no page.
web: web/dist/index.html

web/dist/index.html: web/node_modules/.installed docs/openapi.json $(shell find web/src web/public -type f) $(wildcard web/*.html web/*.ts web/*.js)
	cd web && npm run --silent build

web/node_modules/.installed: web/package-lock.json
	cd web && npm ci --silent --no-audit --no-fund
	@touch $@

test: tools web fmt clippy deny unit extension page

fmt:
	$(CARGO) fmt --all --check

clippy: web
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

deny: $(TOOLS)/bin/cargo-deny
	cargo-deny --workspace --all-features check licenses bans sources

unit: tools web
	$(CARGO) test --workspace --locked --doc --quiet
	$(CARGO) test --workspace --locked --all-targets

# The package for pi: its types, its parts, and all of it inside real pis.
extension: tools
	sh tests/pi/extension/types.sh
	$(TOOLS)/pi/1.5.0/node --test --test-reporter=dot tests/pi/extension/units.test.mjs
	$(TOOLS)/pi/1.5.0/node tests/pi/extension/check.mjs

# The web page: its types and its parts, then all of it in a real browser before the real program.
page: web browser unit
	cd web && npm run --silent check
	cd web && npm run --silent test
	cd web && npm run --silent e2e

browser:
	@sh web/tests/browser.sh

# What the tests need besides Rust: real pis to compare with, the licence checker, ripgrep, which the benchmarks race
# against, and schemathesis, which makes requests up.
tools: $(PI_VERSIONS:%=$(TOOLS)/pi/%/.installed) $(TOOLS)/bin/cargo-deny $(TOOLS)/bin/rg $(TOOLS)/schemathesis/.installed

$(TOOLS)/pi/%/.installed: tests/pi/install.sh
	@sh tests/pi/install.sh $(TOOLS)/pi/$* $*
	@touch $@

$(TOOLS)/bin/cargo-deny:
	$(CARGO) install cargo-deny --locked --version $(CARGO_DENY_VERSION) --no-default-features --root $(TOOLS)

$(TOOLS)/bin/rg:
	$(CARGO) install ripgrep --locked --version $(RIPGREP_VERSION) --root $(TOOLS)

$(TOOLS)/schemathesis/.installed:
	python3 -m venv $(TOOLS)/schemathesis
	$(TOOLS)/schemathesis/bin/pip install --quiet schemathesis==$(SCHEMATHESIS_VERSION)
	@touch $@

# Longer work, by hand.
bench: tools
	$(CARGO) run --release --locked -p pi-brain-benches -- session --pi $(TOOLS)/pi/1.5.0
	$(CARGO) run --release --locked -p pi-brain-benches -- forest
	$(CARGO) build --release --locked
	$(CARGO) run --release --locked -p pi-brain-benches -- ingest --entries 12000 --pi $(TOOLS)/pi/1.5.0
	$(CARGO) run --release --locked -p pi-brain-benches -- ingest --entries 100000 --pi $(TOOLS)/pi/1.5.0
	$(CARGO) run --release --locked -p pi-brain-benches -- daemon
	$(CARGO) run --release --locked -p pi-brain-benches -- serve --entries 100000

# The long forms of tests that `make test` runs in short: real pis write while the daemon is killed again and again, an ingest
# is killed again and again, and sessions come in every order.
KILLS ?= 60
soak: tools
	KILLS=$(KILLS) $(CARGO) test --locked -p pi-brain --test it soak:: -- --nocapture
	JOBS=1000 $(CARGO) test --locked -p pi-brain --test it jobs_leave_nothing_behind -- --nocapture
	KILLS=300 $(CARGO) test --locked -p pi-brain-app --test it a_killed -- --nocapture
	PROPTEST_CASES=120 $(CARGO) test --locked -p pi-brain-app --test it files_may_come_in_any_order -- --nocapture

fuzz:
	mkdir -p fuzz/corpus/read_session
	cd fuzz && $(CARGO) +nightly fuzz run read_session corpus/read_session seeds -- -max_total_time=60

clean:
	$(CARGO) clean
	rm -rf $(TOOLS)
