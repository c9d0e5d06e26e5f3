package generator

import (
	"fmt"
	"slices"
	"strings"
)

// logbook is the log of a server and the question about its requests.
type logbook struct {
	rows   []request
	path   string // only requests below it count
	least  int    // milliseconds
	equal  bool   // exactly so many milliseconds count
	server bool   // errors of the server count, and not those of the client
}

type request struct {
	second   int
	id, path string
	code, ms int
}

var (
	logPaths = []string{"/pay", "/img", "/api", "/search", "/login"}
	logCodes = []int{200, 200, 200, 201, 301, 400, 403, 404, 429, 499, 500, 502, 503, 504}
)

func drawLog(d *dice, l level) (twins, error) {
	b := logbook{path: pick(d, logPaths...), least: 100 * d.from(3, 9), equal: d.chance(50), server: d.chance(50)}
	second := d.from(30_000, 60_000)
	for i := range rows(d, l, 12, 20) {
		second += d.from(0, 9)
		id := fmt.Sprintf("%c%c%02d", 'a'+d.below(26), 'a'+i%26, d.below(100))
		path := pick(d, append(slices.Clone(logPaths), b.path, b.path)...)
		b.rows = append(b.rows, request{second, id, fmt.Sprintf("%s/%d", path, d.from(1, 999)), pick(d, logCodes...), d.from(5, 1400)})
	}
	ids := map[string]bool{}
	for i := range b.rows {
		for ids[b.rows[i].id] {
			b.rows[i].id += pick(d, "x", "y", "z")
		}
		ids[b.rows[i].id] = true
	}
	other := b
	other.rows = slices.Clone(b.rows)
	why := [2]string{}
	at := d.below(len(b.rows))
	one, two := &b.rows[at], &other.rows[at]
	one.path, two.path = b.path+one.path[strings.LastIndex(one.path, "/"):], b.path+one.path[strings.LastIndex(one.path, "/"):]
	good, bad := pick(d, 500, 502, 503, 504), pick(d, 400, 403, 404, 429, 499)
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // two requests exchange their codes
		one.ms, two.ms = b.least+90, b.least+90
		next := (at + 1) % len(b.rows) // it took less, and does not count
		one.code, two.code, b.rows[next].ms = good, bad, 4
		b.rows[next].code = bad
		other.rows[next] = b.rows[next]
		other.rows[next].code = good
		why = [2]string{fmt.Sprintf("%s ended with %d", one.id, one.code), fmt.Sprintf("%s ended with %d", one.id, two.code)}
	case 1: // two requests exchange their paths
		one.ms, two.ms = b.least+90, b.least+90
		one.code, two.code = good, good
		b.server, other.server = true, true
		next := (at + 1) % len(b.rows)
		b.rows[next].path = pick(d, slices.DeleteFunc(slices.Clone(logPaths), func(p string) bool { return p == b.path })...) + b.path + fmt.Sprint("/", d.from(1, 99))
		b.rows[next].code = 200
		other.rows[next] = b.rows[next]
		two.path, other.rows[next].path = b.rows[next].path, one.path
		why = [2]string{one.id + " asked for " + one.path, one.id + " asked for " + two.path}
	case 2: // a request that took exactly so long
		one.ms, two.ms = b.least, b.least
		one.code, two.code = good, good
		b.server, other.server = true, true
		b.equal, other.equal = true, false
		why = [2]string{fmt.Sprintf("%d ms are enough", b.least), fmt.Sprintf("%d ms are not enough", b.least)}
	case 3: // whose errors
		b.server, other.server = true, false
		why = [2]string{"the errors of the server are asked for", "the errors of the client are asked for"}
	}
	if len(b.ids()) == 0 || len(other.ids()) == 0 {
		return twins{}, nil // drawn again: nobody pays for an empty list
	}
	v := d.voice()
	f := v.name("{ids|requests|request_ids|matches|found|failed}")
	claims := claimIDs(v, f, b.ids(), other.ids())
	return twins{
		sides: [2]side{b.side(v, f, claims[0], why[0]), other.side(v, f, claims[1], why[1])}, topic: f,
		aside:  []string{fmt.Sprintf("the log has %d lines", len(b.rows)), "the ids are in the order of the log", "the path is " + b.path},
		fields: []field{{f, `["string"]`}},
	}, nil
}

// claimIDs says of two lists what belongs there and what does not.
func claimIDs(v voice, name string, a, b []string) (claims [2]string) {
	has, lacks := v.say("{$1 must have $2|$2 must be in $1|$2 has its place in $1}", name), v.say("{$1 must not have $2|$2 does not belong in $1|$2 has no place in $1|without $2 it is right}", name)
	for i, of := range [2][2][]string{{a, b}, {b, a}} {
		var more, less []string
		for _, id := range of[0] {
			if !slices.Contains(of[1], id) {
				more = append(more, id)
			}
		}
		for _, id := range of[1] {
			if !slices.Contains(of[0], id) {
				less = append(less, id)
			}
		}
		var parts []string
		if len(more) > 0 {
			parts = append(parts, strings.ReplaceAll(has, "$2", strings.Join(more, ", ")))
		}
		if len(less) > 0 {
			parts = append(parts, strings.ReplaceAll(lacks, "$2", strings.Join(less, ", ")))
		}
		claims[i] = strings.Join(parts, " and ")
	}
	return claims
}

func (b logbook) counts(r request) bool {
	failed := r.code >= 500 && b.server || r.code >= 400 && r.code < 500 && !b.server
	return strings.HasPrefix(r.path, b.path+"/") && failed && (r.ms > b.least || r.ms == b.least && b.equal)
}

func (b logbook) ids() []string {
	out := []string{}
	for _, r := range b.rows {
		if b.counts(r) {
			out = append(out, r.id)
		}
	}
	return out
}

func (b logbook) side(v voice, f, claim, why string) side {
	var text []string
	method := v.say("{GET|GET|POST|PUT}")
	row := v.say("{$1 $2 $3 $4 $5 $6ms|$1\t$2\t$3\t$4\t$5\t$6ms|$1 ¦ $2 ¦ $3 ¦ $4 ¦ $5 ¦ $6ms|[$1] $2 $3 $4 $5 $6ms}")
	for _, r := range b.rows {
		text = append(text, fill(row, fmt.Sprintf("%02d:%02d:%02d", r.second/3600, r.second/60%60, r.second%60), r.id, method, r.path, r.code, r.ms))
	}
	whose, limit := "{an error of the client, not of the server,|a client error|an error that the client made}", "{more than|longer than|over}"
	if b.server {
		whose = "{an error of the server, not of the client,|a server error|an error that the server made}"
	}
	if b.equal {
		limit = "{at least|no less than}"
	}
	ids := b.ids()
	return side{
		instruction: []string{
			v.say("{Return as $5|List in $5|Give as $5|Put into $5} the ids of {the|all} requests {below|under} $1/ that {ended with|failed with|got} $2 and {took|needed|lasted} $3 $4 ms{, in the order of the log|, in the log's order|. Keep the order of the log}.",
				b.path, v.say(whose), v.say(limit), b.least, f),
			v.say("{The server errs with a code from 500 to 599, the client with one from 400 to 499|Codes 500 to 599 are errors of the server, 400 to 499 of the client|5xx is the server's fault, 4xx the client's}. "+
				"{A path is below another if it begins with it|What counts is how the path begins|Only the beginning of the path decides}. "+
				"{The fields of a line are $1, id, $2 and $3|Each line has $1, id, $2, $3|Columns: $1, id, $2, $3|$1, id, $2, $3: so a line is made|Read a line as $1, id, $2 and $3}.",
				v.say("{time|hour|clock}"), v.say("{method, path|verb, path|method and path}"), v.say("{code, duration|status, duration|status code, milliseconds|code and then how long it took}")),
		},
		input: []string{lines(text...)}, result: object{f: ids}, claim: claim, reason: why,
		program: b.program(f),
		steps:   []string{fmt.Sprintf("Filter the %d lines by path, code and duration. There are %d ids: %s.", len(b.rows), len(ids), strings.Join(ids, ", "))},
	}
}
