package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/voting"
)

// Answer is what one holder said. The content is hostile: carry it as data.
type Answer struct {
	Source    string
	Content   json.RawMessage // canonical JSON, at most 1 MiB; not to be changed
	Receipt   casefile.Receipt
	Hash      voting.Hash // of the receipt: names the answer in findings and in the receipts root
	Holder    casefile.DID
	At        int64 // Unix seconds of the chain's clock
	FetchedAt int64 // Unix seconds of the chain's clock, when the holder had it from its source
	Own       bool  // it is that of this node's own source
	Shared    bool  // another judge of the round was given it, and shared it
	Stale     bool  // it is older than the holder's card promises, or much older than another one
	Disputed  bool  // another holder answered something else

	lend bool // to other judges of the round
}

// Session is one evaluation's way to data. Several goroutines may ask at once.
type Session struct {
	desk *Requester
	eval Evaluation
	ctx  context.Context // ends when nothing more is asked
	stop context.CancelFunc
	work sync.WaitGroup // inquiries and conversations

	mu     sync.Mutex
	closed bool
	asked  map[topic]*fanOut
	order  []*fanOut
	known  map[casefile.DID]standing
	budget budget
}

// topic names a question: it is asked once.
type topic struct {
	source  string
	request voting.Hash
}

// standing is what a session knows of a holder that failed.
type standing uint8

const (
	doubtful standing = iota + 1 // it could not be reached, or was slow: others first
	shunned                      // it did what only a faulty peer does: not asked again
)

// Ask asks for data from a source that the task names, with a JSON object for a request. It returns an answer of each of the holders that were
// asked, at least one if err is nil, the own source's first. A question that was asked before has the answers that it had. It returns when ctx ends,
// and before the evaluation's deadline; the question goes on without whoever gave up.
func (s *Session) Ask(ctx context.Context, source string, request json.RawMessage) ([]Answer, error) {
	if !slices.Contains(s.eval.Sources, source) {
		return nil, fmt.Errorf("%w: %.80q", ErrNotNamed, source)
	}
	canonical, hash, err := question(request)
	if err != nil {
		return nil, err
	}
	q, err := s.inquire(topic{source, hash}, canonical)
	if err != nil {
		return nil, err
	}
	select {
	case <-q.done:
		return slices.Clone(q.answers), q.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
}

// inquire finds or begins the fanOut into a question.
func (s *Session) inquire(t topic, request json.RawMessage) (*fanOut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q, ok := s.asked[t]; ok {
		return q, nil
	}
	if s.closed || s.ctx.Err() != nil {
		return nil, fmt.Errorf("%w: the evaluation is over", ErrUnavailable)
	}
	if s.budget.requests == 0 || s.budget.receipts == 0 {
		return nil, fmt.Errorf("%w: questions or receipts", ErrSpent)
	}
	s.budget.requests--
	q := newInquiry(s, t, request)
	s.asked[t] = q
	s.order = append(s.order, q)
	s.work.Go(q.run)
	return q, nil
}

// Close ends what is under way and waits for it, and for the last words of conversations: at most twice DeskConfig.Linger. Then Record is complete;
// it is before, if every Ask has had its answer.
func (s *Session) Close() {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.work.Wait()
	if !again {
		s.desk.leave(s.eval.Case)
	}
}

// Record is what was asked and what came of it, one body for each question that has ended, in the order in which they were asked: the
// data_request events of the case file.
func (s *Session) Record() []casefile.DataBody {
	s.mu.Lock()
	order := slices.Clone(s.order)
	s.mu.Unlock()
	out := []casefile.DataBody{}
	for _, q := range order {
		select {
		case <-q.done:
			out = append(out, q.body())
		default:
		}
	}
	return out
}

// Receipts are those of Record, in the same order: what the vote commits to.
func (s *Session) Receipts() []casefile.Receipt {
	out := []casefile.Receipt{}
	for _, b := range s.Record() {
		out = append(out, b.Receipts...)
	}
	return out
}

// standing returns what is known of a holder.
func (s *Session) standing(peer casefile.DID) standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[peer]
}

func (s *Session) remember(peer casefile.DID, now standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[peer] = max(s.known[peer], now)
}
