package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/cluster"
)

// teller writes a devnet's story to standard output: lines with the time since the start, or one
// JSON object a line with --json. As text it joins the actions of many judges into a few lines.
type teller struct {
	app   *app
	began time.Time

	mu      sync.Mutex
	err     error // of the first failed write; nothing is written after it
	votes   crowd
	slashed map[string][]string // judges, by what they did and lost
	why     []string            // the keys of slashed, in order
	rewards int
	sum     client.Lamports
	quiet   *time.Timer // writes the joined lines if nothing else happens; nil if no line waits
}

func newTeller(a *app) *teller {
	return &teller{app: a, began: time.Now(), slashed: map[string][]string{}}
}

// quietFor is how long joined lines wait for more of them.
const quietFor = 2 * time.Second

// tell writes one line, or keeps it to join it with others. With --quiet it only writes a report.
func (t *teller) tell(l cluster.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.err != nil || t.app.Quiet && l.Event != cluster.EventReport:
	case t.app.JSON:
		t.err = t.app.Line(l)
	case l.Show == cluster.ShowLess:
	case l.Show == cluster.ShowMany:
		t.join(l)
	default:
		t.flush()
		if l.Event == "Drawn" {
			t.votes = crowd{}
		}
		t.write(l.Text)
	}
}

// join adds one of many similar lines to a group. The caller holds mu.
func (t *teller) join(l cluster.Line) {
	data, _ := l.Data.(map[string]any)
	switch l.Event {
	case "Committed", "Revealed":
		for _, text := range t.votes.add(l.Event, l.Vote, l.Of) {
			t.write(text)
		}
		return
	case cluster.EventSeatSlashed:
		_, what, _ := strings.Cut(strings.TrimSuffix(l.Text, "."), fmt.Sprint(data["name"])[1:]+" ")
		if t.slashed[what] == nil {
			t.why = append(t.why, what)
		}
		name := fmt.Sprint(data["name"])
		if judge, ok := data["judge"].(string); ok {
			name += fmt.Sprintf(" (%.8s)", judge)
		}
		t.slashed[what] = append(t.slashed[what], name)
	default:
		t.rewards++
		if much, err := client.ParseLamports(fmt.Sprintf("%vlamports", data["amount"])); err == nil {
			t.sum += much
		}
	}
	if t.quiet == nil {
		t.quiet = time.AfterFunc(quietFor, t.settle)
	} else {
		t.quiet.Reset(quietFor)
	}
}

// settle writes the joined lines.
func (t *teller) settle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
}

// flush writes the joined lines. The caller holds mu.
func (t *teller) flush() {
	if t.quiet != nil {
		t.quiet.Stop()
		t.quiet = nil
	}
	if text := t.votes.rest(); text != "" {
		t.write(text)
	}
	for _, what := range t.why {
		who := t.slashed[what]
		if len(who) > 1 {
			what = "each " + what
			who = []string{strings.Join(who[:len(who)-1], ", ") + " and " + who[len(who)-1] + ":"}
		}
		t.write(fmt.Sprintf("%s %s.", sentence(who[0]), what))
	}
	clear(t.slashed)
	t.why = nil
	if t.rewards > 0 {
		t.write(fmt.Sprintf("%d of the judges took their rewards, %s in all.", t.rewards, t.sum))
	}
	t.rewards, t.sum = 0, 0
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// timeWidth is the width of the time before a line.
const timeWidth = len("[999.9s] ")

// write writes a text below the time since the start. The caller holds mu.
func (t *teller) write(text string) {
	if t.err != nil {
		return
	}
	_, t.err = fmt.Fprintf(t.app.Out, "[%5.1fs] %s\n", time.Since(t.began).Seconds(), view.Wrap(text, timeWidth))
}

// result writes a line that --quiet does not leave out.
func (t *teller) result(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if t.app.JSON {
		t.err = errors.Join(t.err, t.app.Line(cluster.Line{Event: cluster.EventNote, Text: text}))
		return
	}
	t.flush()
	t.write(text)
}

// say writes a line before the cluster is there, or after its end.
func (t *teller) say(format string, args ...any) {
	t.tell(cluster.Line{Event: cluster.EventNote, Text: fmt.Sprintf(format, args...)})
}

// demo settles one dispute and shows the report. It returns the task.
func (t *teller) demo(ctx context.Context, c *cluster.Cluster) (task string, err error) {
	r, err := c.Play(ctx)
	if err != nil && (r.Case == "" || !errors.Is(err, cluster.ErrVerify)) {
		return r.Case, err
	}
	if r.LamportsBefore != r.LamportsAfter {
		err = errors.Join(err, cli.Fail("the chain had %d lamports before and %d after", r.LamportsBefore, r.LamportsAfter))
	}
	if t.app.JSON {
		t.tell(cluster.Line{Event: cluster.EventReport, Text: r.Sentence(), Data: r})
		return r.Case, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	_, wrote := r.WriteTo(t.app.Out)
	return r.Case, errors.Join(err, wrote)
}

// fault writes the remaining lines and returns the first error of a write.
func (t *teller) fault() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	return t.err
}

// crowd joins the actions of a round's judges into two lines: half of them, and all. Another line
// in between shows the present count. Each draw needs a new crowd.
type crowd struct {
	event           string // Committed or Revealed
	done, of, shown int
	votes           map[string]int
}

// add counts one of so many judges, and returns the texts that are now due.
func (c *crowd) add(event, vote string, of int) (texts []string) {
	if event != c.event {
		if text := c.rest(); text != "" {
			texts = append(texts, text)
		}
		*c = crowd{event: event, votes: map[string]int{}}
	}
	c.done, c.of = c.done+1, of
	c.votes[vote]++
	if c.done == of || c.shown == 0 && 2*c.done >= of {
		texts = append(texts, c.text())
	}
	return texts
}

// rest returns a text if judges were counted that were not shown yet.
func (c *crowd) rest() string {
	if c.done > c.shown {
		return c.text()
	}
	return ""
}

func (c *crowd) text() string {
	c.shown = c.done
	if c.event == "Committed" {
		return fmt.Sprintf("%d of %d judges have committed to their votes.", c.done, c.of)
	}
	var votes []string
	for _, choice := range []string{"accept", "reject", "abstain"} {
		if n := c.votes[choice]; n > 0 {
			votes = append(votes, fmt.Sprintf("%d %s", n, choice))
		}
	}
	return fmt.Sprintf("%d of %d judges have revealed their votes: %s.", c.done, c.of, strings.Join(votes, ", "))
}
