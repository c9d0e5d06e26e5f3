package program

import (
	"reflect"
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/voting"
	"ojud/voting/rules"
)

func TestCaseForVoting(t *testing.T) {
	r, c := sampleRoster(), revealCase()
	c.Seats[0].Judge, c.Seats[0].Index = pub("judge 3"), 3
	c.Seats[1].Judge, c.Seats[1].Index = pub("judge 1"), 1         // exiting, still a judge
	c.Seats[2].Judge, c.Seats[2].Index = pub("left"), 0            // the entry is somebody else's now
	c.Seats[3].Judge, c.Seats[3].Index = onchain.Address{}, 2      // free
	c.Seats[4].Judge, c.Seats[4].Index = pub("out of range"), 1000 // no such entry
	v := c.Voting(77, r)
	if v.Slot != 77 || v.Task != voting.Key(c.Task) || v.Status != voting.Revealing || v.Round != 2 || v.Rules != c.Rules ||
		v.SeedSlot != c.SeedSlot || v.DrawnSlot != c.DrawnSlot || v.SlotHash != c.SlotHash || v.OpenedAt != c.OpenedAt || v.DrawBy != c.DrawBy ||
		v.CommitEnds != c.CommitEnds || v.RevealEnds != c.RevealEnds || v.SettledAt != c.SettledAt || len(v.Seats) != 28 {
		t.Errorf("%+v", v)
	}
	for i, want := range []voting.Key{peer("judge 3"), peer("judge 1"), {}, {}, {}} {
		if v.Seats[i].Peer != want {
			t.Errorf("seat %d has the node key %s, not %s", i, v.Seats[i].Peer, want)
		}
	}
	for i, s := range v.Seats {
		chain := c.Seats[i]
		if s.Judge != voting.Key(chain.Judge) || s.Index != chain.Index || s.Weight != chain.Weight || s.Commitment != chain.Commitment ||
			s.Choice != chain.Choice || s.Committed != (i > 0) || s.Revealed != (i > 6) || s.Equivocated != (i == 27) {
			t.Errorf("seat %d: %+v", i, s)
		}
	}
	if got := c.Voting(77, nil); got.Seats[0].Peer != (voting.Key{}) {
		t.Error("without a roster there are no node keys")
	}
	d := decidedCase().Voting(1, r)
	if d.Verdict != voting.ForCreator || d.Seats[6].Result != voting.Voted || d.Seats[6].Slashed != 506 || d.Seats[6].Earned != 606 {
		t.Errorf("%+v", d.Seats[6])
	}
	standings := r.Standings(c)
	if !standings[0].Present || standings[0].Stake != 2_000_000_003 ||
		!standings[1].Present || standings[2].Present || standings[3].Present || standings[4].Present {
		t.Errorf("%+v", standings[:5])
	}
}

func TestCandidates(t *testing.T) {
	const seed = 400_000_999
	r := sampleRoster()
	all := r.Candidates(seed)
	want := voting.Candidate{Index: 3, Judge: voting.Key(pub("judge 3")), Peer: peer("judge 3"), Operator: voting.Key(pub("judge 3 operator")),
		Stake: 1_999_999_003, Whole: 2_000_000_003, Free: 2_000_000_003 - 4_003, Active: true}
	if len(all) != 5 || all[3] != want || !all[1].Active || all[2].Active {
		t.Errorf("%+v", all)
	}
	eligible, err := rules.Eligible(all, judiciaryTask().Parties(), rules.Law{}.Staked(1_000_000_000, 1<<50))
	if err != nil || len(eligible) != 4 || eligible[0].Seat == 0 || eligible[1].Seat == 0 || eligible[2].Seat == 0 || eligible[3].Seat != 0 {
		t.Errorf("parties are passed over, and who leaves is not: %+v", eligible)
	}
	if early := r.Candidates(399_999_001); early[3].Stake != 1_888_888_003 || !early[1].Active || len(r.Candidates(399_784_002)) != 0 {
		t.Errorf("the season before: %+v", early)
	}
	if r.Find(voting.Key(pub("judge 3"))) != 3 || r.Find(voting.Key(pub("nobody"))) != -1 || r.Find(voting.Key{}) != -1 {
		t.Error("Find finds the wrong entry")
	}
}

// TestFreeAt: a stake leaves after the cooldown, and when the seasons that count it are over.
func TestFreeAt(t *testing.T) {
	const both = OwnWeight | ownWeightBefore
	r, p := &Roster{SeasonAt: 1_000}, Params{SeasonSeconds: 100}
	for _, c := range []struct {
		name    string
		e       RosterEntry
		counted bool
		at      int64
	}{
		{"this season has its weight", RosterEntry{Weight: 1, Owned: both, ExitAt: 1_150}, true, 1_200},
		{"the season before has it", RosterEntry{WeightBefore: 1, Owned: both, ExitAt: 900}, true, 1_100},
		{"none has it", RosterEntry{Owned: both, ExitAt: 900}, false, 900},
		{"the weights are nobody's", RosterEntry{Weight: 1, WeightBefore: 1, ExitAt: 900}, false, 900},
		{"the cooldown is longer", RosterEntry{Weight: 1, Owned: both, ExitAt: 5_000}, true, 5_000},
	} {
		if at := r.FreeAt(&c.e, p, 1_050); at != c.at || c.e.Counted() != c.counted {
			t.Errorf("%s: free at %d, counted %t", c.name, at, c.e.Counted())
		}
	}
}

// TestFreeAtOfAnOverdueSeason: nobody began the season that was due at 1,100.
func TestFreeAtOfAnOverdueSeason(t *testing.T) {
	r, e := &Roster{SeasonAt: 1_000}, &RosterEntry{Weight: 1, Owned: OwnWeight}
	if at := r.FreeAt(e, Params{SeasonSeconds: 100}, 1_500); at != 1_600 {
		t.Errorf("free at %d", at)
	}
}

func TestTaskForVoting(t *testing.T) {
	task := judiciaryTask()
	p := task.Parties()
	if p.Creator != voting.Key(pub("creator")) || p.Worker != voting.Key(pub("worker")) || p.CreatorOperator != voting.Key(pub("operator")) ||
		p.WorkerOperator != voting.Key(pub("worker operator")) {
		t.Errorf("%+v", p)
	}
	if terms := task.Terms(); terms != (rules.Terms{Escrow: 2_500_000_004, CreatorBond: 125_000_005, WorkerBond: 125_000_006, ClaimBond: 60_000_007, OnUndecided: voting.SplitEscrow, TradeBps: 53}) {
		t.Errorf("%+v", terms)
	}
	offer := createdTask().Offer()
	if !reflect.DeepEqual(offer, rules.Offer{Auction: voting.ReverseDutch, RewardMin: 2_000_000_001, RewardMax: 3_000_000_002, Escrow: 3_000_000_002, From: 1_790_000_013, Seconds: 3_601}) {
		t.Errorf("%+v", offer)
	}
	price, err := offer.Price(1_790_000_013 + 3_601)
	if err != nil || price != 3_000_000_002 {
		t.Errorf("%d, %v", price, err)
	}
}

// TestMarket: the time by which auctions go has no pauses in it.
func TestMarket(t *testing.T) {
	running := Config{PausedSeconds: 100, PausedAt: 900, ResumedAt: 1_000}
	paused := Config{Paused: 1, PausedSeconds: 100, PausedAt: 2_000, ResumedAt: 1_000}
	for _, c := range []struct {
		config                Config
		now, stood, marketNow int64
	}{
		{Config{}, 5_000, 0, 5_000},
		{running, 1_500, 100, 1_400},
		{paused, 2_000, 100, 1_900},
		{paused, 2_700, 800, 1_900},
		{paused, 1_990, 100, 1_890}, // a clock that went back
		{Config{Paused: 1, PausedAt: 0}, 1 << 40, 1<<32 - 1, 1<<40 - 1<<32 + 1},
	} {
		if stood, market := c.config.Stood(c.now), c.config.Market(c.now); stood != c.stood || market != c.marketNow {
			t.Errorf("%+v at %d: stood %d, market %d", c.config, c.now, stood, market)
		}
	}
}

func TestRulesOfCase(t *testing.T) {
	c := oddParams()
	if got := drawCase().Rules; got != c.Rules(2_750_003) {
		t.Errorf("%+v", got)
	}
	// Every rule comes from a parameter: none is zero.
	v := reflect.ValueOf(c.Rules(2_750_003))
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not copied", v.Type().Field(i).Name)
		}
	}
}

func TestParamsValidate(t *testing.T) {
	if err := sampleParams().Validate(); err != nil {
		t.Error(err)
	}
	if err := oddParams().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Params){
		"max_rounds":       func(p *Params) { p.MaxRounds = 4 },
		"panel_seats":      func(p *Params) { p.PanelSeats = 29 },
		"min_seats":        func(p *Params) { p.MinSeats = 29 },
		"max_seat_weight":  func(p *Params) { p.MaxSeatWeight = 1<<50 + 1 },
		"min_stake":        func(p *Params) { p.MinStake = p.MaxSeatWeight + 1 },
		"min_reward":       func(p *Params) { p.MinReward = 0 },
		"commit_seconds":   func(p *Params) { p.CommitSeconds = 86_401 },
		"reveal_seconds":   func(p *Params) { p.RevealSeconds = 0 },
		"verify_seconds":   func(p *Params) { p.VerifySeconds = 0 },
		"answer_seconds":   func(p *Params) { p.AnswerSeconds = 2_592_001 },
		"draw_seconds":     func(p *Params) { p.DrawSeconds = 0 },
		"evidence_seconds": func(p *Params) { p.EvidenceSeconds = 2_592_001 },
		"cooldown_seconds": func(p *Params) { p.CooldownSeconds = 86_400 + 2*(1_800+420+180) - 1 },
		"fee_min":          func(p *Params) { p.FeeMin = 1<<50 + 1 },
		"fee_bps":          func(p *Params) { p.FeeBps = 10_001 },
		"creator_bps":      func(p *Params) { p.CreatorBps = 10_001 },
		"worker_bps":       func(p *Params) { p.WorkerBps = 10_001 },
		"risk_bps":         func(p *Params) { p.RiskBps = 10_001 },
		"golden_gain":      func(p *Params) { p.GoldenGain = 0 },
		"golden_loss":      func(p *Params) { p.GoldenLoss = 0 },
		"absence":          func(p *Params) { p.Absence = 41 },
		"minority":         func(p *Params) { p.Minority = 40 },
		"preset":           func(p *Params) { p.Preset = 3 },
		"max_judges":       func(p *Params) { p.MaxJudges = 6 },
		"draw_delay_slots": func(p *Params) { p.DrawDelaySlots = 0 },
		"batch_seconds":    func(p *Params) { p.BatchSeconds = 43_201 },
		"leaf_fee":         func(p *Params) { p.BatchSeconds, p.LeafFee = 1, 28_000_001 },
		"golden_bps":       func(p *Params) { p.GoldenBps = 5_001 },
		"credential":       func(p *Params) { p.Credential = 3 },
	} {
		p := sampleParams()
		change(&p)
		if err := p.Validate(); err == nil || !contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A version of the rules is held to the version before it, and so to the first.
func TestParamsFollow(t *testing.T) {
	slow, fast := sampleParams(), sampleParams()
	fast.CommitSeconds, fast.RevealSeconds, fast.VerifySeconds, fast.AnswerSeconds = 5, 5, 5, 5
	fast.DrawSeconds, fast.EvidenceSeconds, fast.RiskBps = 5, 5, 5_000
	for name, c := range map[string]struct {
		change     func(p *Params, n uint32)
		slow, fast uint32 // the lowest that may follow
	}{
		"commit_seconds":   {func(p *Params, n uint32) { p.CommitSeconds = n }, 60, 5},
		"reveal_seconds":   {func(p *Params, n uint32) { p.RevealSeconds = n }, 60, 5},
		"verify_seconds":   {func(p *Params, n uint32) { p.VerifySeconds = n }, 60, 5},
		"answer_seconds":   {func(p *Params, n uint32) { p.AnswerSeconds = n }, 60, 5},
		"draw_seconds":     {func(p *Params, n uint32) { p.DrawSeconds = n }, 60, 5},
		"evidence_seconds": {func(p *Params, n uint32) { p.EvidenceSeconds = n }, 60, 5},
		"cooldown_seconds": {func(p *Params, n uint32) { p.CooldownSeconds = n }, 172_800, 172_800},
		"risk_bps":         {func(p *Params, n uint32) { p.RiskBps = uint16(10_000 - n) }, 9_000, 5_000},
	} {
		for old, least := range map[*Params]uint32{&slow: c.slow, &fast: c.fast} {
			next := sampleParams()
			if c.change(&next, least); next.Follows(*old) != nil {
				t.Errorf("%s: %v", name, next.Follows(*old))
			}
			c.change(&next, least-1)
			if err := next.Follows(*old); err == nil || !contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	shorter := fast.After(slow)
	if err := shorter.Follows(slow); err != nil || shorter.CommitSeconds != 60 || shorter.EvidenceSeconds != 60 || shorter.RiskBps != 1_000 {
		t.Errorf("%+v: %v", shorter, err)
	}
	if same := slow.After(slow); same != slow {
		t.Errorf("%+v", same)
	}
	withBatches := slow
	withBatches.BatchSeconds, withBatches.EvidenceSeconds = 43_200, 60
	if after := withBatches.After(slow); after.Follows(slow) != nil || after.BatchSeconds != 0 {
		t.Errorf("%+v", after)
	}
	old := sampleParams()
	old.CoverBps, old.FeeMin, old.MaxSeatWeight, old.MinStake = 500, 1_000_000, 20_000_000_000, 1_000_000_000
	for name, c := range map[string]struct{ good, bad func(p *Params) }{
		"draw_seconds":    {func(p *Params) { p.DrawSeconds, p.DrawDelaySlots = 132, 256 }, func(p *Params) { p.DrawSeconds, p.DrawDelaySlots = 131, 256 }},
		"fee_min":         {func(p *Params) { p.FeeMin = 10_000_000 }, func(p *Params) { p.FeeMin = 10_000_001 }},
		"max_seat_weight": {func(p *Params) { p.MaxSeatWeight = 10_000_000_000 }, func(p *Params) { p.MaxSeatWeight = 40_000_000_001 }},
		"cover_bps":       {func(p *Params) { p.CoverBps = 100 }, func(p *Params) { p.CoverBps = 99 }},
	} {
		good, bad := old, old
		c.good(&good)
		c.bad(&bad)
		if err := good.Follows(old); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := bad.Follows(old); err == nil || !contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if nearest := bad.After(old); nearest.Follows(old) != nil {
			t.Errorf("%s: the nearest that may follow: %v", name, nearest.Follows(old))
		}
	}
	bad := sampleParams()
	if bad.PanelSeats = 29; bad.Follows(slow) == nil {
		t.Error("out of its range")
	}
}

// TestBatchTimes: the cases of a batch outlast it, and a challenge can be decided.
func TestBatchTimes(t *testing.T) {
	for _, c := range []struct {
		batch, challenge, evidence uint32
		fine                       bool
	}{
		{43_200, 4_800, 52_800, true}, {43_200, 4_799, 86_400, false}, {43_200, 4_800, 52_799, false},
		{43_200, 21_600, 86_400, true}, {43_200, 21_601, 86_400, false}, {1, 4_800, 9_601, true}, {1, 4_800, 9_600, false},
		{0, 0, 0, true}, {0, 1<<32 - 1, 0, true}, {43_200, 1<<32 - 1, 86_400, false}, {43_200, 1 << 31, 86_400, false}, {43_200, 4_800, 0, false},
	} {
		p := sampleParams()
		p.BatchSeconds, p.ChallengeSeconds, p.EvidenceSeconds = c.batch, c.challenge, c.evidence
		if err := p.Validate(); (err == nil) != c.fine {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestInForce(t *testing.T) {
	for now, want := range map[int64]bool{9: false, 10: true, 19: true, 20: false} {
		if got := (&Rules{From: 10, Until: 20}).InForce(now); got != want {
			t.Errorf("%d: %v", now, got)
		}
	}
	if !(&Rules{From: 10}).InForce(1 << 62) {
		t.Error("a version without a successor ends")
	}
}

func TestNames(t *testing.T) {
	for want, got := range map[string]string{
		"created": Created.String(), "in progress": InProgress.String(), "undecided": Undecided.String(), "status(12)": TaskStatus(12).String(),
		"worker silent": ByWorkerSilence.String(), "expired": ByExpiry.String(), "split": OutcomeName(voting.Split),
		"pay": OnUndecidedName(voting.PayWorker), "bond back": PaymentName(voting.PayBondBack), "exiting": EntryExiting.String(), "topped up": StakeToppedUp.String(),
	} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if Judiciary.Over() || !Complete.Over() || !Undecided.Over() {
		t.Error("Over is wrong: it is status 8 and more")
	}
}

// TestNextSeasonAsksForTheCredential: judges with a bad record get no weight, unless too few are
// left; then those that have one keep it.
func TestNextSeasonAsksForTheCredential(t *testing.T) {
	p := sampleParams()
	p.Credential, p.MinSeats = 1, 2
	judge := func(right, wrong, seen uint8, weight uint64) RosterEntry {
		e := RosterEntry{State: EntryActive, Stake: p.MinStake, Right: right, Wrong: wrong, Seen: seen, Weight: weight}
		if weight > 0 {
			e.Owned = OwnWeight
		}
		if seen >= 20 {
			e.Owned |= OwnProven
		}
		return e
	}
	good, bad, young := judge(13, 7, 20, p.MinStake), judge(12, 8, 20, p.MinStake), judge(0, 4, 12, 0)
	for i, c := range []struct {
		entries []RosterEntry
		judges  int
		changed bool
	}{
		{[]RosterEntry{good, good, bad}, 2, true},
		{[]RosterEntry{good, young, bad}, 2, true},
		{[]RosterEntry{good, bad, bad}, 3, false},
		{[]RosterEntry{good, judge(0, 20, 20, 0)}, 1, false},
	} {
		r := &Roster{Entries: c.entries}
		if changed, judges, _ := r.NextSeason(p); changed != c.changed || judges != c.judges {
			t.Errorf("%d: %v, %d", i, changed, judges)
		}
	}
	p.Credential = 0
	if changed, judges, _ := (&Roster{Entries: []RosterEntry{good, bad}}).NextSeason(p); changed || judges != 2 {
		t.Errorf("%v, %d", changed, judges)
	}
}

// TestNovicesHaveARoom: judges without a record get a ninth of what the proven ones weigh, in equal
// parts, and as much as others if too few are proven. A proven judge's weight grows with its
// record.
func TestNovicesHaveARoom(t *testing.T) {
	p := sampleParams()
	p.Credential, p.MinSeats, p.MinStake, p.MaxSeatWeight = CredentialApart, 2, 100, 1_000
	judge := func(stake uint64, right, seen uint8) RosterEntry {
		e := RosterEntry{State: EntryActive, Stake: stake, Right: right, Seen: seen, Weight: stake, Owned: OwnWeight}
		if seen == 20 {
			e.Wrong, e.Owned = 20-right, OwnWeight|OwnProven
		}
		return e
	}
	r := &Roster{Entries: []RosterEntry{
		judge(70, 0, 19), judge(900, 20, 20), judge(100, 0, 0), judge(2_000, 13, 20), judge(500, 12, 20), judge(60, 0, 0), judge(49, 0, 0), judge(2_000, 0, 0),
	}}
	check := func(want ...uint64) {
		t.Helper()
		if got := r.Next(p); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	check(52, 900, 52, 1_000, 0, 52, 0, 52)
	if n := r.Novices(p); n != (Novices{Apart: true, Proven: 2, Room: 211, Each: 52}) {
		t.Errorf("%+v", n)
	}
	r.Entries[1].Stake, r.Entries[1].Weight = 750, 300
	check(36, 300, 36, 1_000, 0, 36, 0, 36)
	r.Entries[1].Since = 5
	check(44, 600, 44, 1_000, 0, 44, 0, 44)
	r.Entries[1].Right, r.Entries[1].Seen, r.Entries[1].Owned = 0, 0, OwnWeight // four of five novices have room beside one proven judge
	p.MinSeats = 5
	check(25, 25, 25, 1_000, 0, 25, 0, 0)
	p.MinSeats = 6
	check(70, 750, 100, 1_000, 0, 60, 0, 1_000)
	p.Credential = 1
	check(70, 750, 100, 1_000, 0, 60, 0, 1_000)
}
