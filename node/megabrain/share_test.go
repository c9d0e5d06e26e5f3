package megabrain

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/library"
)

// shelf is a memory node that may be down.
type shelf struct {
	kept map[[32]byte][]byte
	puts int
	down bool
}

func (s *shelf) Get(_ context.Context, hash [32]byte) ([]byte, error) {
	if content, ok := s.kept[hash]; ok && !s.down {
		return content, nil
	}
	return nil, errors.New("not here")
}

func (s *shelf) Put(_ context.Context, content []byte) error {
	if s.puts++; s.down {
		return errors.New("it is down")
	}
	s.kept[sha256.Sum256(content)] = content
	return nil
}

// TestAttackResultNotGiven: a worker's reveal landed, and the memory node was down, or the machine
// crashed before it gave the result. Nothing gave it again, so that an evaluator could take it for
// no effort.
func TestAttackResultNotGiven(t *testing.T) {
	for _, status := range []brain.Stage{brain.Working, brain.Revealing, brain.Evaluating, brain.Posted, brain.Disputed, brain.Ready, brain.Settled} {
		synctest.Test(t, func(t *testing.T) {
			node, published := &shelf{kept: map[[32]byte][]byte{}, down: true}, map[[32]byte]int{}
			d := &Desk{self: onchain.Address{1}, store: Folder{Dir: t.TempDir(), Archives: []Archive{node}}, publish: func(_ context.Context, at onchain.Address, docs ...library.Document) ([]library.Publication, error) {
				for _, doc := range docs {
					published[doc.Hash]++
				}
				if at != (onchain.Address{9}) {
					t.Errorf("shown to the dispute %s", at)
				}
				return nil, nil
			}}
			hash, err := d.store.Keep([]byte(`{"year":1931}`))
			if err != nil {
				t.Fatal(err)
			}
			k := &brain.TaskAccount{Status: status, Counts: brain.Counts{Drawn: 2}, Dispute: onchain.Address{9}}
			k.Work[0] = brain.WorkSeat{Agent: d.self, State: seatRevealed, ResultHash: hash}
			k.Work[1] = brain.WorkSeat{Agent: onchain.Address{2}, State: seatRevealed, ResultHash: [32]byte{5}}
			next := map[share]time.Time{}
			look := func() error {
				_, err := d.shareOf(t.Context(), Seen{At: onchain.Address{3}, Task: k}, next)
				return err
			}
			needed := status >= brain.Revealing && status <= brain.Disputed
			if err := look(); (err != nil) != needed || needed && !strings.Contains(err.Error(), "it is down") {
				t.Errorf("%s, down: %v", status, err)
			}
			node.down = false
			for range 3 {
				if err := look(); err != nil {
					t.Errorf("%s: %v", status, err)
				}
				time.Sleep(shareAgain + time.Second)
			}
			if given := node.kept[hash] != nil; given != needed || needed && node.puts != 2 {
				t.Errorf("%s: given %t in %d attempts", status, given, node.puts)
			}
			// A task with further workers takes longer than a node promises to keep a result.
			time.Sleep(giveAgain)
			if err := look(); err != nil || needed && node.puts != 3 {
				t.Errorf("%s: %v, given %d times", status, err, node.puts)
			}
			if shown := published[hash]; (shown == 1) != (status == brain.Disputed) || shown > 1 || published[[32]byte{5}] > 0 {
				t.Errorf("%s: shown to the court %d times", status, shown)
			}
		})
	}
}

// TestTestify: an evaluator shows the court what it has of all workers, and leaves out what is
// missing or too large; a stranger shows nothing.
func TestTestify(t *testing.T) {
	node := &shelf{kept: map[[32]byte][]byte{}}
	var shown []string
	d := &Desk{self: onchain.Address{7}, store: Folder{Dir: t.TempDir(), Archives: []Archive{node}}, publish: func(_ context.Context, _ onchain.Address, docs ...library.Document) ([]library.Publication, error) {
		for _, doc := range docs {
			shown = append(shown, string(doc.Content))
		}
		return nil, nil
	}}
	k := &brain.TaskAccount{Status: brain.Disputed, Counts: brain.Counts{Drawn: 5, Seated: 1}, Dispute: onchain.Address{9}}
	for i, content := range []string{"one", "two", strings.Repeat("x", finding.MaxResult+1), strings.Repeat("y", MaxKept+1)} {
		hash := sha256.Sum256([]byte(content))
		node.kept[hash] = []byte(content)
		k.Work[i] = brain.WorkSeat{Agent: onchain.Address{byte(i + 1)}, State: seatRevealed, ResultHash: hash}
	}
	k.Work[4] = brain.WorkSeat{Agent: onchain.Address{5}, State: seatRevealed, ResultHash: [32]byte{5}}
	hash, err := d.store.Keep([]byte("scores"))
	if err != nil {
		t.Fatal(err)
	}
	k.Judges[0] = brain.Evaluator{Agent: d.self, State: seatRevealed, EvaluationHash: hash}
	s := Seen{At: onchain.Address{3}, Task: k}
	did, err := d.shareOf(t.Context(), s, map[share]time.Time{})
	if err != nil || did == "" || len(shown) != 4 || shown[3] != "scores" || !strings.HasPrefix(shown[0], "megabrain:dispute") || shown[1] != "one" || shown[2] != "two" || node.kept[hash] == nil {
		t.Errorf("%q, %d documents, %v", did, len(shown), err)
	}
	d.self, shown = onchain.Address{8}, nil
	if did, err := d.shareOf(t.Context(), s, map[share]time.Time{}); did != "" || err != nil || shown != nil {
		t.Errorf("a stranger: %q, %v", did, err)
	}
	if _, err := d.store.Get(t.Context(), k.Work[3].ResultHash); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a result of %d bytes: %v", MaxKept+1, err)
	}
}
