package demand

// MaxCost bounds what all checks of a task may cost together: about so many milliseconds of a
// processor, on the largest result.
const MaxCost = 2000

// Cost is about how many milliseconds of a processor the demands take on the largest value, twice
// what was measured (TestCost of package check). Any check costs 10 besides.
func (d Demands) Cost() int {
	const rest = 10
	prices := map[string]int{
		"sorted": 100, "unique": 40, "set": 40, "near": 5, "dates": 15, "pattern": 10, "not_contains": 200, "words": 40, "url": 20, "language": 110, "parses": 60,
		"translation": 170, "media": 130, "quoted": 100, "pays": 15, "has": 50,
	}
	cost := rest
	for _, name := range d.named() {
		cost += prices[name]
	}
	if d.Grounded != nil {
		const each = 180
		cost += each * len(d.Grounded.What)
	}
	return cost
}
