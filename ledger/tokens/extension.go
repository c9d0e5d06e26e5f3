package tokens

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Extension is a kind of extension of a mint of Token-2022.
type Extension uint16

// Extensions of mints.
const (
	transferFee          Extension = 1
	mintClose            Extension = 3
	confidentialTransfer Extension = 4
	defaultState         Extension = 6
	nonTransferable      Extension = 9
	interestBearing      Extension = 10
	permanentDelegate    Extension = 12
	transferHook         Extension = 14
	confidentialFee      Extension = 16
	metadataPointer      Extension = 18
	tokenMetadata        Extension = 19
	groupPointer         Extension = 20
	group                Extension = 21
	memberPointer        Extension = 22
	member               Extension = 23
	confidentialMint     Extension = 24
	scaledAmount         Extension = 25
	pausable             Extension = 26
)

// Why a mint is not safe to hold.
var (
	ErrTransferFee       = errors.New("each transfer takes a fee")
	ErrMintClose         = errors.New("the mint can be closed and made anew with other rules")
	ErrConfidential      = errors.New("amounts may be confidential")
	ErrDefaultState      = errors.New("new accounts may be frozen")
	ErrNonTransferable   = errors.New("the tokens cannot be transferred")
	ErrChangedAmount     = errors.New("wallets show another amount than the account holds")
	ErrPermanentDelegate = errors.New("a permanent delegate may take the tokens from everybody")
	ErrTransferHook      = errors.New("each transfer calls another program")
	ErrPausable          = errors.New("somebody may stop all transfers")
	ErrUnknownExtension  = errors.New("it has an extension that is not known here")
)

// name is the extension in the words of Token-2022, and why it is refused; nil: it is not.
func (e Extension) name() (string, error) {
	switch e {
	case transferFee:
		return "transfer fee", ErrTransferFee
	case mintClose:
		return "mint close authority", ErrMintClose
	case confidentialTransfer:
		return "confidential transfer", ErrConfidential
	case confidentialFee:
		return "confidential transfer fee", ErrConfidential
	case confidentialMint:
		return "confidential mint and burn", ErrConfidential
	case defaultState:
		return "default account state", ErrDefaultState
	case nonTransferable:
		return "non-transferable", ErrNonTransferable
	case interestBearing:
		return "interest-bearing", ErrChangedAmount
	case scaledAmount:
		return "scaled amount", ErrChangedAmount
	case permanentDelegate:
		return "permanent delegate", ErrPermanentDelegate
	case transferHook:
		return "transfer hook", ErrTransferHook
	case pausable:
		return "pausable", ErrPausable
	case metadataPointer:
		return "metadata pointer", nil
	case tokenMetadata:
		return "metadata", nil
	case groupPointer, group, memberPointer, member:
		return "group", nil
	}
	return fmt.Sprintf("extension %d", uint16(e)), ErrUnknownExtension
}

// String is the extension in the words of Token-2022.
func (e Extension) String() string {
	name, _ := e.name()
	return name
}

// Safe returns why the mint must not come into a vault: an error for each extension by which
// somebody else could take, stop or change what is in it. It is nil if there is none. A mint whose
// accounts can be frozen is safe in this sense: Freezer says who may, and people see it.
func (m *Mint) Safe() error {
	var all []error
	for _, e := range m.Extensions {
		if name, err := e.name(); err != nil {
			all = append(all, fmt.Errorf("%w (%s)", err, name))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("the mint %s is not for vaults: %w", m.Address, errors.Join(all...))
}

// errExtensions means that extensions cannot be read.
var errExtensions = errors.New("its extensions cannot be read")

// maxExtensions is more than Token-2022 has.
const maxExtensions = 64

// extensions reads the kinds in a list of type, length and value.
func extensions(b []byte) (out []Extension, err error) {
	for len(b) >= 2 {
		kind := Extension(binary.LittleEndian.Uint16(b))
		if kind == 0 {
			break // the rest is not in use
		}
		if len(b) < 4 || len(out) == maxExtensions {
			return nil, errExtensions
		}
		size := int(binary.LittleEndian.Uint16(b[2:]))
		if size > len(b)-4 {
			return nil, errExtensions
		}
		out, b = append(out, kind), b[4+size:]
	}
	return out, nil
}

// Names lists extensions for people.
func Names(list []Extension) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return strings.Join(out, ", ")
}
