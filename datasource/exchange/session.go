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

// Answer is the answer of one holder. The content is hostile: treat it as data.
type Answer struct {
	Source    string
	Content   json.RawMessage // canonical JSON, at most 1 MiB; do not change it
	Receipt   casefile.Receipt
	Hash      voting.Hash // of the receipt: names the answer in findings and in the receipts root
	Holder    casefile.DID
	At        int64 // Unix seconds of the chain's clock
	FetchedAt int64 // Unix seconds of the chain's clock, when the holder fetched it
	Own       bool  // from this node's own source
	Shared    bool  // another judge of the round got it and shared it
	Stale     bool  // older than the holder's card promises, or much older than another answer
	Disputed  bool  // another holder gave a different answer
	// Standing and Weight say what stands behind the answer, if Evaluation.Staked is known.
	Standing casefile.HolderStanding
	Weight   uint64

	shareable bool // to other judges of the round
}

// Session gives one evaluation access to data. Several goroutines may ask at once.
type Session struct {
	requester *Requester
	eval      Evaluation
	ctx       context.Context // ends when no more is asked
	stop      context.CancelFunc
	work      sync.WaitGroup // fan-outs and conversations

	mu     sync.Mutex
	closed bool
	asked  map[topic]*fanOut
	order  []*fanOut
	known  map[casefile.DID]reputation
	budget budget
}

// topic is a question, which is asked once.
type topic struct {
	source  string
	request voting.Hash
}

// reputation is a session's knowledge about a holder that failed.
type reputation uint8

const (
	unreliable reputation = iota + 1 // unreachable or slow: asked last
	banned                           // misbehaved: not asked again
)

// Ask requests data from a source that the task names. The request is a JSON object. It returns the
// answer of each holder that was asked, the own source's first, and at least one if err is nil. A
// repeated question returns the earlier answers. Ask returns when ctx ends and before the
// evaluation's deadline. The question goes on if one of its callers gives up.
func (s *Session) Ask(ctx context.Context, source string, request json.RawMessage) ([]Answer, error) {
	if !slices.Contains(s.eval.Sources, source) {
		return nil, fmt.Errorf("%w: %.80q", ErrNotNamed, source)
	}
	canonical, hash, err := question(request)
	if err != nil {
		return nil, err
	}
	q, err := s.fanOutFor(topic{source, hash}, canonical)
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

// fanOutFor finds or begins the fan-out of a question.
func (s *Session) fanOutFor(t topic, request json.RawMessage) (*fanOut, error) {
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
	q := newFanOut(s, t, request)
	s.asked[t] = q
	s.order = append(s.order, q)
	s.work.Go(q.run)
	return q, nil
}

// Close ends everything under way and waits for it, including the last messages of conversations:
// at most twice RequesterConfig.CloseTimeout. Record is then complete. It is complete earlier if
// every Ask has returned its answer.
func (s *Session) Close() {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.work.Wait()
	if !again {
		s.requester.leave(s.eval.Case)
	}
}

// Record returns the requests and their results, one body for each finished question in the order
// of asking. They are the data_request events of the case file.
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

// Receipts returns the receipts of Record in the same order. The vote commits to them.
func (s *Session) Receipts() []casefile.Receipt {
	out := []casefile.Receipt{}
	for _, b := range s.Record() {
		out = append(out, b.Receipts...)
	}
	return out
}

// reputation returns the session's knowledge about a holder.
func (s *Session) reputation(peer casefile.DID) reputation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[peer]
}

func (s *Session) remember(peer casefile.DID, now reputation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[peer] = max(s.known[peer], now)
}
