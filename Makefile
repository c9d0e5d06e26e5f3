# What is done with ojud. `make` alone lists it; .ci/run does it all.

FUZZTIME ?= 5s
GO ?= go
LINT_VERSION := v2.11.4
TOOLS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ojud/bin
LINT := $(TOOLS)/golangci-lint-$(LINT_VERSION)

# The race detector makes code five to ten times slower. These are the packages that start goroutines; of casefile only the log is
# shared, of agent/judge only the runner starts some, node/cluster is node again, and ledger/svm, datasource/anex, votetest and difftest run in one. Left out are tests that do much work in one goroutine: they
# damage files, kill writers, count lamports and make 600 attacks, and whole courts that start no goroutine which other courts do not; all run without it. Vetted it is by check.
# The longest stand first, so that none is left for one core at the end.
RACE ?= ./p2p/... ./node ./voting ./datasource/kind ./datasource/exchange ./node/payment ./node/client ./node/shelf ./ledger ./ledger/journal/... ./ledger/devnet/... ./datasource ./agent ./agent/model/... ./agent/judge/chair ./agent/judge/memory
RACE_SKIP ?= LogsThatWereCut|FlippedBytes|TestKill|PowerCut|RandomTransactions|DiscoveryLarge|TestOneCall|TestAsker|TestDataLiar|TestDataUnavailable|TestUnpaid|TestLimits|TestCorruptJournal|TestAblation|PartitionControl|TestOneAddress|TestQuerySeated|TestNoQuorum|TestHappy|TestRolledBack|TestPaidOverRestarts|TestClockOff|TestLoneHolder|TestNoFunds|TestOldVote|TestNoAgent|TestExplain|TestAblation|TestModelFaults|TestWhy$$|TestLate$$|TestLastLook|TestCut$$|TestDataShared|TestAbsentAndContrary|TestTwin$$|TestPriced|TestLostDisk|TestPartition$$|TestLateJoiner|TestEquivocation|TestDiscoveryAnyOrder

# Where npm packages for tests in Go are: Anchor's client, Agave's runtime (LiteSVM), Solana's two JavaScript
# clients, an MCP server, a client of the data protocol.
NPM := programs/oju/idl/e2e ledger/svm/difftest/harness ledger/devnet/e2e datasource/kind/testdata/memory node/cluster/testdata/asker
NPM_DONE := $(NPM:%=%/node_modules/.package-lock.json)

.DEFAULT_GOAL := help
.PHONY: help demo build test npm race live check lint fuzz bench elf elf-check elf-test clean

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## judges a dispute on a whole network in one process: go run ./cmd/ojud devnet --demo --fast
	$(GO) run ./cmd/ojud devnet --demo --fast

build: ## writes bin/ojud
	$(GO) build -trimpath -o bin/ojud ./cmd/ojud

test: ## runs every Go test: go test ./... (with Node.js 20 and npm also against Solana's own software, as root with iproute2 also in network namespaces)
	$(GO) test ./...

# OJUD_NO_NODE=1 is what those tests themselves understand, so nothing is left out without being asked for.
npm: ## installs the npm packages that Go tests use; OJUD_NO_NODE=1 does without, and without those tests
ifeq ($(OJUD_NO_NODE),1)
	@echo 'NOT RUN: OJUD_NO_NODE=1, so Anchor'"'"'s client, live LiteSVM and the JavaScript clients are not tried.'
else
	@command -v npm >/dev/null || { echo 'npm is missing. Run: apt-get install -y nodejs npm (Node.js 20 or later)'; \
		echo 'or: OJUD_NO_NODE=1 make test, which leaves out what needs it.'; exit 1; }
	@$(MAKE) --no-print-directory $(NPM_DONE)
endif

# Not `npm ci`, which insists on lock entries for other platforms' builds; install keeps to the lock file too.
%/node_modules/.package-lock.json: %/package.json %/package-lock.json
	cd $* && npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

race: ## runs the tests of the packages in RACE under the race detector; needs a C compiler
	CGO_ENABLED=1 $(GO) test -race -vet=off -skip '$(RACE_SKIP)' $(RACE)
	CGO_ENABLED=1 $(GO) test -race -vet=off ./casefile ./agent/judge -run 'TestLog|Runner'

# What a small model says is not asserted, only that votes are valid and in time. -count=1: the server is not part of what Go caches by.
live: ## runs judges against a real model server, llama.cpp from PyPI (agent/model/testdata/server); needs Python 3.10 with pip
	agent/model/testdata/server/run.sh $(GO) test -count=1 -v -run TestLive ./agent/model ./node/cluster

check: ## gofmt and go vet
	@unformatted=$$(find . -name '*.go' -not -path '*/node_modules/*' -not -path '*/target/*' -print0 | xargs -0 gofmt -l) && \
		test -z "$$unformatted" || { echo "gofmt -w these: $$unformatted"; exit 1; }
	$(GO) vet ./...

lint: check $(LINT) ## gofmt, go vet and golangci-lint
	$(LINT) run ./...

$(LINT):
	mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

# Each package's test binary is built once, which `go test -fuzz` would do for every target.
fuzz: ## runs every fuzz target for FUZZTIME (5s)
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	for package in $$(grep -rEl --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' . | xargs -n1 dirname | LC_ALL=C sort -u); do \
		$(GO) test -c -fuzz=. -o "$$scratch/test" "$$package" || exit 1; \
		for target in $$(grep -hEo '^func Fuzz[A-Za-z0-9_]*' "$$package"/*_test.go | sed 's/func //' | LC_ALL=C sort); do \
			echo "$$target in $$package"; \
			(cd "$$package" && "$$scratch/test" -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) \
				-test.fuzzcachedir "$$($(GO) env GOCACHE)/fuzz/ojud/$$package" </dev/null) || exit 1; \
		done; \
	done

# Left out: History/disk, which writes 100,000 transactions and takes minutes (go test ./ledger/devnet/bank -run '^$' -bench History/disk).
bench: ## prints the measurements behind what is said about speed: whole cases, data, then the parts
	$(GO) test ./node -run '^$$' -bench Case -benchtime 5x -timeout 20m
	$(GO) test ./node -run '^$$' -bench WhoHas -benchtime 100x
	$(GO) test ./node -run '^$$' -bench Answers -benchtime 20x
	$(GO) test ./p2p -run '^$$' -bench Exchange -benchtime 40x
	$(GO) test ./ledger/journal -run '^$$' -bench Batch -benchtime 3000x
	$(GO) test ./ledger/journal -run '^$$' -bench PutOwn
	$(GO) test ./ledger/journal/blob -run '^$$' -bench Put -benchtime 2000x
	$(GO) test ./ledger/devnet/... ./ledger/svm/... ./voting/votetest ./casefile ./agent/judge -run '^$$' -bench . -skip History/disk

elf: ## builds the Solana program (programs/oju/README.md says with what)
	programs/oju/build.sh

elf-check: ## rebuilds the program and compares it with the committed oju.so
	programs/oju/build.sh --check

elf-test: ## tests the committed program on Agave's runtime, and that a broken one is found
	programs/oju/build.sh test

clean: ## removes what these targets wrote, but for installed tools
	rm -rf bin programs/oju/target programs/oju/tests/node_modules $(NPM:%=%/node_modules)
