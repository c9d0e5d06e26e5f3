package casefile_test

import (
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// evidence makes a body of two receipts in the order that an event needs.
func evidence(t testing.TB, a, b casefile.Receipt) casefile.TwofoldBody {
	t.Helper()
	body, ok := casefile.NewTwofold(a, b)
	if !ok {
		t.Fatalf("no evidence: %+v and %+v", a, b)
	}
	return body
}

func other(r *casefile.Receipt) { r.Response = casefile.Digest{9} }

// TestTwofold: two receipts are evidence only if one holder signed both, for seats of this case,
// for one question.
func TestTwofold(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	first, second, holder, third := w.Judges[0], w.Judges[1], w.Judges[2], w.Judges[3]
	one := answer(t, w, first, holder.Key, nil)
	for name, b := range map[string]casefile.Receipt{
		"the same answer":   answer(t, w, second, holder.Key, nil),
		"another holder":    answer(t, w, second, third.Key, other),
		"another question":  answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); r.Request = casefile.Digest{7} }),
		"another source":    answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); r.Source = "x" }),
		"other fields":      answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); r.Access = []string{"id"} }),
		"another case":      answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); r.Case[0]++ }),
		"another network":   answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); r.Network[0]++ }),
		"outside of a case": answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); besides(r) }),
	} {
		if body, ok := casefile.NewTwofold(one, b); ok {
			t.Errorf("%s: %+v", name, body)
		}
	}
	two := answer(t, w, second, holder.Key, other)
	good := evidence(t, one, two)
	if again := evidence(t, two, one); again.A.Signature != good.A.Signature {
		t.Error("the order of the receipts is not fixed")
	}
	forged := good
	forged.B.At++
	framed, ok := casefile.NewTwofold(forged.A, forged.B)
	if !ok {
		t.Fatal("the forged one has the form of evidence")
	}
	stranger := evidence(t, one, answer(t, w, casetest.Judge{Key: casetest.NodeKey("x")}, holder.Key, other))
	seat := evidence(t, one, answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); r.Judge = casefile.Address(third.Authority) }))
	for name, c := range map[string]struct {
		body  casefile.TwofoldBody
		class error
	}{
		"forged":                    {framed, casefile.ErrSignature},
		"asked by a stranger":       {stranger, casefile.ErrContradicts},
		"asked for another seat":    {seat, casefile.ErrContradicts},
		"in the wrong order":        {casefile.TwofoldBody{A: good.B, B: good.A}, nil},
		"the same receipt twice":    {casefile.TwofoldBody{A: one, B: one}, nil},
		"receipts of two questions": {casefile.TwofoldBody{A: one, B: answer(t, w, second, holder.Key, func(r *casefile.Receipt) { other(r); r.Source = "x" })}, nil},
	} {
		if _, err := emptyLog(w, &casetest.Memory{}).Append(third.Key, casefile.KindTwofold, c.body, 1); err == nil || c.class != nil && !errors.Is(err, c.class) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l := emptyLog(w, &casetest.Memory{})
	if _, err := l.Append(third.Key, casefile.KindTwofold, good, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(third.Key, casefile.KindTwofold, good, 1); !errors.Is(err, casefile.ErrRepeated) {
		t.Errorf("said twice: %v", err)
	}
	for i := range 8 {
		key := casetest.NodeKey("liar %d", i)
		body := evidence(t, answer(t, w, first, key, nil), answer(t, w, second, key, other))
		if _, err := l.Append(third.Key, casefile.KindTwofold, body, 1); (err == nil) != (i < 7) {
			t.Errorf("accusation %d: %v", i+2, err)
		}
	}
}

// TestAttackHolderTellsEachJudgeAnother: a holder with a stake tells one judge that the post is
// there and another that it is not. Before, nobody compared the receipts of two judges. Now the
// file shows the contradiction, with an accusation and without one.
func TestAttackHolderTellsEachJudgeAnother(t *testing.T) {
	s := casetest.Script{Name: "twofold", Judges: 7, Rounds: []casetest.Plan{func(i int) casetest.Act {
		return casetest.Act{Choice: voting.Accept, Ask: i == 1 || i == 2, Holders: 2, Lies: i == 1}
	}}}
	w, err := casetest.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	found := casefile.Twofolds(w.Log.Events())
	if len(found) != 1 {
		t.Fatalf("%d holders are found", len(found))
	}
	for _, accused := range []bool{false, true} {
		if accused {
			key := w.Judges[0].Key
			if _, err := w.Log.Append(key, casefile.KindTwofold, found[0], 1); err != nil {
				t.Fatal(err)
			}
			if again := casefile.Twofolds(w.Log.Events()); len(again) != 0 {
				t.Errorf("accused again: %+v", again)
			}
		}
		file, err := w.Export()
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		said := strings.Count(r.String(), "gave two different answers to one question about site.post in this case; its two receipts prove it")
		if !r.OK() || said != 1 || !strings.Contains(r.String(), "signed twice") || !strings.Contains(r.String(), "the staked holder "+found[0].A.Holder.String()) {
			t.Errorf("accused %t, said %d times:\n%s", accused, said, r.String())
		}
	}
}

// TestStandings: the file shows what a judge says of holders against the draw, and an opinion that
// decides by strangers alone. Neither is a fault of the file.
func TestStandings(t *testing.T) {
	const wrong, alone = "by the draw of round 1 it is", `the opinion decides "specification/expected[1]" by the answers of strangers alone`
	for name, c := range map[string]struct {
		act         casetest.Act
		says, never []string
	}{
		"right":                 {casetest.Act{Ask: true, Holders: 2, Claims: casefile.StakedHolder}, nil, []string{wrong, alone, "only strangers"}},
		"not said":              {casetest.Act{Ask: true, Holders: 2}, nil, []string{wrong, alone}},
		"a stranger is staked":  {casetest.Act{Ask: true, Holders: 1, Strange: true, Claims: casefile.StakedHolder}, []string{wrong + " stranger", alone}, nil},
		"a stranger is own":     {casetest.Act{Ask: true, Holders: 1, Strange: true, Claims: casefile.OwnSource}, []string{wrong + " stranger", alone}, nil},
		"a stake is a stranger": {casetest.Act{Ask: true, Holders: 1, Claims: casefile.Stranger}, []string{wrong + " staked"}, []string{alone}},
		"strangers alone":       {casetest.Act{Ask: true, Holders: 2, Strange: true, Claims: casefile.Stranger}, []string{alone, "only strangers answered about site.post"}, []string{wrong}},
	} {
		c.act.Choice = voting.Accept
		s := casetest.Script{Name: "standings", Judges: 7, Rounds: []casetest.Plan{func(i int) casetest.Act {
			if i == 2 {
				return c.act
			}
			return casetest.Act{Choice: voting.Accept}
		}}}
		file, err := casetest.File(s)
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if !r.OK() {
			t.Errorf("%s: %s", name, r.String())
		}
		for _, text := range c.says {
			if !strings.Contains(r.String(), text) {
				t.Errorf("%s: no %q in\n%s", name, text, r.String())
			}
		}
		for _, text := range c.never {
			if strings.Contains(r.String(), text) {
				t.Errorf("%s: %q in\n%s", name, text, r.String())
			}
		}
	}
}
