package proctor

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/voting"
)

// plan is a batch of a test.
func plan(leaves int) Plan {
	p := DefaultPlan()
	p.Leaves, p.Seed = leaves, [32]byte([]byte("a seed of a test, and no secret!"))
	p.Place = func(leaf int) Location {
		return Location{Creator: voting.Key{1}, Number: uint64(leaf), Task: sha256.Sum256([]byte{byte(leaf), byte(leaf >> 8), 1})}
	}
	return p
}

func batch(t *testing.T, p Plan) *Batch {
	t.Helper()
	b, err := Make(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBatch makes a batch, writes it, reads it, opens it leaf by leaf, and checks it.
func TestBatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "batch")
	made := batch(t, plan(12))
	if err := made.Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := made.Save(dir); err == nil {
		t.Error("a batch is written over another one")
	}
	b, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := b.Contents()
	if s.Leaves != 12 || s.Accept != 6 || s.Reject != 6 || !s.Balanced || s.Kinds[generator.Code] != 4 || s.Root != casefile.Digest(made.root) {
		t.Errorf("%+v", s)
	}
	for n := range 12 {
		p, err := CheckDir(dir)
		if err != nil || p.Open != n || p.Complete || p.Balanced {
			t.Errorf("%+v, %v", p, err)
		}
		names, err := b.Open(dir, []int{n + 1})
		if err != nil || len(names) != 1 {
			t.Fatal(err)
		}
		f, err := CheckFile(names[0])
		if err != nil || f.Leaf != n+1 || f.Why == "" || f.Seal != casefile.Digest(b.leaves[n].Hash()) {
			t.Errorf("%+v, %v", f, err)
		}
	}
	if p, err := CheckDir(dir); err != nil || !p.Complete || !p.Balanced || p.Accept != 6 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, n := range []int{0, 13, -1} {
		if _, err := b.Open(dir, []int{n}); err == nil {
			t.Errorf("leaf %d is open", n)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, casesName, number(3), "task.json"))
	if err != nil || !bytes.Equal(raw, b.disputes[3].Task) {
		t.Errorf("%v: another task", err)
	}
}

// TestSecret: nobody else on the machine can read the answers.
func TestSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "batch")
	if err := batch(t, plan(2)).Save(dir); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if seen++; info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v", name, info.Mode())
		}
		return nil
	})
	if err != nil || seen != 2*5+4 {
		t.Errorf("%d files and directories, %v", seen, err)
	}
	public, err := os.ReadFile(filepath.Join(dir, publicName))
	if err != nil || strings.Contains(string(public), "seed") {
		t.Errorf("%v: %s", err, public)
	}
}

// forged commits to changed leaves.
func forged(t *testing.T, change func(b *Batch)) *Batch {
	t.Helper()
	b := batch(t, plan(4))
	change(b)
	var err error
	if b.root, b.proofs, err = golden.Commit(b.leaves); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAttackLyingProctor: a proctor that commits to a false answer takes up to 28 times 20 pays
// from honest judges by each leaf. Anybody who runs the check sees the lie before the batch is
// applied.
func TestAttackLyingProctor(t *testing.T) {
	for want, change := range map[string]func(b *Batch){
		"is right":    func(b *Batch) { b.leaves[1].Answer = 3 - b.leaves[1].Answer },
		"its task is": func(b *Batch) { b.leaves[1].Task[0]++ },
		"its result is": func(b *Batch) { // the twin's result, after the seals are public
			b.leaves[1].Result = b.leaves[2].Result
		},
		"its objection is":         func(b *Batch) { b.leaves[1].Objection[0]++ },
		"its counter-objection is": func(b *Batch) { b.leaves[1].Counter[0]++ },
		"no generator":             func(b *Batch) { b.leaves[1].Generator[0]++ },
	} {
		b := forged(t, change)
		if _, err := b.opening(1).check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if _, err := b.opening(0).check(); err != nil {
			t.Errorf("the leaf beside it: %v", err)
		}
	}
}

// TestAttackSelectiveOpening: a proctor that opens only the leaves in which its rivals erred would
// drop their records. The check says that the batch is incomplete, so that nothing may be applied.
func TestAttackSelectiveOpening(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "batch")
	b := batch(t, plan(4))
	if err := b.Save(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(dir, []int{1, 2, 4}); err != nil {
		t.Fatal(err)
	}
	if p, err := CheckDir(dir); err != nil || p.Open != 3 || p.Complete || p.Balanced {
		t.Errorf("%+v, %v", p, err)
	}
	other := batch(t, func() Plan { p := plan(4); p.Seed[0]++; return p }())
	if _, err := other.Open(dir, []int{3}); err != nil {
		t.Fatal(err)
	}
	if p, err := CheckDir(dir); err == nil {
		t.Errorf("a leaf of another batch counts: %+v", p)
	}
}

// TestAttackUnbalancedBatch: with 60 % of one answer, a judge that always gives it breaks even: its
// pay, and 0.6 gains less 0.4 times 4, add up to nothing. No batch with more than 55 % is made.
func TestAttackUnbalancedBatch(t *testing.T) {
	for leaves := 1; leaves <= 60; leaves++ {
		b, err := Make(plan(leaves))
		if err != nil {
			if leaves%2 == 0 || leaves >= 11 {
				t.Errorf("%d leaves: %v", leaves, err)
			}
			continue
		}
		if s := b.Contents(); 100*s.Accept < 45*leaves || 100*s.Accept > 55*leaves || !s.Balanced {
			t.Errorf("%+v", s)
		}
		if leaves == 30 {
			break
		}
	}
}

// TestRewards: each range of rewards has its part of the leaves, so that blind voting pays in none,
// and looks as people write it.
func TestRewards(t *testing.T) {
	p := plan(40)
	b := batch(t, p)
	counts := make([]int, len(p.Rewards))
	for _, s := range b.secrets {
		if digits := strings.TrimRight(fmt.Sprint(s.Reward), "0"); digits == "" || len(digits) > 2 {
			t.Errorf("nobody offers a reward of %d lamports", s.Reward)
		}
		for i, r := range p.Rewards {
			if uint64(s.Reward) >= r.Least && uint64(s.Reward) < r.Most {
				counts[i]++
			}
		}
	}
	if counts[0] != 20 || counts[1] != 16 || counts[2] != 4 {
		t.Errorf("%v of 40, want 50, 40 and 10 %%", counts)
	}
}

// TestPlans: each wrong plan is refused with its reason.
func TestPlans(t *testing.T) {
	for want, change := range map[string]func(p *Plan){
		"0 leaves":            func(p *Plan) { p.Leaves = 0 },
		"1 to 256":            func(p *Plan) { p.Leaves = golden.MaxLeaves + 1 },
		"even number":         func(p *Plan) { p.Leaves = 7 },
		"program and creator": func(p *Plan) { p.Place = nil },
		"no kind":             func(p *Plan) { p.Kinds = nil },
		"called \"song\"":     func(p *Plan) { p.Kinds = []generator.Kind{"song"} },
		"0 ranges":            func(p *Plan) { p.Rewards = nil },
		"from 0 to":           func(p *Plan) { p.Rewards = []Range{{0, 5, 1}} },
		"from 6 to 5":         func(p *Plan) { p.Rewards = []Range{{6, 5, 1}} },
		"in 0 parts":          func(p *Plan) { p.Rewards = []Range{{5, 6, 0}} },
	} {
		p := plan(4)
		change(&p)
		if _, err := Make(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestQuestion: the task that challenges a leaf and the result that denies it are canonical, and
// they are a task document and a result.
func TestQuestion(t *testing.T) {
	asked := batch(t, plan(2)).leaves[1].Question()
	for _, document := range [][]byte{asked, golden.Denial()} {
		canonical, err := canon.JSON(document, 1<<12)
		if err != nil || !bytes.Equal(canonical, document) {
			t.Errorf("%v: %s", err, document)
		}
	}
	if _, err := casefile.ParseTask(asked); err != nil {
		t.Error(err)
	}
}

// TestFreshSeeds: without a seed, two batches have nothing in common.
func TestFreshSeeds(t *testing.T) {
	p := plan(2)
	p.Seed = [32]byte{}
	a, b := batch(t, p), batch(t, p)
	if a.root == b.root || a.leaves[0].Seed == b.leaves[0].Seed {
		t.Error("two batches are equal")
	}
}

// TestDamaged: a secret that was changed is noticed.
func TestDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "batch")
	if err := batch(t, plan(2)).Save(dir); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, secretName)
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var k kept
	if err := json.Unmarshal(raw, &k); err != nil {
		t.Fatal(err)
	}
	k.Leaves[0].Seed[3]++
	if raw, err = json.Marshal(k); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{raw, []byte("{}"), []byte(`{"root":1}`), bytes.Repeat([]byte(" "), maxSecret+1)} {
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil {
			t.Errorf("%.40s is a secret", bad)
		}
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty directory is a batch")
	}
}

// FuzzOpening: the file of an open leaf that passes the check is what the generator makes.
func FuzzOpening(f *testing.F) {
	b, err := Make(plan(2))
	if err != nil {
		f.Fatal(err)
	}
	raw, err := json.Marshal(b.opening(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"leaf":{},"path":[],"leaves":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := parseOpening(raw)
		if err != nil {
			return
		}
		if found, err := o.check(); err == nil && (voting.Choice(found.Answer) == voting.Abstain || found.Why == "") {
			t.Errorf("%+v", found)
		}
	})
}

// FuzzSecret: a secret is read whole or not at all.
func FuzzSecret(f *testing.F) {
	f.Add([]byte(`{"leaves":[{"generator":"` + strings.Repeat("ab", 32) + `","reward_lamports":"5","seed":"` + strings.Repeat("cd", 32) + `"}],"root":"` + strings.Repeat("00", 32) + `"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if k, err := decodeSecret(raw); err == nil && (len(k.Leaves) == 0 || len(k.Leaves) > golden.MaxLeaves) {
			t.Errorf("%d leaves", len(k.Leaves))
		}
	})
}
