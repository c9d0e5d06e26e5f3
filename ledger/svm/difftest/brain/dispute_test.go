package brain_test

import (
	"crypto/sha256"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"

	"github.com/gagliardetto/solana-go"
)

// found a court of the committed program with seven judges, as its own instructions leave it.
func (s *scene) foundCourt() {
	s.t.Helper()
	derive := func(seeds ...[]byte) uint8 {
		_, b, err := solana.FindProgramAddress(seeds, solana.PublicKey(s.court.ID()))
		if err != nil {
			s.t.Fatal(err)
		}
		return b
	}
	config := program.Config{Bump: derive([]byte("config")), Rules: program.FirstRules, Authority: onchain.Address{1}}
	s.owned(s.court.Config(), s.court.ID(), config.Encode(), 0)
	rules := program.Rules{Bump: derive([]byte("rules"), []byte{1, 0, 0, 0}), Number: program.FirstRules, From: 1, Params: program.DefaultParams()}
	rules.CoverBps = 10_000
	s.owned(s.court.Rules(program.FirstRules), s.court.ID(), rules.Encode(), 0)
	roster := program.Roster{Bump: derive([]byte("roster")), Active: 7, TotalStake: 7 * sol, Weight: 7 * sol, Pages: [80]uint64{7 * sol}, SeasonAt: start, SeasonSlot: 900}
	for i := range 7 {
		roster.Entries = append(roster.Entries, program.RosterEntry{
			Authority: onchain.Address{9, byte(i)}, Peer: voting.Key{9, byte(i)}, Withdraw: onchain.Address{9, byte(i)}, Stake: sol, Weight: sol,
			State: program.EntryActive, Owned: 1,
		})
	}
	s.owned(s.court.Roster(), s.court.ID(), roster.Encode(), 7*sol)
}

// bring builds the dispute of a task by the disputant with another outcome.
func (s *scene) bring(c class, at onchain.Address, name string, f brain.Conclusion, change ...func(*brain.DisputeResult)) onchain.Instruction {
	s.t.Helper()
	k := s.task(at)
	terms, err := brain.DisputeTerms(at, k, f)
	if err != nil {
		s.t.Fatal(err)
	}
	i := brain.DisputeResult{
		DisputedWorker: k.Work[2].Agent, Outcome: f.Outcome(int(k.Counts.Drawn), int(k.Counts.Seated)), Rationale: "the third says the same",
		ArbitrationStake: c.params.DisputeStake(k.Marks.Rejected, k.Money.Budget),
	}
	for _, f := range change {
		f(&i)
	}
	dispute := program.DisputeAddress(s.court, s.at(name), k.Poster, sha256.Sum256(terms))
	return s.prog.DisputeResult(s.at(name), c.at, at, brain.CourtAccounts{
		Program: s.court.ID(), Config: s.court.Config(), Rules: s.court.Rules(program.FirstRules), Roster: s.court.Roster(),
		Dispute: dispute, Verdict: s.court.Verdict(dispute),
	}, i)
}

// counter is the outcome of the disputant.
func counter() brain.Conclusion {
	f := found(1, 1, 1)
	f.Evidence[0] = 6
	return f
}

// disputed is a task whose outcome is before the court.
func (s *scene) disputed() (class, onchain.Address) {
	s.t.Helper()
	c := s.begin(3, 3)
	s.foundCourt()
	s.fund("rex", 10*sol)
	at := s.judged(c, 1)
	s.no("WrongStatus", s.bring(c, at, "rex", counter()))
	s.saidSo(c, at, found(1, 1, 0))
	s.no("OwnOutcome", s.bring(c, at, "rex", found(1, 1, 0)))
	s.no("BadStake", s.bring(c, at, "rex", counter(), func(i *brain.DisputeResult) { i.ArbitrationStake-- }))
	s.no("NotSeated", s.bring(c, at, "rex", counter(), func(i *brain.DisputeResult) { i.DisputedWorker = s.at("rex") }))
	s.units["dispute_result"] = s.ok(s.bring(c, at, "rex", counter())).Units
	s.no("WrongStatus", s.bring(c, at, "rex", counter()))
	s.no("WrongStatus", s.prog.SettleTask(c.at, at))
	s.no("WrongStatus", s.prog.Advance(c.at, at))
	k := s.task(at)
	d, err := program.DecodeTask(s.accounts[k.Dispute].Data)
	if err != nil {
		s.t.Fatal(err)
	}
	same(s.t, "the claimant", d.Worker, s.at("rex"))
	same(s.t, "the respondent", d.Creator, k.Poster)
	same(s.t, "the amount", d.Reward, k.Money.Budget)
	same(s.t, "the panel", d.Seats, program.DefaultParams().PanelSeats)
	s.no("NotFinal", s.resolve(at))
	return c, at
}

func (s *scene) resolve(at onchain.Address) onchain.Instruction {
	k := s.task(at)
	return s.prog.ResolveDispute(k.Parties.Class, at, s.court.Verdict(k.Dispute), k.Disputant)
}

// decide makes the verdict of the court final.
func (s *scene) decide(at onchain.Address, v voting.Verdict) {
	s.t.Helper()
	s.verdict(s.task(at).Dispute, v)
}

// verdict makes the verdict of the court in a dispute final.
func (s *scene) verdict(dispute onchain.Address, v voting.Verdict) {
	s.t.Helper()
	key := s.court.Verdict(dispute)
	verdict, err := program.DecodeVerdictAccount(s.accounts[key].Data)
	if err != nil {
		s.t.Fatal(err)
	}
	verdict.IsFinal, verdict.Verdict = 1, v
	a := s.accounts[key]
	a.Data = verdict.Encode()
	s.put(key, a)
}

var disputes = map[string]func(*scene){
	"a dispute upheld": func(s *scene) {
		c, at := s.disputed()
		s.decide(at, voting.ForWorker)
		s.no("WrongAddress", s.prog.ResolveDispute(c.at, at, s.court.Verdict(s.task(at).Dispute), s.at("requester")))
		before := s.lamports(s.at("rex"))
		s.ok(s.resolve(at))
		same(s.t, "the disputant got both bonds", s.lamports(s.at("rex"))-before, 2*c.params.Bond)
		s.no("WrongStatus", s.resolve(at))
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "all are inside", s.task(at).Work[0].Inside+s.task(at).Work[1].Inside, 2)
		same(s.t, "the outcome", s.task(at).Finding, counter())
		s.told(s.task(at), map[any]int{brain.DisputeOpened{}: 1, brain.DisputeResolved{}: 1})
	},
	"a dispute rejected": func(s *scene) {
		c, at := s.disputed()
		s.decide(at, voting.ForCreator)
		before := s.lamports(s.prog.Treasury())
		s.ok(s.resolve(at))
		same(s.t, "the treasury got the stake", s.lamports(s.prog.Treasury())-before, c.params.Bond)
		s.no("NotAuthority", s.prog.WithdrawTreasury(s.at("rex"), s.at("rex"), brain.WithdrawTreasury{Amount: 1}))
		s.ok(s.prog.WithdrawTreasury(s.at("authority"), s.at("authority"), brain.WithdrawTreasury{Amount: c.params.Bond}))
		same(s.t, "it went out", s.lamports(s.prog.Treasury()), before)
		same(s.t, "status", s.task(at).Status, brain.Posted)
		s.no("TooEarly", s.prog.SettleTask(c.at, at))
		s.no("BadStake", s.bring(c, at, "rex", found(1, 2, 0), func(i *brain.DisputeResult) { i.ArbitrationStake-- }))
		s.until(s.task(at).Clock.Deadline)
		s.no("TooLate", s.bring(c, at, "rex", found(1, 2, 0)))
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "the third is outside", s.task(at).Work[2].Inside, 0)
		poster := s.task(at).Judges[0]
		same(s.t, "the poster", s.class(c).Members[poster.Index].Earned, poster.Paid+c.params.Bond)
	},
	"a dispute undecided": func(s *scene) {
		c, at := s.disputed()
		s.decide(at, voting.Undecided)
		before := s.lamports(s.at("rex"))
		s.ok(s.resolve(at))
		same(s.t, "the disputant", s.lamports(s.at("rex"))-before, c.params.Bond)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
	},
	"a court that says nothing": func(s *scene) {
		c, at := s.disputed()
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.resolve(at))
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
		s.no("Overflow", s.prog.WithdrawTreasury(s.at("authority"), s.at("authority"), brain.WithdrawTreasury{Amount: 1}))
	},
}
