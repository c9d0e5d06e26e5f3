package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ojud/casefile"
)

const (
	contested   = 3  // answers that are asked for at least, if they contradict each other
	maxSeen     = 64 // candidates that are considered
	maxFailures = 16 // in the record of a question (casefile.DataBody)

	tryAgainAfter = 2 * time.Second // for a holder that is busy, or whose view of the chain lags
)

// outcome is the result of asking one holder.
type outcome struct {
	holder casefile.DID
	answer *Answer
	why    why // if there is no answer
}

// fanOut puts one question to several holders. Until done, its fields belong to run.
type fanOut struct {
	session *Session
	topic   topic
	request json.RawMessage
	done    chan struct{}

	answers  []Answer
	failures []casefile.Failure
	err      error

	outcomes chan outcome
	running  map[casefile.DID]bool
	patience <-chan time.Time
	effects  [spent + 1]int // the number of failures with each effect
	unfit    uint64         // the weight of the staked holders that do not take the request
	began    time.Time
	queue
	sharing
}

// queue holds the candidates of a fan-out.
type queue struct {
	candidates <-chan Candidate
	seen       map[casefile.DID]bool
	waiting    []Candidate                // asked if another answer is needed
	later      []Candidate                // unreliable ones, asked last
	tries      int                        // of holders that count
	strange    int                        // tries of strangers
	tried      map[casefile.DID]Candidate // each is asked once; one that may answer a moment later is asked again
	again      map[casefile.DID]bool
	early      []Candidate      // to be asked again
	recheck    <-chan time.Time // when
}

// sharing holds the answers that other judges of the round share.
type sharing struct {
	shared    <-chan Shared    // nil: no more can come
	headStart <-chan time.Time // holders are not asked before; nil: they are asked now
	spare     []Answer         // beyond the first
}

func newFanOut(s *Session, t topic, request json.RawMessage) *fanOut {
	return &fanOut{session: s, topic: t, request: request, done: make(chan struct{}), running: map[casefile.DID]bool{},
		outcomes: make(chan outcome, s.requester.cfg.MaxHolders+s.mostStrangers()+1),
		queue: queue{seen: map[casefile.DID]bool{s.requester.deps.Self: true}, tried: map[casefile.DID]Candidate{},
			again: map[casefile.DID]bool{}}}
}

// run asks the own source and holders at once, until it has enough answers or asked all.
func (q *fanOut) run() {
	defer close(q.done)
	s := q.session
	q.began = time.Now()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	search, stop := context.WithTimeout(ctx, s.requester.cfg.SearchTimeout)
	defer stop()
	q.candidates = s.requester.deps.Finder.Holders(search, q.topic.source)
	q.askSelf(ctx)
	q.askJudges(ctx)
	q.loop(ctx, search)
	q.fillFromShared(ctx)
	q.compare(ctx)
	q.conclude(ctx)
}

func (q *fanOut) loop(ctx, search context.Context) {
	over := search.Done()
	for q.start(ctx); !q.finished(); q.start(ctx) {
		select {
		case c, ok := <-q.candidates:
			if !ok {
				q.candidates = nil
				continue
			}
			q.consider(c)
		case o := <-q.outcomes:
			q.take(o)
		case a, ok := <-q.shared:
			q.takeShared(a, ok)
		case <-q.headStart:
			q.headStart = nil
		case <-q.recheck:
			q.waiting, q.early, q.recheck = append(q.waiting, q.early...), nil, nil
		case <-over:
			over, q.candidates = nil, nil
		case <-q.patience:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (q *fanOut) take(o outcome) {
	delete(q.running, o.holder)
	deps, metrics := q.session.requester.deps, q.session.requester.metrics
	if o.answer != nil {
		metrics.holders.WithLabelValues(Answered).Inc()
		q.session.requester.keepShareable(q.question(), *o.answer)
		q.add(*o.answer)
		return
	}
	q.fail(&o.holder, o.why)
	if c, once := q.tried[o.holder]; once && o.why.again {
		delete(q.tried, o.holder)
		q.early = append(q.early, c)
		q.recheck = time.After(q.bounded(tryAgainAfter))
	}
	metrics.holders.WithLabelValues(o.why.text).Inc()
	deps.Log.Info("a holder gave no data", "holder", o.holder, "source", q.topic.source, "why", o.why.text, "class", o.why.class)
	switch {
	case o.why.class == "" || o.why.class == ClassLate:
		if o.why.effect == unavailable {
			q.session.remember(o.holder, unreliable)
		}
	default:
		q.session.remember(o.holder, banned)
	}
	if o.why.class != "" {
		metrics.faults.WithLabelValues(string(o.why.class)).Inc()
		if deps.Blame != nil {
			deps.Blame(o.holder, o.why.class)
		}
	}
}

// fail notes a failure. A stranger can have a card that fits no request, so what it says about the
// request is no more than silence.
func (q *fanOut) fail(holder *casefile.DID, w why) {
	if w.effect == unfit && holder != nil {
		standing, weight := q.session.standing(*holder)
		if standing == casefile.Stranger {
			w.effect = unavailable
		}
		q.unfit += weight
	}
	q.effects[w.effect]++
	if len(q.failures) < maxFailures {
		q.failures = append(q.failures, casefile.Failure{Holder: holder, Reason: w.text})
	}
}

// add adds an answer, marks contradictions, and from then on limits the wait for others. The answer
// of a stranger does not limit the wait for holders that count.
func (q *fanOut) add(a Answer) {
	cfg := q.session.requester.cfg
	a.Standing, a.Weight = q.session.standing(a.Holder)
	wait := cfg.SecondAnswerWait
	if a.Own {
		wait = cfg.OwnAnswerWait
	}
	for i := range q.answers {
		if b := &q.answers[i]; contradict(a, *b) {
			a.Disputed, b.Disputed = true, true
			wait = cfg.SecondAnswerWait
		}
	}
	if a.Own {
		q.answers = slices.Insert(q.answers, 0, a)
	} else {
		q.answers = append(q.answers, a)
	}
	if q.session.counts(a.Holder) {
		q.patience = time.After(q.bounded(wait))
	}
}

// bounded limits a wait to a quarter of the time left, so that the first answer is not late.
func (q *fanOut) bounded(wait time.Duration) time.Duration {
	if end, ok := q.session.ctx.Deadline(); ok {
		return min(wait, max(0, time.Until(end)/4))
	}
	return wait
}

func contradict(a, b Answer) bool {
	return slices.Equal(a.Receipt.Access, b.Receipt.Access) && a.Receipt.Response != b.Receipt.Response
}

// body is the record of the question; done is closed.
func (q *fanOut) body() casefile.DataBody {
	b := casefile.DataBody{Round: q.session.eval.Round, Source: q.topic.source, Request: casefile.Digest(q.topic.request),
		Receipts: []casefile.Receipt{}, Failures: append([]casefile.Failure{}, q.failures...)}
	for _, a := range q.answers {
		b.Receipts = append(b.Receipts, a.Receipt)
		if a.Standing != "" {
			b.Standings = append(b.Standings, a.Standing)
		}
	}
	return b
}

func (q *fanOut) fault(class error) error {
	return fmt.Errorf("%w: source %s: %d holders gave nothing", class, q.topic.source, len(q.failures))
}
