package node

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge"
	"ojud/agent/model"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// The folder ops, from here.
const (
	opsRules     = "../ops/alerts.rules.yml"
	opsTests     = "../ops/alerts.test.yml"
	opsDashboard = "../ops/dashboard.json"
	opsReadme    = "../ops/README.md"
)

// expression is a PromQL expression of the folder ops, and where it stands.
type expression struct{ where, text string }

func readOps(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// charts returns the expressions of the dashboard.
func charts(t *testing.T) (out []expression) {
	t.Helper()
	var d struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Query any }
		}
	}
	if err := json.Unmarshal([]byte(readOps(t, opsDashboard)), &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			text := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(target.Expr)
			out = append(out, expression{"panel " + p.Title, text})
		}
	}
	return out
}

var (
	alertName = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)
	alertExpr = regexp.MustCompile(`(?m)^ +expr: (?:>-\n((?: {10,}.*\n)+)|(.*)\n)`)
)

// alerts returns the names and the expressions of the alerts.
func alerts(t *testing.T) (names []string, out []expression) {
	t.Helper()
	text := readOps(t, opsRules)
	for _, m := range alertName.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	for i, m := range alertExpr.FindAllStringSubmatch(text, -1) {
		if i < len(names) {
			out = append(out, expression{"alert " + names[i], m[1] + m[2]})
		}
	}
	if len(out) != len(names) || len(names) == 0 {
		t.Fatalf("%d alerts, %d expressions", len(names), len(out))
	}
	return names, out
}

var (
	promText     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	promLabels   = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	promRange    = regexp.MustCompile(`\[[^\]]*\]|\boffset\s+\w+`)
	promSelector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?\s*(\(?)`)
	promLabel    = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)`)
	promWords    = []string{"and", "or", "unless", "bool"}
)

// usage is what an expression asks for: labels by metric, and the labels by which it groups.
type usage struct {
	metrics map[string][]string
	groups  []string
}

// used reads an expression. It knows so much of PromQL as the folder ops uses.
func used(text string) usage {
	out := usage{metrics: map[string][]string{}}
	text = promText.ReplaceAllString(text, `""`)
	for _, m := range promLabels.FindAllStringSubmatch(text, -1) {
		for label := range strings.SplitSeq(m[1], ",") {
			out.groups = append(out.groups, strings.TrimSpace(label))
		}
	}
	text = promRange.ReplaceAllString(promLabels.ReplaceAllString(text, " "), " ")
	for _, m := range promSelector.FindAllStringSubmatch(text, -1) {
		if m[3] != "" && m[2] == "" || slices.Contains(promWords, m[1]) || regexp.MustCompile(`^e\d*$`).MatchString(m[1]) {
			continue // a function, an operator, or the exponent of a number
		}
		labels := out.metrics[m[1]]
		for _, l := range promLabel.FindAllStringSubmatch(m[2], -1) {
			labels = append(labels, l[1])
		}
		out.metrics[m[1]] = labels
	}
	return out
}

// given are the labels that Prometheus itself adds, and up is its own metric.
var given = []string{"instance", "job"}

// missing returns what an expression names and a node does not have.
func missing(e expression, labels map[string][]string) (faults []string) {
	u := used(e.text)
	var all []string
	for name, wants := range u.metrics {
		own, ok := labels[name]
		if !ok {
			faults = append(faults, fmt.Sprintf("%s: there is no metric %s", e.where, name))
			continue
		}
		all = append(append(all, own...), given...)
		for _, label := range wants {
			if !slices.Contains(own, label) && !slices.Contains(given, label) {
				faults = append(faults, fmt.Sprintf("%s: %s has no label %s", e.where, name, label))
			}
		}
	}
	for _, label := range u.groups {
		if !slices.Contains(all, label) {
			faults = append(faults, fmt.Sprintf("%s: no metric in it has the label %s", e.where, label))
		}
	}
	if len(u.metrics) == 0 {
		faults = append(faults, e.where+": it names no metric")
	}
	return faults
}

// described returns the labels of each metric that a registry can show.
func described(reg *prometheus.Registry) map[string][]string {
	descriptions := make(chan *prometheus.Desc, 1024)
	reg.Describe(descriptions)
	close(descriptions)
	form := regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)
	out := map[string][]string{"up": given}
	for d := range descriptions {
		m := form.FindStringSubmatch(d.String())
		var labels []string
		if m[2] != "" {
			labels = strings.Split(m[2], ",")
		}
		out[m[1]] = labels
	}
	return out
}

// scraped reads the metrics of a running node as Prometheus does. It returns each series' name, and
// the families with their types.
func scraped(t *testing.T, home string) (series []string, types map[string]string) {
	t.Helper()
	addr := readOps(t, filepath.Join(home, "api"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+strings.TrimSpace(addr)+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	types = map[string]string{}
	for s := bufio.NewScanner(io.LimitReader(response.Body, 8<<20)); s.Scan(); {
		line := s.Text()
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			types[name] = kind
		} else if !strings.HasPrefix(line, "#") {
			series = append(series, line[:strings.LastIndexByte(line, ' ')])
		}
	}
	return series, types
}

// TestOps: each metric and label that the dashboard and the alerts name exists at a real node, and
// promtool reads every expression and confirms when the alerts fire.
func TestOps(t *testing.T) {
	longtest.Only(t)
	w := newChain(t, chainConfig(), brisk)
	w.joinWith(paged(&pager{}))
	w.joinWith(func(m *member) {
		m.cfg.API.Listen = "127.0.0.1:0"
		m.cfg.Judge.Kind = judge.KindModel
		m.cfg.Models.Models = []model.Endpoint{{Name: "local", Provider: model.OpenAI, URL: "http://127.0.0.1:1/v1", Model: "m"}}
	})
	n := w.nodes[1]
	p2ptest.Eventually(t, time.Minute, "the node serves", func() bool {
		_, err := os.Stat(n.home.Path("api"))
		return err == nil
	})
	labels := described(n.deps.Metrics)
	series, types := scraped(t, n.home.Dir)
	for name, kind := range types {
		if _, ok := labels[name]; !ok {
			t.Errorf("/metrics has %s, which the node does not describe", name)
		}
		if kind == "histogram" {
			labels[name+"_bucket"], labels[name+"_sum"], labels[name+"_count"] = append(slices.Clone(labels[name]), "le"), labels[name], labels[name]
			delete(labels, name)
		}
	}
	// A histogram with labels has no series before its first value.
	for name := range labels {
		if strings.HasSuffix(name, "_seconds") && types[name] == "" {
			labels[name+"_bucket"] = append(slices.Clone(labels[name]), "le")
		}
	}
	// The alerts about lost stake and votes need these series from the start. Without it they miss
	// the first loss.
	for _, want := range []string{`ojud_node_seats_total{result="absent"}`, `ojud_node_seats_total{result="equivocated"}`, `ojud_node_abstentions_total{reason="no_time"}`} {
		if !slices.Contains(series, want) {
			t.Errorf("/metrics of a node without a case has no %s", want)
		}
	}
	names, all := alerts(t)
	all = append(all, charts(t)...)
	if len(all) < 50 {
		t.Errorf("only %d expressions", len(all))
	}
	for _, e := range all {
		for _, fault := range missing(e, labels) {
			t.Error(fault)
		}
	}
	page, tests := readOps(t, opsReadme), readOps(t, opsTests)
	for _, name := range names {
		if !strings.Contains(page, "| "+name+" |") {
			t.Errorf("%s does not say what to do at %s", opsReadme, name)
		}
		if !strings.Contains(tests, "- name: "+name+" quiet\n") || !strings.Contains(tests, "- name: "+name+" fires\n") {
			t.Errorf("%s does not test when %s fires and when not", opsTests, name)
		}
	}
	promtool(t, all)
}

// TestOpsControl: the check finds what is wrong, and nothing where all is well.
func TestOpsControl(t *testing.T) {
	labels := map[string][]string{"a_total": {"result"}, "b_bucket": {"le", "kind"}, "up": given}
	for text, want := range map[string]int{
		`sum by (result) (rate(a_total{instance=~"x", result!="b_total{y}"}[5m])) > 1e6`: 0,
		`histogram_quantile(0.9, sum by (le, kind) (rate(b_bucket[1h])))`:                0,
		`(a_total unless a_total offset 15m) > 0 or up == 0`:                             0,
		`rate(a_totals[5m])`:              1,
		`a_total{reason="x"}`:             1,
		`sum by (kind) (a_total)`:         1,
		`a_total and on (instance) c > 0`: 1,
		`1 > 0`:                           1,
	} {
		if got := missing(expression{"x", text}, labels); len(got) != want {
			t.Errorf("%s: %q, want %d faults", text, got, want)
		}
	}
}

// promtool has Prometheus' own tool check the expressions and test the alerts.
func promtool(t *testing.T, all []expression) {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("promtool is missing, and CI must test the alerts; it comes with Debian's package prometheus: %v", err)
		}
		t.Logf("NOT RUN: the alerts were not tested by Prometheus; install promtool, which comes with Debian's package prometheus: %v", err)
		return
	}
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: ops\n    rules:\n")
	for i, e := range all {
		fmt.Fprintf(&rules, "      - record: x%d\n        expr: %q\n", i, strings.Join(strings.Fields(e.text), " "))
	}
	path := filepath.Join(t.TempDir(), "all.yml")
	if err := os.WriteFile(path, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", path}, {"check", "rules", opsRules}, {"test", "rules", opsTests}} {
		if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	// The control: a limit that is moved by one is found.
	moved := strings.Replace(readOps(t, opsRules), "< 10000000\n", "<= 10000000\n", 1)
	dir := t.TempDir()
	for name, text := range map[string]string{"alerts.rules.yml": moved, "alerts.test.yml": readOps(t, opsTests)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), program, "test", "rules", filepath.Join(dir, "alerts.test.yml")).CombinedOutput(); err == nil || !strings.Contains(string(out), "OjudFundsLow") {
		t.Errorf("a wrong limit was not found: %v\n%s", err, out)
	}
}
