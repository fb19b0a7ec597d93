package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/report"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// postgresVariable says where PostgreSQL is. Without it, only SQLite is measured.
const postgresVariable = "ASKGATE_TEST_POSTGRES"

// seeded is how many questions a store gets.
const seeded = 600

// reports compares what the report says with what was stored, on each kind of store.
func reports(ctx context.Context, t *table) error {
	dir, err := os.MkdirTemp("", "askbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := reported(ctx, t, "SQLite", "sqlite:"+filepath.Join(dir, "chats.db")); err != nil {
		return err
	}
	base := os.Getenv(postgresVariable)
	if base == "" {
		t.lacks("report: rows that say what happened, PostgreSQL", postgresVariable+" is not set", "all")
		return nil
	}
	address, drop, err := schema(ctx, base)
	if err != nil {
		return err
	}
	return errors.Join(reported(ctx, t, "PostgreSQL", address), drop())
}

// schema makes an empty one, and what removes it.
func schema(ctx context.Context, base string) (address string, drop func() error, err error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", nil, fmt.Errorf("%s is not a URL", postgresVariable)
	}
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return "", nil, err
	}
	name := "askbench_" + chat.NewID("s")[2:18]
	if _, err := conn.Exec(ctx, "CREATE SCHEMA "+name); err != nil {
		return "", nil, errors.Join(err, conn.Close(ctx))
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String(), func() error {
		_, err := conn.Exec(ctx, "DROP SCHEMA "+name+" CASCADE")
		return errors.Join(err, conn.Close(ctx))
	}, nil
}

func reported(ctx context.Context, t *table, kind, address string) error {
	db, err := sqldb.Open(ctx, address, sqldb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	want, err := seedStore(ctx, db)
	if err != nil {
		return err
	}
	got, err := report.Read(ctx, db.Overview(), report.Wish{Rows: report.MaxRows, Texts: true, Now: time.Now()}, func(id string, _ map[string]any) string { return id })
	if err != nil {
		return err
	}
	right := 0
	for i := range got.Items {
		item := &got.Items[i]
		key := [2]string{item.App, item.Template + item.Text}
		if truth := want[key]; truth != nil && reflect.DeepEqual(*item, truth.row(item)) {
			right++
		}
	}
	t.add(right == len(want) && len(got.Items) == len(want), "report: rows that say what happened, "+kind,
		fmt.Sprintf("%d of %d, of %d questions", right, len(want), seeded), "all")
	return nil
}

// truth is the known outcome of a question.
type truth struct {
	report.Counts
	took   []int
	models map[string]int
	last   map[string]string // what each person answered last
}

// row is the row that the report must have, but for what it says of the question itself.
func (t *truth) row(item *report.Row) report.Row {
	row := report.Row{App: item.App, Template: item.Template, Text: item.Text, Options: item.Options, InputType: item.InputType,
		Counts: t.Counts, Models: t.models}
	if n := len(t.took); n > 0 {
		slices.Sort(t.took)
		row.Seconds = &report.Seconds{P50: float64(t.took[(n+1)/2-1]), P90: float64(t.took[(n*9+9)/10-1])}
	}
	if a := report.Advise(&t.Counts); a != nil {
		row.Advice = a.ID
	}
	return row
}

// seedStore stores questions whose fate is drawn, the same each time, and returns what became of them by app and
// template or text.
func seedStore(ctx context.Context, db store.Store) (map[[2]string]*truth, error) {
	r := rand.New(rand.NewPCG(seed, seed))
	known := map[[2]string]*truth{}
	at := time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC)
	for i := range seeded {
		app, person, model := fmt.Sprintf("app%d", r.IntN(2)), fmt.Sprintf("p%d", r.IntN(6)), []string{"large", "small", ""}[r.IntN(3)]
		topic := r.IntN(6)
		part := tools.Part{ID: "q1", Question: fmt.Sprintf("Which one, of kind %d?", topic), InputType: tools.Select, AllowOther: true,
			Options: []tools.Option{{Label: "A", Value: "a", Recommended: topic%2 == 0}, {Label: "B", Value: "b"}}}
		key := [2]string{app, part.Question}
		if topic >= 4 { // a template, whose text is another each time
			part.Template = fmt.Sprintf("template%d", topic)
			part.Question += fmt.Sprint(" And what of ", i, "?")
			key[1] = part.Template
		}
		if known[key] == nil {
			known[key] = &truth{models: map[string]int{}, last: map[string]string{}}
		}
		c := chat.Clarification{
			ID: fmt.Sprintf("clr_%d", i), TurnID: "turn_1", ToolCallID: fmt.Sprintf("call_%d", i), ToolName: "ask_user", Arguments: "{}", Number: 1, Max: 5,
			Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{part}}, Model: model, State: tools.StatePending,
			AskedAt: at.Add(time.Duration(i) * time.Hour),
		}
		ref := chat.Ref{Tenant: "t", Subject: person, App: app, ChatID: fmt.Sprintf("c%d", i%20)}
		if err := db.UpdateLazily(ctx, ref, func(tx store.Tx) error { return tx.AddClarification(c) }); err != nil {
			return nil, err
		}
		if r.IntN(3) == 0 {
			if _, err := db.SaveSeen(ctx, c.ID, c.AskedAt); err != nil {
				return nil, err
			}
			known[key].Shown++
		}
		took := r.IntN(3000)
		if !known[key].end(&c, r.IntN(20), took, person, topic%2 == 0) {
			continue
		}
		c.AnsweredAt = c.AskedAt.Add(time.Duration(took) * time.Second)
		if err := db.UpdateLazily(ctx, ref, func(tx store.Tx) error { return tx.Clarifications().Save(c) }); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// end closes a question as the dice say, and notes it; false: it stays open.
func (t *truth) end(c *chat.Clarification, dice, took int, person string, recommends bool) bool {
	t.Asked++
	if c.Model != "" {
		t.models[c.Model]++
	}
	closed := func(state tools.State, n *int) bool {
		c.State = state
		*n++
		return true
	}
	switch dice {
	case 0:
		t.Pending++
		return false
	case 1:
		return closed(tools.StateExpired, &t.Expired)
	case 2:
		return closed(tools.StateSuperseded, &t.Superseded)
	case 3:
		return closed(tools.StateCancelled, &t.Cancelled)
	case 4:
		return closed(tools.StateRemembered, &t.Remembered)
	}
	t.took = append(t.took, took)
	switch dice {
	case 5, 6:
		c.Answer = &tools.Answer{Skipped: true}
		return closed(tools.StateSkipped, &t.Skipped)
	case 7:
		c.Answer = &tools.Answer{Declined: true}
		return closed(tools.StateDeclined, &t.Declined)
	}
	if recommends {
		t.Offered++
	}
	given := "a"
	switch {
	case dice < 11:
		given = "something else"
		c.Answer = &tools.Answer{Other: given}
		t.Other++
	case dice < 14:
		given = "b"
		fallthrough
	default:
		value, _ := json.Marshal(given) // a string
		c.Answer = &tools.Answer{Value: value}
		if recommends && given == "a" {
			t.Recommended++
		}
	}
	if before, again := t.last[person]; again && before == given {
		t.Again.Same++
	} else if again {
		t.Again.Other++
	}
	t.last[person] = given
	return closed(tools.StateAnswered, &t.Answered)
}
