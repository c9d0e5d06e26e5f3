package program

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// errAccount is returned for bytes that are not the account that was asked for, or are of a version
// that this program does not know.
var errAccount = errors.New("program: not such an account")

// accountVersion is the version of every account (protocol section 4).
const accountVersion = 2

// ErrVersion is in the error about an account that another version of the program made.
var ErrVersion = errors.New("made by another version of the program")

// Discriminator is the first 8 bytes of sha256(space ‖ ":" ‖ name). The spaces are "account",
// "global" and "event", as in Anchor.
func Discriminator(space, name string) [8]byte {
	sum := sha256.Sum256([]byte(space + ":" + name))
	return [8]byte(sum[:8])
}

// Account is a decoded account: *Config, *Rules, *RegistryPage, *Agent, *AgentData, *Task, *Roster,
// *Case, *Channel, *Pot, *Admission, *VerdictAccount, *Proctor, *Batch or
// *Pledge.
type Account interface {
	layout
	// AccountName is the name in the protocol and in the IDL.
	AccountName() string
	// Encode returns the account's bytes. It does not check the values as a decoder does, because
	// it is for tests and simulators.
	Encode() []byte
}

// DecodeAccount decodes an account of any type by its discriminator; ErrAccount if there is none
// such.
func DecodeAccount(data []byte) (Account, error) {
	for _, a := range accounts() {
		d := Discriminator("account", a.AccountName())
		if len(data) >= len(d) && [8]byte(data) == d {
			if err := decode(a, data); err != nil {
				return nil, err
			}
			return a, nil
		}
	}
	return nil, fmt.Errorf("%w: %d bytes with no known discriminator", errAccount, len(data))
}

// decodeAs decodes an account of one type.
func decodeAs[T any, P interface {
	*T
	Account
}](data []byte) (*T, error) {
	a := new(T)
	if err := decode(P(a), data); err != nil {
		return nil, err
	}
	return a, nil
}

// decode reads an account; exactly its size, discriminator, version, zero pads, and numbers in
// their ranges.
func decode(a Account, data []byte) error {
	name := a.AccountName()
	switch d := Discriminator("account", name); {
	case len(data) <= len(d) || [8]byte(data) != d:
	case data[len(d)] != accountVersion:
		return fmt.Errorf("%w: %s: %w: %d, not %d", errAccount, name, ErrVersion, data[len(d)], accountVersion)
	case older(name, len(data)):
		return fmt.Errorf("%w: %s: %w: %d bytes, as before ADR 0219", errAccount, name, ErrVersion, len(data))
	}
	w := &walk{mode: reading, data: data}
	a.walk(w)
	if err := w.end(); err != nil {
		return fmt.Errorf("%w: %s: %w", errAccount, name, err)
	}
	return nil
}

// The heads of accounts before ADR 0219. Their version was that of today, but their lengths are not
// lengths of today.
const (
	olderRosterHead = 136
	olderCaseHead   = 424

	_ = 1 / uint((rosterHeadSize-olderRosterHead)%rosterEntrySize)
	_ = 1 / uint((olderCaseHead-caseHeadSize)%seatSize)
)

// older reports whether an account has the length of one before ADR 0219.
func older(name string, size int) bool {
	switch name {
	case "Roster":
		return size >= olderRosterHead && (size-olderRosterHead)%rosterEntrySize == 0
	case "Case":
		return size >= olderCaseHead && (size-olderCaseHead)%seatSize == 0
	}
	return false
}

func encode(l layout) []byte {
	w := &walk{mode: writing}
	l.walk(w)
	return w.data
}

// head walks what every account begins with.
func (w *walk) head(name string, bump *uint8) {
	want := Discriminator("account", name)
	w.tag(want)
	version := uint8(accountVersion)
	u8(w, "version", &version)
	w.within("version", uint64(version), accountVersion, accountVersion)
	u8(w, "bump", bump)
}

// tag walks a discriminator.
func (w *walk) tag(want [8]byte) {
	from, b := w.offset(), w.next(len(want))
	switch w.mode {
	case reading:
		if [8]byte(b) != want {
			w.fail("discriminator %x, not %x", b, want)
		}
	case writing:
		copy(b, want[:])
	case listing:
		w.list(field{Name: "discriminator", Type: "tag", Offset: from, Size: len(want), Value: fmt.Sprintf("%x", want)})
	}
}
