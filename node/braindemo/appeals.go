package braindemo

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ojud/ledger/brain"
	"ojud/node/client"
)

// Contested is a golden task that was brought to the court. Creator and Appellant are what the two
// gained from the opening on. The fields after them say who has what they lost, so all add up to 0.
type Contested struct {
	Task      string          `json:"task"`
	What      string          `json:"what"`
	Opened    string          `json:"opened"` // the result that the creator opened as right
	Dispute   string          `json:"dispute"`
	Verdict   string          `json:"verdict"`
	Stands    bool            `json:"stands"` // the answer of the creator
	Creator   int64           `json:"creator,string"`
	Appellant int64           `json:"appellant,string"`
	Judges    client.Lamports `json:"judges"`   // their fee; a part of it goes to the golden pot
	Treasury  client.Lamports `json:"treasury"` // the stake of an appellant that was rejected
	Deposit   client.Lamports `json:"deposit"`  // rent of the dispute: the appellant gets it when the dispute is closed
	Rent      client.Lamports `json:"rent"`     // of the verdict, for good
	Signed    int64           `json:"transactions,string"`

	right bool // the creator's answer
}

// mostSigned bounds what the transactions of the two cost in an appeal.
const mostSigned = 200_000

// Appeals are golden tasks that were brought to the court.
type Appeals struct {
	Tasks          []Contested `json:"tasks"`
	LamportsBefore uint64      `json:"lamports_before,string"`
	LamportsAfter  uint64      `json:"lamports_after,string"`
	Seconds        float64     `json:"seconds"`
}

// check returns what is wrong with the ends of the tasks: a false answer has to cost its creator
// the bond, and a vain appeal its appellant the stake.
func (a Appeals) check() (err error) {
	wrong := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf("braindemo: "+format, args...)) }
	terms := brain.Defaults()
	bond := int64(terms.OutcomeBond(uint64(budget))) // of the creator, and as much is the stake of the first appeal
	for _, c := range a.Tasks {
		creator, appellant := int64(0), -int64(c.Judges+c.Deposit+c.Rent)
		if c.right {
			appellant -= bond
		} else {
			creator, appellant = creator-bond, appellant+bond
		}
		signed := creator - c.Creator // what its transactions cost the creator
		switch {
		case c.Stands != c.right, (c.Verdict == "reject") != c.right:
			wrong("%s was opened as right; the court says %q, and that it stands is %t", c.Opened, c.Verdict, c.Stands)
		case (c.Treasury > 0) != c.right:
			wrong("the court says %q, and the treasury has %s", c.Verdict, c.Treasury)
		case signed < 0, appellant < c.Appellant, signed+appellant-c.Appellant != c.Signed, c.Signed > mostSigned:
			wrong("creator and appellant have %d and %d lamports, and %d and %d without transactions, which cost %d", c.Creator, c.Appellant, creator, appellant, c.Signed)
		case !c.right && c.Appellant <= 0:
			wrong("the creator lied, and the appellant has %d lamports", c.Appellant)
		}
	}
	if len(a.Tasks) == 0 || a.LamportsBefore != a.LamportsAfter {
		wrong("there are %d tasks; the chain had %d lamports before and %d after", len(a.Tasks), a.LamportsBefore, a.LamportsAfter)
	}
	return err
}

// WriteTo writes the table.
func (a Appeals) WriteTo(out io.Writer) (int64, error) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { _, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) } // a Builder takes everything
	line("GOLDEN TASK", "THE COURT SAYS", "THE ANSWER", "CREATOR", "APPELLANT", "JUDGES", "TREASURY", "DEPOSIT", "RENT", "TRANSACTIONS")
	for _, c := range a.Tasks {
		line(c.What, c.Verdict, map[bool]string{true: "stands", false: "is void"}[c.Stands],
			signed(c.Creator), signed(c.Appellant), c.Judges.String(), c.Treasury.String(), c.Deposit.String(), c.Rent.String(), signed(c.Signed))
	}
	_ = w.Flush()
	fmt.Fprintln(&b, "The table counts from the opening on. Each row adds up to 0: transactions are what is left.")
	fmt.Fprintln(&b, "The appellant gets the deposit back when the dispute is closed. The rent of the verdict does not come back.")
	if a.LamportsBefore > 0 {
		fmt.Fprintf(&b, "all lamports  %d before, %d after\n", a.LamportsBefore, a.LamportsAfter)
	}
	fmt.Fprintf(&b, "time          %.1f s\n", a.Seconds)
	n, err := io.WriteString(out, b.String())
	return int64(n), err
}

func signed(lamports int64) string {
	sign := ""
	if lamports < 0 {
		sign = "-"
	}
	return sign + client.Lamports(max(lamports, -lamports)).String()
}
