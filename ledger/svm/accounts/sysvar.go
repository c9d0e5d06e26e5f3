package accounts

import (
	"encoding/binary"
	"math"

	"github.com/gagliardetto/solana-go"
)

const (
	// MaxSlotHashes bounds the entries of the SlotHashes sysvar.
	MaxSlotHashes  = 512
	slotHashesSize = 8 + MaxSlotHashes*40

	// stakeHistorySize is the size of the stake history sysvar, which is empty here.
	stakeHistorySize = 8 + 512*32
)

// Sysvar returns the account data of a sysvar in the cache, or nil for any other address.
func (e *Environment) Sysvar(key solana.PublicKey) []byte {
	switch key {
	case clockID:
		return e.Clock.Encode()
	case RentID:
		return e.Rent.Encode()
	case epochScheduleID:
		return e.EpochSchedule.Encode(1)
	case slotHashesID:
		return e.encodeSlotHashes()
	case lastRestartSlotID:
		return words(e.LastRestartSlot)
	case epochRewardsID:
		return make([]byte, 81)
	case stakeHistoryID:
		return make([]byte, stakeHistorySize)
	}
	return nil
}

func words(values ...uint64) []byte {
	out := make([]byte, 0, 8*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// Encode returns the sysvar's bytes.
func (c Clock) Encode() []byte {
	return words(c.Slot, uint64(c.EpochStartTimestamp), c.Epoch, c.LeaderScheduleEpoch, uint64(c.UnixTimestamp))
}

// Encode returns the sysvar's bytes.
func (r Rent) Encode() []byte {
	return append(words(r.LamportsPerByte, math.Float64bits(r.ExemptionThreshold)), r.BurnPercent)
}

// Encode writes the schedule. Its boolean takes 1 byte in the account and 8 in memory.
func (s EpochSchedule) Encode(boolean int) []byte {
	out := words(s.SlotsPerEpoch, s.LeaderScheduleSlotOffset)
	flag := make([]byte, boolean)
	if s.Warmup {
		flag[0] = 1
	}
	return append(append(out, flag...), words(s.FirstNormalEpoch, s.FirstNormalSlot)...)
}

func (e *Environment) encodeSlotHashes() []byte {
	out := make([]byte, 0, slotHashesSize)
	hashes := e.SlotHashes[:min(len(e.SlotHashes), MaxSlotHashes)]
	out = append(out, words(uint64(len(hashes)))...)
	for _, h := range hashes {
		out = binary.LittleEndian.AppendUint64(out, h.Slot)
		out = append(out, h.Hash[:]...)
	}
	return out[:slotHashesSize]
}

// recentBlockhashesData returns the deprecated sysvar with only the newest blockhash.
func (e *Environment) recentBlockhashesData() []byte {
	out := append(words(1), e.Blockhash[:]...)
	return append(out, words(e.LamportsPerSignature)...)
}

// Sysvars returns the sysvars of the environment as accounts, rent exempt as on a cluster.
// The instructions sysvar is missing, because the runtime makes it for each transaction.
func Sysvars(e *Environment) []Keyed {
	keys := []solana.PublicKey{
		clockID, RentID, epochScheduleID, slotHashesID, lastRestartSlotID, epochRewardsID, stakeHistoryID,
	}
	out := make([]Keyed, 0, len(keys)+1)
	for _, key := range keys {
		out = append(out, e.sysvarAccount(key, e.Sysvar(key)))
	}
	return append(out, e.sysvarAccount(RecentBlockhashesID, e.recentBlockhashesData()))
}

func (e *Environment) sysvarAccount(key solana.PublicKey, data []byte) Keyed {
	lamports := max(1, e.Rent.MinimumBalance(len(data)))
	return Keyed{key, Account{Lamports: lamports, Data: data, Owner: SysvarID}}
}
