package exchange

import (
	"context"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/voting"
)

// Question is a request in a round.
type Question struct {
	Case    casefile.Address
	Round   uint8
	Source  string
	Request voting.Hash // of its canonical JSON
}

// Shared is an answer that another judge of the round got. Its holder's receipt proves it
// (docs/adr/0015-shared-answers.md).
type Shared struct {
	From    casefile.DID // the judge's node
	Receipt casefile.Receipt
	Content []byte
	Terms   []byte // the receipt names their hash
}

// Sharer asks other judges of the round for their answers.
type Sharer interface {
	// Shared sends answers to a question. It closes the channel when no more can come or ctx has
	// ended. It asks a few judges or every judge. The caller stops reading when ctx ends, and
	// checks the receipts. The Sharer checks that From sits in the round as the judge that the
	// receipt names.
	Shared(ctx context.Context, q Question, every bool) <-chan Shared
}

const (
	maxSharedQuestions = 1024 // questions whose answers others can get
	maxSharedAnswers   = 4    // answers to one of them
)

// shareable has the answers that this node may share.
type shareable struct {
	mu       sync.Mutex
	receipts map[Question][]casefile.Receipt
	order    []Question // oldest first
}

// SharedReceipts returns the receipts of shareable answers. Their content is among the blobs.
func (d *Requester) SharedReceipts(q Question) []casefile.Receipt {
	d.shareable.mu.Lock()
	defer d.shareable.mu.Unlock()
	return slices.Clone(d.shareable.receipts[q])
}

func (d *Requester) keepShareable(q Question, a Answer) {
	if !a.shareable || d.cfg.SharedAnswersWait == 0 {
		return
	}
	l := &d.shareable
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.receipts == nil {
		l.receipts = map[Question][]casefile.Receipt{}
	}
	if _, known := l.receipts[q]; !known {
		if len(l.order) == maxSharedQuestions {
			delete(l.receipts, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, q)
	}
	if len(l.receipts[q]) < maxSharedAnswers {
		l.receipts[q] = append(l.receipts[q], a.Receipt)
	}
}

// mayShare reports whether the holder's terms let the judge share an answer with other judges of
// the round: it is free, no promise was made for it, and every seat of the round may ask for it.
func (a *attempt) mayShare(t anex.Terms) bool {
	return a.card != nil && a.card.Terms.Who.Class != datasource.Listed && t.Grant.Price == 0 && len(t.Grant.Promise) == 0
}

// free reports whether the agreed terms match the receipt and contain no promise.
func (s Shared) free() bool {
	if casefile.HashOf(s.Terms) != voting.Hash(s.Receipt.Terms) {
		return false
	}
	terms, err := casefile.ParseAgreed(s.Terms)
	return err == nil && terms.Differs(s.Receipt) == "" && len(terms.Promise) == 0
}

func (q *fanOut) question() Question {
	e := q.session.eval
	return Question{Case: e.Case, Round: e.Round, Source: q.topic.source, Request: q.topic.request}
}

// verifyShared checks a shared answer: its holder gave it in this round, to this question.
func (q *fanOut) verifyShared(s Shared) (Answer, error) {
	r, w := s.Receipt, q.session.window()
	data, response, err := content(s.Content, datasource.MaxAnswer)
	if err != nil {
		return Answer{}, err
	}
	if err := different([]part{
		{"asker", r.Asker == s.From}, {"holder", r.Holder != r.Asker}, {"case", r.Case == q.session.eval.Case}, {"round", r.Round == q.session.eval.Round},
		{"source", r.Source == q.topic.source}, {"request", r.Request == casefile.Digest(q.topic.request)},
		{"response", r.Response == casefile.Digest(response)}, {"price", r.Price == 0}, {"time", w.has(r)}, {"terms", s.free()},
		{"signature", r.Verify(q.session.requester.deps.Domain) == nil},
	}); err != nil {
		return Answer{}, err
	}
	hash, err := r.Hash()
	return Answer{Source: r.Source, Content: data, Receipt: r, Hash: hash, Holder: r.Holder, At: r.At, FetchedAt: r.FetchedAt, Shared: true}, err
}
