package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
)

// task is an order under way, or one that just ended.
type task struct {
	Errand

	mu      sync.Mutex
	changed chan struct{} // closed when anything changes
	state   sdk.TaskState
	at      time.Time
	said    []*sdk.Message // steps, as far as the bounds allow
	bytes   int            // of these steps
	events  []sdk.Event    // after the beginning
	over    bool
	outcome Delivery
	refused error // the clerk did not take the order
}

func newTask(o Errand) *task {
	return &task{Errand: o, changed: make(chan struct{}), state: sdk.TaskStateSubmitted, at: time.Now()}
}

// info names a task in events.
func info(id string) sdk.TaskInfo {
	return sdk.TaskInfo{TaskID: sdk.TaskID(id), ContextID: contextOf(id)}
}

// contextOf is the context of a task. It is the first part of the id.
func contextOf(id string) string {
	if at := strings.LastIndexByte(id, '~'); at > 0 {
		return id[:at]
	}
	return id
}

// tell adds an event. The caller holds mu.
func (t *task) tell(e sdk.Event) {
	t.events = append(t.events, e)
	close(t.changed)
	t.changed = make(chan struct{})
}

// works says that the clerk took the order.
func (t *task) works() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state, t.at = sdk.TaskStateWorking, time.Now()
	t.tell(sdk.NewStatusUpdateEvent(info(t.Task), t.state, nil))
}

// say adds a step. Steps beyond the bounds are left out.
func (t *task) say(text string) {
	if len(text) > maxStep {
		text = strings.ToValidUTF8(text[:maxStep], "") + "…"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || len(t.said) >= maxSteps || t.bytes+len(text) > maxStepped {
		return
	}
	m := sdk.NewMessageForTask(sdk.MessageRoleAgent, info(t.Task), sdk.NewTextPart(text))
	t.said, t.bytes, t.state, t.at = append(t.said, m), t.bytes+len(text), sdk.TaskStateWorking, time.Now()
	t.tell(sdk.NewStatusUpdateEvent(info(t.Task), t.state, m))
}

// end ends a task.
func (t *task) end(o Delivery) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over, t.outcome, t.at = true, o, o.At
	final := Filed{t.Errand, o}.task()
	t.state = final.Status.State
	for _, a := range final.Artifacts {
		t.tell(&sdk.TaskArtifactUpdateEvent{TaskID: final.ID, ContextID: final.ContextID, Artifact: a, LastChunk: true})
	}
	t.tell(&sdk.TaskStatusUpdateEvent{TaskID: final.ID, ContextID: final.ContextID, Status: final.Status})
}

// refuse ends a task that the clerk did not take.
func (t *task) refuse(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over, t.refused = true, err
	close(t.changed)
	t.changed = make(chan struct{})
}

// now returns the task as it is, and how many events led to that.
func (t *task) now() (*sdk.Task, int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refused != nil {
		return nil, 0, t.refused
	}
	if t.over {
		out := Filed{t.Errand, t.outcome}.task()
		out.History = append(out.History, t.said...)
		return out, len(t.events), nil
	}
	at := t.at
	return &sdk.Task{
		ID: sdk.TaskID(t.Task), ContextID: contextOf(t.Task), History: append([]*sdk.Message{asked(t.Errand)}, t.said...),
		Status: sdk.TaskStatus{State: t.state, Timestamp: &at},
	}, len(t.events), nil
}

// follow shows the events after the first ones until the task is over.
func (t *task) follow(ctx context.Context, from int, see func(sdk.Event) bool) error {
	for {
		t.mu.Lock()
		events, over, changed, refused := t.events[from:], t.over, t.changed, t.refused
		t.mu.Unlock()
		for _, e := range events {
			if !see(e) {
				return nil
			}
		}
		if from += len(events); over {
			return refused
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begun waits until the clerk has taken the order, or refused it.
func (t *task) begun(ctx context.Context) error {
	for {
		t.mu.Lock()
		begun, changed, refused := t.over || t.state != sdk.TaskStateSubmitted, t.changed, t.refused
		t.mu.Unlock()
		if begun {
			return refused
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// asked is the message of an order.
func asked(o Errand) *sdk.Message {
	id := o.Task[strings.LastIndexByte(o.Task, '~')+1:]
	m := &sdk.Message{ID: id, Role: sdk.MessageRoleUser, TaskID: sdk.TaskID(o.Task), ContextID: contextOf(o.Task), Parts: sdk.ContentParts{part(o.Input)}}
	m.SetMeta(skillMember, o.Skill)
	for name, raw := range map[string]json.RawMessage{contextMember: o.Context, paramsMember: o.Params} {
		if len(raw) > 0 {
			m.SetMeta(name, raw)
		}
	}
	return m
}

// part is a JSON value as a part: a string is text, anything else is data.
func part(raw json.RawMessage) *sdk.Part {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil && string(raw) != "null" {
		return sdk.NewTextPart(text)
	}
	p := sdk.NewDataPart(raw)
	p.MediaType = "application/json"
	return p
}

// task is what clients see of an order that ended.
func (r Filed) task() *sdk.Task {
	at := r.At
	t := &sdk.Task{ID: sdk.TaskID(r.Task), ContextID: contextOf(r.Task), History: []*sdk.Message{asked(r.Errand)}, Status: sdk.TaskStatus{Timestamp: &at}}
	switch r.Finish {
	case Completed:
		t.Status.State = sdk.TaskStateCompleted
		if len(r.Result) > 0 {
			a := &sdk.Artifact{ID: "result", Name: "result", Parts: sdk.ContentParts{part(r.Result)}}
			if len(r.Proof) > 0 {
				a.Metadata = r.Proof
			}
			t.Artifacts = []*sdk.Artifact{a}
		}
		return t
	case Cancelled:
		t.Status.State = sdk.TaskStateCanceled
	default:
		t.Status.State = sdk.TaskStateFailed
	}
	problem := &sdk.Message{
		ID: asked(r.Errand).ID + "-end", Role: sdk.MessageRoleAgent, TaskID: t.ID, ContextID: t.ContextID,
		Parts: sdk.ContentParts{sdk.NewTextPart(cmp.Or(r.Problem, "the order ended without a result"))},
	}
	if len(r.Proof) > 0 {
		problem.Metadata = r.Proof
	}
	t.Status.Message = problem
	return t
}

// shelf keeps the latest orders that ended.
type shelf struct {
	all   []shelved // the oldest first
	at    map[key]int
	gone  int // how many left the front
	bytes int
}

type shelved struct {
	key
	Filed
}

func (s shelved) size() int {
	return len(s.Input) + len(s.Context) + len(s.Params) + len(s.Result) + len(s.Problem) + len(s.Task) + 256
}

// put adds an order, and forgets the oldest if there are too many.
func (s *shelf) put(k key, r Filed) {
	one := shelved{k, r}
	s.all, s.bytes, s.at[k] = append(s.all, one), s.bytes+one.size(), s.gone+len(s.all)
	for len(s.all) > 1 && (len(s.all) > maxShelved || s.bytes > maxShelf) {
		old := s.all[0]
		s.all, s.gone, s.bytes = slices.Delete(s.all, 0, 1), s.gone+1, s.bytes-old.size()
		if s.at[old.key] < s.gone {
			delete(s.at, old.key)
		}
	}
}

func (s *shelf) get(k key) (Filed, bool) {
	at, found := s.at[k]
	if !found {
		return Filed{}, false
	}
	return s.all[at-s.gone].Filed, true
}

// of returns the orders of an owner, the newest first.
func (s *shelf) of(owner string) (out []Filed) {
	for _, one := range slices.Backward(s.all) {
		if one.owner == owner {
			out = append(out, one.Filed)
		}
	}
	return out
}
