package devnet_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"
)

// sized returns a signed transaction of that many bytes on the wire. Its padding is instruction
// data of a program that fails with 7.
func sized(t testing.TB, c *chain, n int) []byte {
	t.Helper()
	for data := n - 240; ; data++ {
		tx := signed(t, c.blockhash(), "payer", solana.NewInstruction(address("program"), nil, make([]byte, data)))
		raw, err := tx.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) >= n {
			return raw
		}
	}
}

// TestPacketSize: 1,232 bytes are a valid transaction, in both encodings and for both methods;
// 1,233 bytes are not.
func TestPacketSize(t *testing.T) {
	c := open(t, nil)
	for _, n := range []int{1231, 1232, 1233, 1234} {
		raw := sized(t, c, n)
		if len(raw) != n {
			t.Fatalf("%d bytes, want %d", len(raw), n)
		}
		for encoding, text := range map[string]string{"base58": base58.Encode(raw), "base64": base64.StdEncoding.EncodeToString(raw)} {
			for _, method := range []string{"simulateTransaction", "sendTransaction"} {
				_, out := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":[%q,{"encoding":%q,"preflightCommitment":"processed","commitment":"processed"}]}`, method, text, encoding))
				if tooLarge := strings.Contains(out, "too large"); tooLarge != (n > 1232) {
					t.Errorf("%s of %d bytes in %s: %.200s", method, n, encoding, out)
				}
			}
		}
	}
}
