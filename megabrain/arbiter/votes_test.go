package arbiter

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/voting"
)

// said are the results of four workers. The last is the first but for a word, and a lie.
var said = []string{
	"The battery of the Acme phone lasts two days, and the screen is sharp.",
	"The Acme phone has a sharp screen and a battery that lasts two days.",
	"With a battery lasting two days and a sharp screen, the Acme phone does well.",
	"The battery of the Acme phone lasts two days, and the lens is sharp.",
}

// groups is the document of an evaluator that says which of these results mean the same.
func groups(of ...[]int) []byte {
	var all []string
	for _, group := range of {
		var names []string
		for _, w := range group {
			names = append(names, fmt.Sprintf("%q", onchain.Address{byte(w + 1)}))
		}
		all = append(all, "["+strings.Join(names, ",")+"]")
	}
	return fmt.Appendf(nil, `{"same":[%s]}`, strings.Join(all, ","))
}

// voted is a task of three evaluators with these documents and scores, which nobody has settled.
func voted(t *testing.T, documents [3][]byte, scores [3][4]uint8) (*brain.TaskAccount, *brain.ClassAccount, finding.TaskClass, Showing, [][]byte) {
	t.Helper()
	of, content, err := finding.ReadClass([]byte(`{"name":"prose","about":"","meaning":[],"prose":["/why"]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := &brain.ClassAccount{ID: sha256.Sum256(content), Parameters: brain.Defaults()}
	c.Parameters.MaxWorkers = 4
	k := &brain.TaskAccount{Status: brain.Disputed, Counts: brain.Counts{Workers: 4, Evaluators: 3, Drawn: 4, Seated: 3}, Marks: brain.Marks{Difficulty: 100}}
	k.Money = brain.Money{Budget: 10_000_000_000, WorkerStake: 500_000_000, EvaluatorStake: 300_000_000}
	k.Head.Version, k.Dispute, k.Parties.Class = 2, onchain.Address{7}, onchain.Address{8}
	sum := sha256.Sum256([]byte("account:Task"))
	k.Head.Kind = [8]byte(sum[:8])
	r := Showing{Form: Form, Class: content}
	var results [][]byte
	for i, text := range said {
		results = append(results, fmt.Appendf(nil, `{"why":%q}`, text))
		k.Work[i] = brain.WorkSeat{Agent: onchain.Address{byte(i + 1)}, State: revealed, ResultHash: sha256.Sum256(results[i]), CommittedAt: 9}
		r.Results = append(r.Results, Show(k.Work[i].Agent, results[i]))
	}
	for i, d := range documents {
		k.Judges[i] = brain.Evaluator{Agent: onchain.Address{byte(i + 11)}, State: revealed, Reputation: 5000, EvaluationHash: sha256.Sum256(d)}
		for j, s := range scores[i] {
			k.Judges[i].Said[j] = brain.Rating{Score: s, Confidence: 90}
		}
	}
	return k, c, of, r, results
}

// TestAttackVotes: an evaluator that lies about which results mean the same gains nothing, and nor
// does the worker for which it lies, whatever it says and however it scores, as long as the two
// others agree. Two that lie together have the lie paid: control.
func TestAttackVotes(t *testing.T) {
	honest, truth := [4]uint8{90, 88, 86, 15}, groups([]int{0, 1, 2})
	nets := func(documents [3][]byte, scores [3][4]uint8) (out [2]int64) {
		k, c, of, _, results := voted(t, documents, scores)
		f, err := Assess(k, c.Parameters, of, results, documents[:])
		if err != nil {
			t.Fatal(err)
		}
		for i, seat := range []string{"e2", "w3"} {
			out[i] = Net(k, c.Parameters, Conclusion(f, [32]byte{}), brain.PostedByPoster, seat)
		}
		return out
	}
	fair := nets([3][]byte{truth, truth, truth}, [3][4]uint8{honest, honest, honest})
	if fair[0] <= 0 || fair[1] > 0 {
		t.Fatalf("the honest evaluator and the lying worker have %v", fair)
	}
	pairs := [][]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
	for choice := range 1 << len(pairs) {
		var lie [][]int
		for i, p := range pairs {
			if choice>>i&1 == 1 {
				lie = append(lie, p)
			}
		}
		for _, scores := range [][4]uint8{honest, {90, 88, 86, 95}, {5, 88, 86, 95}, {5, 5, 5, 95}} {
			got := nets([3][]byte{truth, truth, groups(lie...)}, [3][4]uint8{honest, honest, scores})
			if got[0] > fair[0] || got[1] > fair[1] {
				t.Errorf("votes for %v with scores %v bring %v, and the truth %v", lie, scores, got, fair)
			}
		}
	}
	// If the two others disagree, who is right is decided by it alone. Honest, it has more.
	alone := groups([]int{1, 2, 3})
	right := nets([3][]byte{truth, alone, truth}, [3][4]uint8{honest, honest, honest})
	wrong := nets([3][]byte{truth, alone, alone}, [3][4]uint8{honest, honest, honest})
	if right[0] < wrong[0] || right != fair {
		t.Errorf("with the truth %v, with a lie %v", right, wrong)
	}
	praise := [4]uint8{15, 88, 86, 90}
	if got := nets([3][]byte{truth, alone, alone}, [3][4]uint8{honest, praise, praise}); got[1] <= fair[1] {
		t.Errorf("control: two liars bring the worker %d", got[1])
	}
}

// TestAttackHiddenVote: an evaluator shows its document to nobody until the outcome without it is
// posted, and disputes that. Before, its outcome would have been accepted, with the bond of the
// poster. Now neither outcome counts, and that is what the task comes to without votes. A poster
// that had the document, and left it out, loses.
func TestAttackHiddenVote(t *testing.T) {
	honest := [4]uint8{90, 88, 86, 15}
	truth := groups([]int{0, 1, 2})
	documents := [3][]byte{truth, []byte(`{"same":[]}`), truth}
	k, c, of, r, results := voted(t, documents, [3][4]uint8{honest, honest, honest})
	post := func(heard ...int) []byte {
		had := make([][]byte, 3)
		for _, n := range heard {
			had[n-1] = documents[n-1]
		}
		f, err := Assess(k, c.Parameters, of, results, had)
		if err != nil {
			t.Fatal(err)
		}
		posted := r
		posted.Assessment, posted.Heard = f, heard
		evidence := claim(t, posted)
		k.Finding = Conclusion(f, sha256.Sum256(evidence))
		return evidence
	}
	full := r
	f, err := Assess(k, c.Parameters, of, results, documents[:])
	if err != nil || f.Facts[0].Cluster != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	full.Assessment, full.Heard = f, []int{1, 2, 3}
	k.Counter = Conclusion(f, [32]byte{1})
	exhibits := map[voting.Hash][]byte{}
	for i, d := range documents {
		exhibits[k.Judges[i].EvaluationHash] = d
	}
	judged := func(answer []byte, shown map[voting.Hash][]byte) casefile.Opinion {
		a := Arbiter{Chain: fake{task: encoded(t, *k), class: classOf(t, c)}, Program: program, Others: other{}}
		b := judge.Brief{Case: voting.Key(k.Dispute), Task: judge.Paper[casefile.Task]{Err: fmt.Errorf("not JSON")}, Exhibits: shown}
		b.Result.Raw, b.Objection.Raw = claim(t, full), answer
		o, err := a.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	evidence := post(1, 2)
	if o := judged(evidence, exhibits); voting.Choice(o.Choice) != voting.Abstain {
		t.Errorf("the third document was hidden: %+v", o)
	}
	with := map[voting.Hash][]byte{k.Finding.Evidence: evidence}
	for h, d := range exhibits {
		with[h] = d
	}
	if o := judged(nil, with); voting.Choice(o.Choice) != voting.Abstain {
		t.Errorf("a memory node has the evidence: %+v", o)
	}
	if o := judged(nil, exhibits); voting.Choice(o.Choice) != voting.Accept {
		t.Errorf("nobody shows what the poster had: %+v", o)
	}
	k.Finding.Facts[3].Cluster = 2 // it does not follow from what the poster had
	if o := judged(evidence, exhibits); voting.Choice(o.Choice) != voting.Accept {
		t.Errorf("the posted outcome is false: %+v", o)
	}
	evidence = post(1, 2, 3)
	k.Finding.Facts[0].Cluster, k.Finding.Facts[1].Cluster, k.Finding.Facts[2].Cluster = 0, 2, 2
	if o := judged(evidence, exhibits); voting.Choice(o.Choice) != voting.Accept {
		t.Errorf("the poster had all: %+v", o)
	}
	if o := judged(evidence, nil); voting.Choice(o.Choice) != voting.Reject {
		t.Errorf("the claimant's votes are shown to no judge: %+v", o)
	}
}

// TestAttackFriendsVote: the poster posts a lie, and a friend shows its document in the dispute
// alone. The disputant claimed what follows without it, lost its stake, and the lie was paid. Now
// the false poster loses. A claimant that leaves a document out against an outcome that follows
// from all of them still loses.
func TestAttackFriendsVote(t *testing.T) {
	honest := [4]uint8{90, 88, 86, 15}
	truth := groups([]int{0, 1, 2})
	documents := [3][]byte{truth, []byte(`{"same":[]}`), truth}
	k, c, of, r, results := voted(t, documents, [3][4]uint8{honest, honest, honest})
	found := func(heard ...int) (brain.Conclusion, Showing) {
		had, shown := make([][]byte, 3), r
		for _, n := range heard {
			had[n-1] = documents[n-1]
		}
		f, err := Assess(k, c.Parameters, of, results, had)
		if err != nil {
			t.Fatal(err)
		}
		shown.Assessment, shown.Heard = f, heard
		return Conclusion(f, [32]byte{1}), shown
	}
	part, shows := found(1, 2)
	all, full := found(1, 2, 3)
	lie := all
	lie.Facts[3].Cluster, lie.Facts[2] = 1, brain.Fact{LowEffort: 1}
	less := r // its poster lacks the third result, too
	less.Results = []Piece{r.Results[0], r.Results[1], {Worker: r.Results[2].Worker}, r.Results[3]}
	f, err := Assess(k, c.Parameters, of, [][]byte{results[0], results[1], nil, results[3]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	less.Assessment = f
	evidence, partial, lacking := claim(t, full), claim(t, shows), claim(t, less)
	for name, x := range map[string]struct {
		posted  brain.Conclusion
		by      []byte // the document that shows it
		counter brain.Conclusion
		hidden  bool // the friend's document is shown to no judge
		want    voting.Choice
	}{
		"a lie, and the friend shows its document":          {lie, nil, part, false, voting.Accept},
		"a lie, and the friend shows nothing":               {lie, nil, part, true, voting.Accept},
		"a lie with the evidence of the truth":              {lie, evidence, part, false, voting.Accept},
		"what follows from all":                             {all, evidence, part, false, voting.Reject},
		"what follows from all, without evidence":           {all, nil, part, false, voting.Reject},
		"each follows from what its side had":               {part, partial, all, false, voting.Abstain},
		"neither follows from all, each from what it had":   {Conclusion(f, [32]byte{}), lacking, part, false, voting.Abstain},
		"another lie against a lie":                         {lie, nil, brain.Conclusion{}, false, voting.Reject},
		"another lie against what follows from what it had": {part, partial, lie, false, voting.Reject},
	} {
		task := *k
		task.Finding, task.Counter = x.posted, x.counter
		task.Finding.Evidence = sha256.Sum256(x.by)
		have := pieces(partial)
		for i, d := range documents {
			if !x.hidden || i < 2 {
				have[task.Judges[i].EvaluationHash] = d
			}
		}
		have[task.Finding.Evidence] = x.by
		if o := judged(&task, c, partial, have); voting.Choice(o.Choice) != x.want {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestNamedOpinions: the court's nodes keep what evaluators say of prose, and judges of other
// classes do not wait for it.
func TestNamedOpinions(t *testing.T) {
	k, _, _, r, _ := voted(t, [3][]byte{{1}, {2}, {3}}, [3][4]uint8{})
	k.Judges[2].State, k.Finding.Evidence = 1, [32]byte{9}
	terms, err := brain.DisputeTerms(where, k, k.Counter)
	if err != nil {
		t.Fatal(err)
	}
	n := Results{Chain: fake{task: encoded(t, *k)}, Program: program}
	results := resultHashes(k)
	all := append(slices.Clone(results), k.Judges[0].EvaluationHash, k.Judges[1].EvaluationHash, k.Finding.Evidence)
	facts := r
	facts.Class = []byte(`{"about":"","meaning":["/why"],"name":"facts"}`)
	for name, x := range map[string]struct {
		claim []byte
		want  []voting.Hash
	}{
		"no claim": {nil, all}, "prose": {claim(t, r), all}, "no prose": {claim(t, facts), results}, "no form": {[]byte("{}"), all},
	} {
		if got, err := n.Named(t.Context(), voting.Key(k.Dispute), terms, x.claim); err != nil || !slices.Equal(got, x.want) {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
}
