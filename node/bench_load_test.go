//go:build unix

package node

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
)

var (
	loadTime  = flag.Duration("figures.load", 20*time.Second, "how long each load of P7 lasts")
	loadCases = flag.Int("figures.load.cases", 1000, "how many cases are in flight in P7")
)

// ride is one load: the votes, and the due time of each after the start.
type ride struct {
	votes []int
	due   []time.Duration
}

// rode is the result of a ride.
type rode struct {
	rate float64   // votes checked and stored a second, from the first push to the last disk
	late []float64 // from each vote's due time until its last receiver has it on disk, in milliseconds
	fair float64   // lateness of the slowest case over that of the fastest
	lost int
}

// drive pushes each vote when it is due, without waiting for the others. It returns when all are on
// all disks, or when they were given up.
func (m *mill) drive(r ride) (out rode) {
	m.b.Helper()
	m.stored.Store(0)
	own, drops := make([][]int, seats), m.drops()
	for i, v := range r.votes {
		m.left[v].Store(seats - 1)
		own[v%seats] = append(own[v%seats], i)
	}
	m.start = time.Now()
	for s, mine := range own {
		go func() {
			for _, i := range mine {
				time.Sleep(r.due[i] - time.Since(m.start))
				if err := m.seats[s].host.Push(voteStream, m.ids, m.votes[r.votes[i]]); err != nil {
					m.fail(err)
				}
			}
		}()
	}
	want := len(r.votes) * (seats - 1)
	p2ptest.Eventually(m.b, time.Duration(len(r.due))*time.Millisecond+patience, "all votes stored", func() bool {
		select {
		case err := <-m.fault:
			m.b.Fatal(err)
		default:
		}
		out.lost = m.drops() - drops
		return int(m.stored.Load())+out.lost >= want
	})
	out.rate = float64(m.stored.Load()) / time.Duration(m.last.Load()).Seconds()
	out.late, out.fair = m.lateness(r)
	return out
}

// lateness returns the delay of each vote and how much the cases differ. Each vote is compared with
// the median of the votes due around it, and a case is the mean of its votes. The second figure is
// the slowest case over the fastest.
func (m *mill) lateness(r ride) (late []float64, fair float64) {
	moments, cases := map[int][]float64{}, map[int][]float64{}
	took := func(i int) float64 { return millis(time.Duration(m.done[r.votes[i]].Load()) - r.due[i]) }
	for i, v := range r.votes {
		if m.left[v].Load() == 0 {
			late, moments[i/beside] = append(late, took(i)), append(moments[i/beside], took(i))
		}
	}
	for i, v := range r.votes {
		if m.left[v].Load() == 0 {
			cases[v/seats] = append(cases[v/seats], took(i)/floor.Median(moments[i/beside]))
		}
	}
	var means []float64
	for _, all := range cases {
		sum := 0.0
		for _, v := range all {
			sum += v
		}
		means = append(means, sum/float64(len(all)))
	}
	return late, slices.Max(means) / slices.Min(means)
}

const (
	beside = 16                     // consecutive votes that are compared with each other
	braked = 100 * time.Millisecond // how long votes of every third case wait in the control
)

// drops returns the number of pushes that were given up.
func (m *mill) drops() (n int) {
	for _, g := range m.seats {
		for _, lost := range g.host.Stats().Drops() {
			n += int(lost)
		}
	}
	return n
}

// shares are the loads of P7, as parts of the rate of bare streams. The first is the goal.
func shares() []float64 { return []float64{0.7, 0.5, 0.35, 0.25, 0.15} }

const (
	alone    = 40 // cases that are measured one at a time
	bareRuns = 60 // votes of each judge in a turn of the floor
)

// loaded is P7: votes in many live cases, each pushed at its due time regardless of the others. It
// runs in turn with bare streams that never wait. The loads go down until the nodes keep up with
// one. No load uses more than its part of the votes.
func loaded(b *testing.B, where string) []floor.Figure {
	b.Helper()
	m, bare, voters := newMill(b, *loadCases+alone), floor.NewDirect(b, seats, loopback), floor.NewVoters(b, seats, ballotSize)
	single, rest := m.singles(), shuffle()
	var all []point
	for i, share := range shares() {
		direct := m.direct(bare, voters)
		n := min(int(share*direct*loadTime.Seconds()/(seats-1))/seats, len(rest)/(len(shares())-i))
		p := point{share: share, direct: direct, offered: share * direct, rode: m.drive(m.spread(votesOf(rest[:n]), share*direct))}
		rest, all = rest[n:], append(all, p)
		fmt.Printf("P7%s: %.2f of %.0f votes a second: %.0f stored, p50 %.1f ms, p99 %.1f ms, fairness %.2f, %d lost\n", where, share, direct, p.rate, floor.Median(p.late), tail(p.late), p.fair, p.lost)
		if p.kept() {
			break
		}
	}
	without, with := m.control(all[0].direct)
	return loadFigures(where, single, all, without, with)
}

// controls is the number of cases in the control, with the brake and without.
const controls = 12

// control decides a few cases at a small load, and then as many with every third one slowed. P7
// must detect that.
func (m *mill) control(direct float64) (without, with rode) {
	m.b.Helper()
	rate := 0.1 * direct
	without = m.drive(m.spread(votesOf(between(0, controls)), rate))
	m.brake.Store(true)
	defer m.brake.Store(false)
	with = m.drive(m.spread(votesOf(between(controls, 2*controls)), rate))
	fmt.Printf("P7, control: p50 %.1f ms, fairness %.2f; with every third case %s late p50 %.1f ms, fairness %.2f\n", floor.Median(without.late), without.fair, braked, floor.Median(with.late), with.fair)
	if with.fair <= max(fairEnough, without.fair) {
		m.b.Errorf("votes of every third case wait %s, and fairness is %.2f, without that %.2f: it sees nothing", braked, with.fair, without.fair)
	}
	return without, with
}

// fairEnough is the goal of fairness.
const fairEnough = 2

// shuffle returns all cases but those of the control, in random order.
func shuffle() (out []int) {
	for _, c := range rand.New(rand.NewPCG(7, 7)).Perm(*loadCases - 2*controls) {
		out = append(out, 2*controls+c)
	}
	return out
}

// between returns the cases from first up to end, without end.
func between(first, end int) (out []int) {
	for c := first; c < end; c++ {
		out = append(out, c)
	}
	return out
}

// votesOf returns all votes of some cases, mixed.
func votesOf(cases []int) (out []int) {
	for _, c := range cases {
		for s := range seats {
			out = append(out, c*seats+s)
		}
	}
	r := rand.New(rand.NewPCG(7, uint64(len(cases))))
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// point is one load and its result.
type point struct {
	share, direct, offered float64
	rode
}

// kept reports whether the nodes stored votes as fast as they came.
func (p point) kept() bool { return p.lost == 0 && p.rate >= 0.97*p.offered }

// singles decides some cases one after the other; all judges vote at once.
func (m *mill) singles() (late []float64) {
	m.b.Helper()
	for c := *loadCases; c < *loadCases+alone; c++ {
		r := ride{due: make([]time.Duration, seats)}
		for s := range seats {
			r.votes = append(r.votes, c*seats+s)
		}
		late = append(late, m.drive(r).late...)
		time.Sleep(rest / 5)
	}
	return late
}

// spread makes votes due one after the other, at the given rate over all judges.
func (m *mill) spread(votes []int, rate float64) ride {
	r := ride{votes: votes}
	for i := range votes {
		r.due = append(r.due, time.Duration(float64(i*(seats-1))/rate*float64(time.Second)))
	}
	return r
}

// direct returns how many votes a second bare streams carry and check.
func (m *mill) direct(bare floor.Exchange, voters *floor.Voters) float64 {
	m.b.Helper()
	var votes [][]byte
	for range bareRuns {
		votes = append(votes, voters.Votes()...)
	}
	stop := floor.Stopwatch(m.b)
	bare.Round(votes)
	return float64(len(votes)*(seats-1)) / stop().Wall.Seconds()
}

func loadFigures(where string, single []float64, all []point, without, with rode) []floor.Figure {
	perSecond := func(v float64) string { return fmt.Sprintf("%.0f a second", v) }
	what, first, last := fmt.Sprintf("%d cases in flight, 28 judges%s: ", *loadCases, where), all[0], all[len(all)-1]
	tails := floor.Figure{ID: "P7", What: what + "p99 of a vote to its last disk, of that of one case alone", Here: unkept, Floor: fmt.Sprintf("%.1f ms", tail(single)), Goal: "≤ 5.00", Why: loadWhy}
	fair := floor.Figure{ID: "P7", What: what + "how long the votes of a case take, of others at the same moment, the slowest case of the fastest", Here: unkept, Floor: "1",
		Goal: fmt.Sprintf("≤ %d.00", fairEnough), Why: loadWhy}
	if last.kept() {
		at, p := fmt.Sprintf(" at %.2f of bare streams", last.share), tail(last.late)/tail(single)
		tails.Here, tails.Ratio, tails.Met = fmt.Sprintf("%.1f ms%s", tail(last.late), at), p, p <= 5
		fair.Here, fair.Ratio, fair.Met = fmt.Sprintf("%.2f%s", last.fair, at), last.fair, last.fair <= fairEnough
	}
	return []floor.Figure{
		{ID: "P7", What: what + "votes checked and durable, offered 0.7 of what bare streams carry", Here: perSecond(first.rate), Floor: perSecond(first.direct), Ratio: first.rate / first.direct,
			Goal: "≥ 0.70", Met: first.kept(), Why: fmt.Sprintf("%d given up by full queues (a node asks for them later); %s", first.lost, loadWhy)},
		tails, fair,
		{ID: "P7", What: fmt.Sprintf("the same at 0.10 of bare streams, every third case %s late (control)", braked), Here: fmt.Sprintf("%.2f", with.fair), Floor: fmt.Sprintf("%.2f without", without.fair),
			Ratio: with.fair / without.fair, Goal: fmt.Sprintf("> %d.00", fairEnough), Met: with.fair > fairEnough, Why: "what is late by design is not seen"},
	}
}

// unkept replaces a figure in the table that would only describe a growing queue.
const unkept = "no load was kept"

const loadWhy = "signatures, which both check, are half of the time; the rest is streams with acknowledgements, decoding, and 28 journals on one disk"
