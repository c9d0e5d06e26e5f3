package node

import (
	"context"
	"hash/maphash"
	"runtime/debug"
	"time"

	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/node/content"
	"ojud/node/evidence"
	"ojud/node/network"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// version returns the version of this program, for announcements.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

// assemble makes the parts of the node, connects them, joins the network and opens all streams.
func (n *Node) assemble(ctx context.Context, deps Deps) error {
	filled, runner, err := n.openJudge(deps)
	if err != nil {
		return err
	}
	book, asked, err := n.openSources(deps)
	if err != nil {
		return err
	}
	keys, began := n.home.Keys, time.Now()
	counters := newMetrics(deps.Metrics)
	n.loop = newLoop(n.chain.at, counters, n.log)
	n.cases = record.NewCases(n.domain, keys.Peer(), n.journal.Events(), n.chain, n.chain.at, n.loop.View)
	audit := status.NewAudit(n.journal, n.chain.at, n.log)
	copies := &twins{
		judge: keys.Judge(), grace: n.cfg.Sync.Twin, cases: n.cases, view: n.loop.View, audit: audit, fail: n.work.Fail, log: n.log, began: began,
	}
	if err := n.openHost(ctx, deps, copies); err != nil {
		return err
	}
	sync := n.cfg.Sync
	papers := content.New(content.Costs{Timeout: sync.Timeout, Every: sync.Every, MaxPuts: sync.MaxPuts},
		n.host, n.cases, n.chain, n.blobs, n.work, n.log)
	n.notices = &notices{
		host: n.host, cases: n.cases, loop: n.loop, twins: copies, heard: deps.Heard, gossipAfter: sync.GossipAfter, work: n.work,
		metrics: counters, log: n.log,
	}
	stream := record.NewStream(n.host, n.cases, sync.Timeout)
	n.notices.rounds = record.NewCatchUp(stream, n.notices, n.loop.View, n.log)
	data := record.RoundData{Store: n.journal, Blobs: n.blobs}
	witness := record.NewWitness(record.WitnessDeps{
		Domain: n.domain, Judge: keys.Judge(), Key: keys.node, Cases: n.cases, Chain: n.chain, Roster: n.roster, Content: papers,
		Blobs: n.blobs, Data: data, Learner: filled, Clock: n.chain.at, Log: n.log,
	})
	keeper := record.NewKeeper(record.KeeperDeps{
		Cases: n.cases, Witness: witness, Stream: stream, Roster: n.roster, Content: papers, Blobs: n.blobs, Archive: n.journal.Events(),
		Chain: n.chain, Audit: audit, Judge: keys.Judge(), Fresh: n.journal.Fresh(), Began: began, Clock: n.chain.at, Every: sync.Every, Log: n.log,
	})
	n.reader = record.NewReader(record.ReaderDeps{
		Domain: n.domain, Key: keys.node, Judge: keys.Judge(), Cases: n.cases, Decisions: n.decisions, Store: n.journal.Events(),
		Blobs: n.blobs, Content: papers, Judges: n.host.Registry(), Own: audit.Own, Clock: n.chain.at, View: n.loop.View,
	})
	profile := p2p.Profile{
		Authority: keys.Authority.Address().String(), ModelFamily: filled.Family, Dimension: filled.Dimension, Version: version(),
	}
	if err := n.openEvidence(deps, book, asked, papers, profile); err != nil {
		return err
	}
	checker := newChecker(n.home, n.cfg, n.chain)
	monitor := status.NewMonitor(checker, n.log)
	n.evaluator = &evaluator{
		keys: keys, domain: n.domain, chair: filled, runner: runner, chain: n.chain, roster: n.roster, blobs: n.blobs, cases: n.cases,
		data: data, content: papers, evidence: n.evidence, notices: n.notices, twins: copies, loop: n.loop, audit: audit,
		timeout: sync.Timeout, fail: n.work.Fail, metrics: counters, log: n.log,
	}
	effects := &effects{
		journal: n.journal, cases: n.cases, evaluator: n.evaluator, notices: n.notices, twins: copies, audit: audit, work: n.work, log: n.log,
		submitter: &submitter{
			keys: keys, domain: n.domain, chain: n.chain, cases: n.cases, loop: n.loop, audit: audit, monitor: monitor,
			metrics: counters, log: n.log,
		},
	}
	n.loop.execute = effects.execute
	n.reporter = &status.Reporter{
		Judge: keys.Judge(), Network: n.home.Descriptor.Name, Family: filled.Family, Dimension: filled.Dimension, Host: n.host,
		Roster: n.roster, Clock: n.chain.client.Clock(), Cases: n.reader, Monitor: monitor, Watching: n.chain.health, Copies: copies.warning,
	}
	n.api = status.NewAPI(n.cfg.API, status.APIDeps{
		Dir: n.home.Dir, Reporter: n.reporter, Records: n.reader, Evidence: n.evidence, Metrics: deps.Metrics, Log: n.log,
	})
	outcomes := status.NewOutcomes(status.OutcomesDeps{
		Judge: keys.Judge(), Roster: n.roster, Events: n.chain.events, SetCursor: n.journal.SetCursor, Seats: n.cases.Seats, Drawn: n.evidence.Drawn,
		Audit: audit, Log: n.log, Metrics: deps.Metrics,
	})
	links := &network.Links{
		Host: n.host, Roster: n.roster, Seats: n.cases.LivePeers, Every: sync.Every, Limit: sync.MaxLinks, Seed: maphash.MakeSeed(),
	}
	n.jobs = append(n.jobs, n.evidence.Jobs()...)
	n.jobs = append(n.jobs, []work.Job{
		{Name: "watchChain", What: "reads the chain and gives looks and events", Run: n.chain.watch},
		{Name: "drainGossip", What: "empties the queue of notices that the validator has taken", Run: n.notices.drain},
		{Name: "reportBlindness", What: "tells the machine that no block is seen, while that lasts", Run: n.reportBlindness},
		{Name: "awaitFirstContact", What: "notes when others can know of this copy of the node", Run: copies.awaitFirstContact(n.host.Registry().Compared())},
		{Name: "monitorFunds", What: "checks funds and stake, and warns of changes", Run: monitor.Run},
		{Name: "logOutcomes", What: "tells the owner what became of the judge", Run: outcomes.Run},
		{Name: "keepCaseFiles", What: "signs facts and exchanges case files with other seats", Run: keeper.Run},
		{Name: "auditUptime", What: "writes down when the node runs and sees the chain", Run: audit.Run},
		{Name: "keepLinks", What: "keeps links to seats and other judges", Run: links.Run},
		{Name: "serveAPI", What: "serves the HTTP API", Run: n.api.Run},
		{Name: "stepMachine", What: "gives the machine its events and executes its effects", Run: n.stepMachine},
	}...)
	if err := n.notices.serve(deps.Courier); err != nil {
		return err
	}
	if err := stream.Serve(n.notices.rounds, keeper); err != nil {
		return err
	}
	if err := papers.Serve(); err != nil {
		return err
	}
	return n.evidence.Serve()
}

// openHost joins the network.
func (n *Node) openHost(ctx context.Context, deps Deps, copies *twins) (err error) {
	// The host ends with Close. If it ended with ctx, the parts that still run would find it closed.
	n.host, err = p2p.New(context.WithoutCancel(ctx), n.cfg.P2P, n.home.Keys.Identity, p2p.Deps{
		Logger: n.log, Metrics: deps.Metrics, Topics: []string{roundsTopic, evidence.Topic}, Admit: n.roster.Admit, Staked: n.roster.Staked,
		OnPeer: n.onPeer, OnTwin: copies.onTwin, Libp2p: deps.Libp2p, Now: deps.Now,
	})
	if err != nil {
		return err
	}
	n.onClose(n.host.Close)
	return nil
}

// onPeer has the machine ask a new neighbour for the notices that it has.
func (n *Node) onPeer(e p2p.PeerEvent) {
	if !e.Connected {
		return
	}
	key, err := network.KeyOf(e.Peer)
	if err != nil {
		return // a peer without an Ed25519 key cannot be a judge
	}
	n.loop.offer(func(at int64) voting.Event { return voting.PeerConnected{At: at, Peer: key} })
}

func (n *Node) openEvidence(deps Deps, book *datasource.Book, asked *exchange.Log, papers *content.Content, profile p2p.Profile) (err error) {
	cfg := evidence.Dealing{Data: n.cfg.Data, Payment: n.cfg.Payment, Timeout: n.cfg.Sync.Timeout}
	n.evidence, err = evidence.New(cfg, evidence.Parts{
		Domain: n.domain, Judge: n.home.Keys.Judge(), Key: n.home.Keys.node, Host: n.host, Roster: n.roster, Cases: n.cases, Content: papers,
		Blobs: n.blobs, Book: book, Asked: asked, Wallet: n.chain, WrapPurse: deps.Purse, Profile: profile,
		Money: money{n.journal.Money(), n.work.Fail}, Clock: n.chain.at, Work: n.work, Log: n.log, Metrics: deps.Metrics,
	})
	return err
}

// newChecker returns the checks of a home.
func newChecker(h Home, cfg Config, c *chain) status.Checker {
	return status.Checker{
		Chain: c, Judge: h.Keys.Judge(), Peer: h.Keys.Peer(), Network: h.Descriptor.Name, Faucet: h.Descriptor.Faucet,
		MinBalance: cfg.MinBalance, MaxSkew: cfg.Ledger.SkewWarning,
	}
}

// Check looks for what would keep this node from judging, before it starts: chain, program, clock, funds, stake. It changes
// nothing. The error is that of ctx; what is wrong is in the findings.
func Check(ctx context.Context, home Home, cfg Config, deps Deps) ([]status.Finding, error) {
	cfg = home.fill(cfg)
	domain, err := home.Descriptor.Domain()
	if err != nil {
		return nil, err
	}
	c, err := openChain(cfg.Ledger, domain, home.Keys.Authority, ledger.Deps{Transport: deps.Transport, Logger: deps.Logger}, func(error) {})
	if err != nil {
		return nil, err
	}
	defer c.client.Close()
	return newChecker(home, cfg, c).Run(ctx)
}
