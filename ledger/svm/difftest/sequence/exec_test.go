package sequence_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/tokens"
)

// sent is a transaction as sent, for another runtime.
type sent struct {
	env          accounts.Environment
	accounts     map[key]accounts.Account // before it
	instructions []onchain.Instruction
}

// faults are the switches of the negative controls. Each makes one fault between the program and
// the check.
type faults struct {
	name  string
	bend  func(a *arena, c *call, result *svm.Result) // the program is wrong
	model func(c *call, s *step)                      // the model is wrong
}

// do sends a call and compares its result with the model. The error is a finding.
func (a *arena) do(c *call) error {
	s, why := a.judge(c)
	if a.faults.model != nil && why == "" {
		a.faults.model(c, s)
	}
	list := c.instructions(a.prog.ID())
	tx, err := compile(a.payer, list, onchain.Hash(a.env.Blockhash))
	if err != nil {
		return err
	}
	if a.record != nil {
		a.record(sent{a.env, a.accounts, list})
	}
	result := a.runtime.Simulate(tx, &a.env, a, false)
	if a.faults.bend != nil && result.Err == nil {
		a.faults.bend(a, c, result)
	}
	if a.story != nil {
		a.story("%s", a.tell(c, result, why))
	}
	code, err := outcome(c, result)
	if err != nil {
		return err
	}
	a.seen.note(c, code, why)
	switch {
	case code != "" && why == "":
		return fmt.Errorf("%s is lawful and was refused: %s", c.name(), code)
	case code == "" && why != "":
		return fmt.Errorf("%s is unlawful (%s) and succeeded", c.name(), why)
	case code != "":
		return a.unchanged(result)
	}
	return a.apply(s, result)
}

// outcome returns the name of the error, or "" on success. The error is a finding: an end that no
// caller should be able to cause, such as a panic of the program, or lamports that do not add up.
func outcome(c *call, r *svm.Result) (string, error) {
	if r.Err == nil {
		return "", nil
	}
	failure, err := program.ParseFailure(r.Err)
	if err != nil {
		return "", err
	}
	if code, ok := failure.Code(); ok {
		return code.Name(), nil
	}
	if name, ok := refusedByTokens(c, failure); ok {
		return name, nil
	}
	if failure.Custom == lacking && failure.Index >= 0 {
		return "the System program: not enough lamports", nil
	}
	raw, err := json.Marshal(r.Err)
	if err != nil {
		return "", err
	}
	for _, fine := range []string{"AccountBorrowFailed", "InsufficientFundsForRent"} {
		if strings.Contains(string(raw), fine) {
			return fine, nil
		}
	}
	return "", fmt.Errorf("the program broke down: %s, %q", raw, r.Logs)
}

// lacking is the System program's error for a transfer of more than the balance.
const lacking = 1

// unchanged checks that a refusal takes only the fee.
func (a *arena) unchanged(r *svm.Result) error {
	if len(r.Writes) != 1 || onchain.Address(r.Writes[0].Key) != a.payer || r.Writes[0].Account.Lamports != a.lamports(a.payer)-r.Fee {
		return fmt.Errorf("a refusal changed %d accounts", len(r.Writes))
	}
	a.accounts[a.payer] = r.Writes[0].Account
	return nil
}

// apply compares the writes with the model, takes them over, and checks the invariants.
func (a *arena) apply(s *step, r *svm.Result) error {
	s.moved[a.payer] -= int64(r.Fee)
	written, net := map[key]bool{}, int64(r.Fee)
	for _, w := range r.Writes {
		if written[key(w.Key)] {
			return fmt.Errorf("%s was written twice", a.name(key(w.Key)))
		}
		written[key(w.Key)] = true
		delta := int64(w.Account.Lamports - a.lamports(key(w.Key)))
		if net += delta; delta != s.moved[key(w.Key)] {
			return fmt.Errorf("%s got %d lamports, the model says %d", a.name(key(w.Key)), delta, s.moved[key(w.Key)])
		}
		if err := a.compare(s, w); err != nil {
			return err
		}
	}
	if net != 0 {
		return fmt.Errorf("%d lamports were made", net)
	}
	for k, delta := range s.moved {
		if delta != 0 && !written[k] {
			return fmt.Errorf("%s got nothing, the model says %d", a.name(k), delta)
		}
	}
	for k, v := range s.post {
		if !written[k] && !reflect.DeepEqual(v, a.book[k]) {
			return fmt.Errorf("%s was not written, the model changes it", a.name(k))
		}
	}
	for k := range s.held {
		if !written[k] {
			return fmt.Errorf("%s was not written, the model changes it", a.name(k))
		}
	}
	for _, w := range r.Writes {
		a.take(s, w)
	}
	maps.Copy(a.held, s.held)
	maps.DeleteFunc(a.held, func(_ key, h tokens.TokenAccount) bool { return h.Mint.IsZero() })
	if len(s.held) > 0 {
		if err := a.conserved(); err != nil {
			return err
		}
	}
	return a.invariants(r.Writes)
}

// compare compares an account's data with the model.
func (a *arena) compare(s *step, w accounts.Keyed) error {
	if tokens.IsProgram(key(a.accounts[key(w.Key)].Owner)) {
		return a.coinsAgree(s, w)
	}
	want, changed := s.post[key(w.Key)]
	if !changed {
		want = a.book[key(w.Key)]
	}
	if want == nil {
		if len(w.Account.Data) != 0 || w.Account.Lamports != 0 && onchain.Address(w.Account.Owner) != onchain.SystemProgram() {
			return fmt.Errorf("%s has %d bytes, the model says none", a.name(key(w.Key)), len(w.Account.Data))
		}
		return nil
	}
	if onchain.Address(w.Account.Owner) != a.prog.ID() {
		return fmt.Errorf("%s is not the program's any more", a.name(key(w.Key)))
	}
	got, err := program.DecodeAccount(w.Account.Data)
	if err != nil {
		return fmt.Errorf("%s: %w", a.name(key(w.Key)), err)
	}
	if !same(got, want) {
		return fmt.Errorf("%s is\n%+v, the model says\n%+v", a.name(key(w.Key)), got, want)
	}
	return nil
}

// same compares two accounts.
func same(got, want program.Account) bool {
	switch w := want.(type) {
	case *program.Case:
		g, ok := got.(*program.Case)
		if !ok || !slices.Equal(g.Seats, w.Seats) || !slices.Equal(g.First, w.First) {
			return false
		}
		a, b := *g, *w
		a.Seats, b.Seats, a.First, b.First = nil, nil, nil, nil
		return reflect.DeepEqual(a, b)
	case *program.Roster:
		g, ok := got.(*program.Roster)
		return ok && slices.Equal(g.Entries, w.Entries) && g.Active == w.Active && g.Bump == w.Bump &&
			g.TotalStake == w.TotalStake && g.TotalRewards == w.TotalRewards && reflect.DeepEqual(season(g), season(w))
	case *program.Agent:
		g, ok := got.(*program.Agent)
		return ok && *g == *w
	case *program.Task:
		g, ok := got.(*program.Task)
		return ok && *g == *w
	}
	return reflect.DeepEqual(got, want)
}

// season is all that a Roster knows of seasons, apart from its entries.
func season(r *program.Roster) program.Roster {
	return program.Roster{
		Season: r.Season, Weight: r.Weight, SeasonAt: r.SeasonAt, SeasonSlot: r.SeasonSlot, BeforeSlot: r.BeforeSlot, Pages: r.Pages,
		PagesBefore: r.PagesBefore,
	}
}

// take copies an account into chain and book.
func (a *arena) take(s *step, w accounts.Keyed) {
	if w.Account.Lamports == 0 {
		delete(a.accounts, key(w.Key))
	} else {
		a.accounts[key(w.Key)] = w.Account
	}
	v, changed := s.post[key(w.Key)]
	switch {
	case changed && v == nil:
		delete(a.book, key(w.Key))
		delete(a.extra, key(w.Key))
	case changed:
		a.book[key(w.Key)] = v
	}
	if _, grown := s.grown[key(w.Key)]; grown {
		a.extra[key(w.Key)] = w.Account.Lamports - a.rent(len(w.Account.Data)) - counted(a.book[key(w.Key)])
	}
}

// tell returns a line for the story.
func (a *arena) tell(c *call, r *svm.Result, why refusal) string {
	line := fmt.Sprintf("%d/%d %s", a.now()-start, a.slot(), c.name())
	for n, m := range c.metas {
		if roles := a.rolesOf(c.ix); n < len(roles) && !slices.Contains([]string{"system", "config", "roster", "pot", "instructions"}, roles[n].Name) {
			line += fmt.Sprintf(" %s=%s", roles[n].Name, a.name(m.Address))
		}
	}
	if line += fmt.Sprintf(" %+v", c.ix); c.wrong != "" {
		line += " WRONG: " + c.wrong
	}
	if r.Err != nil {
		return line + fmt.Sprintf(" -> %v (%s)", r.Err, why)
	}
	return line + " -> ok"
}
