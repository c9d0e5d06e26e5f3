package brain

import (
	"bytes"
	"strings"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/brainview"
)

// TestOnChain: a task and a class are shown with their people and money.
func TestOnChain(t *testing.T) {
	k := brainview.Detail{
		Outline: brainview.Outline{Status: brain.Settled.String(), Over: true, Budget: 1_000_000_000, Paid: 700_000_000, Question: "When?\x1b[2J"}, Why: "1 of the 1 results that count mean the same",
		Seats: []brainview.WorkPlace{{Worker: onchain.Address{1}.String(), State: "revealed", Inside: true, Score: 8_812, Cluster: 1, Paid: 500_000_000, Why: "in the dominant cluster"}},
		Jury:  []brainview.ScoreSeat{{Evaluator: onchain.Address{2}.String(), State: "absent", Slashed: 7_500_000, Why: "evaluated nothing in time"}},
	}
	c := brain.ClassAccount{Parameters: brain.Defaults(), Members: []brain.Member{
		{Agent: onchain.Address{3}, State: 1, Role: brain.EvaluatorRole, Stake: 2_000_000_000, Reputation: 5000}, {Agent: onchain.Address{4}},
	}}
	var task, class bytes.Buffer
	if err := showTask(&task, k); err != nil {
		t.Fatal(err)
	}
	if err := showClass(&class, shownClass{ClassAccount: &c, Reputations: c.Reputations(1, 0, nil)}, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"When?", "settled", "0.7 SOL", "revealed", "absent", "0.0075 SOL", "88.12", "in the dominant cluster", "evaluated nothing in time", "1 of the 1 results", onchain.Address{1}.String()} {
		if !strings.Contains(task.String(), want) {
			t.Errorf("no %q in %s", want, task.String())
		}
	}
	for _, want := range []string{"evaluator", "2 SOL", "5000", "7000, 2000 and 1000", "none: who says the same"} {
		if !strings.Contains(class.String(), want) {
			t.Errorf("no %q in %s", want, class.String())
		}
	}
	c.Parameters.Golden = 10
	class.Reset()
	if err := showClass(&class, shownClass{ClassAccount: &c, Reputations: c.Reputations(1, 0, nil)}, 0); err != nil || !strings.Contains(class.String(), "an alarm of 10") {
		t.Errorf("%v: a class with golden tasks: %s", err, class.String())
	}
	if text := costly(1_000_000, 28_000_000, nil); !strings.Contains(text, "than the bond brings: it is 0.001 SOL and the court's fee 0.028 SOL") || costly(28_000_000, 28_000_000, nil) != "" {
		t.Errorf("a bond below the fee: %q", text)
	}
	if strings.Contains(task.String(), "\x1b") {
		t.Errorf("a question reaches the terminal as it is: %q", task.String())
	}
	if strings.Contains(class.String(), onchain.Address{4}.String()) {
		t.Errorf("a free place is shown: %s", class.String())
	}
	if _, err := run("show"); err == nil || !strings.Contains(err.Error(), "the address of a task or a class") {
		t.Errorf("%v", err)
	}
}
