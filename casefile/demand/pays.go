package demand

import (
	"regexp"
	"time"
)

// Pays demands that the answer of a source about a Solana transaction shows a payment.
type Pays struct {
	To       string  `json:"to"`       // who is paid
	Lamports string  `json:"lamports"` // exactly so many
	Memo     *string `json:"memo,omitempty"`
	From     *string `json:"from,omitempty"`  // who paid it
	After    *string `json:"after,omitempty"` // RFC 3339: its block is not older
}

var (
	paidTo = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)
	amount = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)
	memo   = regexp.MustCompile(`^[ !#-\[\]-~]{1,256}$`)
)

func (d Demands) pays(ofSource bool) *problem {
	p := d.Pays
	switch {
	case p == nil:
		return nil
	case !ofSource:
		return wrong("pays", "belongs to a check with data, because the source's answer shows the payment")
	case !paidTo.MatchString(p.To):
		return wrong("pays.to", "%.50q is no address", p.To)
	case !amount.MatchString(p.Lamports):
		return wrong("pays.lamports", "%.30q is no number of lamports above 0; write digits in quotation marks", p.Lamports)
	case p.From != nil && (!paidTo.MatchString(*p.From) || *p.From == p.To):
		return wrong("pays.from", "%.50q is no address of another one than pays.to", *p.From)
	case p.After != nil && !isTime(*p.After):
		return wrong("pays.after", "%.40q is no time; write one as 2026-11-28T12:00:00Z", *p.After)
	case p.Memo != nil && !memo.MatchString(*p.Memo):
		return wrong("pays.memo", "has another form; write 1 to 256 characters of printable ASCII, without quotation marks and backslashes")
	}
	return nil
}

func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}
