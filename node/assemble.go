package node

import (
	"context"
	"hash/maphash"
	"runtime/debug"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger/brain"
	"ojud/ledger/program"
	"ojud/ledger/providers"
	"ojud/megabrain/arbiter"
	"ojud/node/agents"
	"ojud/node/brainview"
	"ojud/node/console"
	"ojud/node/content"
	"ojud/node/crank"
	"ojud/node/evidence"
	"ojud/node/market"
	"ojud/node/network"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/webhook"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/voting"
	"ojud/voting/verifier"
)

// version returns the version of this program, for announcements.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

// assembly holds a node while its parts are made and connected.
type assembly struct {
	n        *Node
	deps     Deps
	began    time.Time
	chair    *chair.Chair
	runner   *judge.Runner
	votes    *status.VoteCounter
	counters *metrics
	inbox    *inbox
	audit    *status.Audit
	copies   *twins
	papers   *content.Content
	stream   *record.Stream
	rounds   *record.CatchUp
	keeper   *record.Keeper
	data     record.RoundData
	monitor  *status.Monitor
	cranks   *crank.Crank
	hooks    *webhook.Sender
	watch    webhook.Watch
	claims   *network.Claims
}

// assemble makes the parts of the node, connects them, joins the network and opens all streams.
func (n *Node) assemble(ctx context.Context, deps Deps) (err error) {
	if deps.Signatures == nil {
		deps.Signatures = verifier.New()
	}
	a := &assembly{n: n, deps: deps, began: time.Now(), counters: newMetrics(deps.Metrics)}
	if a.chair, a.runner, err = n.openJudge(deps); err != nil {
		return err
	}
	book, asked, err := n.openSources(deps)
	if err != nil {
		return err
	}
	if err := a.openHooks(book); err != nil {
		return err
	}
	a.openCases()
	if err := a.openHost(ctx); err != nil {
		return err
	}
	a.openRecords()
	if err := a.openEvidence(book, asked); err != nil {
		return err
	}
	if err := a.openLoop(); err != nil {
		return err
	}
	thoughts, err := a.openThoughts()
	if err != nil {
		return err
	}
	a.openStatus(thoughts)
	return a.serve()
}

// verify checks a signature of a notice or of an event. A vote comes pushed, by gossip and in a
// case file, and is verified once.
func (a *assembly) verify(signer voting.Key, message []byte, sig voting.Signature) bool {
	return a.deps.Signatures.Verify(signer, message, sig)
}

// openHooks opens the queues of what the operator's receivers are told.
func (a *assembly) openHooks(book *datasource.Book) (err error) {
	home := a.n.home
	a.hooks, err = webhook.NewSender(a.n.cfg.Webhooks, webhook.Parts{
		Dir: home.Dir, Court: home.Descriptor.Name, Judge: home.Keys.Authority.Address().String(), Log: a.n.log, Metrics: a.deps.Metrics,
		Transport: a.deps.Webhooks,
	})
	a.watch = webhook.Watch{Sources: book.Failing, Models: a.chair.Down, Tell: a.hooks.Tell}
	return err
}

// openCases makes the parts that the network needs before the node joins it.
func (a *assembly) openCases() {
	keys := a.n.home.Keys
	a.inbox = newInbox(a.n.chain.at, a.counters)
	a.n.cases = record.NewCases(a.n.domain, keys.Peer(), a.n.journal.Events(), a.verify, a.n.chain, a.n.chain.at, a.inbox.View)
	a.votes = status.NewVoteCounter()
	a.audit = status.NewAudit(a.n.journal, a.n.chain.at, a.n.log)
	a.copies = &twins{
		judge: keys.Judge(), grace: a.n.cfg.Sync.Twin, cases: a.n.cases, view: a.inbox.View, audit: a.audit, fail: a.n.work.Fail,
		log: a.n.log, began: a.began,
	}
}

// openRecords makes content, notices and case files.
func (a *assembly) openRecords() {
	keys, sync := a.n.home.Keys, a.n.cfg.Sync
	costs := content.Costs{Timeout: sync.Timeout, Every: sync.Every, MaxPuts: sync.MaxPuts}
	a.papers = content.New(costs, a.n.host, a.n.cases, a.n.chain, a.n.blobs, a.n.work, a.n.log)
	a.papers.Further = arbiter.Results{Chain: a.n.chain, Program: brain.Devnet().ID(), Nodes: among(a.n.cfg.Ledger.VisitPrivate, 0)}
	a.n.notices = &notices{
		host: a.n.host, cases: a.n.cases, inbox: a.inbox, twins: a.copies, heard: a.deps.Heard, gossipAfter: sync.GossipAfter,
		hint: a.n.chain.hint, hints: network.NewAllowance(maxHints), work: a.n.work, metrics: a.counters, log: a.n.log,
	}
	a.stream = record.NewStream(a.n.host, a.n.cases, sync.Timeout)
	a.rounds = record.NewCatchUp(a.stream, a.n.notices, a.inbox.View, a.n.log)
	a.data = record.NewRoundData(a.n.journal, a.n.blobs)
	witness := record.NewWitness(record.WitnessDeps{
		Domain: a.n.domain, Judge: keys.Judge(), Key: keys.node, Cases: a.n.cases, Chain: a.n.chain, Roster: a.n.roster,
		Content: a.papers, Blobs: a.n.blobs, Data: a.data, Learner: a.chair, Clock: a.n.chain.at, Log: a.n.log,
	})
	a.keeper = record.NewKeeper(witness, a.stream, a.n.journal.Events(), a.audit, a.n.journal.Fresh(), a.began, sync.Every)
	a.n.Reader = record.NewReader(record.ReaderDeps{
		Domain: a.n.domain, Key: keys.node, Judge: keys.Judge(), Cases: a.n.cases, Decisions: a.n.decisions, Store: a.n.journal.Events(),
		Blobs: a.n.blobs, Content: a.papers, Judges: a.n.host.Directory(), Own: a.audit.Own, Clock: a.n.chain.at, View: a.inbox.View,
		Chain: a.n.chain, Log: a.n.log,
	})
}

func (a *assembly) openEvidence(book *datasource.Book, asked *exchange.Log) (err error) {
	keys := a.n.home.Keys
	dealing := evidence.Dealing{Data: a.n.cfg.Data, Payment: a.n.cfg.Payment, Timeout: a.n.cfg.Sync.Timeout}
	a.n.evidence, err = evidence.New(dealing, evidence.Parts{
		Domain: a.n.domain, Judge: keys.Judge(), Key: keys.node, Host: a.n.host, Roster: a.n.roster, Cases: a.n.cases,
		Content: a.papers, Blobs: a.n.blobs, Said: a.n.journal, Book: book, Chain: a.n.chain, Asked: asked, Wallet: a.n.chain, WrapPurse: a.deps.WrapPurse,
		Profile: directory.Profile{
			Authority: keys.Authority.Address().String(), ModelFamily: a.chair.Family, Dimension: a.chair.Dimension, Version: version(),
			RPCURLs: offer(a.n.cfg.Ledger),
		},
		Money: money{a.n.journal.Money(), a.n.work.Fail}, Clock: a.n.chain.at, Work: a.n.work, Log: a.n.log, Metrics: a.deps.Metrics,
	})
	return err
}

// openLoop makes the machine, the parts that execute its effects, and the loop that steps it.
func (a *assembly) openLoop() error {
	keys := a.n.home.Keys
	checker := newChecker(a.n.home, a.n.cfg, a.n.chain)
	checker.Chain, checker.Disk, checker.Content = viewed{a.n.chain, a.n.roster}, a.n.journal.CheckSpace, a.n.content
	a.monitor = status.NewMonitor(checker, a.n.log, a.hooks.Tell)
	meet := catchUp{a.rounds, a.inbox}
	effects := &effects{
		journal: a.n.journal, cases: a.n.cases, notices: a.n.notices, catchUp: meet, twins: a.copies, audit: a.audit,
		votes: a.votes, work: a.n.work, log: a.n.log,
		evaluator: &evaluator{
			keys: keys, domain: a.n.domain, chair: a.chair, runner: a.runner, chain: a.n.chain, roster: a.n.roster, blobs: a.n.blobs,
			cases: a.n.cases, data: a.data, content: a.papers, evidence: a.n.evidence, notices: a.n.notices, catchUp: meet,
			twins: a.copies, inbox: a.inbox, audit: a.audit, votes: a.votes, timeout: a.n.cfg.Sync.Timeout, metrics: a.counters, log: a.n.log,
		},
		submitter: &submitter{
			keys: keys, domain: a.n.domain, chain: a.n.chain, cases: a.n.cases, inbox: a.inbox, audit: a.audit, monitor: a.monitor,
			metrics: a.counters, log: a.n.log,
		},
	}
	machine, err := voting.New(voting.Config{
		Domain: a.n.domain, Judge: keys.Judge(), Peer: keys.Peer(), Sign: keys.Sign, Seal: a.n.seal, Verify: a.verify, Params: a.n.cfg.Habits,
	})
	if err != nil {
		return err
	}
	a.n.loop = &loop{inbox: a.inbox, machine: machine, execute: effects.execute, log: a.n.log}
	return nil
}

// openStatus makes the API, and the table of background work.
func (a *assembly) openStatus(thoughts *brainview.TaskReader) {
	keys, sync := a.n.home.Keys, a.n.cfg.Sync
	a.cranks = crank.New(a.n.cfg.Crank, crank.Deps{
		Chain: a.n.chain, Submit: a.n.chain.submit, Rules: a.n.chain.Rules, InForce: a.n.chain.inForce, Judges: a.n.roster.Active,
		Clock: a.n.chain.at, Slot: a.n.chain.slot,
		Self: keys.Authority, Reserve: a.n.cfg.MinBalance, Log: a.n.log, Metrics: a.deps.Metrics,
	})
	a.n.reporter = &status.Reporter{
		Judge: keys.Judge(), Network: a.n.home.Descriptor.Name, Family: a.chair.Family, Dimension: a.chair.Dimension, Host: a.n.host,
		Roster: a.n.roster, Clock: a.n.chain.Chain.Time(), Cases: a.n.Reader, Monitor: a.monitor, Watching: a.n.chain.health,
		Content: a.n.content, Copies: a.copies.warning, Votes: a.votes, Places: a.runner.Places, Cranked: a.cranks.Standing,
	}
	offers := market.New(a.n.chain, func(ctx context.Context, hash voting.Hash) ([]byte, error) {
		return a.papers.Fetch(ctx, hash, nil)
	})
	directory := agents.New(agents.Needs{List: a.n.chain.Agents, Card: a.papers.Card}, agents.Bounds{Ask: 32, Patience: 1500 * time.Millisecond, Fresh: 5 * time.Second})
	a.claims = network.NewClaims(a.n.host)
	a.n.api = status.NewAPI(a.n.cfg.API, status.APIDeps{
		Dir: a.n.home.Dir, Reporter: a.n.reporter, Records: a.n.Reader, Evidence: a.n.evidence, Agents: directory, Market: offers, Brain: thoughts, Metrics: a.deps.Metrics, Log: a.n.log,
		Pages: console.New(scenery{a.n, newChecker(a.n.home, a.n.cfg, a.n.chain), offers, directory, a.chair.Models, a.claims, thoughts, a.deps.Setting}, a.n.log),
	})
	outcomes := status.NewOutcomes(status.OutcomesDeps{
		Judge: keys.Judge(), Roster: a.n.roster, Events: a.n.chain.events, SetCursor: a.n.journal.SetCursor, Seats: a.n.cases.Seats,
		Look: a.n.cases.Look, Tell: a.hooks.Tell,
		Lie:   func(ctx context.Context, e *program.LeafOpened) (string, error) { return record.Lie(ctx, a.n.chain, e) },
		Drawn: a.n.evidence.Drawn, Heard: a.cranks.Hear, Audit: a.audit, Log: a.n.log, Metrics: a.deps.Metrics,
	})
	links := &network.Links{
		Host: a.n.host, Roster: a.n.roster, Seats: a.n.cases.LivePeers, Every: sync.Every, Limit: sync.MaxLinks, Seed: maphash.MakeSeed(),
	}
	contact := a.copies.awaitFirstContact(a.n.host.Directory().Compared())
	a.n.jobs = append(a.n.evidence.Jobs(), []work.Job{
		{Name: "watchChain", What: "reads the chain and gives looks and events", Run: a.n.chain.watch},
		{Name: "stepMachine", What: "gives the machine its events and executes its effects", Run: a.n.stepMachine},
		{Name: "reportBlindness", What: "tells the machine that no block is seen, while that lasts", Run: a.n.reportBlindness},
		{Name: "drainGossip", What: "empties the queue of notices that the validator has taken", Run: a.n.notices.drain},
		{Name: "awaitFirstContact", What: "notes when others can know of this copy of the node", Run: contact},
		{Name: "keepCaseFiles", What: "signs facts and exchanges case files with other seats", Run: a.keeper.Run},
		{Name: "reviewContent", What: "gives up the content of tasks and cases that are over", Run: a.papers.Review},
		{Name: "keepLinks", What: "keeps links to seats and other judges", Run: links.Run},
		{Name: "askLinks", What: "asks other judges for their links while somebody looks at the network", Run: a.claims.Run},
		{Name: "monitorFunds", What: "checks funds and stake, and warns of changes", Run: a.monitor.Run},
		{Name: "logOutcomes", What: "tells the owner what became of the judge", Run: outcomes.Run},
		{Name: "crank", What: "expires and closes what only time decides", Run: a.cranks.Run},
		{Name: "auditUptime", What: "writes down when the node runs and sees the chain", Run: a.audit.Run},
		{Name: "sendWebhooks", What: "posts to the operator's receivers what happened", Run: a.hooks.Run},
		{Name: "watchParts", What: "tells the operator's receivers of sources and models that begin to fail", Run: a.watch.Run},
		{Name: "serveAPI", What: "serves the HTTP API", Run: a.n.api.Run},
	}...)
}

func (a *assembly) serve() error {
	if err := a.n.notices.serve(a.deps.WrapBroadcaster); err != nil {
		return err
	}
	if err := a.stream.Serve(a.rounds, a.keeper); err != nil {
		return err
	}
	if err := a.claims.Serve(); err != nil {
		return err
	}
	if err := a.papers.Serve(); err != nil {
		return err
	}
	return a.n.evidence.Serve()
}

func (a *assembly) openHost(ctx context.Context) (err error) {
	n := a.n
	// The host ends with Close. If it ended with ctx, the parts that still run would find it
	// closed.
	n.host, err = p2p.New(context.WithoutCancel(ctx), n.cfg.P2P, n.home.Keys.Identity, p2p.Deps{
		Logger: n.log, Metrics: a.deps.Metrics, Topics: []string{roundsTopic, evidence.Topic}, Admit: n.roster.Admit, Staked: n.roster.Staked, Member: n.roster.Has,
		OnPeer: a.inbox.onPeer, OnTwin: a.copies.onTwin, Libp2p: a.deps.Libp2p, Now: a.deps.Now,
	})
	if err != nil {
		return err
	}
	n.onClose(n.host.Close)
	return nil
}

// onPeer makes the machine ask a new neighbour for its notices.
func (b *inbox) onPeer(e p2p.PeerEvent) {
	if !e.Connected {
		return
	}
	key, err := network.KeyOf(e.Peer)
	if err != nil {
		return // a peer without an Ed25519 key cannot be a judge
	}
	b.offer(func(at int64) voting.Event { return voting.PeerConnected{At: at, Peer: key} })
}

func newChecker(h Home, cfg Config, c *chain) status.Checker {
	return status.Checker{
		Chain: c, Judge: h.Keys.Judge(), Peer: h.Keys.Peer(), Network: h.Descriptor.Name, Faucet: h.Descriptor.Faucet,
		MinBalance: cfg.MinBalance, MaxSkew: cfg.Ledger.SkewWarning,
	}
}

// Check looks for problems that would keep this node from judging, before it starts: chain,
// program, clock, funds, stake. It changes nothing. It returns only the error of ctx; all problems
// are in the findings.
func Check(ctx context.Context, home Home, cfg Config, deps Deps) ([]status.Finding, error) {
	cfg = home.fill(cfg)
	domain, err := home.Descriptor.Domain()
	if err != nil {
		return nil, err
	}
	deps.Metrics = nil // a check registers nothing
	c, err := openChain(cfg.Ledger, domain, home.Keys.Authority, deps, nil, func(error) {})
	if err != nil {
		return nil, err
	}
	defer c.Chain.Close()
	found, err := newChecker(home, cfg, c).Run(ctx)
	if several, ok := c.Chain.(interface {
		Providers() []providers.Provider
	}); ok {
		found = append(found, status.Compared(several.Providers()))
	}
	return found, err
}
