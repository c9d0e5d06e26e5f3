package judge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/agent/judge/signed"
	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/canon"
	"ojud/voting"
)

// Judge forms an opinion of a case. This may take minutes and need data. The next opinion of the
// same case may be another one.
//
// Evaluate returns soon after ctx ends. It leaves Case, Round, Judge, Family and DataAccessed of
// the opinion empty, because the Runner and the node fill them in; they also fill in Dimension if
// it is empty. Evaluate may run for several cases at once.
type Judge interface {
	Evaluate(ctx context.Context, b Brief) (casefile.Opinion, error)
}

// Brief is the whole input of a judge. Everything that the parties wrote is hostile.
type Brief struct {
	Case     voting.Key // the task's account
	Round    uint8
	Judge    voting.Key      // the authority of the seat
	Network  casefile.Digest // of the court; zero: receipts among the exhibits are of any
	Program  casefile.Address
	Deadline time.Time // by the node's clock; a later opinion is useless

	Task      Paper[casefile.Task]
	Result    Paper[casefile.Result]
	Objection Paper[casefile.Objection]
	Counter   Paper[casefile.Objection]
	Exhibits  map[voting.Hash][]byte // content that objection and counter-objection name, if the node has it
	Modules   map[voting.Hash][]byte // modules that the task's check programs name, likewise
	Evidence  Evidence
	Reworks   uint8 // how often the worker worked again before this result
	Parties   signed.Parties
	Work      agentdata.Work
}

// Paper is a document of the case, or the error why there is none.
type Paper[T any] struct {
	casefile.Doc[T]
	Err error // nil, ErrMissing, or a fault of the content
}

// ErrMissing says that no node had the content. A node says so only after it asked its peers until
// shortly before the deadline, because the party that published the content bears the loss.
var ErrMissing = errors.New("judge: the content cannot be had")

// Open reads content that the chain names by its hash. If content is nil, it is missing.
func Open[T any](hash voting.Hash, content []byte, parse func([]byte) (casefile.Doc[T], error)) Paper[T] {
	if content == nil {
		return Paper[T]{Err: ErrMissing}
	}
	if got := casefile.HashOf(content); got != hash {
		return Paper[T]{Err: fmt.Errorf("%w: it has the hash %s instead of %s", ErrMissing, got, hash)}
	}
	if err := canon.Exact(content, casefile.MaxDocument); err != nil {
		return Paper[T]{Err: err}
	}
	doc, err := parse(content)
	return Paper[T]{Doc: doc, Err: err}
}

// Readable reports whether the document can be read.
func (p Paper[T]) Readable() bool { return p.Err == nil && p.Raw != nil }
