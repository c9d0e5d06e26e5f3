// Package sim runs whole courts under faults and liars, in one process on fake time: nodes as in
// production, the real program on the embedded chain, and libp2p on a simulated wire. It has only
// tests, and no package imports it.
//
// A seed plans everything: the judges and their weights, their opinions, which of them misbehave
// and how, and which faults happen when and to whom (plan_test.go). The plan of a seed is the same
// on every run. The course of the run is not the same to the last packet, because Go's scheduler
// chooses the order of libp2p's goroutines. So a failing seed may need a few runs until it fails
// again.
//
// While a court runs, a referee reads the chain's own accounts and hears every statement that nodes
// send. It notes when each node was down, without its RPC node or lied to (referee_test.go). In the
// end it checks the named properties of property_test.go.
//
//	go test ./node/sim               three seeds, and the negative controls
//	make sim SIMTIME=10m             as many seeds as there is time for, and their coverage
//	go test ./node/sim -run TestSeed -v -count=1 -sim.seed 17      one seed, with a trace
package sim
