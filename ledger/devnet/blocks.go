package devnet

import (
	"errors"
	"slices"

	"ojud/ledger/devnet/bank"
)

// maxBlockRange bounds getBlocks (Agave's MAX_GET_CONFIRMED_BLOCKS_RANGE).
const maxBlockRange = 500_000

// historyMethods are the methods about blocks and transactions of the past.
type historyMethods struct{ *chain }

// blockError translates an error of the bank about a block.
func (s historyMethods) blockError(slot uint64, err error) error {
	switch {
	case errors.Is(err, bank.ErrPruned):
		return blockCleanedUp(slot, s.bank.FirstBlock())
	case errors.Is(err, bank.ErrNoBlock):
		var tip uint64
		s.bank.Read(bank.Confirmed, func(v *bank.View) { tip = v.Slot() })
		if slot < tip {
			return slotSkipped(slot)
		}
		return blockNotAvailable(slot)
	}
	return err
}

func (s historyMethods) getBlock(p *params) (any, error) {
	slot, c := p.u64(0), readBlockConfig(p)
	want := p.atLeastConfirmed(c.Commitment)
	if p.err != nil {
		return nil, p.err
	}
	details := c.details()
	block, list, level, err := s.bank.Block(slot, details != "none")
	if err != nil {
		return nil, s.blockError(slot, err)
	}
	if level < want {
		return nil, blockNotAvailable(slot)
	}
	return s.encodeBlock(block, list, details, c)
}

// blockConfig is the configuration of getBlock.
type blockConfig struct {
	contextConfig
	transactionConfig
	Details *string `json:"transactionDetails"`
	Rewards *bool   `json:"rewards"`
}

func (c blockConfig) details() string {
	if c.Details == nil {
		return "full"
	}
	return *c.Details
}

// readBlockConfig reads the object, or the older form, which is the encoding alone.
func readBlockConfig(p *params) (c blockConfig) {
	if p.has(1) && p.list[1][0] == '"' {
		p.read(1, &c.Encoding, "enum UiTransactionEncoding")
		return c
	}
	p.optional(1, &c, "struct RpcBlockConfig")
	if !slices.Contains([]string{"full", "signatures", "none", "accounts"}, c.details()) {
		p.fail(invalidParams("Invalid params: unknown variant `%s`, expected one of `full`, `signatures`, `none`, `accounts`.",
			c.details()))
	}
	return c
}

func (s historyMethods) encodeBlock(b *bank.Block, list []*bank.Transaction, details string, c blockConfig) (any, error) {
	out := map[string]any{
		"blockhash": b.Blockhash.String(), "parentSlot": b.Parent, "blockHeight": b.Height, "blockTime": b.Time,
		"previousBlockhash": "11111111111111111111111111111111",
	}
	if parent, ok := s.bank.Parent(b); ok {
		out["previousBlockhash"] = parent.Blockhash.String()
	}
	if c.Rewards == nil || *c.Rewards {
		out["rewards"] = s.rewards(b)
	}
	switch details {
	case "signatures":
		signatures := make([]string, len(list))
		for i, t := range list {
			signatures[i] = t.Signature().String()
		}
		out["signatures"] = signatures
	case "full", "accounts":
		transactions := make([]*uiTransaction, len(list))
		for i, t := range list {
			var err error
			if transactions[i], err = encodeTransaction(t, c.transactionConfig, details == "accounts"); err != nil {
				return nil, err
			}
		}
		out["transactions"] = transactions
	}
	return out, nil
}

// rewards returns the fees, which go to the identity.
func (s historyMethods) rewards(b *bank.Block) []map[string]any {
	if b.Fees == 0 {
		return []map[string]any{}
	}
	return []map[string]any{{
		"pubkey": s.bank.Identity().String(), "lamports": b.Fees, "postBalance": b.IdentityBalance,
		"rewardType": "Fee", "commission": nil,
	}}
}

func (s historyMethods) getBlockTime(p *params) (any, error) {
	slot := p.u64(0)
	if slot == 0 {
		return s.bank.GenesisTime(), nil
	}
	if block, _, _, err := s.bank.Block(slot, false); err == nil {
		return block.Time, nil
	} else if !errors.Is(err, bank.ErrNoBlock) {
		return nil, s.blockError(slot, err)
	}
	var open bool
	var at int64
	s.bank.Read(bank.Processed, func(v *bank.View) { open, at = v.Slot() == slot, v.Time() })
	if open {
		return at, nil
	}
	return nil, s.blockError(slot, bank.ErrNoBlock)
}

func (s historyMethods) getBlocks(p *params) (any, error) {
	from := p.u64(0)
	var c contextConfig
	last := from + min(maxBlockRange, ^uint64(0)-from)
	if p.has(1) && p.list[1][0] != '{' {
		p.read(1, &last, "u64")
	} else {
		c = p.context(1)
	}
	p.optional(2, &c, "struct RpcContextConfig")
	last = min(last, s.tip(p, c))
	if last >= from && last-from > maxBlockRange {
		p.fail(invalidParams("Slot range too large; max %d", maxBlockRange))
	}
	return s.slots(from, last, maxBlockRange), nil
}

func (s historyMethods) getBlocksWithLimit(p *params) (any, error) {
	from, limit := p.u64(0), p.u64(1)
	c := p.context(2)
	if limit > maxBlockRange {
		p.fail(invalidParams("Limit too large; max %d", maxBlockRange))
	}
	return s.slots(from, s.tip(p, c), int(min(limit, maxBlockRange))), nil
}

// tip returns the newest slot with history at a level.
func (s historyMethods) tip(p *params, c contextConfig) (slot uint64) {
	p.atLeastConfirmed(c.Commitment)
	p.fail(s.read(c, func(v *bank.View) error { slot = v.Slot(); return nil }))
	return slot
}

// slots lists at most limit slots with a block, between two slots.
func (s historyMethods) slots(from, last uint64, limit int) []uint64 {
	out := []uint64{}
	for _, b := range s.bank.Blocks(from, limit) {
		if b.Slot <= last {
			out = append(out, b.Slot)
		}
	}
	return out
}

func (s historyMethods) getFirstAvailableBlock(*params) (any, error) { return s.bank.FirstBlock(), nil }
