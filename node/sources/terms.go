package sources

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/datasource"
)

// terms returns the draft's terms, with the defaults of datasource.
func (d *Draft) terms() (datasource.Terms, error) {
	t := datasource.DefaultTerms()
	t.Price, t.Demands, t.Access = casefile.Amount(d.Price), d.Demand, d.Access
	t.Promises.RetentionSeconds, t.Promises.Others = d.Retention, d.Promise
	if d.Freshness != nil {
		t.Promises.FreshnessSeconds = *d.Freshness
	}
	if d.Quota != 0 {
		t.Quota = d.Quota
	}
	for flag, rate := range map[string]struct {
		text string
		into *datasource.Rate
	}{"rate": {d.Rate, &t.Rate}, "total-rate": {d.TotalRate, &t.TotalRate}} {
		if rate.text == "" {
			continue
		}
		r, ok := parseRate(rate.text)
		if !ok {
			return t, wrong(flag, "%.40q is no rate; write requests/time, such as 60/60s or 1000/1h", rate.text)
		}
		*rate.into = r
	}
	var err error
	t.Who, err = parseWho(d.Who)
	return t, err
}

// maxRate returns how often the upstream may be called.
func (d *Draft) maxRate() (r datasource.Rate, err error) {
	if d.MaxRate == "" {
		return r, nil
	}
	r, ok := parseRate(d.MaxRate)
	if !ok {
		err = wrong("max-rate", "%.40q is no rate; write requests/time, such as 10/1s or 1000/24h", d.MaxRate)
	}
	return r, err
}

// parseRate reads "60/60s", "10/1m", "1000/24h"; "60/s" is 60 a second.
func parseRate(text string) (datasource.Rate, bool) {
	count, per, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if per = strings.TrimSpace(per); per != "" && per[0] > '9' {
		per = "1" + per
	}
	span, bad := time.ParseDuration(per)
	if !ok || err != nil || bad != nil || span%time.Second != 0 {
		return datasource.Rate{}, false
	}
	return datasource.Rate{Requests: n, Seconds: int(span / time.Second)}, true
}

// rateText writes a rate as parseRate reads it.
func rateText(r datasource.Rate) string {
	return strconv.Itoa(r.Requests) + "/" + strconv.Itoa(r.Seconds) + "s"
}

// parseWho reads a class, or addresses with commas between them.
func parseWho(text string) (datasource.Who, error) {
	if text == "" {
		return datasource.DefaultTerms().Who, nil
	}
	class := datasource.Class(text)
	if slices.Contains(datasource.Classes(), class) {
		return datasource.Who{Class: class}, nil
	}
	who := datasource.Who{Class: datasource.Listed}
	for _, part := range strings.Split(text, ",") {
		a, err := casefile.ParseAddress(strings.TrimSpace(part))
		if err != nil {
			return who, wrong("who", "%.64q is neither seated, judges, roster, agents, parties or anyone nor the base58 address of an authority (several with commas between them)", part)
		}
		who.Authorities = append(who.Authorities, a)
	}
	return who, nil
}

// whoText writes askers as parseWho reads them.
func whoText(w datasource.Who) string {
	if w.Class != datasource.Listed {
		return string(w.Class)
	}
	var list []string
	for _, a := range w.Authorities {
		list = append(list, a.String())
	}
	return strings.Join(list, ",")
}
