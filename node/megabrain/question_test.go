package megabrain

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
)

// oneClass is a chain that has one class.
type oneClass struct {
	client.Reads
	data []byte
}

func classWith(t *testing.T, id [32]byte) oneClass {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, struct {
		Kind    [8]byte
		Head    [2]uint8
		Count   uint16
		Pad     [4]byte
		Creator onchain.Address
		ID      [32]byte
		P       brain.Parameters
		Near    [brain.MaxNear]onchain.Address
	}{Kind: brain.Kind("Class"), Head: [2]uint8{brain.Version, 255}, ID: id, P: brain.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	return oneClass{data: data}
}

func (c oneClass) Accounts(_ context.Context, all ...onchain.Address) (out []*ledger.Account, slot uint64, err error) {
	for range all {
		out = append(out, &ledger.Account{Owner: brain.Devnet().ID(), Data: c.data})
	}
	return out, 1, nil
}

// asking is a desk that reads a task whose question stands on a memory node.
func asking(t *testing.T, text string) (d *Desk, s Seen, node *shelf, asked *int) {
	t.Helper()
	document := []byte(`{"about":"","meaning":["/a"],"memory":["http://one"],"name":"x"}`)
	c := &brain.ClassAccount{ID: sha256.Sum256(document)}
	node = &shelf{kept: map[[32]byte][]byte{c.ID: document, sha256.Sum256([]byte(text)): []byte(text)}}
	told := brain.Told{There: true, Description: finding.Reference([]byte(text)), Metadata: []byte("http://one")}
	asked = new(int)
	d = &Desk{self: onchain.Address{1}, prog: brain.Devnet(), office: client.Office{Reads: classWith(t, c.ID)}, store: Folder{Dir: t.TempDir()}, nodes: &nodes{
		reach: shelves{"http://one": node}.reach,
		made: func(context.Context, onchain.Address, *brain.TaskAccount) (brain.Told, error) {
			*asked++
			return told, nil
		},
		known: map[[32]byte][]string{c.ID: {"http://one"}},
	}}
	k := &brain.TaskAccount{Terms: brain.TermsHash(told.Description, told.Metadata), Counts: brain.Counts{Drawn: 1}, Status: brain.Working}
	k.Work[0].Agent = d.self
	return d, Seen{At: onchain.Address{7}, Task: k}, node, asked
}

// TestLongQuestion: a question on memory nodes is read by its hash. Whoever has a seat keeps it and
// the transaction of the task, so that an appeal needs neither an RPC node nor a memory node.
func TestLongQuestion(t *testing.T) {
	text := strings.Repeat("When did the bridge open? ", 1_000)
	d, s, node, asked := asking(t, text)
	for range 2 {
		if got, there, err := d.Question(t.Context(), s.At, s.Task); got != text || !there || err != nil || *asked != 1 {
			t.Fatalf("%.60q, %v, %v, after %d transactions", got, there, err, *asked)
		}
	}
	node.down = true
	told, err := termsOf(t.Context(), d, s.At, s.Task)
	if raw, _, failed := questionOf(t.Context(), d, s, told); err != nil || failed != nil || string(raw) != text || *asked != 1 {
		t.Errorf("an appeal shows %.60q, %v, %v", raw, err, failed)
	}
	node.down = false
	delete(node.kept, sha256.Sum256([]byte(text)))
	if err := keepQuestion(t.Context(), d, s); err != nil || node.kept[sha256.Sum256([]byte(text))] == nil {
		t.Errorf("it was not given again: %v", err)
	}

	if err := os.WriteFile(d.store.termsFile(s.Task.Terms), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it is asked for once more, and kept again
		if got, there, err := d.Question(t.Context(), s.At, s.Task); got != text || !there || err != nil || *asked != 2 {
			t.Errorf("damaged: %.60q, %v, %v, after %d transactions", got, there, err, *asked)
		}
	}

	d, s, _, asked = asking(t, text)
	s.Task.Work[0].Agent = onchain.Address{2} // a stranger keeps no question of others
	for range 2 {
		if _, _, err := d.Question(t.Context(), s.At, s.Task); err != nil {
			t.Error(err)
		}
	}
	if *asked != 2 {
		t.Errorf("a stranger asked for %d transactions", *asked)
	}
}

// TestAttackQuestionWithheld: a requester gives the text of its question to nobody, or one that
// nobody can read. Who was drawn has the description, and is told whether the text may come yet.
func TestAttackQuestionWithheld(t *testing.T) {
	d, s, node, _ := asking(t, "When?")
	node.kept[sha256.Sum256([]byte("When?"))] = []byte("Who?") // the node lies
	text, there, err := d.Question(t.Context(), s.At, s.Task)
	if !errors.Is(err, ErrElsewhere) || !there || !strings.HasPrefix(text, "sha256:") {
		t.Errorf("withheld: %q, %v, %v", text, there, err)
	}
	if err := keepQuestion(t.Context(), d, s); err != nil {
		t.Errorf("what nobody has is not given, and that is no fault: %v", err)
	}
	for _, bad := range []string{"no text\xff", strings.Repeat("long", finding.MaxQuestion), strings.Repeat("longer", MaxKept)} {
		d, s, node, _ := asking(t, bad)
		text, there, err := d.Question(t.Context(), s.At, s.Task)
		if err != nil || !there || !strings.HasPrefix(text, "sha256:") {
			t.Errorf("%.8q: %.80q, %v, %v", bad, text, there, err)
		}
		if err := keepQuestion(t.Context(), d, s); err != nil || node.puts != 0 {
			t.Errorf("%.8q was given %d times, %v", bad, node.puts, err)
		}
	}
}

// TestAttackGoldenQuestion: a golden task is not opened if judges would not find its question, or
// cannot read it: its creator would lose each appeal.
func TestAttackGoldenQuestion(t *testing.T) {
	d, s, node, _ := asking(t, "When?")
	s.Task.Work[0].Agent, s.Task.Appeal.Worker = onchain.Address{2}, 1 // the creator has no seat
	if err := shown(t.Context(), d, s); err != nil || node.puts != 1 {
		t.Errorf("a question that is there: given %d times, %v", node.puts, err)
	}
	d.nodes.made = func(context.Context, onchain.Address, *brain.TaskAccount) (told brain.Told, err error) {
		return told, nil
	}
	told, err := termsOf(t.Context(), d, s.At, s.Task) // no RPC node has the transaction any more
	if _, exhibits, failed := reply(t.Context(), d, s, told, ""); err != nil || failed != nil || len(exhibits) != 1 {
		t.Errorf("the creator cannot answer an appeal: %v, %v", err, failed)
	}
	d.store = Folder{Dir: t.TempDir()}
	d.nodes.made = func(context.Context, onchain.Address, *brain.TaskAccount) (told brain.Told, err error) {
		return told, nil
	}
	if err := shown(t.Context(), d, s); err == nil || !strings.Contains(err.Error(), "does not give the task's transaction") {
		t.Errorf("no transaction: %v", err)
	}
	s.Task.Marks.Opened = brain.Shown
	if err := shown(t.Context(), d, s); err != nil {
		t.Errorf("it was opened before: %v", err)
	}
	for bad, want := range map[string]string{"no text\xff": "would be won", strings.Repeat("longer", MaxKept): "too long to be read"} {
		d, s, node, _ := asking(t, bad)
		if err := shown(t.Context(), d, s); err == nil || !strings.Contains(err.Error(), want) || node.puts != 0 {
			t.Errorf("%.8q: %v", bad, err)
		}
	}
	d, s, node, _ = asking(t, "When?")
	delete(node.kept, sha256.Sum256([]byte("When?")))
	if err := shown(t.Context(), d, s); !errors.Is(err, ErrElsewhere) {
		t.Errorf("nobody has it: %v", err)
	}
}

// TestReply: the answer to an appeal names the question that stands on memory nodes, and comes with
// it. A person's reason takes the place of the one that says what was opened.
func TestReply(t *testing.T) {
	d, s, node, _ := asking(t, "When?")
	s.Task.Status, s.Task.Marks.Opened, s.Task.Appeal.Worker = brain.Settled, brain.Appealed, 1
	told, err := termsOf(t.Context(), d, s.At, s.Task)
	if err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[string]string{"": "The result of worker 1 was opened as wrong", "See the plaque.": "See the plaque."} {
		answer, exhibits, err := reply(t.Context(), d, s, told, reason)
		if err != nil || len(exhibits) != 1 || string(exhibits[0].Content) != "When?" || !strings.Contains(string(answer.Content), want) || !strings.Contains(string(answer.Content), exhibits[0].Hash.String()) {
			t.Errorf("%q: %s with %d exhibits, %v", reason, answer.Content, len(exhibits), err)
		}
	}
	if answer, exhibits, err := reply(t.Context(), d, s, brain.Told{There: true, Description: "When?"}, ""); err != nil || len(exhibits) > 0 || strings.Contains(string(answer.Content), "sha256") {
		t.Errorf("a short question: %s with %d exhibits, %v", answer.Content, len(exhibits), err)
	}
	if _, _, err := reply(t.Context(), d, s, brain.Told{}, ""); err == nil || !strings.Contains(err.Error(), "does not give the task's transaction") {
		t.Errorf("no transaction: %v", err)
	}
	d.store, node.down = Folder{Dir: t.TempDir()}, true
	if _, _, err := reply(t.Context(), d, s, told, ""); !errors.Is(err, ErrElsewhere) {
		t.Errorf("nobody has it: %v", err)
	}
}
