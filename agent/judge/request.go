package judge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile"
)

// Limits of a model's question to a source (compare arXiv 2510.05244). The parties' documents and
// other answers tell the model what to ask, and the source's holder reads the question.
const (
	maxRequest = 2 << 10 // bytes of a request
	maxCarried = 24      // values and names in it
	maxPhrase  = 200     // bytes of one of them
	maxPlain   = 99      // numbers up to this one need no origin: counts and pages
)

var (
	errLong    = errors.New("the request is too long")
	errUnknown = errors.New("the request has a value that stands neither in the task nor in the result, nor in the words of its source; use values from there")
)

// admit returns an error if a question of the model must not be asked. Each value and each name in
// it must stand, as whole words, in the task, in the result, in the source's own description, or in
// an earlier answer of this source. So no holder learns words of the system prompt, a persona, a
// pleading, the judge's memory, or another source's answer.
func (q *investigation) admit(b Brief, r Request, record *recorder) error {
	if !q.on.requests {
		return nil
	}
	if len(r.Request) > maxRequest {
		return errLong
	}
	doc, err := decode(r.Request, maxRequest)
	if err != nil {
		return err
	}
	carried := prose.Words(doc, nil)
	if len(carried) > maxCarried {
		return errLong
	}
	known := q.known(b, r.DataSource, record)
	for _, w := range carried {
		if len(w) > maxPhrase {
			return errLong
		}
		if !small(w) && !slices.ContainsFunc(known, func(text string) bool { whole, _ := prose.Occurs(text, w); return whole }) {
			return errUnknown
		}
	}
	return nil
}

// known returns the texts from which a question to a source may be made.
func (q *investigation) known(b Brief, source string, record *recorder) (out []string) {
	for _, raw := range [][]byte{b.Task.Raw, b.Result.Raw} {
		out = append(out, texts(raw)...)
	}
	for _, s := range q.sources {
		if s.Name == source {
			out = append(out, texts(s.InputSchema)...)
		}
	}
	for _, h := range record.all() {
		if h.Source != source {
			continue
		}
		for _, a := range h.answers {
			out = append(out, texts(a.Content)...)
		}
	}
	return out
}

// texts returns the words of JSON. Other content is one text.
func texts(raw []byte) []string {
	doc, err := decode(raw, casefile.MaxBlob)
	if err != nil {
		return []string{prose.Squeeze(string(raw))}
	}
	return prose.Words(doc, nil)
}

// small reports whether a word is a small whole number, which reveals nothing.
func small(word string) bool {
	n, err := strconv.Atoi(word)
	return err == nil && n >= 0 && n <= maxPlain
}

// withheld reports how many questions were not asked.
func (q *investigation) withheld() []casefile.Finding {
	if q.refused == 0 {
		return nil
	}
	return []casefile.Finding{finding(note+"data", casefile.Unknown,
		fmt.Sprintf("%d questions of the model were not put: they would have told a source what is neither in the task nor in the result", q.refused))}
}

// steeredByGuide flags descriptions of sources that speak to their reader.
func (q *investigation) steeredByGuide() {
	for _, s := range q.sources {
		if said, found := prose.Steering([]byte(s.Description + "\n" + strings.TrimSpace(string(s.InputSchema)))); found {
			q.flags = append(q.flags, finding(injection+"data", casefile.Fail, fmt.Sprintf("%s: its description speaks to its reader: %s", s.Name, said)))
		}
	}
}
