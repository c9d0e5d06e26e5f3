package content

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/journal/blob"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// MaxBlob is the size of the largest content, in bytes (protocol section 9).
const MaxBlob = 1 << 20

const stream = "blob"

// These are the requests of the blob stream (protocol section 9).
const (
	opGet     = 1
	opPut     = 2
	opPutCard = 3
)

// host is the part of the network that content needs.
type host interface {
	ID() peer.ID
	Peers() []peer.ID
	Request(ctx context.Context, to peer.ID, name string, req []byte) ([]byte, error)
	Handle(name string, lim p2p.StreamLimits, answer p2p.Handler) error
	Provide(ctx context.Context, key []byte) error
	FindProviders(ctx context.Context, key []byte, most int) ([]peer.AddrInfo, error)
	Penalize(p peer.ID, points float64, reason string)
}

// cases is the part of the followed cases that content needs.
type cases interface {
	// Withheld reports whether content must not be served yet.
	Withheld(hash voting.Hash) bool
	// SeatPeers returns the other nodes that sit in a case.
	SeatPeers(task voting.Key) []peer.ID
	// Follows reports whether a case is followed, and whether this node has or had a seat in it.
	Follows(task voting.Key) (mine, followed bool)
	// Said tells when this node said something in a case the last time; false: never.
	Said(task voting.Key) (at int64, ok bool, err error)
	// Terms returns the task of a case, as it was seen last or else from the chain.
	Terms(ctx context.Context, task voting.Key) (*program.Task, error)
}

// chain is the part of the chain that content reads.
type chain interface {
	// FindTask reads a confirmed task. Nil without an error: there is none.
	FindTask(ctx context.Context, task voting.Key) (*program.Task, error)
	// FindAgent reads the agent of an authority. Nil without an error: there is none.
	FindAgent(ctx context.Context, authority voting.Key) (*program.Agent, error)
	// FindOwners reads the tasks of these addresses and the agents of these authorities, up to 100.
	// Nil stands for one that does not exist.
	FindOwners(ctx context.Context, owners []voting.Key) ([]*program.Task, []*program.Agent, error)
	// FindData reads the data of agents at these addresses, up to 32. Nil: there is none.
	FindData(ctx context.Context, at []voting.Key) ([]*program.AgentData, error)
}

type store interface {
	Blob(hash voting.Hash) ([]byte, error)
	// Put keeps content as long as nothing else needs its room.
	Put(content []byte) (voting.Hash, error)
	// Keep keeps content for an owner, within the budgets of its merit.
	Keep(owner voting.Key, content []byte) (voting.Hash, error)
	Rate(owner voting.Key, as blob.Merit)
	Owners() map[voting.Key]blob.Rank
	Pinned(owner voting.Key, hash voting.Hash) bool
	Unpin(owner voting.Key) error
}

// Further says what a case needs besides its documents.
type Further interface {
	// Named returns hashes that the chain names for a dispute with these terms; of an appeal, that
	// of the question, which the claim names. With the claim, it leaves out what cannot matter.
	Named(ctx context.Context, dispute voting.Key, terms, claim []byte) ([]voting.Hash, error)
	// Shown returns those that a document of the dispute shows in full.
	Shown(document []byte) []voting.Hash
	// Elsewhere looks for what is lacking outside of the court. The claim says where.
	Elsewhere(ctx context.Context, dispute voting.Key, terms, claim []byte, lacking []voting.Hash) (map[voting.Hash][]byte, error)
}

// Costs bounds the costs of peers.
type Costs struct {
	Timeout time.Duration // of one question to one peer
	Every   time.Duration // between two attempts to get a missing document
	MaxPuts int           // bytes that one peer may put here in an hour
}

// Content gets and gives content by its hash. Its methods may be called from several goroutines.
type Content struct {
	Further Further // of disputes about other programs; nil: none; set before Serve

	cfg   Costs
	host  host
	cases cases
	chain chain
	store store
	puts  *network.Allowance
	work  *work.Group
	log   *slog.Logger
}

// New returns the content of a node. Serve opens it to peers.
func New(cfg Costs, host host, cases cases, chain chain, store store, group *work.Group, log *slog.Logger) *Content {
	puts := network.NewAllowance(cfg.MaxPuts)
	return &Content{cfg: cfg, host: host, cases: cases, chain: chain, store: store, puts: puts, work: group, log: log}
}

// Serve answers the blob stream from now on.
func (c *Content) Serve() error {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Timeout = 1+32+32+MaxBlob, MaxBlob, c.cfg.Timeout
	l.RatePerPeer, l.Burst = 50, 400
	return c.host.Handle(stream, l, c.answer)
}

func (c *Content) answer(ctx context.Context, from peer.ID, raw []byte) ([]byte, error) {
	switch {
	case len(raw) == 1+32 && raw[0] == opGet:
		return c.give(voting.Hash(raw[1:]))
	case len(raw) > 1+64 && raw[0] == opPut:
		return nil, c.take(ctx, from, voting.Hash(raw[1:33]), voting.Key(raw[33:65]), raw[65:])
	case len(raw) > 1+64 && raw[0] == opPutCard:
		return nil, c.takeCard(ctx, from, voting.Hash(raw[1:33]), voting.Key(raw[33:65]), raw[65:])
	}
	return nil, p2p.Fail(p2p.ErrBadRequest, "want 0x01 ‖ hash, 0x02 ‖ hash ‖ task ‖ content, or 0x03 ‖ hash ‖ authority ‖ agent card")
}

func (c *Content) give(hash voting.Hash) ([]byte, error) {
	if c.cases.Withheld(hash) {
		return nil, p2p.ErrNotFound
	}
	content, err := c.store.Blob(hash)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, p2p.ErrNotFound
	}
	return content, err
}

// take keeps content that a live task names. The sender can be anyone, because the hash on the
// chain proves the content.
func (c *Content) take(ctx context.Context, from peer.ID, hash voting.Hash, task voting.Key, content []byte) error {
	if casefile.HashOf(content) != hash {
		return p2p.Fail(p2p.ErrBadRequest, "content does not have that hash")
	}
	if c.store.Pinned(task, hash) {
		return nil
	}
	if !c.puts.Spend(from, len(content)) {
		return p2p.Fail(p2p.ErrBusy, "too much content from one peer, try another node")
	}
	terms, err := c.chain.FindTask(ctx, task)
	if err != nil {
		return p2p.Fail(p2p.ErrBusy, "the chain does not answer here, try another node")
	}
	if terms == nil {
		return p2p.Fail(p2p.ErrNotFound, "no such task, or not confirmed yet")
	}
	most := c.names(terms, hash)
	if most == 0 && !terms.Status.Over() {
		raw, err := c.store.Blob(terms.TaskHash) // without its terms, a dispute names nothing else
		if err != nil && !errors.Is(err, blob.ErrNotFound) {
			return err
		}
		named, err := c.named(ctx, task, terms, raw, nil)
		if err != nil {
			return p2p.Fail(p2p.ErrBusy, "the chain does not answer here, try another node")
		}
		if slices.Contains(named, hash) {
			most = casefile.MaxDocument
		}
	}
	switch {
	case terms.Status.Over() || most == 0:
		return p2p.Fail(p2p.ErrRefused, "the task does not name this content, or is over")
	case len(content) > most:
		return p2p.Fail(p2p.ErrBadRequest, "this document is larger than any that a court reads")
	}
	c.Follow(task, terms)
	if err := c.given(task, hash, content); err != nil || hash != terms.TaskHash {
		return err
	}
	c.work.Go(func() { c.keepPinned(task, content) })
	return nil
}

// given keeps what a peer put here, and tells the peer if there is no room.
func (c *Content) given(owner voting.Key, hash voting.Hash, content []byte) error {
	if _, err := c.store.Keep(owner, content); errors.Is(err, blob.ErrFull) {
		return p2p.Fail(p2p.ErrBusy, "there is no room for this content, try another node")
	} else if err != nil {
		return err
	}
	c.provide(hash)
	return nil
}

// takeCard keeps the card that the chain names for an agent. It gives up an older card of the
// agent, so an agent takes the room of one card.
func (c *Content) takeCard(ctx context.Context, from peer.ID, hash voting.Hash, authority voting.Key, content []byte) error {
	card, err := agentcard.Parse(content)
	if err != nil || card.Hash != hash || casefile.HashOf(content) != hash || card.Authority != casefile.Address(authority) {
		return p2p.Fail(p2p.ErrBadRequest, "this is no card that the agent signed, or it does not have that hash")
	}
	if !c.puts.Spend(from, len(content)) {
		return p2p.Fail(p2p.ErrBusy, "too much content from one peer, try another node")
	}
	agent, err := c.chain.FindAgent(ctx, authority)
	if err != nil {
		return p2p.Fail(p2p.ErrBusy, "the chain does not answer here, try another node")
	}
	if agent == nil || agent.CardHash != hash {
		return p2p.Fail(p2p.ErrRefused, "the chain does not name this card for the agent, or not yet")
	}
	if err := c.makeRoomForCard(authority, hash); err != nil {
		return err
	}
	return c.given(authority, hash, content)
}

// Card gets the card that the chain names for an agent, from here or from peers. It keeps it for
// others, if it is the card of that agent: an agent that names other content, or the card of
// another agent, gets no room.
func (c *Content) Card(ctx context.Context, authority voting.Key, hash voting.Hash) ([]byte, error) {
	content, err := c.Fetch(ctx, hash, nil)
	if err != nil {
		return nil, err
	}
	if card, err := agentcard.Parse(content); err != nil || card.Hash != hash || card.Authority != casefile.Address(authority) {
		return content, nil // the caller sees what it is
	}
	if err := c.makeRoomForCard(authority, hash); err != nil {
		return nil, err
	}
	return content, c.keepFor(authority, content)
}

// makeRoomForCard gives up the older card of an agent.
func (c *Content) makeRoomForCard(authority voting.Key, hash voting.Hash) error {
	if !c.store.Pinned(authority, hash) {
		if err := c.store.Unpin(authority); err != nil {
			return err
		}
	}
	c.store.Rate(authority, cardMerit(time.Now()))
	return nil
}

// names returns how large content may be that a task, or a pleading of it, names; 0 if none does.
func (c *Content) names(t *program.Task, hash voting.Hash) int {
	for _, h := range documents(t) {
		if h == hash {
			return casefile.MaxDocument
		}
	}
	if slices.Contains(c.modules(t.TaskHash), hash) {
		return MaxBlob
	}
	if raw, err := c.store.Blob(t.TaskHash); err == nil && slices.Contains(pinned(raw), hash) {
		return program.MaxData
	}
	for _, h := range []voting.Hash{t.ObjectionHash, t.CounterHash} {
		for _, e := range c.exhibits(h) {
			if voting.Hash(e.SHA256) == hash {
				return MaxBlob
			}
		}
	}
	return 0
}

// named returns what the chain names for a dispute with these terms besides its documents.
func (c *Content) named(ctx context.Context, task voting.Key, t *program.Task, terms, claim []byte) ([]voting.Hash, error) {
	if c.Further == nil || !t.IsDispute() {
		return nil, nil
	}
	return c.Further.Named(ctx, task, terms, claim)
}

// exhibits returns the exhibits of a pleading; none if the pleading is missing or cannot be read.
func (c *Content) exhibits(pleading voting.Hash) []casefile.Exhibit {
	if pleading.IsZero() {
		return nil
	}
	raw, err := c.store.Blob(pleading)
	if err != nil {
		return nil
	}
	doc, err := casefile.ParseObjection(raw)
	if err != nil {
		return nil // the judges weigh this fault of the party
	}
	return doc.Value.Evidence
}

// modules returns the modules that a task's document names; none if the document is missing.
func (c *Content) modules(task voting.Hash) (out []voting.Hash) {
	raw, err := c.store.Blob(task)
	if err != nil {
		return nil
	}
	doc, err := casefile.ParseTask(raw)
	if err != nil {
		return nil // the judges weigh this fault of the creator
	}
	for _, hash := range doc.Value.Modules() {
		out = append(out, voting.Hash(hash))
	}
	return out
}

// provide tells the DHT that content is here. This only saves time, because a peer that finds no
// record asks the seats.
func (c *Content) provide(hash voting.Hash) {
	c.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), c.cfg.Timeout)
		defer cancel()
		if err := c.host.Provide(ctx, hash[:]); err != nil {
			c.log.Debug("not provided", "hash", hash, "err", err)
		}
	})
}

// documents returns the hashes of the four documents of a task.
func documents(t *program.Task) []voting.Hash {
	return []voting.Hash{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash}
}
