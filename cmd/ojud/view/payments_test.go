package view_test

import (
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/cmd/ojud/view"
	"ojud/node/evidence"
	"ojud/node/payment"
)

// TestPayments checks that each side of the books has a table.
func TestPayments(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := evidence.Payments{
		Vault:  2_000_000,
		Earned: []payment.Income{{Judge: casefile.Address{1}, Answers: 3, Earned: 60_000, Pulled: 20_000, Waiting: 40_000, Expires: 1_800_000_000}},
		Owed:   []payment.Owed{{Case: casefile.Address{2}, Round: 1, Judge: casefile.Address{3}, Price: 20_000, At: 1_799_999_999}},
		Spent:  []payment.Expense{{Answers: 1, Billed: 7, Due: 7}, {Payee: casefile.Address{4}, Answers: 2, Billed: 14, Paid: 7, Open: 7, Expires: 1_800_000_000}},
	}
	if err := view.Payments(&out, p, ""); err != nil {
		t.Fatal(err)
	}
	const want = `vault  0.002 SOL

paid by judges
ANSWERS  EARNED       DRAWN        WAITING      UNTIL                LOST
    JUDGE
3        0.00006 SOL  0.00002 SOL  0.00004 SOL  2027-01-15 08:00:00  0 SOL
    4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM

not paid
PRICE        SINCE                ROUND  CASE
    JUDGE
0.00002 SOL  2027-01-15 07:59:59  1      8opHzTAnfzRpPEx21XtnrVTX28YQuCpAjcn1PczScKh
    CiDwVBFgWV9E5MvXWoLgnEgn2hK7rJikbvfWavzAQz3

paid to holders
ANSWERS  BILLED           DRAWN            PROMISED         UNTIL                DUE
    HOLDER
1        0.000000007 SOL  0 SOL            0 SOL            -                    0.000000007 SOL
    not known
2        0.000000014 SOL  0.000000007 SOL  0.000000007 SOL  2027-01-15 08:00:00  0 SOL
    GcdayuLaLyrdmUu324nahyv33G5poQdLUEZ1nEytDeP
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	if err := view.Payments(&out, evidence.Payments{}, "no chain"); err != nil || !strings.Contains(out.String(), "not known: no chain") {
		t.Errorf("%s %v", out.String(), err)
	}
}
