package main

import (
	"fmt"
	"slices"
	"strings"

	"ojud/node"
	"ojud/node/client"
	"ojud/node/shelf"
)

// querySheet says what came of a query. What peers said is made visible, and no more.
func querySheet(v client.QueryView) sheet {
	s := sheet{{"source", v.Source}, {"request", shelf.Visible(string(v.Request))}, {"asked as", askedAs(v)}}
	if v.Own {
		s.add("note", "this node has the source itself; to ask that: ojud source test "+v.Source)
	}
	for _, a := range v.Answers {
		s.add("holder", holderText(a))
		s.add("terms", termsText(a))
		s.add("answer", shelf.Visible(string(a.Answer)))
		s.add("fetched", fetchedText(a))
		s.add("receipt", a.Hash.String()+", "+checkText(a))
	}
	for _, f := range v.Failures {
		s.add("no data", failureText(f))
	}
	if len(v.Answers) > 1 {
		s.add("compared", comparedText(v.Answers))
	}
	s.add("time", fmt.Sprintf("%.1f s", float64(v.Millis)/1000))
	return s
}

func askedAs(v client.QueryView) string {
	if v.Case == nil {
		return fmt.Sprintf("judge %s, besides any case", v.Judge)
	}
	return fmt.Sprintf("judge %s, seated in round %d of case %s", v.Judge, v.Round, v.Case)
}

func holderText(a client.AnswerView) string {
	if a.Judge == nil {
		return a.Holder.String()
	}
	return fmt.Sprintf("%s, the node of judge %s", a.Holder, a.Judge)
}

func termsText(a client.AnswerView) string {
	access := "the whole answer"
	if len(a.Access) > 0 {
		access = "the fields " + strings.Join(a.Access, ", ")
	}
	promises := "nothing promised"
	if len(a.Promises) > 0 {
		promises = "promised: " + strings.Join(a.Promises, "; ")
	}
	return shelf.Visible(fmt.Sprintf("%s; %s; %s", priceText(uint64(a.Price)), access, promises))
}

func fetchedText(a client.AnswerView) string {
	stale := ""
	if a.Stale {
		stale = "; STALE: older than promised, or much older than another answer"
	}
	return fmt.Sprintf("%s, %d s before%s", clock(a.Receipt.FetchedAt), a.Age, stale)
}

func checkText(a client.AnswerView) string {
	if a.Check == client.ReceiptGood {
		return "signed by the holder over this request and this answer"
	}
	return "DOES NOT HOLD: " + a.Check
}

func comparedText(answers []client.AnswerView) string {
	if slices.ContainsFunc(answers, func(a client.AnswerView) bool { return a.Disputed }) {
		return fmt.Sprintf("THE %d HOLDERS CONTRADICT EACH OTHER", len(answers))
	}
	return fmt.Sprintf("the %d holders say the same", len(answers))
}

func failureText(f node.QueryFailure) string {
	if f.Holder == nil {
		return shelf.Visible(f.Reason)
	}
	return shelf.Visible(fmt.Sprintf("%s: %s", f.Holder, f.Reason))
}

// remedies is what can be done about failures, each once.
func remedies(failures []node.QueryFailure) string {
	var out []string
	for _, f := range failures {
		if f.Next != "" && !slices.Contains(out, f.Next) {
			out = append(out, f.Next)
		}
	}
	return strings.Join(out, "; or ")
}

// holdingRow is a holder in a table.
func holdingRow(h node.Holding) []string {
	judge := "-"
	if h.Judge != nil {
		judge = h.Judge.String()
	}
	if h.Card == nil {
		return []string{h.Holder.String(), judge, "?", "?", "it did not show its terms", "?"}
	}
	terms := h.Card.Terms
	return []string{h.Holder.String(), judge, priceText(uint64(terms.Price)), fmt.Sprintf("%d/%ds", terms.Rate.Requests, terms.Rate.Seconds),
		whoWords(*h.Card), shelf.Visible(first(strings.Join(promises(*h.Card), "; "), "-"))}
}
