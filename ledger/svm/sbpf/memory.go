package sbpf

import (
	"fmt"
	"math"
)

// stackRegion is the number of the stack's address range.
const stackRegion = 2

// region is one of the five address ranges. In a gapped region (the v0 stack), an unmapped gap of
// 4,096 bytes follows each frame of 4,096 bytes.
type region struct {
	data     []byte
	writable bool
	gapped   bool
}

// Memory is the address space of one running program.
type Memory struct {
	regions [5]region
	// What the interpreter reads and writes without a further check: the regions without gaps, and
	// of the stack only its shallow part when it writes.
	reads, writes [5][]byte
	deep          bool
}

// shallow is the part of the stack that most programs use, in bytes.
const shallow = 8 * frameSize

// Place is the place of an address in host memory. Places can be compared, and are ordered within a
// region.
type Place struct {
	Region int
	Offset uint64
}

// NewMemory maps a program's read-only data, a stack of StackSize zero bytes, a heap and the input.
// It uses the slices in place, so the program reads and writes them.
func NewMemory(p *Program, stack, heap, input []byte) *Memory {
	m := &Memory{}
	if p.version == V3 {
		m.regions[0] = region{data: p.rodata}
	} else {
		m.regions[1] = region{data: p.rodata}
	}
	m.regions[stackRegion] = region{data: stack, writable: true, gapped: p.version == V0}
	m.regions[3] = region{data: heap, writable: true}
	m.regions[4] = region{data: input, writable: true}
	for i, r := range m.regions {
		if r.gapped {
			continue
		}
		m.reads[i] = r.data
		if r.writable {
			m.writes[i] = r.data
		}
	}
	m.writes[stackRegion] = m.writes[stackRegion][:min(shallow, len(m.writes[stackRegion]))]
	return m
}

// ClearStack makes the bytes of the stack zero that were written, so that another program can use
// it.
func (m *Memory) ClearStack() {
	stack := m.regions[stackRegion].data
	if !m.deep {
		stack = stack[:min(shallow, len(stack))]
	}
	clear(stack)
}

// find translates an address range. ok is false if the range is not wholly mapped and permitted.
func (m *Memory) find(addr, n uint64, write bool) (Place, bool) {
	index := addr >> 32
	if index >= uint64(len(m.regions)) {
		return Place{}, false
	}
	r := &m.regions[index]
	if write && !r.writable {
		return Place{}, false
	}
	offset := addr & (regionSize - 1)
	if r.gapped {
		if offset/frameSize&1 == 1 {
			return Place{}, false
		}
		offset = offset/(2*frameSize)*frameSize + offset%frameSize
	}
	if n > math.MaxUint64-offset || offset+n > uint64(len(r.data)) {
		return Place{}, false
	}
	if write && index == stackRegion && offset+n > shallow {
		m.deep = true
	}
	return Place{int(index), offset}, true
}

// Slice returns n bytes at addr, or Agave's access violation. The slice aliases the program's
// memory.
func (m *Memory) Slice(addr, n uint64, write bool) ([]byte, error) {
	p, ok := m.find(addr, n, write)
	if !ok {
		return nil, m.violation(addr, n, write)
	}
	return m.regions[p.Region].data[p.Offset : p.Offset+n : p.Offset+n], nil
}

// Locate is Slice without the bytes.
func (m *Memory) Locate(addr, n uint64, write bool) (Place, error) {
	p, ok := m.find(addr, n, write)
	if !ok {
		return Place{}, m.violation(addr, n, write)
	}
	return p, nil
}

// view returns n of the bytes at addr. It returns nil if there are none, or if viewSlow must
// decide. It and viewWrite are small enough to be parts of the interpreter's loop.
func (m *Memory) view(addr, n uint64) []byte { return at(&m.reads, addr, n) }

func (m *Memory) viewWrite(addr, n uint64) []byte { return at(&m.writes, addr, n) }

func at(regions *[5][]byte, addr, n uint64) []byte {
	index, offset := addr>>32, addr&(regionSize-1)
	if index >= uint64(len(regions)) || offset+n > uint64(len(regions[index])) {
		return nil
	}
	return regions[index][offset : offset+n]
}

// viewSlow returns n bytes at addr, or nil if the access is not allowed.
func (m *Memory) viewSlow(addr, n uint64, write bool) []byte {
	p, ok := m.find(addr, n, write)
	if !ok {
		return nil
	}
	return m.regions[p.Region].data[p.Offset : p.Offset+n]
}

// violation words a forbidden access as Agave's memory_region.rs does.
func (m *Memory) violation(addr, n uint64, write bool) Fault {
	frame := saturatingSubSigned(int64(addr), int64(StackStart)) / frameSize
	if frame >= -1 && frame < maxCallDepth+1 {
		return Fault(fmt.Sprintf("Access violation in stack frame %d at address %#x of size %d", frame, addr, n))
	}
	verb := "reading"
	if write {
		verb = "writing"
	}
	return Fault(fmt.Sprintf("Access violation %s %d bytes at address %#x (in %s region)", verb, n, addr, m.regionName(addr)))
}

func (m *Memory) regionName(addr uint64) string {
	index := addr >> 32
	if index >= uint64(len(m.regions)) {
		return "unallocated"
	}
	size := uint64(len(m.regions[index].data))
	if m.regions[index].gapped {
		size *= 2
	}
	if addr&(regionSize-1) >= size {
		return "unallocated"
	}
	return [...]string{"allocated", "program", "stack", "heap", "input"}[index]
}

func saturatingSubSigned(a, b int64) int64 {
	if d := a - b; (a >= b) == (d >= 0) {
		return d
	}
	if a < b {
		return math.MinInt64
	}
	return math.MaxInt64
}
