package holdings

import (
	"bytes"
	"encoding/json"
	"testing"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
)

func key(t testing.TB, n byte) *transact.Keypair {
	t.Helper()
	k, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestPrivate: an item opens with its own key, at its own account, whole and unchanged. Two items
// of the same content have different keys.
func TestPrivate(t *testing.T) {
	t.Parallel()
	owner, at := key(t, 1), key(t, 9).Address()
	for _, content := range [][]byte{{}, []byte("the plan"), bytes.Repeat([]byte{7}, maxPrivate)} {
		raw, err := encrypted(owner.Address(), at, content)
		if err != nil || len(raw) != len(content)+overhead || len(raw) > program.MaxData {
			t.Fatal(len(raw), err)
		}
		k, err := keyOf(owner, at, raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := opened(at, raw, k); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := opened(owner.Address(), raw, k); err == nil {
			t.Error("it was opened at another account")
		}
		if _, err := keyOf(key(t, 2), at, raw); err == nil {
			t.Error("another key opened it")
		}
		again, err := encrypted(owner.Address(), at, content)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := keyOf(owner, at, again); err != nil || other == k {
			t.Error("two items have one key", err)
		}
		for _, n := range []int{len(privateMark), privateHead - 1, len(raw) - 1} {
			changed := bytes.Clone(raw)
			changed[n] ^= 1
			changedKey, err := keyOf(owner, at, changed)
			if err == nil {
				_, err = opened(at, changed, changedKey)
			}
			if err == nil {
				t.Errorf("byte %d was changed", n)
			}
		}
	}
	if _, err := encrypted(owner.Address(), at, make([]byte, maxPrivate+1)); err == nil {
		t.Error("too long content was taken")
	}
	if _, err := keyOf(owner, at, []byte(privateMark)); err == nil {
		t.Error("a mark without an item was opened")
	}
}

// TestAttackForeignBox: somebody that may write one item of an agent puts the head of another one
// there, or a box that the agent got elsewhere, to be handed the key in it. No key comes out.
func TestAttackForeignBox(t *testing.T) {
	t.Parallel()
	owner, plan, prices := key(t, 1), key(t, 8).Address(), key(t, 9).Address()
	secret, err := encrypted(owner.Address(), plan, []byte("the secret plan"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keyOf(owner, plan, secret); err != nil {
		t.Fatal(err)
	}
	if _, err := keyOf(owner, prices, secret); err == nil {
		t.Error("the key of another account was taken out")
	}
	bare, err := transact.SealBox(owner.Address(), make([]byte, keySize)) // as in a receipt
	if err != nil {
		t.Fatal(err)
	}
	lifted := append(append([]byte(privateMark), bare...), secret[len(privateMark)+len(bare):]...)
	if _, err := keyOf(owner, prices, lifted); err == nil {
		t.Error("the key in the box of a receipt was taken out")
	}
}

// TestReceipt: a receipt verifies with both signatures and for its item alone.
func TestReceipt(t *testing.T) {
	t.Parallel()
	owner, asker, at := key(t, 1), key(t, 2), key(t, 9).Address()
	raw, err := encrypted(owner.Address(), at, []byte("the plan"))
	if err != nil {
		t.Fatal(err)
	}
	i := item(at, &program.AgentData{Authority: owner.Address(), Name: "plan", Content: raw})
	q, err := KeyRequest{Data: i.Data, Content: i.Hash, Asker: casefile.Address(asker.Address()), From: "a", To: "b"}.signed(asker)
	if err != nil {
		t.Fatal(err)
	}
	k, err := keyOf(owner, at, raw)
	if err != nil {
		t.Fatal(err)
	}
	box, err := transact.SealBox(asker.Address(), k[:])
	if err != nil {
		t.Fatal(err)
	}
	r, err := Receipt{Request: q, Owner: i.Owner, Box: box, At: 7}.signed(owner)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = ParseReceipt(text); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Open(i, asker); err != nil || string(got) != "the plan" {
		t.Errorf("%q, %v", got, err)
	}
	for name, change := range map[string]func(*Receipt){
		"time":  func(r *Receipt) { r.At++ },
		"box":   func(r *Receipt) { r.Box = append(bytes.Clone(r.Box), 0) },
		"owner": func(r *Receipt) { r.Owner[0]++ },
		"asker": func(r *Receipt) { r.Request.Asker[0]++ },
		"task":  func(r *Receipt) { r.Request.Task[0]++ },
		"sig":   func(r *Receipt) { r.Request.Signature[0]++ },
	} {
		c := r
		if change(&c); c.Verify() == nil {
			t.Errorf("the %s was changed", name)
		}
	}
	if _, err := r.Open(i, owner); err == nil {
		t.Error("another agent opened it")
	}
	other := *i
	other.Hash[0]++
	if _, err := r.Open(&other, asker); err == nil {
		t.Error("it opened data that was changed")
	}
	if _, err := ParseReceipt(bytes.Repeat([]byte(" "), maxMessage+1)); err == nil {
		t.Error("a long receipt was read")
	}
	if _, err := ParseReceipt([]byte(`{"at":1,"more":2}`)); err == nil {
		t.Error("an unknown field was read")
	}
}

// FuzzReceipt reads receipts of strangers. None verifies.
func FuzzReceipt(f *testing.F) {
	f.Add([]byte(`{"request":{"from":"a"},"box":"AA==","at":1}`))
	f.Add([]byte(`{"request":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseReceipt(raw)
		if err == nil && r.Verify() == nil {
			t.Errorf("%q verifies", raw)
		}
		if _, err := keyOf(key(t, 1), onchain.Address{}, raw); err == nil {
			t.Errorf("%q opens", raw)
		}
		if _, err := opened(onchain.Address{}, raw, itemKey{}); err == nil {
			t.Errorf("%q opens without a key", raw)
		}
	})
}
