package svm

import (
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// invocation is a cross-program invocation as the caller describes it.
type invocation struct {
	program  solana.PublicKey
	accounts []invokedAccount
	data     []byte
}

type invokedAccount struct {
	key              solana.PublicKey
	signer, writable bool
}

const accountMetaSize = 34 // bytes, Rust's AccountMeta

// abi reads the structures of one language's invocation call.
type abi interface {
	instruction(x *execution, addr uint64) (invocation, error)
	infoSize() uint64
	infoKey(info []byte) uint64
	callerAccount(x *execution, addr uint64, info []byte, place accountPlace) (*callerAccount, error)
}

func callInvokeC(x *execution, ix, infos, infoCount, seeds, seedCount uint64) (uint64, error) {
	return 0, x.invoke(abiC{}, ix, infos, infoCount, seeds, seedCount)
}

func callInvokeRust(x *execution, ix, infos, infoCount, seeds, seedCount uint64) (uint64, error) {
	return 0, x.invoke(abiRust{}, ix, infos, infoCount, seeds, seedCount)
}

// invoke runs another program from the running one. Agave: cpi.rs cpi_common.
func (x *execution) invoke(lang abi, ix, infos, infoCount, seeds, seedCount uint64) error {
	if err := x.consume(costInvoke); err != nil {
		return err
	}
	in, err := lang.instruction(x, ix)
	if err != nil {
		return err
	}
	signers, err := x.signerKeys(seeds, seedCount)
	if err != nil {
		return err
	}
	if err := checkCallable(in); err != nil {
		return err
	}
	if err := x.prepare(in, signers); err != nil {
		return err
	}
	accounts, err := x.callerAccounts(lang, infos, infoCount)
	if err != nil {
		return err
	}
	if err := x.syncToCallee(accounts); err != nil {
		return err
	}
	if err := x.process(); err != nil {
		return err
	}
	return x.syncToCaller(accounts)
}

// checkCallable refuses programs that other programs must not invoke.
func checkCallable(in invocation) error {
	id := in.program
	managed := id == loaderV3ID && !mayInvokeLoader(in.data)
	if id == nativeLoaderID || id == loaderV2ID || id == loaderDeprecatedID || managed || isPrecompile(id) {
		return syscallError(fmt.Sprintf("Program %s not supported by inner instructions", id))
	}
	return nil
}

// mayInvokeLoader allows upgrade, set authority (also the checked one) and close.
func mayInvokeLoader(data []byte) bool {
	return len(data) > 0 && (data[0] >= 3 && data[0] <= 5 || data[0] == 7)
}

// signerKeys derives the addresses that the caller signs for.
func (x *execution) signerKeys(addr, count uint64) ([]solana.PublicKey, error) {
	lists, err := x.readArray(addr, count, 16, 8)
	if err != nil {
		return nil, err
	}
	if count > maxSigners {
		return nil, errTooManySigners
	}
	program := x.runningProgram()
	out := make([]solana.PublicKey, count)
	for i := range out {
		seeds, err := x.seedsAt(word(lists[16*i:]), word(lists[16*i+8:]))
		if err != nil {
			return nil, err
		}
		if out[i], err = derive(seeds, program); err != nil {
			return nil, badSignerSeeds(err)
		}
	}
	return out, nil
}

func badSignerSeeds(err error) error {
	if errors.Is(err, errSeedTooLong) {
		return errBadSeedsTooLong
	}
	return errBadSeedsOnCurve
}

func (x *execution) seedsAt(addr, count uint64) ([][]byte, error) {
	raw, err := x.readArray(addr, count, 16, 8)
	if err != nil {
		return nil, err
	}
	if count > maxSeeds {
		return nil, fail(MaxSeedLengthExceeded)
	}
	out := make([][]byte, count)
	for i := range out {
		if out[i], err = x.bytesAt(word(raw[16*i:]), word(raw[16*i+8:])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// prepare checks the privileges of an invocation and appends it to the trace.
func (x *execution) prepare(in invocation, signers []solana.PublicKey) error {
	f := x.trace[len(x.trace)-1]
	accounts, first, err := x.mergeAccounts(in)
	if err != nil {
		return err
	}
	caller := x.current()
	for i, a := range accounts {
		if int(first[a.index]) != i {
			continue
		}
		if err := x.checkPrivilege(caller, a, signers); err != nil {
			return err
		}
	}
	index, ok := x.indexOf(in.program)
	if ok {
		_, err := caller.position(index)
		ok = err == nil
	}
	if !ok {
		x.log.addf("Unknown program %s", in.program)
		return fail(MissingAccount)
	}
	f.program, f.accounts, f.first, f.data = index, accounts, first, in.data
	f.caller = x.stack[len(x.stack)-1]
	return nil
}

// mergeAccounts maps the accounts to the transaction's. Repeated ones share the sum of their
// privileges.
func (x *execution) mergeAccounts(in invocation) ([]ixAccount, []uint16, error) {
	first := newFirst(len(x.accounts))
	out := make([]ixAccount, 0, len(in.accounts))
	for _, meta := range in.accounts {
		index, ok := x.indexOf(meta.key)
		if !ok {
			x.log.addf("Instruction references an unknown account %s", meta.key)
			return nil, nil, fail(MissingAccount)
		}
		if at := first[index]; at != noIndex {
			out[at].signer = out[at].signer || meta.signer
			out[at].writable = out[at].writable || meta.writable
		} else {
			first[index] = uint16(len(out))
		}
		out = append(out, ixAccount{index, meta.signer, meta.writable})
	}
	for i, a := range out {
		out[i] = out[first[a.index]]
	}
	return out, first, nil
}

func newFirst(n int) []uint16 {
	first := make([]uint16, n)
	for i := range first {
		first[i] = noIndex
	}
	return first
}

// checkPrivilege fails if an invocation has more rights to an account than its caller.
func (x *execution) checkPrivilege(caller *frame, a ixAccount, signers []solana.PublicKey) error {
	at, err := caller.position(a.index)
	if err != nil {
		return err
	}
	own, key := caller.accounts[at], x.accounts[a.index].key
	if a.writable && !own.writable {
		x.log.addf("%s's writable privilege escalated", key)
		return fail(PrivilegeEscalation)
	}
	if a.signer && !own.signer && !contains(signers, key) {
		x.log.addf("%s's signer privilege escalated", key)
		return fail(PrivilegeEscalation)
	}
	return nil
}

func contains(keys []solana.PublicKey, key solana.PublicKey) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return false
}
