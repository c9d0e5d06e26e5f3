package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// ConfigSet: Config was created or changed.
type ConfigSet struct {
	Authority solana.PublicKey
	Paused    uint8
}

// AgentSet: an agent was registered or changed.
type AgentSet struct {
	Authority solana.PublicKey
	Agent     solana.PublicKey
	Operator  solana.PublicKey
	CardHash  voting.Hash
	Page      uint32
}

// VaultMoved: a vault holds Vault lamports now, Delta more than before.
type VaultMoved struct {
	Authority solana.PublicKey
	Delta     int64
	Vault     uint64
}

// DataSet: a data account was written or closed.
type DataSet struct {
	Authority solana.PublicKey
	Data      solana.PublicKey
	Len       uint32 // 0 when closed
}

// GrantSet: a grant was given, changed or revoked.
type GrantSet struct {
	Data    solana.PublicKey
	Task    solana.PublicKey
	Grantee solana.PublicKey
	Flags   uint8 // 0: revoked
}

// Closed: an account was closed and its rent paid to To.
type Closed struct {
	Account solana.PublicKey
	To      solana.PublicKey
	Amount  uint64
}

var _ = []Event{(*ConfigSet)(nil), (*AgentSet)(nil), (*VaultMoved)(nil), (*DataSet)(nil), (*GrantSet)(nil), (*Closed)(nil)}

// EventName returns "ConfigSet".
func (*ConfigSet) EventName() string { return "ConfigSet" }

func (e *ConfigSet) walk(w *walk) {
	key(w, "authority", &e.Authority)
	u8(w, "paused", &e.Paused)
}

// EventName returns "AgentSet".
func (*AgentSet) EventName() string { return "AgentSet" }

func (e *AgentSet) walk(w *walk) {
	key(w, "authority", &e.Authority)
	key(w, "agent", &e.Agent)
	key(w, "operator", &e.Operator)
	hash(w, "card_hash", &e.CardHash)
	u32(w, "page", &e.Page)
}

// EventName returns "VaultMoved".
func (*VaultMoved) EventName() string { return "VaultMoved" }

func (e *VaultMoved) walk(w *walk) {
	key(w, "authority", &e.Authority)
	i64(w, "delta", &e.Delta)
	u64(w, "vault", &e.Vault)
}

// EventName returns "DataSet".
func (*DataSet) EventName() string { return "DataSet" }

func (e *DataSet) walk(w *walk) {
	key(w, "authority", &e.Authority)
	key(w, "data", &e.Data)
	u32(w, "len", &e.Len)
}

// EventName returns "GrantSet".
func (*GrantSet) EventName() string { return "GrantSet" }

func (e *GrantSet) walk(w *walk) {
	key(w, "data", &e.Data)
	key(w, "task", &e.Task)
	key(w, "grantee", &e.Grantee)
	u8(w, "flags", &e.Flags)
}

// EventName returns "Closed".
func (*Closed) EventName() string { return "Closed" }

func (e *Closed) walk(w *walk) {
	key(w, "account", &e.Account)
	key(w, "to", &e.To)
	u64(w, "amount", &e.Amount)
}
