package transact

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// The most compute units, and bytes of accounts, that a transaction may use (Agave:
// MAX_COMPUTE_UNIT_LIMIT and MAX_LOADED_ACCOUNTS_DATA_SIZE_BYTES).
const (
	MaxUnits  = 1_400_000
	MaxLoaded = 64 << 20
)

// Budget bounds the resources of a transaction and says how much it offers to pay.
type Budget struct {
	Units  uint32
	Priced bool   // it says what it pays for a unit
	Price  uint64 // micro-lamports a unit
	// Loaded are the bytes of accounts that a transaction of version 1 (SIMD-0385) may load. 0
	// makes a legacy one, which may always load MaxLoaded.
	Loaded uint32
}

// Instructions are those of the compute budget program: 2 sets the limit, 3 the price. (solana-go's
// own refuse a price of 0.)
func (b Budget) Instructions() []onchain.Instruction {
	set := func(data []byte) onchain.Instruction {
		return onchain.Instruction{Program: onchain.Address(solana.ComputeBudget), Data: data}
	}
	all := []onchain.Instruction{set(binary.LittleEndian.AppendUint32([]byte{2}, b.Units))}
	if b.Priced {
		all = append(all, set(binary.LittleEndian.AppendUint64([]byte{3}, b.Price)))
	}
	return all
}

// config is what a message of version 1 says of the budget. What it does not set is 0.
func (b Budget) config() solana.TransactionConfig {
	c := solana.TransactionConfig{}.WithComputeUnitLimit(b.Units).WithLoadedAccountsDataSizeLimit(b.Loaded)
	if b.Price > 0 {
		c = c.WithPriorityFee(b.Priority())
	}
	return c
}

// Priority returns what the offer costs, in lamports.
func (b Budget) Priority() uint64 { return (uint64(b.Units)*b.Price + 999_999) / 1_000_000 }

// LamportsPerSignature is the base fee (Agave: DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE). The
// precompiles' signatures cost as much.
const LamportsPerSignature = 5_000

// Unsigned is a transaction without signatures.
type Unsigned struct {
	tx      *solana.Transaction
	message []byte
}

// Compile makes the message: of version 1, or a legacy one with the budget's instructions before
// the caller's.
func Compile(payer onchain.Address, hash onchain.Hash, b Budget, wanted []onchain.Instruction) (Unsigned, error) {
	if b.Loaded > 0 {
		return compile(payer, hash, wanted, solana.TransactionV1Config(b.config()))
	}
	return compile(payer, hash, append(b.Instructions(), wanted...))
}

// Bare makes a message of one instruction alone, without a budget and a recent blockhash, for a
// signer that makes its own transaction of it.
func Bare(payer onchain.Address, wanted onchain.Instruction) (Unsigned, error) {
	return compile(payer, onchain.Hash{}, []onchain.Instruction{wanted})
}

func compile(payer onchain.Address, hash onchain.Hash, wanted []onchain.Instruction, more ...solana.TransactionOption) (Unsigned, error) {
	all := program.Native(marked(wanted, payer)...)
	tx, err := solana.NewTransaction(all, solana.Hash(hash), append(more, solana.TransactionPayer(solana.PublicKey(payer)))...)
	switch {
	case solana.IsSanitizeError(err):
		return Unsigned{}, fmt.Errorf("%w: %w", ErrTooLarge, err)
	case err != nil:
		return Unsigned{}, fmt.Errorf("ledger: making a transaction: %w", err)
	}
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		return Unsigned{}, fmt.Errorf("ledger: encoding a transaction: %w", err)
	}
	u := Unsigned{tx: tx, message: message}
	if size, most := u.Size(), limit(message); size > most {
		return Unsigned{}, fmt.Errorf("%w: %d bytes, %d are possible; take fewer instructions, signers or accounts", ErrTooLarge, size, most)
	}
	return u, nil
}

// marked returns copies of instructions that agree on which accounts sign and which are writable.
// solana-go sorts accounts before it has merged the marks of an account that is named twice.
func marked(wanted []onchain.Instruction, payer onchain.Address) []onchain.Instruction {
	marks := map[onchain.Address]onchain.AccountMeta{payer: {Address: payer, Signer: true, Writable: true}}
	for _, i := range wanted {
		for _, a := range i.Accounts {
			m := marks[a.Address]
			marks[a.Address] = onchain.AccountMeta{Address: a.Address, Signer: m.Signer || a.Signer, Writable: m.Writable || a.Writable}
		}
	}
	out := slices.Clone(wanted)
	for n := range out {
		out[n].Accounts = slices.Clone(out[n].Accounts)
		for k, a := range out[n].Accounts {
			out[n].Accounts[k] = marks[a.Address]
		}
	}
	return out
}

// Message returns the message to sign.
func (u Unsigned) Message() *solana.Message { return &u.tx.Message }

// signers is how many signatures the message wants.
func (u Unsigned) signers() int { return int(u.tx.Message.Header.NumRequiredSignatures) }

// version1 is the first byte of a message of version 1, and of its transaction.
const version1 = 0x81

func newer(raw []byte) bool { return len(raw) > 1 && raw[0] == version1 }

// limit bounds a transaction by the version that its first byte, or that of its message, names.
func limit(raw []byte) int {
	if newer(raw) {
		return solana.MaxTransactionSizeV1
	}
	return MaxTransaction
}

// SignatureOf returns the first signature of an encoded transaction; zero: there is none. It is in
// front, and in version 1 at the end.
func SignatureOf(raw []byte) (s onchain.Signature) {
	at := 1
	if newer(raw) {
		at = len(raw) - len(s)*int(raw[1])
	}
	if at > 0 && at+len(s) <= len(raw) {
		copy(s[:], raw[at:])
	}
	return s
}

// Size is the transaction's, in bytes.
func (u Unsigned) Size() int { return len(u.Raw(nil)) }

// Raw is the transaction with these signatures; missing ones are zero, as a simulation takes them.
func (u Unsigned) Raw(signatures []onchain.Signature) []byte {
	all := make([]byte, 0, len(onchain.Signature{})*u.signers())
	for i := range u.signers() {
		sig := onchain.Signature{}
		if i < len(signatures) {
			sig = signatures[i]
		}
		all = append(all, sig[:]...)
	}
	return withSignatures(u.message, all, u.signers())
}

// withSignatures puts a message and its signatures together.
func withSignatures(message, all []byte, signers int) []byte {
	if newer(message) {
		return slices.Concat(message, all)
	}
	return slices.Concat([]byte{byte(signers)}, all, message) // below 128: one byte of compact-u16
}

// Signable reports which key is missing for the signatures that the message wants.
func (u Unsigned) Signable(keys map[onchain.Address]*Keypair) error {
	for _, address := range u.tx.Message.AccountKeys[:u.signers()] {
		if keys[onchain.Address(address)] == nil {
			return fmt.Errorf("ledger: the transaction has to be signed by %s, whose key is not given", address)
		}
	}
	return nil
}

// Sign signs with the keys that the message wants.
func (u Unsigned) Sign(keys map[onchain.Address]*Keypair) ([]byte, onchain.Signature, error) {
	if err := u.Signable(keys); err != nil {
		return nil, onchain.Signature{}, err
	}
	signatures := make([]onchain.Signature, u.signers())
	for i, address := range u.tx.Message.AccountKeys[:u.signers()] {
		var err error
		if signatures[i], err = keys[onchain.Address(address)].signature(u.message); err != nil {
			return nil, onchain.Signature{}, err
		}
	}
	return u.Raw(signatures), signatures[0], nil
}

// Writable are the accounts whose locks others may pay for, too.
func (u Unsigned) Writable() []onchain.Address {
	var all []onchain.Address
	for _, address := range u.tx.Message.AccountKeys {
		if u.tx.Message.IsWritableStatic(address) {
			all = append(all, onchain.Address(address))
		}
	}
	return all
}

// Fee returns the cost of the transaction, in lamports.
func (u Unsigned) Fee(b Budget) uint64 {
	signatures := uint64(u.signers())
	for _, i := range u.tx.Message.Instructions {
		if int(i.ProgramIDIndex) < len(u.tx.Message.AccountKeys) && onchain.Address(u.tx.Message.AccountKeys[i.ProgramIDIndex]) == program.Ed25519ProgramID() && len(i.Data) > 0 {
			signatures += uint64(i.Data[0])
		}
	}
	priority := b.Priority()
	if offer := u.tx.Message.TransactionConfig.PriorityFee; newer(u.message) && offer != nil {
		priority = *offer
	}
	return signatures*LamportsPerSignature + priority
}
