package brain

import (
	"bytes"
	"strings"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// TestOnChain: a task and a class are shown with their people and money.
func TestOnChain(t *testing.T) {
	k := brain.TaskAccount{Status: brain.Settled, Counts: brain.Counts{Drawn: 1, Seated: 1}}
	k.Money.Budget, k.Money.Paid = 1_000_000_000, 700_000_000
	k.Work[0] = brain.WorkSeat{Agent: onchain.Address{1}, State: 2, Paid: 500_000_000}
	k.Judges[0] = brain.Evaluator{Agent: onchain.Address{2}, State: 3, Slashed: 7_500_000}
	c := brain.ClassAccount{Parameters: brain.Defaults(), Members: []brain.Member{
		{Agent: onchain.Address{3}, State: 1, Role: brain.EvaluatorRole, Stake: 2_000_000_000, Reputation: 5000}, {Agent: onchain.Address{4}},
	}}
	var task, class bytes.Buffer
	if err := showTask(&task, &k, "When?\x1b[2J"); err != nil {
		t.Fatal(err)
	}
	if err := showClass(&class, shownClass{&c, c.Reputations(1, 0)}, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"When?", "settled", "0.7 SOL", "revealed", "absent", "0.0075 SOL", onchain.Address{1}.String()} {
		if !strings.Contains(task.String(), want) {
			t.Errorf("no %q in %s", want, task.String())
		}
	}
	for _, want := range []string{"evaluator", "2 SOL", "5000", "7000, 2000 and 1000"} {
		if !strings.Contains(class.String(), want) {
			t.Errorf("no %q in %s", want, class.String())
		}
	}
	if strings.Contains(class.String(), onchain.Address{4}.String()) {
		t.Errorf("a free place is shown: %s", class.String())
	}
	if _, err := run("show"); err == nil || !strings.Contains(err.Error(), "the address of a task or a class") {
		t.Errorf("%v", err)
	}
}
