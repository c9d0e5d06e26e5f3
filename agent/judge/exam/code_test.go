package exam_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// codes returns proofs that run the code of a dispute.
func codes() map[string]proof {
	return map[string]proof{
		"code-median": func(t *testing.T, p parts) bool {
			return run(t, p.str("go"), `
	v := []int{3, 1, 2}
	w := []int{4, 1, 3, 2}
	fmt.Print(Median(v), v, Median(w), w, Median([]int{7}), Median([]int{-5, -4}))`) == "2 [3 1 2] 2.5 [4 1 3 2] 7 -4.5"
		},
		"code-reverse": func(t *testing.T, p parts) bool {
			return run(t, p.str("go"), `
	for _, s := range []string{"", "a", "ab", "abc", "héß", "日本"} {
		fmt.Print(Reverse(s), "|")
	}`) == "|a|ba|cba|ßéh|本日|"
		},
		"code-leap": func(t *testing.T, p parts) bool {
			return run(t, p.str("go"), `
	n := 0
	for y := 1601; y <= 2400; y++ {
		if Leap(y) {
			n++
		}
	}
	fmt.Print(n, Leap(1900), Leap(2000), Leap(2023), Leap(2024))`) == "194 false true false true"
		},
		"code-absent": func(t *testing.T, p parts) bool { return query(t, p) == "Ben,Di" },
		"code-second": func(t *testing.T, p parts) bool { return query(t, p) == "5200" },
		"code-ipv4": func(t *testing.T, p parts) bool {
			re, err := regexp.Compile(p.str("regexp"))
			if err != nil {
				t.Fatal(err)
			}
			yes := []string{"0.0.0.0", "255.255.255.255", "10.20.30.40", "1.99.100.249", "9.199.200.250"}
			no := []string{"", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.256", "01.2.3.4", "1.2.3.004", "1.2.3.00", "a.b.c.d", " 1.2.3.4", "1.2.3.4\n", "1,2,3,4", "1.2.3.300"}
			return !slices.ContainsFunc(yes, func(s string) bool { return !re.MatchString(s) }) && !slices.ContainsFunc(no, re.MatchString)
		},
	}
}

// run compiles a function with a main around it and returns what it prints.
func run(t *testing.T, function, body string) string {
	t.Helper()
	imports := ""
	if strings.HasPrefix(function, "import ") {
		imports, function, _ = strings.Cut(function, "\n")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	text := fmt.Sprintf("package main\n\nimport \"fmt\"\n%s\n%s\nfunc main() {%s\n}\n", imports, function, body)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", file)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, text)
	}
	return string(out)
}

// query runs the SQL of a result on the input's database and joins the first column.
func query(t *testing.T, p parts) string {
	t.Helper()
	return selected(t, p.text(t), p.str("sql"))[0]
}

// selected runs queries on a database and joins the first column of each.
func selected(t *testing.T, database string, queries ...string) (all []string) {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	for _, query := range queries {
		all = append(all, strings.Join(column(t, db, query), ","))
	}
	return all
}

// column returns the first column of a query.
func column(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
