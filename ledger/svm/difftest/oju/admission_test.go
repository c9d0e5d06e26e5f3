package oju_test

import (
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

func (s *scene) admit(by, judge string) onchain.Instruction {
	return s.prog.AdmitJudge(s.at(by), program.AdmitJudge{Judge: s.at(judge)})
}

// expel revokes an admission. The rent goes to the authority that the court began with.
func (s *scene) expel(by, judge string) onchain.Instruction {
	return s.prog.RevokeAdmission(s.at(by), s.at(judge), s.at("authority"))
}

// admitted lets a judge join if the court is listed.
func (s *scene) admitted(judge string) {
	s.t.Helper()
	if s.config().Listed == 1 {
		s.ok(s.admit("authority", judge))
	}
}

func (s *scene) unlist() onchain.Instruction { return s.prog.OpenCourt(s.at("authority")) }

func admissionScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"listed": func(s *scene) {
			s.listed = 2
			s.fund("authority", sol)
			s.deployed("authority")
			s.no(program.ErrBadConfig, s.init())
			s.listed = 1
			s.begin()
			s.fund("j0", 20*sol)
			s.no(program.ErrNotAdmitted, s.join("j0", sol)...)
			s.no(program.ErrNotAuthority, s.admit("alice", "j0"))
			s.ok(s.admit("authority", "j0"))
			s.no(program.ErrAlreadyExists, s.admit("authority", "j0"))
			s.ok(s.pause(1))
			s.no(program.ErrPaused, s.join("j0", sol)...)
			s.ok(s.pause(0))
			s.ok(s.join("j0", sol)...)
			s.no(program.ErrCourtListed, s.prog.GiveUp(s.at("authority")))
			s.no(program.ErrNotAuthority, s.prog.OpenCourt(s.at("alice")))
			s.no(program.ErrNotAuthority, s.expel("alice", "j0"))
			s.no(program.ErrWrongAddress, s.prog.RevokeAdmission(s.at("authority"), s.at("j0"), s.at("alice")))
		},
		"revoked": func(s *scene) {
			s.listed = 1
			s.cast(1)
			s.ok(s.expel("authority", "j0"))
			s.no(program.ErrWrongOwner, s.expel("authority", "j0"))
			s.ok(s.exit("j0"))
			s.pass(172_800)
			s.released("j0")
			s.ok(s.leave("j0"))
			s.no(program.ErrNotAdmitted, s.join("j0", sol)...)
			s.ok(s.admit("authority", "j0"))
			s.ok(s.join("j0", sol)...)
		},
		"opened": func(s *scene) {
			s.listed = 1
			s.cast(1)
			s.ok(s.unlist())
			s.no(program.ErrCourtOpen, s.unlist())
			s.no(program.ErrCourtOpen, s.admit("authority", "j1"))
			s.fund("j1", 20*sol)
			s.ok(s.join("j1", sol)...)
			s.ok(s.expel("alice", "j0")) // anyone: it has no use
			s.ok(s.prog.GiveUp(s.at("authority")))
		},
	}
}

// TestAttackEightFreshJudgesInAListedCourt: eight new judges of 10 SOL outweigh 28 old ones of one
// SOL and have garbage paid. They lose no stake by it. In a listed court they do not get in.
func TestAttackEightFreshJudgesInAListedCourt(t *testing.T) {
	for listed, want := range map[uint8]int{0: 10, 1: 0} {
		s := alone(t)
		s.listed = listed
		s.cast(28, func(p *program.Params) { p.AppealSeconds = 0 }) // with an appeal, they decide that, too
		fresh := map[string]bool{}
		for i := range 8 {
			name := judgeName(100 + i)
			s.fund(name, 20*sol)
			if listed == 1 {
				s.refused(program.ErrNotAdmitted, s.join(name, 10*sol)...)
				continue
			}
			s.ok(s.join(name, 10*sol)...)
			fresh[name] = true
		}
		s.weighed()
		paid := 0
		for range 10 {
			k := s.seated()
			v := all(s.panel(k), voting.Reject)
			for name := range v {
				if fresh[name] {
					v[name] = voting.Accept
				}
			}
			s.round(k, v)
			if s.taskOf(k).Outcome == voting.Paid {
				paid++
			}
		}
		t.Logf("listed %d: %d of 10 wrong results paid", listed, paid)
		same(t, "wrong results paid", paid, want)
		for name := range fresh {
			same(t, "stake of the attacker", s.entry(name).Stake, 10*sol)
		}
	}
}

// TestAttackAdmissionForged: nobody but the authority admits, and no other account passes as an
// admission.
func TestAttackAdmissionForged(t *testing.T) {
	s := alone(t)
	s.listed = 1
	s.cast(2)
	mallory := s.fund("mallory", 20*sol)
	s.refused(program.ErrNotAuthority, s.admit("mallory", "mallory"))
	s.refused(program.ErrNotAuthority, s.admit("j0", "mallory")) // a judge is not the court
	s.ok(s.prog.ProposeAuthority(s.at("authority"), program.ProposeAuthority{Authority: mallory}))
	s.refused(program.ErrNotAuthority, s.admit("mallory", "mallory")) // named, but it has not accepted yet
	join := s.join("mallory", sol)
	with := func(at onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{join[0], swap(join[1], 4, at)}
	}
	s.refused(program.ErrNotAdmitted, join...)
	s.refused(program.ErrNotAdmitted, with(s.prog.Admission(s.at("j0")))...) // another judge's
	s.refused(program.ErrWrongAccount, with(s.prog.Config())...)
	genuine := s.accounts[s.prog.Admission(s.at("j0"))]
	record := read(s, s.prog.Admission(s.at("j0")), program.DecodeAdmission)
	record.Judge = mallory
	forged := genuine
	forged.Data = record.Encode()
	there := onchain.Address(difftest.Address("forged"))
	s.put(there, forged)
	s.refused(program.ErrWrongAddress, with(there)...) // the right content elsewhere
	forged.Owner = difftest.Address("another program")
	s.put(s.prog.Admission(mallory), forged)
	s.refused(program.ErrNotAdmitted, join...) // the right address of another program
	s.put(s.prog.Admission(mallory), accounts.Account{})
}

// TestAttackAdmissionPrefunded: who sends lamports to the address before the authority admits
// neither gets in nor keeps the judge out.
func TestAttackAdmissionPrefunded(t *testing.T) {
	for _, lamports := range []uint64{1, 50 * sol} {
		s := alone(t)
		s.listed = 1
		s.begin()
		j0 := s.fund("j0", 20*sol)
		at := s.prog.Admission(j0)
		s.put(at, difftest.Wallet(solana.PublicKey(at), lamports).Account)
		s.refused(program.ErrNotAdmitted, s.join("j0", sol)...)
		s.ok(s.admit("authority", "j0"))
		same(t, "lamports", s.accounts[at].Lamports, max(lamports, s.env.Rent.MinimumBalance(program.AdmissionSize)))
		s.ok(s.join("j0", sol)...)
		before := s.accounts[s.at("authority")].Lamports
		held := s.accounts[at].Lamports
		s.ok(s.expel("authority", "j0"))
		same(t, "to the payer", s.accounts[s.at("authority")].Lamports, before+held)
	}
}

// TestAttackRevokedBeforeTheJoin: a judge that was admitted holds its transaction back until the
// authority has changed its mind. One that sits already stays, because the authority could
// otherwise choose the panel by revoking.
func TestAttackRevokedBeforeTheJoin(t *testing.T) {
	s := alone(t)
	s.listed = 1
	s.cast(7)
	s.fund("late", 20*sol)
	s.ok(s.admit("authority", "late"))
	held := s.join("late", sol)
	s.ok(s.expel("authority", "late"))
	s.refused(program.ErrNotAdmitted, held...)
	k := s.seated()
	before := s.panel(k)
	s.ok(s.expel("authority", "j0"))
	same(t, "seats", len(s.panel(k)), len(before))
	s.round(k, all(before, voting.Accept))
	same(t, "still a judge", s.entry("j0").State, program.EntryActive)
	next := s.seated()
	same(t, "and drawn", len(s.panel(next)), 7)
	s.round(next, all(s.panel(next), voting.Accept))
	s.ok(s.exit("j0"))
	s.pass(172_800)
	s.released("j0")
	s.ok(s.leave("j0"))
	s.refused(program.ErrNotAdmitted, s.join("j0", sol)...)
}

// TestAttackCourtListedAgain: an authority cannot close an open court against new judges, and
// cannot keep a listed one without an authority.
func TestAttackCourtListedAgain(t *testing.T) {
	s := alone(t)
	s.listed = 1
	s.cast(7)
	s.refused(program.ErrCourtListed, s.prog.GiveUp(s.at("authority")))
	s.refused(program.ErrNotAuthority, s.prog.OpenCourt(s.at("j0")))
	s.ok(s.prog.OpenCourt(s.at("authority")))
	s.refused(program.ErrCourtOpen, s.prog.OpenCourt(s.at("authority")))
	s.refused(program.ErrCourtOpen, s.admit("authority", "late"))
	s.deployed("authority")
	s.refused(program.ErrAlreadyExists, s.init())
	s.enact()
	s.ok(s.prog.ProposeAuthority(s.at("authority"), program.ProposeAuthority{Authority: s.at("j1")}))
	s.ok(s.prog.AcceptAuthority(s.at("j1")))
	same(t, "listed", s.config().Listed, 0)
	s.fund("late", 20*sol)
	s.ok(s.join("late", sol)...)
	s.ok(s.expel("late", "j0")) // what is left over gives its rent back
	s.ok(s.prog.GiveUp(s.at("j1")))
}
