package proctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/ledger/journal/durable"
	"ojud/voting"
	"ojud/voting/rules"
)

// Batch is a batch of which all answers are known.
type Batch struct {
	root     voting.Hash
	secrets  []secret
	leaves   []golden.Leaf
	proofs   []golden.Proof
	disputes []generator.Dispute
}

// secret is what a proctor keeps of a leaf.
type secret struct {
	Task      casefile.Address `json:"task"` // its account
	Creator   casefile.Address `json:"creator"`
	Number    casefile.Amount  `json:"number"` // among the tasks of its creator
	Generator casefile.Digest  `json:"generator"`
	Seed      casefile.Digest  `json:"seed"`
	Reward    casefile.Amount  `json:"reward_lamports"`
}

// kept is the content of secret.json.
type kept struct {
	Root   casefile.Digest `json:"root"`
	Leaves []secret        `json:"leaves"`
}

// public is the content of batch.json.
type public struct {
	Root   casefile.Digest `json:"root"`
	Leaves int             `json:"leaves"`
}

const (
	publicName = "batch.json"
	secretName = "secret.json"
	casesName  = "cases"
	openedName = "opened"
	maxSecret  = 1 << 20 // bytes of secret.json
)

// assemble makes the disputes and the tree of a batch.
func assemble(secrets []secret) (*Batch, error) {
	b := &Batch{secrets: secrets}
	for i, s := range secrets {
		g, err := generator.Find(voting.Hash(s.Generator))
		if err != nil {
			return nil, fmt.Errorf("leaf %d: %w", i+1, err)
		}
		d, err := g.Make(s.Seed)
		if err != nil {
			return nil, fmt.Errorf("leaf %d: %w", i+1, err)
		}
		b.disputes, b.leaves = append(b.disputes, d), append(b.leaves, leaf(d, g, s.Seed, voting.Key(s.Task)))
	}
	var err error
	if b.root, b.proofs, err = golden.Commit(b.leaves); err != nil {
		return nil, fmt.Errorf("proctor: %w", err)
	}
	return b, nil
}

// leaf is the leaf of a dispute.
func leaf(d generator.Dispute, g generator.Generator, seed [32]byte, task voting.Key) golden.Leaf {
	return golden.Leaf{
		Address: task,
		Task:    casefile.HashOf(d.Task), Result: casefile.HashOf(d.Result), Objection: casefile.HashOf(d.Objection), Counter: casefile.HashOf(d.Counter),
		Answer: d.Answer, Generator: g.Version(), Seed: seed,
	}
}

// Save writes a batch to a new directory. secret.json is there after a power cut; the rest can be
// made from it again.
func (b *Batch) Save(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("proctor: %s exists; name a new directory, because a batch is never written over", dir)
	}
	if err := durable.MakeDir(dir); err != nil {
		return err
	}
	secret, err := json.MarshalIndent(kept{Root: casefile.Digest(b.root), Leaves: b.secrets}, "", " ")
	if err != nil {
		return fmt.Errorf("proctor: %w", err)
	}
	if err := durable.WriteFile(filepath.Join(dir, secretName), append(secret, '\n')); err != nil {
		return err
	}
	for i, d := range b.disputes {
		to := filepath.Join(dir, casesName, number(i))
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		for name, content := range map[string][]byte{"task": d.Task, "result": d.Result, "objection": d.Objection, "counter_objection": d.Counter} {
			if err := os.WriteFile(filepath.Join(to, name+".json"), content, 0o600); err != nil {
				return err
			}
		}
	}
	open, err := json.MarshalIndent(public{Root: casefile.Digest(b.root), Leaves: len(b.leaves)}, "", " ")
	if err != nil {
		return fmt.Errorf("proctor: %w", err)
	}
	return durable.WriteFile(filepath.Join(dir, publicName), append(open, '\n'))
}

// number names the files of a leaf. People count from 1.
func number(i int) string { return fmt.Sprintf("%04d", i+1) }

// Load reads the secret of a batch from a directory, and makes everything again. It fails if the
// root is another one.
func Load(dir string) (*Batch, error) {
	raw, err := readSome(filepath.Join(dir, secretName), maxSecret)
	if err != nil {
		return nil, err
	}
	k, err := decodeSecret(raw)
	if err != nil {
		return nil, err
	}
	b, err := assemble(k.Leaves)
	if err == nil && b.root != voting.Hash(k.Root) {
		err = fmt.Errorf("proctor: the seeds of %s make the root %s, but the file says %s", secretName, b.root, k.Root)
	}
	return b, err
}

// decodeSecret reads secret.json.
func decodeSecret(raw []byte) (k kept, err error) {
	if err := strict(raw, maxSecret, &k); err != nil {
		return kept{}, fmt.Errorf("proctor: %s: %w", secretName, err)
	}
	if len(k.Leaves) == 0 || len(k.Leaves) > golden.MaxLeaves {
		return kept{}, fmt.Errorf("proctor: %s has %d leaves; a batch has 1 to %d", secretName, len(k.Leaves), golden.MaxLeaves)
	}
	return k, nil
}

// strict reads JSON of a bounded size without unknown or repeated fields.
func strict(raw []byte, limit int, to any) error {
	canonical, err := canon.JSON(raw, limit)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// readSome reads a file of at most limit bytes.
func readSome(name string, limit int64) (raw []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	raw, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("proctor: %s has more than %d bytes", name, limit)
	}
	return raw, err
}

// Contents says what is in a batch.
type Contents struct {
	Root     casefile.Digest        `json:"root"`
	Leaves   int                    `json:"leaves"`
	Accept   int                    `json:"accept"`
	Reject   int                    `json:"reject"`
	Balanced bool                   `json:"balanced"` // may be applied
	Hard     int                    `json:"hard"`
	Hostile  int                    `json:"hostile"`
	Kinds    map[generator.Kind]int `json:"kinds"`
	Rewards  casefile.Amount        `json:"rewards_lamports"` // of all leaves
}

// Contents counts the leaves.
func (b *Batch) Contents() Contents {
	s := Contents{Root: casefile.Digest(b.root), Leaves: len(b.leaves), Kinds: map[generator.Kind]int{}}
	const _ = uint(3 - voting.Choices) // an answer is a side
	for i, d := range b.disputes {
		if s.Kinds[d.Kind]++; d.Answer == voting.Accept {
			s.Accept++
		} else {
			s.Reject++
		}
		if d.Hard {
			s.Hard++
		}
		if d.Hostile {
			s.Hostile++
		}
		s.Rewards += b.secrets[i].Reward
	}
	s.Balanced = rules.Balanced(uint64(s.Accept), uint64(s.Leaves))
	return s
}
