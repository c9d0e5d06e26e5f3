package megabrain

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/arbiter"
)

// TestSecrets: what opens a commitment is on the disk before the commitment is sent, a second run
// commits to the same, another result replaces nothing, and a damaged file is refused.
func TestSecrets(t *testing.T) {
	s := Folder{Dir: t.TempDir()}
	task, who := onchain.Address{1}, onchain.Address{2}
	result := func(text string) secret {
		return secret{Result: &brain.SubmitResult{ResultHash: [32]byte{7}, Summary: text, Proof: []byte("p")}}
	}
	first, err := s.hide(task, who, result("a"))
	if err != nil || first.Result.Salt == [32]byte{} {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := os.WriteFile(filepath.Join(s.folder(task, who), ".half.123"), []byte("{"), 0o600); err != nil {
		t.Fatal(err) // a crash while a file was written
	}
	again, err := s.hide(task, who, result("a"))
	if err != nil || again.Result.Salt != first.Result.Salt {
		t.Errorf("a second run has another salt: %+v, %v", again, err)
	}
	second, err := s.hide(task, who, result("b"))
	if err != nil || second.Result.Salt == first.Result.Salt {
		t.Errorf("another result: %+v, %v", second, err)
	}
	later := result("a")
	later.Made = 5
	if later, err = s.hide(task, who, later); err != nil || later.Result.Salt == first.Result.Salt {
		t.Errorf("a task that was made again has the salt that is public: %+v, %v", later, err)
	}
	scores, err := s.hide(task, who, secret{Evaluation: &brain.SubmitEvaluation{Scores: []byte{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range []secret{first, second, later, scores} {
		commitment := it.commitment(task, who)
		got, err := s.reveal(task, who, commitment)
		if err != nil || got.commitment(task, who) != commitment {
			t.Errorf("%+v does not open: %v", it, err)
		}
	}
	if _, err := s.reveal(task, onchain.Address{3}, first.commitment(task, who)); err == nil || !strings.Contains(err.Error(), "use the home that committed") {
		t.Errorf("the secret of another: %v", err)
	}
	commitment := first.commitment(task, who)
	if err := os.WriteFile(filepath.Join(s.folder(task, who), hexOf(commitment)), []byte(`{"result":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.reveal(task, who, commitment); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged secret: %v", err)
	}
}

// liar is a memory node that gives what it likes.
type liar struct{ content []byte }

func (l liar) Get(context.Context, [32]byte) ([]byte, error) { return l.content, nil }
func (l liar) Put(context.Context, []byte) error             { return errors.New("the disk is full") }

// TestContent: content is what its hash says, wherever it came from.
func TestContent(t *testing.T) {
	right := []byte(`{"year":1931}`)
	hash := sha256.Sum256(right)
	s := Folder{Dir: t.TempDir()}
	if _, err := s.Get(t.Context(), hash); !errors.Is(err, errNoContent) {
		t.Errorf("from nowhere: %v", err)
	}
	s.Archives = []Archive{liar{[]byte("{}")}}
	if _, err := s.Get(t.Context(), hash); !errors.Is(err, errNoContent) || !strings.Contains(err.Error(), "other content") {
		t.Errorf("from a liar: %v", err)
	}
	s.Archives = append(s.Archives, liar{right})
	for range 2 { // the second time from the folder
		if got, err := s.Get(t.Context(), hash); err != nil || string(got) != string(right) {
			t.Errorf("%s, %v", got, err)
		}
		s.Archives = nil
	}
	if err := os.WriteFile(s.path(hash), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), hash); !errors.Is(err, errNoContent) {
		t.Errorf("a changed file: %v", err)
	}
	s.Archives = []Archive{liar{}}
	if err := s.Give(t.Context(), right); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a full node: %v", err)
	}
}

// node is a memory node that answers every question with an error.
type node struct{ error }

func (n node) Get(context.Context, [32]byte) ([]byte, error) { return nil, n.error }
func (n node) Put(context.Context, []byte) error             { return n.error }

// TestAbsent: content is absent if every memory node says so, and not if one does not answer, lies,
// or none was named. Of the nodes that a class names, two keep what there is: so one of several may
// be silent.
func TestAbsent(t *testing.T) {
	t.Parallel()
	lacks, down := node{fmt.Errorf("404: %w", fs.ErrNotExist)}, node{errors.New("connection refused")}
	for i, c := range []struct {
		archives []Archive
		want     bool
		named    []Archive
	}{
		{nil, true, []Archive{lacks}}, {nil, false, []Archive{down}}, {nil, true, []Archive{lacks, down}}, {nil, false, []Archive{down, lacks, down}},
		{[]Archive{lacks}, true, []Archive{lacks, lacks, liar{}}}, {[]Archive{lacks}, false, []Archive{liar{}}}, {[]Archive{down}, false, []Archive{lacks, lacks}},
		{[]Archive{lacks}, true, nil}, {[]Archive{lacks, lacks}, true, nil}, {[]Archive{lacks, down}, false, nil}, {[]Archive{down, lacks}, false, nil}, {[]Archive{lacks, liar{}}, false, nil}, {nil, false, nil},
	} {
		if _, err := (Folder{Dir: t.TempDir(), Archives: c.archives, Named: c.named}).Get(t.Context(), [32]byte{1}); errors.Is(err, ErrAbsent) != c.want || !errors.Is(err, errNoContent) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestAttackSilentNodes: two nodes of a class that answer its creator's friends alone kept all
// others from posting and disputing. In the last third of the time they count as if they lacked it.
func TestAttackSilentNodes(t *testing.T) {
	t.Parallel()
	lacks, down := node{fmt.Errorf("404: %w", fs.ErrNotExist)}, node{errors.New("connection refused")}
	for late, want := range map[bool]bool{false: false, true: true} {
		s := Folder{Dir: t.TempDir(), Archives: []Archive{lacks}, Named: []Archive{down, down}, Late: late}
		if _, err := s.Get(t.Context(), [32]byte{1}); errors.Is(err, ErrAbsent) != want {
			t.Errorf("late %v: %v", late, err)
		}
		s.Archives[0] = down
		if _, err := s.Get(t.Context(), [32]byte{1}); errors.Is(err, ErrAbsent) {
			t.Errorf("late %v, with a node of the owner that is down: %v", late, err)
		}
	}
}

// TestAttackViewFillsTheDisk: whoever looked at a task at somebody's server had it keep what the
// nodes of a stranger's class gave.
func TestAttackViewFillsTheDisk(t *testing.T) {
	content := []byte("a large document")
	hash := sha256.Sum256(content)
	m := Means{Folder: Folder{Dir: t.TempDir()}, Named: func(string) Archive { return liar{content} }}
	view := m.Among([]string{"http://one"})
	if got, err := view.Get(t.Context(), hash); err != nil || string(got) != string(content) {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := os.Stat(view.path(hash)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is kept: %v", err)
	}
}

// TestNamedTime: what one action asks of the nodes of a class has one end. Content that could not
// be asked for is not absent, also late.
func TestNamedTime(t *testing.T) {
	lacks := node{fmt.Errorf("404: %w", fs.ErrNotExist)}
	s := Folder{Dir: t.TempDir(), Named: []Archive{lacks}, Late: true, Until: time.Now().Add(-time.Second)}
	if _, err := s.Get(t.Context(), [32]byte{1}); !errors.Is(err, errNoContent) || errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
	s.Until = time.Now().Add(time.Hour)
	if _, err := s.Get(t.Context(), [32]byte{1}); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
}

// slow is a memory node that answers when the time for the nodes of a class is nearly over.
type slow struct{ time.Duration }

func (s slow) Get(ctx context.Context, _ [32]byte) ([]byte, error) {
	select {
	case <-time.After(s.Duration):
		return nil, fs.ErrNotExist
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (slow) Put(context.Context, []byte) error { return nil }

// TestAttackSlowNodes: nodes that lack everything, slowly, used up the time for what one action
// asks, so that nobody could say that a result is absent. They are asked at once.
func TestAttackSlowNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Folder{Dir: t.TempDir(), Named: []Archive{slow{2 * time.Second}, slow{2 * time.Second}, slow{2 * time.Second}, slow{2 * time.Second}}, Late: true, Until: time.Now().Add(namedTime)}
		for i := range 12 { // class, evidences, results
			if _, err := s.Get(t.Context(), [32]byte{byte(i)}); !errors.Is(err, ErrAbsent) {
				t.Errorf("content %d: %v", i, err)
			}
		}
	})
}

// TestShown: a result that its worker shows to no memory node is found in the evidence of the
// outcome.
func TestShown(t *testing.T) {
	t.Parallel()
	d, result := &Desk{store: Folder{Dir: t.TempDir()}}, []byte(`{"year":1931}`)
	raw, err := arbiter.Showing{Form: arbiter.Form, Class: []byte("{}"), Results: []arbiter.Piece{arbiter.Show(onchain.Address{1}, nil), arbiter.Show(onchain.Address{2}, result)}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := d.store.Keep(raw)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(result)
	for _, task := range []*brain.TaskAccount{{Finding: brain.Conclusion{Evidence: evidence}}, {Counter: brain.Conclusion{Evidence: evidence}}} {
		if got := d.store.shown(t.Context(), task, hash); string(got) != string(result) {
			t.Errorf("it finds %q", got)
		}
		if got := d.store.shown(t.Context(), task, [32]byte{1}); got != nil {
			t.Errorf("another is %q", got)
		}
	}
	if got := d.store.shown(t.Context(), &brain.TaskAccount{}, hash); got != nil {
		t.Errorf("without evidence it finds %q", got)
	}
}

// TestLate: what nobody shows may be taken for no effort in the last third of the time to post.
func TestLate(t *testing.T) {
	t.Parallel()
	p := brain.Defaults()
	s := Seen{Task: &brain.TaskAccount{Clock: brain.Clock{Deadline: 100_000}}}
	for before, want := range map[uint32]bool{p.Times.Reveal: false, p.Times.Reveal/3 + 1: false, p.Times.Reveal / 3: true, 1: true} {
		if s.Now = 100_000 - int64(before); late(s, p) != want {
			t.Errorf("%d s before the end: %v", before, !want)
		}
	}
	s.Task.Status = brain.Posted // it may be disputed
	for before, want := range map[uint32]bool{p.Times.Dispute: false, p.Times.Dispute/3 + 1: false, p.Times.Dispute / 3: true} {
		if s.Now = 100_000 - int64(before); late(s, p) != want {
			t.Errorf("%d s before the end of the dispute window: %v", before, !want)
		}
	}
}
