package evidence

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/datasource/exchange"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/voting"
)

// receipt returns a receipt for the seat of a node in round 1 of case 50. Its answer is content,
// and its terms are "terms".
func receipt(t *testing.T, node byte, content string) casefile.Receipt {
	t.Helper()
	r, err := casefile.Receipt{
		Case: casefile.Address{50}, Round: 1, Judge: casefile.Address{node + 100}, Asker: casefile.DID{node}, Source: "a", At: 1, FetchedAt: 1,
		Response: casefile.Digest(casefile.HashOf([]byte(content))), Terms: casefile.Digest(casefile.HashOf([]byte("terms"))),
	}.Sign(casetest.NodeKey("holder"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestShare: only judges of the live round are told, and a question has one spelling.
func TestShare(t *testing.T) {
	follows := court{cases: map[voting.Key]voting.Case{
		{50}: {Status: voting.Committing, Round: 1, Seats: seats(1, 2)}, {51}: {Status: voting.Decided, Round: 1, Seats: seats(1, 2)},
	}}
	lent := func(q exchange.Question) []casefile.Receipt {
		if q.Source != "a" {
			return nil
		}
		return []casefile.Receipt{receipt(t, 1, "answer")}
	}
	s := newSharing(&wire{}, follows, newLibrary(), newLibrary(), lent, time.Second, work.NewGroup(), quiet())
	question := func(task, round byte, source string) string {
		raw, err := network.Encode(sharedQuestion{Case: casefile.Address{task}, Round: round, Source: source}, maxSharedQuestion)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, c := range map[string]struct {
		from     peer.ID
		raw      string
		receipts int
		problem  string
	}{
		"a judge of the round":        {id(t, 2), question(50, 1, "a"), 1, ""},
		"nothing to share":            {id(t, 2), question(50, 1, "b"), 0, ""},
		"another round":               {id(t, 2), question(50, 2, "a"), 0, "only judges of the live round"},
		"a case that is over":         {id(t, 2), question(51, 1, "a"), 0, "only judges of the live round"},
		"another case":                {id(t, 2), question(60, 1, "a"), 0, "only judges of the live round"},
		"a stranger":                  {id(t, 9), question(50, 1, "a"), 0, "only judges of the live round"},
		"a peer without such a key":   {"no key", question(50, 1, "a"), 0, "Ed25519"},
		"a second spelling":           {id(t, 2), " " + question(50, 1, "a"), 0, "canonical JSON"},
		"not JSON":                    {id(t, 2), "?", 0, "canonical JSON"},
		"a question that is too long": {id(t, 2), question(50, 1, "a") + strings.Repeat(" ", maxSharedQuestion), 0, "canonical JSON"},
	} {
		raw, err := s.answer(t.Context(), c.from, []byte(c.raw))
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: %v, want %q", name, err, c.problem)
			}
			continue
		}
		var out sharedAnswer
		if err != nil || network.Decode(raw, maxSharedAnswer, &out) != nil || len(out.Receipts) != c.receipts {
			t.Errorf("%s: %s, %v, want %d receipts", name, raw, err, c.receipts)
		}
	}
}

// TestTakeShared: a judge's receipt is taken only if it is for that judge's own seat and its
// content is to be had. A peer that sends no list of receipts is penalised.
func TestTakeShared(t *testing.T) {
	follows := court{cases: map[voting.Key]voting.Case{{50}: {Status: voting.Committing, Round: 1, Seats: seats(1)}}}
	answer := func(receipts ...casefile.Receipt) []byte {
		raw, err := network.Encode(sharedAnswer{receipts}, 2*maxSharedAnswer)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	own, others, lost := receipt(t, 1, "answer"), receipt(t, 2, "answer"), receipt(t, 1, "lost")
	for name, c := range map[string]struct {
		answer  []byte
		taken   int
		penalty bool
	}{
		"its own":                  {answer(own), 1, false},
		"none":                     {answer(), 0, false}, // null instead of a list
		"an empty list":            {[]byte(`{"receipts":[]}`), 0, false},
		"another seat's":           {answer(others), 0, false},
		"another seat's after its": {answer(own, others), 1, false},
		"its own after another's":  {answer(others, own), 0, false},
		"content that no peer has": {answer(lost), 0, false},
		"as many as it may":        {answer(own, own, own, own), maxShared, false},
		"too many":                 {answer(own, own, own, own, own), 0, true},
		"not JSON":                 {[]byte("?"), 0, true},
		"an unknown field":         {[]byte(`{"more":1,"receipts":[]}`), 0, true},
	} {
		w, group := &wire{answer: func(peer.ID, []byte) ([]byte, error) { return c.answer, nil }}, work.NewGroup()
		s := newSharing(w, follows, newLibrary([]byte("answer")), newLibrary([]byte("terms")), nil, time.Second, group, quiet())
		var taken []exchange.Shared
		for got := range s.Shared(t.Context(), exchange.Question{Case: casefile.Address{50}, Round: 1, Source: "a"}, true) {
			taken = append(taken, got)
		}
		group.Wait()
		if len(taken) != c.taken || (w.penalties[id(t, 1)] == "shared") != c.penalty {
			t.Errorf("%s: %d taken, want %d; penalties %v, want one: %t", name, len(taken), c.taken, w.penalties, c.penalty)
		}
		for _, got := range taken {
			if got.From != (casefile.DID{1}) || string(got.Content) != "answer" || string(got.Terms) != "terms" {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// TestFewSeats: before holders are asked, few seats are; then every seat is, each once. A seat that
// does not answer stops no other.
func TestFewSeats(t *testing.T) {
	nodes := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	follows := court{cases: map[voting.Key]voting.Case{{50}: {Status: voting.Committing, Round: 1, Seats: seats(nodes...)}}}
	for every, want := range map[bool]int{false: fewSeats, true: len(nodes)} {
		w, group := &wire{answer: func(peer.ID, []byte) ([]byte, error) { return nil, errDown }}, work.NewGroup()
		s := newSharing(w, follows, newLibrary(), newLibrary(), nil, time.Second, group, quiet())
		for range s.Shared(t.Context(), exchange.Question{Case: casefile.Address{50}, Round: 1}, every) {
			t.Error("something was shared")
		}
		group.Wait()
		slices.Sort(w.asked)
		if len(w.asked) != want || len(slices.Compact(w.asked)) != want {
			t.Errorf("every %t: %d seats were asked, want %d", every, len(w.asked), want)
		}
	}
}
