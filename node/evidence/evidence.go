package evidence

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger/journal/blob"
	"ojud/node/network"
	"ojud/node/payment"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/voting"
)

// cases is the part of the followed cases that evidence needs.
type cases interface {
	seating
	colleagues
	AddReceipt(r casefile.Receipt)
	// Staked returns the candidates of the draw of a case's round, by node, with their weights. It
	// returns what it knows, even with an error.
	Staked(ctx context.Context, task voting.Key, rosters *network.Roster) (map[casefile.DID]uint64, error)
}

type fetcher interface {
	documents
	colleagueContent
}

// blobs is the content that is here.
type blobs interface {
	localContent
	Keep(owner voting.Key, content []byte) (voting.Hash, error)
	KeepOwn(owner voting.Key, content []byte) (voting.Hash, error)
	Rate(owner voting.Key, as blob.Merit)
	Unpin(owner voting.Key) error
}

// answers remembers what this node answered as a holder.
type answers interface {
	// Said keeps the first answer to a question in a case for good, and returns it. It fails if an
	// answer may be lost: the case was opened before the memory was made or restored.
	Said(task voting.Key, opened int64, question, answer voting.Hash) (first voting.Hash, err error)
}

// Dealing sets how data is asked for, answered and paid.
type Dealing struct {
	Data    exchange.Config
	Payment payment.Config
	Timeout time.Duration // of one question to one peer
}

// Parts are the parts of the node that evidence needs.
type Parts struct {
	Domain  voting.Domain
	Judge   voting.Key         // whose seat this node fills
	Key     ed25519.PrivateKey // of this node; it signs receipts
	Host    *p2p.Host
	Roster  *network.Roster
	Cases   cases
	Content fetcher
	Blobs   blobs
	Said    answers
	Book    *datasource.Book // own sources
	Chain   accounts         // the data of agents are there
	Asked   *exchange.Log    // the log of requests
	Wallet  wallet
	// WrapPurse wraps the purse that pays for the judge's answers, for tests. Nil: nothing is
	// wrapped.
	WrapPurse func(exchange.Purse) exchange.Purse
	// Profile is the announcement of this node, without its sources.
	Profile directory.Profile
	Money   payment.Store // promises and earnings
	Clock   func() int64  // Unix seconds of the chain's clock; 0: not known yet
	Work    *work.Group
	Log     *slog.Logger
	Metrics *prometheus.Registry
}

// Evidence asks peers for data, and answers them. Its methods may be called from several
// goroutines.
type Evidence struct {
	cfg       Dealing
	d         Parts
	self      casefile.DID
	requester *exchange.Requester // where the judge asks
	holder    *exchange.Holder    // answers peers
	purse     *payment.Purse      // pays for answers
	till      *payment.Till       // is paid for answers
	authority authority
	shelf     shelf
	topic     *dataTopic
	finder    finder // in all places
	sharing   *sharing
	warning   atomic.Bool // warnSeller runs
}

// New returns the evidence of a node. Serve opens it to peers.
func New(cfg Dealing, d Parts) (*Evidence, error) {
	e := &Evidence{
		cfg: cfg, d: d, self: casefile.DID(d.Key.Public().(ed25519.PublicKey)), authority: newAuthority(d.Cases, d.Roster, d.Content, d.Chain),
		shelf: shelf{d.Book, d.Chain, d.Cases, d.Content},
		topic: newDataTopic(d.Host, d.Cases, d.Roster, d.Book, cfg.Timeout, d.Work, d.Log),
	}
	e.finder = newFinder(d.Host.Directory(), d.Host, e.topic, d.Roster, newCards(d.Blobs, d.Content, d.Log), d.Work, d.Log)
	if err := e.openPayments(); err != nil {
		return nil, err
	}
	lent := func(q exchange.Question) []casefile.Receipt { return e.requester.SharedReceipts(q) }
	e.sharing = newSharing(d.Host, d.Cases, d.Content, d.Blobs, lent, cfg.Timeout, d.Work, d.Log)
	var err error
	holds := e.HolderDeps(d.Book)
	holds.Steady = &datasource.Steady{}
	holds.Till, holds.Debts, holds.Metrics = e.till, e.till, d.Metrics
	if e.holder, err = exchange.NewHolder(cfg.Data.Holder, holds); err != nil {
		return nil, err
	}
	deps := e.RequesterDeps(d.Blobs)
	deps.Steady = holds.Steady
	deps.Book, deps.Sharer, deps.Metrics, deps.Purse = e.shelf, e.sharing, d.Metrics, e.purse
	if d.WrapPurse != nil {
		deps.Purse = d.WrapPurse(e.purse)
	}
	e.requester, err = exchange.NewRequester(cfg.Data.Requester, deps)
	return e, err
}

// HolderDeps returns the dependencies of a holder that answers from a book for free.
func (e *Evidence) HolderDeps(book exchange.Book) exchange.HolderDeps {
	return exchange.HolderDeps{
		Self: e.self, Domain: e.d.Domain, Book: book, Authority: e.authority, Sign: e.sign, Clock: e.d.Clock, Keep: e.keepAnswer,
		Asked: e.d.Asked, Log: e.d.Log,
	}
}

// RequesterDeps returns the dependencies of a desk that asks peers for free: the judge's, or that
// of one query.
func (e *Evidence) RequesterDeps(blobs exchange.Blobs) exchange.RequesterDeps {
	return exchange.RequesterDeps{
		Self: e.self, Domain: e.d.Domain, Sign: e.sign, Finder: e.Finder(All), Dial: e.dial, Blobs: blobs,
		Clock: e.d.Clock, Blame: e.penalize, Log: e.d.Log,
	}
}

// errTwofold keeps this node from evidence against itself.
var errTwofold = errors.New("evidence: the source says something else than this node signed in the case before")

// sign signs an answer, unless this node signed another one to the same question of the case, or
// may have done so before its journal was made or restored.
func (e *Evidence) sign(r casefile.Receipt) (casefile.Receipt, error) {
	if r.Round != 0 { // a party's answer binds nothing
		look, _ := e.d.Cases.Look(voting.Key(r.Case))
		first, err := e.d.Said.Said(voting.Key(r.Case), look.OpenedAt, r.Question(), voting.Hash(r.Response))
		if err != nil {
			return r, err
		}
		if first != voting.Hash(r.Response) {
			return r, errTwofold
		}
	}
	return r.Sign(e.d.Key)
}

// Serve joins the data topic, answers the streams of data, and announces this node's sources.
func (e *Evidence) Serve() error {
	if err := e.topic.serve(); err != nil {
		return err
	}
	if err := e.sharing.serve(); err != nil {
		return err
	}
	if err := e.d.Host.HandleStream(dataStream, StreamLimits(), e.converse); err != nil {
		return err
	}
	return e.d.Host.Directory().Announce(e.profile())
}

// Jobs returns the background work of evidence.
func (e *Evidence) Jobs() []work.Job {
	return []work.Job{
		{Name: "answerDataCalls", What: "offers own sources to judges that call on the data topic", Run: e.topic.answerCalls},
		{Name: "announceSources", What: "tells the network which sources are here, whenever that changes", Run: e.announceSources},
		{Name: "collectPayments", What: "pulls what peers owe for answers", Run: e.till.Run},
		{Name: "sweepPayments", What: "forgets old promises of payment, and says if none can be made", Run: e.sweepPayments},
	}
}

// Wake asks an own source for its shape, so that a server that starts on demand runs before the
// first judge asks. The error is of a class of package datasource; with datasource.ErrSlow the
// start goes on. A source that has nothing to start is awake.
func (e *Evidence) Wake(ctx context.Context, source string) error {
	_, err := e.d.Book.Describe(ctx, source)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// keepAnswer keeps an answer that this node gives as a holder, for the case file. If the holder
// promised not to keep the content, it does not arrive here.
func (e *Evidence) keepAnswer(_ context.Context, k exchange.Kept) error {
	for _, content := range [][]byte{k.Request, k.Response, k.Terms} {
		if content == nil {
			continue
		}
		_, err := e.d.Blobs.Keep(voting.Key(k.Receipt.Case), content)
		if errors.Is(err, blob.ErrFull) { // the asker has it, too
			e.d.Log.Warn("an answer to a judge is not kept for the case file, because there is no room", "case", k.Receipt.Case, "source", k.Receipt.Source, "err", err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	e.d.Cases.AddReceipt(k.Receipt)
	return nil
}

func (e *Evidence) judgeOf(peer casefile.DID) *casefile.Address {
	if judge, ok := e.authority.Judge(peer); ok {
		return &judge
	}
	return nil
}
