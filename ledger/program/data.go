package program

import (
	"bytes"
	"fmt"

	"ojud/ledger/onchain"
)

// Limits of an AgentData account (protocol section 4).
const (
	MaxData     = 9_216 // bytes of content
	MaxDataName = 32    // bytes
	MaxGrants   = 8
	MaxWrite    = 900 // bytes of one write_data that the program takes
	WritePiece  = 725 // bytes of one write_data that fit in a transaction whoever writes and pays

	dataHeadSize = 664
	grantSize    = 72
)

// What a grant allows; a set of bits.
const (
	GrantRead  uint8 = 1 // honoured by the holders of the content behind the data; on Solana everybody can read an account
	GrantWrite uint8 = 2 // enforced by the program
)

// AgentData is named bytes of an agent, with grants to other agents for the length of a task.
type AgentData struct {
	Bump      uint8
	Authority onchain.Address
	Name      string // 1..32 bytes of [a-z0-9._-]
	UpdatedAt int64  // Unix seconds
	Grants    []DataGrant
	Content   []byte // at most MaxData
}

// DataGrant gives Grantee access until Task is over.
type DataGrant struct {
	Task    onchain.Address
	Grantee onchain.Address // zero: whoever is the task's worker
	Flags   uint8           // GrantRead, GrantWrite
}

// agentDataSize is the size in bytes of an account with that much content.
func agentDataSize(content int) int { return dataHeadSize + content }

// AccountName returns "AgentData".
func (*AgentData) AccountName() string { return "AgentData" }

// Encode returns the account's bytes.
func (d *AgentData) Encode() []byte { return encode(d) }

// DecodeAgentData decodes an AgentData account; ErrAccount if the bytes are none.
func DecodeAgentData(data []byte) (*AgentData, error) { return decodeAs[AgentData](data) }

func (d *AgentData) walk(w *walk) {
	w.head("AgentData", &d.Bump)
	n, grants, size := uint8(len(d.Name)), uint8(len(d.Grants)), uint32(len(d.Content))
	u8(w, "name_len", &n)
	w.within("name_len", uint64(n), 1, MaxDataName)
	u8(w.at(11), "grant_count", &grants)
	w.within("grant_count", uint64(grants), 0, MaxGrants)
	u32(w.at(12), "len", &size)
	w.within("len", uint64(size), 0, MaxData)
	key(w.at(16), "authority", &d.Authority)
	var name [MaxDataName]byte
	copy(name[:], d.Name)
	hash(w.at(48), "name", &name)
	d.rename(w, name, int(n))
	i64(w.at(80), "updated_at", &d.UpdatedAt)
	places(w.at(88), "grants", "DataGrant", int(grants), MaxGrants, grantSize, &d.Grants)
	rest(w.at(dataHeadSize), "content", int(size), &d.Content)
}

// rename takes the name over from its 32 bytes.
func (d *AgentData) rename(w *walk, name [MaxDataName]byte, n int) {
	if w.mode != reading || w.fault != nil {
		return
	}
	if len(bytes.TrimRight(name[n:], "\x00")) != 0 {
		w.fail("name has bytes after its length %d", n)
	}
	d.Name = string(name[:n])
	if err := checkDataName(d.Name); err != nil {
		w.fail("%w", err)
	}
}

func (g *DataGrant) walk(w *walk) {
	key(w, "task", &g.Task)
	key(w.at(32), "grantee", &g.Grantee)
	u8(w.at(64), "flags", &g.Flags)
}

func checkDataName(name string) error {
	if len(name) < 1 || len(name) > MaxDataName {
		return fmt.Errorf("name of %d bytes, not 1 to %d", len(name), MaxDataName)
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return fmt.Errorf("name %q has a byte outside [a-z0-9._-]", name)
		}
	}
	return nil
}
