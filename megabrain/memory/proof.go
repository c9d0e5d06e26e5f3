package memory

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Inclusion shows that a promise is in a node's log: the receipt that a node gives for an artifact.
// It stays valid when the artifact is erased.
type Inclusion struct {
	Head    TreeHead `json:"head"`
	Index   int64    `json:"index"`
	Promise Promise  `json:"promise"`
	Proof   []Digest `json:"proof"`
}

// Verify checks the proof.
func (i Inclusion) Verify() error {
	if err := i.Promise.Check(); err != nil {
		return fmt.Errorf("memory: promise %d: %w", i.Index, err)
	}
	if err := tlog.CheckRecord(path(i.Proof), i.Head.Size, tlog.Hash(i.Head.Root), i.Index, i.Promise.record()); err != nil {
		return fmt.Errorf("memory: promise %d is not in the log: %w", i.Index, err)
	}
	return nil
}

// Prefix is what the log of a head has as its first Size promises: their root, and the proof.
type Prefix struct {
	Head  TreeHead `json:"head"`
	Size  int64    `json:"size"`
	Root  Digest   `json:"root"`
	Proof []Digest `json:"proof"`
}

// Verify checks the proof.
func (c Prefix) Verify() error {
	if c.Size < 1 || c.Size > c.Head.Size {
		return fmt.Errorf("memory: the log has %d promises, so that the first %d have no proof", c.Head.Size, c.Size)
	}
	if err := tlog.CheckTree(path(c.Proof), c.Head.Size, tlog.Hash(c.Head.Root), c.Size, tlog.Hash(c.Root)); err != nil {
		return fmt.Errorf("memory: the first %d promises: %w", c.Size, err)
	}
	return nil
}

// Continues reports whether the log of c goes on with that of an earlier head of the same node. A
// nil exposure and a nil error mean that it does.
func (c Prefix) Continues(old TreeHead) (*Exposure, error) {
	if err := c.Verify(); err != nil {
		return nil, err
	}
	if old.Node != c.Head.Node || old.Size != c.Size {
		return nil, fmt.Errorf("memory: the proof is about %d promises of %s, not about %d of %s", c.Size, c.Head.Node, old.Size, old.Node)
	}
	if old.Root == c.Root {
		return nil, nil
	}
	return &Exposure{Old: old, Prefix: &c}, nil
}

// Exposure proves that a node has signed two histories. Exactly one of its members beside Old is
// there, or First and Second alone are.
type Exposure struct {
	// Old and Other have the same size and not the same root.
	Old   TreeHead  `json:"old,omitzero"`
	Other *TreeHead `json:"other,omitempty"`
	// Prefix shows that a later log began in another way than Old says.
	Prefix *Prefix `json:"prefix,omitempty"`
	// First and Second are two promises at one place of the log.
	First  *Inclusion `json:"first,omitempty"`
	Second *Inclusion `json:"second,omitempty"`
}

// Verify checks that the exposure proves what it says. It returns what the node did.
func (e Exposure) Verify() (did string, err error) {
	switch {
	case e.Other != nil && e.Prefix == nil && e.First == nil && e.Second == nil:
		if e.Old.Node != e.Other.Node || e.Old.Size != e.Other.Size || e.Old.Root == e.Other.Root {
			return "", fmt.Errorf("memory: the two heads may both be true")
		}
		return fmt.Sprintf("signed two logs of %d promises with two roots", e.Old.Size), nil
	case e.Prefix != nil && e.Other == nil && e.First == nil && e.Second == nil:
		if err := e.Prefix.Verify(); err != nil {
			return "", err
		}
		if e.Old.Node != e.Prefix.Head.Node || e.Old.Size != e.Prefix.Size || e.Old.Root == e.Prefix.Root {
			return "", fmt.Errorf("memory: the later head may go on with the earlier one")
		}
		return fmt.Sprintf("signed a log of %d promises, and later one of %d that begins in another way", e.Old.Size, e.Prefix.Head.Size), nil
	case e.First != nil && e.Second != nil && e.Other == nil && e.Prefix == nil && e.Old.text == "":
		for _, i := range []*Inclusion{e.First, e.Second} {
			if err := i.Verify(); err != nil {
				return "", err
			}
		}
		if e.First.Head.Node != e.Second.Head.Node || e.First.Index != e.Second.Index || e.First.Promise == e.Second.Promise {
			return "", fmt.Errorf("memory: the two promises may both be in one log")
		}
		return fmt.Sprintf("signed two promises at place %d of its log", e.First.Index), nil
	}
	return "", fmt.Errorf("memory: an exposure has old and other, old and prefix, or first and second")
}

// node is who is exposed.
func (e Exposure) node() string {
	if e.First != nil {
		return e.First.Head.Node.String()
	}
	return e.Old.Node.String()
}

// Compare returns the exposure that two heads of one node are, or nil.
func Compare(a, b TreeHead) *Exposure {
	if a.Node == b.Node && a.Size == b.Size && a.Root != b.Root {
		return &Exposure{Old: a, Other: &b}
	}
	return nil
}

// ComparePlaces returns the exposure that two verified promises of one node are, or nil.
func ComparePlaces(a, b Inclusion) *Exposure {
	if a.Head.Node == b.Head.Node && a.Index == b.Index && a.Promise != b.Promise {
		return &Exposure{First: &a, Second: &b}
	}
	return nil
}
