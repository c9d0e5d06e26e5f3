package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ojud/agent/host"
	"ojud/casefile/canon"
	"ojud/datasource/kind"
	"ojud/schema"
)

// upstream reads the settings of a server.
func upstream(field string, members map[string]any) (kind.Settings, error) {
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, wrong(field, "cannot be read: %v", err)
	}
	canonical, err := canon.JSON(raw, maxBytes)
	if err != nil {
		return nil, wrong(field, "cannot be read: %v", err)
	}
	s, err := kind.Decode("agent", canonical, field)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return nil, wrong(field, "cannot be used: %v", err)
	}
	return s, nil
}

func program(at string, run, pass []string) error {
	if len(run) == 0 || len(run) > 64 || run[0] == "" {
		return wrong(at+"run", `has %d words; write the program and its arguments, such as ["./answer.sh"] (1 to 64)`, len(run))
	}
	for i, name := range pass {
		if name == "" || len(name) > 128 || strings.ContainsAny(name, "=\x00") {
			return wrong(fmt.Sprintf("%spass[%d]", at, i), "is %.80q; write the name of an environment variable", name)
		}
	}
	return nil
}

func jsonSchema(field, text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	if _, err := schema.Compile([]byte(text), schema.DefaultLimits()); err != nil {
		return nil, wrong(field, "is no JSON Schema that can be used: %s", schema.Reason(err))
	}
	return json.RawMessage(text), nil
}

func duration(field, text string, otherwise time.Duration) (time.Duration, error) {
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, wrong(field, `is %.40q; write a time such as "30s" or "10m"`, text)
	}
	return d, nil
}

func (l limits) quota() (q host.Quota, err error) {
	q = host.DefaultQuota()
	for _, n := range []struct {
		from *int
		to   *int
	}{{l.Concurrent, &q.Concurrent}, {l.Tokens, &q.Tokens}, {l.TotalTokens, &q.TotalTokens}, {l.InnerCalls, &q.InnerCalls}, {l.InnerTokens, &q.InnerTokens}, {l.Memories, &q.Memories}, {l.Spawned, &q.Spawned}} {
		if n.from != nil {
			*n.to = *n.from
		}
	}
	if l.MemoryMB != nil {
		q.Memory = min(max(*l.MemoryMB, 0), 1<<30) << 20
	}
	if l.InnerMB != nil {
		q.InnerStored = min(max(*l.InnerMB, -1), 1<<31) << 20
	}
	for _, d := range []struct {
		field string
		from  *float64
		to    *uint64
	}{{"limits.dollars", l.Dollars, &q.Micros}, {"limits.total_dollars", l.TotalDollars, &q.TotalMicros}, {"limits.inner_dollars", l.InnerDollars, &q.InnerMicros}} {
		if d.from == nil {
			continue
		}
		if math.IsNaN(*d.from) || *d.from < 0 || *d.from > 1e6 {
			return q, wrong(d.field, "is %s; set it to 0 to 1000000", strconv.FormatFloat(*d.from, 'f', -1, 64))
		}
		*d.to = uint64(math.Round(*d.from * 1e6))
	}
	if q.Time, err = duration("limits.time", l.Time, q.Time); err != nil {
		return q, err
	}
	if q.CPU, err = duration("limits.cpu", l.CPU, q.CPU); err != nil {
		return q, err
	}
	q.InnerCPU, err = duration("limits.inner_cpu", l.InnerCPU, q.InnerCPU)
	return q, err
}

func inside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
