package svm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
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

func callInvokeC(x *execution, ix, infos, infoCount, seeds, seedCount uint64) (uint64, error) {
	return 0, x.invoke(abiC(), ix, infos, infoCount, seeds, seedCount)
}

func callInvokeRust(x *execution, ix, infos, infoCount, seeds, seedCount uint64) (uint64, error) {
	return 0, x.invoke(abiRust(), ix, infos, infoCount, seeds, seedCount)
}

// invoke runs another program from the running one. Agave: cpi.rs cpi_common.
func (x *execution) invoke(lang abi, ix, infos, infoCount, seeds, seedCount uint64) error {
	in, err := x.instruction(lang, ix)
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
	managed := id == accounts.LoaderV3ID && !mayInvokeLoader(in.data)
	if id == accounts.NativeLoaderID || id == accounts.LoaderV2ID || id == accounts.LoaderDeprecatedID || managed || accounts.IsPrecompile(id) {
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
	lists, err := x.slicesAt(addr, count)
	if err != nil {
		return nil, err
	}
	if count > maxSigners {
		return nil, errTooManySigners
	}
	program := x.runningProgram()
	out := make([]solana.PublicKey, count)
	for i, list := range lists {
		seeds, err := x.seedsAt(list.addr, list.n)
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

func (g *guestMemory) seedsAt(addr, count uint64) ([][]byte, error) {
	raw, err := g.readArray(addr, count, 16, 8)
	if err != nil {
		return nil, err
	}
	if count > maxSeeds {
		return nil, failure.Of(failure.MaxSeedLengthExceeded)
	}
	out := make([][]byte, count)
	for i := range out {
		if out[i], err = g.bytesAt(word(raw[16*i:]), word(raw[16*i+8:])); err != nil {
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
		return failure.Of(failure.MissingAccount)
	}
	f.program, f.accounts, f.first, f.data = index, accounts, first, in.data
	f.caller = x.stack[len(x.stack)-1]
	return nil
}

// mergeAccounts maps the accounts to the transaction's. Repeated ones share the sum of their
// privileges.
func (x *execution) mergeAccounts(in invocation) ([]ixAccount, []uint16, error) {
	first := slices.Repeat([]uint16{noIndex}, len(x.accounts))
	out := make([]ixAccount, 0, len(in.accounts))
	for _, meta := range in.accounts {
		index, ok := x.indexOf(meta.key)
		if !ok {
			x.log.addf("Instruction references an unknown account %s", meta.key)
			return nil, nil, failure.Of(failure.MissingAccount)
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

// checkPrivilege fails if an invocation has more rights to an account than its caller.
func (x *execution) checkPrivilege(caller *frame, a ixAccount, signers []solana.PublicKey) error {
	at, err := caller.position(a.index)
	if err != nil {
		return err
	}
	own, key := caller.accounts[at], x.accounts[a.index].key
	if a.writable && !own.writable {
		x.log.addf("%s's writable privilege escalated", key)
		return failure.Of(failure.PrivilegeEscalation)
	}
	if a.signer && !own.signer && !slices.Contains(signers, key) {
		x.log.addf("%s's signer privilege escalated", key)
		return failure.Of(failure.PrivilegeEscalation)
	}
	return nil
}
