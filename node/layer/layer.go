// Package layer is the seam between a node and the chain under it. Chain says what a node needs of
// any layer where accounts exist: it reads accounts, tells the time, takes transactions, and shows
// what changed. All its types are plain. RPC is the implementation for a Solana RPC node. The tests
// have another one in memory, and the rules that every implementation must keep.
package layer

import (
	"context"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/voting"
)

// Chain is the chain of a court. Methods may be called from several goroutines. An error that a
// later call may not meet is ErrUnavailable, ErrRateLimited, ErrStale or ErrAnswer of package
// ledger; the node tries again after these.
type Chain interface {
	// Program names the court's program on this chain.
	Program() program.Program
	// CheckChain returns nil if this is the chain with that genesis hash, and the program is there
	// and initialised. Else it is ErrOtherChain, ErrNoProgram, ErrNotExecutable or ErrNoConfig.
	CheckChain(ctx context.Context, genesis onchain.Hash) error
	// CheckLists returns nil if the chain lists all cases, so that none is missed.
	CheckLists(ctx context.Context) error

	// Accounts reads 1 to 100 accounts of one slot, in the order of the addresses. A nil stands for
	// one that does not exist. A later read is never of an earlier slot.
	Accounts(ctx context.Context, addresses ...onchain.Address) (all []*ledger.Account, slot uint64, err error)
	// Heads lists the program's accounts of one type, as "Task", and one status. Their data are the
	// length bytes from offset on. Such lists may be refused, and are for what comes rarely.
	Heads(ctx context.Context, account string, having ledger.Filter, offset, length int) ([]*ledger.Account, error)
	// RentMinimum returns the lamports that an account of that size must hold.
	RentMinimum(ctx context.Context, size int) (lamports uint64, err error)
	// History returns the final events of a task and its case, in the order of the chain.
	History(ctx context.Context, task onchain.Address) ([]ledger.Occurred, error)
	// Sealed returns the sealed opening of a judge's commitment, or ErrNotFound.
	Sealed(ctx context.Context, task, judge onchain.Address, round uint8, commitment voting.Hash) ([]byte, error)

	// Now reads the chain's clock.
	Now(ctx context.Context) (ledger.Moment, error)
	// Time returns the chain's clock as far as it is known without asking.
	Time() Time

	// Submitter continues with an outbox and takes transactions. The caller closes it.
	Submitter(ctx context.Context, outbox ledger.Outbox) (Submitter, error)
	// Follower follows the program after a cursor. Cases with a seat of the judge are never
	// dropped.
	Follower(from ledger.Cursor, judge onchain.Address) Follower
	// Close ends the connections. What Submitter and Follower returned has ended before.
	Close()
}

// Time is the chain's clock as far as it was seen: *looks.Clock.
type Time interface {
	// Last returns the newest block's time; false before the first one. It does not go back.
	Last() (ledger.Moment, bool)
	// Estimate returns the probable time now, in Unix seconds; false before the first block.
	Estimate() (unix int64, ok bool)
	// Age returns the time since the last new block.
	Age() time.Duration
}

// Submitter gets transactions into the chain: *ledger.Sender.
type Submitter interface {
	// Submit returns once the transaction has landed or cannot land. It applies all instructions or
	// none, at most once, and a read afterwards shows it. It applies nothing if Done says that the
	// act is done (AlreadyDone), or if Before has passed (GaveUp). SubmitOptions.Once is not used.
	Submit(ctx context.Context, instructions []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error)
	Close()
}

// Follower follows the program: *ledger.Watcher.
type Follower interface {
	// Run works until ctx ends, and then closes both channels and returns nil.
	Run(ctx context.Context) error
	// Events gives out each transaction of the program once.
	Events() <-chan ledger.Occurred
	// Looks gives out the cases and the Roster as they are after each change, and the time, which
	// does not go back.
	Looks() <-chan ledger.Look
	// Follow has the case of a task looked at now.
	Follow(task onchain.Address)
	// Hint has the case of a task looked at soon that a peer named. Peers may lie, so that hints
	// are bounded, and dropped beyond the bound.
	Hint(task onchain.Address)
	Health() ledger.Health
}
