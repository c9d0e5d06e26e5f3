package judge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/voting"
)

// Judge forms an opinion of a case. It may take minutes, ask for data, and come to another opinion the next time.
//
// Evaluate returns soon after ctx is done, whatever it was doing. It leaves Case, Round, Judge, Family and DataAccessed of the opinion
// empty: the Runner and the node fill them in, and Dimension if it is empty. It is called for several cases at once.
type Judge interface {
	Evaluate(ctx context.Context, b Brief) (casefile.Opinion, error)
}

// Brief is all that a judge is told. Everything the parties wrote is hostile.
type Brief struct {
	Case     voting.Key // the task's account
	Round    uint8
	Judge    voting.Key // authority of the seat for which the opinion is
	Deadline time.Time  // of the node's clock; afterwards the opinion is of no use

	Task      Paper[casefile.Task]
	Result    Paper[casefile.Result]
	Objection Paper[casefile.Objection]
	Counter   Paper[casefile.Objection]
	Exhibits  map[voting.Hash][]byte // content that the pleadings name, as far as the node could get it
	Evidence  Evidence
}

// Paper is a document of the case: canonical bytes and what they say, or why there is nothing to read.
type Paper[T any] struct {
	casefile.Doc[T]
	Err error // nil, ErrMissing, or what is wrong with the content
}

// ErrMissing: no node had the content. A node says so only after it has asked its peers until shortly before the deadline,
// for the party that should have made it available bears the loss.
var ErrMissing = errors.New("judge: the content cannot be had")

// Open reads content that the chain names by its hash. Nil content is missing.
func Open[T any](hash voting.Hash, content []byte, parse func([]byte) (casefile.Doc[T], error)) Paper[T] {
	if content == nil {
		return Paper[T]{Err: ErrMissing}
	}
	if got := casefile.HashOf(content); got != hash {
		return Paper[T]{Err: fmt.Errorf("%w: what came has the hash %s instead of %s", ErrMissing, got, hash)}
	}
	if err := casefile.Exact(content, casefile.MaxDocument); err != nil {
		return Paper[T]{Err: err}
	}
	doc, err := parse(content)
	return Paper[T]{Doc: doc, Err: err}
}

// Readable reports whether there is something to read.
func (p Paper[T]) Readable() bool { return p.Err == nil && p.Raw != nil }
