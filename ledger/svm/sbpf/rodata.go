package sbpf

// roPiece is a read-only section that is mapped at TextStart+addr.
type roPiece struct {
	addr uint64
	data []byte
}

// roSections collects .text, .rodata, .data.rel.ro and .eh_frame of a v0 file at their addresses,
// with zeros between them. The result is never longer than the file.
func (r *relocator) roSections() ([]byte, error) {
	var pieces []roPiece
	lowest, highest, fill, moved := ^uint64(0), uint64(0), uint64(0), false
	for i := range r.file.sectionCount() {
		s := r.file.section(i)
		name, err := r.file.sectionName(s)
		if err != nil {
			return nil, err
		}
		if !readOnlyName(name) {
			continue
		}
		moved = moved || s.addr != s.offset
		if r.env.strict && moved || saturatingAdd(s.addr, regionSize) > StackStart {
			return nil, ErrValueOutOfBounds
		}
		data, ok := cut(r.image, s.fileRange())
		if !ok {
			return nil, ErrValueOutOfBounds
		}
		lowest = min(lowest, s.addr)
		highest = max(highest, saturatingAdd(s.addr, uint64(len(data))))
		fill += uint64(len(data))
		pieces = append(pieces, roPiece{s.addr, data})
	}
	if r.env.strict && saturatingAdd(lowest, fill) > highest || highest > uint64(len(r.image)) {
		return nil, ErrValueOutOfBounds
	}
	return merge(pieces, highest), nil
}

func readOnlyName(name string) bool {
	switch name {
	case ".text", ".rodata", ".data.rel.ro", ".eh_frame":
		return true
	}
	return false
}

func merge(pieces []roPiece, size uint64) []byte {
	out := make([]byte, size)
	for _, p := range pieces {
		copy(out[p.addr:], p.data)
	}
	return out
}
