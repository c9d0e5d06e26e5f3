package oju_test

import (
	"crypto/sha256"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

// disputeFee is what a dispute of one SOL with a panel of seven costs.
const disputeFee = 7_000_000

func sevenSeats(i *program.OpenDispute) { i.Seats = 7 }

// dispute names a dispute of others. The respondent stands for the creator, the claimant for the
// worker of a task.
func (s *scene) dispute(claimant, respondent, terms string) task {
	return task{at: program.DisputeAddress(s.prog, s.at(claimant), s.at(respondent), hash(terms)), creator: respondent, worker: claimant}
}

// bring returns the opening of a dispute of one SOL, for which payer pays.
func (s *scene) bring(payer, claimant, respondent, terms string, change ...func(*program.OpenDispute)) onchain.Instruction {
	i := program.OpenDispute{Respondent: s.at(respondent), TermsHash: hash(terms), ClaimHash: hash("claim"), Amount: sol}
	for _, f := range change {
		f(&i)
	}
	at := program.DisputeAddress(s.prog, s.at(claimant), i.Respondent, i.TermsHash)
	return s.prog.OpenDispute(s.at(payer), s.at(claimant), at, s.law().Number, i)
}

// brought is a dispute that its claimant pays for.
func (s *scene) brought(claimant, respondent, terms string, change ...func(*program.OpenDispute)) task {
	s.t.Helper()
	s.ok(s.bring(claimant, claimant, respondent, terms, change...))
	return s.dispute(claimant, respondent, terms)
}

func (s *scene) answer(k task) onchain.Instruction {
	return s.prog.JoinDispute(s.at(k.creator), k.at, program.JoinDispute{AnswerHash: hash("answer")})
}

func (s *scene) settleDispute(k task) onchain.Instruction {
	return s.prog.SettleDispute(k.at, s.taskOf(k).Funder())
}

// heard is a dispute whose panel sits, without a word of its respondent.
func (s *scene) heard(claimant, respondent, terms string) task {
	s.t.Helper()
	k := s.brought(claimant, respondent, terms, sevenSeats)
	s.until(s.taskOf(k).Deadline)
	s.ok(s.openCase(k, "payer"))
	s.draw(k)
	return k
}

// settledDispute lets the whole panel vote so.
func (s *scene) settledDispute(k task, choice voting.Choice) {
	s.t.Helper()
	s.commits(k, all(s.panel(k), choice))
	s.reveals(k, all(s.panel(k), choice))
	s.ok(s.settleDispute(k))
}

func (s *scene) verdictOf(k task) *program.VerdictAccount {
	return read(s, s.prog.Verdict(k.at), program.DecodeVerdictAccount)
}

// castOthers is a court of seven judges, and people without agents.
func (s *scene) castOthers(change ...func(*program.Params)) {
	s.t.Helper()
	s.cast(7, change...)
	for _, name := range []string{"claire", "rex", "paula", "mallory"} {
		s.fund(name, 10*sol)
	}
}

func othersScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"accepted": func(s *scene) {
			s.castOthers()
			k := s.brought("claire", "rex", "terms", sevenSeats)
			s.no(program.ErrTooEarly, s.openCase(k, "paula"))
			s.no(program.ErrMissingHash, s.prog.JoinDispute(s.at("rex"), k.at, program.JoinDispute{}))
			s.ok(s.answer(k))
			s.no(program.ErrWrongStatus, s.answer(k))
			s.ok(s.openCase(k, "paula"))
			s.no(program.ErrTooEarly, s.settleDispute(k))
			s.draw(k)
			s.no(program.ErrNotYetSettleable, s.settleDispute(k))
			s.settledDispute(k, voting.Accept)
			s.pass(86_400)
			s.ok(s.prog.CloseCase(k.at, s.at("paula"), onchain.Address{}))
			s.ok(s.prog.CloseTask(k.at, s.at("claire"), s.under(k)))
		},
		"undecided": func(s *scene) {
			s.castOthers()
			k := s.heard("claire", "rex", "terms")
			s.settledDispute(k, voting.Abstain)
			s.draw(k)
			s.settledDispute(k, voting.Abstain)
			same(s.t, "the verdict", s.verdictOf(k).Verdict, voting.Undecided)
		},
		"a void round and no other": func(s *scene) {
			s.castOthers()
			k := s.heard("claire", "rex", "terms")
			s.settledDispute(k, voting.Abstain)
			s.pass(1_800)
			s.ok(s.settleDispute(k))
			same(s.t, "the fee is kept", s.taskOf(k).WorkerBond, 0)
		},
		"terms": func(s *scene) {
			s.castOthers(func(p *program.Params) { p.CoverBps = 500 })
			with := func(f func(*program.OpenDispute)) onchain.Instruction {
				return s.bring("claire", "claire", "rex", "terms", func(i *program.OpenDispute) { i.Amount = 7 * sol / 20; f(i) })
			}
			s.no(program.ErrNotCovered, with(func(i *program.OpenDispute) { i.Amount++ }))
			s.no(program.ErrBadReward, with(func(i *program.OpenDispute) { i.Amount = 999_999 }))
			s.no(program.ErrBadTerm, with(func(i *program.OpenDispute) { i.Seats = 8 }))
			s.no(program.ErrMissingHash, with(func(i *program.OpenDispute) { i.ClaimHash = voting.Hash{} }))
			s.no(program.ErrOwnTask, s.bring("claire", "claire", "claire", "terms"))
			s.ok(s.pause(1))
			s.no(program.ErrPaused, with(sevenSeats))
			s.ok(s.pause(0))
			s.ok(with(sevenSeats))
		},
	}
}

// TestAttackDisputesForFree: somebody brings disputes to keep the court busy. Each costs its fee,
// whatever the verdict is: the judges and the golden pot have it. Only what no judge was drawn for
// goes back.
func TestAttackDisputesForFree(t *testing.T) {
	for name, choice := range map[string]voting.Choice{"won": voting.Accept, "lost": voting.Reject} {
		s := alone(t)
		s.castOthers()
		before, court := s.wallet("mallory"), s.roster().TotalRewards+s.pot().Golden
		k := s.heard("mallory", "rex", "terms")
		s.settledDispute(k, choice)
		s.pass(86_400)
		s.ok(s.prog.CloseCase(k.at, s.at("payer"), onchain.Address{}))
		s.ok(s.prog.CloseTask(k.at, s.at("mallory"), s.under(k)))
		same(t, name+": the court's gain", s.roster().TotalRewards+s.pot().Golden-court, disputeFee)
		same(t, name+": the attacker's loss", before-s.wallet("mallory"), disputeFee+s.env.Rent.MinimumBalance(program.VerdictAccountSize))
		same(t, name+": leaves that proctors may commit", s.pot().Allowance, 0)
	}
	s := alone(t)
	s.castOthers()
	k := s.brought("mallory", "rex", "terms", sevenSeats)
	s.pass(28_800)
	s.ok(s.openCase(k, "payer"))
	s.pass(1_800)
	before := s.wallet("mallory")
	s.ok(s.settleDispute(k))
	same(t, "the fee of a case without judges", s.wallet("mallory")-before, disputeFee)
	s.no(program.ErrWrongStatus, s.settleDispute(k))
}

// TestAttackNamedInADispute: mallory names bob, who did not agree, and answers for him. Nothing of
// bob moves, not even his record; only he can answer; and the verdict says that he did not. She
// cannot name herself, to have both sides in one key.
func TestAttackNamedInADispute(t *testing.T) {
	s := alone(t)
	s.castOthers()
	s.refused(program.ErrOwnTask, s.bring("mallory", "mallory", "mallory", "terms"))
	vault, record := s.vault("bob"), *s.agentOf("bob")
	k := s.brought("mallory", "bob", "terms", sevenSeats)
	s.refused(program.ErrNotCreator, swap(s.answer(k), 0, s.at("mallory")))
	s.refused(program.ErrNotSigner, replace(s.answer(k), 0, onchain.AccountMeta{Address: s.at("bob")}))
	s.pass(28_800)
	s.refused(program.ErrTooLate, s.answer(k))
	s.ok(s.openCase(k, "payer"))
	s.refused(program.ErrWrongStatus, s.answer(k))
	s.draw(k)
	s.settledDispute(k, voting.Accept)
	same(t, "his vault", s.vault("bob"), vault)
	same(t, "his record", *s.agentOf("bob"), record)
	same(t, "what the verdict says of him", s.verdictOf(k).Joined, program.DisputeUnanswered)
	unanswered := sha256.Sum256(program.Unanswered())
	same(t, "what the judges read as his answer", s.taskOf(k).ObjectionHash, voting.Hash(unanswered))
}

// TestAttackDisputeBroughtAgain: a claimant that lost brings the same dispute again, with another
// claim, until a panel errs. Its verdict account is there from the beginning, for ever.
func TestAttackDisputeBroughtAgain(t *testing.T) {
	s := alone(t)
	s.castOthers()
	again := s.bring("mallory", "mallory", "rex", "terms", func(i *program.OpenDispute) { i.ClaimHash = hash("another claim") })
	k := s.heard("mallory", "rex", "terms")
	s.refused(program.ErrAlreadyExists, again)
	same(t, "final before the end", s.verdictOf(k).IsFinal, 0)
	s.refused(program.ErrAlreadyExists, s.publish(k, "carol"))
	s.settledDispute(k, voting.Reject)
	s.refused(program.ErrAlreadyExists, s.publish(k, "carol"))
	s.pass(86_400)
	s.ok(s.prog.CloseCase(k.at, s.at("payer"), onchain.Address{}))
	s.refused(program.ErrWrongAddress, s.prog.CloseTask(k.at, s.at("rex"), s.under(k)))
	s.ok(s.prog.CloseTask(k.at, s.at("mallory"), s.under(k)))
	s.refused(program.ErrAlreadyExists, again)
	v := s.verdictOf(k)
	same(t, "the verdict", v.Verdict, voting.ForCreator)
	same(t, "is about the claim", v.ResultHash, hash("claim"))
}

// TestAttackDisputePrefunded: a stranger sends lamports to the addresses of a dispute and of its
// verdict before, or another's dispute is opened by somebody else.
func TestAttackDisputePrefunded(t *testing.T) {
	s := alone(t)
	s.castOthers()
	k := s.dispute("claire", "rex", "terms")
	for _, at := range []onchain.Address{k.at, s.prog.Verdict(k.at)} {
		s.put(at, difftest.Wallet(solana.PublicKey(at), sol).Account)
	}
	bring := s.bring("claire", "claire", "rex", "terms", sevenSeats)
	s.refused(program.ErrNotSigner, replace(s.bring("mallory", "claire", "rex", "terms"), 1, onchain.AccountMeta{Address: s.at("claire")}))
	s.refused(program.ErrWrongAddress, swap(swap(bring, 0, s.at("mallory")), 1, s.at("mallory")))
	s.refused(program.ErrWrongAddress, swap(bring, 6, s.prog.Verdict(s.at("rex"))))
	s.ok(bring)
	same(t, "the fee", s.taskOf(k).WorkerBond, disputeFee)
	same(t, "the verdict is not final", s.verdictOf(k).IsFinal, 0)
}

// TestAttackDisputeAsATask: the parties of a dispute are agents, and somebody settles it as a task,
// to be paid as a worker; or a task as a dispute; or by an engine. Or the creator of a task whose
// engine is late answers it as a dispute, to change its objection and end the engine's time.
func TestAttackDisputeAsATask(t *testing.T) {
	s := alone(t)
	s.castOthers()
	waits := s.brought("bob", "alice", "other terms", sevenSeats)
	s.refused(program.ErrWrongStatus, s.settleByEngine(waits))
	s.refused(program.ErrWrongStatus, s.expire(waits))
	k := s.heard("bob", "alice", "terms")
	s.commits(k, all(s.panel(k), voting.Accept))
	s.reveals(k, all(s.panel(k), voting.Accept))
	s.refused(program.ErrWrongStatus, s.settle(k))
	s.refused(program.ErrWrongStatus, s.expireCase(k))
	s.refused(program.ErrWrongAddress, swap(s.settleDispute(k), 5, s.at("mallory")))
	s.refused(program.ErrWrongAddress, swap(s.settleDispute(k), 4, s.prog.Verdict(waits.at)))
	vault := s.vault("bob")
	s.ok(s.settleDispute(k))
	same(t, "the claimant's vault", s.vault("bob"), vault)

	s.agent("engineer", onchain.Address{})
	foreign := s.contestedWith(s.byEngine)
	s.refused(program.ErrWrongStatus, s.answer(foreign))
	ordinary := s.seated()
	s.refused(program.ErrWrongStatus, s.answer(ordinary))
	s.commits(ordinary, all(s.panel(ordinary), voting.Accept))
	s.reveals(ordinary, all(s.panel(ordinary), voting.Accept))
	s.refused(program.ErrWrongOwner, s.prog.SettleDispute(ordinary.at, s.at("bob")))
	s.refused(program.ErrWrongAddress, swap(s.prog.SettleDispute(ordinary.at, s.at("bob")), 4, s.prog.Verdict(k.at)))
	s.ok(s.settle(ordinary))
}

// TestAttackJudgeInItsOwnDispute: claimant, respondent and who pays for the claimant are judges, or
// operate some. None of them sits; if too few others are left, the dispute is refused.
func TestAttackJudgeInItsOwnDispute(t *testing.T) {
	s := alone(t)
	s.castOthers()
	s.refused(program.ErrTooFewImpartial, s.bring("claire", "claire", "j0", "terms"))
	for i := 7; i < 10; i++ {
		s.fund(judgeName(i), 20*sol)
		s.ok(s.join(judgeName(i), sol)...)
	}
	s.weighed()
	s.ok(s.bring("j0", "j1", "j2", "terms", sevenSeats))
	k := s.dispute("j1", "j2", "terms")
	s.pass(28_800)
	s.ok(s.openCase(k, "payer"))
	s.draw(k)
	for _, name := range s.panel(k) {
		if name == "j0" || name == "j1" || name == "j2" {
			t.Errorf("%s judges its own dispute", name)
		}
	}
	same(t, "seats", len(s.panel(k)), 7)
}

// TestAttackDisputeAppealed: with appeals in the rules, the verdict of a dispute is final at once,
// because a respondent that never agreed need not be there to appeal.
func TestAttackDisputeAppealed(t *testing.T) {
	s := alone(t)
	s.cast(20, func(p *program.Params) { p.AppealSeconds = 3_600 })
	k := s.heard("alice", "bob", "terms")
	s.settledDispute(k, voting.Accept)
	same(t, "final", s.verdictOf(k).IsFinal, 1)
	s.refused(program.ErrWrongStatus, s.prog.Appeal(s.at("bob"), k.at))
}

// TestDisputePaysAnEscrow: an escrow of somebody else pays by the verdict of a dispute that was
// brought for it. There never was a task.
func TestDisputePaysAnEscrow(t *testing.T) {
	s, _, e := newEscrow(t)
	k := s.dispute("bob", "alice", "terms")
	e.Subject = k.at // known before there is a dispute
	s.ok(e.Open())
	s.refused(program.ErrWrongOwner, e.Pay(s.prog.Verdict(k.at), e.Seller))
	s.heard("bob", "alice", "terms")
	s.refused(program.ErrWrongStatus, e.Pay(s.prog.Verdict(k.at), e.Seller))
	s.settledDispute(k, voting.Accept)
	before := s.wallet("bob")
	s.ok(e.Pay(s.prog.Verdict(k.at), e.Seller))
	same(t, "bob gains", s.wallet("bob")-before, sol)
}
