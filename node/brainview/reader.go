package brainview

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// ErrNone means that there is no such task.
var ErrNone = errors.New("there is no such task of MegaBrain; a task that is over may be closed")

// Accounts reads those of the chain.
type Accounts interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error)
	Heads(ctx context.Context, account string, having ledger.Filter, offset, length int) ([]*ledger.Account, error)
}

// Sources are what a reader reads. Content gets content by its SHA-256, and Words the data of the
// instructions that name an account, as far as it can. Nodes gets content from memory nodes that a
// class or a task names. A nil one knows nothing.
type Sources struct {
	Chain   Accounts
	Program onchain.Address
	Content func(ctx context.Context, hash [32]byte) ([]byte, error)
	Words   func(ctx context.Context, at onchain.Address) ([][]byte, error)
	Nodes   func(ctx context.Context, nodes []string, hash [32]byte) ([]byte, error)

	Patience time.Duration // for all that one look at a task asks for; 0 is a second and a half
}

// The limits of a look.
const (
	maxTasks   = 2_000
	maxClasses = 256
	maxAtOnce  = 64                      // classes in one request
	maxAsked   = 24                      // contents and lists of transactions that one look asks for
	patience   = 1500 * time.Millisecond // for all of them
	again      = 20 * time.Second        // before what nobody gave is asked for again
	maxKept    = 8 << 20                 // bytes of contents and words that are remembered
	fresh      = 2 * time.Second         // how long a list or a task is shown again
	maxShown   = 64                      // tasks that are remembered
)

// TaskReader reads tasks. It is safe for concurrent use. A nil one knows of none.
type TaskReader struct {
	from Sources
	prog brain.Megabrain

	flights  singleflight.Group // of answers that are being fetched
	mu       sync.Mutex
	size     int
	contents map[[32]byte][]byte
	told     map[onchain.Address]heard
	openings map[[32]byte]string    // of questions on memory nodes
	missing  map[[32]byte]time.Time // of contents, and of the words of accounts by their address
	lists    answered[List]
	seats    answered[map[string][]string]
	members  answered[[]Membership]
	shown    map[onchain.Address]answered[Detail]
}

// answered is an answer with its time.
type answered[T any] struct {
	value T
	at    time.Time
}

func (a answered[T]) fresh() bool { return !a.at.IsZero() && time.Since(a.at) < fresh }

// How an answer is fetched.
const (
	longest = time.Minute
	nearly  = 10 * time.Millisecond // after that, an answer that is not fresh is shown again,
	stale   = 10 * time.Second      // if it is no older
)

// together fetches an answer for all who ask for it meanwhile, to its end, whoever of them leaves.
// If that takes long, they get the last answer.
func together[T any](ctx context.Context, flights *singleflight.Group, key string, last answered[T], fetch func(context.Context) (T, error)) (answer T, err error) {
	landed := flights.DoChan(key, func() (any, error) {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), longest)
		defer stop()
		return fetch(ctx)
	})
	var late <-chan time.Time
	if !last.at.IsZero() && time.Since(last.at) < stale {
		late = time.After(nearly)
	}
	select {
	case <-ctx.Done():
		return answer, ctx.Err()
	case <-late:
		return last.value, nil
	case got := <-landed:
		answer, _ = got.Val.(T) // it is none beside an error
		return answer, got.Err
	}
}

// heard is what stands in the transactions of a task, and how far the task was then.
type heard struct {
	brain.Told
	terms  [32]byte
	status brain.Stage
	seats  bool // the account had its seats
}

// New returns a reader.
func New(s Sources) *TaskReader {
	r := &TaskReader{from: s, prog: brain.New(s.Program)}
	r.clear()
	return r
}

func (r *TaskReader) clear() {
	r.size, r.contents, r.told, r.missing = 0, map[[32]byte][]byte{}, map[onchain.Address]heard{}, map[[32]byte]time.Time{}
	r.shown, r.openings = map[onchain.Address]answered[Detail]{}, map[[32]byte]string{}
}

// List has the tasks, the newest first.
type List struct {
	Now   int64     `json:"now"`
	Tasks []Outline `json:"tasks"`
	Left  int       `json:"left"` // tasks that are not listed, because others press more
}

// headBytes are those of a task before its seats.
var headBytes = binary.Size(brain.TaskAccount{}) - binary.Size([brain.MaxSeats]brain.WorkSeat{}) -
	binary.Size([brain.MaxSeats]brain.Evaluator{}) - 2*binary.Size(brain.Conclusion{})

// Tasks lists the tasks. An answer is shown again for two seconds.
func (r *TaskReader) Tasks(ctx context.Context) (List, error) {
	if r == nil {
		return List{}, nil
	}
	r.mu.Lock()
	last := r.lists
	r.mu.Unlock()
	if last.fresh() {
		return last.value, nil
	}
	return together(ctx, &r.flights, "tasks", last, r.list)
}

// list lists the tasks anew.
func (r *TaskReader) list(ctx context.Context) (List, error) {
	now, err := r.now(ctx)
	if err != nil {
		return List{}, err
	}
	all, err := r.from.Chain.Heads(ctx, "Task", r.filter(), 0, headBytes)
	if err != nil {
		return List{}, err
	}
	l := List{Now: now, Tasks: []Outline{}}
	terms := map[string]*brain.TaskAccount{}
	for _, a := range all {
		t, err := brain.DecodeTask(append(slices.Clone(a.Data), make([]byte, binary.Size(brain.TaskAccount{})-headBytes)...))
		if err != nil {
			continue // of another version
		}
		s := summary(a.Address, t)
		terms[s.Task] = t
		l.Tasks = append(l.Tasks, s)
	}
	l.Left = max(0, len(l.Tasks)-maxTasks)
	l.Tasks = pressing(l.Tasks)[:len(l.Tasks)-l.Left]
	slices.SortFunc(l.Tasks, newest)
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	asked := 0
	for i := range l.Tasks {
		s := &l.Tasks[i]
		s.Question = r.opening(ctx, r.words(ctx, s.Keys.Task, terms[s.Task], &asked, false), &asked)
	}
	if names, err := r.classes(ctx); err == nil { // without them a list has no names
		r.learn(ctx, l.Tasks, names)
		for i := range l.Tasks {
			l.Tasks[i].ClassName = names[l.Tasks[i].Class].name
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists = answered[List]{l, time.Now()}
	return l, nil
}

// maxLearned bounds the tasks that one look reads for the documents of their classes.
const maxLearned = 4

// learn looks for the documents of classes that are not here in what disputes of tasks show.
func (r *TaskReader) learn(ctx context.Context, tasks []Outline, names map[string]named) {
	left := maxLearned
	for _, s := range tasks {
		c, known := names[s.Class]
		if !known || c.has || s.Dispute == "" || left == 0 {
			continue
		}
		left--
		if _, err := r.Task(ctx, s.Keys.Task); err != nil {
			continue // it is closed, or the chain does not answer; the list has no name then
		}
		if raw := r.content(ctx, c.ID); raw != nil {
			c.take(raw)
			names[s.Class] = c
		}
	}
}

func (r *TaskReader) filter() ledger.Filter {
	return ledger.Filter{Offset: len(brain.Head{}.Kind), Bytes: []byte{brain.Version}, Owner: r.prog.ID()}
}

// timeAt is where the sysvar Clock has the time.
const timeAt = 32

// now reads the chain's time.
func (r *TaskReader) now(ctx context.Context) (int64, error) {
	all, _, err := r.from.Chain.Accounts(ctx, onchain.ClockAccount())
	if err != nil {
		return 0, err
	}
	return clock(all[0])
}

func clock(a *ledger.Account) (int64, error) {
	if a == nil || len(a.Data) < timeAt+8 {
		return 0, errors.New("brainview: the RPC node does not have the chain's clock")
	}
	return int64(binary.LittleEndian.Uint64(a.Data[timeAt:])), nil
}

// content gets content from memory, or asks for it once in a while: the nodes, too, that a class or
// a task names. Nil: it is not here.
func (r *TaskReader) content(ctx context.Context, hash [32]byte, nodes ...string) []byte {
	raw := r.look(ctx, hash, nodes)
	if raw != nil {
		r.keep(hash, raw)
	}
	return raw
}

// look is content that is not remembered.
func (r *TaskReader) look(ctx context.Context, hash [32]byte, nodes []string) []byte {
	if hash == ([32]byte{}) {
		return nil
	}
	asked := hash
	if len(nodes) > 0 { // that nobody had it before these nodes were known says nothing
		asked = sha256.Sum256([]byte(strings.Join(nodes, " ") + string(hash[:])))
	}
	r.mu.Lock()
	known, ok := r.contents[hash]
	wait := time.Since(r.missing[asked]) < again
	r.mu.Unlock()
	if ok || wait || ctx.Err() != nil {
		return known
	}
	raw, err := r.fetch(ctx, hash, nodes)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.missing[asked] = time.Now()
		return nil
	}
	return raw
}

func (r *TaskReader) fetch(ctx context.Context, hash [32]byte, nodes []string) (raw []byte, err error) {
	err = errNowhere
	if r.from.Content != nil {
		raw, err = r.from.Content(ctx, hash)
	}
	if err != nil && len(nodes) > 0 && r.from.Nodes != nil {
		return r.from.Nodes(ctx, nodes, hash)
	}
	return raw, err
}

// errNowhere means that there is no place to look for content.
var errNowhere = errors.New("brainview: there is no place to look for content")

// keep remembers content.
func (r *TaskReader) keep(hash [32]byte, raw []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.contents[hash]; known {
		return
	}
	r.room(len(raw))
	r.contents[hash] = raw
}

// room forgets everything when too much is remembered. The caller holds mu.
func (r *TaskReader) room(n int) {
	if r.size += n + 256; r.size > maxKept || len(r.missing) > 10_000 {
		r.clear()
		r.size = n + 256
	}
}

// words returns what stands in the transactions of a task. They are read when the task is seen
// first, and with often when it went on since.
func (r *TaskReader) words(ctx context.Context, at onchain.Address, t *brain.TaskAccount, asked *int, often bool) brain.Told {
	if r.from.Words == nil {
		return brain.Told{}
	}
	r.mu.Lock()
	known, ok := r.told[at]
	ok = ok && known.terms == t.Terms
	wait := time.Since(r.missing[at]) < again && !often
	r.mu.Unlock()
	if ok && (known.status == t.Status && known.seats || !often) || wait || *asked >= maxAsked || ctx.Err() != nil {
		return known.Told
	}
	*asked++
	all, err := r.from.Words(ctx, at)
	var told brain.Told
	for _, raw := range all {
		told.Hear(at, t, raw)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !told.There || err != nil && ok {
		r.missing[at] = time.Now()
		return known.Told
	}
	r.room(len(told.Description) + 8<<10)
	r.told[at] = heard{told, t.Terms, t.Status, often && err == nil}
	return told
}
