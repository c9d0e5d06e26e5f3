package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
	"ojud/voting"
)

// fakeNode is a scripted RPC node: a small chain that moves lamports, and faults on top. Slots are
// sealed by tick; a transaction that is taken is in the open slot, confirmed when that is sealed
// and final finality slots later.
type fakeNode struct {
	mu       sync.Mutex
	genesis  onchain.Hash
	program  program.Program
	slot     uint64 // open; slot−1 is confirmed. Heights are slots here.
	unix     int64  // chain time in slot 1000; slots take 400 ms
	finality uint64
	accounts map[onchain.Address]*Account
	hashes   map[onchain.Hash]uint64 // blockhash → last valid height
	landed   map[onchain.Signature]*fakeTx
	order    []*fakeTx
	calls    map[string]int
	large    int // answers of more than a megabyte

	// fault is asked before a request is answered; nil: none.
	fault func(method string, n int) fault
	// run decides about instructions of the program; nil: they succeed without logs.
	run func(tx *solana.Transaction) (failure string, logs []string)
	// drop keeps transactions out of blocks although they are taken.
	drop func(n int) bool
	// lag has getSignatureStatuses answered as of so many slots ago.
	lag func() uint64

	old       bool              // transactions of version 1 are refused
	naming    []onchain.Address // what happen's transactions name besides the program
	indices   bool              // getSignaturesForAddress tells indices in blocks
	mute      bool              // the websocket is silent
	tell      func(*fakeTx)     // how it tells of a transaction; nil: once
	untold    []*fakeTx
	listeners []*fakeSocket
	refuse    map[string]bool // methods of the websocket that are refused
}

type fakeTx struct {
	slot    uint64
	sig     onchain.Signature
	failure string // JSON
	logs    []string
	raw     []byte
	keys    []onchain.Address
	late    uint64 // slots until the node's index has it
}

// fault is a failure of a request. The zero fault is none.
type fault struct {
	status int         // answer with this and nothing else
	header http.Header // of that answer
	before bool        // the connection breaks before the node has read the request
	after  bool        // the connection breaks after the node did what it should
	hang   bool        // no answer
	body   []byte      // answer with this
	code   int         // JSON-RPC error
	slots  uint64      // answer as a node would that is so many slots behind
}

const validBlocks = 150

func newFakeNode() *fakeNode {
	f := &fakeNode{
		genesis: sha256.Sum256([]byte("genesis")), program: program.New(onchain.Address{7}), slot: 1000, unix: 1_800_000_000, finality: 5,
		accounts: make(map[onchain.Address]*Account), hashes: make(map[onchain.Hash]uint64),
		landed: make(map[onchain.Signature]*fakeTx), calls: make(map[string]int), refuse: make(map[string]bool),
	}
	f.accounts[f.program.ID()] = &Account{Lamports: 1, Owner: onchain.Address(solana.BPFLoaderUpgradeableProgramID), Executable: true}
	f.set(f.program.Config(), &program.Config{Network: voting.Hash(f.genesis), Rules: program.FirstRules})
	f.set(f.program.Rules(program.FirstRules), &program.Rules{Number: program.FirstRules, Params: program.DefaultParams()})
	f.set(f.program.Roster(), &program.Roster{})
	return f
}

// set makes an account of the program.
func (f *fakeNode) set(address onchain.Address, a program.Account) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.accounts[address] = &Account{Address: address, Lamports: 1, Owner: f.program.ID(), Data: a.Encode()}
}

func (f *fakeNode) remove(address onchain.Address) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.accounts, address)
}

func (f *fakeNode) fund(address onchain.Address, lamports uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.accounts[address] = &Account{Address: address, Lamports: lamports}
}

func (f *fakeNode) lamports(address onchain.Address) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if a := f.accounts[address]; a != nil {
		return a.Lamports
	}
	return 0
}

func (f *fakeNode) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[method]
}

// tick seals slots.
func (f *fakeNode) tick(n uint64) {
	f.mu.Lock()
	f.slot += n
	f.mu.Unlock()
	f.tellClock()
}

// start seals a slot every 400 ms until the test ends.
func (f *fakeNode) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for rpc.Wait(ctx, 400*time.Millisecond) == nil {
			f.tick(1)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// hash is the blockhash of the open slot.
func (f *fakeNode) hash() onchain.Hash {
	h := sha256.Sum256(binary.LittleEndian.AppendUint64(f.genesis[:], f.slot))
	f.hashes[h] = f.slot + validBlocks
	return h
}

// land takes a transaction into the open slot.
func (f *fakeNode) land(raw []byte) {
	tx, err := solana.TransactionFromBytes(raw)
	if err != nil || tx.VerifySignatures() != nil {
		return
	}
	until, known := f.hashes[onchain.Hash(tx.Message.RecentBlockhash)]
	if !known || f.slot > until || f.landed[onchain.Signature(tx.Signatures[0])] != nil {
		return
	}
	if f.drop != nil && f.drop(len(f.order)) {
		return
	}
	failure, logs := f.execute(tx, true)
	keys := make([]onchain.Address, len(tx.Message.AccountKeys))
	for i, key := range tx.Message.AccountKeys {
		keys[i] = onchain.Address(key)
	}
	f.append(&fakeTx{slot: f.slot, sig: onchain.Signature(tx.Signatures[0]), failure: failure, logs: logs, raw: raw, keys: keys})
}

func (f *fakeNode) append(t *fakeTx) {
	f.landed[t.sig] = t
	f.order = append(f.order, t)
	f.tellLogs(t)
}

// execute runs system transfers and what run decides. With keep its effects stay.
func (f *fakeNode) execute(tx *solana.Transaction, keep bool) (failure string, logs []string) {
	payer := f.accounts[onchain.Address(tx.Message.AccountKeys[0])]
	if payer == nil {
		return `"AccountNotFound"`, nil
	}
	if payer.Lamports < transact.LamportsPerSignature {
		return `"InsufficientFundsForFee"`, nil
	}
	if keep {
		payer.Lamports -= transact.LamportsPerSignature
	}
	if f.run != nil {
		if failure, logs = f.run(tx); failure != "" {
			return failure, logs
		}
	}
	for n, i := range tx.Message.Instructions {
		if onchain.Address(tx.Message.AccountKeys[i.ProgramIDIndex]) != onchain.SystemProgram() || binary.LittleEndian.Uint32(i.Data) != 2 {
			continue
		}
		from, to := f.accounts[onchain.Address(tx.Message.AccountKeys[i.Accounts[0]])], tx.Message.AccountKeys[i.Accounts[1]]
		amount := binary.LittleEndian.Uint64(i.Data[4:])
		if from.Lamports < amount {
			line := "Transfer: insufficient lamports " + itoa(from.Lamports) + ", need " + itoa(amount)
			return `{"InstructionError":[` + itoa(uint64(n)) + `,{"Custom":1}]}`, append(logs, line)
		}
		if keep {
			from.Lamports -= amount
			if f.accounts[onchain.Address(to)] == nil {
				f.accounts[onchain.Address(to)] = &Account{Address: onchain.Address(to)}
			}
			f.accounts[onchain.Address(to)].Lamports += amount
		}
	}
	return "", logs
}

func itoa(n uint64) string { b, _ := json.Marshal(n); return string(b) }

// RoundTrip implements http.RoundTripper: the node in this process.
func (f *fakeNode) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var r struct {
		ID     json.RawMessage   `json:"id"`
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.calls[r.Method]++
	wrong := fault{}
	if f.fault != nil {
		wrong = f.fault(r.Method, f.calls[r.Method])
	}
	f.mu.Unlock()
	switch {
	case wrong.before:
		return nil, io.ErrUnexpectedEOF
	case wrong.hang:
		<-req.Context().Done()
		return nil, req.Context().Err()
	case wrong.status != 0:
		return response(wrong.status, wrong.header, wrong.body), nil
	case wrong.body != nil:
		return response(200, nil, wrong.body), nil
	case wrong.code != 0:
		return response(200, nil, []byte(`{"jsonrpc":"2.0","id":`+string(r.ID)+`,"error":{"code":`+fmtInt(wrong.code)+`,"message":"scripted"}}`)), nil
	}
	f.mu.Lock()
	result, code := f.answer(r.Method, r.Params, wrong.slots)
	f.mu.Unlock()
	if wrong.after {
		return nil, io.ErrUnexpectedEOF
	}
	if code != 0 {
		return response(200, nil, []byte(`{"jsonrpc":"2.0","id":`+string(r.ID)+`,"error":{"code":`+fmtInt(code)+`,"message":"refused"}}`)), nil
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result})
	if err != nil {
		return nil, err
	}
	if len(text) > 1<<20 {
		f.mu.Lock()
		f.large++
		f.mu.Unlock()
	}
	return response(200, nil, text), nil
}

func fmtInt(n int) string { b, _ := json.Marshal(n); return string(b) }

func response(status int, header http.Header, body []byte) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body))}
}

func (f *fakeNode) context(behind uint64) map[string]any {
	return map[string]any{"slot": f.slot - 1 - behind}
}

// timeOf is the chain's time in a slot, in Unix seconds.
func (f *fakeNode) timeOf(slot uint64) int64 { return f.unix + int64(slot-1000)*2/5 }

// clock is the Clock sysvar.
func (f *fakeNode) clock(behind uint64) *Account {
	data := make([]byte, looks.ClockSize)
	binary.LittleEndian.PutUint64(data, f.slot-1-behind)
	binary.LittleEndian.PutUint64(data[32:], uint64(f.timeOf(f.slot)))
	return &Account{Address: onchain.ClockAccount(), Lamports: 1, Data: data}
}

func jsonAccount(a *Account, from, length int) any {
	if a == nil {
		return nil
	}
	data := a.Data
	if length > 0 {
		data = data[min(from, len(data)):min(from+length, len(data))]
	}
	return map[string]any{
		"lamports": a.Lamports, "owner": a.Owner, "executable": a.Executable, "rentEpoch": uint64(1<<64 - 1), "space": len(a.Data),
		"data": []string{base64.StdEncoding.EncodeToString(data), "base64"},
	}
}

// indexed are the transactions that name an address, the newest first.
func (f *fakeNode) indexed(address onchain.Address) []*fakeTx {
	var all []*fakeTx
	for _, t := range slices.Backward(f.order) {
		if slices.Contains(t.keys, address) && t.slot+t.late < f.slot {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *fakeTx) int { return int(int64(b.slot) - int64(a.slot)) })
	return all
}
