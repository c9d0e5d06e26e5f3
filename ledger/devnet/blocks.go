package devnet

import (
	"context"
	"errors"

	"ojud/ledger/devnet/bank"
)

// maxBlockRange bounds getBlocks (Agave's MAX_GET_CONFIRMED_BLOCKS_RANGE).
const maxBlockRange = 500_000

// newest returns at most n of the newest sealed blocks, oldest first.
func (s *Server) newest(n int) []*bank.Block {
	blocks := s.bank.Blocks(0, s.config.Chain.KeepBlocks)
	return blocks[max(0, len(blocks)-n):]
}

// blockError translates an error of the bank about a block.
func (s *Server) blockError(slot uint64, err error) error {
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

func (s *Server) getBlock(_ context.Context, p params) (any, error) {
	slot, err := p.u64(0)
	if err != nil {
		return nil, err
	}
	c, err := readBlockConfig(p)
	if err != nil {
		return nil, err
	}
	want, err := c.Commitment.atLeastConfirmed()
	if err != nil {
		return nil, err
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
func readBlockConfig(p params) (c blockConfig, err error) {
	if p.has(1) && p[1][0] == '"' {
		return c, p.read(1, &c.Encoding, "enum UiTransactionEncoding")
	}
	if err := p.optional(1, &c, "struct RpcBlockConfig"); err != nil {
		return c, err
	}
	switch c.details() {
	case "full", "signatures", "none", "accounts":
		return c, nil
	}
	return c, invalidParams("Invalid params: unknown variant `%s`, expected one of `full`, `signatures`, `none`, `accounts`.",
		c.details())
}

func (s *Server) encodeBlock(b *bank.Block, list []*bank.Transaction, details string, c blockConfig) (any, error) {
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
func (s *Server) rewards(b *bank.Block) []map[string]any {
	if b.Fees == 0 {
		return []map[string]any{}
	}
	return []map[string]any{{
		"pubkey": s.bank.Identity().String(), "lamports": b.Fees, "postBalance": b.IdentityBalance,
		"rewardType": "Fee", "commission": nil,
	}}
}

func (s *Server) getBlockTime(_ context.Context, p params) (any, error) {
	slot, err := p.u64(0)
	if err != nil {
		return nil, err
	}
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

func (s *Server) getBlocks(_ context.Context, p params) (any, error) {
	from, err := p.u64(0)
	if err != nil {
		return nil, err
	}
	var c contextConfig
	last := from + min(maxBlockRange, ^uint64(0)-from)
	if p.has(1) && p[1][0] != '{' {
		if err := p.read(1, &last, "u64"); err != nil {
			return nil, err
		}
	} else if err := p.optional(1, &c, "struct RpcContextConfig"); err != nil {
		return nil, err
	}
	if err := p.optional(2, &c, "struct RpcContextConfig"); err != nil {
		return nil, err
	}
	tip, err := s.tip(c)
	if err != nil {
		return nil, err
	}
	last = min(last, tip)
	if last >= from && last-from > maxBlockRange {
		return nil, invalidParams("Slot range too large; max %d", maxBlockRange)
	}
	return s.slots(from, last, maxBlockRange), nil
}

func (s *Server) getBlocksWithLimit(_ context.Context, p params) (any, error) {
	from, err := p.u64(0)
	if err != nil {
		return nil, err
	}
	limit, err := p.u64(1)
	if err != nil {
		return nil, err
	}
	var c contextConfig
	if err := p.optional(2, &c, "struct RpcContextConfig"); err != nil {
		return nil, err
	}
	if limit > maxBlockRange {
		return nil, invalidParams("Limit too large; max %d", maxBlockRange)
	}
	tip, err := s.tip(c)
	if err != nil {
		return nil, err
	}
	return s.slots(from, tip, int(limit)), nil
}

// tip returns the newest slot with history at a level.
func (s *Server) tip(c contextConfig) (slot uint64, err error) {
	if _, err := c.Commitment.atLeastConfirmed(); err != nil {
		return 0, err
	}
	err = s.read(c, func(v *bank.View) error { slot = v.Slot(); return nil })
	return slot, err
}

// slots lists at most limit slots with a block, between two slots.
func (s *Server) slots(from, last uint64, limit int) []uint64 {
	out := []uint64{}
	for _, b := range s.bank.Blocks(from, limit) {
		if b.Slot <= last {
			out = append(out, b.Slot)
		}
	}
	return out
}

func (s *Server) getFirstAvailableBlock(context.Context, params) (any, error) {
	return s.bank.FirstBlock(), nil
}
