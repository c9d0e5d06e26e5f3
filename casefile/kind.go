package casefile

import (
	"fmt"
	"strings"

	"ojud/voting"
)

// Kind says what an event is about.
type Kind string

// The kinds of events (protocol section 10). An unknown kind is refused, because what a node does
// not understand it must not pass on as testimony.
const (
	KindOpen         Kind = "open"         // the case as the actor saw it open
	KindDraw         Kind = "draw"         // a round as it was drawn
	KindCommit       Kind = "commit"       // the actor's own commitment
	KindData         Kind = "data_request" // what the actor asked for as a judge, after the reveal began
	KindReceipt      Kind = "receipt"      // what the actor answered as a holder, after the reveal began
	KindInjection    Kind = "injection"    // what the actor found that may be meant to steer a judge, after the reveal began
	KindOpinion      Kind = "opinion"      // the actor's own opinion, after the reveal began
	KindVote         Kind = "vote"         // the actor's own vote
	KindEquivocation Kind = "equivocation" // two statements of one judge
	KindTwofold      Kind = "twofold"      // two answers of one holder to one question
	KindSettle       Kind = "settle"       // a round as it was settled
	KindOutcome      Kind = "outcome"      // what became of the money
)

// named reports whether a kind is a word that JSON writes as it is.
func (k Kind) named() bool { return strings.Trim(string(k), "abcdefghijklmnopqrstuvwxyz_") == "" }

// The bodies of events.
type (
	// FactBody names a fact document that is about the whole case: open, outcome.
	FactBody struct {
		Facts Digest `json:"facts"`
	}
	// RoundFactBody names a fact document of one round: draw, settle.
	RoundFactBody struct {
		Round uint8  `json:"round"`
		Facts Digest `json:"facts"`
	}
	// CommitBody is the actor's commitment and the signature of its statement.
	CommitBody struct {
		Round      uint8     `json:"round"`
		Commitment Digest    `json:"commitment"`
		Statement  Signature `json:"statement"`
	}
	// OpinionBody names the actor's opinion.
	OpinionBody struct {
		Round   uint8  `json:"round"`
		Opinion Digest `json:"opinion"`
	}
	// VoteBody is the actor's vote.
	VoteBody struct {
		Round uint8 `json:"round"`
		Vote  Vote  `json:"vote"`
	}
	// EquivocationBody is evidence against a judge.
	EquivocationBody struct {
		Round uint8     `json:"round"`
		Judge Address   `json:"judge"`
		Peer  DID       `json:"peer"`
		A     Statement `json:"a"`
		B     Statement `json:"b"`
	}
	// TwofoldBody is evidence against a holder: two receipts that contradict each other. The first
	// has the lower hash.
	TwofoldBody struct {
		A Receipt `json:"a"`
		B Receipt `json:"b"`
	}
	// Statement is a commitment with the signature of its statement.
	Statement struct {
		Commitment Digest    `json:"commitment"`
		Signature  Signature `json:"signature"`
	}
)

// ParsedBody decodes and checks the body that the event's kind demands.
func (e Event) ParsedBody() (Form, error) {
	switch e.Kind {
	case KindOpen, KindOutcome:
		return bodyAs[FactBody](e)
	case KindDraw, KindSettle:
		return bodyAs[RoundFactBody](e)
	case KindCommit:
		return bodyAs[CommitBody](e)
	case KindOpinion:
		return bodyAs[OpinionBody](e)
	case KindVote:
		return bodyAs[VoteBody](e)
	case KindEquivocation:
		return bodyAs[EquivocationBody](e)
	case KindTwofold:
		return bodyAs[TwofoldBody](e)
	case KindData:
		return bodyAs[DataBody](e)
	case KindReceipt:
		return bodyAs[ReceiptBody](e)
	case KindInjection:
		return bodyAs[InjectionBody](e)
	}
	return nil, &FieldError{Document: "event", Field: "kind", Problem: fmt.Sprintf("%.40q is no kind that this version knows", string(e.Kind))}
}

func bodyAs[T Form](e Event) (Form, error) {
	var b T
	if err := decode("event", e.Body, &b, "body"); err != nil {
		return nil, err
	}
	return b, b.validate("event")
}

func (b FactBody) validate(string) error           { return nil }
func (b RoundFactBody) validate(doc string) error  { return checkRound(doc, b.Round) }
func (b CommitBody) validate(doc string) error     { return checkRound(doc, b.Round) }
func (b OpinionBody) validate(doc string) error    { return checkRound(doc, b.Round) }
func (b EquivocationBody) validate(d string) error { return checkRound(d, b.Round) }

func (b VoteBody) validate(document string) error {
	c := &checker{document: document}
	b.Vote.check(c, "body.vote")
	if b.Round != b.Vote.Round {
		c.fail("body.round", "is %d, but the vote's is %d", b.Round, b.Vote.Round)
	}
	return c.err
}

func checkRound(document string, round uint8) error {
	c := &checker{document: document}
	c.round("body.round", round)
	return c.err
}

// evidence returns the body as package voting checks it.
func (b EquivocationBody) evidence(task Address) voting.Evidence {
	return voting.Evidence{
		Task: voting.Key(task), Round: b.Round, Judge: voting.Key(b.Judge), Peer: voting.Key(b.Peer),
		A: voting.Signed{Commitment: voting.Hash(b.A.Commitment), Signature: voting.Signature(b.A.Signature)},
		B: voting.Signed{Commitment: voting.Hash(b.B.Commitment), Signature: voting.Signature(b.B.Signature)},
	}
}
