package brain

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"

	"ojud/ledger/onchain"
)

// Told is what stands in the transactions of a task, of which its account has hashes alone. A
// result or an evaluation of a seat that told none is the zero value.
type Told struct {
	There       bool // the transaction that made the task was found
	Description string
	Metadata    []byte
	Results     [MaxSeats]SubmitResult     // by the seat of the worker
	Evaluations [MaxSeats]SubmitEvaluation // by the seat of the evaluator
}

// maxInner bounds the text of an instruction that a program called: 10 KiB in base58.
const maxInner = 14_000

// Instructions are the data of those of a transaction, and of those that its programs called, which
// an RPC node has in base58.
func Instructions(transaction []byte, called []string) (all [][]byte, err error) {
	tx, err := solana.TransactionFromBytes(transaction)
	if err != nil {
		return nil, fmt.Errorf("%w: no transaction: %w", errMalformed, err)
	}
	for _, i := range tx.Message.Instructions {
		all = append(all, i.Data)
	}
	for _, text := range called {
		if len(text) > maxInner {
			continue
		}
		data, err := base58.Decode(text)
		if err != nil {
			return nil, fmt.Errorf("%w: no instruction: %w", errMalformed, err)
		}
		all = append(all, data)
	}
	return all, nil
}

// Transfer is what a transaction moves from a wallet to another. Marks are further addresses that
// it names for it.
type Transfer struct {
	From, To onchain.Address
	Lamports uint64
	Marks    []onchain.Address
}

// Transfers are those that stand in a transaction itself. What it looks up elsewhere is left out.
func Transfers(transaction []byte) (all []Transfer, err error) {
	tx, err := solana.TransactionFromBytes(transaction)
	if err != nil {
		return nil, fmt.Errorf("%w: no transaction: %w", errMalformed, err)
	}
	keys := tx.Message.AccountKeys
	named := func(i uint16) (onchain.Address, bool) {
		if int(i) >= len(keys) {
			return onchain.Address{}, false
		}
		return onchain.Address(keys[i]), true
	}
	for _, i := range tx.Message.Instructions {
		if to, ok := named(i.ProgramIDIndex); !ok || to != onchain.SystemProgram() || len(i.Data) != 12 || binary.LittleEndian.Uint32(i.Data) != 2 {
			continue
		}
		var at []onchain.Address
		for _, n := range i.Accounts {
			if a, ok := named(n); ok {
				at = append(at, a)
			}
		}
		if len(at) == len(i.Accounts) && len(at) >= 2 {
			all = append(all, Transfer{at[0], at[1], binary.LittleEndian.Uint64(i.Data[4:]), at[2:]})
		}
	}
	return all, nil
}

// Hear takes from the data of an instruction what belongs to a task. Whoever gave it, and whichever
// program was called: only what has the hash that the task's account has is taken.
func (into *Told) Hear(at onchain.Address, t *TaskAccount, data []byte) {
	if len(data) < 8 {
		return
	}
	switch kind, args := [8]byte(data[:8]), data[8:]; kind {
	case discriminator("global", "create_task"):
		var c CreateTask
		if readArgs(args, &c) == nil && TermsHash(c.Description, c.Metadata) == t.Terms {
			into.There, into.Description, into.Metadata = true, c.Description, c.Metadata
		}
	case discriminator("global", "submit_result"):
		var s SubmitResult
		if readArgs(args, &s) != nil {
			return
		}
		for n, w := range t.Work[:t.Counts.Drawn] {
			if w.Commitment == ResultCommitment(at, w.Agent, s) {
				into.Results[n] = s
			}
		}
	case discriminator("global", "submit_evaluation"):
		var s SubmitEvaluation
		if readArgs(args, &s) != nil {
			return
		}
		for n, e := range t.Judges[:t.Counts.Seated] {
			if e.Commitment == EvaluationCommitment(at, e.Agent, s) {
				into.Evaluations[n] = s
			}
		}
	}
}

// readArgs reads arguments as Borsh has them, to the last byte.
func readArgs(data []byte, into any) error {
	rest, err := takeArgs(data, reflect.ValueOf(into).Elem())
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: %d bytes behind the arguments", errMalformed, len(rest))
	}
	return err
}

func takeArgs(data []byte, v reflect.Value) (rest []byte, err error) {
	switch kind := v.Kind(); {
	case kind == reflect.Struct && binary.Size(v.Interface()) < 0:
		for i := range v.NumField() {
			if data, err = takeArgs(data, v.Field(i)); err != nil {
				return nil, err
			}
		}
		return data, nil
	case kind == reflect.String || kind == reflect.Slice:
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, fmt.Errorf("%w: the arguments end early", errMalformed)
		}
		n := int(binary.LittleEndian.Uint32(data))
		if kind == reflect.String {
			v.SetString(string(data[4 : 4+n]))
		} else {
			v.SetBytes(append([]byte(nil), data[4:4+n]...))
		}
		return data[4+n:], nil
	}
	n, err := binary.Decode(data, binary.LittleEndian, v.Addr().Interface())
	if err != nil {
		return nil, fmt.Errorf("%w: the arguments end early", errMalformed)
	}
	return data[n:], nil
}
