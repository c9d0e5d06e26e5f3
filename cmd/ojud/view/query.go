package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ojud/node/api"
	"ojud/node/evidence"
)

// Query shows the answers of peers to a query.
func Query(v api.QueryView) Sheet {
	s := Sheet{{"source", v.Source}, {"request", string(v.Request)}, {"asked as", askedAs(v)}}
	if v.Own {
		s.Add("note", "this node has the source itself; to ask that: ojud source test "+v.Source)
	}
	for _, a := range v.Answers {
		s.Add("holder", holderText(a))
		s.Add("terms", termsText(a))
		s.Add("answer", string(a.Answer))
		s.Add("fetched", fetchedText(a))
		s.Add("receipt", a.Hash.String()+", "+checkText(a))
	}
	for _, f := range v.Failures {
		s.Add("no data", failureText(f))
	}
	if len(v.Answers) > 1 {
		s.Add("compared", comparedText(v.Answers))
	}
	s.Add("time", fmt.Sprintf("%.1f s", float64(v.Millis)/1000))
	return s
}

func askedAs(v api.QueryView) string {
	switch {
	case v.Outsider && v.Case == nil:
		return fmt.Sprintf("%s, by no task", v.Judge)
	case v.Outsider:
		return fmt.Sprintf("%s, for its task %s", v.Judge, v.Case)
	case v.Case == nil:
		return fmt.Sprintf("judge %s, besides any case", v.Judge)
	}
	return fmt.Sprintf("judge %s, seated in round %d of case %s", v.Judge, v.Round, v.Case)
}

func holderText(a api.AnswerView) string {
	if a.Judge == nil {
		return a.Holder.String()
	}
	return fmt.Sprintf("%s, the node of judge %s", a.Holder, a.Judge)
}

func termsText(a api.AnswerView) string {
	access := "the whole answer"
	if len(a.Access) > 0 {
		access = "the fields " + strings.Join(a.Access, ", ")
	}
	promises := "nothing promised"
	if len(a.Promises) > 0 {
		promises = "promised: " + strings.Join(a.Promises, "; ")
	}
	return fmt.Sprintf("%s; %s; %s", Price(uint64(a.Price)), access, promises)
}

func fetchedText(a api.AnswerView) string {
	stale := ""
	if a.Stale {
		stale = "; STALE: older than promised, or much older than another answer"
	}
	return fmt.Sprintf("%s, %d s before%s", clockTime(a.Receipt.FetchedAt), a.Age, stale)
}

func checkText(a api.AnswerView) string {
	if a.Check == api.ReceiptGood {
		return "signed by the holder over this request and this answer"
	}
	return "DOES NOT HOLD: " + a.Check
}

func comparedText(answers []api.AnswerView) string {
	if slices.ContainsFunc(answers, func(a api.AnswerView) bool { return a.Disputed }) {
		return fmt.Sprintf("THE %d HOLDERS CONTRADICT EACH OTHER", len(answers))
	}
	return fmt.Sprintf("the %d holders say the same", len(answers))
}

func failureText(f evidence.QueryFailure) string {
	if f.Holder == nil {
		return f.Reason
	}
	return fmt.Sprintf("%s: %s", f.Holder, f.Reason)
}

// Holding returns the cells of a holder in a table.
func Holding(h evidence.Holding) []string {
	judge := "-"
	if h.Judge != nil {
		judge = h.Judge.String()
	}
	if h.Card == nil {
		return []string{h.Holder.String(), judge, "?", "?", "it did not show its terms", "?"}
	}
	terms := h.Card.Terms
	return []string{h.Holder.String(), judge, Price(uint64(terms.Price)), fmt.Sprintf("%d/%ds", terms.Rate.Requests, terms.Rate.Seconds),
		who(*h.Card), cmp.Or(strings.Join(promises(*h.Card), "; "), "-")}
}
