package kind

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// library is a database file.
func library(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "posts ?#%.db")
	u := "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	db, err := sql.Open("sqlite", u)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `create table posts(id integer, author text, likes real, body blob, at datetime, gone text);
		insert into posts values (9007199254740993,'alice',1.5,x'00ff','2026-01-02 03:04:05',null),(2,'alice',2,'text','x',''),(3,'bob',3,null,null,'y');
		with recursive n(i) as (select 1 union all select i+1 from n where i<500) insert into posts select i,'many',0,zeroblob(2000),null,null from n`)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSQLite(t *testing.T) {
	path := library(t)
	q := &sqliteSource{Path: path, Queries: map[string]Query{
		"by_author": {SQL: "select id, likes, body, at, gone from posts where author = :author and (:least is null or likes >= :least) order by id desc", Parameters: []string{"author", "least"}},
		"count":     {SQL: "select count(*) as n from posts;"},
		"many":      {SQL: "select id from posts where author='many' order by id", MaxRows: 2},
		"large":     {SQL: "select body from posts where author='many'", MaxRows: 10_000},
		"giant":     {SQL: "select zeroblob(900000000) as z"},
		"endless":   {SQL: "with recursive n(i) as (select 1 union all select i+1 from n) select max(i) as m from n"},
		"write":     {SQL: "with x as (select 1) insert into posts(id) values (1) returning id"},
		"wrong":     {SQL: "select nothing from nowhere"},
		"twins":     {SQL: "select 1 as a, 2 as a"},
		"list":      {SQL: "select value from json_each(:ids)", Parameters: []string{"ids"}},
		"infinite":  {SQL: "select 9e999 as x"},
		"late":      {SQL: "select abs(-9223372036854775807 - 1) from posts where :x is not null or 1", Parameters: []string{"x"}},
	}}
	u := opened(t, q, Env{MaxBytes: 64 << 10})
	same(t, ask(t, u, `{"query":"by_author","author":"alice"}`), `{"more":false,"rows":[{"at":"2026-01-02T03:04:05Z","body":"AP8=","gone":null,"id":"9007199254740993","likes":1.5},{"at":"x","body":"text","gone":"","id":2,"likes":2}]}`)
	same(t, ask(t, u, `{"query":"by_author","author":"alice' or 1=1 --","least":1}`), `{"more":false,"rows":[]}`)
	same(t, ask(t, u, `{"query":"by_author","author":"bob","least":3}`), `{"more":false,"rows":[{"at":null,"body":null,"gone":"y","id":3,"likes":3}]}`)
	same(t, ask(t, u, `{"query":"count"}`), `{"more":false,"rows":[{"n":503}]}`)
	same(t, ask(t, u, `{"query":"many"}`), `{"more":true,"rows":[{"id":1},{"id":2}]}`)
	same(t, ask(t, u, `{"query":"list","ids":[1,"a"]}`), `{"more":false,"rows":[{"value":1},{"value":"a"}]}`)
	refused(t, u, `{"query":"large"}`, ErrLarge, "rows have")
	refused(t, u, `{"query":"giant"}`, ErrLarge, "a value has more bytes")
	refused(t, u, `{"query":"write"}`, ErrSetup, "readonly")
	refused(t, u, `{"query":"wrong"}`, ErrSetup, "")
	refused(t, u, `{"query":"twins"}`, ErrSetup, "AS")
	refused(t, u, `{"query":"late"}`, ErrSetup, "overflow")
	refused(t, u, `{"query":"infinite"}`, ErrSchema, "")
	refused(t, u, `{"query":"select * from posts"}`, ErrRequest, "there is no query")
	refused(t, u, `{}`, ErrRequest, `"query" is missing`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := u.Answer(ctx, json.RawMessage(`{"query":"endless"}`)); !errors.Is(err, ErrSlow) {
		t.Error(err)
	}
	same(t, ask(t, u, `{"query":"count"}`), `{"more":false,"rows":[{"n":503}]}`) // the write did not happen, the connection is whole
}

func TestSQLiteFiles(t *testing.T) {
	before := goleak.IgnoreCurrent()
	one := map[string]Query{"n": {SQL: "select count(*) as n from posts"}}
	u, err := Open(&sqliteSource{Path: library(t), Immutable: true, Queries: one}, Env{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, ask(t, u, `{}`), `{"more":false,"rows":[{"n":503}]}`)
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, u, `{}`, ErrDown, "closed")
	goleak.VerifyNone(t, before)
	refused(t, opened(t, &sqliteSource{Path: "none.db", Queries: one}, Env{Dir: t.TempDir()}), `{}`, ErrSetup, "none.db")
}
