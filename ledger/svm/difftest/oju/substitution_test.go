package oju_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

// substitutions collects the result of every wrong account in every place of every instruction.
type substitutions struct {
	*scene
	lines map[string]string          // "settle.case" and the answer to each wrong account there
	seen  map[string]map[string]bool // instruction, and whether its accounts existed
	off   func(program.Code) bool    // negative control: refusals that count as successes
}

// harmless are the wrong accounts that an instruction accepts, and why no attacker gains by that.
var harmless = map[string]string{
	"deposit.from stranger":          "anyone may give, out of its own wallet",
	"deposit.agent twin":             "anyone may give to any agent",
	"commit.case twin":               "it is another case in which the judge sits: its own commitment, which opens nothing there",
	"close_case.case twin":           "it is another case of the same payer, for which it is time",
	"write_data.task empty":          "the agent itself writes: no task is looked at",
	"write_data.task position":       "as above",
	"grant.data twin":                "it is another data account of the same agent",
	"close_data.data twin":           "it is another data account of the same agent",
	"revoke.data twin":               "it is another data account of the same agent",
	"revoke.task owner":              "the agent itself revokes: only the task's address counts",
	"revoke.task kind":               "as above",
	"revoke.creator_agent empty":     "as above",
	"revoke.creator_agent twin":      "as above",
	"revoke.creator_agent copy":      "as above",
	"revoke.creator_agent owner":     "as above",
	"revoke.creator_agent foreign":   "as above",
	"revoke.creator_agent kind":      "as above",
	"revoke.creator_agent position":  "as above",
	"release_task.task twin":         "it is another task of the same worker, in the same state",
	"start_task.task twin":           "it is another task of the same worker, in the same state",
	"submit_result.task twin":        "it is another task of the same worker, in the same state",
	"accept.task twin":               "it is another task of the same creator and worker, in the same state",
	"object.task twin":               "it is another task of the same creator, in the same state",
	"rework.task twin":               "it is another task of the same worker, in the same state",
	"cancel_task.task twin":          "it is another task of the same creator, in the same state",
	"claim_task.task twin":           "it is another task of the same creator, in the same state",
	"expire.task twin":               "it is another task of the same parties, for which it is time",
	"open_case.payer stranger":       "anyone may open it; it pays the rent itself, and gets it back",
	"open_dispute.payer stranger":    "anyone may pay for a claimant that signs; it counts as the claimant's operator",
	"publish_verdict.payer stranger": "anyone may publish; it pays the rent itself",
	"pull_payment.signer stranger":   "anyone may pull; it pays the channel's rent itself",
	"claim_reward.wallet position":   "the withdraw key signs, so it may name any wallet: its own",
	"claim_reward.wallet empty":      "as above",
	"apply_leaf.case twin":           "it is another open case of the same batch",
	"open_leaf.task owner":           "the leaf names the address, and the program alone can own it: without its task, the leaf is void",
	"open_leaf.task kind":            "as above",
	"withdraw_stake.wallet empty":    "the withdraw key signs, so it may name any wallet",
}

// try makes every substitution in an instruction that will succeed.
func (u *substitutions) try(list []onchain.Instruction) {
	u.t.Helper()
	before, i := list[:len(list)-1], list[len(list)-1]
	decoded, err := program.DecodeInstruction(i.Data)
	if err != nil {
		return // a transfer
	}
	name, way := decoded.InstructionName(), ""
	for _, m := range i.Accounts {
		_, ok := u.accounts[m.Address]
		way += fmt.Sprint(ok)
	}
	if u.seen[name][way] {
		return
	}
	if u.seen[name] == nil {
		u.seen[name] = map[string]bool{}
	}
	u.seen[name][way] = true
	for n, role := range decoded.Accounts()[:len(i.Accounts)] {
		place := fmt.Sprint(name, ".", role.Name)
		if len(u.seen[name]) > 1 {
			place += fmt.Sprint("/", len(u.seen[name]))
		}
		u.lines[place] = u.place(name+"."+role.Name, before, i, n, role)
	}
}

// wrong is one substitution: an instruction, and an account that must exist for it.
type wrong struct {
	kind string
	i    onchain.Instruction
	at   onchain.Address
	a    *accounts.Account
}

// place makes all substitutions in a place and returns their results.
func (u *substitutions) place(place string, before []onchain.Instruction, i onchain.Instruction, n int, role program.AccountRole) string {
	var said []string
	for _, w := range u.wrongs(i, n, role) {
		old, had := u.accounts[w.at]
		if w.a != nil {
			u.accounts[w.at] = *w.a
		}
		code := u.simulate(append(slices.Clone(before), w.i))
		if delete(u.accounts, w.at); had {
			u.accounts[w.at] = old
		}
		if code == "OK" && u.off == nil && harmless[place+" "+w.kind] == "" {
			u.t.Errorf("%s: %s account is taken", place, w.kind)
		}
		if line := w.kind + "=" + code; !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

func (u *substitutions) wrongs(i onchain.Instruction, n int, role program.AccountRole) []wrong {
	meta := i.Accounts[n]
	list := []wrong{{kind: "missing", i: cut(i, n)}}
	put := func(kind string, at onchain.Address, a *accounts.Account) {
		list = append(list, wrong{kind, swap(i, n, at), at, a})
	}
	if role.Writable {
		list = append(list, wrong{kind: "readonly", i: replace(i, n, onchain.AccountMeta{Address: meta.Address, Signer: meta.Signer})})
	}
	if role.Signer {
		list = append(list, wrong{kind: "unsigned", i: replace(i, n, onchain.AccountMeta{Address: meta.Address, Writable: meta.Writable})})
		stranger := difftest.Wallet(solana.PublicKey(u.at("stranger")), 1<<50).Account
		put("stranger", u.at("stranger"), &stranger)
		return list
	}
	put("empty", onchain.Address(difftest.Address("elsewhere")), nil)
	if genuine, ok := u.accounts[meta.Address]; ok && onchain.Address(genuine.Owner) == u.prog.ID() {
		if at, a, ok := u.twin(genuine); ok {
			put("twin", at, &a)
		}
		put("copy", onchain.Address(difftest.Address("a copy")), &genuine)
		stolen, other := genuine, genuine
		stolen.Owner = difftest.Address("another program")
		put("owner", meta.Address, &stolen)
		if at, a, ok := u.foreign(genuine); ok {
			put("foreign", at, &a)
		}
		other.Data = append([]byte{genuine.Data[0] ^ 1}, genuine.Data[1:]...)
		put("kind", meta.Address, &other)
	}
	for m, o := range i.Accounts {
		if m != n && o.Address != meta.Address {
			put("position", o.Address, nil)
		}
	}
	return list
}

// simulate returns the name of the error, or OK. A refusal may change only the fee.
func (u *substitutions) simulate(list []onchain.Instruction) string {
	u.t.Helper()
	made, err := difftest.Build(u.env, solana.PublicKey(u.at("payer")), program.Native(list...))
	if err != nil {
		u.t.Fatal(err)
	}
	tx, err := solana.TransactionFromBytes(made.Raw)
	if err != nil {
		u.t.Fatal(err)
	}
	r := u.suite.runtime.Simulate(tx, u.env, u.scene, false)
	if r.Err == nil {
		return "OK"
	}
	if len(r.Writes) != 1 || onchain.Address(r.Writes[0].Key) != u.at("payer") {
		u.t.Errorf("a refusal changed %d accounts", len(r.Writes))
	}
	failure, err := program.ParseFailure(r.Err)
	if err != nil {
		u.t.Fatal(err)
	}
	code, ok := failure.Code()
	if ok && u.off != nil && u.off(code) {
		return "OK"
	}
	if ok {
		return code.Name()
	}
	raw, err := r.Err.MarshalJSON()
	if err != nil {
		u.t.Fatal(err)
	}
	switch text := string(raw); {
	case strings.Contains(text, "AccountBorrowFailed"):
		return "AccountBorrowFailed"
	case strings.Contains(text, "ProgramFailedToComplete"):
		u.t.Errorf("the program broke down: %q", r.Logs)
	}
	return string(raw)
}

// substitute runs a story with every instruction. Each succeeds, in every combination of existing
// accounts.
func substitute(s *scene, off func(program.Code) bool) *substitutions {
	u := &substitutions{scene: s, lines: map[string]string{}, seen: map[string]map[string]bool{}, off: off}
	s.fund("authority", 1_000*sol)
	s.listed = 1
	s.deployed("authority")
	u.try([]onchain.Instruction{s.init(withGolden)})
	s.begin(withGolden)
	s.before = u.try
	s.fund("dave", 200*sol)
	s.agent("dave", onchain.Address{})
	for i := range 15 {
		s.fund(judgeName(i), 20*sol)
		s.admitted(judgeName(i))
		s.ok(s.join(judgeName(i), sol)...)
	}
	s.ok(s.prog.TopUp(s.at("j0"), program.TopUp{Amount: 1}))
	s.ok(s.prog.UpdateAgent(s.at("alice"), onchain.Address{}, program.UpdateAgent{}))
	s.operated()
	s.ok(s.prog.Withdraw(s.at("alice"), program.Withdraw{Amount: 1}))
	s.siegeOfTokens()
	s.siegeOfAuthority()
	s.siegeOfTasks()
	granted := s.claimed()
	s.ok(s.notes("hello"))
	s.ok(s.grant(granted, onchain.Address{}, program.GrantWrite))
	write, err := s.prog.WriteData(s.at("bob"), s.at("alice"), granted.at, program.WriteData{DataName: "notes", Len: 5, Bytes: []byte("world")})
	if err != nil {
		s.t.Fatal(err)
	}
	s.ok(write)
	s.siegeOfCases()
	s.ok(s.prog.OpenCourt(s.config().Authority))
	s.ok(s.prog.GiveUp(s.config().Authority))
	return u
}

const goldenSubstitutions = "testdata/substitutions.txt"

// TestSubstitution: in every place of every instruction, every wrong account is refused with the
// error of the golden file and nothing changes, or it is one of the harmless ones.
func TestSubstitution(t *testing.T) {
	u := substitute(alone(t), nil)
	var b strings.Builder
	for _, place := range sorted(u.lines) {
		fmt.Fprintf(&b, "%s: %s\n", place, u.lines[place])
	}
	for _, name := range instructionNames() {
		if u.seen[name] == nil {
			t.Errorf("%s is not attacked: bring it into substitute", name)
		}
	}
	for what := range harmless {
		place, kind, _ := strings.Cut(what, " ")
		used := strings.Contains(u.lines[place]+" ", kind+"=OK ") || strings.Contains(u.lines[place+"/2"]+" ", kind+"=OK ")
		if !used {
			t.Errorf("%s is in the list of harmless ones and is not taken", what)
		}
	}
	golden(t, goldenSubstitutions, b.String())
}

// TestSubstitutionControl: if refusals by one check count as successes, wrong accounts are
// reported.
func TestSubstitutionControl(t *testing.T) {
	for _, code := range []program.Code{program.ErrWrongOwner, program.ErrWrongAddress} {
		var missed counter
		u := substitute(alone(t), func(c program.Code) bool { return c == code })
		for place, line := range u.lines {
			for _, said := range strings.Fields(line) {
				if kind, ok := strings.CutSuffix(said, "=OK"); ok && harmless[strings.Split(place, "/")[0]+" "+kind] == "" {
					missed++
				}
			}
		}
		if missed == 0 {
			t.Errorf("%s: switched off, and nothing is taken that should not be", code.Name())
		}
	}
}

type counter int

// golden compares with a file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		lines := strings.Split(string(want), "\n")
		for _, line := range strings.Split(got, "\n") {
			if !slices.Contains(lines, line) {
				t.Errorf("%s has no line\n%s", path, line)
			}
		}
		t.Errorf("%s differs from the run: look at the differences, then go test ./ledger/svm/difftest/oju -run %s -rewrite", path, t.Name())
	}
}
