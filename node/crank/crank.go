package crank

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/work"
	"ojud/voting"
)

const (
	// maxMarks bounds the accounts that are remembered. What the next list shows again gives way,
	// then what moves least.
	maxMarks = 4096
	// maxLooks is how many accounts one look reads, beside the node's own.
	maxLooks = 99
	// maxActs is how many cranks follow one look.
	maxActs = 8
	// maxTries is how often a crank may fail before it is left to others.
	maxTries = 3
	day      = 86_400 // seconds
)

// court is what cranks need of the chain.
type court interface {
	Program() program.Program
	Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error)
	Heads(ctx context.Context, account string, having ledger.Filter, offset, length int) ([]*ledger.Account, error)
}

// Deps are the dependencies of a Crank.
type Deps struct {
	Chain court
	// Submit gets a transaction into the chain.
	Submit func(ctx context.Context, all []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error)
	// Rules returns a version of the rules.
	Rules func(ctx context.Context, number uint32) (*program.Rules, error)
	// InForce returns the version of the rules that applies now.
	InForce func(ctx context.Context) (*program.Rules, error)
	// Judges are those whose nodes share the work.
	Judges func() []voting.Key
	// Clock returns the chain's time; 0: it is not known yet.
	Clock func() int64
	// Slot returns the chain's last slot that is known.
	Slot func() uint64
	// Self pays. Reserve is how many lamports it keeps for votes.
	Self    *ledger.Keypair
	Reserve uint64
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// mark is an account on which there is work, or may be.
type mark struct {
	of    *kind
	at    int64 // when the work may be done, or the account is to be looked at
	until int64 // before then something has to be looked for; 0: time does not press
	turn  int64 // when this node may do it; 0: not known yet
	worth uint64
	tries int
}

// Standing says what a node has cranked since it started.
type Standing struct {
	Done    int    `json:"done"`    // cranks that landed
	Waiting int    `json:"waiting"` // accounts that are remembered
	Left    uint64 `json:"left,string"`
	Error   string `json:"error"` // why the last one failed; empty: it did not
}

// Crank does the work. Its methods may be called from several goroutines.
type Crank struct {
	cfg   Config
	d     Deps
	kinds []*kind
	ended *prometheus.CounterVec

	mu     sync.Mutex
	marks  map[onchain.Address]*mark
	floor  uint64 // while marks are full: none of them has a lower rank
	purse  uint64 // what may be spent now, in lamports times the seconds of a day
	filled int64  // the chain's time up to which purse has grown; 0: not begun
	state  Standing

	listed time.Time // when the accounts were listed last; only Run's goroutine uses it
	poor   bool      // the operator was told that lamports are missing; only Run's goroutine uses it
	begun  bool      // the Roster was looked at since the start; only Run's goroutine uses it
}

// New returns a Crank. Run starts its work.
func New(cfg Config, d Deps) *Crank {
	c := &Crank{cfg: cfg, d: d, kinds: kinds(), marks: map[onchain.Address]*mark{}, ended: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "ojud_crank_ended_total", Help: "Cranks, by kind and end: landed, moot (another node was faster), failed.",
	}, []string{"kind", "end"})}
	d.Metrics.MustRegister(c.ended, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "ojud_crank_waiting", Help: "Accounts on which work will be due, as far as this node remembers them.",
	}, func() float64 { return float64(c.Standing().Waiting) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "ojud_crank_budget_lamports", Help: "Lamports that this node may spend on cranks now.",
	}, func() float64 { return float64(c.Standing().Left) }))
	return c
}

// Standing returns what was cranked.
func (c *Crank) Standing() Standing {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	s.Waiting, s.Left = len(c.marks), c.purse/day
	return s
}

// Hear notes the work that an event of the program announces.
func (c *Crank) Hear(e program.Event) {
	if c.cfg.Budget == 0 {
		return
	}
	for _, k := range c.kinds {
		if address, m, ok := k.heard(c, e); ok {
			m.of = k
			c.note(address, m)
		}
	}
}

// note remembers an account. If there is no room, the lowest rank is forgotten.
func (c *Crank) note(address onchain.Address, m mark) {
	now := c.d.Clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch old := c.marks[address]; {
	case old != nil && old.of == m.of:
		m.worth = max(m.worth, old.worth)
	case old != nil:
	case len(c.marks) < maxMarks:
		c.floor = 0
	default:
		if rank := c.rank(&m, now); rank <= c.floor || !c.displace(rank, now) {
			return
		}
	}
	c.marks[address] = &m
}

// rank returns what a mark is worth if there is no room for all. Work that is due after the next
// list has no rank, because the list finds it again. It rises when that time comes. The Roster
// always has one: it is a single account, and some RPC nodes refuse lists.
func (c *Crank) rank(m *mark, now int64) uint64 {
	if every := c.cfg.ListInterval; every > 0 && !m.of.prompt && now != 0 && m.at > now+2*int64(every.Seconds()) {
		return 0
	}
	return max(m.worth, 1)
}

// displace forgets the account of the lowest rank, if that is lower than rank.
func (c *Crank) displace(rank uint64, now int64) bool {
	var least onchain.Address
	c.floor = math.MaxUint64
	for address, m := range c.marks {
		if r := c.rank(m, now); r < c.floor {
			least, c.floor = address, r
		}
	}
	if c.floor >= rank {
		return false
	}
	delete(c.marks, least)
	return true
}

// Run works until ctx ends.
func (c *Crank) Run(ctx context.Context) error {
	if c.cfg.Budget == 0 {
		<-ctx.Done()
		return nil
	}
	// The first list comes after a while, so that a node which starts again and again does not
	// list each time.
	c.listed = time.Now().Add(min(c.cfg.Delay, c.cfg.ListInterval) - c.cfg.ListInterval)
	for work.Pause(ctx, c.cfg.Interval) {
		err := c.look(ctx)
		if errors.Is(err, ledger.ErrOutbox) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			c.fail(err)
		}
	}
	return nil
}

// fail notes an error for the operator. Cranks are no duty, so the log stays quiet.
func (c *Crank) fail(err error) {
	c.d.Log.Debug("a crank failed", "err", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Error = err.Error()
}

// look reads the accounts on which it is this node's turn, and does what is to be done.
func (c *Crank) look(ctx context.Context) error {
	now := c.d.Clock()
	if now == 0 || !c.fill(now) {
		return nil
	}
	c.begin(now)
	listing := c.list(ctx)
	due := c.due(now)
	if len(due) == 0 {
		return listing
	}
	all, _, err := c.d.Chain.Accounts(ctx, append(due, c.d.Self.Address())...)
	if err != nil {
		return errors.Join(listing, err)
	}
	most := c.affords(all[len(due)])
	if most == 0 {
		return listing
	}
	var jobs []job
	for i, address := range due {
		j, ok, err := c.plan(ctx, address, all[i], now)
		listing = errors.Join(listing, err)
		if ok {
			jobs = append(jobs, j)
		}
	}
	jobs, err = c.lend(jobs, all[len(due)].Lamports-c.d.Reserve-uint64(most)*c.cfg.MaxFee, now)
	return errors.Join(listing, err, c.act(ctx, jobs, most))
}

// affords returns how many cranks leave the node what its votes need.
func (c *Crank) affords(self *ledger.Account) int {
	most := 0
	if self != nil && self.Lamports > c.d.Reserve {
		most = int(min((self.Lamports-c.d.Reserve)/c.cfg.MaxFee, maxActs))
	}
	if most == 0 && !c.poor {
		c.d.Log.Info("this node cranks nothing until its authority has more lamports than its votes need", "min_balance", c.d.Reserve)
	}
	c.poor = most == 0
	return most
}

// fill adds what time brings to the purse, and reports whether it suffices for a crank. It begins
// with the price of one, so that a node which starts again and again spends no budget each time.
func (c *Crank) fill(now int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.filled == 0 {
		c.purse, c.filled = c.cfg.MaxFee*day, now
	}
	if passed := min(now-c.filled, day); passed > 0 {
		c.purse, c.filled = min(c.purse+uint64(passed)*c.cfg.Budget, c.cfg.Budget*day), now
	}
	return c.purse >= c.cfg.MaxFee*day
}

// begin remembers the Roster, once. Judges may have joined before this node ran.
func (c *Crank) begin(now int64) {
	roster := c.d.Chain.Program().Roster()
	if !c.begun && !c.knows(roster) {
		c.note(roster, mark{of: c.kinds[season], at: now, worth: math.MaxUint64})
	}
	c.begun = true
}

// list remembers accounts of which nothing was heard.
func (c *Crank) list(ctx context.Context) error {
	if c.cfg.ListInterval == 0 || time.Since(c.listed) < c.cfg.ListInterval {
		return nil
	}
	c.listed = time.Now()
	var faults []error
	for _, k := range c.kinds {
		for _, l := range k.lists {
			heads, err := c.d.Chain.Heads(ctx, l.account, ledger.Filter{Offset: ledger.StatusOffset, Bytes: []byte{l.status}}, l.offset, l.length)
			faults = append(faults, err)
			for _, h := range heads {
				if m, ok := k.found(c, h.Data); ok && !c.knows(h.Address) {
					m.of = cmp.Or(m.of, k)
					c.note(h.Address, m)
				}
			}
		}
	}
	return errors.Join(faults...)
}

func (c *Crank) knows(address onchain.Address) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.marks[address] != nil
}

// due returns the accounts on which it is this node's turn, those that are worth most first.
func (c *Crank) due(now int64) (all []onchain.Address) {
	judges := c.d.Judges()
	c.mu.Lock()
	defer c.mu.Unlock()
	worth := map[onchain.Address]uint64{}
	for address, m := range c.marks {
		if delay := c.delay(m); m.turn == 0 && now-m.at >= delay {
			m.turn = m.at + min(delay+c.wait(judges, address, m.at), m.most(m.at))
		}
		if m.turn != 0 && now >= m.turn {
			all, worth[address] = append(all, address), m.worth
		}
	}
	slices.SortFunc(all, func(a, b onchain.Address) int {
		return cmp.Or(cmp.Compare(worth[b], worth[a]), slices.Compare(a[:], b[:]))
	})
	return all[:min(len(all), maxLooks)]
}

// delay returns for how many seconds work is left to the parties.
func (c *Crank) delay(m *mark) int64 {
	if m.of.prompt || m.until != 0 {
		return min(int64(c.cfg.Step.Seconds()), m.most(m.at)) // by then every RPC node shows the account as it is
	}
	return int64(c.cfg.Delay.Seconds())
}

// most bounds the wait from a time on: half of what is left if time presses.
func (m *mark) most(from int64) int64 {
	if m.until == 0 {
		return math.MaxInt64
	}
	return max(m.until-from, 0) / 2
}

// wait returns for how many seconds work that is due at a time is left to other nodes. Their order
// is another one each time, so that it is not always the same node that pays for an account.
func (c *Crank) wait(judges []voting.Key, address onchain.Address, at int64) int64 {
	subject := sha256.Sum256(binary.LittleEndian.AppendUint64(address[:], uint64(at/60)))
	rank := voting.Rank(judges, voting.Key(c.d.Self.Address()), voting.Key(subject))
	return int64(rank) * int64(c.cfg.Step.Seconds())
}
