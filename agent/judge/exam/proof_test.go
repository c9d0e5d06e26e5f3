package exam_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge/class"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// proof reports whether the result of an item does its task. It works on the item's own input and
// shares no code with any judge.
type proof func(t *testing.T, p parts) bool

// parts are a proof's inputs.
type parts struct {
	item  exam.Item
	input []json.RawMessage
	out   map[string]any // the result
}

func (p parts) text(t *testing.T) string {
	t.Helper()
	var s string
	if len(p.input) != 1 || json.Unmarshal(p.input[0], &s) != nil {
		t.Fatal("the input is not one text")
	}
	return s
}

// is compares a proof's finding with the result, as JSON.
func (p parts) is(t *testing.T, want any) bool {
	t.Helper()
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	a, err := canon.JSON(raw, casefile.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	b, err := canon.JSON(p.item.Result, casefile.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(a, b)
}

func (p parts) str(name string) string {
	s, ok := p.out[name].(string)
	if !ok {
		return ""
	}
	return s
}

// proofs returns the proofs by the dispute's name, which is the item's without ".good" or ".bad".
func proofs() map[string]proof {
	all := map[string]proof{}
	for _, some := range []map[string]proof{extractions(), codes(), sums(), formats(), facts(), writings()} {
		for name, p := range some {
			all[name] = p
		}
	}
	return all
}

// TestLabels recomputes every label of the shipped exam.
func TestLabels(t *testing.T) {
	items, err := exam.Own()
	if err != nil {
		t.Fatal(err)
	}
	if len(items) < 60 {
		t.Errorf("%d items", len(items))
	}
	known, used, labels := proofs(), map[string]bool{}, map[class.Class][4]int{}
	for _, i := range items {
		stem, _, _ := strings.Cut(i.ID, ".")
		check := known[stem]
		if check == nil {
			t.Errorf("%s: nothing proves its label", i.ID)
			continue
		}
		used[stem] = true
		n := labels[i.Class]
		n[i.Label]++
		labels[i.Class] = n
		t.Run(i.ID, func(t *testing.T) {
			p := parts{item: i}
			var task casefile.Task
			if err := json.Unmarshal(i.Task, &task); err != nil {
				t.Fatal(err)
			}
			p.input = task.InputData
			if err := json.Unmarshal(i.Result, &p.out); err != nil {
				t.Fatal(err)
			}
			if got := check(t, p); got != (i.Label == casefile.Choice(voting.Accept)) {
				t.Errorf("the result is as the task asks: %t; the label says %s", got, voting.Choice(i.Label))
			}
		})
	}
	for name := range known {
		if !used[name] {
			t.Errorf("the proof of %s proves nothing", name)
		}
	}
	for _, c := range class.All() {
		if n := labels[c]; n[voting.Accept] < 5 || n[voting.Reject] != n[voting.Accept] {
			t.Errorf("%s: %d to accept, %d to reject", c, n[voting.Accept], n[voting.Reject])
		}
	}
}

func extractions() map[string]proof {
	return map[string]proof{
		"extraction-invoice": func(t *testing.T, p parts) bool {
			s := p.text(t)
			date, err := time.Parse("02/01/2006", regexp.MustCompile(`Date: (\S+)`).FindStringSubmatch(s)[1])
			if err != nil {
				t.Fatal(err)
			}
			total := regexp.MustCompile(`Total due: (\d+)\.(\d\d) (\w+)`).FindStringSubmatch(s)
			cents, err := strconv.Atoi(total[1] + total[2])
			if err != nil {
				t.Fatal(err)
			}
			return p.is(t, map[string]any{"number": regexp.MustCompile(`Invoice (\S+)`).FindStringSubmatch(s)[1], "date": date.Format(time.DateOnly), "total_cents": cents, "currency": total[3]})
		},
		"extraction-addresses": func(t *testing.T, p parts) bool {
			var out []string
			for _, word := range strings.FieldsFunc(strings.ToLower(p.text(t)), func(r rune) bool { return strings.ContainsRune(" ,()\n:", r) }) {
				word = strings.TrimRight(word, ".")
				if strings.HasSuffix(word, "@example.org") && !slices.Contains(out, word) {
					out = append(out, word)
				}
			}
			return p.is(t, map[string]any{"addresses": out})
		},
		"extraction-log": func(t *testing.T, p parts) bool {
			var out []string
			for line := range strings.Lines(p.text(t)) {
				f := strings.Fields(line)
				if code, err := strconv.Atoi(f[len(f)-1]); err == nil && code/100 == 5 {
					out = append(out, strings.TrimPrefix(f[1], "id="))
				}
			}
			return p.is(t, map[string]any{"ids": out})
		},
		"extraction-city": func(t *testing.T, p parts) bool {
			var out []map[string]string
			for line := range strings.Lines(p.text(t)) {
				f := strings.Split(line, ";")
				if strings.EqualFold(strings.TrimSpace(f[1]), "lisbon") {
					out = append(out, map[string]string{"name": strings.TrimSpace(f[0]), "phone": strings.TrimSpace(f[2])})
				}
			}
			return p.is(t, map[string]any{"people": out})
		},
		"extraction-depth": func(t *testing.T, p parts) bool {
			var out []string
			for _, m := range regexp.MustCompile(`"id":"([^"]*)"`).FindAllStringSubmatch(p.text(t), -1) {
				out = append(out, m[1])
			}
			return p.is(t, map[string]any{"ids": out})
		},
		"extraction-actions": func(t *testing.T, p parts) bool {
			var out []map[string]string
			for _, m := range regexp.MustCompile(`(?m)^ACTION\((\w+)\): (.*)$`).FindAllStringSubmatch(p.text(t), -1) {
				out = append(out, map[string]string{"owner": m[1], "text": m[2]})
			}
			return p.is(t, map[string]any{"actions": out})
		},
	}
}

// halfUp rounds a fraction to whole numbers, half up.
func halfUp(n, d int64) int64 {
	q := new(big.Int).Mul(big.NewInt(2), big.NewInt(n))
	q.Add(q, big.NewInt(d)).Div(q, big.NewInt(2*d)) // floor((2n + d) / 2d)
	return q.Int64()
}

// each reads the input as a list.
func each[T any](t *testing.T, p parts) (out []T) {
	t.Helper()
	for _, raw := range p.input {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func sums() map[string]proof {
	return map[string]proof{
		"arithmetic-vat": func(t *testing.T, p parts) bool {
			total := int64(0)
			for _, r := range each[struct {
				Net int64 `json:"net_cents"`
				VAT int64 `json:"vat_percent"`
			}](t, p) {
				total += r.Net + halfUp(r.Net*r.VAT, 100)
			}
			return p.is(t, map[string]any{"total_cents": total})
		},
		"arithmetic-weighted": func(t *testing.T, p parts) bool {
			var sum, weight int64
			for _, r := range each[struct{ Mark, Weight int64 }](t, p) {
				sum, weight = sum+r.Mark*r.Weight, weight+r.Weight
			}
			return p.is(t, map[string]any{"average": float64(halfUp(sum*100, weight)) / 100})
		},
		"arithmetic-compound": func(t *testing.T, p parts) bool {
			l := each[struct {
				Principal int64 `json:"principal_cents"`
				Yearly    int64 `json:"yearly_percent"`
				Years     int
			}](t, p)[0]
			for range l.Years {
				l.Principal += halfUp(l.Principal*l.Yearly, 100)
			}
			return p.is(t, map[string]any{"balance_cents": l.Principal})
		},
		"arithmetic-gaps": func(t *testing.T, p parts) bool {
			rows, want := strings.Split(p.text(t), "\n"), map[string]any{}
			for column, name := range strings.Split(rows[0], ";") {
				var sum, n int64
				for _, r := range rows[1:] {
					if v, err := strconv.ParseInt(strings.Split(r, ";")[column], 10, 64); err == nil {
						sum, n = sum+v, n+1
					}
				}
				if n > 0 {
					want[name] = float64(halfUp(sum*10, n)) / 10
				}
			}
			return p.is(t, want)
		},
		"arithmetic-trip": func(t *testing.T, p parts) bool {
			sum := int64(0)
			for _, r := range each[struct {
				Speed   int64 `json:"km_per_hour"`
				Minutes int64
			}](t, p) {
				sum += r.Speed * r.Minutes
			}
			return p.is(t, map[string]any{"km": float64(halfUp(sum*10, 60)) / 10})
		},
		"arithmetic-days": func(t *testing.T, p parts) bool {
			d, err := time.Parse(time.DateOnly, p.text(t))
			if err != nil {
				t.Fatal(err)
			}
			d = d.AddDate(0, 0, 100)
			return p.is(t, map[string]any{"date": d.Format(time.DateOnly), "weekday": d.Weekday().String()})
		},
	}
}

func formats() map[string]proof {
	return map[string]proof{
		"format-box": func(t *testing.T, p parts) bool {
			edge, side := "+"+strings.Repeat("-", 18)+"+", "|"+strings.Repeat(" ", 18)+"|"
			return p.is(t, map[string]any{"box": strings.Join([]string{edge, side, side, side, edge}, "\n")})
		},
		"format-sort": func(t *testing.T, p parts) bool {
			words := each[[]string](t, p)[0]
			slices.SortFunc(words, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
			return p.is(t, map[string]any{"list": strings.Join(words, ", ")})
		},
		"format-dates": func(t *testing.T, p parts) bool {
			var out []string
			for _, s := range each[[]string](t, p)[0] {
				d, err := time.Parse("2 January 2006", s)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, d.Format(time.DateOnly))
			}
			slices.Sort(out)
			return p.is(t, map[string]any{"dates": strings.Join(out, ";")})
		},
		"format-csv": func(t *testing.T, p parts) bool {
			var want bytes.Buffer
			w := csv.NewWriter(&want)
			rows := [][]string{{"sku", "name", "price"}}
			for _, r := range each[struct{ SKU, Name, Price string }](t, p) {
				rows = append(rows, []string{r.SKU, r.Name, r.Price})
			}
			if err := w.WriteAll(rows); err != nil {
				t.Fatal(err)
			}
			got, err := csv.NewReader(strings.NewReader(p.str("csv"))).ReadAll()
			return err == nil && slices.EqualFunc(got, rows, slices.Equal[[]string]) && p.str("csv") == want.String()
		},
		"format-acrostic": func(_ *testing.T, p parts) bool {
			lines, word := strings.Split(p.str("text"), "\n"), ""
			for _, l := range lines {
				if len(strings.Fields(l)) < 3 {
					return false
				}
				word += l[:1]
			}
			return len(lines) == 5 && word == "JUDGE"
		},
		"format-numbers": func(t *testing.T, p parts) bool {
			var out []string
			for i, s := range each[[]string](t, p)[0] {
				out = append(out, strconv.Itoa(i+1)+". "+s)
			}
			return p.is(t, map[string]any{"list": strings.Join(out, "\n")})
		},
	}
}

// ask returns the first holder's answer to a request, or nil if there is none.
func ask[T any](t *testing.T, p parts, request string) (out []T) {
	t.Helper()
	for _, a := range p.item.Answers {
		if got, err := canon.JSON(a.Request, casefile.MaxDocument); err != nil || string(got) != request {
			continue
		}
		for _, h := range a.Holders {
			var v T
			if err := json.Unmarshal(h.Content, &v); err != nil {
				t.Fatal(err)
			}
			out = append(out, v)
		}
	}
	return out
}

func facts() map[string]proof {
	return map[string]proof{
		"facts-post": func(t *testing.T, p parts) bool {
			said := ask[struct{ Author, Text string }](t, p, `{"id":"`+p.str("post_id")+`"}`)
			for _, s := range said {
				if s.Author != "rosa_k" || !strings.Contains(strings.ToLower(s.Text), "harbour festival") {
					return false
				}
			}
			return len(said) > 0
		},
		"facts-rate": func(t *testing.T, p parts) bool {
			rate, ok := new(big.Rat).SetString(ask[struct{ Rate string }](t, p, `{"date":"2026-02-11","from":"USD","to":"EUR"}`)[0].Rate)
			if !ok {
				t.Fatal("no rate")
			}
			rate.Mul(rate, big.NewRat(125000, 1))
			return p.is(t, map[string]any{"eur_cents": halfUp(rate.Num().Int64(), rate.Denom().Int64())})
		},
		"facts-edition": func(t *testing.T, p parts) bool {
			book := ask[struct {
				Title    string
				Editions []struct {
					Year int
					Note string
				}
			}](t, p, `{"isbn":`+string(p.input[0])+`}`)[0]
			years := []int{}
			for _, e := range book.Editions {
				years = append(years, e.Year)
				if e.Note == "first" && e.Year != slices.Min(years) && len(years) == len(book.Editions) {
					return false
				}
			}
			return p.is(t, map[string]any{"title": book.Title, "first_edition": slices.Min(years)})
		},
		"facts-station": func(t *testing.T, p parts) bool {
			day := ask[struct {
				Unit   string
				Hourly []float64
			}](t, p, `{"date":"2026-07-03","station":"K7"}`)[0]
			return day.Unit == "F" && p.is(t, map[string]any{"celsius": math.Round((slices.Max(day.Hourly) - 32) * 5 / 9)})
		},
		"facts-majority": func(t *testing.T, p parts) bool {
			count := map[int]int{}
			for _, h := range ask[struct{ Seats int }](t, p, `{"hall":"Atlas"}`) {
				count[h.Seats]++
			}
			seats, ok := p.out["seats"].(float64)
			return ok && count[int(seats)] == 2
		},
		"facts-parcel": func(t *testing.T, p parts) bool {
			for _, e := range ask[[]struct{ At, Event, Place string }](t, p, `{"parcel":"ZX-55"}`)[0] {
				if e.Event == "delivered" {
					return e.Place == "9 Quay Street" && e.At == p.str("delivered")
				}
			}
			return false
		},
	}
}

// sentences splits at full stops.
func sentences(s string) (out []string) {
	for part := range strings.SplitSeq(s, ".") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func writings() map[string]proof {
	return map[string]proof{
		"writing-mug": func(_ *testing.T, p parts) bool {
			s := strings.ToLower(p.str("text"))
			n := len(strings.Fields(s))
			return n >= 30 && n <= 60 && strings.Contains(s, "mug") && strings.Contains(s, "dishwasher-safe") && strings.Contains(s, "24 eur") &&
				!regexp.MustCompile(`\bbest\b|!`).MatchString(s)
		},
		"writing-decline": func(_ *testing.T, p parts) bool {
			s := p.str("email")
			refuses := regexp.MustCompile(`cannot come|have to decline|not be able to come`).MatchString(s)
			return refuses && strings.HasPrefix(s, "Dear Dr. Okafor,") && strings.HasSuffix(s, "\nKind regards,\nMina Sato") && strings.Contains(s, "14 May") && len(strings.Fields(s)) < 80
		},
		"writing-river": func(_ *testing.T, p parts) bool {
			lines := strings.Split(p.str("poem"), "\n")
			for _, l := range lines {
				if !strings.HasPrefix(l, "The river ") {
					return false
				}
			}
			slices.Sort(lines)
			return len(lines) == 8 && len(slices.Compact(lines)) == 8
		},
		"writing-reasons": func(_ *testing.T, p parts) bool {
			s := p.str("summary")
			return len(sentences(s)) == 1 && len(strings.Fields(s)) <= 25 && strings.Contains(s, "bridge") && strings.Contains(s, "fuel") && strings.Contains(s, "captain")
		},
		"writing-kite": func(_ *testing.T, p parts) bool {
			all := sentences(p.str("story"))
			for _, s := range all {
				if len(strings.Fields(s)) > 8 {
					return false
				}
			}
			return len(all) == 6 && strings.HasSuffix(p.str("story"), ".") && strings.Contains(p.str("story"), "Ravi") && strings.Contains(p.str("story"), "kite")
		},
		"writing-plain": func(_ *testing.T, p parts) bool {
			for _, w := range regexp.MustCompile(`\pL+`).FindAllString(p.str("notice"), -1) {
				if len(w) > 8 {
					return false
				}
			}
			return strings.Contains(p.str("notice"), "18:30") && strings.Contains(p.str("notice"), "hall B") && strings.Contains(p.str("notice"), "Riverton")
		},
	}
}
