# Two commands do everything: `make run` serves, `make test` proves. Both install what they need.

SHELL := /bin/bash
.DEFAULT_GOAL := help
TOOLS := target/tools
export PATH := $(CURDIR)/$(TOOLS)/bin:$(PATH)

.PHONY: help run demo test filters mutants prove fuzz hostile bench page frames screens soak soak-page check fmt clippy doc types queries licences prepare setup-run setup-test

help: ## Says what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: ## Serves on http://127.0.0.1:8080 with a private PostgreSQL in ./data
	@scripts/need postgres & setup=$$!; cargo build --profile quick --bin caraplace && wait $$setup
	cargo run --quiet --profile quick --bin caraplace

demo: setup-run ## Serves, with fifty simulated agents that paint a picture
	scripts/demo

test: setup-test check ## Everything a change must pass
	scripts/with-postgres cargo nextest run --workspace --tests

fuzz: setup-test ## Feeds parsers what chance makes up, for FUZZ_SECONDS=600
	scripts/with-postgres scripts/fuzz

hostile: setup-test ## The floods of the tests in full: 8 000 silent sockets, 100 000 wrong keys
	HOSTILE_ALL=1 scripts/with-postgres cargo nextest run --test api -E 'test(/^hostile::/)' --success-output final

prove: setup-run ## Kills, hangs, fills and cuts everything, kills twenty times; minutes, and a table at the end
	CARAPLACE_PROVE_ROUNDS=$${CARAPLACE_PROVE_ROUNDS:-20} cargo test --test prove

bench: setup-run ## Measures the hot paths beside the bare framework; quarter of an hour, and a table at the end
	@scripts/need wrk
	cargo bench --bench caraplace

page: setup-test ## Measures the page's first view in a real browser, on a processor made four times slower
	cargo bench --bench gallery -- first-view

frames: setup-test ## Measures the page's frames in a real browser, while 10 000 pixels of a million change a second
	cargo bench --bench gallery -- frames

soak-page: setup-test ## Ten minutes before a canvas with 500 placements a second: the page must not grow
	cargo bench --bench gallery -- soak

screens: setup-test ## Takes pictures of every page and state into docs/screens
	cargo bench --bench gallery -- screens

soak: setup-run ## Half an hour of ordinary life: memory and descriptors must not grow
	cargo bench --bench caraplace -- soak

filters: ## How well the content filters tell, and what they cost, as a table
	cargo test --quiet --release --package text-filters --test filters -- --nocapture every_class

mutants: ## Changes the code of the pure crates in every way a test should notice, and lists what none noticed
	@scripts/need mutants
	cargo mutants --package rules --package text-filters --output target $(MUTANTS_ARGS)

check: setup-test fmt types queries clippy doc licences ## What needs no running server
	cargo test --quiet --workspace --test tidy

fmt:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets --quiet -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --lib --examples --quiet

types: ## Checks the types of the page's modules, which stand in their comments
	@scripts/need typescript
	node $(TOOLS)/page/node_modules/typescript/bin/tsc --project tests/page
	@echo "types: $(words $(wildcard public/js/*.js)) modules agree"

queries: ## Compares .sqlx with what a real database says of every query
	scripts/with-postgres scripts/check-queries

licences:
	cargo deny --log-level error check licenses bans sources

prepare: setup-run ## Renews .sqlx after a change of SQL or of migrations
	scripts/with-postgres scripts/prepare-queries

setup-run:
	@scripts/need postgres

setup-test: setup-run
	@scripts/need nextest deny browser schemathesis mcp conformance typescript axe
