package program

import "github.com/gagliardetto/solana-go"

// ChannelSize is the size in bytes of a Channel account.
const ChannelSize = 88

// Channel is what one agent has paid another for data. The first pull makes it, at the signer's cost, and nothing ever closes it:
// vouchers say how much was promised in all, so that a channel that began again at 0 would pay old ones once more.
type Channel struct {
	Bump  uint8
	Payer solana.PublicKey // authority of the agent that pays
	Payee solana.PublicKey // authority of the agent that is paid
	Paid  uint64           // lamports pulled so far, of all vouchers together; it never falls
}

// AccountName returns "Channel".
func (*Channel) AccountName() string { return "Channel" }

// Encode returns the account's bytes.
func (c *Channel) Encode() []byte { return encode(c) }

// DecodeChannel decodes a Channel account; ErrAccount if the bytes are none.
func DecodeChannel(data []byte) (*Channel, error) { return decodeAs[Channel](data) }

func (c *Channel) walk(w *walk) {
	w.head("Channel", &c.Bump)
	key(w.at(16), "payer", &c.Payer)
	key(w.at(48), "payee", &c.Payee)
	u64(w.at(80), "paid", &c.Paid)
	w.at(ChannelSize)
}
