package brain

import (
	"strings"
	"testing"

	"ojud/ledger/onchain"
)

// TestNext: each phase is ended by the instruction that the program takes then.
func TestNext(t *testing.T) {
	p, at := Devnet(), onchain.Address{1}
	for _, c := range []struct {
		stage Stage
		now   int64
		want  string // the instruction, or what the error says
	}{
		{DrawWorkers, 99, "draw"}, {DrawWorkers, 100, "advance"}, {Working, 99, "1 more seconds"}, {Working, 100, "advance"},
		{Revealing, 100, "advance"}, {DrawEvaluators, 0, "draw"}, {Evaluating, 100, "advance"}, {RevealScores, 200, "advance"},
		{AwaitOutcome, 100, "advance"}, {Posted, 99, "1 more seconds"}, {Posted, 100, "settle_task"}, {Disputed, 0, "resolve_dispute"},
		{Ready, 0, "settle_task"}, {Settled, 0, "is over"}, {Expired, 0, "is over"},
	} {
		k := &TaskAccount{Status: c.stage, Clock: Clock{Deadline: 100}}
		i, _, err := p.Next(at, k, Around{Verdict: onchain.Address{2}}, c.now)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v at %d: %v", c.stage, c.now, err)
			}
			continue
		}
		if kind := discriminator("global", c.want); string(i.Data) != string(kind[:]) {
			t.Errorf("%v at %d is not ended by %s", c.stage, c.now, c.want)
		}
	}
	for _, c := range []struct {
		opened uint8
		now    int64
		want   string
	}{
		{Shown, 99, "1 more seconds"}, {Shown, 100, "end_golden"}, {Appealed, 0, "resolve_dispute"}, {Overturned, 100, "end_golden"},
		{Opened, 100, "is over"}, {Void, 100, "is over"},
	} {
		k := &TaskAccount{Status: Settled, Clock: Clock{Deadline: 100}, Marks: Marks{Opened: c.opened}}
		i, _, err := p.Next(at, k, Around{Verdict: onchain.Address{2}, Creator: onchain.Address{3}}, c.now)
		kind := discriminator("global", c.want)
		if said := err != nil && strings.Contains(err.Error(), c.want); !said && (err != nil || string(i.Data) != string(kind[:])) {
			t.Errorf("opened %d at %d: %v", c.opened, c.now, err)
		}
	}
}
