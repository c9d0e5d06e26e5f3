package megabrain

import (
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

	"ojud/ledger/brain"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// errNoContent means that neither this machine nor a memory node has content.
var errNoContent = errors.New("megabrain: nobody has the content")

// ErrAbsent means that all memory nodes were asked, answered, and do not have content.
var ErrAbsent = errors.New("megabrain: no memory node has it")

// errTooLarge means that content is larger than any that is kept. A result like that is no effort.
var errTooLarge = errors.New("megabrain: too large")

// maxKept bounds a file of the store.
const maxKept = 256 << 10

// Archive keeps content by its SHA-256, as memory nodes do.
type Archive interface {
	Get(ctx context.Context, hash [32]byte) ([]byte, error)
	Put(ctx context.Context, content []byte) error
}

// Folder keeps content by its hash, and what was committed to and is not revealed, in a folder.
// Content that it lacks it gets from nodes.
type Folder struct {
	Dir      string
	Archives []Archive
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
	for _, n := range s.Archives {
		if err := n.Put(ctx, content); err != nil {
			return fmt.Errorf("megabrain: a memory node does not keep the content: %w", err)
		}
	}
	return nil
}

// Get returns content from the folder, or from the first node that has it, and keeps it.
func (s Folder) Get(ctx context.Context, hash [32]byte) ([]byte, error) {
	content, err := readFile(s.path(hash))
	if errors.Is(err, errTooLarge) {
		return nil, err
	}
	if err == nil && sha256.Sum256(content) == hash {
		return content, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("megabrain: %w", err)
	}
	said, absent := errors.New("no memory node was named"), len(s.Archives) > 0
	for _, n := range s.Archives {
		if content, err = n.Get(ctx, hash); err == nil && sha256.Sum256(content) == hash {
			if len(content) > maxKept {
				return nil, fmt.Errorf("%w: %x has %d bytes, more than %d", errTooLarge, hash, len(content), maxKept)
			}
			_, err = s.Keep(content)
			return content, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		said = errors.New("it gives other content")
		if err != nil {
			said = err
		}
		absent = absent && errors.Is(err, fs.ErrNotExist)
	}
	if absent {
		said = fmt.Errorf("%w: %w", ErrAbsent, said)
	}
	return nil, fmt.Errorf("%w %x: %w", errNoContent, hash, said)
}

// readFile reads a file of the store.
func readFile(path string) (content []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err = io.ReadAll(io.LimitReader(f, maxKept+1))
	if err == nil && len(content) > maxKept {
		err = fmt.Errorf("%w: %s has more than %d bytes", errTooLarge, path, maxKept)
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
