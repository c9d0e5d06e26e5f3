package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mr-tron/base58"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/voting"
)

// maxAccounts is how many accounts a node gives out at once (Agave: MAX_MULTIPLE_ACCOUNTS).
const maxAccounts = 100

// Account is an account as the chain has it.
type Account struct {
	Address    onchain.Address
	Owner      onchain.Address
	Lamports   uint64
	Executable bool
	Data       []byte
}

// Accounts reads up to 100 accounts of one slot. A nil stands for one that does not exist.
func (c *Client) Accounts(ctx context.Context, addresses ...onchain.Address) (all []*Account, slot uint64, err error) {
	return accountsFrom(ctx, c, 0, nil, addresses...)
}

// accountsFrom reads accounts, or that part of each, from that slot or a later one.
func accountsFrom(ctx context.Context, c *Client, least uint64, part *looks.Slice, addresses ...onchain.Address) ([]*Account, uint64, error) {
	if len(addresses) == 0 || len(addresses) > maxAccounts {
		return nil, 0, fmt.Errorf("%w: %d accounts at once, 1..%d are possible", rpc.ErrRefused, len(addresses), maxAccounts)
	}
	var out rpc.Contexted[[]*rawAccount]
	least = max(least, c.floor.Load())
	options := c.at(least)
	options["encoding"] = "base64"
	if part != nil {
		options["dataSlice"] = part
	}
	err := c.call(ctx, "getMultipleAccounts", []any{addresses, options}, &out, func() error {
		if err := c.fresh(out.Context.Slot, least); err != nil {
			return err
		}
		if len(out.Value) != len(addresses) {
			return fmt.Errorf("%w: %d accounts for %d addresses", ErrAnswer, len(out.Value), len(addresses))
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	all := make([]*Account, len(addresses))
	for i, raw := range out.Value {
		if raw != nil {
			all[i] = raw.as(addresses[i])
		}
	}
	return all, out.Context.Slot, nil
}

// at are the options of a read: commitment, and the slot that the node must have reached. The node
// may ignore the slot; fresh does not.
func (c *Client) at(least uint64) map[string]any {
	options := map[string]any{"commitment": c.cfg.Commitment}
	if least > 0 {
		options["minContextSlot"] = least
	}
	return options
}

// fresh takes an answer from a slot if it is not older than what was known when the node was asked.
func (c *Client) fresh(slot, least uint64) error {
	if slot < least {
		return fmt.Errorf("%w: the node at %s answers from slot %d, slot %d was seen before", ErrStale, c.caller.Host(), slot, least)
	}
	for {
		floor := c.floor.Load()
		if slot <= floor || c.floor.CompareAndSwap(floor, slot) {
			return nil
		}
	}
}

// rawAccount is an account in JSON. solana-go's own type is not used because it decompresses data
// of any size.
type rawAccount struct {
	Lamports   uint64          `json:"lamports"`
	Owner      onchain.Address `json:"owner"`
	Executable bool            `json:"executable"`
	Data       rpc.Base64      `json:"data"`
}

func (r *rawAccount) as(address onchain.Address) *Account {
	return &Account{Address: address, Owner: r.Owner, Lamports: r.Lamports, Executable: r.Executable, Data: r.Data}
}

// Keyed is an account of the program with its address.
type Keyed[T any] struct {
	Address onchain.Address
	Value   *T
}

// TaskFilter picks tasks. Zero fields match every task.
type TaskFilter struct {
	Creator onchain.Address
	Worker  onchain.Address
	Status  program.TaskStatus
}

// Offsets of fields by which accounts are listed (protocol section 4).
const (
	StatusOffset  = 10
	creatorOffset = 24
	workerOffset  = 88
	caseTask      = 24
)

// Tasks lists tasks by address, all of one slot.
func (c *Client) Tasks(ctx context.Context, f TaskFilter) ([]Keyed[program.Task], uint64, error) {
	filters := []Filter{kind("Task")}
	if !f.Creator.IsZero() {
		filters = append(filters, Filter{Offset: creatorOffset, Bytes: f.Creator[:]})
	}
	if !f.Worker.IsZero() {
		filters = append(filters, Filter{Offset: workerOffset, Bytes: f.Worker[:]})
	}
	if f.Status != 0 {
		filters = append(filters, Filter{Offset: StatusOffset, Bytes: []byte{byte(f.Status)}})
	}
	return decoded(ctx, c, program.DecodeTask, filters)
}

// Cases lists cases by address, all of one slot: those of one status, or with 0 all.
func (c *Client) Cases(ctx context.Context, status voting.Status) ([]Keyed[program.Case], uint64, error) {
	filters := []Filter{kind("Case")}
	if status != 0 {
		filters = append(filters, Filter{Offset: StatusOffset, Bytes: []byte{byte(status)}})
	}
	return decoded(ctx, c, program.DecodeCase, filters)
}

// Agents lists all agents by address, all of one slot.
func (c *Client) Agents(ctx context.Context) ([]Keyed[program.Agent], uint64, error) {
	return decoded(ctx, c, program.DecodeAgent, []Filter{kind("Agent")})
}

// Admissions lists the judges that the court's authority admitted, by address, all of one slot.
func (c *Client) Admissions(ctx context.Context) ([]Keyed[program.Admission], uint64, error) {
	return decoded(ctx, c, program.DecodeAdmission, []Filter{kind("Admission")})
}

// caseHead has the fields that a list of all cases shows.
type caseHead struct {
	task   onchain.Address
	status voting.Status
}

// caseHeads lists all cases without their seats.
func (c *Client) caseHeads(ctx context.Context) ([]caseHead, uint64, error) {
	all, slot, err := sliced(ctx, c, StatusOffset, caseTask-StatusOffset+32, kind("Case"))
	if err != nil {
		return nil, 0, err
	}
	heads := make([]caseHead, 0, len(all))
	for _, a := range all {
		h := caseHead{status: voting.Status(a.Data[0]), task: onchain.Address(a.Data[caseTask-StatusOffset:])}
		if c.program.Case(h.task) == a.Address {
			heads = append(heads, h)
		}
	}
	return heads, slot, nil
}

// Heads lists the accounts of a type, as "Task", that match, with those of their bytes.
func (c *Client) Heads(ctx context.Context, account string, having Filter, offset, length int) ([]*Account, error) {
	all, _, err := sliced(ctx, c, offset, length, kind(account), having)
	return all, err
}

// sliced does not try again if the node limits lists.
func sliced(ctx context.Context, c *Client, offset, length int, filters ...Filter) ([]*Account, uint64, error) {
	all, slot, err := c.list(ctx, filters, map[string]any{"dataSlice": map[string]any{"offset": offset, "length": length}}, ErrRateLimited)
	for _, a := range all {
		if len(a.Data) != length {
			return nil, 0, fmt.Errorf("%w: %d bytes of %s", ErrAnswer, len(a.Data), a.Address)
		}
	}
	return all, slot, err
}

// CheckLists returns why the RPC node does not list all cases, and what to do about it.
func (c *Client) CheckLists(ctx context.Context) error {
	_, _, err := c.caseHeads(ctx)
	return err
}

// Filter demands bytes at an offset of an account.
type Filter struct {
	Offset int
	Bytes  []byte
	Owner  onchain.Address // of the last filter: the program of the accounts; zero: the court's
}

func kind(name string) Filter {
	d := program.Discriminator("account", name)
	return Filter{Bytes: d[:]}
}

func decoded[T any](ctx context.Context, c *Client, decode func([]byte) (*T, error), filters []Filter) ([]Keyed[T], uint64, error) {
	all, slot, err := c.list(ctx, filters, map[string]any{})
	if err != nil {
		return nil, 0, err
	}
	out := make([]Keyed[T], len(all))
	for i, a := range all {
		v, err := decodeAs(c, a, decode)
		if err != nil {
			return nil, 0, err
		}
		out[i] = Keyed[T]{Address: a.Address, Value: v}
	}
	return out, slot, nil
}

// list returns the program's accounts that match, by address. Errors of the classes in final are
// not retried.
func (c *Client) list(ctx context.Context, filters []Filter, options map[string]any, final ...error) ([]*Account, uint64, error) {
	owner, wanted := cmp.Or(filters[len(filters)-1].Owner, c.program.ID()), []any(nil)
	for _, f := range filters {
		wanted = append(wanted, map[string]any{"memcmp": map[string]any{"offset": f.Offset, "bytes": base58.Encode(f.Bytes)}})
	}
	options["withContext"], options["filters"] = true, wanted
	all, slot, err := accountsOf(ctx, c, owner, rpc.ListMethod, []any{owner}, options, final...)
	return all, slot, rpc.ListRemedy(err)
}

// TokenAccounts lists the accounts of a token program that an owner has, by address.
func (c *Client) TokenAccounts(ctx context.Context, tokens, owner onchain.Address) ([]*Account, uint64, error) {
	return accountsOf(ctx, c, tokens, "getTokenAccountsByOwner", []any{owner, map[string]any{"programId": tokens}}, map[string]any{})
}

// accountsOf asks for a list of accounts of a program.
func accountsOf(ctx context.Context, c *Client, owner onchain.Address, method string, params []any, options map[string]any, final ...error) ([]*Account, uint64, error) {
	var out rpc.Contexted[[]struct {
		Pubkey  onchain.Address `json:"pubkey"`
		Account *rawAccount     `json:"account"`
	}]
	least := c.floor.Load()
	maps.Copy(options, c.at(least))
	options["encoding"] = "base64"
	check := func() error { return c.fresh(out.Context.Slot, least) }
	if err := c.call(ctx, method, append(params, options), &out, check, final...); err != nil {
		return nil, 0, err
	}
	all := make([]*Account, 0, len(out.Value))
	for _, v := range out.Value {
		if v.Account == nil || v.Account.Owner != owner {
			return nil, 0, fmt.Errorf("%w: an account that is not the program's", ErrAnswer)
		}
		all = append(all, v.Account.as(v.Pubkey))
	}
	slices.SortFunc(all, func(a, b *Account) int { return bytes.Compare(a.Address[:], b.Address[:]) })
	return all, out.Context.Slot, nil
}

// The reads below return the slot that the answer came from, also with a Missing error.

// Config reads the court's authority and the number of its latest rules.
func (c *Client) Config(ctx context.Context) (*program.Config, uint64, error) {
	return Read(ctx, c, c.program.Config(), program.DecodeConfig)
}

// Roster reads the list of judges.
func (c *Client) Roster(ctx context.Context) (*program.Roster, uint64, error) {
	return Read(ctx, c, c.program.Roster(), program.DecodeRoster)
}

// Agent reads the agent of an authority.
func (c *Client) Agent(ctx context.Context, authority onchain.Address) (*program.Agent, uint64, error) {
	return Read(ctx, c, c.program.Agent(authority), program.DecodeAgent)
}

// Task reads the task at an address.
func (c *Client) Task(ctx context.Context, task onchain.Address) (*program.Task, uint64, error) {
	return Read(ctx, c, task, program.DecodeTask)
}

// Case reads the case of a task.
func (c *Client) Case(ctx context.Context, task onchain.Address) (*program.Case, uint64, error) {
	return Read(ctx, c, c.program.Case(task), program.DecodeCase)
}

// source is a chain with the program.
type source interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) (all []*Account, slot uint64, err error)
	Program() program.Program
}

// Read reads one account of the program. It returns Missing if there is none, and ErrForeign if the
// account is not the program's or does not decode.
func Read[T any](ctx context.Context, c source, address onchain.Address, decode func([]byte) (*T, error)) (*T, uint64, error) {
	all, slot, err := c.Accounts(ctx, address)
	if err != nil {
		return nil, slot, err
	}
	if all[0] == nil {
		return nil, slot, &missing{Address: address, Slot: slot}
	}
	v, err := decodeAs(c, all[0], decode)
	return v, slot, err
}

// decodeAs decodes an account of the program: everybody can make one that looks like it.
func decodeAs[T any](c source, a *Account, decode func([]byte) (*T, error)) (*T, error) {
	if a.Owner != c.Program().ID() {
		return nil, fmt.Errorf("%w: %s belongs to %s", ErrForeign, a.Address, a.Owner)
	}
	v, err := decode(a.Data)
	if errors.Is(err, program.ErrVersion) {
		return nil, fmt.Errorf("%w: the court at %s was founded with another version of the program than this ojud speaks; nothing of yours has changed: go on with the ojud that you used before, or join a court of this version with a new home: %w: %s: %w", errVersion, c.Program().ID(), ErrForeign, a.Address, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrForeign, a.Address, err)
	}
	return v, nil
}
