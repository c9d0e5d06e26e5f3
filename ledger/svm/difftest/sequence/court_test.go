package sequence_test

import (
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

// court has the parameters and people at the beginning of a sequence.
type court struct {
	name   string
	judges int
	agents []string
	change func(*program.Params)
	stake  func(n int) uint64
	listed uint8
	cover  uint16

	credential uint8
}

func flat(amount uint64) func(int) uint64 { return func(int) uint64 { return amount } }

// courts returns the courts of sequences: small ones with short cases, some with prices at the
// edge, and the largest panel.
func courts() []court {
	agents := []string{"alice", "bob", "carol"}
	return []court{
		{"three seats", 5, agents, func(p *program.Params) { p.PanelSeats, p.MinSeats = 3, 2 }, flat(2 * sol), 1, 2_000, 1},
		{"two rounds, unequal", 6, agents, func(p *program.Params) {
			p.PanelSeats, p.MinSeats, p.MaxRounds, p.Preset, p.Minority = 4, 1, 2, 2, 7
		}, func(n int) uint64 { return uint64(n+1)*sol + uint64(n)*7 + 3 }, 1, 1_000, 1},
		{"everything is lost", 5, agents, func(p *program.Params) {
			p.PanelSeats, p.MinSeats, p.FeeMin, p.RiskBps, p.GoldenGain, p.GoldenLoss, p.Absence, p.Minority = 5, 3, sol/20, 10_000, 1, 2, 2, 1
			p.EvidenceSeconds, p.CooldownSeconds, p.MaxReworks, p.Preset, p.MaxRounds = 0, 7_200, 0, 2, 3
			p.AppealSeconds, p.Reversal = 0, 1
		}, flat(sol), 0, 0, 0},
		{"one judge", 2, agents, func(p *program.Params) {
			p.PanelSeats, p.MinSeats, p.MaxRounds, p.DrawDelaySlots, p.FeeMin, p.MinReward = 1, 1, 1, 1, 0, 1
			p.CommitSeconds, p.RevealSeconds, p.DrawSeconds, p.MaxJudges, p.MinStake = 1, 1, 1, 4, 1
		}, flat(sol), 0, 10_000, 1},
		{"nothing is lost", 4, agents, func(p *program.Params) {
			p.PanelSeats, p.MinSeats, p.FeeMin, p.FeeBps, p.CreatorBps, p.WorkerBps, p.RiskBps = 3, 2, 0, 0, 0, 0, 0
		}, flat(3 * sol), 1, 0, 0},
		{"great weights", 4, agents, func(p *program.Params) {
			p.PanelSeats, p.MinSeats, p.MaxSeatWeight, p.MinStake, p.MinReward = 3, 1, 1<<50, 1<<49, 1
		}, func(n int) uint64 { return 1<<50 - 1 + uint64(n) }, 1, 0, 0},
		{"appeals", 13, agents, func(p *program.Params) { p.PanelSeats, p.MinSeats = 3, 2 }, flat(2 * sol), 0, 2_000, 0},
		{"appeals, by the seed", 16, agents, func(p *program.Params) {
			p.PanelSeats, p.MinSeats, p.MaxRounds, p.Preset, p.Minority, p.FeeMin = 5, 2, 1, 2, 7, sol/20
		}, func(n int) uint64 { return uint64(n+1)*sol + uint64(n)*7 + 3 }, 0, 2_000, 1},
		{"challenges", 22, agents, func(p *program.Params) { p.PanelSeats, p.MinSeats = 14, 2 }, flat(2 * sol), 0, 2_000, 2},
		{"28 seats", 30, agents, func(p *program.Params) {}, func(n int) uint64 { return sol + uint64(n*n)*123_456_789 }, 0, 500, 1},
	}
}

// panel is the number of seats of the court's first panels.
func (c court) panel() uint8 {
	p := program.DefaultParams()
	c.change(&p)
	return p.PanelSeats
}

// people returns all who act: agents, judges, one who is neither, and one who is both.
func (c court) people() []string {
	names := append([]string{"mallory", "both"}, c.agents...)
	for n := range min(c.judges, 8) {
		names = append(names, judge(n))
	}
	return names
}

func judge(n int) string { return fmt.Sprint("j", n) }

// open returns a court without a history.
func (s *stage) open(c court) (*arena, error) {
	a := &arena{
		stage: s, env: *accounts.DefaultEnvironment(), accounts: map[key]accounts.Account{}, book: map[key]program.Account{}, extra: map[key]uint64{},
		said: map[ballot]voting.Opening{}, plans: map[uint64]*plan{}, court: c, r: rand.New(rand.NewPCG(1, 1)), window: 8, seen: newCoverage(),
	}
	a.env.Clock = accounts.Clock{Slot: 1_000, UnixTimestamp: start}
	a.pass(0, 1)
	wallets := append(c.people(), "payer", "authority")
	for n := range c.judges {
		wallets = append(wallets, judge(n))
	}
	for _, name := range wallets {
		at := s.person(name)
		a.accounts[at] = difftest.Wallet(solana.PublicKey(at), 1<<52).Account
	}
	if err := a.begin(); err != nil {
		return nil, err
	}
	a.allow(64)
	a.mint()
	return a, a.cast()
}

// begin runs init_config, which the model takes for granted.
func (a *arena) begin() error {
	p := program.DefaultParams()
	p.CoverBps, p.SeasonSeconds, p.AppealSeconds = a.court.cover, 3_600, 3_600
	p.BatchSeconds, p.ChallengeSeconds, p.GoldenBps, p.Credential = 43_200, 14_400, 5_000, a.court.credential
	a.court.change(&p)
	if p.BatchSeconds, p.LeafFee = a.court.batch(p); p.BatchSeconds == 0 {
		p.ChallengeSeconds = 0
	}
	c := a.call(&program.InitConfig{Network: a.network, Listed: a.court.listed, Params: p}, who{actor: a.person("authority")})
	tx, err := compile(a.payer, c.instructions(a.prog.ID()), onchain.Hash(a.env.Blockhash))
	if err != nil {
		return err
	}
	r := a.runtime.Simulate(tx, &a.env, a, false)
	if r.Err != nil {
		return fmt.Errorf("init_config: %w", r.Err)
	}
	for _, w := range r.Writes {
		a.accounts[key(w.Key)] = w.Account
		if v, err := program.DecodeAccount(w.Account.Data); err == nil {
			a.book[key(w.Key)] = v
		}
	}
	return nil
}

// batch returns the times and the fee of batches, if the parameters leave time for them.
func (c court) batch(p program.Params) (seconds uint32, fee uint64) {
	fee = min(p.LeafFee, 28*p.FeeMin)
	p.LeafFee = fee
	if p.Validate() != nil {
		return 0, fee
	}
	return p.BatchSeconds, fee
}

// allow lets proctors commit leaves from the beginning.
func (a *arena) allow(leaves uint64) {
	at := a.at(place{kind: "pot"})
	pot := *get[program.Pot](a, at)
	pot.Allowance = leaves * 10_000
	v := a.accounts[at]
	v.Data = pot.Encode()
	a.accounts[at], a.book[at] = v, &pot
}

func (a *arena) cast() error {
	for _, name := range append([]string{"both"}, a.court.agents...) {
		at := a.person(name)
		if err := a.must(a.call(&program.RegisterAgent{CardHash: a.network}, who{actor: at})); err != nil {
			return err
		}
		if err := a.must(a.call(&program.Deposit{Amount: 100 * sol}, who{actor: at})); err != nil {
			return err
		}
		notes := who{actor: at, task: a.prog.ID(), data: a.at(place{kind: "data", a: at, name: "notes"})}
		if err := a.must(a.call(&program.WriteData{DataName: "notes", Len: 9, Bytes: []byte("some text")}, notes)); err != nil {
			return err
		}
	}
	for n := range a.court.judges {
		if a.court.listed == 1 {
			if err := a.must(a.admit(a.person(judge(n)))); err != nil {
				return err
			}
		}
		if err := a.must(a.join(judge(n), judge(n), a.court.stake(n), key{})); err != nil {
			return err
		}
	}
	return a.must(a.call(&program.BeginSeason{}, who{}))
}

// must sends a call that must succeed.
func (a *arena) must(c *call) error {
	before := a.seen.of(c.name()).succeeded
	if err := a.do(c); err != nil {
		return err
	}
	if a.seen.of(c.name()).succeeded == before {
		_, why := a.judge(c)
		return fmt.Errorf("%s was to succeed: %s", c.name(), why)
	}
	return nil
}

// beginnings returns arenas from which sequences continue: each court as it opens, and after lawful
// walks of some length.
func (s *stage) beginnings() ([]*arena, error) {
	var all []*arena
	for n, c := range courts() {
		a, err := s.open(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, a)
		for walk := range uint64(6) {
			b := a.fork(rand.New(rand.NewPCG(uint64(n), walk)))
			next, most := b.lawful, 90
			if walk >= 4 { // about golden cases only
				next, most = func() *call { return b.straight(walk == 5) }, 150+10*int(b.court.panel())
			}
			for steps := range most {
				if err := b.do(next()); err != nil {
					return nil, fmt.Errorf("%s, walk %d, step %d: %w", c.name, walk, steps, err)
				}
				if steps%15 == 14 {
					all = append(all, b.copied())
				}
			}
		}
	}
	return all, nil
}

// copied returns a copy that does not change with this arena.
func (a *arena) copied() *arena {
	b := *a
	b.accounts, b.book, b.extra, b.said = maps.Clone(a.accounts), maps.Clone(a.book), maps.Clone(a.extra), maps.Clone(a.said)
	b.plans, b.held = maps.Clone(a.plans), maps.Clone(a.held)
	return &b
}
