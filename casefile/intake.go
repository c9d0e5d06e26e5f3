package casefile

import (
	"fmt"
	"slices"

	"ojud/voting"
	"ojud/voting/verifier"
)

// Seating says who sat where, as the chain drew it. An actor is a judge's node; the zero address
// means no seat.
type Seating struct {
	rounds [MaxRound + 1]map[DID]Address // peer to authority
}

// Seat records that the judge with this node key sits in a round. Rounds above MaxRound and round 0
// do not exist and are ignored.
func (s *Seating) Seat(round uint8, peer, judge voting.Key) {
	if round < 1 || round > MaxRound {
		return
	}
	if s.rounds[round] == nil {
		s.rounds[round] = map[DID]Address{}
	}
	s.rounds[round][DID(peer)] = Address(judge)
}

// Judge returns the authority for which the actor sits in a round; round 0 means any.
func (s *Seating) Judge(round uint8, actor DID) (Address, bool) {
	if round == 0 {
		for r := 1; r <= MaxRound; r++ {
			if judge, ok := s.rounds[r][actor]; ok {
				return judge, true
			}
		}
		return Address{}, false
	}
	judge, ok := s.rounds[round][actor]
	return judge, ok
}

// Court is the court before which an event is examined.
type Court struct {
	Domain voting.Domain
	Task   Address // names the case
	Seats  *Seating
	Verify Verify
}

// Verify checks a signature as package verifier does. Nil is verifier.Verify, which remembers none.
type Verify func(signer voting.Key, message []byte, sig voting.Signature) bool

func (v Verify) signed(by DID, message []byte, sig Signature) bool {
	if v == nil {
		return verifier.Verify(by, message, sig)
	}
	return v(voting.Key(by), message, voting.Signature(sig))
}

// examine decides whether an event with a good signature and a place in its chain is taken. All
// honest nodes come to the same answer, because it depends on nothing but the draw and the actor's
// own chain.
func (t Court) examine(c *ActorChain, e Event, body Form) error {
	for _, check := range []func(*ActorChain, Event, Form) error{t.Repeated, t.Seated, t.Statement, t.Vote, t.Asked, t.Answered, t.Injected, t.Twofold, t.Data, t.Opinion, t.Proof} {
		if err := check(c, e, body); err != nil {
			return fmt.Errorf("event %d (%s) of %s: %w", e.Seq, e.Kind, e.Actor, err)
		}
	}
	return nil
}

// Repeated refuses what the actor has said already.
func (t Court) Repeated(c *ActorChain, e Event, body Form) error {
	said := c.find(topicOf(e.Kind, body))
	commit, isCommit := body.(CommitBody)
	switch {
	case len(said) == 0:
		return nil
	case isCommit && len(said) == 1 && said[0].(CommitBody).Commitment != commit.Commitment:
		return nil // two are evidence
	}
	return ErrRepeated
}

// Seated refuses actors that have no seat; what an actor says of its own doings in a round needs a
// seat in that round.
func (t Court) Seated(_ *ActorChain, e Event, body Form) error {
	round := uint8(0)
	switch b := body.(type) {
	case CommitBody:
		round = b.Round
	case OpinionBody:
		round = b.Round
	case VoteBody:
		round = b.Round
	case DataBody:
		round = b.Round
	case InjectionBody:
		round = b.Round
	}
	if _, ok := t.Seats.Judge(round, e.Actor); !ok {
		return ErrStranger
	}
	return nil
}

// testifies refuses facts of a round from who has no seat in it. Earlier programs took them.
func (t Court) testifies(e Event, body Form) error {
	b, ok := body.(RoundFactBody)
	if _, seated := t.Seats.Judge(b.Round, e.Actor); ok && !seated {
		return fmt.Errorf("event %d (%s of round %d) of %s: %w", e.Seq, e.Kind, b.Round, e.Actor, ErrStranger)
	}
	return nil
}

// Statement checks the signed statement of a commitment.
func (t Court) Statement(_ *ActorChain, e Event, body Form) error {
	b, ok := body.(CommitBody)
	if !ok {
		return nil
	}
	judge, _ := t.Seats.Judge(b.Round, e.Actor)
	statement := t.Domain.Statement(voting.Key(t.Task), b.Round, voting.Key(judge), voting.Hash(b.Commitment))
	if !t.Verify.signed(e.Actor, statement, b.Statement) {
		return fmt.Errorf("statement of the commitment: %w", ErrSignature)
	}
	return nil
}

// Vote checks that a vote is the actor's own, signed, and in keeping with what the actor committed
// to and thought.
func (t Court) Vote(c *ActorChain, e Event, body Form) error {
	b, ok := body.(VoteBody)
	if !ok {
		return nil
	}
	judge, _ := t.Seats.Judge(b.Round, e.Actor)
	if b.Vote.AgentID != e.Actor || b.Vote.Judge != judge || b.Vote.Case != t.Task {
		return fmt.Errorf("%w: the vote is of another seat or case", ErrContradicts)
	}
	if err := b.Vote.verify(t.Domain, t.Verify); err != nil {
		return err
	}
	if said := c.commitments(b.Round); len(said) > 0 && !slices.Contains(said, b.Vote.Commitment()) {
		return fmt.Errorf("%w: the vote does not open what the actor committed to", ErrContradicts)
	}
	for _, said := range c.find(topic{kind: KindOpinion, round: b.Round}) {
		if said.(OpinionBody).Opinion != b.Vote.OpinionHash {
			return fmt.Errorf("%w: the vote rests on another opinion", ErrContradicts)
		}
	}
	return nil
}

// Opinion checks an opinion's hash against an earlier vote.
func (t Court) Opinion(c *ActorChain, _ Event, body Form) error {
	b, ok := body.(OpinionBody)
	if !ok {
		return nil
	}
	for _, said := range c.find(topic{kind: KindVote, round: b.Round}) {
		if said.(VoteBody).Vote.OpinionHash != b.Opinion {
			return fmt.Errorf("%w: the vote rests on another opinion", ErrContradicts)
		}
	}
	return nil
}

// Proof checks evidence of equivocation. The accused must sit in the round under that node key.
func (t Court) Proof(_ *ActorChain, _ Event, body Form) error {
	b, ok := body.(EquivocationBody)
	if !ok {
		return nil
	}
	if judge, ok := t.Seats.Judge(b.Round, b.Peer); !ok || judge != b.Judge {
		return fmt.Errorf("%w: the accused does not sit in round %d", ErrStranger, b.Round)
	}
	if err := b.evidence(t.Task).Verify(t.Domain); err != nil {
		return fmt.Errorf("%w: %w", ErrContradicts, err)
	}
	return nil
}
