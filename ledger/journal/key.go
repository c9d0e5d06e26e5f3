package journal

import (
	"encoding/binary"

	"ojud/voting"
)

// The first byte of a key names the kind of its value.
const (
	identityKind byte = 'i'
	recordKind   byte = 'r' // voting.Record.Key
	noticeKind   byte = 'n' // task ‖ round ‖ hash of the notice
	eventKind    byte = 'e' // task ‖ actor ‖ seq, big endian ‖ id
	outgoingKind byte = 'o' // purpose
	cursorKind   byte = 'c'
	archiveKind  byte = 'a' // task
	dataKind     byte = 'd' // task ‖ round; task ‖ 0 ‖ hash of a question
	moneyKind    byte = 'm' // what package node/payment chooses
	eventLogKind byte = 'y' // task
	uptimeKind   byte = 'w'
	pastKind     byte = 'p' // task ‖ round
)

func key(kind byte, parts ...[]byte) []byte {
	k := []byte{kind}
	for _, p := range parts {
		k = append(k, p...)
	}
	return k
}

func noticeKey(task voting.Key, round uint8, id voting.Hash) []byte {
	return key(noticeKind, task[:], []byte{round}, id[:])
}

func eventKey(task, actor voting.Key, seq uint32, id voting.Hash) []byte {
	return key(eventKind, task[:], actor[:], binary.BigEndian.AppendUint32(nil, seq), id[:])
}
