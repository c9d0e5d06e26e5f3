package journal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestMoney: an entry is there after the journal was closed, in the order of keys, until it is
// removed.
func TestMoney(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if got, err := j.Money().Get([]byte("a")); err != nil || got != nil {
		t.Error(got, err)
	}
	if err := j.Money().Put(map[string][]byte{"b2": {2}, "b1": {1}, "c": {3}, strings.Repeat("k", maxMoneyKey): bytes.Repeat([]byte{4}, maxMoney)}); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	j = open(t, dir)
	defer shut(t, j)
	each := func() (all string) {
		if err := j.Money().Each([]byte("b"), func(key, value []byte) error { all += fmt.Sprintf("%s=%d ", key, value); return nil }); err != nil {
			t.Error(err)
		}
		return all
	}
	if all := each(); all != "b1=[1] b2=[2] " {
		t.Error(all)
	}
	if err := j.Money().Put(map[string][]byte{"b1": nil, "b2": {5}, "b3": {}}); err != nil {
		t.Fatal(err)
	}
	if all := each(); all != "b2=[5] " {
		t.Error(all)
	}
	stop := errors.New("enough")
	if err := j.Money().Each(nil, func([]byte, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// TestMoneyLimits: an entry that is too large, or has no name, is refused, and nothing of it is
// kept.
func TestMoneyLimits(t *testing.T) {
	j := open(t, t.TempDir())
	defer shut(t, j)
	for name, all := range map[string]map[string][]byte{
		"no key":         {"a": {1}, "": {1}},
		"a long key":     {"a": {1}, strings.Repeat("k", maxMoneyKey+1): {1}},
		"too many bytes": {"a": {1}, "b": make([]byte, maxMoney+1)},
	} {
		if err := j.Money().Put(all); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := j.Money().Get([]byte("a")); err != nil || got != nil {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if err := j.Money().Put(nil); err != nil {
		t.Error(err)
	}
}
