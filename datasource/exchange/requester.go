package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/voting"
)

// The errors of Ask wrap one of these. They contain no text of a peer.
var (
	ErrUnavailable = errors.New("exchange: nobody who has the source answers")
	ErrRefused     = errors.New("exchange: who has the source refuses")
	ErrNotNamed    = errors.New("exchange: the task does not name the source")
	ErrBadRequest  = errors.New("exchange: the source does not take the request")
	ErrSpent       = errors.New("exchange: the evaluation has asked for too much")
)

// Candidate is a peer that may have a source.
type Candidate struct {
	Peer casefile.DID
	Card []byte // the content of the card; nil if it is not known: then any JSON is an answer
}

// Finder finds the peers that have a source.
type Finder interface {
	// Holders sends candidates as they become known, the best first. It closes the channel when it
	// knows no more or ctx has ended. The caller stops reading when ctx ends. A peer may come
	// several times.
	Holders(ctx context.Context, source string) <-chan Candidate
}

// Blobs keeps content of a case by its hash.
type Blobs interface {
	Keep(task voting.Key, content []byte) (voting.Hash, error)
}

// RequesterDeps are a requester's dependencies on the node.
type RequesterDeps struct {
	Self   casefile.DID
	Domain voting.Domain
	Book   Book // nil: this node has no source
	Steady *datasource.Steady
	Sign   Signer // for answers of the own source
	Finder Finder
	// Dial begins a conversation. It returns when ctx ends, but the stream outlives ctx.
	Dial  func(ctx context.Context, peer casefile.DID) (Stream, error)
	Blobs Blobs
	Clock func() int64 // Unix seconds of the chain's clock
	// Blame is called for misbehaviour of a peer; nil: not at all.
	Blame func(peer casefile.DID, c Class)
	Purse Purse // nil: only free answers are requested
	// Sharer asks other judges of the round for their answers; nil: they are not asked.
	Sharer Sharer

	Log     *slog.Logger          // nil: silence
	Metrics prometheus.Registerer // nil: no metrics
}

// Requester requests data for the judge of this node.
type Requester struct {
	cfg     RequesterConfig
	deps    RequesterDeps
	metrics *requesterMetrics
	cards   datasource.Cards

	mu        sync.Mutex
	spent     map[casefile.Address]*spending // of cases with open sessions
	shareable shareable
}

// spending is the cost of a case, including reservations for conversations under way, in lamports.
type spending struct {
	lamports uint64
	sessions int
}

// NewRequester returns a requester. It starts nothing before a session asks.
func NewRequester(cfg RequesterConfig, deps RequesterDeps) (*Requester, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Finder == nil || deps.Dial == nil || deps.Sign == nil || deps.Blobs == nil || deps.Clock == nil {
		return nil, fmt.Errorf("exchange: a requester needs Finder, Dial, Sign, Blobs and Clock")
	}
	deps.Log = cmp.Or(deps.Log, slog.New(slog.DiscardHandler))
	m, err := newRequesterMetrics(deps.Metrics)
	if err != nil {
		return nil, err
	}
	return &Requester{cfg: cfg, deps: deps, metrics: m, spent: map[casefile.Address]*spending{}}, nil
}

// Evaluation is the purpose of a session: one judge's view of one round.
type Evaluation struct {
	Case    casefile.Address
	Round   uint8
	Judge   casefile.Address // authority of this node's seat
	Sources []string         // the task's data_sources; no others are asked
	// Staked are the holders with a stake in the draw of the round, with their weights in lamports.
	// All others are strangers, whose answers do not count towards those that a question needs.
	// Nil: nothing is known of stakes, and all holders count.
	Staked map[casefile.DID]uint64
	// From and Until are when the round takes opinions, and receipts are valid, by the chain.
	From, Until int64
	// Deadline is when answers become useless, by this machine's clock.
	Deadline time.Time
	// Query means that a person asks, and neither side puts the answer into a case file. Case and
	// Round may then be zero: the judge asks outside any case.
	Query bool
	// Outsider means that no judge asks. Judge is the key of this peer, Round is zero, and Case is
	// zero or a task of which it is a party. It needs Query.
	Outsider bool
}

// Open begins an evaluation. The session ends with Close, ctx, or its deadline.
func (d *Requester) Open(ctx context.Context, e Evaluation) (*Session, error) {
	if !e.possible() {
		return nil, fmt.Errorf("exchange: open: round %d, %d to %d until %s: there is no such evaluation", e.Round, e.From, e.Until, e.Deadline)
	}
	if err := d.enter(e.Case); err != nil {
		return nil, err
	}
	e.Sources = slices.Clone(e.Sources)
	ctx, stop := context.WithDeadline(ctx, e.Deadline.Add(-d.cfg.StopBeforeDeadline))
	return &Session{requester: d, eval: e, ctx: ctx, stop: stop, asked: map[topic]*fanOut{}, known: map[casefile.DID]reputation{},
		budget: budget{requests: d.cfg.MaxRequests, receipts: d.cfg.MaxReceipts, bytes: d.cfg.MaxBytes}}, nil
}

// enter counts a session of a case. For the first one, it reads the cost of the case so far.
func (d *Requester) enter(task casefile.Address) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.spent[task]
	if s == nil {
		s = &spending{}
		if d.deps.Purse != nil {
			spent, err := d.deps.Purse.Spent(task)
			if err != nil {
				return fmt.Errorf("exchange: open: what the case has cost: %w", err)
			}
			s.lamports = spent
		}
		d.spent[task] = s
	}
	s.sessions++
	return nil
}

func (d *Requester) leave(task casefile.Address) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.spent[task].sessions--; d.spent[task].sessions == 0 {
		delete(d.spent, task)
	}
}

// reservePrice reserves the price of an answer, or the most if it is not known, until spend.
func (d *Requester) reservePrice(task casefile.Address, price *uint64) (uint64, bool) {
	if d.deps.Purse == nil {
		return 0, price == nil || *price == 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.spent[task]
	limit := min(d.cfg.MaxPrice, d.cfg.MaxSpend-min(s.lamports, d.cfg.MaxSpend))
	if price != nil && *price > limit {
		return 0, false
	}
	if price != nil {
		limit = *price
	}
	s.lamports += limit
	return limit, true
}

// spend returns the unused part of a reservation.
func (d *Requester) spend(task casefile.Address, reserved, used uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spent[task].lamports -= reserved - used
}
