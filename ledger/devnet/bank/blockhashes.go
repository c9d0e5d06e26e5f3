package bank

import (
	"crypto/sha256"

	"github.com/gagliardetto/solana-go"
)

// blockhashes finds recent blocks by hash, with the messages that were processed under each: the
// blockhash queue and the status cache. It keeps statusBlocks of them; the newest MaxBlockhashAge
// are valid.
type blockhashes struct {
	heights map[solana.Hash]uint64
	order   []solana.Hash // ascending height
	done    map[solana.Hash]map[[sha256.Size]byte]uint64
}

func newBlockhashes() *blockhashes {
	return &blockhashes{map[solana.Hash]uint64{}, nil, map[solana.Hash]map[[sha256.Size]byte]uint64{}}
}

// push adds the hash of the next block, which has that height.
func (q *blockhashes) push(hash solana.Hash, height uint64) {
	q.heights[hash] = height
	q.order = append(q.order, hash)
	for len(q.order) > statusBlocks {
		delete(q.heights, q.order[0])
		delete(q.done, q.order[0])
		q.order = q.order[1:]
	}
}

// lastValid returns the last block height at which a transaction with this blockhash can land, and
// false if the hash is unknown. Agave names one block more for the processed commitment than for
// the others. Here the number is the same for all: above that height the transaction cannot land.
func (q *blockhashes) lastValid(hash solana.Hash) (uint64, bool) {
	height, ok := q.heights[hash]
	return height + MaxBlockhashAge, ok
}

// validAt reports whether a block at that height takes transactions with this blockhash.
func (q *blockhashes) validAt(hash solana.Hash, height uint64) bool {
	own, ok := q.heights[hash]
	return ok && own <= height && height-own <= MaxBlockhashAge
}

// mark records that a message was processed in a slot. A hash that is not in the queue belongs to a
// durable nonce. It changed with the transaction, so the same message cannot come again.
func (q *blockhashes) mark(hash solana.Hash, message [sha256.Size]byte, slot uint64) {
	if _, ok := q.heights[hash]; !ok {
		return
	}
	if q.done[hash] == nil {
		q.done[hash] = map[[sha256.Size]byte]uint64{}
	}
	q.done[hash][message] = slot
}

// processed reports whether a message was processed in that slot or an earlier one.
func (q *blockhashes) processed(hash solana.Hash, message [sha256.Size]byte, slot uint64) bool {
	at, ok := q.done[hash][message]
	return ok && at <= slot
}
