package program

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// errVoucher is returned for a voucher that the program would refuse at any time and in any state
// of the chain.
var errVoucher = errors.New("program: bad voucher")

const (
	tagPay = "oju:pay:v1"

	// VoucherSize is the size in bytes of a voucher's statement.
	VoucherSize = len(tagPay) + 4*32 + 8 + 8
)

// Voucher is the promise of an agent to pay another for data (protocol section 3): until it
// expires, the payee may pull from the payer's vault until Cumulative is paid. It is raised answer
// by answer.
//
// A payer counts on from the amounts that were pulled or can still be pulled: Cumulative is the
// price of the new answer more than the higher of Channel.Paid and the highest Cumulative that it
// signed and that has not expired. Counting on from vouchers that expired would make good what they
// no longer are.
//
// A payee that was given a voucher checks, besides Verify: that Payer and Payee are those of the
// deal, that Cumulative is high enough above Channel.Paid, that the payer's vault holds it (nothing
// is set aside for a voucher: the payer may spend or withdraw it), and that enough time is left
// before Expires by the chain's clock.
type Voucher struct {
	Domain     voting.Domain   // the network and the program
	Payer      onchain.Address // authority of the agent that pays; its key signs
	Payee      onchain.Address // authority of the agent that is paid
	Cumulative uint64          // lamports, of all pulls between the two together, those of earlier vouchers included
	Expires    int64           // Unix seconds by the chain's clock: from then on it cannot be pulled
}

// Statement returns the bytes that the payer signs. They begin with an ASCII letter, which in a
// Solana transaction would be a number of signers that none has room for. So these bytes are never
// a transaction, and no transaction is a voucher.
func (v Voucher) Statement() []byte {
	b := make([]byte, 0, VoucherSize)
	b = append(b, tagPay...)
	b = append(b, v.Domain.Network[:]...)
	b = append(b, v.Domain.Program[:]...)
	b = append(b, v.Payer[:]...)
	b = append(b, v.Payee[:]...)
	b = binary.LittleEndian.AppendUint64(b, v.Cumulative)
	return binary.LittleEndian.AppendUint64(b, uint64(v.Expires))
}

// Sign signs the voucher with the payer's key. It returns ErrVoucher if the key belongs to another
// account or nothing could ever be pulled.
func (v Voucher) Sign(payer ed25519.PrivateKey) (voting.Signature, error) {
	if err := v.check(); err != nil {
		return voting.Signature{}, err
	}
	if len(payer) != ed25519.PrivateKeySize {
		return voting.Signature{}, fmt.Errorf("%w: the payer's key has %d bytes, not %d", errVoucher, len(payer), ed25519.PrivateKeySize)
	}
	if self := onchain.Address(payer.Public().(ed25519.PublicKey)); self != v.Payer {
		return voting.Signature{}, fmt.Errorf("%w: the key is that of %s, not of the payer %s", errVoucher, self, v.Payer)
	}
	return voting.Signature(ed25519.Sign(payer, v.Statement())), nil
}

// Verify checks the payer's signature as strictly as Solana's Ed25519 program does; ErrVoucher if
// it is bad or nothing could ever be pulled. Time, vault and channel are the caller's to check.
func (v Voucher) Verify(signature voting.Signature) error {
	if err := v.check(); err != nil {
		return err
	}
	if !voting.VerifyStrict(voting.Key(v.Payer), v.Statement(), signature) {
		return fmt.Errorf("%w: the signature is not that of the payer %s", errVoucher, v.Payer)
	}
	return nil
}

func (v Voucher) check() error {
	switch {
	case v.Payer == v.Payee:
		return fmt.Errorf("%w: payer and payee are both %s", errVoucher, v.Payer)
	case v.Cumulative == 0:
		return fmt.Errorf("%w: it promises 0 lamports", errVoucher)
	}
	return nil
}
