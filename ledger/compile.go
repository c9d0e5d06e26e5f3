package ledger

import (
	"encoding/binary"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// maxUnits is the most compute units that a transaction may use (Agave: MAX_COMPUTE_UNIT_LIMIT).
const maxUnits = 1_400_000

// budget is what a transaction may use and offers to pay.
type budget struct {
	units  uint32
	priced bool   // it says what it pays for a unit
	price  uint64 // micro-lamports a unit
}

// instructions are those of the compute budget program: 2 sets the limit, 3 the price. (solana-go's own refuse a price of 0.)
func (b budget) instructions() []solana.Instruction {
	set := func(data []byte) solana.Instruction {
		return solana.NewInstruction(solana.ComputeBudget, solana.AccountMetaSlice{}, data)
	}
	all := []solana.Instruction{set(binary.LittleEndian.AppendUint32([]byte{2}, b.units))}
	if b.priced {
		all = append(all, set(binary.LittleEndian.AppendUint64([]byte{3}, b.price)))
	}
	return all
}

// lamportsPerSignature is the base fee (Agave: DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE). The precompiles' signatures cost as much.
const lamportsPerSignature = 5_000

// unsigned is a transaction without signatures.
type unsigned struct {
	tx      *solana.Transaction
	message []byte
}

// compile makes the message: the budget's instructions, then the caller's.
func compile(payer solana.PublicKey, hash solana.Hash, b budget, wanted []solana.Instruction) (unsigned, error) {
	all, err := copies(append(b.instructions(), wanted...), payer)
	if err != nil {
		return unsigned{}, err
	}
	tx, err := solana.NewTransaction(all, hash, solana.TransactionPayer(payer))
	if err != nil {
		return unsigned{}, fmt.Errorf("ledger: making a transaction: %w", err)
	}
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		return unsigned{}, fmt.Errorf("ledger: encoding a transaction: %w", err)
	}
	u := unsigned{tx: tx, message: message}
	if size := u.size(); size > MaxTransaction {
		return unsigned{}, fmt.Errorf("%w: %d bytes, %d are possible; take fewer instructions, signers or accounts", ErrTooLarge, size, MaxTransaction)
	}
	return u, nil
}

// copies are instructions that solana-go may change: it marks accounts as signer or writable in place, and sorts them before
// it has merged the marks of an account that is named twice.
func copies(wanted []solana.Instruction, payer solana.PublicKey) ([]solana.Instruction, error) {
	marks := map[solana.PublicKey]solana.AccountMeta{payer: {PublicKey: payer, IsSigner: true, IsWritable: true}}
	for _, i := range wanted {
		for _, a := range i.Accounts() {
			m := marks[a.PublicKey]
			marks[a.PublicKey] = solana.AccountMeta{
				PublicKey: a.PublicKey, IsSigner: m.IsSigner || a.IsSigner, IsWritable: m.IsWritable || a.IsWritable,
			}
		}
	}
	out := make([]solana.Instruction, len(wanted))
	for n, i := range wanted {
		data, err := i.Data()
		if err != nil {
			return nil, fmt.Errorf("ledger: encoding instruction %d: %w", n, err)
		}
		metas := make(solana.AccountMetaSlice, len(i.Accounts()))
		for k, a := range i.Accounts() {
			m := marks[a.PublicKey]
			metas[k] = &m
		}
		out[n] = solana.NewInstruction(i.ProgramID(), metas, data)
	}
	return out, nil
}

// signers is how many signatures the message wants.
func (u unsigned) signers() int { return int(u.tx.Message.Header.NumRequiredSignatures) }

func (u unsigned) size() int { return 1 + solana.SignatureLength*u.signers() + len(u.message) }

// raw is the transaction with these signatures; missing ones are zero, as a simulation takes them.
func (u unsigned) raw(signatures []solana.Signature) []byte {
	b := make([]byte, 0, u.size())
	b = append(b, byte(u.signers())) // below 128: one byte of compact-u16
	for i := range u.signers() {
		sig := solana.Signature{}
		if i < len(signatures) {
			sig = signatures[i]
		}
		b = append(b, sig[:]...)
	}
	return append(b, u.message...)
}

// signable reports which key is missing for the signatures that the message wants.
func (u unsigned) signable(keys map[solana.PublicKey]*Keypair) error {
	for _, address := range u.tx.Message.AccountKeys[:u.signers()] {
		if keys[address] == nil {
			return fmt.Errorf("ledger: the transaction has to be signed by %s, whose key is not given", address)
		}
	}
	return nil
}

// sign signs with the keys that the message wants.
func (u unsigned) sign(keys map[solana.PublicKey]*Keypair) ([]byte, solana.Signature, error) {
	if err := u.signable(keys); err != nil {
		return nil, solana.Signature{}, err
	}
	signatures := make([]solana.Signature, u.signers())
	for i, address := range u.tx.Message.AccountKeys[:u.signers()] {
		signatures[i] = keys[address].Sign(u.message)
	}
	return u.raw(signatures), signatures[0], nil
}

// writable are the accounts whose locks others may pay for, too.
func (u unsigned) writable() []solana.PublicKey {
	var all []solana.PublicKey
	for _, address := range u.tx.Message.AccountKeys {
		if u.tx.Message.IsWritableStatic(address) {
			all = append(all, address)
		}
	}
	return all
}

// fee is what the transaction costs, in lamports.
func (u unsigned) fee(b budget) uint64 {
	signatures := uint64(u.signers())
	for _, i := range u.tx.Message.Instructions {
		if int(i.ProgramIDIndex) < len(u.tx.Message.AccountKeys) && precompile(u.tx.Message.AccountKeys[i.ProgramIDIndex]) && len(i.Data) > 0 {
			signatures += uint64(i.Data[0])
		}
	}
	return signatures*lamportsPerSignature + (uint64(b.units)*b.price+999_999)/1_000_000
}
