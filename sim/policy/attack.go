package policy

import (
	"fmt"

	"ojud/voting"
	"ojud/voting/rules"
)

// attack is a way to take money from a court other than by voting, and what it brings in lamports
// to the attacker, fees of transactions apart.
type attack struct {
	Name   string `json:"name"`
	Today  int64  `json:"today_lamports"`
	Truth  int64  `json:"truth_lamports"`
	Victim string `json:"who_else"` // what it does to others
}

// drainCases is how many undecidable tasks an attacker posts, and drainReward what each pays.
const (
	drainCases  = 12
	drainReward = 1_000_000
	tenSOL      = 10_000_000_000
)

// attacks plays all of them.
func attacks() (all []attack, err error) {
	law := rules.SecondLaw(rules.PayTruth)
	for _, play := range []func(rules.Law) ([]attack, error){drains, absences, withholding, twoVotes, holding, proctors} {
		some, err := play(law)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// drains are undecidable tasks of somebody that is creator, worker and one judge of 28. The other
// judges abstain.
func drains(law rules.Law) ([]attack, error) {
	one, honest1, err := drainToday(abstain, drainCases)
	if err != nil {
		return nil, err
	}
	two, honest2, err := drainSecond(law, abstain)
	if err != nil {
		return nil, err
	}
	return []attack{{
		Name: fmt.Sprintf("%d undecidable tasks", drainCases), Today: one, Truth: drainCases * two,
		Victim: fmt.Sprintf("an honest judge: %s SOL, then %s SOL", solText(honest1), solText(drainCases*honest2)),
	}}, nil
}

// absences are the same with 27 judges that are absent: a flood, or a day off.
func absences(law rules.Law) ([]attack, error) {
	one, honest1, err := drainToday(stayAway, 1)
	if err != nil {
		return nil, err
	}
	two, honest2, err := drainSecond(law, stayAway)
	if err != nil {
		return nil, err
	}
	return []attack{{
		Name: "27 judges absent", Today: one, Truth: two,
		Victim: fmt.Sprintf("an absent judge: %s SOL, then %s SOL", solText(honest1), solText(honest2)),
	}}, nil
}

// lone is a panel of which one judge votes.
func lone(others act, stakes []uint64, abstained []uint32, round uint32) (seats []voting.Seat, standings []rules.Standing) {
	for i, s := range stakes {
		a := others
		if i == 0 {
			a = accept
		}
		seats = append(seats, a.seat(min(s, tenSOL)))
		standings = append(standings, rules.Standing{Present: true, Stake: s, Seated: round, Abstained: abstained[i]})
	}
	return seats, standings
}

// drainToday plays cases of version 1, and returns what the judge that votes gains, and another.
func drainToday(others act, cases int) (gain, honest int64, err error) {
	law := rules.FirstRules{AbsentBps: 50, MinorityBps: 100, AbstainBps: 2_500, AbstainFree: 8, MaxRounds: 3}
	stakes, abstained := make([]uint64, voting.MaxSeats), make([]uint32, voting.MaxSeats)
	for i := range stakes {
		stakes[i] = 2 * tenSOL // more than a seat can weigh
	}
	round := uint32(0)
	for range cases {
		pot := uint64(0)
		for n := uint8(1); n <= law.MaxRounds; n++ {
			in := rules.FirstRound{Rules: law, Round: n, Pot: pot, Terms: rules.Terms{Escrow: drainReward, OnUndecided: voting.RefundCreator}}
			in.Seats, in.Standings = lone(others, stakes, abstained, round)
			end, err := rules.SettleFirst(in)
			if err != nil {
				return 0, 0, err
			}
			for i, s := range end.Seats {
				stakes[i] -= s.Slashed
				if s.Result == voting.Abstained {
					abstained[i]++
				}
			}
			gain += int64(end.Seats[0].Earned)
			pot = end.Pot
			round++
		}
	}
	return gain, int64(stakes[1]) - 2*tenSOL, nil
}

// drainSecond plays one case of version 2. Both bonds are the attacker's.
func drainSecond(law rules.Law, others act) (gain, honest int64, err error) {
	stakes := make([]uint64, voting.MaxSeats)
	for i := range stakes {
		stakes[i] = tenSOL
	}
	in := rules.CaseEnd{Terms: rules.Terms{Escrow: drainReward, OnUndecided: voting.RefundCreator}}
	if in.Terms.CreatorBond, in.Terms.WorkerBond, err = law.Bonds(drainReward, voting.MaxSeats); err != nil {
		return 0, 0, err
	}
	for round := uint8(1); round <= law.MaxRounds; round++ {
		b := rules.Ballot{Reward: drainReward, Round: round}
		b.Seats, b.Standings = lone(others, stakes, make([]uint32, voting.MaxSeats), 0)
		end, err := law.Close(b)
		if err != nil {
			return 0, 0, err
		}
		for i, s := range end.Seats {
			stakes[i] -= s.Slashed
		}
		in.First = rules.Level{Verdict: end.Verdict, Seats: b.Seats, Standings: b.Standings}
	}
	end, err := law.Finish(in)
	if err != nil {
		return 0, 0, err
	}
	gain = earned(end.First[:1]) - int64(in.Terms.Escrow+in.Terms.CreatorBond+in.Terms.WorkerBond)
	for _, p := range end.Payments {
		gain += int64(p.Amount)
	}
	return gain, int64(stakes[1]) - tenSOL, nil
}

// withholding is a side of 14 of 28 that loses a close case, and keeps its reveals back instead.
func withholding(law rules.Law) ([]attack, error) {
	panel := func(mine act) (seats []voting.Seat, standings []rules.Standing) {
		for i := range voting.MaxSeats {
			a := reject
			if i < voting.MaxSeats/2 {
				a = mine
			}
			seats, standings = append(seats, a.seat(stake)), append(standings, standing())
		}
		return seats, standings
	}
	var loss [2][2]int64 // by version, and revealed or withheld
	for n, a := range []act{accept, withhold} {
		seats, standings := panel(a)
		in := rules.FirstRound{Rules: rules.FirstRules{AbsentBps: 50, MinorityBps: 100, MaxRounds: 3}, Round: 1, Seats: seats, Standings: standings}
		end, err := rules.SettleFirst(in)
		if err != nil {
			return nil, err
		}
		closed, err := law.Close(rules.Ballot{Reward: 1_000_000_000, Round: 1, Seats: seats, Standings: standings})
		if err != nil {
			return nil, err
		}
		loss[0][n], loss[1][n] = -int64(end.Seats[0].Slashed), -int64(closed.Seats[0].Slashed)
	}
	return []attack{{
		Name: "14 losers withhold, a seat", Today: loss[0][1] - loss[0][0], Truth: loss[1][1] - loss[1][0],
		Victim: "the round is void, then redrawn",
	}}, nil
}

// twoVotes is a judge with twice the stake that a seat can weigh, which signs two votes.
func twoVotes(law rules.Law) ([]attack, error) {
	seats := []voting.Seat{accept.seat(law.MaxSeatWeight)}
	p, err := rules.SlashEquivocation(voting.Revealing, seats, 0, rules.Standing{Present: true, Stake: 2 * law.MaxSeatWeight})
	// Version 1 took no more than the weight of the seat.
	return []attack{{Name: "20 SOL of stake, two votes", Today: -int64(law.MaxSeatWeight), Truth: -int64(p.Amount), Victim: "anybody can show it"}}, err
}

// holding is two agents that claim a task of 1 SOL in turns, six times, and do nothing.
func holding(law rules.Law) ([]attack, error) {
	const claims = 6
	claim, err := law.Claim(1_000_000_000)
	if err != nil {
		return nil, err
	}
	seats, err := liveSeats(law, 1_000_000_000)
	return []attack{
		{Name: fmt.Sprintf("%d claims, nothing done", claims), Truth: -claims * int64(claim), Victim: "the creator gets the claims' money"},
		{Name: "1 SOL in many live cases", Victim: fmt.Sprintf("live seats of one stake: no limit, then %d", seats)},
	}, err
}

// liveSeats is how many live seats a judge of that stake can have, at a reward of 1 SOL.
func liveSeats(law rules.Law, has uint64) (n int, err error) {
	risk, err := law.Exposure(1_000_000_000, law.SeatWeight(has, has))
	if err != nil || risk == 0 {
		return 0, err
	}
	return int(has / risk), nil
}

// proctors are makers of golden cases that have judges of their own, which know the answers. The
// proctor is both parties of its golden case.
func proctors(law rules.Law) (all []attack, err error) {
	for _, c := range []struct {
		reward uint64
		panel  int
		own    int
	}{{100_000_000, voting.MaxSeats, 5}, {100_000_000, voting.MaxSeats, 9}, {100_000_000, voting.MaxSeats, 14}, {100_000_000, smallPanel, smallPanel}, {1_000_000_000, voting.MaxSeats, 14}} {
		in := rules.CaseEnd{Terms: rules.Terms{Escrow: c.reward, OnUndecided: voting.SplitEscrow}}
		if in.Terms.CreatorBond, in.Terms.WorkerBond, err = law.Bonds(c.reward, uint8(c.panel)); err != nil {
			return nil, err
		}
		for range c.panel {
			in.First.Seats = append(in.First.Seats, reject.seat(stake))
			in.First.Standings = append(in.First.Standings, standing())
		}
		in.First.Verdict = voting.ForCreator
		end, err := law.Finish(in)
		if err != nil {
			return nil, err
		}
		golden, err := law.Golden(rules.GoldenEnd{Reward: c.reward, Answer: voting.Reject, Seats: in.First.Seats, Standings: in.First.Standings, Pot: 1 << 50})
		if err != nil {
			return nil, err
		}
		gain := earned(end.First[:c.own]) + earned(golden.Seats[:c.own]) - int64(c.reward+in.Terms.CreatorBond+in.Terms.WorkerBond)
		for _, p := range end.Payments {
			gain += int64(p.Amount)
		}
		all = append(all, attack{
			Name: fmt.Sprintf("a proctor has %d of %d seats", c.own, c.panel), Truth: gain,
			Victim: fmt.Sprintf("a golden case at a reward of %s SOL", solText(int64(c.reward))),
		})
	}
	return all, nil
}

// solText writes lamports as SOL.
func solText(lamports int64) string { return fmt.Sprintf("%g", float64(lamports)/1e9) }
