package devnet

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/table"
)

// transactionConfig is the requested form of a transaction.
type transactionConfig struct {
	Encoding   transactionEncoding `json:"encoding"`
	MaxVersion *uint8              `json:"maxSupportedTransactionVersion"`
}

// transactionEncoding is an encoding of a transaction.
type transactionEncoding struct{ encoding }

// UnmarshalJSON reads one of the words Agave knows.
func (e *transactionEncoding) UnmarshalJSON(raw []byte) (err error) {
	if isNull(raw) {
		return nil
	}
	e.encoding, err = oneOf(raw, encodingBinary, encodingBase64, encodingBase58, encodingJSON, encodingParsed)
	return err
}

// uiTransaction is a transaction with its outcome in JSON. A block leaves out Slot and BlockTime.
type uiTransaction struct {
	Slot        *uint64 `json:"slot,omitempty"`
	BlockTime   *int64  `json:"blockTime,omitempty"`
	Transaction any     `json:"transaction"`
	Meta        *uiMeta `json:"meta"`
	Version     any     `json:"version,omitempty"`
}

// uiMeta is the outcome of a transaction.
type uiMeta struct {
	Err               *failure.TransactionError `json:"err"`
	Status            uiStatus                  `json:"status"`
	Fee               uint64                    `json:"fee"`
	PreBalances       []uint64                  `json:"preBalances"`
	PostBalances      []uint64                  `json:"postBalances"`
	InnerInstructions *[]uiInner                `json:"innerInstructions,omitempty"`
	LogMessages       *[]string                 `json:"logMessages,omitempty"`
	PreTokenBalances  []any                     `json:"preTokenBalances"`
	PostTokenBalances []any                     `json:"postTokenBalances"`
	Rewards           *[]any                    `json:"rewards,omitempty"`
	LoadedAddresses   *uiLoaded                 `json:"loadedAddresses,omitempty"`
	ReturnData        *uiReturnData             `json:"returnData,omitempty"`
	Units             *uint64                   `json:"computeUnitsConsumed,omitempty"`
}

// uiStatus is Rust's Result<(), TransactionError>.
type uiStatus struct{ err *failure.TransactionError }

// MarshalJSON writes {"Ok":null} or {"Err":…}.
func (s uiStatus) MarshalJSON() ([]byte, error) {
	if s.err == nil {
		return []byte(`{"Ok":null}`), nil
	}
	return json.Marshal(map[string]any{"Err": s.err})
}

type uiLoaded struct {
	Readonly []string `json:"readonly"`
	Writable []string `json:"writable"`
}

func loadedOf(a table.Addresses) *uiLoaded { return &uiLoaded{text(a.Readonly), text(a.Writable)} }

type uiReturnData struct {
	ProgramID string    `json:"programId"`
	Data      [2]string `json:"data"`
}

func encodeReturnData(r *svm.ReturnData) *uiReturnData {
	if r == nil {
		return nil
	}
	return &uiReturnData{r.Program.String(), [2]string{base64.StdEncoding.EncodeToString(r.Data), string(encodingBase64)}}
}

// uiInner has the invocations of one instruction.
type uiInner struct {
	Index        int   `json:"index"`
	Instructions []any `json:"instructions"`
}

// uiInstruction names accounts by index, and uiPartlyDecoded by address: jsonParsed uses that form
// for programs without a parser.
type uiInstruction struct {
	ProgramIDIndex int    `json:"programIdIndex"`
	Accounts       []int  `json:"accounts"`
	Data           string `json:"data"`
	StackHeight    int    `json:"stackHeight"`
}

type uiPartlyDecoded struct {
	ProgramID   string   `json:"programId"`
	Accounts    []string `json:"accounts"`
	Data        string   `json:"data"`
	StackHeight int      `json:"stackHeight"`
}

func encodeInstruction(program int, accounts []int, data []byte, height int, keys []solana.PublicKey, parsed bool) any {
	if !parsed {
		return uiInstruction{program, append([]int{}, accounts...), base58.Encode(data), height}
	}
	named := make([]string, len(accounts))
	for i, a := range accounts {
		named[i] = keys[a].String()
	}
	return uiPartlyDecoded{keys[program].String(), named, base58.Encode(data), height}
}

func encodeInner(list []svm.InnerInstructions, keys []solana.PublicKey, parsed bool) []uiInner {
	out := []uiInner{}
	for _, group := range list {
		one := uiInner{Index: group.Index}
		for _, ix := range group.Instructions {
			one.Instructions = append(one.Instructions,
				encodeInstruction(ix.Program, ix.Accounts, ix.Data, ix.StackHeight, keys, parsed))
		}
		out = append(out, one)
	}
	return out
}

// encodeTransaction writes a record. brief selects the form of getBlock's transactionDetails
// "accounts".
func encodeTransaction(t *bank.Transaction, c transactionConfig, brief bool) (*uiTransaction, error) {
	tx, err := svm.DecodeTransaction(t.Wire)
	if err != nil {
		return nil, fmt.Errorf("devnet: read a kept transaction: %w", err)
	}
	out := &uiTransaction{}
	if out.Version, err = version(tx, c.MaxVersion); err != nil {
		return nil, err
	}
	if brief {
		out.Transaction = map[string]any{"signatures": text(tx.Signatures), "accountKeys": parsedKeys(tx, t)}
		out.Meta = encodeMeta(t, tx, encodingParsed)
		out.Meta.InnerInstructions, out.Meta.LogMessages, out.Meta.Rewards = nil, nil, nil
		out.Meta.ReturnData, out.Meta.Units = nil, nil
		return out, nil
	}
	out.Transaction = encodeBody(tx, t, c.Encoding.encoding)
	out.Meta = encodeMeta(t, tx, c.Encoding.encoding)
	return out, nil
}

// version returns the version member. It is empty unless the client asked for versions, which it
// must do for a transaction that is not a legacy one, and for as high a version.
func version(tx *solana.Transaction, most *uint8) (any, error) {
	n := int(tx.Message.GetVersion() - solana.MessageVersionV0)
	switch {
	case n < 0 && most == nil:
		return nil, nil
	case n < 0:
		return "legacy", nil
	case most == nil || n > int(*most):
		return nil, unsupportedVersion(n)
	}
	return n, nil
}

func encodeMeta(t *bank.Transaction, tx *solana.Transaction, e encoding) *uiMeta {
	inner := encodeInner(t.Inner, t.Keys(tx), e == encodingParsed)
	logs, rewards := append([]string{}, t.Logs...), []any{}
	m := &uiMeta{
		Err: t.Err, Status: uiStatus{t.Err}, Fee: t.Fee, PreBalances: t.Pre, PostBalances: t.Post,
		InnerInstructions: &inner, LogMessages: &logs, PreTokenBalances: []any{}, PostTokenBalances: []any{},
		Rewards: &rewards, ReturnData: encodeReturnData(t.ReturnData), Units: &t.Units,
	}
	if e != encodingParsed {
		m.LoadedAddresses = loadedOf(t.Looked)
	}
	return m
}

func encodeBody(tx *solana.Transaction, t *bank.Transaction, e encoding) any {
	switch e {
	case encodingBinary:
		return base58.Encode(t.Wire)
	case encodingBase58:
		return []string{base58.Encode(t.Wire), string(e)}
	case encodingBase64:
		return []string{base64.StdEncoding.EncodeToString(t.Wire), string(e)}
	}
	return map[string]any{"signatures": text(tx.Signatures), "message": encodeMessage(tx, t, e == encodingParsed)}
}

func encodeMessage(tx *solana.Transaction, t *bank.Transaction, parsed bool) any {
	const topLevel = 1 // stack height of a transaction's own instructions
	m, keys := &tx.Message, t.Keys(tx)
	instructions := make([]any, len(m.Instructions))
	for i, ix := range m.Instructions {
		accounts := make([]int, len(ix.Accounts))
		for j, a := range ix.Accounts {
			accounts[j] = int(a)
		}
		instructions[i] = encodeInstruction(int(ix.ProgramIDIndex), accounts, ix.Data, topLevel, keys, parsed)
	}
	out := map[string]any{"recentBlockhash": m.RecentBlockhash.String(), "instructions": instructions}
	switch m.GetVersion() {
	case solana.MessageVersionV0:
		out["addressTableLookups"] = append(solana.MessageAddressTableLookupSlice{}, m.AddressTableLookups...)
	case solana.MessageVersionV1:
		out["transactionConfig"] = m.TransactionConfig
	}
	if parsed {
		out["accountKeys"] = parsedKeys(tx, t)
		return out
	}
	out["accountKeys"] = text(m.AccountKeys)
	out["header"] = map[string]int{
		"numRequiredSignatures":       int(m.Header.NumRequiredSignatures),
		"numReadonlySignedAccounts":   int(m.Header.NumReadonlySignedAccounts),
		"numReadonlyUnsignedAccounts": int(m.Header.NumReadonlyUnsignedAccounts),
	}
	return out
}

func parsedKeys(tx *solana.Transaction, t *bank.Transaction) (out []map[string]any) {
	for i, k := range t.Keys(tx) {
		source := "transaction"
		if i >= len(tx.Message.AccountKeys) {
			source = "lookupTable"
		}
		out = append(out, map[string]any{
			"pubkey": k.String(), "writable": i < len(t.Writable) && t.Writable[i], "signer": i < len(tx.Signatures), "source": source,
		})
	}
	return out
}
