package scenario

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"ojud/voting"
	"ojud/voting/votetest"
)

// world is the stage of a scenario: a chain, some judges of whom number 0 has the machine, and a
// journal.
type world struct {
	chain   votetest.Chain
	start   int64
	authors []votetest.Author
	machine *voting.Machine
	journal votetest.Journal
	pending []voting.Submit
	saved   map[string]votetest.State
	looks   map[string]voting.Case
	stopAt  int // effects until the planned crash; −1: none
	names   []string
	out     strings.Builder
}

// run executes one command and returns what it printed.
func (w *world) run(line string) (string, error) {
	word, a := parseArgs(line)
	w.out.Reset()
	do, ok := commands()[word]
	if !ok {
		return "", fmt.Errorf("no command %q", word)
	}
	err := do(w, a)
	return w.out.String(), err
}

// setup builds the chain: judges=4 rounds=3 min=3 panel=28 appeal=0.
func (w *world) setup(a args) error {
	law := votetest.DefaultLaw()
	law.Rules.MinSeats = uint8(a.pair("min", 3))
	law.Rules.MaxRounds = uint8(a.pair("rounds", 3))
	law.Rules.PanelSeats = uint8(a.pair("panel", voting.MaxSeats))
	law.Rules.AppealSeconds = uint32(a.pair("appeal", 0))
	law.Rules.Reversal = 20
	*w = world{
		start: votetest.Genesis, stopAt: -1, saved: make(map[string]votetest.State), looks: make(map[string]voting.Case),
		chain: votetest.Chain{Law: law, Domain: votetest.Domain(0), Now: votetest.Genesis, Slot: votetest.FirstSlot},
	}
	for i := range a.pair("judges", 4) {
		judge := votetest.NewAuthor(w.chain.Domain, votetest.Name("judge", 0, uint64(i)), votetest.NodeKey(0, i))
		w.authors = append(w.authors, judge)
		w.chain.Join(judge.Judge, judge.Peer, voting.Key{}, 2*law.MinStake)
		w.call(judge.Judge, fmt.Sprintf("j%d", i))
	}
	w.call(w.task(), "t")
	return w.chain.BeginSeason()
}

func (w *world) task() voting.Key { return votetest.Name("task", 0, 0) }

// call gives a readable name to a key or hash.
func (w *world) call(b [32]byte, as string) { w.names = append(w.names, fmt.Sprintf("%x", b[:4]), as) }

// rename replaces keys and hashes in an output by their names.
func (w *world) rename(s string) string {
	s = strings.NewReplacer(w.names...).Replace(s)
	return strings.ReplaceAll(s, " case=t", "")
}

// openingOf is the opening of judge i in a round if that is its choice.
func (w *world) openingOf(i int, round uint8, choice string) (voting.Opening, error) {
	c, err := voting.ParseChoice(choice)
	if err != nil {
		return voting.Opening{}, err
	}
	o := voting.Opening{
		Choice: c, Opinion: sha256.Sum256([]byte(choice)), Receipts: voting.ReceiptsRoot(nil),
		Salt: sha256.Sum256([]byte{byte(i), round}),
	}
	commitment := w.chain.Seal(w.task(), round, w.authors[i].Judge, o)
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
	w.chain.Slot += uint64(seconds) * 1000 / votetest.SlotMs
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
		w.journal.Forget(f.Task)
	}
}
