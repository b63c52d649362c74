# `make run` serves, `make test` runs all checks. Both install what they need.

SHELL := /bin/bash
.DEFAULT_GOAL := help
TOOLS := target/tools
export PATH := $(CURDIR)/$(TOOLS)/bin:$(PATH)

.PHONY: help run demo test filters mutants prove fuzz hostile bench page frames screens soak soak-page check lint fmt doc types bundle queries licences ops prepare setup-run setup-test

help: ## Lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: ## Serves on http://127.0.0.1:8080 with a private PostgreSQL in ./data
	@scripts/need postgres & setup=$$!; cargo build --profile quick --bin caraplace && wait $$setup
	cargo run --quiet --profile quick --bin caraplace

demo: setup-run ## Serves a canvas on which fifty simulated agents paint a picture
	scripts/demo

# Each of the compilers leaves a core idle for minutes, so the checks run while the tests are built.
# Tests wait for servers, browsers and PostgreSQL a part of their time, so one more than there are cores fits.
test: setup-test ## Runs all checks and tests that a change must pass
	@$(MAKE) --no-print-directory lint & lint=$$!; \
		cargo nextest run --workspace --tests --no-run; built=$$?; wait $$lint && exit $$built
	NEXTEST_TEST_THREADS=$$(($$(nproc) + 1)) scripts/with-postgres cargo nextest run --workspace --tests

fuzz: setup-test ## Runs the property tests with more and more cases, for FUZZ_SECONDS=600
	scripts/with-postgres scripts/fuzz

hostile: setup-test ## Runs the flood tests in full: 8 000 silent sockets, 100 000 wrong keys
	HOSTILE_ALL=1 scripts/with-postgres cargo nextest run --test api -E 'test(/^hostile::/)' --success-output final

prove: setup-test ## Injects faults: kills, hangs, full disks, lost connections; takes minutes and prints a table
	CARAPLACE_PROVE_ROUNDS=$${CARAPLACE_PROVE_ROUNDS:-20} cargo test --test prove

bench: setup-run ## Compares the hot paths with the bare framework; takes 15 minutes and prints a table
	@scripts/need wrk
	cargo bench --bench caraplace

page: setup-test ## Measures the page's first view in a real browser, on a CPU slowed down four times, and the work of drawing
	cargo bench --bench gallery -- page

frames: setup-test ## Measures the page's frames in a real browser, while 10 000 of a million pixels change per second
	cargo bench --bench gallery -- frames

soak-page: setup-test ## Checks that the page's memory does not grow in ten minutes with 500 placements per second
	cargo bench --bench gallery -- soak

screens: setup-test ## Takes screenshots of every page and state into target/screens, and renews those in docs/screens
	cargo bench --bench gallery -- screens

soak: setup-run ## Checks that the server's memory and descriptors do not grow in half an hour of normal load
	cargo bench --bench caraplace -- soak

filters: ## Prints the detection rates and times of the content filters
	cargo test --quiet --release --package text-filters --test filters -- --nocapture every_class

mutants: ## Runs mutation tests on the pure crates, and lists the mutants that no test detects
	@scripts/need mutants
	cargo mutants --package rules --package text-filters --output target $(MUTANTS_ARGS)

check: setup-test lint ## Runs the checks that need no running server
	cargo test --quiet --workspace --test tidy
	cargo test --quiet --workspace --lib documents

# The part of both that builds no tests: those of `check` are among the tests that `test` builds at once.
lint: fmt types bundle ops queries doc licences

# In a folder of their own, because builds in the same folder wait for each other.
queries doc: export CARGO_TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)/lint

fmt:
	cargo fmt --all --check

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --lib --examples --quiet

types: ## Checks the types of the page's modules, which are declared in their comments
	@scripts/need typescript
	node $(TOOLS)/page/node_modules/typescript/bin/tsc --project tests/page
	@echo "types: $(words $(shell find public/js -name '*.js')) modules checked"

bundle: ## Checks that public/assets is made from public/js, public/css and public/words
	scripts/bundle-page --check

ops: ## Checks the files for operators: alert rules with their tests, scripts, and units of systemd
	scripts/check-ops

queries: ## Runs clippy, and compares .sqlx with a real database's description of every query
	scripts/with-postgres scripts/check-queries

licences:
	cargo deny --log-level error check licenses bans sources

prepare: setup-run ## Updates .sqlx after a change of SQL or of migrations, and public/assets after one of the page
	scripts/bundle-page
	scripts/with-postgres scripts/prepare-queries

setup-run:
	@scripts/need postgres

setup-test: setup-run
	@scripts/need nextest deny browser haproxy schemathesis clients mcp conformance typescript bundler axe promtool shellcheck
