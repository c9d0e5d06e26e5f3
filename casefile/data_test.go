package casefile_test

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// answer is the receipt that a test's holder signs for a judge.
func answer(t testing.TB, w *casetest.World, asker casetest.Judge, holder ed25519.PrivateKey, change func(*casefile.Receipt)) casefile.Receipt {
	t.Helper()
	r := casefile.Receipt{
		Network: casefile.Digest(w.Domain.Network), Program: casefile.Address(w.Domain.Program), Case: casefile.Address(w.Task), Round: 1,
		Judge: casefile.Address(asker.Authority), Asker: casefile.DID(asker.Peer()), Source: "site.post", Access: []string{"text"},
		Request: casefile.Digest{1}, Response: casefile.Digest{2}, Terms: casefile.Digest{3}, Price: 5, FetchedAt: 7, At: 8,
	}
	if change != nil {
		change(&r)
	}
	signed, err := r.Sign(holder)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func asked(receipts ...casefile.Receipt) casefile.DataBody {
	return casefile.DataBody{
		Round: 1, Source: "site.post", Request: casefile.Digest{1}, Receipts: append([]casefile.Receipt{}, receipts...), Failures: []casefile.Failure{},
	}
}

// standing is data with what the judge says of holders.
func standing(r casefile.Receipt, said ...casefile.HolderStanding) casefile.DataBody {
	b := asked(r)
	b.Standings = said
	return b
}

// ballot is a vote that rests on receipts.
func ballot(t testing.TB, w *casetest.World, j casetest.Judge, accessed []casefile.Access, receipts ...casefile.Receipt) casefile.VoteBody {
	t.Helper()
	root, err := casefile.Receipts(receipts)
	if err != nil {
		t.Fatal(err)
	}
	if accessed == nil {
		if accessed, err = casefile.Accesses(receipts, casefile.DID(j.Peer())); err != nil {
			t.Fatal(err)
		}
	}
	v, err := casefile.NewVote(w.Domain, j.Key, casefile.Ballot{
		Task: w.Task, Round: 1, Judge: j.Authority, Model: "m", DataAccessed: accessed,
		Opening: voting.Opening{Choice: voting.Accept, Opinion: voting.Hash{1}, Receipts: root, Salt: voting.Hash{2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return casefile.VoteBody{Round: 1, Vote: v.Value}
}

// besides makes a receipt one for which no case was named.
func besides(r *casefile.Receipt) { r.Case, r.Round = casefile.Address{}, 0 }

// TestDataRefused: no reader takes receipts that are forged, replayed or somebody else's.
func TestDataRefused(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	j, holder, third := w.Judges[0], w.Judges[1], w.Judges[2]
	good := answer(t, w, j, holder.Key, nil)
	forged := good
	forged.Response[0]++
	many := make([]casefile.Receipt, 9)
	for i := range many {
		many[i] = good
	}
	for _, c := range []struct {
		name  string
		actor casetest.Judge
		kind  casefile.Kind
		body  any
		class error
	}{
		{"forged", j, casefile.KindData, asked(forged), casefile.ErrSignature},
		{"paid for by another judge", third, casefile.KindData, asked(good), casefile.ErrContradicts},
		{"of another judge's seat", j, casefile.KindData, asked(answer(t, w, j, holder.Key, func(r *casefile.Receipt) { r.Judge = casefile.Address(third.Authority) })), casefile.ErrContradicts},
		{"of another case", j, casefile.KindData, asked(answer(t, w, j, holder.Key, func(r *casefile.Receipt) { r.Case[0]++ })), casefile.ErrContradicts},
		{"of another network", j, casefile.KindData, asked(answer(t, w, j, holder.Key, func(r *casefile.Receipt) { r.Network[0]++ })), casefile.ErrOtherCase},
		{"of another round", j, casefile.KindData, asked(answer(t, w, j, holder.Key, func(r *casefile.Receipt) { r.Round = 2 })), nil},
		{"of another source", j, casefile.KindData, asked(answer(t, w, j, holder.Key, func(r *casefile.Receipt) { r.Source = "x" })), nil},
		{"of another request", j, casefile.KindData, asked(answer(t, w, j, holder.Key, func(r *casefile.Receipt) { r.Request[0]++ })), nil},
		{"too many", j, casefile.KindData, asked(many...), nil},
		{"a standing too many", j, casefile.KindData, standing(good, casefile.StakedHolder, casefile.Stranger), nil},
		{"an unknown standing", j, casefile.KindData, standing(good, "friend"), nil},
		{"round without a seat", j, casefile.KindData, casefile.DataBody{Round: 2, Source: "a", Receipts: []casefile.Receipt{}, Failures: []casefile.Failure{}}, casefile.ErrStranger},
		{"a failure without a reason", j, casefile.KindData, casefile.DataBody{Round: 1, Source: "a", Receipts: []casefile.Receipt{}, Failures: []casefile.Failure{{}}}, nil},
		{"asked besides any case", j, casefile.KindData, asked(answer(t, w, j, holder.Key, besides)), nil},
		{"answered besides any case", holder, casefile.KindReceipt, casefile.ReceiptBody{Receipt: answer(t, w, j, holder.Key, besides)}, nil},
		{"answered by somebody else", third, casefile.KindReceipt, casefile.ReceiptBody{Receipt: good}, casefile.ErrContradicts},
		{"answered to a stranger", holder, casefile.KindReceipt, casefile.ReceiptBody{Receipt: answer(t, w, casetest.Judge{Key: casetest.NodeKey("x")}, holder.Key, nil)}, casefile.ErrStranger},
		{"answered and forged", holder, casefile.KindReceipt, casefile.ReceiptBody{Receipt: forged}, casefile.ErrSignature},
		{"a vote that names a receipt that is not shown", j, casefile.KindVote, ballot(t, w, j, nil, good), casefile.ErrContradicts},
	} {
		if _, err := emptyLog(w, &casetest.Memory{}).Append(c.actor.Key, c.kind, c.body, 1); err == nil || c.class != nil && !errors.Is(err, c.class) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, at := range []int64{0, -1} {
		early, field := good, (*casefile.FieldError)(nil)
		early.FetchedAt = at
		if _, err := emptyLog(w, &casetest.Memory{}).Append(j.Key, casefile.KindData, asked(early), 1); !errors.As(err, &field) || field.Field != "body.receipts[0].fetched_at" {
			t.Errorf("fetched at %d: %v", at, err)
		}
	}
	stranger := answer(t, w, casetest.Judge{Key: casetest.NodeKey("x"), Authority: j.Authority}, holder.Key, func(r *casefile.Receipt) { r.Price = 0 })
	if _, err := emptyLog(w, &casetest.Memory{}).Append(j.Key, casefile.KindData, asked(stranger), 1); !errors.Is(err, casefile.ErrContradicts) {
		t.Errorf("shared by who does not sit in the round: %v", err)
	}
	if _, err := emptyLog(w, &casetest.Memory{}).Append(j.Key, casefile.KindData, asked(good), 1); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

// TestVoteAndData: a vote names all of what its judge was answered, and nothing else, and nothing
// is asked after it.
func TestVoteAndData(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	j := w.Judges[0]
	theirs, own := answer(t, w, j, w.Judges[1].Key, nil), answer(t, w, j, j.Key, nil)
	for _, c := range []struct {
		name string
		vote casefile.VoteBody
		ok   bool
	}{
		{"both", ballot(t, w, j, nil, theirs, own), true},
		{"in another order", ballot(t, w, j, nil, own, theirs), true},
		{"one left out", ballot(t, w, j, nil, theirs), false},
		{"none", ballot(t, w, j, nil), false},
		{"root of both, one named", ballot(t, w, j, []casefile.Access{{Tool: "site.post", Specifics: []string{"text"}}}, theirs, own), false},
	} {
		l := emptyLog(w, &casetest.Memory{})
		if _, err := l.Append(j.Key, casefile.KindData, asked(theirs, own), 1); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(j.Key, casefile.KindData, asked(theirs), 1); !errors.Is(err, casefile.ErrRepeated) {
			t.Errorf("asked again: %v", err)
		}
		_, err := l.Append(j.Key, casefile.KindVote, c.vote, 2)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, casefile.ErrContradicts) {
			t.Errorf("%s: %v", c.name, err)
		}
		late := asked()
		late.Source = "late"
		if _, err := l.Append(j.Key, casefile.KindData, late, 3); (err == nil) == c.ok {
			t.Errorf("%s: asked after the vote: %v", c.name, err)
		}
	}
	accessed, err := casefile.Accesses([]casefile.Receipt{own, theirs, theirs}, casefile.DID(j.Peer()))
	if err != nil || len(accessed) != 2 {
		t.Fatalf("%+v, %v", accessed, err)
	}
	for _, a := range accessed {
		if a.Tool != "site.post" || len(a.Specifics) != 1 || a.AgentID != nil && *a.AgentID != casefile.DID(w.Judges[1].Peer()) {
			t.Errorf("%+v", a)
		}
	}
}

// TestSharedAnswer: what a holder gave one seat of the round free of charge, another may rest its
// vote on. Both name the holder.
func TestSharedAnswer(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	j, holder, third := w.Judges[0], w.Judges[1], w.Judges[2]
	shared := answer(t, w, j, holder.Key, func(r *casefile.Receipt) { r.Price = 0 })
	for _, actor := range []casetest.Judge{j, third} {
		l := emptyLog(w, &casetest.Memory{})
		if _, err := l.Append(actor.Key, casefile.KindData, asked(shared), 1); err != nil {
			t.Fatal(err)
		}
		vote := ballot(t, w, actor, nil, shared)
		if a := vote.Vote.DataAccessed; len(a) != 1 || a[0].AgentID == nil || *a[0].AgentID != casefile.DID(holder.Peer()) {
			t.Errorf("%+v", a)
		}
		if _, err := l.Append(actor.Key, casefile.KindVote, vote, 2); err != nil {
			t.Error(err)
		}
	}
}

// TestHiddenAnswer: what a judge was answered and does not name comes out by its holder.
func TestHiddenAnswer(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	j, holder := w.Judges[0], w.Judges[1]
	if _, err := w.Log.Append(holder.Key, casefile.KindReceipt, casefile.ReceiptBody{Receipt: answer(t, w, j, holder.Key, nil)}, 9); err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	if r := verify.File(file); !r.OK() || !strings.Contains(r.String(), "does not name this answer") {
		t.Error(r.String())
	}
}

func FuzzReceipt(f *testing.F) {
	w, err := casetest.Build(small)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := answer(f, w, w.Judges[0], w.Judges[1].Key, nil).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := casefile.ParseReceipt(raw)
		if err != nil {
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := casefile.ParseReceipt(again); err != nil {
			t.Fatalf("%+v, %v", back, err)
		}
		if err := r.Verify(w.Domain); err == nil && r.Holder != casefile.DID(w.Judges[1].Peer()) {
			t.Error("somebody else's signature")
		}
	})
}

// TestTermsOfReceipts: a reader sees it if the terms that a receipt names are not there, or are
// others.
func TestTermsOfReceipts(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	j, holder := w.Judges[0], w.Judges[1]
	sample := answer(t, w, j, holder.Key, nil)
	for name, c := range map[string]struct {
		change func(*casefile.Agreed)
		note   string
	}{
		"agreed":        {func(*casefile.Agreed) {}, ""},
		"another price": {func(a *casefile.Agreed) { a.Price++ }, "differ in price"},
		"another asker": {func(a *casefile.Agreed) { a.Asker = a.Holder }, "differ in asker"},
		"less access":   {func(a *casefile.Agreed) { a.Access = []string{"author", "text"} }, "differ in access"},
		"all access":    {func(a *casefile.Agreed) { a.Access = []string{"*", "text"} }, "differ in access"},
		"another round": {func(a *casefile.Agreed) { a.Round++ }, "differ in round"},
		"another case":  {func(a *casefile.Agreed) { a.Case[0]++ }, "differ in case"},
	} {
		t.Run(name, func(t *testing.T) {
			agreed := casetest.Agree(sample)
			c.change(&agreed)
			raw, err := agreed.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if notes := notesOn(t, raw); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
				t.Errorf("%q", notes)
			}
		})
	}
	if notes := notesOn(t, nil); !strings.Contains(notes, "the agreed terms are not in the file") {
		t.Errorf("%q", notes)
	}
	if notes := notesOn(t, []byte(`{"format":"anex-terms/2"}`)); !strings.Contains(notes, "the agreed terms cannot be read") {
		t.Errorf("%q", notes)
	}
}

func FuzzAgreed(f *testing.F) {
	w, err := casetest.Build(small)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := casetest.Agree(answer(f, w, w.Judges[0], w.Judges[1].Key, nil)).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := casefile.ParseAgreed(raw)
		if err != nil {
			return
		}
		if _, err := a.Encode(); err != nil {
			t.Fatal(err)
		}
	})
}

// notesOn returns the notes for a reader about the terms of a receipt.
func notesOn(t *testing.T, terms []byte) string {
	t.Helper()
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	r := answer(t, w, w.Judges[0], w.Judges[1].Key, func(r *casefile.Receipt) {
		if terms != nil {
			r.Terms = w.Store.Keep(terms)
		}
	})
	return verify.TermsNote(r, func(d casefile.Digest) ([]byte, error) { return w.Store.Blob(voting.Hash(d)) })
}
