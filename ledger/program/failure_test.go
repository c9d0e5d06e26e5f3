package program

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go/rpc/jsonrpc"
)

func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestParseFailure(t *testing.T) {
	for text, want := range map[string]Failure{
		`{"InstructionError":[2,{"Custom":6021}]}`:                                       {2, 6021, true, "Custom"},
		`{"InstructionError":[0,{"Custom":1}]}`:                                          {0, 1, true, "Custom"},
		`{"InstructionError":[0,{"Custom":4294967295}]}`:                                 {0, 4294967295, true, "Custom"},
		`{"InstructionError":[1,"MissingRequiredSignature"]}`:                            {1, 0, false, "MissingRequiredSignature"},
		`{"InstructionError":[1,{"BorshIoError":"x"}]}`:                                  {1, 0, false, "BorshIoError"},
		`"BlockhashNotFound"`:                                                            {-1, 0, false, "BlockhashNotFound"},
		`{"InsufficientFundsForRent":{"account_index":1}}`:                               {-1, 0, false, "InsufficientFundsForRent"},
		`{"err":{"InstructionError":[1,{"Custom":6033}]},"logs":[],"unitsConsumed":150}`: {1, 6033, true, "Custom"},
		`{"err":"AlreadyProcessed","accounts":null,"logs":[]}`:                           {-1, 0, false, "AlreadyProcessed"},
	} {
		got, err := ParseFailure(parsed(t, text))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{`null`, `{}`, `[]`, `7`, `""`, `{"err":null,"logs":[]}`, `{"InstructionError":[1]}`, `{"InstructionError":[-1,"x"]}`,
		`{"InstructionError":[0.5,"x"]}`, `{"InstructionError":[1,{"Custom":4294967296}]}`, `{"InstructionError":[1,{"Custom":"6021"}]}`,
		`{"InstructionError":[1,{}]}`, `{"InstructionError":{"a":1}}`, `{"a":1,"b":2}`, `{"err":{"err":"x"}, "b":1}`, `{"":[]}`, `{"InstructionError":[1,{"":1}]}`} {
		if f, err := ParseFailure(parsed(t, text)); !errors.Is(err, errFailure) {
			t.Errorf("%s: %+v, %v", text, f, err)
		}
	}
}

// solana-go hands over what the RPC said in the Data of its error.
func TestParseFailureOfAPreflight(t *testing.T) {
	var reply jsonrpc.RPCError
	text := `{"code":-32002,"message":"Transaction simulation failed","data":{"err":{"InstructionError":[0,{"Custom":6032}]},"logs":["x"]}}`
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		t.Fatal(err)
	}
	var err error = &reply
	var rpcErr *jsonrpc.RPCError
	if !errors.As(err, &rpcErr) {
		t.Fatal("not an RPC error")
	}
	f, err := ParseFailure(rpcErr.Data)
	if err != nil {
		t.Fatal(err)
	}
	code, ok := f.Code()
	if !ok || code != ErrTooLate || !errors.Is(code, ErrTooLate) {
		t.Errorf("%+v: %v", f, code)
	}
}

func TestFailuresInWords(t *testing.T) {
	for want, f := range map[string]Failure{
		"TooEarly (6033)":         {Index: 1, Custom: 6033, HasCustom: true, Kind: "Custom"},
		"not hold enough":         {Custom: 1, HasCustom: true, Kind: "Custom"},
		"code 77":                 {Custom: 77, HasCustom: true, Kind: "Custom"},
		"ProgramFailedToComplete": {Index: 3, Kind: "ProgramFailedToComplete"},
		"refused: AccountInUse":   {Index: -1, Kind: "AccountInUse"},
	} {
		if !strings.Contains(f.Error(), want) {
			t.Errorf("%q lacks %q", f.Error(), want)
		}
	}
}

func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	for c := ErrBadInstruction; c <= ErrSeasonRuns; c++ {
		back, ok := ParseCode(c.Name())
		if !ok || back != c || seen[c.Name()] || c.Meaning() == "" || c.Next() == "" || len(c.Error()) > 300 {
			t.Errorf("%d: %s", uint32(c), c.Error())
		}
		seen[c.Name()] = true
	}
	// The numbers that other programs and notes quote.
	for c, n := range map[Code]uint32{ErrBadInstruction: 6000, ErrWrongStatus: 6021, ErrTooLate: 6032, ErrPeerTaken: 6036, ErrNothingToClaim: 6056, ErrVaultEmpty: 6060, ErrBadRelay: 6061, ErrSeasonRuns: 6062, ErrNoWithdrawKey: 6064, ErrWrongRules: 6065, ErrRulesAnnounced: 6066, ErrNotAdmitted: 6067, ErrCourtListed: 6068, ErrCourtOpen: 6069, ErrNotCovered: 6070} {
		if uint32(c) != n {
			t.Errorf("%s is %d, not %d", c.Name(), uint32(c), n)
		}
	}
	if _, ok := ParseCode("NoSuchName"); ok || Code(5999).Known() || (lastCode + 1).Known() {
		t.Error("a code that does not exist is known")
	}
	if Code(7).Meaning() == "" || Code(7).Next() == "" || Code(7).Name() != "Custom(7)" {
		t.Error("an unknown code has no words")
	}
}

func FuzzParseFailure(f *testing.F) {
	f.Add(`{"InstructionError":[2,{"Custom":6021}]}`)
	f.Add(`{"err":{"InstructionError":[1,"x"]},"logs":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		got, err := ParseFailure(v)
		if err == nil && (got.Kind == "" || got.Error() == "") {
			t.Fatalf("%+v", got)
		}
	})
}
