package owner_test

import (
	"encoding/json"
	"testing"

	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// TestSubscribeGranted: updates are those of a name that is in the data and was granted. Another
// name gets none, and not all of the data.
func TestSubscribeGranted(t *testing.T) {
	t.Parallel()
	joe := newOwner(false)
	joe.Data = json.RawMessage(`{"email":"joe@example.org","name":"Joe","schedule":["10:00"]}`)
	joe.Agreed(&talk.Agreement{Asker: stranger.Principal().String(), Access: []string{"schedule"}})
	for _, k := range []struct {
		topic string
		want  anex.Performative
	}{{"email", anex.ActRefuse}, {"schedule", anex.ActAgree}, {"nonsense", anex.ActRefuse}, {"schedule", anex.ActAgree}} {
		moves, ask := joe.Reply(talk.Heard{What: talk.Subscription, Topic: k.topic})
		if ask || len(moves) == 0 || moves[0].Message.Performative != k.want {
			t.Errorf("%s: %+v", k.topic, moves)
		}
	}
	if moves := joe.Renew(json.RawMessage(`{"email":"joe@example.org","name":"Joe"}`)); len(moves) != 0 {
		t.Errorf("a name that is gone: %+v", moves)
	}
}
