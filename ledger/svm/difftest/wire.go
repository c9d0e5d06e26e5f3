package difftest

import (
	"strconv"

	"ojud/ledger/svm/accounts"
)

// wireCase is a Case in the form of the node child and of traces.
type wireCase struct {
	Name            string            `json:"name"`
	Verify          bool              `json:"verify"`
	Clock           wireClock         `json:"clock"`
	Rent            wireRent          `json:"rent"`
	SlotHashes      []wireSlotHash    `json:"slotHashes"`
	LastRestartSlot string            `json:"lastRestartSlot"`
	Blockhash       []byte            `json:"blockhash"`
	Programs        []wireProgram     `json:"programs"`
	Accounts        []wireAccount     `json:"accounts"`
	Transactions    []wireTransaction `json:"transactions"`
	Timed           bool              `json:"timed,omitempty"` // measure, and report no outcomes
}

type wireClock struct {
	Slot        string `json:"slot"`
	EpochStart  string `json:"epochStart"`
	Epoch       string `json:"epoch"`
	LeaderEpoch string `json:"leaderEpoch"`
	Unix        string `json:"unix"`
}

type wireRent struct {
	LamportsPerByte string  `json:"lamportsPerByte"`
	Threshold       float64 `json:"threshold"`
	Burn            uint8   `json:"burn"`
}

type wireSlotHash struct {
	Slot string `json:"slot"`
	Hash string `json:"hash"` // base58
}

type wireProgram struct {
	ID  []byte `json:"id"`
	ELF []byte `json:"elf"`
}

type wireAccount struct {
	Key []byte `json:"key"`
	Account
}

type wireTransaction struct {
	Raw   []byte   `json:"raw"`
	Watch [][]byte `json:"watch"`
}

func decimal(v uint64) string { return strconv.FormatUint(v, 10) }

// encode turns a case into its wire form.
func (c Case) encode() wireCase {
	env := c.env()
	w := wireCase{
		Name: c.Name, Verify: c.Verify, LastRestartSlot: decimal(env.LastRestartSlot), Blockhash: env.Blockhash[:],
		Clock: wireClock{
			decimal(env.Clock.Slot), strconv.FormatInt(env.Clock.EpochStartTimestamp, 10), decimal(env.Clock.Epoch),
			decimal(env.Clock.LeaderScheduleEpoch), strconv.FormatInt(env.Clock.UnixTimestamp, 10),
		},
		Rent:       wireRent{decimal(env.Rent.LamportsPerByte), env.Rent.ExemptionThreshold, env.Rent.BurnPercent},
		SlotHashes: []wireSlotHash{}, Programs: []wireProgram{}, Accounts: []wireAccount{}, Transactions: []wireTransaction{},
	}
	for _, h := range env.SlotHashes {
		w.SlotHashes = append(w.SlotHashes, wireSlotHash{decimal(h.Slot), h.Hash.String()})
	}
	for _, p := range c.Programs {
		w.Programs = append(w.Programs, wireProgram{p.ID[:], p.ELF})
	}
	for _, a := range c.Accounts {
		w.Accounts = append(w.Accounts, wireAccount{a.Key[:], *encodeAccount(a.Account)})
	}
	for _, t := range c.Transactions {
		wt := wireTransaction{Raw: t.Raw, Watch: [][]byte{}}
		for _, k := range t.Watch {
			wt.Watch = append(wt.Watch, append([]byte(nil), k[:]...))
		}
		w.Transactions = append(w.Transactions, wt)
	}
	return w
}

func (c Case) env() *accounts.Environment {
	if c.Env == nil {
		return accounts.DefaultEnvironment()
	}
	return c.Env
}

func encodeAccount(a accounts.Account) *Account {
	data := a.Data
	if data == nil {
		data = []byte{}
	}
	return &Account{decimal(a.Lamports), data, append([]byte(nil), a.Owner[:]...), a.Executable, decimal(a.RentEpoch)}
}
