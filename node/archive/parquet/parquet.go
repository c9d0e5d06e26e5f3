// Package parquet writes tables as Parquet files. It makes the pages itself, in one row group with
// one page for each column, plain and packed with zstd. Types of parquet-go write the metadata (ADR
// 0167).
package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// ColumnKind is what a column has.
type ColumnKind int

// The kinds of columns, and the Go values that they take.
const (
	Text   ColumnKind = iota // string
	Amount                   // uint64
	Small                    // int32
	Time                     // int64, Unix seconds
	Truth                    // bool
)

// Column is a column of a table. A column that is optional also takes nil.
type Column struct {
	Name     string
	Kind     ColumnKind
	Optional bool
}

// Table is a table that grows.
type Table struct {
	name    string
	rows    int
	columns []column
}

type column struct {
	Column
	values []byte
	truths []bool
	there  []bool // of an optional column
}

// maxPage bounds the bytes of a column. The format has 31 bits for them.
const maxPage = 1 << 30

// New returns an empty table.
func New(name string, columns ...Column) *Table {
	t := &Table{name: name}
	for _, c := range columns {
		t.columns = append(t.columns, column{Column: c})
	}
	return t
}

// Rows is how many rows the table has.
func (t *Table) Rows() int { return t.rows }

// Add adds a row. The values are in the order of the columns, of the types of their kinds. The
// table is of no use after an error.
func (t *Table) Add(values ...any) error {
	if len(values) != len(t.columns) {
		return fmt.Errorf("parquet: %s: a row of %d values for %d columns", t.name, len(values), len(t.columns))
	}
	for i := range t.columns {
		c := &t.columns[i]
		if err := c.add(values[i]); err != nil {
			return fmt.Errorf("parquet: %s.%s: %w", t.name, c.Name, err)
		}
	}
	t.rows++
	return nil
}

func (c *column) add(value any) error {
	if c.Optional {
		c.there = append(c.there, value != nil)
		if value == nil {
			return nil
		}
	}
	var fits bool
	switch v := value.(type) {
	case string:
		fits = c.Kind == Text
		c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(v))), v...)
	case uint64:
		fits = c.Kind == Amount
		c.values = binary.LittleEndian.AppendUint64(c.values, v)
	case int32:
		fits = c.Kind == Small
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v))
	case int64:
		fits = c.Kind == Time && v <= math.MaxInt64/1000 && v >= 0
		c.values = binary.LittleEndian.AppendUint64(c.values, uint64(v)*1000)
	case bool:
		fits = c.Kind == Truth
		c.truths = append(c.truths, v)
	}
	if !fits {
		return fmt.Errorf("%T %v does not fit", value, value)
	}
	if len(c.values) > maxPage {
		return fmt.Errorf("more than %d bytes", maxPage)
	}
	return nil
}

// nulls is how many rows have nothing here. Readers count by it.
func (c *column) nulls() (n int64) {
	for _, there := range c.there {
		if !there {
			n++
		}
	}
	return n
}

// page returns the content of the column's page: its levels, if it is optional, then its values.
func (c *column) page() []byte {
	var out []byte
	if c.Optional {
		levels := runs(c.there)
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(levels))), levels...)
	}
	if c.Kind != Truth {
		return append(out, c.values...)
	}
	packed := make([]byte, (len(c.truths)+7)/8)
	for i, truth := range c.truths {
		if truth {
			packed[i/8] |= 1 << (i % 8)
		}
	}
	return append(out, packed...)
}

// runs writes levels of one bit as runs of the same level.
func runs(levels []bool) (out []byte) {
	for i := 0; i < len(levels); {
		n := 1
		for i+n < len(levels) && levels[i+n] == levels[i] {
			n++
		}
		level := byte(0)
		if levels[i] {
			level = 1
		}
		out = append(binary.AppendUvarint(out, uint64(n)<<1), level)
		i += n
	}
	return out
}

// element is the column in the schema.
func (c *column) element() format.SchemaElement {
	e := format.SchemaElement{Name: c.Name, Type: thrift.New(c.physical()), RepetitionType: thrift.New(format.Required)}
	if c.Optional {
		e.RepetitionType = thrift.New(format.Optional)
	}
	switch c.Kind {
	case Text:
		e.ConvertedType = thrift.New(deprecated.UTF8)
		e.LogicalType = format.LogicalType{Value: &format.StringType{}}
	case Amount:
		e.ConvertedType = thrift.New(deprecated.Uint64)
		e.LogicalType = format.LogicalType{Value: &format.IntType{BitWidth: 64}}
	case Time:
		e.ConvertedType = thrift.New(deprecated.TimestampMillis)
		unit := format.TimeUnit{Value: &format.MilliSeconds{}}
		e.LogicalType = format.LogicalType{Value: &format.TimestampType{IsAdjustedToUTC: true, Unit: unit}}
	case Small, Truth: // are what their physical types are
	}
	return e
}

func (c *column) physical() format.Type {
	switch c.Kind {
	case Text:
		return format.ByteArray
	case Small:
		return format.Int32
	case Truth:
		return format.Boolean
	case Amount, Time:
	}
	return format.Int64
}

// magic begins and ends a file.
const magic = "PAR1"

// File returns the table as a file. Version is that of the schema, which stands in its metadata.
func (t *Table) File(version string) ([]byte, error) {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	out := []byte(magic)
	group := format.RowGroup{NumRows: int64(t.rows)}
	root := format.SchemaElement{Name: t.name, NumChildren: thrift.New(int32(len(t.columns)))}
	schema := []format.SchemaElement{root}
	for i := range t.columns {
		c := &t.columns[i]
		schema = append(schema, c.element())
		page := c.page()
		packed := packer.EncodeAll(page, nil)
		head, err := thrift.Marshal(new(thrift.CompactProtocol), &format.PageHeader{
			Type: format.DataPage, UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(packed)),
			DataPageHeader: thrift.New(format.DataPageHeader{
				NumValues: int32(t.rows), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
				Statistics: format.Statistics{NullCount: c.nulls()},
			}),
		})
		if err != nil {
			return nil, fmt.Errorf("parquet: %s.%s: %w", t.name, c.Name, err)
		}
		about := format.ColumnMetaData{
			Type: c.physical(), Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: []string{c.Name}, Codec: format.Zstd,
			NumValues: int64(t.rows), TotalUncompressedSize: int64(len(head) + len(page)), TotalCompressedSize: int64(len(head) + len(packed)),
			DataPageOffset: int64(len(out)), Statistics: format.Statistics{NullCount: c.nulls()},
		}
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: about})
		group.TotalByteSize += about.TotalUncompressedSize
		group.TotalCompressedSize += about.TotalCompressedSize
		out = append(append(out, head...), packed...)
	}
	foot, err := thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{
		Version: 1, Schema: schema, NumRows: int64(t.rows), RowGroups: []format.RowGroup{group}, CreatedBy: "ojud",
		KeyValueMetadata: []format.KeyValue{{Key: "ojud.schema", Value: version}},
	})
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", t.name, err)
	}
	out = append(out, foot...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(foot)))
	return append(out, magic...), packer.Close()
}
