package program

import (
	"crypto/ed25519"
	"errors"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/voting"
)

func TestVoucherIsThePayersAlone(t *testing.T) {
	v := sampleVoucher()
	signature := voucherSignature(t, v)
	if err := v.Verify(signature); err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(*Voucher){
		"network":    func(v *Voucher) { v.Domain.Network = sum("another network") },
		"program":    func(v *Voucher) { v.Domain.Program = voting.Key(pub("another program")) },
		"payer":      func(v *Voucher) { v.Payer = pub("another") },
		"payee":      func(v *Voucher) { v.Payee = pub("another") },
		"both ways":  func(v *Voucher) { v.Payer, v.Payee = v.Payee, v.Payer },
		"cumulative": func(v *Voucher) { v.Cumulative++ },
		"expires":    func(v *Voucher) { v.Expires++ },
	}
	for name, change := range changes {
		other := v
		change(&other)
		if err := other.Verify(signature); !errors.Is(err, errVoucher) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range signature {
		bad := signature
		bad[i] ^= 1
		if err := v.Verify(bad); !errors.Is(err, errVoucher) {
			t.Fatalf("byte %d of the signature: %v", i, err)
		}
	}
}

// A voucher that the program would refuse in any state of the chain is neither signed nor taken.
func TestVoucherThatCanNeverBePulled(t *testing.T) {
	same, nothing := sampleVoucher(), sampleVoucher()
	same.Payee = same.Payer
	nothing.Cumulative = 0
	for name, v := range map[string]Voucher{"to itself": same, "of nothing": nothing} {
		if _, err := v.Sign(payerKey()); !errors.Is(err, errVoucher) {
			t.Errorf("%s is signed: %v", name, err)
		}
		good := voting.Signature(ed25519.Sign(node("payer"), v.Statement()))
		if err := v.Verify(good); !errors.Is(err, errVoucher) {
			t.Errorf("%s is taken: %v", name, err)
		}
	}
	for name, key := range map[string]ed25519.PrivateKey{"another": node("x"), "no": nil, "a short": make(ed25519.PrivateKey, 32)} {
		if _, err := sampleVoucher().Sign(key); !errors.Is(err, errVoucher) {
			t.Errorf("%s key signs: %v", name, err)
		}
	}
}

// A key of small order makes signatures that ed25519.Verify takes for any message and that Solana's
// program refuses.
func TestVoucherOfASmallOrderKey(t *testing.T) {
	v := sampleVoucher()
	v.Payer = onchain.Address{1} // the identity
	signature := voting.Signature{1}
	if !ed25519.Verify(v.Payer[:], v.Statement(), signature[:]) {
		t.Fatal("the standard library has become strict: this test shows nothing any more")
	}
	if err := v.Verify(signature); !errors.Is(err, errVoucher) {
		t.Errorf("taken: %v", err)
	}
}

// A Solana message begins with its number of signers, or, from version 0 on, with a set high bit.
// 111 signers, which an 'o' would be, need 3,552 bytes of keys.
func TestVoucherIsNoTransaction(t *testing.T) {
	statement := sampleVoucher().Statement()
	if statement[0] >= 0x80 || int(statement[0])*32 <= 1_232 || len(statement) != 154 {
		t.Errorf("a statement of %d bytes that begins with %#x", len(statement), statement[0])
	}
	signed := append(append([]byte{1}, make([]byte, 64)...), statement...)
	if _, err := solana.TransactionFromBytes(signed); err == nil {
		t.Error("the statement is read as a transaction's message")
	}
}

func TestPullRefusesWhatProvesNothing(t *testing.T) {
	p, v := sampleProgram(), sampleVoucher()
	signature := voucherSignature(t, v)
	forged := signature
	forged[0] ^= 1
	if _, err := p.PullPayment(v.Payee, v, forged); !errors.Is(err, errVoucher) {
		t.Errorf("a forged voucher is taken: %v", err)
	}
	if _, err := New(pub("another program")).PullPayment(v.Payee, v, signature); !errors.Is(err, errVoucher) {
		t.Errorf("a voucher of another program is taken: %v", err)
	}
	list, err := p.PullPayment(v.Payee, v, signature)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := decodeEd25519(data(t, list[0]))
	if err != nil || len(signed) != 1 || signed[0].Peer != voting.Key(v.Payer) || string(signed[0].Message) != string(v.Statement()) {
		t.Errorf("%v %v", signed, err)
	}
	want := []onchain.Address{v.Payee, p.Config(), p.Agent(v.Payer), p.Agent(v.Payee), p.Channel(v.Payer, v.Payee),
		onchain.InstructionsAccount(), onchain.SystemProgram()}
	for i, m := range list[1].Accounts {
		if m.Address != want[i] {
			t.Errorf("account %d is %s, not %s", i, m.Address, want[i])
		}
	}
}
