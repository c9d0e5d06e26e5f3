package votetest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"ojud/voting"
)

// world is what a scenario plays in: a chain, some judges of whom number 0 has the machine, and a
// journal.
type world struct {
	chain   Chain
	start   int64
	keys    []ed25519.PrivateKey
	machine *voting.Machine
	journal []voting.Record
	pending []voting.Submit
	sealed  map[voting.Hash]voting.Opening
	saved   map[string]State
	looks   map[string]voting.Case
	stopAt  int // effects until the planned crash; −1: none
	names   []string
	out     strings.Builder
}

// command finds what a word does.
func (w *world) command(word string) func(args) error {
	switch word {
	case "setup":
		return w.setup
	case "boot":
		return w.boot
	case "lose-disk":
		return w.loseDisk
	case "crash":
		return w.crash
	case "open":
		return w.open
	case "draw":
		return w.draw
	case "commit":
		return w.commit
	case "reveal":
		return w.reveal
	case "settle":
		return w.settle
	case "expire":
		return w.expire
	case "look":
		return w.look
	case "gone":
		return w.gone
	case "save":
		return w.save
	case "rollback":
		return w.rollback
	case "exit":
		return w.exit
	case "tick":
		return w.tick
	case "warp":
		return w.warp
	case "grope":
		return w.grope
	case "opinion":
		return w.opinion
	case "opinion-fails":
		return w.opinionFails
	case "hear":
		return w.hear
	case "caught-up":
		return w.caughtUp
	case "connect":
		return w.connect
	case "recovered":
		return w.recovered
	case "land":
		return w.land
	case "drop":
		return w.drop
	case "journal":
		return w.showJournal
	case "chain":
		return w.showChain
	}
	return func(args) error { return fmt.Errorf("no command %q", word) }
}

// run executes one command and returns what it printed.
func (w *world) run(line string) (string, error) {
	word, a := parseArgs(line)
	w.out.Reset()
	err := w.command(word)(a)
	return w.out.String(), err
}

// setup builds the chain: judges=4 rounds=3 min=3 undecided=3.
func (w *world) setup(a args) error {
	law := DefaultLaw()
	law.Rules.MinSeats = uint8(a.pair("min", 3))
	law.Rules.MaxRounds = uint8(a.pair("rounds", 3))
	*w = world{
		start: genesis, stopAt: -1, sealed: make(map[voting.Hash]voting.Opening),
		saved: make(map[string]State), looks: make(map[string]voting.Case),
		chain: Chain{Law: law, Domain: domain(0), Now: genesis, Slot: firstSlot},
	}
	for i := range a.pair("judges", 4) {
		key := nodeKey(0, i)
		w.keys = append(w.keys, key)
		w.chain.Join(w.judge(i), voting.Key(key.Public().(ed25519.PublicKey)), voting.Key{}, 2*law.MinStake)
		w.call(w.judge(i), fmt.Sprintf("j%d", i))
	}
	w.call(w.task(), "t")
	return nil
}

func (w *world) judge(i int) voting.Key { return name("judge", 0, uint64(i)) }
func (w *world) task() voting.Key       { return name("task", 0, 0) }

// call gives a readable name to a key or hash.
func (w *world) call(b [32]byte, as string) { w.names = append(w.names, fmt.Sprintf("%x", b[:4]), as) }

// rename replaces keys and hashes in an output by their names.
func (w *world) rename(s string) string {
	s = strings.NewReplacer(w.names...).Replace(s)
	return strings.ReplaceAll(s, " case=t", "")
}

// opening is what judge i thinks in a round if it thinks that.
func (w *world) openingOf(i int, round uint8, choice string) (voting.Opening, error) {
	c, err := voting.ParseChoice(choice)
	if err != nil {
		return voting.Opening{}, err
	}
	o := voting.Opening{
		Choice: c, Opinion: sha256.Sum256([]byte(choice)), Receipts: voting.ReceiptsRoot(nil),
		Salt: sha256.Sum256([]byte{byte(i), round}),
	}
	commitment := w.chain.Domain.Commitment(w.task(), round, w.judge(i), o)
	w.sealed[commitment] = o
	w.call(commitment, fmt.Sprintf("c(j%d,%d,%s)", i, round, choice))
	return o, nil
}

// round is the round that is running.
func (w *world) round() uint8 {
	if t := w.chain.Task(w.task()); t != nil {
		return t.Case.Round
	}
	return 1
}

// pass lets chain time go by.
func (w *world) pass(seconds int64) {
	w.chain.Now += seconds
	w.chain.Slot += uint64(seconds) * 1000 / slotMs
}

// step feeds the machine and executes its effects.
func (w *world) step(e voting.Event) error {
	if w.machine == nil {
		return fmt.Errorf("the node is down")
	}
	effects, err := w.machine.Step(e)
	for _, f := range effects {
		if w.stopAt == 0 {
			w.print("(crash)")
			w.machine, w.stopAt, w.pending = nil, -1, nil
			return err
		}
		w.stopAt = max(w.stopAt-1, -1)
		w.do(f)
	}
	return err
}

func (w *world) print(format string, v ...any) {
	fmt.Fprintf(&w.out, "%5ds ", w.chain.Now-w.start)
	fmt.Fprintf(&w.out, format+"\n", v...)
}

// do executes an effect.
func (w *world) do(f voting.Effect) {
	w.print("%s", f)
	switch f := f.(type) {
	case voting.Persist:
		w.journal = append(w.journal, f.Record)
	case voting.Submit:
		w.pending = append(w.pending, f)
	case voting.Forget:
		w.journal = slices.DeleteFunc(w.journal, func(r voting.Record) bool { return voting.Key(r.Key()[:32]) == f.Task })
	}
}
