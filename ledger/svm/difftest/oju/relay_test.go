package oju_test

import (
	"bytes"
	"encoding/binary"
	"slices"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// ask is a relay request that may have a fault.
type ask struct {
	network, program voting.Key
	task             onchain.Address
	round            uint8
	judge, node      string // the seat's judge; the signing node
	commitment       voting.Hash
	sealed           []byte
}

// asked returns a judge's request for the commitment that commit makes.
func (s *scene) asked(k task, round uint8, judge string, choice voting.Choice) ask {
	d := s.domain()
	return ask{
		network: voting.Key(d.Network), program: d.Program, task: k.at, round: round, judge: judge, node: judge,
		commitment: d.Commitment(voting.Key(k.at), round, voting.Key(s.at(judge)), s.opening(k, round, judge, choice)),
		sealed:     bytes.Repeat([]byte{7}, 93),
	}
}

func (s *scene) request(a ask) program.SelfContained {
	d := voting.Domain{Network: voting.Hash(a.network), Program: a.program}
	return says(a.node, d.RelayRequest(voting.Key(a.task), a.round, voting.Key(s.at(a.judge)), a.commitment, a.sealed))
}

// relay returns the transaction with the request.
func (s *scene) relay(k task, a ask) []onchain.Instruction {
	s.t.Helper()
	n := voting.Relay{Commit: voting.Commit{Task: voting.Key(k.at), Round: a.round, Judge: voting.Key(s.at(a.judge))}, Sealed: a.sealed}
	n.Commitment, n.Request = a.commitment, s.request(a).Signature
	list, err := s.prog.RelayCommit(hash(network), peer(a.judge), n)
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// inAnother points an Ed25519 instruction to bytes in the instruction of that index: field 0 is the
// signature, 1 the key, 2 the message.
func inAnother(s *scene, i onchain.Instruction, field int, index uint16) onchain.Instruction {
	s.t.Helper()
	data := slices.Clone(i.Data)
	binary.LittleEndian.PutUint16(data[2+2*[]int{1, 3, 6}[field]:], index)
	return with(i, data)
}

func relayScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"is a commit": func(s *scene) {
			s.cast(7)
			k := s.contested()
			s.no(program.ErrNotSeated, s.relay(k, s.asked(k, 1, "j0", voting.Accept))...)
			s.draw(k)
			s.ok(s.relay(k, s.asked(k, 1, "j0", voting.Accept))...)
			s.no(program.ErrAlreadyCommitted, s.relay(k, s.asked(k, 1, "j0", voting.Accept))...)
			s.no(program.ErrAlreadyCommitted, s.commit(k, 1, "j0", voting.Accept))
			unsealed := s.asked(k, 1, "j1", voting.Reject)
			unsealed.sealed = nil
			s.ok(s.relay(k, unsealed)...)
			s.ok(s.commit(k, 1, "j2", voting.Accept))
			s.no(program.ErrAlreadyCommitted, s.relay(k, s.asked(k, 1, "j2", voting.Accept))...)
			s.until(s.caseOf(k).CommitEnds)
			for judge, choice := range map[string]voting.Choice{"j0": voting.Accept} {
				s.ok(s.reveal(k, 1, judge, choice))
			}
			s.no(program.ErrWrongStatus, s.relay(k, s.asked(k, 1, "j3", voting.Accept))...)
		},
		"in time": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.pass(419)
			s.ok(s.relay(k, s.asked(k, 1, "j0", voting.Accept))...)
			s.pass(1)
			s.no(program.ErrTooLate, s.relay(k, s.asked(k, 1, "j1", voting.Accept))...)
		},
		"the last one begins the reveal": func(s *scene) {
			s.cast(7)
			k := s.seated()
			names := s.panel(k)
			s.commits(k, all(names[:6], voting.Accept))
			s.ok(s.relay(k, s.asked(k, 1, names[6], voting.Accept))...)
			s.reveals(k, all(names, voting.Accept))
			s.ok(s.settle(k))
		},
		"who equivocated, has left, or is nobody": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.ok(s.slash(k, 1, "j0")...)
			s.no(program.ErrEquivocated, s.relay(k, s.asked(k, 1, "j0", voting.Accept))...)
			s.no(program.ErrNotSeated, s.relay(k, s.asked(k, 1, "alice", voting.Accept))...)
			s.round(k, all([]string{"j1", "j2", "j3", "j4", "j5", "j6"}, voting.Accept))
			s.no(program.ErrWrongStatus, s.relay(k, s.asked(k, 1, "j1", voting.Accept))...)
			s.ok(s.exit("j1"))
			s.pass(172_800)
			s.released("j1")
			s.ok(s.leave("j1"))
			s.no(program.ErrNotOnRoster, s.relay(k, s.asked(k, 1, "j1", voting.Accept))...)
		},
		"arguments": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.no(program.ErrWrongRound, s.relay(k, s.asked(k, 2, "j0", voting.Accept))...)
			zero := s.asked(k, 1, "j0", voting.Accept)
			zero.commitment = voting.Hash{}
			s.no(program.ErrMissingHash, s.relay(k, zero)...)
			for _, n := range []int{1, 92, 94} {
				odd := s.asked(k, 1, "j0", voting.Accept)
				odd.sealed = make([]byte, n)
				s.no(program.ErrBadSealed, s.relay(k, odd)...)
			}
		},
		"the request": func(s *scene) {
			s.cast(7)
			k := s.seated()
			a := s.asked(k, 1, "j0", voting.Accept)
			good := s.relay(k, a)
			for _, change := range []func(*ask){
				func(a *ask) { a.network = peer("x") }, func(a *ask) { a.program = peer("x") }, func(a *ask) { a.task = s.at("x") },
				func(a *ask) { a.round = 2 }, func(a *ask) { a.judge = "j1" }, func(a *ask) { a.node = "j1" },
				func(a *ask) { a.commitment[31] ^= 1 }, func(a *ask) { a.sealed = nil }, func(a *ask) { a.sealed = bytes.Repeat([]byte{8}, 93) },
			} {
				wrong := a
				change(&wrong)
				s.no(program.ErrBadRelay, program.Ed25519(s.request(wrong)), good[1])
			}
			request, spare := s.request(a), s.said(k, 1, "j0", "x")
			statement := says("j0", s.domain().Statement(voting.Key(k.at), 1, voting.Key(s.at("j0")), a.commitment))
			longer := says("j0", append(slices.Clone(request.Message), 0))
			for _, before := range []onchain.Instruction{
				program.Ed25519(), program.Ed25519(statement), program.Ed25519(longer), program.Ed25519(request, spare), program.Ed25519(request, request),
				s.idle(),
			} {
				s.no(program.ErrBadRelay, before, good[1])
			}
			s.no(program.ErrBadRelay, good[1])
			s.no(program.ErrBadRelay, good[0], s.idle(), good[1])
			for field := range 3 { // the precompile accepts them: they point to the same bytes
				s.no(program.ErrBadRelay, inAnother(s, good[0], field, 0), good[1])
			}
			s.ok(good...)
		},
	}
}
