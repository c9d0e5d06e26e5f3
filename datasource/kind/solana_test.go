package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"

	"ojud/ledger/devnet"
)

// embedded starts the embedded chain on its own port. It returns its URL, an account that was paid,
// and the signature of the payment.
func embedded(t *testing.T) (endpoint string, paid solana.PublicKey, by solana.Signature) {
	config := devnet.DefaultConfig()
	config.RPC, config.WS = "127.0.0.1:0", "127.0.0.1:0"
	server, err := devnet.New(config, devnet.Deps{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	addresses, ended := make(chan string, 1), make(chan error, 2)
	go func() { ended <- server.Run(ctx) }()
	go func() { ended <- server.Serve(ctx, func(rpc, _ net.Addr) { addresses <- rpc.String() }) }()
	t.Cleanup(func() {
		cancel()
		for range cap(ended) {
			if err := <-ended; err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case at := <-addresses:
		endpoint = "http://" + at
	case err := <-ended:
		t.Fatal(err)
	}
	paid = solana.NewWallet().PublicKey()
	client := rpc.New(endpoint)
	if by, err = client.RequestAirdrop(soon(t), paid, 5_000_000_001, rpc.CommitmentFinalized); err != nil {
		t.Fatal(err)
	}
	finalized(t, client, by)
	return endpoint, paid, by
}

// finalized polls, because for this test the chain is another process.
func finalized(t *testing.T, client *rpc.Client, signature solana.Signature) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ctx := soon(t); ; {
		got, err := client.GetSignatureStatuses(ctx, true, signature)
		if err == nil && len(got.Value) == 1 && got.Value[0] != nil && got.Value[0].ConfirmationStatus == rpc.ConfirmationStatusFinalized {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(got, err)
		}
	}
}

func TestSolana(t *testing.T) {
	endpoint, paid, by := embedded(t)
	env := Env{RPC: endpoint}
	other := solana.NewWallet().PublicKey()
	read := func(s *solanaSource, request string) map[string]any {
		t.Helper()
		var out map[string]any
		if err := json.Unmarshal([]byte(ask(t, opened(t, s, env), request)), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := read(&solanaSource{Read: "account"}, fmt.Sprintf(`{"address":%q}`, paid))
	if got["exists"] != true || got["lamports"] != "5000000001" || got["owner"] != solana.SystemProgramID.String() || got["data"] != "" || got["commitment"] != "finalized" || got["slot"].(float64) < 1 {
		t.Error(got)
	}
	got = read(&solanaSource{Read: "account", Address: &other}, `{}`)
	if got["exists"] != false || got["address"] != other.String() || got["slot"].(float64) < 1 {
		t.Error(got)
	}
	got = read(&solanaSource{Read: "transaction", Addresses: []solana.PublicKey{paid}}, fmt.Sprintf(`{"signature":%q}`, by))
	if got["exists"] != true || got["signature"] != by.String() || got["error"] != nil || got["fee"] != "5000" || len(got["logs"].([]any)) == 0 {
		t.Error(got)
	}
	got = read(&solanaSource{Read: "transaction"}, fmt.Sprintf(`{"signature":%q}`, solana.Signature{1}))
	if got["exists"] != false || got["slot"].(float64) < 1 {
		t.Error(got)
	}

	account := fmt.Sprintf(`{"address":%q}`, paid)
	refused(t, opened(t, &solanaSource{Read: "account", Addresses: []solana.PublicKey{other}}, env), account, ErrRefused, "did not list")
	refused(t, opened(t, &solanaSource{Read: "account", Address: &other}, env), account, ErrRefused, "did not list")
	refused(t, opened(t, &solanaSource{Read: "account", Owners: []solana.PublicKey{other}}, env), account, ErrRefused, "belongs to a program")
	refused(t, opened(t, &solanaSource{Read: "account"}, env), `{"address":"0OIl"}`, ErrRequest, "base58")
	refused(t, opened(t, &solanaSource{Read: "account"}, env), `{}`, ErrRequest, "missing")
	refused(t, opened(t, &solanaSource{Read: "transaction"}, env), `{"signature":"x"}`, ErrRequest, "base58")
	refused(t, opened(t, &solanaSource{Read: "transaction", Addresses: []solana.PublicKey{other}}, env), fmt.Sprintf(`{"signature":%q}`, by), ErrRefused, "mentions no address")
	refused(t, opened(t, &solanaSource{Read: "transaction", Addresses: []solana.PublicKey{other}}, env), fmt.Sprintf(`{"signature":%q}`, solana.Signature{1}), ErrRefused, "mentions no address")
	if _, err := Open(&solanaSource{Read: "account"}, Env{}); !errors.Is(err, ErrSetup) || !strings.Contains(err.Error(), "the node has no RPC URL") {
		t.Error(err)
	}
}

// TestSolanaBadNode: an RPC node that lies, is endless, or shows the key of its URL.
func TestSolanaBadNode(t *testing.T) {
	answers := map[string]string{
		"/none":   `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":5},"value":[]}}`,
		"/nodata": `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":5},"value":[{"lamports":1,"owner":"11111111111111111111111111111111","executable":false}]}}`,
		"/error":  `{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"no more for ` + key + `"}}`,
		"/other":  `{"jsonrpc":"2.0","id":1,"result":{"slot":5,"meta":{"err":null,"fee":1},"transaction":["AQ==","base64"]}}`,
		"/text":   `busy`,
	}
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != key {
			w.WriteHeader(http.StatusUnauthorized)
		}
		if body, ok := answers[r.URL.Path]; ok {
			w.Write([]byte(body))
			return
		}
		w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":"`))
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(strings.Repeat("x", 4096))); err != nil {
				return
			}
		}
	}))
	t.Cleanup(node.Close)
	address, signature := fmt.Sprintf(`{"address":%q}`, solana.SystemProgramID), fmt.Sprintf(`{"signature":%q}`, solana.Signature{1})
	for path, class := range map[string]error{"/none": ErrSchema, "/nodata": ErrSchema, "/error": ErrRefused, "/other": ErrSchema, "/text": ErrDown, "/endless": ErrLarge} {
		s := &solanaSource{Read: "account", URL: node.URL + path + "?key=${env:KEY}", Headers: map[string]string{"X-Token": "${env:KEY}"}, Network: Network{AllowPrivate: true}}
		request := address
		if path == "/other" {
			s.Read, request = "transaction", signature
		}
		text := refused(t, opened(t, s, Env{LookupEnv: environ("KEY", key), MaxBytes: 64 << 10}), request, class, "")
		if strings.Contains(text, key) || strings.Contains(text, escape(key)) {
			t.Error(text)
		}
	}
	far := &solanaSource{Read: "account", URL: node.URL}
	refused(t, opened(t, far, Env{}), address, ErrRefused, "no public address")
}
