package sbpf

// Virtual addresses of the five regions. Each region has 4 GiB.
const (
	regionSize uint64 = 1 << 32

	RodataStart uint64 = 0              // v3 read-only data
	TextStart   uint64 = regionSize     // v0 read-only data and text, v3 text
	StackStart  uint64 = 2 * regionSize // maxCallDepth frames of 4,096 bytes
	HeapStart   uint64 = 3 * regionSize
	InputStart  uint64 = 4 * regionSize
)

// StackSize is the size of the stack region in bytes.
const StackSize = maxCallDepth * frameSize
