package devnet_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"
	"github.com/klauspost/compress/zstd"

	"ojud/ledger/devnet"
	"ojud/ledger/svm/accounts"
)

// sliced is the data of the account whose parts are asked for.
func sliced() []byte {
	data := make([]byte, 300)
	for i := range data {
		data[i] = byte(i)
	}
	return data
}

func withSliced(_ *devnet.Config, d *devnet.Deps) {
	d.Genesis.Accounts = append(d.Genesis.Accounts, accounts.Keyed{
		Key: address("sliced"), Account: accounts.Account{Lamports: sol, Owner: address("program"), RentEpoch: ^uint64(0), Data: sliced()},
	})
}

// TestSliceSolanaGo: solana-go reads the same part of an account by each method and in each
// encoding, and the whole length of the account beside it.
func TestSliceSolanaGo(t *testing.T) {
	_, http, _ := serve(t, withSliced)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client := rpc.New(http)
	for _, c := range []struct {
		offset, length uint64
		want           []byte
	}{
		{0, 300, sliced()}, {0, 9, sliced()[:9]}, {8, 128, sliced()[8:136]}, {290, 100, sliced()[290:]}, {299, 1, sliced()[299:]},
		{5, 0, nil}, {300, 1, nil}, {1 << 40, 1, nil}, {1, 1<<64 - 1, sliced()[1:]}, {1<<64 - 1, 1<<64 - 1, nil},
	} {
		part := &rpc.DataSlice{Offset: &c.offset, Length: &c.length}
		for _, encoding := range []solana.EncodingType{solana.EncodingBase58, solana.EncodingBase64, solana.EncodingBase64Zstd} {
			name := fmt.Sprintf("%d bytes from %d in %s", c.length, c.offset, encoding)
			one, err := client.GetAccountInfoWithOpts(ctx, address("sliced"), &rpc.GetAccountInfoOpts{Encoding: encoding, DataSlice: part})
			if tooLong := encoding == solana.EncodingBase58 && len(c.want) > 128; tooLong != (err != nil) {
				t.Errorf("%s: %v", name, err)
			}
			if err != nil {
				continue
			}
			several, err := client.GetMultipleAccountsWithOpts(ctx, []solana.PublicKey{address("sliced"), address("nobody")}, &rpc.GetMultipleAccountsOpts{Encoding: encoding, DataSlice: part})
			if err != nil || several.Value[1] != nil {
				t.Fatal(name, err)
			}
			all, err := client.GetProgramAccountsWithOpts(ctx, address("program"), &rpc.GetProgramAccountsOpts{Encoding: encoding, DataSlice: part})
			if err != nil || len(all) != 1 || all[0].Pubkey != address("sliced") {
				t.Fatal(name, all, err)
			}
			for _, got := range []*rpc.Account{one.Value, several.Value[0], all[0].Account} {
				if !bytes.Equal(got.Data.GetBinary(), c.want) || got.Space != 300 || got.Lamports != sol {
					t.Errorf("%s: %x, of %d", name, got.Data.GetBinary(), got.Space)
				}
			}
		}
	}
}

// TestSliceAgave: what Agave refuses is refused in its words, filters see the whole account, and an
// empty part is a whole frame of zstd, as Agave's is.
func TestSliceAgave(t *testing.T) {
	c := open(t, withSliced)
	ask := func(method, options string) string {
		_, out := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":[%q,%s]}`, method, address(map[bool]string{true: "program", false: "sliced"}[method == "getProgramAccounts"]), options))
		return out
	}
	for options, want := range map[string]string{
		`{"encoding":"base64","dataSlice":{"offset":1}}`:                           "missing field `length`",
		`{"encoding":"base64","dataSlice":{"length":1}}`:                           "missing field `offset`",
		`{"encoding":"base64","dataSlice":{"offset":-1,"length":1}}`:               `"code":-32602`,
		`{"encoding":"base64","dataSlice":{"offset":"1","length":1}}`:              `"code":-32602`,
		`{"encoding":"base58","dataSlice":{"offset":0,"length":129}}`:              "please use Base64 encoding",
		`{"dataSlice":{"offset":0,"length":300}}`:                                  "please use Base64 encoding",
		`{"encoding":"other","dataSlice":{"offset":0,"length":1}}`:                 "unknown variant `other`, expected one of `binary`, `base58`, `base64`, `jsonParsed`, `base64+zstd`",
		`{"encoding":"base64","dataSlice":null}`:                                   base64.StdEncoding.EncodeToString(sliced()),
		`{"encoding":"jsonParsed","dataSlice":{"offset":1,"length":3}}`:            `["AQID","base64"]`,
		`{"encoding":"base64","dataSlice":{"offset":1,"length":3,"unknown":true}}`: `["AQID","base64"]`,
		`{"dataSlice":{"offset":1,"length":3}}`:                                    `"data":"Ldp"`,
	} {
		for _, method := range []string{"getAccountInfo", "getProgramAccounts"} {
			if out := ask(method, options); !strings.Contains(out, want) {
				t.Errorf("%s %s: %.300s", method, options, out)
			}
		}
	}
	for filters, want := range map[string]int{
		`[{"dataSize":300},{"memcmp":{"offset":200,"bytes":"yMnK","encoding":"base64"}}]`: 1,
		`[{"dataSize":3}]`: 0,
	} {
		var out struct{ Result []json.RawMessage }
		raw := ask("getProgramAccounts", `{"encoding":"base64","dataSlice":{"offset":1,"length":3},"filters":`+filters+`}`)
		if err := json.Unmarshal([]byte(raw), &out); err != nil || len(out.Result) != want {
			t.Errorf("%s: %s %v", filters, raw, err)
		}
	}
	var out struct {
		Result struct{ Value struct{ Data [2]string } }
	}
	if err := json.Unmarshal([]byte(ask("getAccountInfo", `{"encoding":"base64+zstd","dataSlice":{"offset":0,"length":0}}`)), &out); err != nil {
		t.Fatal(err)
	}
	frame, err := base64.StdEncoding.DecodeString(out.Result.Value.Data[0])
	if err != nil || !bytes.HasPrefix(frame, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		t.Errorf("no frame: %x %v", frame, err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if data, err := d.DecodeAll(frame, nil); err != nil || len(data) != 0 {
		t.Error(data, err)
	}
}
