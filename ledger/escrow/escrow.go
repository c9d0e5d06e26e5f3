// Package escrow speaks to the example of a program of somebody else (programs/oju/escrow), which
// holds money and pays it by a verdict of the court. A devnet has the program, and its demo pays.
package escrow

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// Devnet returns the address of the program on every devnet.
func Devnet() onchain.Address {
	id, err := onchain.ParseAddress("ojuescrow1111111111111111111111111111111111")
	if err != nil {
		panic(err)
	}
	return id
}

// Escrow is money that a buyer holds back until the court has decided about a subject.
type Escrow struct {
	Program, Court, Subject onchain.Address
	Buyer, Seller           onchain.Address
	Lamports                uint64
	// BackAt is the time in Unix seconds from which on the buyer may take it back, if no verdict
	// pays it.
	BackAt int64
}

// Address returns where the escrow is. Buyer, seller and subject are in it, so nobody else can take
// it first.
func (e Escrow) Address() onchain.Address {
	seeds := [][]byte{[]byte("escrow"), e.Buyer[:], e.Seller[:], e.Subject[:]}
	address, _, err := solana.FindProgramAddress(seeds, solana.PublicKey(e.Program))
	if err != nil {
		panic(fmt.Sprintf("escrow: no address for %s: %v", e.Subject, err))
	}
	return onchain.Address(address)
}

// Open builds the instruction by which the buyer pays in.
func (e Escrow) Open() onchain.Instruction {
	data := method("open_escrow")
	for _, key := range []onchain.Address{e.Court, e.Subject, e.Seller} {
		data = append(data, key[:]...)
	}
	data = binary.LittleEndian.AppendUint64(data, e.Lamports)
	data = binary.LittleEndian.AppendUint64(data, uint64(e.BackAt))
	return onchain.Instruction{Program: e.Program, Data: data, Accounts: []onchain.AccountMeta{
		{Address: e.Buyer, Signer: true, Writable: true}, {Address: e.Address(), Writable: true}, {Address: onchain.SystemProgram()},
	}}
}

// Pay builds the instruction that pays who won by the verdict in an account. Anybody may send it.
func (e Escrow) Pay(verdict, to onchain.Address) onchain.Instruction {
	return onchain.Instruction{Program: e.Program, Data: method("pay_escrow"), Accounts: []onchain.AccountMeta{
		{Address: e.Address(), Writable: true}, {Address: verdict}, {Address: to, Writable: true},
	}}
}

// TakeBack builds the instruction by which the buyer takes the money back from BackAt on. It is
// refused if there is a verdict at its address that pays the escrow.
func (e Escrow) TakeBack(verdict onchain.Address) onchain.Instruction {
	return onchain.Instruction{Program: e.Program, Data: method("take_back_escrow"), Accounts: []onchain.AccountMeta{
		{Address: e.Address(), Writable: true}, {Address: verdict}, {Address: e.Buyer, Signer: true, Writable: true},
	}}
}

func method(name string) []byte {
	sum := sha256.Sum256([]byte("global:" + name))
	return append([]byte{}, sum[:8]...)
}
