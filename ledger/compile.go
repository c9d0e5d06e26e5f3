package ledger

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// maxUnits is the most compute units that a transaction may use (Agave: MAX_COMPUTE_UNIT_LIMIT).
const maxUnits = 1_400_000

// budget is what a transaction may use and offers to pay.
type budget struct {
	units  uint32
	priced bool   // it says what it pays for a unit
	price  uint64 // micro-lamports a unit
}

// instructions are those of the compute budget program: 2 sets the limit, 3 the price. (solana-go's
// own refuse a price of 0.)
func (b budget) instructions() []onchain.Instruction {
	set := func(data []byte) onchain.Instruction {
		return onchain.Instruction{Program: onchain.Address(solana.ComputeBudget), Data: data}
	}
	all := []onchain.Instruction{set(binary.LittleEndian.AppendUint32([]byte{2}, b.units))}
	if b.priced {
		all = append(all, set(binary.LittleEndian.AppendUint64([]byte{3}, b.price)))
	}
	return all
}

// lamportsPerSignature is the base fee (Agave: DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE). The
// precompiles' signatures cost as much.
const lamportsPerSignature = 5_000

// unsigned is a transaction without signatures.
type unsigned struct {
	tx      *solana.Transaction
	message []byte
}

// compile makes the message: the budget's instructions, then the caller's.
func compile(payer onchain.Address, hash onchain.Hash, b budget, wanted []onchain.Instruction) (unsigned, error) {
	all := program.Native(marked(append(b.instructions(), wanted...), payer)...)
	tx, err := solana.NewTransaction(all, solana.Hash(hash), solana.TransactionPayer(solana.PublicKey(payer)))
	if err != nil {
		return unsigned{}, fmt.Errorf("ledger: making a transaction: %w", err)
	}
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		return unsigned{}, fmt.Errorf("ledger: encoding a transaction: %w", err)
	}
	u := unsigned{tx: tx, message: message}
	if size := u.size(); size > MaxTransaction {
		return unsigned{}, fmt.Errorf("%w: %d bytes, %d are possible; take fewer instructions, signers or accounts", errTooLarge, size, MaxTransaction)
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

// signers is how many signatures the message wants.
func (u unsigned) signers() int { return int(u.tx.Message.Header.NumRequiredSignatures) }

func (u unsigned) size() int { return 1 + len(onchain.Signature{})*u.signers() + len(u.message) }

// raw is the transaction with these signatures; missing ones are zero, as a simulation takes them.
func (u unsigned) raw(signatures []onchain.Signature) []byte {
	b := make([]byte, 0, u.size())
	b = append(b, byte(u.signers())) // below 128: one byte of compact-u16
	for i := range u.signers() {
		sig := onchain.Signature{}
		if i < len(signatures) {
			sig = signatures[i]
		}
		b = append(b, sig[:]...)
	}
	return append(b, u.message...)
}

// signable reports which key is missing for the signatures that the message wants.
func (u unsigned) signable(keys map[onchain.Address]*Keypair) error {
	for _, address := range u.tx.Message.AccountKeys[:u.signers()] {
		if keys[onchain.Address(address)] == nil {
			return fmt.Errorf("ledger: the transaction has to be signed by %s, whose key is not given", address)
		}
	}
	return nil
}

// sign signs with the keys that the message wants.
func (u unsigned) sign(keys map[onchain.Address]*Keypair) ([]byte, onchain.Signature, error) {
	if err := u.signable(keys); err != nil {
		return nil, onchain.Signature{}, err
	}
	signatures := make([]onchain.Signature, u.signers())
	for i, address := range u.tx.Message.AccountKeys[:u.signers()] {
		signatures[i] = keys[onchain.Address(address)].Sign(u.message)
	}
	return u.raw(signatures), signatures[0], nil
}

// writable are the accounts whose locks others may pay for, too.
func (u unsigned) writable() []onchain.Address {
	var all []onchain.Address
	for _, address := range u.tx.Message.AccountKeys {
		if u.tx.Message.IsWritableStatic(address) {
			all = append(all, onchain.Address(address))
		}
	}
	return all
}

// fee is what the transaction costs, in lamports.
func (u unsigned) fee(b budget) uint64 {
	signatures := uint64(u.signers())
	for _, i := range u.tx.Message.Instructions {
		if int(i.ProgramIDIndex) < len(u.tx.Message.AccountKeys) && onchain.Address(u.tx.Message.AccountKeys[i.ProgramIDIndex]) == program.Ed25519ProgramID() && len(i.Data) > 0 {
			signatures += uint64(i.Data[0])
		}
	}
	return signatures*lamportsPerSignature + (uint64(b.units)*b.price+999_999)/1_000_000
}

// leastMargin is the smallest addition to the compute units of a simulation. If 28 judges join at
// once, each simulates with a shorter Roster than its transaction will meet, and a percentage of a
// small number is not enough.
const leastMargin = 30_000

// units is the limit of compute units for a transaction that used so many in a simulation.
func (s Send) units(used uint64) uint32 {
	if used >= maxUnits {
		return maxUnits
	}
	return uint32(min(used+max(used*uint64(s.ComputeMargin)/100, leastMargin), maxUnits))
}

// price returns the offer for a compute unit, in micro-lamports. Only "auto" asks the node for
// recent fees.
func (s *Sender) price(ctx context.Context, accounts []onchain.Address) (uint64, error) {
	c := s.client
	fixed, auto, err := c.cfg.Send.priority()
	if err != nil || !auto {
		return fixed, err
	}
	var recent []struct {
		Fee uint64 `json:"prioritizationFee"`
	}
	if err := c.call(ctx, "getRecentPrioritizationFees", []any{accounts}, &recent, nil); err != nil {
		return 0, err
	}
	fees := make([]uint64, len(recent))
	for i, r := range recent {
		fees[i] = r.Fee
	}
	return min(percentile(fees, c.cfg.Send.PriorityPercentile), c.cfg.Send.PriorityCap), nil
}

// percentile is the smallest value that p percent of them do not exceed; 0 without any.
func percentile(values []uint64, p int) uint64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[max((len(values)*p+99)/100-1, 0)]
}
