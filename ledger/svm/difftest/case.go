package difftest

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// Case is a chain and the transactions that run on it one after the other.
type Case struct {
	Name         string
	Env          *accounts.Environment // nil for accounts.DefaultEnvironment
	Accounts     []accounts.Keyed
	Programs     []Deployment
	Transactions []Transaction
	Verify       bool // check signatures
}

// Deployment is an ELF that is installed under the upgradeable loader before the first transaction.
type Deployment struct {
	ID  solana.PublicKey
	ELF []byte
}

// Transaction is the wire form, and the accounts to compare after it. Raw may be longer than a
// packet, because LiteSVM accepts that.
type Transaction struct {
	Raw   []byte
	Watch []solana.PublicKey
}

// Report is an engine's result of a case.
type Report struct {
	Loads    []string    `json:"loads"` // for each program: empty, or why it was refused
	Outcomes []Execution `json:"outcomes"`
	Failure  string      `json:"failure,omitempty"` // the engine broke down
	Elapsed  int64       `json:"elapsed,omitempty"` // nanoseconds; only of Comparison.TimeLite
}

// Execution is the part of a transaction that a user sees. Bytes are base64, amounts decimal
// strings.
type Execution struct {
	Error      any        `json:"error"` // as JSON-RPC shows it, nil on success
	Units      string     `json:"units"`
	Logs       []string   `json:"logs"`
	ReturnData *Returned  `json:"returnData"`
	Inner      [][]Inner  `json:"inner"` // per top-level instruction
	Accounts   []*Account `json:"accounts"`
}

// Returned is return data and the program that set it.
type Returned struct {
	Program []byte `json:"program"`
	Data    []byte `json:"data"`
}

// Inner is an invocation.
type Inner struct {
	Program  int    `json:"program"`
	Accounts []int  `json:"accounts"`
	Data     []byte `json:"data"`
	Height   int    `json:"height"`
}

// Account is a watched account. It is nil if it does not exist.
type Account struct {
	Lamports   string `json:"lamports"`
	Data       []byte `json:"data"`
	Owner      []byte `json:"owner"`
	Executable bool   `json:"executable"`
	RentEpoch  string `json:"rentEpoch"`
}
