package meaning

import "strings"

func listing(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

var (
	stopwords = listing(`a an the this that these those it its he she they we you i his her their our your him them us me
		is are was were be been being am do does did done has have had having will would shall should can could may might must
		of to in on at by for from with as into onto over under about and or but if so than then there here when while
		which who whom whose what where how also just very too both each all any some such own same other
		up out off again once during through between because until against
		not no never none nor neither cannot`)

	negations = listing(`not no never none nobody nothing neither cannot without unlike except hardly scarcely barely lacks lack
		lacked lacking fails fail failed instead rather excluding excludes denied denies deny refused refuses false incorrect wrong
		untrue impossible unable`)

	// swaps are words after which the one that acts stands last.
	swaps = listing("by of from")

	// exclusive are words after which nothing else is meant.
	exclusive = listing("only solely exclusively merely")

	// seams say what a word does at the end of a part of a sentence that may move.
	seams = func() map[string]seam {
		out := map[string]seam{}
		for w := range listing(`in at on by for from with after before because if when while during since until under over as although though
			despite through according where`) {
			out[w] = leads
		}
		for w := range listing(`only even just not never merely solely exclusively mainly mostly nearly almost hardly scarcely barely rarely seldom
			also too alone simply purely always sometimes usually perhaps maybe probably possibly allegedly no all every some few none`) {
			out[w] = focuses
		}
		return out
	}()

	months = numbered(`january february march april may june july august september october november december`, 1)

	numerals = func() map[string]int {
		out := numbered(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
			seventeen eighteen nineteen`, 0)
		for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
			out[w] = 20 + 10*i
		}
		for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth") {
			out[w] = 1 + i
		}
		delete(out, "one") // often a pronoun
		out["twice"], out["once"], out["dozen"] = 2, 1, 12
		out["hundred"], out["thousand"], out["million"], out["billion"] = 100, 1000, 1_000_000, 1_000_000_000
		return out
	}()

	opposites = sides(
		`rise rose risen rising up increase increased grew grow grown growth gain climb climbed higher more upward expand expanded improve
			improved better double doubled`,
		`fall fell fallen falling down decrease decreased shrank shrink shrunk decline drop dropped lower less fewer downward contract
			contracted worsen worsened worse halve halved loss`,
		`before earlier prior precede preceded`, `after later following follow followed since`,
		`above over exceed exceeded`, `below under beneath`,
		`open opened`, `close closed shut`,
		`win won winner victory`, `lose lost loser defeat`,
		`pass passed succeed succeeded success successful`, `fail failed failure`,
		`accept accepted approve approved allow allowed permit permitted legal`,
		`reject rejected refuse refused deny denied forbid forbidden ban banned prohibit prohibited illegal`,
		`true right correct valid`, `false wrong incorrect invalid`,
		`hot warm hotter warmer`, `cold cool colder cooler`,
		`large big bigger larger largest biggest great`, `small little smaller smallest tiny minor`,
		`long longer longest`, `short shorter shortest`,
		`fast quick faster quicker`, `slow slower`,
		`strong stronger`, `weak weaker`,
		`safe harmless`, `dangerous unsafe harmful toxic poisonous`,
		`buy bought purchase purchased`, `sell sold sale`,
		`arrive arrived enter entered`, `leave left depart departed exit`,
		`begin began begun start started`, `end ended finish finished stop stopped`,
		`always every all everyone everybody`, `never none nobody seldom rarely some few several`,
		`north northern`, `south southern`,
		`east eastern`, `west western`,
		`left`, `right`,
		`inside within internal`, `outside external`,
		`alive living survived survive`, `dead died die killed`,
		`rich wealthy`, `poor`,
		`cheap cheaper inexpensive`, `expensive costly dearer`,
		`male man men boy father`, `female woman women girl mother`,
		`public`, `private secret`,
		`guilty convicted`, `innocent acquitted`,
		`present attended`, `absent missed`,
		`full`, `empty`,
		`early`, `late`,
		`first`, `last`,
		`top highest maximum most best`, `bottom lowest minimum least worst`,
		`import imported`, `export exported`,
		`lend lent creditor`, `borrow borrowed debtor`,
		`support supported favour favoured`, `oppose opposed`,
		`possible able`, `impossible unable`,
		`positive`, `negative`,
		`old older oldest ancient`, `new newer newest young younger youngest modern`,
		`light lighter bright`, `heavy heavier dark`,
		`easy simple`, `difficult hard complex`,
		`include included including`, `exclude excluded excluding except`,
	)
)

// seam is what a word is at the end of a part of a sentence.
type seam uint8

const (
	leads   seam = 1 + iota // it begins a part that may stand elsewhere, such as "in May"
	focuses                 // what it says depends on the words beside it, such as "only"
)

func numbered(words string, from int) map[string]int {
	out := map[string]int{}
	for i, w := range strings.Fields(words) {
		out[w] = from + i
	}
	return out
}

// pole is one side of a pair of opposites, as a bit.
type pole struct{ one, two uint64 }

type listed struct {
	words string
	pole
}

// sides reads pairs of opposites, at most 64. A word of several pairs counts in the first.
func sides(lists ...string) map[string]pole {
	out := map[string]pole{}
	for i := 0; i+1 < len(lists); i += 2 {
		bit := uint64(1) << (i / 2)
		for _, l := range []listed{{lists[i], pole{one: bit}}, {lists[i+1], pole{two: bit}}} {
			for _, w := range strings.Fields(l.words) {
				for _, key := range []string{w, stem(w)} {
					if _, ok := out[key]; !ok {
						out[key] = l.pole
					}
				}
			}
		}
	}
	return out
}
