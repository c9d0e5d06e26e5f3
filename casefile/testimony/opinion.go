package testimony

import (
	"fmt"
	"reflect"

	"ojud/casefile"
	"ojud/voting"
)

// Differs names the first difference between an opinion and the vote that rests on it; empty: there
// is none.
func Differs(o casefile.Opinion, vote casefile.Vote) string {
	switch {
	case o.Case != vote.Case || o.Round != vote.Round || o.Judge != vote.Judge:
		return "the opinion is of another case, round or judge"
	case o.Choice != vote.Choice:
		return fmt.Sprintf("the opinion says %s", voting.Choice(o.Choice))
	case o.Model != vote.Model:
		return "the opinion names another model"
	case !reflect.DeepEqual(o.DataAccessed, vote.DataAccessed):
		return "the opinion names other data"
	}
	return ""
}
