package casefile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

type (
	// InjectionBody lists the texts that the actor found, as a judge, and that may be meant to
	// steer a reader of the case: one event a round, after the reveal began and before the vote. It
	// decides nothing; it is there so that parties and other judges see it.
	InjectionBody struct {
		Round    uint8       `json:"round"`
		Findings []Injection `json:"findings"`
	}
	// Injection is one finding of the actor's opinion: one whose check is InjectionClass and Check,
	// and whose outcome is fail.
	Injection struct {
		Document Digest `json:"document"` // SHA-256 of the content that has it
		Where    Place  `json:"where"`
		Check    string `json:"check"`  // such as "instructions", "hidden characters", "data"
		Detail   string `json:"detail"` // what the opinion says of it, at most maxFound bytes of it
	}
	// Place is which content of a case.
	Place string
)

// The places where an injection can be found.
const (
	InTask      Place = "task"
	InResult    Place = "result"
	InObjection Place = "objection"
	InCounter   Place = "counter-objection"
	InExhibit   Place = "exhibit" // content that a pleading names
	InData      Place = "data"    // the answer of a holder
)

// InjectionClass begins the check of every finding about an attempt to steer.
const InjectionClass = "injection/"

// The limits of an injection event.
const (
	MaxInjections = 32
	maxFound      = 300 // bytes
)

func (b InjectionBody) validate(document string) error {
	c := &checker{document: document}
	c.round("body.round", b.Round)
	c.count("body.findings", len(b.Findings), MaxInjections, "findings")
	if len(b.Findings) == 0 {
		c.fail("body.findings", "is empty; a judge that found nothing writes no such event")
	}
	for i, f := range b.Findings {
		path := fmt.Sprintf("body.findings[%d]", i)
		c.text(path+".check", f.Check, 1, maxCheck-len(InjectionClass))
		c.text(path+".detail", f.Detail, 0, maxFound)
		if !slices.Contains([]Place{InTask, InResult, InObjection, InCounter, InExhibit, InData}, f.Where) {
			c.fail(path+".where", "%.20q is none of task, result, objection, counter-objection, exhibit, data", string(f.Where))
		}
		if slices.Contains(b.Findings[:i], f) {
			c.fail(path, "stands there twice")
		}
	}
	return c.err
}

// Injection is a finding as an injection event names it, if it is about an attempt to steer.
func (f Finding) Injection(document Digest, where Place) (Injection, bool) {
	check, ours := strings.CutPrefix(f.Check, InjectionClass)
	return Injection{Document: document, Where: where, Check: check, Detail: begin(f.Detail)}, ours && check != "" && f.Outcome == Fail
}

// Matches reports whether i describes finding f as an injection event does.
func (i Injection) Matches(f Finding) bool {
	return f.Check == InjectionClass+i.Check && f.Outcome == Fail && begin(f.Detail) == i.Detail
}

// Paper is the hash of a paper of the case.
func (t TaskTerms) Paper(where Place) (Digest, bool) {
	switch where {
	case InTask:
		return t.TaskHash, true
	case InResult:
		return t.ResultHash, true
	case InObjection:
		return t.ObjectionHash, true
	case InCounter:
		return t.CounterHash, true
	case InExhibit, InData:
	}
	return Digest{}, false
}

// begin is as much of a detail as an event takes.
func begin(detail string) string {
	if len(detail) <= maxFound {
		return detail
	}
	end := maxFound
	for !utf8.RuneStart(detail[end]) {
		end--
	}
	return detail[:end]
}

// Injected checks that what an actor found in answers is in answers that it was given in that
// round, and said before its vote.
func (t Court) Injected(c *ActorChain, _ Event, body Form) error {
	b, ok := body.(InjectionBody)
	if !ok || c == nil {
		return nil
	}
	if len(c.find(topic{kind: KindVote, round: b.Round})) > 0 {
		return fmt.Errorf("%w: an injection is named after the vote of its round", ErrContradicts)
	}
	given := c.receipts(b.Round)
	for _, f := range b.Findings {
		if f.Where == InData && !slices.ContainsFunc(given, func(r Receipt) bool { return r.Response == f.Document }) {
			return fmt.Errorf("%w: an injection is in an answer that the actor was not given in round %d", ErrContradicts, b.Round)
		}
	}
	return nil
}
