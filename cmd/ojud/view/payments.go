package view

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"ojud/node/client"
	"ojud/node/evidence"
)

// Payments writes what a node earned and paid for data. problem says why the vault is not known,
// and is empty if it is known.
func Payments(w io.Writer, p evidence.Payments, problem string) error {
	var s Sheet
	s.Add("vault", client.Lamports(p.Vault).String())
	if problem != "" {
		s = Sheet{{"vault", "not known: " + problem}}
	}
	if err := s.Write(w); err != nil {
		return err
	}
	var earned, owed, spent [][]string
	for _, e := range p.Earned {
		earned = append(earned, []string{strconv.FormatUint(e.Answers, 10), sol(e.Earned), sol(e.Pulled), sol(e.Waiting),
			until(e.Expires), sol(e.Lost), e.Judge.String()})
	}
	for _, o := range p.Owed {
		since := time.Unix(o.At, 0).UTC().Format(time.DateTime)
		owed = append(owed, []string{sol(o.Price), since, strconv.Itoa(int(o.Round)), o.Case.String(), o.Judge.String()})
	}
	for _, e := range p.Spent {
		payee := e.Payee.String()
		if e.Payee == [32]byte{} {
			payee = "not known"
		}
		spent = append(spent, []string{strconv.FormatUint(e.Answers, 10), sol(e.Billed), sol(e.Paid), sol(e.Open),
			until(e.Expires), sol(e.Due), payee})
	}
	return errors.Join(
		section(w, "paid by judges", earned, "ANSWERS", "EARNED", "DRAWN", "WAITING", "UNTIL", "LOST", "JUDGE"),
		section(w, "not paid", owed, "PRICE", "SINCE", "ROUND", "CASE", "JUDGE"),
		section(w, "paid to holders", spent, "ANSWERS", "BILLED", "DRAWN", "PROMISED", "UNTIL", "DUE", "HOLDER"),
	)
}

// section writes a table with a title, or a sentence if the table is empty.
func section(w io.Writer, title string, rows [][]string, header ...string) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintf(w, "\n%s: nothing\n", title)
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", title); err != nil {
		return err
	}
	return Table(w, header, rows)
}

func sol[T ~uint64](lamports T) string { return client.Lamports(lamports).String() }

func until(at int64) string {
	if at == 0 {
		return "-"
	}
	return time.Unix(at, 0).UTC().Format(time.DateTime)
}
