// Package signers speaks to the program that decides by m of n signatures (docs/signers.md): it
// builds its instructions and reads its accounts. The program is in programs/oju/signers.
package signers

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// MaxMembers is the number of members of the largest group.
const MaxMembers = 16

const (
	headSize   = 16 // discriminator, version, bump, and six bytes of fields
	groupSize  = headSize + 32*MaxMembers
	ballotSize = headSize + 2*32 + MaxMembers
	version    = 2
)

// errMalformed means that the data is no account of the program.
var errMalformed = errors.New("signers: not an account of the program of signers")

// Devnet returns the address of the program on every devnet.
func Devnet() onchain.Address {
	id, err := onchain.ParseAddress("ojusigners111111111111111111111111111111111")
	if err != nil {
		panic(err)
	}
	return id
}

// Keys is a group: a list of keys, of which a majority decides.
type Keys struct {
	Threshold uint8 // so many decide
	Members   []onchain.Address
}

// NewKeys returns the group of these keys, in the order that the program demands. It refuses a
// group that the program would refuse.
func NewKeys(threshold int, members ...onchain.Address) (Keys, error) {
	all := slices.Clone(members)
	slices.SortFunc(all, func(a, b onchain.Address) int { return bytes.Compare(a[:], b[:]) })
	switch n := len(all); {
	case n < 1 || n > MaxMembers:
		return Keys{}, fmt.Errorf("signers: a group has 1 to %d members, not %d", MaxMembers, n)
	case all[0].IsZero():
		return Keys{}, errors.New("signers: a member is the zero address, and nobody has its key")
	case len(slices.Compact(slices.Clone(all))) < n:
		return Keys{}, errors.New("signers: a member is named twice; each counts once")
	case threshold > n || 2*threshold <= n:
		return Keys{}, fmt.Errorf("signers: the threshold is %d of %d members; it is a majority, %d to %d, so that no two verdicts can both reach it", threshold, n, n/2+1, n)
	}
	return Keys{Threshold: uint8(threshold), Members: all}, nil
}

// body is what the program hashes, and keeps behind the head: members, and zeros to the end.
func (g Keys) body() []byte {
	out := make([]byte, 0, 32*MaxMembers)
	for _, m := range g.Members {
		out = append(out, m[:]...)
	}
	return out[:32*MaxMembers]
}

// Address is where the group is. It follows from threshold and members, so nobody can put another
// group there.
func (g Keys) Address(of onchain.Address) onchain.Address {
	h := sha256.New()
	h.Write([]byte("oju:signers:v1"))
	h.Write([]byte{g.Threshold, uint8(len(g.Members))})
	h.Write(g.body())
	return find(of, []byte("group"), h.Sum(nil))
}

// Ballot is what the members of a group signed about a subject.
type Ballot struct {
	Decided voting.Verdict // that of enough members; 0: none yet
	Group   onchain.Address
	Subject onchain.Address
	Signed  [MaxMembers]voting.Verdict // by the place of the member; 0: it has not signed
}

// BallotAt is where the Ballot of a group about a subject is.
func BallotAt(of, group, subject onchain.Address) onchain.Address {
	return find(of, []byte("ballot"), group[:], subject[:])
}

// Create builds the instruction that makes a group.
func Create(of, payer onchain.Address, g Keys) onchain.Instruction {
	data := append(discriminator("global:create_group"), g.Threshold)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(g.Members)))
	data = append(data, g.body()[:32*len(g.Members)]...)
	return onchain.Instruction{Program: of, Data: data, Accounts: []onchain.AccountMeta{
		{Address: payer, Signer: true, Writable: true}, {Address: g.Address(of), Writable: true}, {Address: onchain.SystemProgram()},
	}}
}

// Sign builds the instruction by which a member signs a verdict about a subject.
func Sign(of, payer, member, group, subject onchain.Address, v voting.Verdict) onchain.Instruction {
	data := append(discriminator("global:sign_verdict"), subject[:]...)
	return onchain.Instruction{Program: of, Data: append(data, uint8(v)), Accounts: []onchain.AccountMeta{
		{Address: payer, Signer: true, Writable: true}, {Address: member, Signer: true}, {Address: group},
		{Address: BallotAt(of, group, subject), Writable: true}, {Address: program.EngineVerdict(of, group, subject), Writable: true},
		{Address: onchain.SystemProgram()},
	}}
}

// DecodeKeys reads a group from its account.
func DecodeKeys(data []byte) (*Keys, error) {
	if err := head(data, "Group", groupSize); err != nil {
		return nil, err
	}
	count := int(data[11])
	if count < 1 || count > MaxMembers {
		return nil, fmt.Errorf("%w: %d members", errMalformed, count)
	}
	members := make([]onchain.Address, count)
	for i := range members {
		members[i] = onchain.Address(data[headSize+32*i:])
	}
	g, err := NewKeys(int(data[10]), members...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if !slices.Equal(g.Members, members) || !bytes.Equal(g.body(), data[headSize:]) {
		return nil, fmt.Errorf("%w: the members are not in order", errMalformed)
	}
	return &g, nil
}

// DecodeBallot reads a Ballot from its account.
func DecodeBallot(data []byte) (*Ballot, error) {
	if err := head(data, "Ballot", ballotSize); err != nil {
		return nil, err
	}
	b := &Ballot{Decided: voting.Verdict(data[10]), Group: onchain.Address(data[headSize:]), Subject: onchain.Address(data[headSize+32:])}
	for i := range b.Signed {
		b.Signed[i] = voting.Verdict(data[headSize+64+i])
	}
	const _ = uint(3 - voting.Verdicts) // the program knows these three
	for _, v := range append(b.Signed[:], b.Decided) {
		if v > voting.Undecided {
			return nil, fmt.Errorf("%w: verdict %d", errMalformed, v)
		}
	}
	return b, nil
}

func head(data []byte, kind string, size int) error {
	if len(data) != size || !bytes.HasPrefix(data, discriminator("account:"+kind)) || data[8] != version {
		return fmt.Errorf("%w: no %s of %d bytes", errMalformed, kind, size)
	}
	return nil
}

// discriminator is the first eight bytes of an account or of an instruction.
func discriminator(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return slices.Clone(sum[:8])
}

// find derives an address. It only fails when none of 255 hashes is off the curve.
func find(of onchain.Address, seeds ...[]byte) onchain.Address {
	address, _, err := solana.FindProgramAddress(seeds, solana.PublicKey(of))
	if err != nil {
		panic(fmt.Sprintf("signers: no address for %x: %v", seeds, err))
	}
	return onchain.Address(address)
}
