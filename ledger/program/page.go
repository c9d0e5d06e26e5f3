package program

import "github.com/gagliardetto/solana-go"

// PageEntries is how many agents fit in a page of the registry: agent n is in page n / PageEntries.
const PageEntries = 128

const (
	pageHeadSize  = 24
	pageEntrySize = 64
)

// RegistryPage is a page of the list of all agents, in the order in which they registered.
type RegistryPage struct {
	Bump    uint8
	Page    uint32
	Entries []RegistryEntry // at most PageEntries
}

// RegistryEntry is one agent.
type RegistryEntry struct {
	Authority solana.PublicKey
	Agent     solana.PublicKey // its Agent account
}

// RegistryPageSize is the size in bytes of a page with that many entries.
func RegistryPageSize(entries int) int { return pageHeadSize + pageEntrySize*entries }

// AccountName returns "RegistryPage".
func (*RegistryPage) AccountName() string { return "RegistryPage" }

// Encode returns the account's bytes.
func (p *RegistryPage) Encode() []byte { return encode(p) }

// DecodeRegistryPage decodes a RegistryPage account; ErrAccount if the bytes are none.
func DecodeRegistryPage(data []byte) (*RegistryPage, error) { return decodeAs[RegistryPage](data) }

func (p *RegistryPage) walk(w *walk) {
	w.head("RegistryPage", &p.Bump)
	u32(w.at(12), "page", &p.Page)
	count := uint32(len(p.Entries))
	u32(w.at(16), "count", &count)
	w.within("count", uint64(count), 0, PageEntries)
	many(w.at(pageHeadSize), "entries", "RegistryEntry", int(count), pageEntrySize, &p.Entries)
}

func (e *RegistryEntry) walk(w *walk) {
	key(w, "authority", &e.Authority)
	key(w.at(32), "agent", &e.Agent)
}
