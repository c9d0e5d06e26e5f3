package trader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
)

// byAgent is a Thinker that has an agent of a host do the work: with its mind, memory, tools and
// delegations, as its file says, and in its audit log. It gets what a program gets.
type byAgent struct {
	Call func(ctx context.Context, work shell.Signer, payload json.RawMessage, timeout time.Duration) (json.RawMessage, delegation.Amounts, error)
	Time time.Duration
	Log  *slog.Logger

	mu   sync.Mutex
	keys []workKey // the latest last
}

// workKey is the key of a work, by which the agent knows what it did for a task before.
type workKey struct {
	task string
	key  shell.Signer
}

// maxWorks bounds the tasks whose keys are kept. Of an older one the agent remembers nothing.
const maxWorks = 4 * maxAtOnce

// employ finds an agent of a host.
func (t *Tools) employ(by Employed, span time.Duration) (Thinker, error) {
	home := by.Home
	if !filepath.IsAbs(home) {
		home = filepath.Join(t.dir, home)
	}
	ctx, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	e, err := door.Employ(ctx, home, by.Address, by.Tokens, by.Micros)
	if errors.Is(err, door.ErrNotRunning) {
		return nil, fmt.Errorf("the agent %s is not there: %w; start its host with: ojud agents run --home %s", by.Address, err, home)
	}
	if err != nil {
		return nil, err
	}
	return &byAgent{Call: e.Call, Time: span, Log: t.log}, nil
}

// key returns the key of a task. Without a task it is one that nothing else has.
func (m *byAgent) key(task string) (shell.Signer, error) {
	if task == "" {
		return door.NewWork()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.keys, func(k workKey) bool { return k.task == task })
	if at >= 0 {
		return m.keys[at].key, nil
	}
	key, err := door.NewWork()
	if err != nil {
		return key, err
	}
	if m.keys = append(m.keys, workKey{task, key}); len(m.keys) > maxWorks {
		m.keys = slices.Delete(m.keys, 0, 1)
	}
	return key, nil
}

// The pauses between tries while the agent host cannot make a call.
const (
	unablePause = 5 * time.Second
	longPause   = time.Minute
)

// Think implements Thinker. If the agent host cannot make the call now, it is tried again for half
// of the time that is left.
func (m *byAgent) Think(ctx context.Context, o Chore) (p Product, err error) {
	key, err := m.key(o.Task)
	if err != nil {
		return p, err
	}
	until := time.Now()
	if d, bounded := ctx.Deadline(); bounded {
		until = until.Add(time.Until(d) / 2)
	}
	for pause := unablePause; ; pause = min(2*pause, longPause) {
		attempt, stop := context.WithTimeout(ctx, m.Time+endTime) // the host ends the call before
		result, spent, err := m.Call(attempt, key, o.Input, m.Time)
		stop()
		p.Use.Tokens, p.Use.Micros = p.Use.Tokens+int(spent[1]), p.Use.Micros+uint64(max(spent[2], 0))
		if err == nil {
			p.Result = result
		}
		if !errors.Is(err, door.ErrUnable) || time.Now().Add(pause).After(until) {
			return p, err
		}
		m.Log.Warn("the agent host cannot make a call now; it is asked again", "task", o.Task, "in", pause, "err", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return p, context.Cause(ctx)
		}
	}
}

// advice is what an agent says of a result.
type advice struct {
	Choice  string `json:"choice"`
	Summary string `json:"summary"`
}

// adviceShape is the schema of an advice.
const adviceShape = `{"type":"object","properties":{"choice":{"enum":["accept","reject","abstain"]},"summary":{"type":"string"}},"required":["choice","summary"],"additionalProperties":false}`

// errUnheard says that the agent which judges results was asked, and did not say what it has to.
var errUnheard = errors.New("trader: the agent that judges was not heard")

// asked is what the agent that judges gets.
func asked(p Bundle) (json.RawMessage, error) {
	members := map[string]any{"order": json.RawMessage(p.Task), "answer_schema": json.RawMessage(adviceShape)}
	room := shell.MaxPayload - len(p.Task) - 4<<10
	if len(p.Data) > 0 {
		data, err := json.Marshal(p.Data)
		if err != nil {
			return nil, err
		}
		if len(data) <= room/2 {
			members["data"], room = json.RawMessage(data), room-len(data)
		} else {
			members["data_bytes"] = len(data)
		}
	}
	if len(p.Result) <= room {
		members["result"] = json.RawMessage(p.Result)
	} else { // as a text it may be twice as long
		members["result_cut"] = strings.ToValidUTF8(string(p.Result[:max(0, room/2)]), "")
		members["result_bytes"] = len(p.Result)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // it would write six bytes for one
	err := e.Encode(members)
	return out.Bytes(), err
}

// advised asks the agent that judges results. What it says counts as the word of a judge with a
// model. It knows nothing of other results: the words of one worker must not judge the next one's.
func (j *Judges) advised(ctx context.Context, p Bundle, found Estimate) (Estimate, error) {
	input, err := asked(p)
	if err != nil {
		return found, err
	}
	product, err := j.adviser.Think(ctx, Chore{Input: input})
	found.Use = product.Use
	var said advice
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(product.Result))
		d.DisallowUnknownFields()
		err = d.Decode(&said)
	}
	if err != nil {
		return found, fmt.Errorf("%w: %w", errUnheard, err)
	}
	switch said.Choice {
	case "accept":
		return Estimate{Chance: max(found.Chance, probable), Why: words(said.Summary, found.Why), Use: found.Use}, nil
	case "reject":
		return Estimate{Chance: whole - probable, Why: words(said.Summary, found.Why), Use: found.Use}, nil
	case "abstain":
		return found, nil
	}
	return found, fmt.Errorf(`%w: it says %.40q; it has to answer {"choice": "accept", "reject" or "abstain", "summary": TEXT}`, errUnheard, said.Choice)
}

const (
	heardTries = 8                // of an agent that judges
	heardPause = 30 * time.Second // between them, doubled after each: an hour in all
)

// heard asks for an estimate. If the agent that judges does not say one, it is asked again while
// there is time, in which a person may answer the result. If it never says one, the estimate is
// that of code, and `unsure` decides.
func heard(ctx context.Context, by Assessor, p Bundle, waits func(time.Duration) bool, tell func(string)) (Estimate, error) {
	found, err := by.Assess(ctx, p)
	pause := heardPause
	for tries := 1; errors.Is(err, errUnheard) && tries < heardTries && waits(pause); tries++ {
		tell(fmt.Sprintf("has nobody to judge the result, and asks again in %s: %v", pause, err))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return found, context.Cause(ctx)
		}
		before := found.Use
		found, err = by.Assess(ctx, p)
		found.Use.Tokens, found.Use.Micros = found.Use.Tokens+before.Tokens, found.Use.Micros+before.Micros
		pause *= 2
	}
	if errors.Is(err, errUnheard) && ctx.Err() == nil {
		found.Why += "; " + err.Error()
		return found, nil
	}
	return found, err
}
