package process

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/casefile"
	"ojud/ledger/journal"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/voting"
)

// ballots are all statements that the test saw judges sign: each commitment of each seat of a
// round, and the place where it was first seen.
type ballots map[ballot]map[voting.Hash]string

// ballot is one seat of one round. A node may sign only once for it.
type ballot struct {
	task  voting.Key
	round uint8
	judge voting.Key
}

func (b ballots) add(c voting.Commit, where string) {
	at := ballot{c.Task, c.Round, c.Judge}
	if b[at] == nil {
		b[at] = map[voting.Hash]string{}
	}
	if b[at][c.Commitment] == "" {
		b[at][c.Commitment] = where
	}
}

// double lists the seats that signed more than one statement in a round.
func (b ballots) double() (out []string) {
	for at, all := range b {
		if len(all) > 1 {
			out = append(out, fmt.Sprintf("judge %s, case %s, round %d: %v", onchain.Address(at.judge), onchain.Address(at.task), at.round, all))
		}
	}
	slices.Sort(out)
	return out
}

func keyOf(t *testing.T, text string) voting.Key {
	t.Helper()
	key, err := onchain.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return voting.Key(key)
}

// statements returns the statements that a node sent, or was about to send.
func (c *laboratory) statements(s *seat) (out []voting.Commit) {
	c.t.Helper()
	raw, err := os.ReadFile(s.plan.Wire)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		b, err := hex.DecodeString(lines.Text())
		if err != nil {
			continue // the kill cut off the last line, which was not sent
		}
		if notice, err := voting.DecodeNotice(b, casefile.ParseNotice); err == nil {
			out = append(out, notice.(voting.Commit))
		}
	}
	return out
}

// voteFile returns the name of the second copy of a vote.
func voteFile(c voting.Commit) string {
	return hex.EncodeToString(voting.Cast{Commit: c}.Key()) + ".vote"
}

// collect takes the statements that a node sent, and those in the second copies on its disk.
func (c *laboratory) collect(s *seat) {
	c.t.Helper()
	for _, v := range c.statements(s) {
		c.signed.add(v, s.name+"'s wire")
	}
	for name, b := range s.kept {
		r, err := readVote(b)
		if err != nil {
			c.t.Errorf("%s: %s: %v", s.name, name, err)
		}
		if cast, ok := r.(voting.Cast); ok {
			c.signed.add(cast.Commit, s.name+"'s disk")
		}
	}
}

// readVote reads the second copy of a vote: a record and its hash.
func readVote(b []byte) (voting.Record, error) {
	return voting.DecodeRecord(b[:max(len(b)-sha256.Size, 0)])
}

// collectJournals reads the journals of nodes that do not run: each node's own votes, the votes
// that it heard of, and proofs against judges.
func (c *laboratory) collectJournals() {
	c.t.Helper()
	for _, s := range c.seats {
		if err := c.collectJournal(s); err != nil {
			c.t.Errorf("%s: %v", s.name, err)
		}
	}
}

func (c *laboratory) collectJournal(s *seat) error {
	h, err := node.OpenHome(s.home)
	if err != nil {
		return err
	}
	d, err := h.Descriptor.Domain()
	if err != nil {
		return err
	}
	cfg := journal.DefaultConfig()
	cfg.Dir = h.Path("journal")
	j, err := journal.Open(cfg, journal.Identity{Network: d.Network, Program: d.Program}, nil, nil)
	if err != nil {
		return err
	}
	records, err := j.Records()
	for _, r := range records {
		switch r := r.(type) {
		case voting.Cast:
			c.signed.add(r.Commit, s.name+"'s journal")
		case voting.Foreign:
			c.signed.add(r.Commit, s.name+"'s journal, as foreign")
		case voting.Heard:
			c.signed.add(r.Commit, s.name+"'s journal, as heard")
		case voting.Proof:
			c.t.Errorf("%s has a proof against a judge: %s", s.name, r)
		}
	}
	return errors.Join(err, j.Close())
}

// shownSeat and view are the fields that the tests read of a case on the chain.
type shownSeat struct {
	Judge, Choice, Result  string
	Weight                 uint64 `json:",string"`
	Committed, Equivocated bool
}

type caseNow struct {
	Status, Verdict     string
	Round               uint8
	Committed, Revealed int
	Over                bool
	SettledAt           int64 `json:"settled_at"`
	Seats               []shownSeat
}

func (c *laboratory) now(task string) (v caseNow) {
	if c.show(&v, "case", "show", task); v.Over {
		c.sawEnd(task, v.SettledAt)
	}
	return v
}

// ended waits for the end of a case.
func (c *laboratory) ended(task string) (v caseNow) {
	c.t.Helper()
	c.until("the end of case "+task, func() bool {
		v = c.now(task)
		return v.Over
	})
	return v
}

// sound checks an ended case for the rules that hold after every fault. All judges think the same,
// so no seat equivocates or is in the minority. Every committed vote is revealed. The verdict is
// for the worker, or undecided if too few could vote. It returns the judges without a vote.
func (c *laboratory) sound(task string, v caseNow) (absent []string) {
	c.t.Helper()
	for _, s := range v.Seats {
		name := "the chain's judge"
		if known := c.names[s.Judge]; known != nil {
			name = known.name
		}
		switch {
		case s.Equivocated:
			c.t.Errorf("case %s: %s voted twice", task, name)
		case s.Result == "absent" && s.Committed:
			c.t.Errorf("case %s, round %d: %s committed, and its vote was never revealed", task, v.Round, name)
		case s.Result == "absent", s.Result == "abstained": // a judge abstains if it lost its opinion and has no time for another
			absent = append(absent, name)
		case s.Result != "majority" && v.Verdict == "accept", s.Choice == "reject":
			c.t.Errorf("case %s: %s: %s", task, name, s.Result)
		}
	}
	if accept, all := v.weights(); (v.Verdict != "accept" || v.Status != "decided") && (v.Verdict != "undecided" || 100*accept > 66*all) {
		c.t.Errorf("case %s: %s, %s in round %d, with %d of %d for the worker", task, v.Status, v.Verdict, v.Round, accept, all)
	}
	slices.Sort(absent)
	return absent
}

// weights returns the weight of the seats that voted for the worker, and of all seats. Both are 0
// if no draw came in time.
func (v caseNow) weights() (accept, all uint64) {
	for _, s := range v.Seats {
		if all += s.Weight; s.Choice == "accept" {
			accept += s.Weight
		}
	}
	return accept, all
}

// fetch asks an HTTP server from a seat's machine.
func (c *laboratory) fetch(s *seat, url string) (string, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 3*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	return read(s.client().Do(r))
}

// client returns an HTTP client on the seat's machine.
func (s *seat) client() *http.Client {
	if s.at != nil {
		return s.at.browser()
	}
	return &http.Client{}
}

func read(r *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(r.Body)
	return string(raw), errors.Join(err, r.Body.Close())
}

// acks are the transactions that the chain has acknowledged.
type acks struct {
	url  string
	sent []string
}

// pay asks the faucet for a transfer. It notes the signature when the chain has answered.
func (a *acks) pay(ctx context.Context) error {
	to := solana.NewWallet().PublicKey()
	var signature string
	if err := a.ask(ctx, &signature, "requestAirdrop", to.String(), 1_000_000); err != nil {
		return err
	}
	for ctx.Err() == nil {
		known, err := a.known(ctx, signature)
		if err != nil {
			return err
		}
		if known[0] {
			a.sent = append(a.sent, signature)
			return nil
		}
		<-time.After(20 * time.Millisecond)
	}
	return ctx.Err()
}

// known reports for each transaction whether the chain has it.
func (a *acks) known(ctx context.Context, signatures ...string) ([]bool, error) {
	var answer struct{ Value []*struct{ Slot uint64 } }
	if err := a.ask(ctx, &answer, "getSignatureStatuses", signatures, map[string]any{"searchTransactionHistory": true}); err != nil {
		return nil, err
	}
	out := make([]bool, len(signatures))
	for i, v := range answer.Value {
		out[i] = v != nil
	}
	return out, nil
}

// lost lists acknowledged transactions that are missing.
func (a *acks) lost(ctx context.Context) (out []string, err error) {
	for part := range slices.Chunk(a.sent, 256) {
		known, err := a.known(ctx, part...)
		if err != nil {
			return nil, err
		}
		for i, ok := range known {
			if !ok {
				out = append(out, part[i])
			}
		}
	}
	return out, nil
}

func (a *acks) ask(ctx context.Context, into any, method string, params ...any) error {
	q, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(q))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	text, err := read((&http.Client{}).Do(r))
	if err != nil {
		return err
	}
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return fmt.Errorf("%s: %w: %s", method, err, text)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s", method, answer.Error.Message)
	}
	return json.Unmarshal(answer.Result, into)
}

// percentile returns a percentile of the durations. It sorts them.
func percentile(all []time.Duration, p int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, len(all)*p/100)].Round(time.Millisecond)
}
