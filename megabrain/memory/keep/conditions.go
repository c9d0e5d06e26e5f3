package keep

import (
	"errors"

	"ojud/config/bounds"
	"ojud/megabrain/memory"
)

// Errors that say whose fault it is.
var (
	ErrUnknown = errors.New("memory: there is no such promise in the log")
	ErrErased  = errors.New("memory: the term is over, and the artifact is erased; its receipt is still there")
	ErrLost    = errors.New("memory: the artifact was promised, and is not here; this node broke its promise")
	ErrFull    = errors.New("memory: there is no room")
	ErrRefused = errors.New("memory: not by the conditions of this node")
)

// Conditions are what a node offers.
type Conditions struct {
	// MaxArtifact is how many bytes an artifact may have.
	MaxArtifact int64 `json:"max_artifact_bytes"`
	// MaxTerm is the longest term of a promise, in seconds.
	MaxTerm int64 `json:"max_term_seconds"`
	// Grace is how many seconds after its term an artifact is still kept, so that the whole term
	// can be audited.
	Grace int64 `json:"grace_seconds"`
	// Rate is the price in lamports for a GiB and a day.
	Rate uint64 `json:"rate,string"`
	// Wallet is the address to which payments go; empty: none are taken. The node signs it.
	Wallet          string `json:"wallet,omitempty"`
	WalletSignature []byte `json:"wallet_signature,omitempty"`
	// Quota is how many bytes of artifacts are kept. A small one counts as 8 KiB.
	Quota int64 `json:"quota_bytes"`
	// MinFree is how many bytes stay free on the disk.
	MinFree uint64 `json:"-"`
}

// maxWallet bounds the text of an address.
const maxWallet = 64

// DefaultConditions keep 4 GiB of results of at most 4 MiB for at most a year, for nothing.
func DefaultConditions() Conditions {
	return Conditions{MaxArtifact: 4 << 20, MaxTerm: 366 * memory.Day, Grace: memory.Day, Quota: 4 << 30, MinFree: 128 << 20}
}

// Validate names the first field that is out of its range.
func (c Conditions) Validate() error {
	return bounds.Check("memory: ",
		bounds.Of("max_artifact_bytes", c.MaxArtifact, 1, memory.MaxArtifact),
		bounds.Of("max_term_seconds", c.MaxTerm, 1, memory.MaxTerm),
		bounds.Of("grace_seconds", c.Grace, 0, 366*memory.Day),
		bounds.Of("rate", c.Rate, 0, memory.MaxRate),
		bounds.Of("wallet", len(c.Wallet), 0, maxWallet),
		bounds.Of("quota_bytes", c.Quota, room(c.MaxArtifact), 1<<50),
	)
}
