package devnet_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"
	"github.com/mr-tron/base58"

	"ojud/ledger/devnet"
	"ojud/ledger/svm"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/rpc.txt anew; look at the difference before you commit it")

// post sends a body and returns the status and the answer.
func (c *chain) post(body string) (int, string) {
	c.t.Helper()
	hc := http.Client{Transport: c.Transport()}
	resp, err := hc.Post("http://devnet", "application/json", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(out)
}

// TestGolden plays testdata/rpc.txt on a chain with a fixed history. A line "> request" is sent,
// and the line after it is the expected answer. "# " is a comment, and "! n" seals n slots. In
// requests, $name stands for an address, a signature, a blockhash or a transaction of the story.
func TestGolden(t *testing.T) {
	c := open(t, func(_ *devnet.Config, d *devnet.Deps) { d.Genesis = nodeGenesis() })
	names := story(c)
	old, err := os.ReadFile("testdata/rpc.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lines := strings.Split(strings.TrimSuffix(string(old), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		out.WriteString(line + "\n")
		switch {
		case strings.HasPrefix(line, "! "):
			c.seal(len(line) - 2)
		case strings.HasPrefix(line, "> "):
			_, got := c.post(names.Replace(line[2:]))
			if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "< ") {
				i++
				if !*rewrite && lines[i] != "< "+got {
					t.Errorf("%s\ngot  %s\nwant %s", line[2:], got, lines[i][2:])
				}
			} else if !*rewrite {
				t.Errorf("%s\nhas no answer in the file", line)
			}
			if got != "" && !json.Valid([]byte(got)) {
				t.Errorf("%s\nis answered with a text that is no JSON: %s", line, got)
			}
			out.WriteString("< " + got + "\n")
		}
	}
	if *rewrite {
		if err := os.WriteFile("testdata/rpc.txt", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// story makes the chain for the golden file, and the names of its parts.
func story(c *chain) *strings.Replacer {
	c.t.Helper()
	encode := func(tx *solana.Transaction) (wire []byte) {
		wire, err := tx.MarshalBinary()
		if err != nil {
			c.t.Fatal(err)
		}
		return wire
	}
	send := func(tx *solana.Transaction) string {
		if _, rejected, err := c.Bank().Process(tx); err != nil || rejected != nil {
			c.t.Fatal(rejected, err)
		}
		return tx.Signatures[0].String()
	}
	c.seal(2)
	first := c.blockhash()
	good := send(transfer(c.t, "payer", address("alice"), 1000, first))
	bad := send(signed(c.t, first, "payer", solana.NewInstruction(address("program"), nil, nil)))
	v0 := versioned(c.t, first)
	newest := send(v0)
	c.seal(4)
	hash := c.blockhash()
	next := transfer(c.t, "payer", address("alice"), 1, hash)
	forged := transfer(c.t, "payer", address("alice"), 2, hash)
	forged.Signatures[0][0] ^= 1
	stale := transfer(c.t, "payer", address("alice"), 3, solana.Hash{1})
	again := transfer(c.t, "payer", address("alice"), 1000, first)
	fails := signed(c.t, hash, "payer", solana.NewInstruction(address("program"), nil, nil))
	message := encode(next)[1+64:]
	b64 := base64.StdEncoding.EncodeToString
	return strings.NewReplacer(
		"$payer", address("payer").String(), "$alice", address("alice").String(), "$program", address("program").String(),
		"$nobody", address("nobody").String(), "$owned", solana.PublicKey{1, 1}.String(),
		"$good", good, "$bad", bad, "$v0", newest, "$unknown", solana.Signature{1}.String(),
		"$first", first.String(), "$hash", hash.String(), "$nohash", solana.Hash{7}.String(),
		"$next58", base58.Encode(encode(next)), "$next", b64(encode(next)), "$forged", b64(encode(forged)),
		"$stale", b64(encode(stale)), "$again", b64(encode(again)), "$fails", b64(encode(fails)),
		"$trailing", b64(append(encode(next), 0)), "$large", b64(make([]byte, svm.MaxTransactionSize+1)),
		"$huge", b64(make([]byte, 5000)), "$message", b64(message),
		"$identity", c.Bank().Identity().String(), "$clock", solana.SysVarClockPubkey.String(),
	)
}

func versioned(t testing.TB, hash solana.Hash) *solana.Transaction {
	t.Helper()
	tx := signed(t, hash, "payer", system.NewTransferInstruction(2000, address("payer"), address("alice")).Build())
	tx.Message.SetVersion(solana.MessageVersionV0)
	k := key("payer")
	tx.Signatures = nil
	if _, err := tx.Sign(func(solana.PublicKey) *solana.PrivateKey { return &k }); err != nil {
		t.Fatal(err)
	}
	return tx
}
