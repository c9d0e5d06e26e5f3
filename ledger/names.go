package ledger

import (
	"ojud/ledger/looks"
	"ojud/ledger/transact"
)

// These types of the client's parts have the names that callers of the client use.
type (
	// Look is looks.Look.
	Look = looks.Look
	// Moment is looks.Moment.
	Moment = looks.Moment
	// Keypair is transact.Keypair.
	Keypair = transact.Keypair
	// Purpose is transact.Purpose.
	Purpose = transact.Purpose
	// Outbox is transact.Outbox.
	Outbox = transact.Outbox
	// MemoryOutbox is transact.MemoryOutbox.
	MemoryOutbox = transact.MemoryOutbox
	// Rejection is transact.Rejection.
	Rejection = transact.Rejection
)

// The ends of a Submit.
const (
	Landed      = transact.Landed
	AlreadyDone = transact.AlreadyDone
	Rejected    = transact.Rejected
)
