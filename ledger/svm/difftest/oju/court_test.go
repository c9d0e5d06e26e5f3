package oju_test

import (
	"bytes"
	"fmt"
	"slices"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// opening returns the opening of a judge's commitment.
func (s *scene) opening(k task, round uint8, judge string, choice voting.Choice) voting.Opening {
	return voting.Opening{
		Choice: choice, Opinion: hash("opinion " + judge), Receipts: hash("receipts"),
		Salt: hash(fmt.Sprint("salt ", judge, round, k.at)),
	}
}

func (s *scene) commit(k task, round uint8, judge string, choice voting.Choice) onchain.Instruction {
	return s.commitment(k, judge, program.Commit{
		Round: round, Sealed: bytes.Repeat([]byte{7}, 93),
		Commitment: s.domain().Commitment(voting.Key(k.at), round, voting.Key(s.at(judge)), s.opening(k, round, judge, choice)),
	})
}

func (s *scene) commitment(k task, judge string, c program.Commit) onchain.Instruction {
	return s.prog.Commit(s.at(judge), k.at, c)
}

func (s *scene) reveal(k task, round uint8, judge string, choice voting.Choice) onchain.Instruction {
	return s.prog.Reveal(k.at, s.at(judge), round, s.opening(k, round, judge, choice))
}

// votes are the choices of judges. A judge that is not named is silent.
type votes map[string]voting.Choice

// all returns the same choice for all.
func all(names []string, choice voting.Choice) votes {
	v := votes{}
	for _, name := range names {
		v[name] = choice
	}
	return v
}

// others returns the other judges of the panel.
func (s *scene) others(k task, one string) []string {
	return slices.DeleteFunc(s.panel(k), func(name string) bool { return name == one })
}

func (s *scene) commits(k task, v votes) {
	s.t.Helper()
	round := s.caseOf(k).Round
	for _, name := range sorted(v) {
		s.ok(s.commit(k, round, name, v[name]))
	}
}

func (s *scene) reveals(k task, v votes) {
	s.t.Helper()
	round := s.caseOf(k).Round
	for _, name := range sorted(v) {
		s.ok(s.reveal(k, round, name, v[name]))
	}
}

// vote runs a round up to its settlement, which is possible when all have voted or the time is
// over.
func (s *scene) vote(k task, v votes) {
	s.t.Helper()
	s.commits(k, v)
	if s.caseOf(k).Status == voting.Committing {
		s.until(s.caseOf(k).CommitEnds)
	}
	s.reveals(k, v)
}

// round runs a whole round.
func (s *scene) round(k task, v votes) {
	s.t.Helper()
	s.vote(k, v)
	s.ok(s.settle(k))
}

// signed returns a judge's statement, signed by its node.
func (s *scene) signed(k task, round uint8, judge, text string) voting.Signed {
	said := s.said(k, round, judge, text)
	return voting.Signed{Commitment: hash(text), Signature: said.Signature}
}

func (s *scene) said(k task, round uint8, judge, text string) program.SelfContained {
	return says(judge, s.domain().Statement(voting.Key(k.at), round, voting.Key(s.at(judge)), hash(text)))
}

// slash proves that a judge signed two commitments in a round.
func (s *scene) slash(k task, round uint8, judge string) []onchain.Instruction {
	s.t.Helper()
	list, err := s.prog.SlashEquivocation(s.seat(k, judge), hash(network), voting.Evidence{
		Task: voting.Key(k.at), Round: round, Judge: voting.Key(s.at(judge)), Peer: peer(judge),
		A: s.signed(k, round, judge, "one"), B: s.signed(k, round, judge, "two"),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// seat returns a judge's place in the panel, or 0 if it has none.
func (s *scene) seat(k task, judge string) uint8 {
	return uint8(max(0, slices.Index(s.panel(k), judge)))
}

// slashWith replaces the evidence. Evidence without data is left out.
func slashWith(list []onchain.Instruction, evidence onchain.Instruction) []onchain.Instruction {
	if evidence.Data == nil {
		return list[1:]
	}
	return []onchain.Instruction{evidence, list[1]}
}
