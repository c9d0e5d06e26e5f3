package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/p2p/directory"
	"ojud/voting"
)

// memoryBlobs keeps content, and notes what is pinned.
type memoryBlobs struct {
	content map[voting.Hash][]byte
	pinned  []voting.Hash
	err     error // of Pin
}

func (b *memoryBlobs) Blob(hash voting.Hash) ([]byte, error) {
	if raw, ok := b.content[hash]; ok {
		return raw, nil
	}
	return nil, casefile.ErrNoBlob
}

func (b *memoryBlobs) Has(hash voting.Hash) bool { return b.content[hash] != nil }

func (b *memoryBlobs) Pinned(_ voting.Key, hash voting.Hash) bool { return b.Has(hash) }

func (b *memoryBlobs) KeepOwn(_ voting.Key, content []byte) (voting.Hash, error) {
	hash := casefile.HashOf(content)
	b.content[hash] = content
	return hash, nil
}

func (b *memoryBlobs) Pin(_ voting.Key, hashes ...voting.Hash) error {
	b.pinned = append(b.pinned, hashes...)
	return b.err
}

// nobody announces nothing.
type nobody struct{}

func (nobody) Judge(peer.ID) (directory.Judge, bool) { return directory.Judge{}, false }

// TestReader: a reader tells what the node follows, and says so if the node knows nothing of a case
// or if no panel was drawn yet.
func TestReader(t *testing.T) {
	cases := newTestCases(100)
	drawn := seatedCase(50, voting.Committing)
	drawn.Case.Seats[1].Flags = program.SeatCommitted
	drawn.Case.Committed = 1
	cases.See(drawn)
	waiting := seatedCase(51, voting.AwaitingDraw)
	waiting.Case.Seats = nil
	cases.See(waiting)
	j := openJournal(t, t.TempDir())
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	decisions, err := OpenDecisions(j.Rounds())
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(ReaderDeps{
		Judge: voting.Key{2}, Cases: cases, Decisions: decisions, Store: noEvents{}, Blobs: &memoryBlobs{}, Judges: nobody{},
		View: func() *voting.View { return nil },
	})
	s, err := r.Case(t.Context(), voting.Key{50})
	if err != nil || s.Status != voting.Committing.String() || s.Seat != 1 || s.Seats != 3 || s.Committed != 1 || s.Complete || s.Archived {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := r.Case(t.Context(), voting.Key{51}); err != nil || s.Seat != -1 || s.Seats != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if all := r.All(); len(all) != 2 {
		t.Errorf("%+v", all)
	}
	if _, err := r.Case(t.Context(), voting.Key{52}); !errors.Is(err, casefile.ErrNoCase) {
		t.Errorf("a case that nobody knows: %v", err)
	}
	if _, err := r.Panel(t.Context(), voting.Key{51}); !errors.Is(err, ErrNoPanel) {
		t.Errorf("a panel before the draw: %v", err)
	}
	if p, err := r.Panel(t.Context(), voting.Key{50}); err != nil || p.Cast || len(p.Seats) != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := r.Opinion(voting.Hash{9}); !errors.Is(err, casefile.ErrNoBlob) {
		t.Errorf("an opinion that is not here: %v", err)
	}
}

// keptData is a store whose first data of a round count.
type keptData map[uint8][]byte

func (k keptData) Data(_ voting.Key, round uint8) ([]byte, error) { return k[round], nil }

func (k keptData) PutData(_ voting.Key, round uint8, raw []byte) error {
	if k[round] == nil {
		k[round] = raw
	}
	return nil
}

// TestRoundData: the content of answers is pinned before the answers are kept, what was kept is
// loaded, and data that cannot be read are no answers.
func TestRoundData(t *testing.T) {
	store, content := keptData{}, &memoryBlobs{}
	d := NewRoundData(store, content)
	answers := []casefile.DataBody{{
		Request:  casefile.Digest{1},
		Receipts: []casefile.Receipt{{Response: casefile.Digest{2}, Terms: casefile.Digest{3}}},
	}}
	if err := d.Keep(voting.Key{1}, 1, nil); err != nil || len(store) != 0 {
		t.Errorf("no answers: %v, %d rounds", err, len(store))
	}
	content.err = errors.New("full")
	if err := d.Keep(voting.Key{1}, 1, answers); !errors.Is(err, content.err) || len(store) != 0 {
		t.Errorf("kept although the content was not pinned: %v", err)
	}
	content.err, content.pinned = nil, nil
	if err := d.Keep(voting.Key{1}, 1, answers); err != nil || !slices.Equal(content.pinned, []voting.Hash{{1}, {2}, {3}}) {
		t.Errorf("pinned %v, %v", content.pinned, err)
	}
	got, err := d.Load(voting.Key{1}, 1)
	want, bad := json.Marshal(answers)
	if have, worse := json.Marshal(got); err != nil || bad != nil || worse != nil || !bytes.Equal(have, want) {
		t.Errorf("%s, %v", have, err)
	}
	if len(Receipts(got)) != 1 {
		t.Errorf("%d receipts", len(Receipts(got)))
	}
	if got, err := d.Load(voting.Key{1}, 2); err != nil || got != nil {
		t.Errorf("a round without answers: %v, %v", got, err)
	}
	store[3] = []byte("{")
	if _, err := d.Load(voting.Key{1}, 3); err == nil {
		t.Error("damaged data were read")
	}
}

// TestKeeperStops: a keeper without cases ends with its context.
func TestKeeperStops(t *testing.T) {
	k := NewKeeper(NewWitness(WitnessDeps{Cases: newTestCases(100)}), nil, nil, nil, false, time.Time{}, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.Run(ctx); err != nil {
		t.Error(err)
	}
}
