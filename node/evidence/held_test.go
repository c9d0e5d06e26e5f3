package evidence

import (
	"errors"
	"fmt"
	"testing"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/datasource"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// TestAttackPinnedDataTakenAway: a creator pins a price list, gets a right line of it, and then
// writes another list or removes it, so that nobody could show the line to be right. Any node that
// has the bytes with the pinned hash proves it now. What a friend of a party wrote instead is no
// answer, so that no node repeats it for the rest of the case. Controls: bytes that nobody has, a
// task that does not pin them, and a request outside of a case.
func TestAttackPinnedDataTakenAway(t *testing.T) {
	const list = "An owl costs 3 SOL."
	at, creator := onchain.Address{7}, onchain.Address{1}
	by := func(owner onchain.Address, content string) *ledger.Account {
		raw := (&program.AgentData{Authority: owner, Name: "prices", Content: []byte(content)}).Encode()
		return &ledger.Account{Address: at, Owner: ledgerOf{}.Program().ID(), Data: raw}
	}
	written := func(content string) *ledger.Account { return by(creator, content) }
	task := func(pda string) []byte {
		return fmt.Appendf(nil, `{"instruction":["Copy the line about owls."],"output_schema":{"line":"string"},"pda":[%s]}`, pda)
	}
	pinned := task(fmt.Sprintf(`{"data":%q,"sha256":%q}`, at, casefile.Digest(casefile.HashOf([]byte(list)))))
	for name, c := range map[string]struct {
		now     *ledger.Account
		down    bool
		of      casefile.Address
		task    []byte
		content []string
		kept    bool
		text    string
		err     error
	}{
		"it is there":              {now: written(list), of: casefile.Address{50}, task: pinned, text: list},
		"it was changed":           {now: written("9"), of: casefile.Address{50}, task: pinned, content: []string{list}, kept: true, text: list},
		"it was removed":           {of: casefile.Address{50}, task: pinned, content: []string{list}, kept: true, text: list},
		"the chain does not speak": {down: true, of: casefile.Address{50}, task: pinned, content: []string{list}, kept: true, text: list},
		"a friend changed it":      {now: by(onchain.Address{3}, "9"), of: casefile.Address{50}, task: pinned, content: []string{"other"}, err: datasource.ErrDown},
		"the worker changed it":    {now: by(onchain.Address{2}, "9"), of: casefile.Address{50}, task: pinned, content: []string{"other"}, text: "9"},
		"changed, and nobody kept": {now: written("9"), of: casefile.Address{50}, task: pinned, content: []string{"other"}, text: "9"},
		"removed, and nobody kept": {of: casefile.Address{50}, task: pinned, err: datasource.ErrRequest},
		"changed, and not pinned":  {now: written("9"), of: casefile.Address{50}, task: task(fmt.Sprintf("%q", at)), content: []string{list}, text: "9"},
		"changed, and no case":     {now: written("9"), task: pinned, content: []string{list}, text: "9"},
	} {
		chain := ledgerOf{all: map[onchain.Address]*ledger.Account{at: c.now}, down: c.down}
		papers := newLibrary(c.task)
		for _, content := range c.content {
			papers.all[casefile.HashOf([]byte(content))] = []byte(content)
		}
		s := shelf{&datasource.Book{}, chain, court{terms: &program.Task{Creator: creator, Worker: onchain.Address{2}, TaskHash: casefile.HashOf(c.task)}}, papers}
		got, err := s.AnswerIn(t.Context(), c.of, agentdata.Source, fmt.Appendf(nil, `{"data":%q}`, at))
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		read, err := agentdata.ParseReading(got.Body, casefile.Address(at))
		if err != nil || read.Kept() != c.kept || *read.Text != c.text {
			t.Errorf("%s: %+v, %v", name, read, err)
		}
		if card, _ := s.Card(agentdata.Source); c.kept && got.Hash != casefile.HashOf(got.Body) || card.Name == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
