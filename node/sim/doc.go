// Package sim runs whole courts under faults and liars: nodes as they run in production, the real
// program on the embedded chain, libp2p on a simulated wire, on fake time, in one process. It is
// all tests; nothing imports it.
//
// A seed says everything that is planned: how many judges of what weight, what they think, which of
// them misbehave and how, which faults happen when and to whom (plan_test.go). The plan of a seed
// is the same on every run. What is made of it is not, to the last packet: goroutines of libp2p run
// in the order that Go's scheduler chooses. So a seed that fails may have to be run a few times
// until it does so again.
//
// While a court runs, a referee beside it reads the chain's own accounts, hears every statement
// that nodes send, and notes for how long which node was down, without its RPC node or lied to
// (referee_test.go). In the end it checks the properties of property_test.go, each of which has a
// name.
//
//	go test ./node/sim                                             two seeds, and the negative controls
//	make sim SIMTIME=10m                                           as many seeds as there is time for, and what they covered
//	go test ./node/sim -run TestSeed -v -count=1 -sim.seed 17      one seed, with a trace
package sim
