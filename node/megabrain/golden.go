package megabrain

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/casefile/canon"
	"ojud/ledger/brain"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/node/client"
)

// errNotSealed means that this home has nothing that opens the seal of a task.
var errNotSealed = errors.New("megabrain: this home has no answer of the task; use the home that made it: --home DIR")

// sealed is where the answers of a golden task are, each under its hash. None is ever replaced.
func (s Folder) sealed(task onchain.Address) string {
	return filepath.Join(s.Dir, "golden", task.String())
}

// seal salts the right result of a task, and keeps it: it is on the device before the task is made.
// The same answer keeps its salt.
func (s Folder) seal(task onchain.Address, answer []byte) ([32]byte, error) {
	content, err := canon.JSON(answer, finding.MaxResult)
	if err != nil {
		return [32]byte{}, fmt.Errorf("megabrain: the answer: %w", err)
	}
	var it brain.OpenGolden
	if it.Answer, err = s.Keep(content); err != nil {
		return [32]byte{}, err
	}
	path := filepath.Join(s.sealed(task), hexOf(it.Answer))
	rand.Read(it.Salt[:])
	raw, err := json.Marshal(it)
	if err != nil {
		return [32]byte{}, err
	}
	err = durable.Create(path, raw)
	if errors.Is(err, fs.ErrExist) {
		it, err = readSeal(path)
	}
	if err != nil {
		return [32]byte{}, fmt.Errorf("megabrain: keep the answer: %w", err)
	}
	return brain.GoldenSeal(task, it), durable.Sync(s.Dir, filepath.Join(s.Dir, "golden"))
}

func readSeal(path string) (it brain.OpenGolden, err error) {
	raw, err := readFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &it)
	}
	return it, err
}

// opening is what opens the seal of a task. errNotSealed: no answer of this home does. An answer
// that cannot be read is another error.
func (s Folder) opening(task onchain.Address, seal [32]byte) (brain.OpenGolden, error) {
	names, err := os.ReadDir(s.sealed(task))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return brain.OpenGolden{}, fmt.Errorf("megabrain: %w", err)
	}
	var unread error
	for _, n := range names {
		it, err := readSeal(filepath.Join(s.sealed(task), n.Name()))
		if err == nil && brain.GoldenSeal(task, it) == seal {
			return it, nil
		}
		unread = errors.Join(unread, err)
	}
	if unread != nil {
		return brain.OpenGolden{}, fmt.Errorf("megabrain: an answer of task %s cannot be read: %w", task, unread)
	}
	return brain.OpenGolden{}, errNotSealed
}

// Seal makes a golden task of what Create is to make: its right result is known to this home.
func (d *Desk) Seal(i *brain.CreateTask, answer []byte) (err error) {
	i.Seal, err = d.store.seal(d.prog.Task(d.self, i.TaskID), answer)
	return err
}

// Opened is a golden task that was opened, with what it showed.
type Opened struct {
	client.Sent
	Answer string          `json:"answer"` // SHA-256 of the right result
	Bond   client.Lamports `json:"bond"`
	Until  int64           `json:"appeals_until"` // Unix seconds, about
	Truth  arbiter.Golden  `json:"truth"`
}

// OpenGolden shows the right result of a settled golden task, with the bond of an outcome. The
// client is the creator of its class. Records learn from it when nobody may appeal any more.
func (d *Desk) OpenGolden(ctx context.Context, at onchain.Address) (Opened, error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return Opened{}, err
	}
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil {
		return Opened{}, err
	}
	it, until := brain.OpenGolden{Answer: s.Task.Seal}, s.Task.Clock.Deadline
	if s.Task.Marks.Opened == brain.Sealed {
		if it, err = d.store.opening(at, s.Task.Seal); err != nil {
			return Opened{}, err
		}
		until = s.Now + int64(c.Parameters.Times.Dispute)
	}
	truth, ok := arbiter.Tested(s.Task, c.Parameters, it.Answer)
	switch {
	case d.self != c.Creator:
		return Opened{}, fmt.Errorf("megabrain: the creator of the class opens its golden tasks, and that is %s", c.Creator)
	case c.Parameters.Golden == 0:
		return Opened{}, errors.New("megabrain: the class has no golden tasks: its parameter golden is 0")
	case s.Task.Status != brain.Settled || !s.Task.Found():
		return Opened{}, fmt.Errorf("megabrain: the task is at %q; a golden task is opened when a cluster was paid by an outcome", s.Task.Status)
	case !ok:
		return Opened{}, errors.New("megabrain: no right result is in the paid cluster, so that there is nothing to compare with")
	}
	if err := shown(ctx, d, s); err != nil {
		return Opened{}, err
	}
	bond := c.Parameters.OutcomeBond(s.Task.Money.Budget)
	sent, err := d.send(ctx, order{
		name: "open the golden task", pays: bond, calls: []onchain.Instruction{d.prog.OpenGolden(d.self, s.Task.Parties.Class, at, it)},
		done: func(ctx context.Context) (bool, error) {
			s, err := d.Task(ctx, at)
			return err == nil && s.Task.Marks.Opened != brain.Sealed, err
		},
	})
	return Opened{sent, hexOf(it.Answer), client.Lamports(bond), until, truth}, err
}

// shown makes sure that judges find what a golden task asks, if that stands on memory nodes. Who
// opens a task whose question nobody shows loses each appeal.
func shown(ctx context.Context, d *Desk, s Seen) error {
	if s.Task.Marks.Opened != brain.Sealed {
		return nil // it was opened before
	}
	told, err := termsOf(ctx, d, s.At, s.Task)
	if err == nil && !told.There {
		err = errors.New("megabrain: the RPC node does not give the task's transaction, so nobody knows here whether judges find the question; try another one: --rpc URL")
	}
	if err != nil {
		return err
	}
	// RPC nodes forget the transaction of a task within days, and an answer to an appeal needs it.
	if err := d.store.keepTerms(told); err != nil {
		return err
	}
	raw, named, err := questionOf(ctx, d, s, told)
	if err != nil || !named {
		return err
	}
	if raw == nil {
		return errors.New("megabrain: the question is too long to be read, so an appeal against the golden task would be won")
	}
	if _, err := finding.ReadQuestion(raw); err != nil {
		return fmt.Errorf("megabrain: an appeal against the golden task would be won: %w", err)
	}
	store, err := storeFor(ctx, d, s)
	if err != nil {
		return err
	}
	if len(store.Named) == 0 {
		return errors.New("megabrain: the class names no memory node, so judges would not find the question of the golden task, and an appeal would be won; ask golden tasks of such a class in 400 bytes")
	}
	return store.giveNamed(ctx, raw)
}

// openSealed opens a golden task of this home, if it is settled and the client may. What it gets
// has no seats.
func (d *Desk) openSealed(ctx context.Context, s Seen) (did string, err error) {
	if s.Task.Status != brain.Settled || s.Task.Marks.Opened != brain.Sealed || !s.Task.Found() {
		return "", nil
	}
	it, err := d.store.opening(s.At, s.Task.Seal)
	switch {
	case errors.Is(err, errNotSealed): // most tasks are not golden, or not of this home
		return "", nil
	case err != nil:
		return "", err
	}
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil || c.Creator != d.self || c.Parameters.Golden == 0 {
		return "", err
	}
	if s, err = d.Task(ctx, s.At); err != nil {
		return "", absent(err)
	}
	if _, ok := arbiter.Tested(s.Task, c.Parameters, it.Answer); !ok {
		return "", nil
	}
	_, err = d.OpenGolden(ctx, s.At)
	return "open the golden task", err
}
