package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// answer reads what a program says: the first column of its only row, and the reason in the second.
func (d *database) answer(query uint64) (Said, string) {
	status := d.call("sqlite3_step", query)
	d.check(status, statusRow, statusDone)
	wide := d.call("sqlite3_column_count", query)
	switch {
	case d.why != "":
		return None, d.why
	case status == statusDone:
		return None, "the check program failed: it returns no row; write a query that returns one, such as SELECT count(*) = 0 FROM value WHERE …"
	case wide > 2:
		return None, fmt.Sprintf("the check program failed: its row has %d columns; write one, or two with a reason", wide)
	}
	truth, err := d.value(query, 0)
	var why string
	if wide == 2 && d.call("sqlite3_column_type", query, 1) == kindText {
		why = d.column(query, 1)
	}
	again := d.call("sqlite3_step", query)
	if again == statusRow {
		return None, "the check program failed: it returns more than one row; write a query that returns one"
	}
	d.check(again, statusDone)
	said, known := map[string]Said{"1": True, "0": False, "null": None}[string(truth)]
	if err != nil || !known {
		return None, "the check program failed: its first column is neither 1 nor 0 nor NULL"
	}
	return said, cut(why)
}

// rows reads all rows as JSON.
func (d *database) rows(query uint64) json.RawMessage {
	out := []byte("[")
	wide := d.call("sqlite3_column_count", query)
	for {
		status := d.call("sqlite3_step", query)
		d.check(status, statusRow, statusDone)
		if d.why != "" || status == statusDone {
			return append(out, ']')
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, '[')
		for i := range wide {
			if i > 0 {
				out = append(out, ',')
			}
			v, err := d.value(query, i)
			if err != nil {
				d.fail("%v", err)
			}
			out = append(out, v...)
		}
		if out = append(out, ']'); len(out) > maxReturned {
			d.fail("it returns too much")
		}
	}
}

// The types of values of SQLite.
const kindInteger, kindFloat, kindText, kindBlob, kindNull = 1, 2, 3, 4, 5

// value is a value of the current row as JSON.
func (d *database) value(query, i uint64) (json.RawMessage, error) {
	switch d.call("sqlite3_column_type", query, i) {
	case kindInteger:
		return strconv.AppendInt(nil, int64(d.call("sqlite3_column_int64", query, i)), 10), nil
	case kindFloat:
		f := api.DecodeF64(d.call("sqlite3_column_double", query, i))
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, errors.New("it returns a number that JSON cannot say")
		}
		return json.Marshal(f)
	case kindText:
		return json.Marshal(d.column(query, i))
	case kindBlob:
		return nil, errors.New("it returns a blob, which JSON cannot say")
	}
	return json.RawMessage("null"), nil
}

// column is a text of the current row. Of a long one it is the beginning.
func (d *database) column(query, i uint64) string {
	at := d.call("sqlite3_column_text", query, i)
	n := d.call("sqlite3_column_bytes", query, i)
	raw, _ := d.p.module.Memory().Read(uint32(at), min(uint32(n), 2*maxReturned))
	return strings.ToValidUTF8(string(raw), "\ufffd")
}
