package why

import "fmt"

// Span is a time when a node ran and saw new blocks. Times are Unix seconds of the chain's clock.
type Span struct {
	From  int64 `json:"from"`
	Until int64 `json:"until"`
	// Blind: the node ran before From too, but saw no new block. Otherwise it was started at From.
	Blind bool `json:"blind,omitempty"`
}

// Uptime lists the times when a node ran, oldest first, at most MaxSpans. The zero value is empty.
type Uptime struct {
	Spans []Span `json:"spans"`
}

const (
	// maxSpans bounds an Uptime: older spans are dropped.
	maxSpans = 256
	// maxUptime bounds an encoded Uptime, in bytes.
	maxUptime = 32 << 10
	// UptimeEvery is the interval of a node's signs of life, in seconds.
	UptimeEvery = 60
	// blindAfter is the number of seconds without a new block after which a node counts as blind.
	// Blocks come several times a second.
	blindAfter = 2*UptimeEvery + 30
)

// Begin records that the node was started.
func (w *Uptime) Begin(at int64) { w.add(Span{From: at, Until: at}) }

// Tick records that the node runs and that the chain's clock shows at. Begin comes first.
func (w *Uptime) Tick(at int64) {
	n := len(w.Spans)
	if n == 0 {
		w.Begin(at)
		return
	}
	switch last := &w.Spans[n-1]; {
	case at > last.Until+blindAfter:
		w.add(Span{From: at, Until: at, Blind: true})
	case at > last.Until:
		last.Until = at
	}
}

func (w *Uptime) add(s Span) {
	w.Spans = append(w.Spans, s)
	w.Spans = w.Spans[max(0, len(w.Spans)-maxSpans):]
}

// Encode returns the bytes to keep, at most maxUptime.
func (w Uptime) Encode() ([]byte, error) { return encode("uptime", w, maxUptime) }

// DecodeUptime is the inverse of Encode. No bytes are an empty Uptime.
func DecodeUptime(raw []byte) (Uptime, error) {
	w, err := decode[Uptime]("uptime", raw, maxUptime)
	if err == nil && len(w.Spans) > maxSpans {
		return Uptime{}, fmt.Errorf("why: uptime of %d spans; at most %d", len(w.Spans), maxSpans)
	}
	return w, err
}

// gap is a time when a node did not see the chain.
type gap struct {
	from, until int64
	blind       bool // it ran all the same
	open        bool // until is not known, because the node gave no sign since
}

// gaps returns the times when the node did not see the chain that overlap a period. The time before
// the first span is unknown and no gap.
func (w Uptime) gaps(from, until int64) (out []gap) {
	for i, s := range w.Spans {
		last := i+1 == len(w.Spans)
		g := gap{from: s.Until, open: last, until: until}
		if !last {
			g.until, g.blind = w.Spans[i+1].From, w.Spans[i+1].Blind
		}
		// The node gives a sign once in UptimeEvery seconds, so a gap at the end may be
		// none.
		if last && g.until-g.from <= blindAfter || g.until <= g.from || g.until <= from || g.from >= until {
			continue
		}
		out = append(out, g)
	}
	return out
}

// covers reports whether anything is known of that time.
func (w Uptime) covers(at int64) bool { return len(w.Spans) > 0 && w.Spans[0].From <= at }
