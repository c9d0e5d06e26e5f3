package journal

import (
	"errors"
	"reflect"
	"testing"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
)

// decided is a round of three seats; variants differ in what one chose.
func decided(task int, variant voting.Choice) panel.DecidedRound {
	p := panel.DecidedRound{Case: digest("task %d", task), Round: uint8(1 + task%3), At: int64(1_000 + task), Verdict: casefile.Verdict(voting.ForCreator)}
	for i, c := range []voting.Choice{voting.Reject, variant, voting.NoChoice} {
		p.Votes = append(p.Votes, panel.DecidedVote{Judge: digest("seat %d", i), Choice: casefile.Choice(c)})
	}
	return p
}

// TestRounds: a round is there after the journal was closed, once, in its last form, until it is
// dropped.
func TestRounds(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	want := map[casefile.Address]panel.DecidedRound{}
	for i := range 5 {
		for _, c := range []voting.Choice{voting.Accept, voting.Abstain} {
			p := decided(i, c)
			if err := j.Rounds().Put(p); err != nil {
				t.Fatal(err)
			}
			want[p.Case] = p
		}
	}
	if err := j.Rounds().Drop(decided(3, voting.Accept), decided(4, voting.Accept)); err != nil {
		t.Fatal(err)
	}
	delete(want, decided(3, 0).Case)
	delete(want, decided(4, 0).Case)
	shut(t, j)
	j = open(t, dir)
	defer shut(t, j)
	all, err := j.Rounds().All()
	got := map[casefile.Address]panel.DecidedRound{}
	for _, p := range all {
		got[p.Case] = p
	}
	if err != nil || len(all) != 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRoundsRefuse: only a decided round is kept.
func TestRoundsRefuse(t *testing.T) {
	j := open(t, t.TempDir())
	defer shut(t, j)
	for name, change := range map[string]func(*panel.DecidedRound){
		"round 0":   func(p *panel.DecidedRound) { p.Round = 0 },
		"undecided": func(p *panel.DecidedRound) { p.Verdict = casefile.Verdict(voting.Undecided) },
		"choice":    func(p *panel.DecidedRound) { p.Votes[0].Choice = 9 },
		"29 seats":  func(p *panel.DecidedRound) { p.Votes = make([]panel.DecidedVote, voting.MaxSeats+1) },
	} {
		p := decided(1, voting.Accept)
		change(&p)
		if err := j.Rounds().Put(p); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := j.Rounds().All(); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}

// TestRoundsDamaged: a round that cannot be read is said, with what to do.
func TestRoundsDamaged(t *testing.T) {
	j := open(t, t.TempDir())
	defer shut(t, j)
	if err := j.write("test", item{pastKey(decided(1, voting.Accept)), []byte{1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Rounds().All(); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

// FuzzDecodeRound: a round that is read is written alike.
func FuzzDecodeRound(f *testing.F) {
	p := decided(1, voting.Accept)
	raw, err := encodePast(p)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pastKey(p)[1:], raw)
	f.Fuzz(func(t *testing.T, key, raw []byte) {
		p, err := decodePast(key, raw)
		if err != nil {
			return
		}
		if again, err := encodePast(p); err != nil || string(again) != string(raw) || string(pastKey(p)[1:]) != string(key) {
			t.Fatalf("%x became %x, %v", raw, again, err)
		}
	})
}
