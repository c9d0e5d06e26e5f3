//go:build unix

package node

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/datasource/kind"
	"ojud/node/evidence"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

// echo is an upstream in memory. It answers with the request and some filler.
type echo struct{ filler string }

func (e echo) Answer(_ context.Context, request json.RawMessage) (json.RawMessage, error) {
	answer := make([]byte, 0, len(request)+len(e.filler)+40)
	answer = append(append(answer, `{"asked":`...), request...)
	return append(append(append(answer, `,"name":"x","text":"`...), e.filler...), `"}`...), nil
}

func (echo) Close() error { return nil }

// batch is the number of answers in one measurement.
const batch = 64

// stall is a node that answers another one without rate limits. Everything else is as in a real
// node: the authority reads the chain's view, and answers are stored on disk, logged and signed.
type stall struct {
	*bazaar
	asks, has *member
	book      *datasource.Book
	holder    atomic.Pointer[exchange.Holder]
	card      []byte
	serial    atomic.Int64
	sent, got atomic.Int64 // bytes of frames, as the asker sees them
}

const benchStream = "bench"

func newStall(b *testing.B, size int) *stall {
	b.Helper()
	s := &stall{bazaar: newBazaar(b, stand{nodes: 4})}
	s.sources = []string{"post.000"}
	s.asks, s.has = s.nodes[1], s.nodes[3]
	home := b.TempDir()
	s.offer(&member{home: Home{Dir: home}})
	var err error
	s.book, err = datasource.New(datasource.DefaultConfig(), datasource.Deps{Home: home,
		Open: func(datasource.Source) (kind.Upstream, error) { return echo{strings.Repeat("x", size-60)}, nil }})
	s.must(err)
	b.Cleanup(func() { s.must(s.book.Close()) })
	card, _ := s.book.Card(s.sources[0])
	s.card, err = card.Encode()
	s.must(err)
	limits := evidence.StreamLimits()
	limits.RatePerPeer, limits.Burst = 1e6, 1e6
	s.must(s.asks.host.Limit(benchStream, limits))
	s.must(s.has.host.HandleStream(benchStream, limits, func(ctx context.Context, stream *p2p.Stream) error {
		if _, err := s.holder.Load().Serve(ctx, casefile.DID(s.asks.home.Keys.Peer()), evidence.NewConversation(stream, func() {})); err != nil {
			b.Error(err)
		}
		return nil
	}))
	return s
}

// open replaces the holder by one that no judge has asked yet.
func (s *stall) open() {
	s.b.Helper()
	n, cfg := s.has.Node, exchange.DefaultHolderConfig()
	cfg.MaxPerPeer, cfg.OpeningsPerMinute = 256, 10_000
	h, err := exchange.NewHolder(cfg, n.evidence.HolderDeps(s.book))
	s.must(err)
	s.holder.Store(h)
}

// Holders implements exchange.Finder.
func (s *stall) Holders(context.Context, string) <-chan exchange.Candidate {
	out := make(chan exchange.Candidate, 1)
	out <- exchange.Candidate{Peer: casefile.DID(s.has.home.Keys.Peer()), Card: s.card}
	close(out)
	return out
}

func (s *stall) dial(ctx context.Context, to casefile.DID) (exchange.Stream, error) {
	id, err := network.PeerOf(voting.Key(to))
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stream, err := s.asks.host.OpenStream(life, id, benchStream)
	if err != nil {
		cancel()
		return nil, err
	}
	return &weighed{evidence.NewConversation(stream, cancel), s}, nil
}

// weighed counts bytes.
type weighed struct {
	exchange.Stream
	s *stall
}

func (l *weighed) Send(frame []byte) error {
	l.s.sent.Add(int64(len(frame)))
	return l.Stream.Send(frame)
}

func (l *weighed) Receive(ctx context.Context, most int) ([]byte, error) {
	frame, err := l.Stream.Receive(ctx, most)
	l.s.got.Add(int64(len(frame)))
	return frame, err
}

// together runs do batch times on the given number of goroutines and returns the time that it took.
func (s *stall) together(goroutines int, do func() error) floor.Span {
	s.b.Helper()
	var all sync.WaitGroup
	stop := floor.Stopwatch(s.b)
	for range goroutines {
		all.Go(func() {
			for range batch / goroutines {
				if err := do(); err != nil {
					s.b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if s.b.Failed() {
		s.b.FailNow()
	}
	return stop()
}

// answers runs the given number of sessions at a time; each gets one answer. If same, all ask one
// question, like the judges of a round.
func (s *stall) answers(goroutines int, same bool) floor.Span {
	s.b.Helper()
	s.open()
	d := s.desk(s.asks, s, s.dial)
	return s.together(goroutines, func() error {
		id := int64(0)
		if !same {
			id = s.serial.Add(1)
		}
		session, err := d.Open(s.b.Context(), s.evaluation(s.asks))
		if err != nil {
			return err
		}
		defer session.Close()
		if _, err = session.Ask(s.b.Context(), s.sources[0], fmt.Appendf(nil, `{"name":"%d"}`, id)); err != nil {
			return fmt.Errorf("%w: %v", err, session.Record())
		}
		return nil
	})
}

// trial is one of several measurements that run in turn.
type trial struct {
	name  string
	atOne int // number of goroutines
	do    func(goroutines int) floor.Span
	took  []floor.Span
}

// col returns one figure of all batches.
func (t *trial) col(of func(floor.Span) float64) (out []float64) {
	for _, s := range t.took {
		out = append(out, of(s))
	}
	return out
}

func rate(s floor.Span) float64   { return batch / s.Wall.Seconds() }
func micros(s floor.Span) float64 { return s.CPU.Seconds() * 1e6 / batch }

// BenchmarkAnswers measures how many answers a second one judge's node gets from one holder's node
// over loopback TCP, each in its own conversation. All steps run: the seat is looked up, terms are
// agreed, the receipt is signed and checked, and both sides keep it on disk. Only the rate limits
// are off, and the source is in memory. In turn with it, in the same process, two bare hosts send
// the same bytes, a question and an answer, in the same frames over their own stream. "One
// question" is the question of all judges of a round: its content is on the disk after the first.
// It prints a table:
//
//	go test ./node -run '^$' -bench Answers -benchtime 20x
func BenchmarkAnswers(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) { benchAnswers(b, size) })
	}
}

// answerTrials returns the measurements of answers of a size, and the bytes of a question and an
// answer.
func answerTrials(b *testing.B, size int) (trials []*trial, question, answer int) {
	b.Helper()
	s := newStall(b, size)
	s.answers(1, true)
	question, answer = int(s.sent.Load()/batch), int(s.got.Load()/batch)
	bare := floor.NewAnswers(b, question, answer, loopback)
	for _, n := range []int{1, 8} {
		trials = append(trials,
			&trial{name: "bare, a stream each", atOne: n, do: func(n int) floor.Span {
				return s.together(n, func() error { return bare.Once(b.Context(), question) })
			}},
			&trial{name: "answers to one question", atOne: n, do: func(n int) floor.Span { return s.answers(n, true) }},
			&trial{name: "answers to new questions", atOne: n, do: func(n int) floor.Span { return s.answers(n, false) }})
	}
	return trials, question, answer
}

// answered is the loopback part of P8: answers of 1 KiB a second, eight at a time.
func answered(b *testing.B) []floor.Figure {
	b.Helper()
	trials, question, answer := answerTrials(b, 1<<10)
	trials = trials[3:]
	for range *halls {
		for _, t := range trials {
			t.took = append(t.took, t.do(t.atOne))
		}
	}
	perSecond := func(v []float64) string { return fmt.Sprintf("%.0f a second", floor.Median(v)) }
	var out []floor.Figure
	for _, t := range trials[1:] {
		here, base := t.col(rate), trials[0].col(rate)
		r := floor.Ratio(here, base)
		out = append(out, floor.Figure{ID: "P8", What: fmt.Sprintf("%s with everything, %d at a time, loopback, of bare streams with as many bytes (%d there, %d back)", t.name, t.atOne, question, answer),
			Here: perSecond(here), Floor: perSecond(base), Ratio: r, Goal: "≥ 0.70", Met: r >= 0.7, Why: answerWhy})
	}
	return out
}

const answerWhy = "each answer is a conversation with terms, a receipt that is signed and checked, schemas, and files that both sync; 28 judges with 16 questions each are 448 in ten minutes"

func benchAnswers(b *testing.B, size int) {
	trials, question, answer := answerTrials(b, size)
	machine := floor.ReadMachine(b)
	for b.Loop() {
		for _, t := range trials {
			t.took = append(t.took, t.do(t.atOne))
		}
	}
	b.ReportMetric(0, "ns/op")
	fmt.Printf("\n%d bytes asked, %d answered, %d processors. Others used %s of the processors meanwhile. Write and fsync of 4 KiB: %.2f ms.\n",
		question, answer, runtime.NumCPU(), machine.Foreign(b), syncTime(b))
	fmt.Printf("\n%-28s%12s%12s%12s%16s%12s\n", "", "at a time", "a second", "to bare", "CPU µs each", "to bare")
	for i, t := range trials {
		floorOf := trials[i/3*3]
		fmt.Printf("%-28s%12d%12.0f%12.3f%16.0f%12.1f\n", t.name, t.atOne, floor.Median(t.col(rate)), floor.Ratio(t.col(rate), floorOf.col(rate)),
			floor.Median(t.col(micros)), floor.Ratio(t.col(micros), floorOf.col(micros)))
	}
	b.ReportMetric(floor.Ratio(trials[1].col(rate), trials[0].col(rate)), "answers/bare")
}
