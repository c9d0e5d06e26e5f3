package bank

import (
	"encoding/binary"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// recentBlockhashesSize is the data length of the RecentBlockhashes sysvar: 150 entries of hash and
// fee.
const recentBlockhashesSize = 8 + MaxBlockhashAge*40

// environment returns the environment of a slot's transactions, besides accounts.
func (b *state) environment(l *layer, epochStart int64) *accounts.Environment {
	e := accounts.DefaultEnvironment()
	epoch := l.slot / slotsPerEpoch
	e.EpochSchedule = accounts.EpochSchedule{SlotsPerEpoch: slotsPerEpoch, LeaderScheduleSlotOffset: slotsPerEpoch}
	e.Clock = accounts.Clock{
		Slot: l.slot, Epoch: epoch, LeaderScheduleEpoch: epoch + 1,
		EpochStartTimestamp: epochStart, UnixTimestamp: l.time,
	}
	e.Features = b.features
	e.Blockhash = l.blockhash
	e.SlotHashes = b.slotHashes(l.slot)
	e.BlockhashValid = func(hash solana.Hash) bool { return b.hashes.validAt(hash, l.height) }
	return e
}

// epochStart returns the time of the first block in the epoch of a slot after this one.
func (l *layer) epochStart(epoch uint64, now int64) int64 {
	if l.env.Clock.Epoch == epoch {
		return l.env.Clock.EpochStartTimestamp
	}
	return now
}

// slotHashes returns the newest blocks before a slot, newest first.
func (b *state) slotHashes(slot uint64) []accounts.SlotHash {
	blocks := b.history.blocks[:b.history.from(slot)]
	out := make([]accounts.SlotHash, 0, accounts.MaxSlotHashes)
	for i := len(blocks) - 1; i >= 0 && len(out) < accounts.MaxSlotHashes; i-- {
		out = append(out, accounts.SlotHash{Slot: blocks[i].Slot, Hash: blocks[i].Hash})
	}
	return out
}

// sysvars returns the sysvar accounts of a slot. RecentBlockhashes has all valid blockhashes, as on
// a cluster; svm fills in only the newest.
func (b *state) sysvars(e *accounts.Environment) []accounts.Keyed {
	list := accounts.Sysvars(e)
	for i := range list {
		a := &list[i].Account
		if list[i].Key == solana.SysVarRecentBlockHashesPubkey {
			a.Data = b.recentBlockhashes(e.LamportsPerSignature)
			a.Lamports = e.Rent.MinimumBalance(len(a.Data))
		}
		a.RentEpoch = accounts.RentExempt
	}
	return list
}

// recentBlockhashes encodes the valid blockhashes, newest first, each with the fee of a signature.
func (b *state) recentBlockhashes(fee uint64) []byte {
	order := b.hashes.order
	order = order[max(0, len(order)-MaxBlockhashAge):]
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, recentBlockhashesSize), uint64(len(order)))
	for i := len(order) - 1; i >= 0; i-- {
		out = append(out, order[i][:]...)
		out = binary.LittleEndian.AppendUint64(out, fee)
	}
	return out[:recentBlockhashesSize]
}
