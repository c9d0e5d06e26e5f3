package oju_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

const (
	tracePath = "testdata/oju.json.gz"
	again     = "record again: npm install in ledger/svm/difftest/harness, then go test ./ledger/svm/difftest/oju -rewrite"
)

// trace has LiteSVM's report of each case.
type trace struct {
	ELF   string              `json:"elf"` // SHA-256 of the program, hex
	Cases map[string]recorded `json:"cases"`
}

// recorded is one case's answer.
type recorded struct {
	Input  string          `json:"input"` // SHA-256 of the inputs, hex
	Report difftest.Report `json:"report"`
}

// readTrace reads the recording. It refuses one of another program.
func readTrace(elf []byte) (out trace, err error) {
	f, err := os.Open(tracePath)
	if err != nil {
		return out, fmt.Errorf("%w: %s", err, again)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s", tracePath, err, again)
	}
	if err := json.NewDecoder(z).Decode(&out); err != nil {
		return out, fmt.Errorf("%s: %w: %s", tracePath, err, again)
	}
	return out, out.check(elf)
}

func (r trace) check(elf []byte) error {
	if have := digest(elf); r.ELF != have {
		return fmt.Errorf("%s is stale: it is of the program with SHA-256 %.16s…, and programs/oju/oju.so has %.16s…: %s", tracePath, r.ELF, have, again)
	}
	return nil
}

// find returns the report of a case.
func (r trace) find(c difftest.Case) (difftest.Report, error) {
	found, ok := r.Cases[c.Name]
	if !ok {
		return found.Report, fmt.Errorf("%s has no case %s: %s", tracePath, c.Name, again)
	}
	if found.Input != input(c) {
		return found.Report, fmt.Errorf("%s: case %s was recorded with other inputs; look at the differences before this one first, then %s", tracePath, c.Name, again)
	}
	return found.Report, nil
}

func (r trace) write() (err error) {
	if err := os.MkdirAll(filepath.Dir(tracePath), 0o755); err != nil {
		return err
	}
	f, err := os.Create(tracePath)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(z).Encode(r), z.Close())
}

// input hashes all inputs of a case. The program has its own hash.
func input(c difftest.Case) string {
	h := sha256.New()
	add := func(format string, args ...any) { h.Write(fmt.Appendf(nil, format, args...)) }
	add("%v %+v %+v %v %v", c.Verify, c.Env.Clock, c.Env.Rent, c.Env.LastRestartSlot, c.Env.Blockhash)
	for _, s := range c.Env.SlotHashes {
		add("\nslot %d %s", s.Slot, s.Hash)
	}
	for _, p := range c.Programs {
		add("\nprogram %s", p.ID)
	}
	for _, a := range c.Accounts {
		add("\naccount %s %d %s %v %d %s", a.Key, a.Account.Lamports, a.Account.Owner, a.Account.Executable, a.Account.RentEpoch, digest(a.Account.Data))
	}
	for _, t := range c.Transactions {
		add("\ntransaction %x %s", t.Raw, t.Watch)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// TestStale: a recording of another program, of other inputs or of other cases is refused, and the
// error says what to do.
func TestStale(t *testing.T) {
	c := difftest.Case{Name: "one", Env: accounts.DefaultEnvironment(), Transactions: []difftest.Transaction{{Raw: []byte{1}}}}
	r := trace{ELF: digest([]byte("program")), Cases: map[string]recorded{"one": {Input: input(c)}}}
	if err := r.check([]byte("program")); err != nil {
		t.Error(err)
	}
	if _, err := r.find(c); err != nil {
		t.Error(err)
	}
	changed, clock, other := c, c, c
	changed.Transactions = []difftest.Transaction{{Raw: []byte{2}}}
	clock.Env = accounts.DefaultEnvironment()
	clock.Env.Clock.UnixTimestamp++
	other.Name = "two"
	refusals := []error{r.check([]byte("another"))}
	for _, c := range []difftest.Case{changed, clock, other} {
		_, err := r.find(c)
		refusals = append(refusals, err)
	}
	for i, err := range refusals {
		if err == nil || !strings.Contains(err.Error(), "-rewrite") {
			t.Errorf("refusal %d: %v", i, err)
		}
	}
}
