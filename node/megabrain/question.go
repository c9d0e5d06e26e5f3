package megabrain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"ojud/ledger/brain"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// ErrElsewhere means that the question of a task stands on memory nodes, and that none gives it.
var ErrElsewhere = errors.New("megabrain: the question stands on memory nodes, and none of them gives it now")

// Ask gives a question that is too long for a description to the memory nodes of a class. It
// returns the description that names it.
func Ask(ctx context.Context, d *Desk, class onchain.Address, question []byte) (description string, err error) {
	if _, err := finding.ReadQuestion(question); err != nil {
		return "", err
	}
	c, err := d.Class(ctx, class)
	if err != nil {
		return "", err
	}
	store, err := storeOf(ctx, d, c, Seen{})
	switch {
	case err != nil:
		return "", err
	case len(store.Archives)+len(store.Named) == 0:
		return "", errors.New("megabrain: the class names no memory node, so nobody would find the question; name a node that its workers and evaluators ask, too: --memory ADDRESS")
	}
	if _, err := store.Keep(question); err != nil {
		return "", err
	}
	return finding.Reference(question), store.Give(ctx, question)
}

// Question reads what a task asks, and whether the transaction that made it was found. A question
// that stands on memory nodes is fetched from there; with ErrElsewhere, the text is the description
// alone. One that is too long, or no text, is never read: then it is the description, too.
func (d *Desk) Question(ctx context.Context, at onchain.Address, t *brain.TaskAccount) (text string, there bool, err error) {
	told, err := termsOf(ctx, d, at, t)
	if err != nil || !told.There {
		return "", false, err
	}
	raw, named, err := questionOf(ctx, d, Seen{At: at, Task: t}, told)
	if err != nil || !named {
		return told.Description, true, err
	}
	if text, err := finding.ReadQuestion(raw); err == nil {
		return text, true, nil
	}
	return told.Description, true, nil
}

// questionOf gets the question that a description names. Content that is larger than any that is
// kept is nil.
func questionOf(ctx context.Context, d *Desk, s Seen, told brain.Told) (raw []byte, named bool, err error) {
	hash, named := finding.Elsewhere(told.Description)
	if !named {
		return nil, false, nil
	}
	store, err := storeFor(ctx, d, s)
	if err != nil {
		return nil, true, err
	}
	if len(store.Named) == 0 {
		store.Named = d.nodes.archives(finding.Nodes(string(told.Metadata)))
	}
	raw, err = store.Get(ctx, hash)
	switch {
	case errors.Is(err, errNoContent):
		return nil, true, fmt.Errorf("%w: %w", ErrElsewhere, err)
	case errors.Is(err, ErrTooLarge):
		return nil, true, nil
	}
	return raw, true, err
}

// termsOf reads description and metadata of a task: from the home, or from the transaction that
// made it. The home keeps them if the client has a seat in the task, because RPC nodes forget
// transactions after some days, and an appeal needs them.
func termsOf(ctx context.Context, d *Desk, at onchain.Address, t *brain.TaskAccount) (told brain.Told, err error) {
	told, err = d.store.terms(t.Terms)
	if err != nil || told.There {
		return told, err
	}
	if d.nodes == nil || d.nodes.made == nil {
		return told, errors.New("megabrain: nothing reads the transactions of tasks here")
	}
	told, err = d.nodes.made(ctx, at, t)
	if _, none := d.seat(t); err == nil && none == nil && told.There {
		err = d.store.keepTerms(told)
	}
	return told, err
}

// keepQuestion keeps what a task asks in the home. It gives a question that stands on memory nodes
// to them again, so that members who are called later find it.
func keepQuestion(ctx context.Context, d *Desk, s Seen) error {
	if d.nodes == nil || d.nodes.made == nil {
		return nil
	}
	told, err := termsOf(ctx, d, s.At, s.Task)
	if err != nil || !told.There {
		return err
	}
	raw, _, err := questionOf(ctx, d, s, told)
	if err != nil && !errors.Is(err, ErrElsewhere) {
		return err
	}
	if _, bad := finding.ReadQuestion(raw); bad != nil {
		return nil // nothing stands there, nobody has it, or nobody can read it
	}
	store, err := storeFor(ctx, d, s)
	if err != nil {
		return err
	}
	return store.Give(ctx, raw)
}

// told is what the home keeps of the transaction that made a task.
type told struct {
	Description []byte `json:"description"` // bytes: a question need not be a text
	Metadata    []byte `json:"metadata,omitempty"`
}

func (s Folder) termsFile(terms [32]byte) string {
	return filepath.Join(s.Dir, "questions", hexOf(terms))
}

// terms returns description and metadata of a task by their hash, as far as they were kept.
func (s Folder) terms(terms [32]byte) (out brain.Told, err error) {
	raw, err := readFile(s.termsFile(terms))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("megabrain: a question that was kept: %w", err)
	}
	var it told
	if bad := json.Unmarshal(raw, &it); bad != nil || brain.TermsHash(string(it.Description), it.Metadata) != terms {
		return out, nil // it was damaged; the chain's node may have it
	}
	return brain.Told{There: true, Description: string(it.Description), Metadata: it.Metadata}, nil
}

// keepTerms keeps them. It replaces what was damaged.
func (s Folder) keepTerms(of brain.Told) error {
	raw, err := json.Marshal(told{[]byte(of.Description), of.Metadata})
	if err != nil {
		return err
	}
	path := s.termsFile(brain.TermsHash(of.Description, of.Metadata))
	if err := errors.Join(durable.MakeDir(filepath.Dir(path)), durable.WriteFile(path, raw)); err != nil {
		return fmt.Errorf("megabrain: keep a question: %w", err)
	}
	return nil
}
