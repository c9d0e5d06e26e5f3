package votetest

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// Law is the Config account (protocol section 4) as far as cases depend on it.
type Law struct {
	Rules                   voting.Rules
	MinStake, MaxSeatWeight uint64
	CooldownSeconds         uint32
	SeasonSeconds           uint32
}

// DefaultLaw is that of the main network, but with as many rounds as a case can have, and with the
// shortest seasons that new rules can bring. The main network has two rounds and a day, so this is
// the harder case.
func DefaultLaw() Law {
	return Law{
		Rules: voting.Rules{
			CommitSeconds: 420, RevealSeconds: 180, DrawSeconds: 1_800, EvidenceSeconds: 86_400,
			MaxRounds: voting.MaxRounds, PanelSeats: voting.MaxSeats, MinSeats: 7, DrawDelaySlots: 2,
			Preset: uint8(rules.PayTruth), Fee: 1_000_000, RiskBps: 1_000, GoldenGain: 10, GoldenLoss: 4, Absence: 2,
		},
		MinStake: 1_000_000_000, MaxSeatWeight: 10_000_000_000, CooldownSeconds: 172_800, SeasonSeconds: 600,
	}
}

// Task is a Task account in Judiciary, its Case, and the vaults of its parties.
type Task struct {
	Address     voting.Key
	Parties     voting.Parties
	Terms       rules.Terms
	Outcome     voting.Outcome
	CreatorPaid uint64 // lamports that went to the creator's vault
	WorkerPaid  uint64
	Case        voting.Case

	Sat          map[voting.Key]bool // judges that had a seat in the last round of the first level
	FirstVerdict voting.Verdict      // if it was appealed
	AppealSeats  uint8
	Season       int // the number of that which the first panel was drawn from
	AppealBond   uint64
}

// State is everything that transactions change.
type State struct {
	Roster  Roster
	Tasks   []Task
	Wallets []uint64 // claimed rewards and withdrawn stakes, by roster index
	Pot     uint64   // for golden cases
}

// Chain is a model of the program. Its rules are those of protocol section 5; amounts come from
// package voting.
type Chain struct {
	Law    Law
	Domain voting.Domain
	State  State
	// Now and Slot are those of the transaction that is executed next.
	Now  int64
	Slot uint64
	fork uint64 // counts rollbacks: slot hashes differ after one
	// sealed keeps the openings of commits, by commitment. The author can open them after it lost
	// its journal.
	sealed map[voting.Hash]voting.Opening
	// Verify checks the signatures of evidence and of relay requests; nil means
	// voting.VerifyStrict, which the program is equal to.
	Verify func(peer voting.Key, message []byte, sig voting.Signature) bool
	// Settled is called after each settlement and expiry with what went in and what came out.
	Settled func(t *Task, in rules.RoundEnd, out rules.Settlement)
}

// Lamports is all that roster, tasks, vaults and wallets hold. No transaction may change it.
func (s *State) Lamports() uint64 {
	total := s.Roster.Lamports() + s.Pot
	for i := range s.Tasks {
		t := &s.Tasks[i]
		total += t.Terms.Escrow + t.Terms.CreatorBond + t.Terms.WorkerBond + t.AppealBond + t.CreatorPaid + t.WorkerPaid
	}
	for _, w := range s.Wallets {
		total += w
	}
	return total
}

// Clone copies the state, so that a rollback can bring it back.
func (s *State) Clone() State {
	c := State{Roster: s.Roster, Tasks: slices.Clone(s.Tasks), Wallets: slices.Clone(s.Wallets), Pot: s.Pot}
	c.Roster.Entries = slices.Clone(s.Roster.Entries)
	for i := range c.Tasks {
		c.Tasks[i].Case.Seats, c.Tasks[i].Case.First = slices.Clone(s.Tasks[i].Case.Seats), slices.Clone(s.Tasks[i].Case.First)
		c.Tasks[i].Sat = maps.Clone(s.Tasks[i].Sat)
	}
	return c
}

// Task returns the task at that address, or nil.
func (c *Chain) Task(address voting.Key) *Task {
	for i := range c.State.Tasks {
		if c.State.Tasks[i].Address == address {
			return &c.State.Tasks[i]
		}
	}
	return nil
}

// Look returns a case as a node sees it in the present slot; ok is false if there is no account.
func (c *Chain) Look(task voting.Key) (look voting.Case, ok bool) {
	t := c.Task(task)
	if t == nil {
		return voting.Case{}, false
	}
	look = t.Case
	look.Slot = c.Slot
	look.Seats, look.First = slices.Clone(t.Case.Seats), slices.Clone(t.Case.First)
	return look, true
}

// Refusal is the error of a transaction that the program refuses.
type Refusal struct {
	Name     string // of protocol section 8
	Hopeless bool   // it will never be taken
}

// Error returns the program's error by its name.
func (r *Refusal) Error() string { return "votetest: program: " + r.Name }

func moot(name string) error     { return &Refusal{Name: name} }
func hopeless(name string) error { return &Refusal{Name: name, Hopeless: true} }

// slotHash is the entry of SlotHashes for a slot; about one slot in twenty was skipped and has
// none.
func (c *Chain) slotHash(slot uint64) (voting.Hash, bool) {
	b := binary.LittleEndian.AppendUint64(c.Domain.Network[:len(c.Domain.Network):len(c.Domain.Network)], slot)
	b = binary.LittleEndian.AppendUint64(b, c.fork)
	h := sha256.Sum256(b)
	return h, h[0] >= 13
}

// proven and requested check what the Ed25519 program checks for the program.
func (c *Chain) proven(e voting.Evidence) bool {
	if c.Verify == nil {
		return e.Verify(c.Domain) == nil
	}
	says := func(s voting.Signed) bool {
		return c.Verify(e.Peer, c.Domain.Statement(e.Task, e.Round, e.Judge, s.Commitment), s.Signature)
	}
	return e.A.Commitment != e.B.Commitment && says(e.A) && says(e.B)
}

func (c *Chain) requested(peer voting.Key, n voting.Relay) bool {
	if c.Verify == nil {
		return voting.VerifyRelay(c.Domain, peer, n) == nil
	}
	return c.Verify(peer, c.Domain.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed), n.Request)
}

// Rollback goes back to an older state; slot hashes differ from there on.
func (c *Chain) Rollback(to State) {
	c.State = to.Clone()
	c.fork++
}

// Seal keeps an opening beside its commitment.
func (c *Chain) Seal(task voting.Key, round uint8, judge voting.Key, o voting.Opening) voting.Hash {
	if c.sealed == nil {
		c.sealed = make(map[voting.Hash]voting.Opening)
	}
	commitment := c.Domain.Commitment(task, round, judge, o)
	c.sealed[commitment] = o
	return commitment
}

// Sealed finds the opening of a judge's own commitment.
func (c *Chain) Sealed(task voting.Key, round uint8, judge voting.Key, commitment voting.Hash) (voting.Opening, bool) {
	o, ok := c.sealed[commitment]
	return o, ok && c.Domain.Commitment(task, round, judge, o) == commitment
}

// Apply executes a transaction of a judge.
func (c *Chain) Apply(judge voting.Key, e voting.Submit) error {
	switch e.Op {
	case voting.OpDraw:
		return c.Draw(e.Task)
	case voting.OpCommit:
		return c.Commit(e.Task, e.Round, judge, e.Commitment)
	case voting.OpRelayCommit:
		return c.RelayCommit(e.Relay)
	case voting.OpReveal, voting.OpRelayReveal:
		return c.Reveal(e.Task, e.Round, e.Judge, e.Opening)
	case voting.OpSettle:
		return c.Settle(e.Task)
	case voting.OpExpire:
		return c.ExpireCase(e.Task)
	case voting.OpSlash:
		return c.SlashEquivocation(e.Evidence)
	case voting.OpClaim:
		return c.Claim(e.Judge)
	}
	return hopeless("BadInstruction")
}

// Class is how a node reports the end of a transaction.
func Class(err error) voting.SubmitClass {
	var refusal *Refusal
	switch {
	case err == nil:
		return voting.Landed
	case errors.As(err, &refusal) && refusal.Hopeless:
		return voting.Hopeless
	}
	return voting.Moot
}

// Join puts a judge on the roster. It has a weight when a season begins.
func (c *Chain) Join(judge, peer, operator voting.Key, stake uint64) {
	c.State.Roster.Entries = append(c.State.Roster.Entries, Entry{Judge: judge, Peer: peer, Operator: operator, Stake: stake})
	c.State.Wallets = append(c.State.Wallets, 0)
}

// Open is counter_object: the task is in Judiciary and its case waits for a draw.
func (c *Chain) Open(address voting.Key, p voting.Parties, terms rules.Terms) error {
	if c.Task(address) != nil {
		return moot("AlreadyExists")
	}
	r := c.Law.Rules
	c.State.Tasks = append(c.State.Tasks, Task{Address: address, Parties: p, Terms: terms, Sat: map[voting.Key]bool{}, Case: voting.Case{
		Task: address, Status: voting.AwaitingDraw, Round: 1, OpenedAt: c.Now, Rules: r,
		SeedSlot: c.Slot + uint64(r.DrawDelaySlots), DrawBy: c.Now + int64(r.DrawSeconds),
	}})
	return nil
}

// TopUp adds to a judge's stake; the lamports come from its wallet here.
func (c *Chain) TopUp(index int, amount uint64) error {
	e := &c.State.Roster.Entries[index]
	if e.Gone || c.State.Wallets[index] < amount {
		return moot("NotEnough")
	}
	c.State.Wallets[index] -= amount
	e.Stake += amount
	return nil
}

// BeginExit makes a judge leave after the cooldown.
func (c *Chain) BeginExit(index int) error {
	e := &c.State.Roster.Entries[index]
	if e.Exiting || e.Gone {
		return moot("AlreadyExiting")
	}
	e.Exiting, e.ExitAt = true, c.Now+int64(c.Law.CooldownSeconds)
	return nil
}

// WithdrawStake ends an exit.
func (c *Chain) WithdrawStake(index int) error {
	e := &c.State.Roster.Entries[index]
	switch {
	case !e.Exiting || e.Gone:
		return moot("NotExiting")
	case e.Live > 0 || c.Now < e.ExitAt:
		return moot("StakeLocked")
	case c.State.Roster.counted(index):
		return moot("SeasonRuns")
	}
	c.State.Wallets[index] += e.Stake + e.Rewards
	e.Stake, e.Rewards, e.Gone = 0, 0, true
	return nil
}

// Claim moves a judge's rewards to its wallet.
func (c *Chain) Claim(judge voting.Key) error {
	for i := range c.State.Roster.Entries {
		e := &c.State.Roster.Entries[i]
		if e.Judge == judge && !e.Gone && e.Rewards > 0 {
			c.State.Wallets[i] += e.Rewards
			e.Rewards = 0
			return nil
		}
	}
	return moot("NothingToClaim")
}

// String names the state of a task for scripts and traces.
func (t *Task) String() string {
	c := &t.Case
	return fmt.Sprintf("%s round=%d verdict=%s", c.Status, c.Round, c.Verdict)
}
