package devnet_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet"
	"ojud/ledger/svm/accounts"
)

// large puts an account of 256 KiB into the genesis.
func large(c *devnet.Config, d *devnet.Deps) {
	c.MaxAnswer = 1 << 20
	d.Genesis.Accounts = append(d.Genesis.Accounts, accounts.Keyed{Key: solana.PublicKey{42}, Account: accounts.Account{
		Lamports: 10 * sol, Data: make([]byte, 256<<10), Owner: address("program"), RentEpoch: ^uint64(0),
	}})
}

// multiple asks for the large account n times.
func multiple(n int, slice string) string {
	key := fmt.Sprintf("%q", solana.PublicKey{42})
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"getMultipleAccounts","params":[[%s],{"encoding":"base64"%s}]}`,
		strings.Join(many(n, key), ","), slice)
}

func many[T any](n int, v T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// TestAnswersAreBounded: a request of 50 KB names one large account a hundred times in each of ten
// calls, and would get an answer of 350 MB. An answer has at most MaxAnswer bytes. Accounts beyond
// that are not even encoded.
func TestAnswersAreBounded(t *testing.T) {
	c := open(t, large)
	tests := []struct {
		name, body, want string
	}{
		{"two", multiple(2, ""), `"result"`},
		{"one hundred", multiple(100, ""), "The answer is too large"},
		{"one hundred of little", multiple(100, `,"dataSlice":{"offset":5,"length":32}`), `"result"`},
		{"a batch", "[" + strings.Join(many(60, multiple(2, "")), ",") + "]", "The answer is too large"},
		{"all of a program", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"getProgramAccounts","params":[%q,{"encoding":"base64"}]}`, address("program")), `"result"`},
	}
	for _, k := range tests {
		t.Run(k.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			code, out := c.post(k.body)
			runtime.ReadMemStats(&after)
			if code != 200 || !strings.Contains(out, k.want) || len(out) > 1<<20+100<<10 {
				t.Errorf("%d: %d bytes, %.200s", code, len(out), out)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 { // 10 MiB; 17 under the race detector, whose pools forget
				t.Errorf("%d MiB were allocated for a request of %d bytes", took>>20, len(k.body))
			}
		})
	}
}

// TestNothingIsDoneWithoutAnAnswer: a call that changes something is not run if its answer may not
// fit.
func TestNothingIsDoneWithoutAnAnswer(t *testing.T) {
	c := open(t, large)
	drop := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"requestAirdrop","params":[%q,%d]}`, id, address("new"), sol)
	}
	_, out := c.post("[" + drop(1) + "," + strings.Join(many(3, multiple(2, "")), ",") + "," + drop(2) + "]")
	if n := strings.Count(out, "The answer is too large"); n != 3 { // two reads and the second airdrop
		t.Errorf("%d calls found no room, want 3: %.300s", n, out)
	}
	_, out = c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"getBalance","params":[%q,{"commitment":"processed"}]}`, address("new")))
	if want := fmt.Sprintf(`"value":%d}`, sol); !strings.Contains(out, want) {
		t.Errorf("got %s, want %s", out, want)
	}
}
