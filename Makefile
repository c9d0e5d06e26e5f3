# What is done with ojud. `make` alone lists it; .ci/run does it all.

FUZZTIME ?= 5s
SIMTIME ?= 10m
SIMFIRST ?= 0
GO ?= go
LINT_VERSION := v2.11.4
TOOLS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ojud/bin
LINT := $(TOOLS)/golangci-lint-$(LINT_VERSION)

# The race detector makes code five to ten times slower. These are the packages that start goroutines; of casefile only the log is
# shared, of agent/judge only the runner starts some, node/cluster is node again, and ledger/svm, datasource/anex, votetest and difftest run in one. Left out are tests that do much work in one goroutine: they
# damage files, kill writers, count lamports and make 600 attacks, and whole courts that start no goroutine which other courts do not; all run without it. Vetted it is by check.
# The longest stand first, so that none is left for one core at the end.
RACE ?= ./p2p/... ./node ./voting ./datasource/kind ./datasource/exchange ./node/payment ./node/client ./node/shelf ./ledger ./ledger/journal/... ./ledger/devnet/... ./datasource ./agent ./agent/model/... ./agent/judge/chair ./agent/judge/memory
RACE_SKIP ?= TestThirdAttacks|TestBusy|TestWide|TestHonestUnderLoss|TestBursts|TestAbsence|TestHolderEclipsed|TestForgedNotices|TestConnFlood|TestScoreSettings|TestMeshAttacks|TestRandomCuts|TestNotCarried|TestCarried/no_RPC_from_the_commit_on|LogsThatWereCut|FlippedBytes|TestKill|PowerCut|RandomTransactions|DiscoveryLarge|TestOneCall|TestAsker|TestDataLiar|TestDataUnavailable|TestUnpaid|TestLimits|TestCorruptJournal|TestAblation|PartitionControl|TestOneAddress|TestQuerySeated|TestNoQuorum|TestHappy|TestRolledBack|TestPaidOverRestarts|TestClockOff|TestLoneHolder|TestNoFunds|TestOldVote|TestNoAgent|TestExplain|TestAblation|TestModelFaults|TestWhy$$|TestLate$$|TestLastLook|TestCut$$|TestDataShared|TestAbsentAndContrary|TestTwin$$|TestPriced|TestLostDisk|TestPartition$$|TestLateJoiner|TestEquivocation|TestDiscoveryAnyOrder

# Where npm packages for tests in Go are: Anchor's client, Agave's runtime (LiteSVM), Solana's two JavaScript
# clients, an MCP server, a client of the data protocol.
NPM := programs/oju/idl/e2e ledger/svm/difftest/harness ledger/devnet/e2e datasource/kind/testdata/memory node/cluster/testdata/asker
NPM_DONE := $(NPM:%=%/node_modules/.package-lock.json)

.DEFAULT_GOAL := help
.PHONY: help demo build test npm race live sim crash kill powercut partitions check lint programs fuzz bench bench-parts elf elf-check elf-test sequences sequences-lite mutants siege clean

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

# Each seed is a process of its own, two at a time. A seed that fails prints the command that plays it again with a trace.
sim: ## plays whole courts under faults and liars, seed after seed, for SIMTIME (10m); docs/testing.md says what it checks
	$(GO) test ./node/sim -run 'TestSim$$' -v -count=1 -timeout 0 -sim.time $(SIMTIME) -sim.first $(SIMFIRST)

crash: ## kills a judge or the chain at 29 named points of a case, and fills disks: 8 minutes (Linux; the disks as root)
	$(GO) test ./cmd/ojud -run 'TestCrashPoints|TestDiskFull' -v -count=1 -parallel 1 -timeout 0 -scenarios all

kill: ## kills judges with kill -9 KILLS (1000) times and the chain CHAINS (200) times while cases run: 15 minutes
	$(GO) test ./cmd/ojud -run 'TestKills' -v -count=1 -parallel 1 -timeout 0 -kills $(or $(KILLS),1000) -chainkills $(or $(CHAINS),200)

powercut: ## cuts the power of a judge's disk and of the chain's 100 times each, and 200 times of a writing journal: about 15 minutes, as root
	$(GO) test ./cmd/ojud -run TestCourtPowerCut -v -count=1 -parallel 1 -timeout 0 -cuts 100
	$(GO) test ./ledger/journal -run TestPowerCut -v -count=1 -timeout 0 -crashes 400

partitions: ## cuts a network of namespaces in 23 ways while cases run, and joins 28 nodes behind one address: 10 minutes, as root with iproute2
	$(GO) test ./cmd/ojud -run 'TestPartitions|TestOneHost' -v -count=1 -parallel 1 -timeout 0 -scenarios all

lint: check $(LINT) ## gofmt, go vet and golangci-lint
	$(LINT) run ./...

$(LINT):
	mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

# A failure prints the command that runs its 2,000 programs again. Without LiteSVM (make npm) there is nothing to compare new programs with.
N ?= 100000
programs: ## runs N (100000) random programs, from SEED on, on ledger/svm and on LiteSVM and compares all that can be seen; about 2 minutes
	$(GO) test ./ledger/svm/difftest -count=1 -v -run 'TestDifferential/random-programs' -timeout 0 -programs $(N) -seed $(or $(SEED),$(shell date +%s))

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

# Each group of figures has a process of its own: memory is measured, and what one leaves behind must not burden the next. Lines go to a file, which
# is shown at the end, Markdown on standard output; all else goes to standard error. A group that fails keeps the others from nothing. The names are those of notes and of docs/benchmarks.md.
FIGURES := P1,P2,P4,P13,tcp P1,P2,P4,P13,quic P1,P2,P4,P13,memory P5 P5,memory P7 P7,memory P8 P9 P11 P12

bench: ## prints the table of figures, each beside its floor, and how long each group took; about 40 minutes; make bench P="P1 P9" for some; P6 takes 5 minutes and less than 5 GB with PANEL (128) judges
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	$(GO) test -c -o "$$scratch/node" ./node && $(GO) test -c -o "$$scratch/ojud" ./cmd/ojud && \
	wanted() { [ -z '$(P)' ] && return 0; for p in $(P); do case ",$$1," in *",$$p,"*) return 0;; esac; done; return 1; } && \
	run() { ids=$$1 dir=$$2; shift 2; wanted "$$ids" || return 0; began=$$(date +%s); \
		if (cd "$$dir" && "$$@" >&2); then echo "bench: $$ids took $$(( $$(date +%s) - began )) s" >&2; else echo "bench: $$ids FAILED" >&2; failed=$$failed" $$ids"; fi; } && \
	failed= && touch "$$scratch/rows" && \
	for figure in $(FIGURES); do \
		run "$$figure" node "$$scratch/node" -test.run '^$$' -test.bench "Figures/$$figure\$$" -test.benchtime 1x -test.timeout 0 -figures.to "$$scratch/rows"; done && \
	run P3,P14 node "$$scratch/node" -test.run 'TestWide$$' -test.timeout 0 -figures.wide 10 -figures.loss -figures.wide.to "$$scratch/rows" && \
	run P6 node "$$scratch/node" -test.run 'TestPanel$$' -test.v -test.timeout 60m -figures.panel $(or $(PANEL),128) -figures.panel.cases 1 -figures.panel.to "$$scratch/rows" && \
	run P8 node "$$scratch/node" -test.run 'TestFar$$' -test.v -test.timeout 0 -figures.far 3 -figures.far.to "$$scratch/rows" && \
	run 500 node "$$scratch/node" -test.run 'TestBusy$$' -test.timeout 0 -figures.busy 500 -figures.busy.to "$$scratch/rows" && \
	run SVM . $(GO) test ./ledger/svm/difftest/oju -count=1 -run 'TestVotes$$' -figures.votes 50 -figures.to "$$scratch/rows" && \
	run P10 cmd/ojud "$$scratch/ojud" -test.run 'TestKills$$' -test.timeout 0 -kills 30 -chainkills 0 -figures.to "$$scratch/rows" && \
	run cold cmd/ojud "$$scratch/ojud" -test.run '^$$' -test.bench 'Cold$$' -test.benchtime 1x -test.timeout 0 -figures.to "$$scratch/rows" && \
	echo '| | what | here | floor | ratio | goal | | others used | why |' && echo '|---|---|---|---|---|---|---|---|---|' && sort -V "$$scratch/rows" && \
	{ [ -z "$$failed" ] || { echo "bench: not in the table, because it failed:$$failed" >&2; exit 1; }; }

# Left out: History/disk, which writes 100,000 transactions and takes minutes (go test ./ledger/devnet/bank -run '^$' -bench History/disk).
bench-parts: ## measures what is behind the table: whole cases, data, and the parts; 30 minutes (an estimate)
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

N ?= 1000000

sequences: ## attacks the program with N (1000000) random sequences of instructions: about 40 minutes of one core
	GOGC=800 $(GO) test ./ledger/svm/difftest/sequence -run 'TestSequences$$' -v -count=1 -timeout 0 -sequences $(N)

sequences-lite: ## runs 1,000 of these sequences on LiteSVM, too: 2 minutes; needs Node.js and npm
	$(GO) test ./ledger/svm/difftest/sequence -run TestLiteSVM -v -count=1 -timeout 0 -lite 1000

mutants: ## takes 31 checks out of the program, one at a time, and lets the attacks find it: about 40 minutes (an estimate from 7 of them)
	programs/oju/tests/mutants.sh

siege: ## attacks the network: CUTS (1000) cuts, BURSTS (1000) bursts at 100 hosts, 1,000,000 forged notices, sybils, floods, ROUNDS (100000) rounds against 9 of 28, TRIALS (5, 80 s of processor time each) in a bad network: about 4 hours (an estimate)
	$(GO) test ./p2p -run 'TestRandomCuts|TestMeshAttacks|TestAbsence|TestConnFlood' -v -count=1 -timeout 0 -cuts $(or $(CUTS),1000) -attacks 15 -absences 200
	$(GO) test ./p2p -run 'TestBursts$$' -v -count=1 -timeout 0 -bursts $(or $(BURSTS),1000) -bursts.hosts 100
	$(GO) test ./node -run 'TestForgedNotices' -v -count=1 -timeout 0 -siege.forged 1000000
	$(GO) test ./node -run 'TestHolderEclipsed' -v -count=1 -timeout 0 -siege.sybils 100 -siege.finds 1000
	$(GO) test ./node -run 'TestThirdAttacks' -v -count=1 -timeout 0 -siege.judges 28 -siege.attackers 9 -siege.rate 1000
	$(GO) test ./node -run 'TestThirdAttacks' -v -count=1 -timeout 0 -siege.naked
	$(GO) test ./voting/votetest -run 'TestRounds|TestPanelDeterminism' -v -count=1 -timeout 0 -rounds $(or $(ROUNDS),100000) -rounds.for 100h -control.cases 200 -traces 1000
	$(GO) test ./node/sim -run TestMire -v -count=1 -timeout 0 -trials $(or $(TRIALS),5) -trials.for 100h

clean: ## removes what these targets wrote, but for installed tools
	rm -rf bin programs/oju/target programs/oju/tests/node_modules $(NPM:%=%/node_modules)
