package oju_test

import (
	"math"
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// harshest is the harshest version that may follow the rules of these tests.
func harshest(p *program.Params) {
	p.CommitSeconds, p.RevealSeconds, p.DrawSeconds, p.EvidenceSeconds, p.VerifySeconds = 60, 60, 60, 60, 60
	p.FeeMin, p.Absence, p.MaxRounds = sol/100, 40, 1
}

// TestAttackStakesInTwoSeconds: the authority gives a panel a second to vote, lets only its own
// judge vote, and takes the stake of the others. In version 1 this took 270 of 280 SOL in 2 s. Now
// no version may be so harsh, a case keeps its rules, and a judge may be out when the next version
// begins.
func TestAttackStakesInTwoSeconds(t *testing.T) {
	s := alone(t)
	s.cast(28)
	k := s.contested()
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.CommitSeconds = 1 }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.RevealSeconds = 59 }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.RiskBps = 1_001 }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.RiskBps = 10_000 }))
	s.ok(s.announce(harshest), s.exit("j0"))
	s.draw(k)
	same(t, "time to commit", s.caseOf(k).CommitEnds-s.now(), 420)
	same(t, "fee of a seat", s.caseOf(k).Rules.Fee, 1_000_000)
	same(t, "loss of the absent, in pays", s.caseOf(k).Rules.Absence, 2)
	s.fork(func() {
		s.until(s.caseOf(k).RevealEnds)
		s.ok(s.settle(k))
		for _, judge := range s.panel(k) {
			if held := s.entry(judge).Stake; held != sol-1_000_000 {
				t.Errorf("%s has %d lamports left of %d", judge, held, uint64(sol))
			}
		}
	})
	s.round(k, all(s.panel(k), voting.Accept))
	s.until(s.version(2).From)
	s.released("j0")
	s.ok(s.leave("j0"))
}

// TestAttackVerificationCutShort: the authority shortens the creator's time to answer, and a
// worker that handed in garbage is paid 1 s later. In version 1 it could, in one transaction.
func TestAttackVerificationCutShort(t *testing.T) {
	s := alone(t)
	s.cast(7)
	waiting := s.verified()
	working := s.started(func(c *program.CreateTask) { c.WorkSeconds = 1_000_000 })
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.VerifySeconds = 1 }))
	s.ok(s.announce(harshest))
	s.pass(60)
	s.refused(program.ErrTooEarly, s.expire(waiting))
	s.until(s.version(2).From)
	s.ok(s.submit(working))
	same(t, "time to answer", s.taskOf(working).Deadline-s.now(), 28_800)
}

// TestAttackExitIn136Years: the authority locks the judges in by a long cooldown. In version 1 it
// could set 2^32 - 1 seconds.
func TestAttackExitIn136Years(t *testing.T) {
	s := alone(t)
	s.cast(7)
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.CooldownSeconds = math.MaxUint32 }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.CooldownSeconds = 7*86_400 + 1 }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.CooldownSeconds-- }))
	s.ok(s.announce(func(p *program.Params) { p.CooldownSeconds = 7 * 86_400 }), s.exit("j0"))
	same(t, "cooldown", s.entry("j0").ExitAt-s.now(), 172_800)
	s.until(s.version(2).From)
	s.released("j0")
	s.ok(s.leave("j0"))
}

// TestAttackOneAnnouncementStopsTheCourt: a slip of the authority, or a thief with its key,
// announces a least reward that nobody has, and a cooldown of a month. In force, nobody can take
// that back: there was no new task for a month, and exits took a month for ever.
func TestAttackOneAnnouncementStopsTheCourt(t *testing.T) {
	s := alone(t)
	s.cast(7)
	for _, change := range []func(*program.Params){
		func(p *program.Params) { p.MinReward = math.MaxUint64 },
		func(p *program.Params) { p.MinReward = 10_000_001 },
		func(p *program.Params) { p.CooldownSeconds = 30 * 86_400 },
	} {
		s.refused(program.ErrBadConfig, s.announce(change))
	}
	s.ok(s.announce(func(p *program.Params) { p.MinReward, p.CooldownSeconds = 10_000_000, 7*86_400 }))
	s.until(s.version(2).From)
	s.ok(s.create("alice", of(sol/100)))
}

// TestAttackAuthorityIsTheOnlyJudge: with notice, the authority raises the least stake above that
// of all judges but its own, and makes a panel of one. Its judge then decided every later task.
func TestAttackAuthorityIsTheOnlyJudge(t *testing.T) {
	s := alone(t)
	s.cast(28)
	s.fund("own", 100*sol)
	s.admitted("own")
	s.ok(s.join("own", 20*sol)...)
	for _, change := range []func(*program.Params){
		func(p *program.Params) { p.MinStake, p.MaxSeatWeight = 40*sol, 40*sol },
		func(p *program.Params) { p.MinStake = 2*sol + 1 },
		func(p *program.Params) { p.MinSeats, p.PanelSeats = 1, 1 },
		func(p *program.Params) { p.MinSeats = 6 },
	} {
		s.refused(program.ErrBadConfig, s.announce(change))
	}
	s.enact(func(p *program.Params) { p.MinStake, p.PanelSeats, p.MinSeats = 2*sol, 7, 7 })
	k := s.seated()
	if got := s.panel(k); len(got) != 7 {
		t.Errorf("a panel of %d: %v", len(got), got)
	}
}

// TestAttackPauseAsRansom: a pause stops new tasks, claims and judges. TestAttackCranksStarved
// shows that everything under way comes to its end.
func TestAttackPauseAsRansom(t *testing.T) {
	s := alone(t)
	s.cast(7)
	offered, working := s.created(), s.started()
	s.ok(s.pause(1))
	s.refused(program.ErrPaused, s.create("alice"))
	s.refused(program.ErrPaused, s.claim(offered, "bob", 0))
	s.refused(program.ErrPaused, s.join("late", sol)...)
	s.refused(program.ErrPaused, s.bring("alice", "alice", "bob", "terms"))
	s.ok(s.submit(working))
	s.ok(s.exit("j0"))
	s.ok(s.prog.CancelTask(s.at("alice"), offered.at))
}

// TestAttackHandedToAWrongKey: whoever is named by mistake has nothing before it accepts, and the
// authority can name another.
func TestAttackHandedToAWrongKey(t *testing.T) {
	s := alone(t)
	s.cast(7)
	wrong, right := s.fund("wrong", sol), s.fund("right", sol)
	name := func(p program.ProposeAuthority) { s.ok(s.prog.ProposeAuthority(s.at("authority"), p)) }
	name(program.ProposeAuthority{Authority: wrong})
	s.refused(program.ErrNotAuthority, s.prog.Pause(wrong, program.Pause{Paused: 1}))
	name(program.ProposeAuthority{Authority: right})
	s.refused(program.ErrNotAuthority, s.prog.AcceptAuthority(wrong))
	s.ok(s.prog.AcceptAuthority(right))
	s.refused(program.ErrNotAuthority, s.prog.Pause(s.at("authority"), program.Pause{Paused: 1}))
	s.ok(s.pause(1))
}
