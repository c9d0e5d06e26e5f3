package batches

import (
	"fmt"

	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// Costs are what a batch moves, in lamports, if its cases have whole panels: with fewer seats they
// are smaller. Fees of transactions are not among them.
type Costs struct {
	// Deposit comes back when the batch is closed, if all leaves were open in time and in balance.
	Deposit client.Lamports `json:"deposit"`
	// Vaults is what rewards and bonds hold in the vaults of creators and workers, if all cases ran
	// at once. It comes back to one of them, less Bonds and Trade.
	Vaults client.Lamports `json:"vaults"`
	// Largest is what the largest case holds.
	Largest client.Lamports `json:"largest"`
	// Bonds pay the judges: those of the losing side, which never come back.
	Bonds client.Lamports `json:"bonds"`
	// Trade is the Pot's share of the rewards that are paid.
	Trade client.Lamports `json:"trade"`
	// Fees are what the proctor earns if all leaves are applied, as far as the Pot lasts.
	Fees client.Lamports `json:"fees"`
}

// costs computes what the batch moves by the rules, if the court finds the truth.
func (l *Life) costs(p program.Params) (c Costs, err error) {
	law := p.Law()
	sum := func(to *client.Lamports, n uint64, failed error) {
		if err == nil {
			err = failed
		}
		*to += client.Lamports(n)
	}
	const _ = uint(3 - voting.Choices) // an answer is a side
	for _, leaf := range l.leaves {
		deposit, failed := law.Deposit(1, leaf.Reward)
		sum(&c.Deposit, deposit, failed)
		creator, worker, failed := law.Bonds(leaf.Reward, p.PanelSeats)
		sum(&c.Bonds, map[voting.Choice]uint64{voting.Accept: creator, voting.Reject: worker}[leaf.Answer], failed)
		claim, failed := law.Claim(leaf.Reward)
		held := client.Lamports(leaf.Reward + creator + worker + claim)
		sum(&c.Vaults, uint64(held), failed)
		c.Largest = max(c.Largest, held)
		if leaf.Answer == voting.Accept {
			c.Trade += client.Lamports(leaf.Reward * uint64(p.TradeBps) / 10_000)
		}
		c.Fees += client.Lamports(p.LeafFee)
	}
	if err != nil {
		return Costs{}, fmt.Errorf("batches: the costs of the batch: %w", err)
	}
	least, err := law.Deposit(uint64(len(l.leaves)), 0)
	c.Deposit = max(c.Deposit, client.Lamports(least))
	return c, err
}
