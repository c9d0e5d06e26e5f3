package megabrain

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// errNoContent means that neither this machine nor a memory node has content.
var errNoContent = errors.New("megabrain: nobody has the content")

// ErrAbsent means that all memory nodes were asked, answered, and do not have content.
var ErrAbsent = errors.New("megabrain: no memory node has it")

// ErrTooLarge means that content is larger than any that is kept. A result like that is no effort.
var ErrTooLarge = errors.New("megabrain: too large")

// MaxKept bounds a file of the store, in bytes.
const MaxKept = 256 << 10

// Archive keeps content by its SHA-256, as memory nodes do. Get may answer ErrTooLarge for content
// above MaxKept that has the hash.
type Archive interface {
	Get(ctx context.Context, hash [32]byte) ([]byte, error)
	Put(ctx context.Context, content []byte) error
}

// Folder keeps content by its hash, and what was committed to and is not revealed, in a folder.
// Content that it lacks it gets from nodes.
type Folder struct {
	Dir      string
	Archives []Archive // of the owner's choice: each keeps what is given
	Named    []Archive // those that a class names: two of them keep it, or the only one
	Late     bool      // the named ones that do not answer count as if they lacked it
	Until    time.Time // after that, the named ones are not asked; the zero time is no end
	Passing  bool      // what nodes give is not kept: strangers choose what a view shows
}

func hexOf(hash [32]byte) string { return hex.EncodeToString(hash[:]) }

func (s Folder) path(hash [32]byte) string {
	return filepath.Join(s.Dir, "content", hexOf(hash))
}

// Keep writes content to the folder. It is there after a power cut.
func (s Folder) Keep(content []byte) ([32]byte, error) {
	hash := sha256.Sum256(content)
	err := durable.Create(s.path(hash), content)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return hash, fmt.Errorf("megabrain: keep content: %w", err)
	}
	return hash, nil
}

// Give gives content to all nodes.
func (s Folder) Give(ctx context.Context, content []byte) error {
	return errors.Join(s.giveOwn(ctx, content), s.giveNamed(ctx, content))
}

// giveOwn gives content to the nodes of the owner's choice.
func (s Folder) giveOwn(ctx context.Context, content []byte) error {
	for _, n := range s.Archives {
		if err := n.Put(ctx, content); err != nil {
			return fmt.Errorf("megabrain: a memory node does not keep the content: %w", err)
		}
	}
	return nil
}

// giveNamed gives content to the nodes that a class names. Who looks for it takes it for absent
// only if at most one of them does not answer, so that two have to keep it.
func (s Folder) giveNamed(ctx context.Context, content []byte) error {
	var failed []error
	for _, n := range s.Named {
		if err := n.Put(ctx, content); err != nil {
			failed = append(failed, err)
		}
	}
	if kept := len(s.Named) - len(failed); kept < min(twice, len(s.Named)) {
		return fmt.Errorf("megabrain: %d of the %d memory nodes that the class names keep the content: %w", kept, len(s.Named), errors.Join(failed...))
	}
	return nil
}

// twice is how many of the nodes that a class names keep content, if it names so many.
const twice = 2

// Get returns content from the folder, or from the first node that has it, and keeps it.
func (s Folder) Get(ctx context.Context, hash [32]byte) ([]byte, error) {
	content, err := readFile(s.path(hash))
	if errors.Is(err, ErrTooLarge) {
		return nil, err
	}
	if err == nil && sha256.Sum256(content) == hash {
		return content, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("megabrain: %w", err)
	}
	said, absent, silent := errors.New("no memory node was named"), len(s.Archives)+len(s.Named) > 0, 0
	for i := range len(s.Archives) + 1 {
		var answers []answer
		if i < len(s.Archives) {
			content, err = s.Archives[i].Get(ctx, hash)
			answers = []answer{{content, err}}
		} else {
			answers = s.named(ctx, hash)
		}
		for _, it := range answers {
			switch {
			case it.err == nil && sha256.Sum256(it.content) == hash:
				return s.keep(hash, it.content)
			case errors.Is(it.err, ErrTooLarge), ctx.Err() != nil:
				return nil, cmp.Or(ctx.Err(), it.err)
			}
			if said = it.err; said == nil {
				said = errors.New("it gives other content")
			}
			if errors.Is(it.err, fs.ErrNotExist) {
				continue
			}
			if i < len(s.Archives) || errors.Is(it.err, errOver) {
				absent = false
			} else if silent++; silent >= min(twice, len(s.Named)) && !s.Late {
				absent = false // it may be on those that do not answer
			}
		}
	}
	if absent {
		said = fmt.Errorf("%w: %w", ErrAbsent, said)
	}
	return nil, fmt.Errorf("%w %x: %w", errNoContent, hash, said)
}

// keep keeps content that a node gave, unless it is too large or for a view.
func (s Folder) keep(hash [32]byte, content []byte) (_ []byte, err error) {
	if len(content) > MaxKept {
		return nil, fmt.Errorf("%w: %x has %d bytes, more than %d", ErrTooLarge, hash, len(content), MaxKept)
	}
	if !s.Passing {
		_, err = s.Keep(content)
	}
	return content, err
}

// answer is what a node answers.
type answer struct {
	content []byte
	err     error
}

// errOver means that the nodes of a class were not asked.
var errOver = errors.New("the memory nodes of the class took too long for all that was asked")

// named asks all nodes that the class names at once, and returns the first answer that has the
// content, or all.
func (s Folder) named(ctx context.Context, hash [32]byte) (all []answer) {
	if len(s.Named) == 0 {
		return nil
	}
	if !s.Until.IsZero() {
		if time.Now().After(s.Until) {
			return []answer{{nil, errOver}}
		}
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, s.Until)
		defer stop()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answers := make(chan answer, len(s.Named))
	for _, n := range s.Named {
		go func() {
			content, err := n.Get(ctx, hash)
			answers <- answer{content, err}
		}()
	}
	for range s.Named {
		it := <-answers
		if it.err == nil && sha256.Sum256(it.content) == hash {
			return []answer{it}
		}
		all = append(all, it)
	}
	return all
}

// readFile reads a file of the store.
func readFile(path string) (content []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err = io.ReadAll(io.LimitReader(f, MaxKept+1))
	if err == nil && len(content) > MaxKept {
		err = fmt.Errorf("%w: %s has more than %d bytes", ErrTooLarge, path, MaxKept)
	}
	return content, err
}

// secret is what a seat committed to. One of result and evaluation is there. Made is the slot in
// which the task was made: one that is made again at its address gets another salt, because the
// first is public.
type secret struct {
	Made       uint64                  `json:"made,omitempty"`
	Result     *brain.SubmitResult     `json:"result,omitempty"`
	Evaluation *brain.SubmitEvaluation `json:"evaluation,omitempty"`
}

// commitment is what the chain gets first.
func (s secret) commitment(task, who onchain.Address) [32]byte {
	if s.Result != nil {
		return brain.ResultCommitment(task, who, *s.Result)
	}
	return brain.EvaluationCommitment(task, who, *s.Evaluation)
}

// unsalted is the hash of what is said, without the salt.
func (s secret) unsalted() ([32]byte, error) {
	if s.Result != nil {
		r := *s.Result
		r.Salt = [32]byte{}
		s = secret{Made: s.Made, Result: &r}
	} else {
		e := *s.Evaluation
		e.Salt = [32]byte{}
		s = secret{Made: s.Made, Evaluation: &e}
	}
	raw, err := json.Marshal(s)
	return sha256.Sum256(raw), err
}

// folder is where the secrets of a seat are, each under what it commits to. None is ever replaced:
// a commitment that was sent before a crash may still land.
func (s Folder) folder(task, who onchain.Address) string {
	return filepath.Join(s.Dir, "secrets", task.String(), who.String())
}

// hide salts what a seat will reveal, and keeps it. It is on the device when hide returns, so that
// a commitment is sent only if it can be opened after a crash. What was hidden before keeps its
// salt.
func (s Folder) hide(task, who onchain.Address, it secret) (secret, error) {
	same, err := it.unsalted()
	if err != nil {
		return secret{}, err
	}
	names, err := os.ReadDir(s.folder(task, who))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return secret{}, fmt.Errorf("megabrain: %w", err)
	}
	for _, n := range names {
		var commitment [32]byte
		if raw, err := hex.DecodeString(n.Name()); err != nil || copy(commitment[:], raw) != len(commitment) {
			continue // a file that was being written
		}
		old, err := s.reveal(task, who, commitment)
		if err != nil {
			return secret{}, err
		}
		if (old.Result != nil) != (it.Result != nil) {
			continue
		}
		if before, err := old.unsalted(); err != nil || before == same {
			return old, err
		}
	}
	var salt [32]byte
	rand.Read(salt[:])
	if it.Result != nil {
		it.Result.Salt = salt
	} else {
		it.Evaluation.Salt = salt
	}
	raw, err := json.Marshal(it)
	if err != nil {
		return secret{}, err
	}
	commitment := it.commitment(task, who)
	if err := durable.Create(filepath.Join(s.folder(task, who), hexOf(commitment)), raw); err != nil {
		return secret{}, fmt.Errorf("megabrain: keep what is committed to: %w", err)
	}
	return it, durable.Sync(s.Dir, filepath.Join(s.Dir, "secrets"), filepath.Join(s.Dir, "secrets", task.String()))
}

// reveal returns what opens a commitment.
func (s Folder) reveal(task, who onchain.Address, commitment [32]byte) (it secret, err error) {
	path := filepath.Join(s.folder(task, who), hexOf(commitment))
	raw, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return it, fmt.Errorf("megabrain: %s committed to %x in task %s, and %s does not have what opens it; use the home that committed: --home DIR", who, commitment, task, s.Dir)
	}
	if err == nil {
		err = json.Unmarshal(raw, &it)
	}
	if err != nil || (it.Result == nil) == (it.Evaluation == nil) || it.commitment(task, who) != commitment {
		return it, fmt.Errorf("megabrain: the file %s does not open the commitment: it was damaged: %w", path, err)
	}
	return it, nil
}

// bound refuses a result that would be no effort, because it is too large.
func bound(result []byte) error {
	if len(result) > finding.MaxResult {
		return fmt.Errorf("megabrain: the result has %d bytes in canonical JSON; it has at most %d: put what is larger on a memory node, and name its hash in the result", len(result), finding.MaxResult)
	}
	return nil
}
