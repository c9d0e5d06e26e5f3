package record

import "sync"

// news wakes those who wait for something to change. The zero value is ready.
type news struct {
	mu     sync.Mutex
	closed chan struct{}
}

// next returns a channel that the next call of tell closes.
func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed == nil {
		n.closed = make(chan struct{})
	}
	return n.closed
}

// tell wakes all that wait.
func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed != nil {
		close(n.closed)
		n.closed = nil
	}
}
