package record

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/voting"
	"ojud/voting/rules"
)

// past is a chain with one set of rules, and with these final transactions.
type past struct {
	oneTask
	rules  program.Rules
	events []program.Event
}

func (p past) Rules(context.Context, uint32) (*program.Rules, error) { return &p.rules, nil }

func (p past) History(context.Context, voting.Key) ([]ledger.Occurred, error) {
	return []ledger.Occurred{{Slot: 12, Events: p.events, Complete: true}}, nil
}

// fetched are the contents that peers have.
type fetched struct {
	content map[voting.Hash][]byte
	into    *memoryBlobs
}

func (f fetched) FetchFor(_ context.Context, _ voting.Key, hash voting.Hash, most int, _ []peer.ID) ([]byte, error) {
	raw, ok := f.content[hash]
	if !ok {
		return nil, casefile.ErrNoBlob
	}
	if len(raw) <= most {
		f.into.content[hash] = raw
	}
	return raw, nil
}
func (fetched) Follow(voting.Key, *program.Task)            {}
func (fetched) GatherDocuments(context.Context, voting.Key) {}

// badDisk is a disk that does not read what it has.
type badDisk struct{ *memoryBlobs }

var errUnread = errors.New("the disk does not read")

func (badDisk) Blob(voting.Hash) ([]byte, error) { return nil, errUnread }

// witness is that of judge 1, which sits in the case of task 50 in a court with so many judges. The
// chain shows the draw of round 1.
func witness(t *testing.T, judges int) (*Witness, *caseRecord, *memoryBlobs) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	roster := &program.Roster{SeasonSlot: 1}
	for i := range judges {
		e := program.RosterEntry{State: program.EntryActive, Owned: program.OwnWeight, Stake: 9, Weight: uint64(i%3 + 5)}
		binary.LittleEndian.PutUint16(e.Authority[:], uint16(i)+1)
		binary.LittleEndian.PutUint16(e.Peer[:], uint16(i)+1)
		roster.Entries = append(roster.Entries, e)
	}
	look := seatedCase(50, voting.Committing)
	look.Case.Rules = voting.Rules{MaxRounds: 1, PanelSeats: 28, MinSeats: 7}
	chain := past{rules: program.Rules{Params: program.Params{MinStake: 1, MaxSeatWeight: 100}}}
	drawn := &program.Drawn{Task: look.ID, Round: 1, Slot: 10}
	lot := rules.Lot{Task: voting.Key(look.ID), Round: 1, DrawnSlot: drawn.Slot}
	law := rules.LawOf(voting.Rules{}).Staked(1, 100)
	all, err := rules.Eligible(roster.Candidates(8), voting.Parties{}, law)
	if err != nil {
		t.Fatal(err)
	}
	seats, err := rules.Draw(lot.Seed(), all, 28, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seats {
		drawn.Seats = append(drawn.Seats, program.SeatDrawn{Index: s.Index, Weight: s.Weight})
	}
	chain.events = []program.Event{&program.CaseOpened{Task: look.ID, Round: 1, SeedSlot: 8}, drawn}
	cases := newTestCases(100)
	cases.See(look)
	c := cases.find(voting.Key(look.ID))
	c.log.Seat(1, voting.Key(key.Public().(ed25519.PublicKey)), voting.Key{1})
	known := &network.Roster{}
	known.Learn(9, roster)
	blobs := &memoryBlobs{content: map[voting.Hash][]byte{}}
	w := NewWitness(WitnessDeps{
		Judge: voting.Key{1}, Key: key, Cases: cases, Chain: chain, Roster: known, Content: fetched{nil, blobs}, Blobs: blobs,
		Clock: func() int64 { return 100 }, Log: slog.New(slog.DiscardHandler),
	})
	return w, c, blobs
}

// drawOf returns the facts of the draw that the witness named.
func drawOf(t *testing.T, c *caseRecord, blobs *memoryBlobs) (casefile.Event, casefile.DrawFact) {
	t.Helper()
	for _, e := range c.log.Events() {
		if e.Kind == casefile.KindDraw {
			doc, err := casefile.ReadFact[casefile.DrawFact](casefile.KindDraw, blobs.content[voting.Hash(e.Names()[0])])
			if err != nil {
				t.Fatal(err)
			}
			return e, doc.Value
		}
	}
	t.Fatal("the draw is not named")
	return casefile.Event{}, casefile.DrawFact{}
}

// TestLargeDraw: a seat of the largest court testifies the draw. A seat that saw no Roster takes
// the facts of the other, with their lists, and a node that collects the file fetches the lists.
// An error of its disk ends the turn, so that the lists are not forgotten.
func TestLargeDraw(t *testing.T) {
	w, c, blobs := witness(t, voting.MaxJudges)
	w.d.Cases.Testify(voting.Testify{Kind: voting.TestifyDraw, Task: c.task, Round: 1})
	if err := w.testifyAll(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	event, d := drawOf(t, c, blobs)
	get := func(hash casefile.Digest) ([]byte, error) { return blobs.Blob(voting.Hash(hash)) }
	if all, err := candidates.Of(d, get); err != nil || len(all) != voting.MaxJudges {
		t.Fatal(len(all), err)
	}
	h, err := w.history(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	other, _, empty := witness(t, 40)
	other.d.Content = fetched{blobs.content, empty}
	got, err := other.adoptDraw(t.Context(), c, h, 1)
	if err != nil || casefile.Digest(got.hash) != event.Names()[0] || len(got.lists) != casefile.MaxLists {
		t.Error(len(got.lists), err)
	}
	clear(empty.content)
	k := newCollector(fetched{blobs.content, empty}, badDisk{empty}, w.d.Log)
	c.need = newNeeds()
	if err := k.collect(t.Context(), c); !errors.Is(err, errUnread) {
		t.Error("the disk failed, and the turn does not say so: ", err)
	}
	k.blobs, c.need = empty, newNeeds() // as after the restart that follows
	if err := k.collect(t.Context(), c); err != nil || len(empty.content) != 1+casefile.MaxLists {
		t.Error(len(empty.content), err)
	}
}

// TestOneStatementHoldsNoOtherBack: a statement that cannot be made now is tried again, and the
// others are made.
func TestOneStatementHoldsNoOtherBack(t *testing.T) {
	w, c, blobs := witness(t, 40)
	w.d.Cases.Testify(voting.Testify{Kind: voting.TestifyOpen, Task: c.task})
	w.d.Cases.Testify(voting.Testify{Kind: voting.TestifyDraw, Task: c.task, Round: 1})
	w.d.Cases.Testify(voting.Testify{Kind: voting.TestifySettle, Task: c.task, Round: 1})
	w.d.Cases.Testify(voting.Testify{Kind: voting.TestifyOpinion, Task: c.task, Round: 1, Opinion: voting.Hash{7}})
	for range 2 { // the second time changes nothing
		if err := w.testifyAll(t.Context(), c); !errors.Is(err, errLater) || !errors.Is(err, errNotYet) {
			t.Fatal(err)
		}
		drawOf(t, c, blobs)
		if n := len(c.log.Events()); n != 2 {
			t.Errorf("%d events", n)
		}
		if !slices.EqualFunc(c.todo, []voting.Testimony{voting.TestifyOpen, voting.TestifySettle}, func(e voting.Testify, k voting.Testimony) bool { return e.Kind == k }) {
			t.Errorf("%v is left", c.todo)
		}
	}
}
