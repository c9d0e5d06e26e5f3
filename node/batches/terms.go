package batches

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"ojud/golden/proctor"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

const (
	// fewest is how many disputed tasks a court must show before their terms are imitated.
	fewest = 20
	// nearest is how many of them are considered: those with the most similar rewards.
	nearest = 32
	// mostSeen is how many of them are read, the newest ones.
	mostSeen = 256
)

// habit is a disputed task of others, and how long its parties took for each step.
type habit struct {
	*program.Task
	claim, submit, object, answer int64 // seconds, as in times
}

// habits are what is imitated. A judge sees only tasks that are disputed, and whoever wants to be
// imitated has to pay for a case each time.
type habits []habit

// observe reads them from the chain, the newest first.
func (p *post) observe(ctx context.Context) (habits, error) {
	all, err := p.office.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(t ledger.Keyed[program.Task]) bool {
		return p.creators[t.Value.Creator] != nil || !imitable(t.Value)
	})
	slices.SortFunc(all, func(a, b ledger.Keyed[program.Task]) int { return cmp.Compare(b.Value.CreatedAt, a.Value.CreatedAt) })
	all = all[:min(len(all), mostSeen)]
	found, used := make(habits, len(all)), make([]bool, len(all))
	group, in := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, t := range all {
		group.Go(func() error {
			events, err := p.office.History(in, t.Address)
			if errors.Is(err, ledger.ErrNotFound) {
				return nil // the node has forgotten how long it took
			}
			found[i], used[i] = habitOf(t.Value, events)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var out habits
	for i := range found {
		if used[i] {
			out = append(out, found[i])
		}
	}
	return out, nil
}

// habitOf returns how long the last try of each step took. False: a step is missing.
func habitOf(t *program.Task, history []ledger.Occurred) (habit, bool) {
	at := map[program.TaskStatus]int64{}
	for _, o := range history {
		for _, e := range o.Events {
			if m, ok := e.(*program.TaskMoved); ok {
				at[m.To] = m.At
			}
		}
	}
	h := habit{
		Task: t, claim: at[program.Claimed] - t.CreatedAt, submit: at[program.Verification] - at[program.Claimed],
		object: at[program.Disputed] - at[program.Verification], answer: at[program.Judiciary] - at[program.Disputed],
	}
	return h, min(h.claim, h.submit, h.object, h.answer) >= 0 && at[program.Claimed] != 0
}

// half is what the chain's clock cuts off on average, in seconds.
const half = 0.5

// steps are how long the parties took, in their order.
func (h habit) steps() [steadies]int64 { return [...]int64{h.claim, h.submit, h.object, h.answer} }

// tempo is how long a step of the parties took on average.
func (h habit) tempo() float64 {
	return float64(h.claim+h.submit+h.object+h.answer)/steadies + half
}

// pace returns the times of a leaf: those that were drawn, if the court shows too few tasks. Else
// it has the tempo of one of these, because who is slow in one step is slow in others, and each
// step is as long in comparison with the tempo as that of a further one. Times that are all of one
// task would be recognised. No step takes more of the span than all may.
func (h habits) pace(drawn times, span int64) times {
	if len(h) < fewest {
		return drawn
	}
	of := func(i int) habit { return h[drawn.whose[i]%uint64(len(h))] }
	tempo, out := of(steadies).tempo(), [steadies]int64{}
	for i := range out {
		like := of(i)
		out[i] = int64(min((float64(like.steps()[i])+half)*tempo/like.tempo(), float64(span/(2*steadies))))
	}
	drawn.claim, drawn.submit, drawn.object, drawn.answer = out[0], out[1], out[2], out[3]
	return drawn
}

// imitable reports whether a golden case may have the terms of the task: it was disputed, its
// reward is fixed, because that of a leaf is, and no engine decides it, because the leaf would be
// void.
func imitable(t *program.Task) bool {
	return !t.CounterHash.IsZero() && !t.IsDispute() && t.RewardMin == t.RewardMax && t.Auction == voting.FirstCome && t.Engine.IsZero()
}

// offer returns the terms of a leaf's task: those of a disputed task of somebody else with a
// similar reward, or those that a creator gets who says nothing but the reward. pick chooses among
// the tasks, and does not depend on the answer.
func (h habits) offer(leaf proctor.Leaf, pick uint64, p program.Params) client.Offer {
	out := client.DefaultOffer(client.Lamports(leaf.Reward))
	out.WorkSeconds, out.Seal = max(out.WorkSeconds, p.MinWorkSeconds), leaf.Hash()
	if len(h) < fewest {
		return out
	}
	near := slices.Clone(h)
	slices.SortFunc(near, func(a, b habit) int {
		return cmp.Or(cmp.Compare(apart(a.RewardMin, leaf.Reward), apart(b.RewardMin, leaf.Reward)), slices.Compare(a.Seal[:], b.Seal[:]))
	})
	t := near[pick%uint64(min(len(near), nearest))]
	like := out
	like.WorkSeconds, like.ClaimWithin, like.Seats, like.Fee = t.WorkSeconds, 0, t.Seats, client.Lamports(t.FeeMin)
	if words := client.UndecidedWords(); t.OnUndecided >= 1 && int(t.OnUndecided) <= len(words) {
		like.OnUndecided = words[t.OnUndecided-1]
	}
	if t.ClaimBy != 0 {
		like.ClaimWithin = uint32(min(max(t.ClaimBy-t.CreatedAt, 1), 1<<32-1))
	}
	if _, err := like.Terms(p, leaf.Task, 0); err != nil || like.WorkSeconds < p.MinWorkSeconds {
		return out // the rules were others then
	}
	return like
}

// apart is how many times one reward is the other, in percent.
func apart(a, b uint64) uint64 {
	a, b = max(a, b), max(min(a, b), 1)
	return a / max(b/100, 1)
}
