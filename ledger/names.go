package ledger

import (
	"ojud/ledger/looks"
	"ojud/ledger/transact"
)

// The parts of the client that have packages of their own, under the names that its callers use.
type (
	Clock        = looks.Clock
	Look         = looks.Look
	Moment       = looks.Moment
	Keypair      = transact.Keypair
	Purpose      = transact.Purpose
	Outbox       = transact.Outbox
	MemoryOutbox = transact.MemoryOutbox
	Rejection    = transact.Rejection
)

// The ends of a Submit.
const (
	Landed      = transact.Landed
	AlreadyDone = transact.AlreadyDone
	Rejected    = transact.Rejected
	GaveUp      = transact.GaveUp
)
