package work

// Act is what a machine wants done.
type Act interface{ act() }

// The acts of a worker.
type (
	// Take claims a task at a price or more, and starts it.
	Take struct {
		Task  string
		Least uint64
	}
	// Make makes a result, and checks it. Fault says what was wrong with the one before; after an
	// objection it is the objection. Made follows.
	Make struct {
		Task, Skill string
		Attempt     int
		Fault       string
	}
	// Submit hands in a result that was made.
	Submit struct{ Task, Result string }
	// Weigh reads the objection and estimates the verdict. Weighed follows.
	Weigh struct{ Task string }
	// Rework takes the objection as fair.
	Rework struct{ Task string }
	// Counter defends the result before the court.
	Counter struct{ Task string }
	// Release gives a claim back.
	Release struct{ Task string }
)

// The acts of a creator.
type (
	// Post posts an order as its task with that number, and under no other.
	Post struct {
		ID     string
		Number uint64
	}
	// Check checks a result. Inspected follows.
	Check struct{ ID, Task, Result string }
	// Accept pays the worker.
	Accept struct{ Task string }
	// Object refuses the result that was checked.
	Object struct{ ID, Task string }
	// Cancel takes a task off the market.
	Cancel struct{ Task string }
	// Fund fills the vault up to an amount from the wallet.
	Fund struct{ Least uint64 }
)

// The acts of both.
type (
	// Waive gives an appeal up.
	Waive struct{ Task string }
	// Expire carries out what follows from a missed deadline. Why says it as what the agent does.
	Expire struct{ Task, Why string }
	// Tell tells the owner something about a task, or about the agent if Task is empty.
	Tell struct{ Task, Text string }
	// Bring brings the agent's documents of a task to nodes. The chain names them, but the process
	// that sent them may have died before it did that. ID is that of the order, if there is one.
	Bring struct{ ID, Task string }
	// Stop ends the agent: nothing is open, and it will begin nothing.
	Stop struct{ Why string }
)

func (Take) act()    {}
func (Make) act()    {}
func (Submit) act()  {}
func (Weigh) act()   {}
func (Rework) act()  {}
func (Counter) act() {}
func (Release) act() {}
func (Post) act()    {}
func (Check) act()   {}
func (Accept) act()  {}
func (Object) act()  {}
func (Cancel) act()  {}
func (Fund) act()    {}
func (Waive) act()   {}
func (Expire) act()  {}
func (Tell) act()    {}
func (Bring) act()   {}
func (Stop) act()    {}
