package sequence_test

import (
	"slices"
	"testing"
	"time"

	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/failure"
	"ojud/test/longtest"
	"ojud/voting"
)

// altered changes an account of a type in the program's writes, like a program with this one fault.
func altered[T any](r *svm.Result, change func(*T)) {
	r.Writes = slices.Clone(r.Writes)
	for i := range r.Writes {
		v, err := program.DecodeAccount(r.Writes[i].Account.Data)
		if err != nil {
			continue // a wallet
		}
		if t, ok := any(v).(*T); ok {
			change(t)
			r.Writes[i].Account.Data = v.Encode()
		}
	}
}

// on changes the effect of one instruction.
func on(name string, bend func(a *arena, c *call, r *svm.Result)) func(*arena, *call, *svm.Result) {
	return func(a *arena, c *call, r *svm.Result) {
		if c.name() == name {
			bend(a, c, r)
		}
	}
}

// sabotage returns the faults of the negative control. Each must be found.
func sabotage() []faults {
	pay := func(r *svm.Result, n int, lamports int64) {
		r.Writes = slices.Clone(r.Writes)
		if n < len(r.Writes) {
			r.Writes[n].Account.Lamports += uint64(lamports)
		}
	}
	return []faults{
		{name: "a lamport is made by a withdrawal", bend: on("withdraw", func(_ *arena, _ *call, r *svm.Result) { pay(r, 1, 1) })},
		{name: "a token is lost in a withdrawal", bend: on("withdraw_tokens", func(a *arena, c *call, r *svm.Result) {
			r.Writes = slices.Clone(r.Writes)
			for i := range r.Writes {
				if key(r.Writes[i].Key) == c.metas[4].Address {
					r.Writes[i].Account.Data = slices.Clone(r.Writes[i].Account.Data)
					r.Writes[i].Account.Data[64]--
				}
			}
		})},
		{name: "a lamport goes to another account", bend: on("cancel_task", func(_ *arena, _ *call, r *svm.Result) { pay(r, 1, 1); pay(r, 2, -1) })},
		{name: "a leaf can be applied twice", bend: on("apply_leaf", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(k *program.Case) { k.Applied = 0 })
		})},
		{name: "a wrong vote is right in the record", bend: on("apply_leaf", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(v *program.Roster) {
				for i := range v.Entries {
					v.Entries[i].Right, v.Entries[i].Wrong = v.Entries[i].Right+v.Entries[i].Wrong, 0
				}
			})
		})},
		{name: "a leaf exposes a lamport too much", bend: on("open_leaf", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(b *program.Batch) { b.Exposed++ })
		})},
		{name: "rewards can be claimed twice", bend: on("claim_reward", func(a *arena, c *call, r *svm.Result) {
			old, judge := a.roster(), c.ix.(*program.ClaimReward).Judge
			altered(r, func(v *program.Roster) {
				v.Entries[v.Find(voting.Key(judge))].Rewards = old.Entries[old.Find(voting.Key(judge))].Rewards
			})
		})},
		{name: "an accepted task can be accepted again", bend: on("accept", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(t *program.Task) { t.Status = program.Verification })
		})},
		{name: "a vote counts a lamport too much", bend: on("reveal", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(k *program.Case) { k.AcceptWeight++ })
		})},
		{name: "a top-up raises a live seat", bend: on("top_up", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(v *program.Roster) { v.Entries[0].Locked++ })
		})},
		{name: "the first two of the panel are exchanged", bend: on("draw", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(k *program.Case) {
				if len(k.Seats) > 1 {
					k.Seats[0], k.Seats[1] = k.Seats[1], k.Seats[0]
				}
			})
		})},
		{name: "an exit is a second early", bend: on("begin_exit", func(a *arena, c *call, r *svm.Result) {
			altered(r, func(v *program.Roster) { v.Entries[v.Find(voting.Key(c.ix.(*program.BeginExit).Judge))].ExitAt-- })
		})},
		{name: "a slash is not counted", bend: on("settle", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(v *program.Roster) { v.TotalStake++ })
		})},
		{name: "a void round does not end", bend: on("settle", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(k *program.Case) {
				if k.Status == voting.AwaitingDraw {
					k.Round--
				}
			})
		})},
		{name: "a voucher is spent twice", bend: on("pull_payment", func(_ *arena, _ *call, r *svm.Result) {
			altered(r, func(k *program.Channel) { k.Paid = 0 })
		})},
		{name: "a lawful call is refused", bend: on("expire", func(_ *arena, _ *call, r *svm.Result) {
			r.Err = &failure.TransactionError{}
		})},
		{name: "the model lets workers accept", model: func(c *call, s *step) {
			if c.name() == "accept" {
				s.moved[c.metas[1].Address]++
			}
		}},
	}
}

// TestControl: any single fault of the program is found.
func TestControl(t *testing.T) {
	longtest.Only(t)
	for _, f := range sabotage() {
		t.Run(f.name, func(t *testing.T) {
			_, found, err := many(theELF(t), 4_000, 1, f, time.Now().Add(5*time.Minute), func(int) {})
			if err != nil {
				t.Fatal(err)
			}
			if found == nil {
				t.Fatal("not found: the sequences cannot see what they are for")
			}
			t.Logf("found by sequence %d: %.300v", found.number, found.err)
		})
	}
}
