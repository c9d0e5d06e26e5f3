package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// AgentSize is the size in bytes of an Agent account.
const AgentSize = 192

// Agent is what the chain knows of one agent. The account holds rent + Vault; lamports sent to it from outside do not count.
type Agent struct {
	Bump         uint8
	Page         uint32 // of the registry
	Authority    solana.PublicKey
	Operator     solana.PublicKey // who runs it; zero: nobody declared
	CardHash     voting.Hash      // of the agent's card
	Vault        uint64           // lamports
	RegisteredAt int64            // Unix seconds
	TasksCreated uint64           // also the id of its next task
	TasksClaimed uint32
	TasksPaid    uint32 // as worker
	TasksMissed  uint32 // deadlines missed as worker
	CasesWon     uint32
	CasesLost    uint32
}

// AccountName returns "Agent".
func (*Agent) AccountName() string { return "Agent" }

// Encode returns the account's bytes.
func (a *Agent) Encode() []byte { return encode(a) }

// DecodeAgent decodes an Agent account; ErrAccount if the bytes are none.
func DecodeAgent(data []byte) (*Agent, error) { return decodeAs[Agent](data) }

func (a *Agent) walk(w *walk) {
	w.head("Agent", &a.Bump)
	u32(w.at(12), "page", &a.Page)
	key(w.at(16), "authority", &a.Authority)
	key(w.at(48), "operator", &a.Operator)
	hash(w.at(80), "card_hash", &a.CardHash)
	u64(w.at(112), "vault", &a.Vault)
	i64(w.at(120), "registered_at", &a.RegisteredAt)
	u64(w.at(128), "tasks_created", &a.TasksCreated)
	u32(w.at(136), "tasks_claimed", &a.TasksClaimed)
	u32(w.at(140), "tasks_paid", &a.TasksPaid)
	u32(w.at(144), "tasks_missed", &a.TasksMissed)
	u32(w.at(148), "cases_won", &a.CasesWon)
	u32(w.at(152), "cases_lost", &a.CasesLost)
	w.at(AgentSize)
}
