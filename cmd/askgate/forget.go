package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// forgetPage is the number of chats that are looked up at a time.
const forgetPage = 200

func forgetCommand() *cobra.Command {
	var f configFlags
	var tenant, subject string
	cmd := &cobra.Command{
		Use:   "forget",
		Short: "Erase everything about one person: chats, memories, counters",
		Long: `Erases all chats of one person in all apps, with what was asked, answered and uploaded in
them and their records of the audit, the memories about the person, the counters of their limits, and
queued notifications of their screens. This cannot be undone.

Gateways may use the store at the same time: a running turn of the person is cut off. Remove the
person's key or account first; otherwise they can start new chats.

What belongs to other people stays: questions that the person asked them with a program, and the
record that the person decided about their tool calls. For each chat, the audit keeps that one was
erased, but not which chat or whose.`,
		Example: "  askgate forget --config conf --tenant acme --subject alice",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if tenant == "" || subject == "" {
				return usageError{errors.New("askgate forget: --tenant and --subject are required; for a gateway without keys they are default and anonymous")}
			}
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			db, err := sqldb.Open(cmd.Context(), snap.Gateway.Store, sqldb.Options{Existing: true, AuditSecrets: func() []string { return auditSecrets(snap) }})
			if err != nil {
				return err
			}
			defer db.Close()
			return forget(cmd.Context(), cmd.OutOrStdout(), db, tenant, subject, snap.Gateway.Audit.Enabled)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&tenant, "tenant", "", "the person's tenant")
	cmd.Flags().StringVar(&subject, "subject", "", "the person")
	return cmd
}

// forget erases a person, and prints how much it erased.
func forget(ctx context.Context, w io.Writer, db store.Store, tenant, subject string, audited bool) error {
	chats, open := 0, 0
	for {
		refs, err := db.Memory().ChatsOf(ctx, tenant, subject, forgetPage)
		if err != nil {
			return err
		}
		for _, ref := range refs {
			questions, err := forgetChat(ctx, db, ref, audited)
			if errors.Is(err, store.ErrNotFound) {
				continue // deleted meanwhile
			} else if err != nil {
				return err
			}
			chats++
			open += questions
		}
		if len(refs) == 0 {
			break
		}
	}
	memories, err := db.Memory().EraseTraces(ctx, tenant, subject)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Erased. Chats: %d, open questions in them: %d, memories: %d\n", chats, open, memories)
	return err
}

// forgetChat erases a chat, and returns how many questions were open in it.
func forgetChat(ctx context.Context, db store.Store, ref chat.Ref, audited bool) (int, error) {
	view, err := db.ViewPart(ctx, ref, store.Part{Limit: 1})
	if err != nil {
		return 0, err
	}
	var records []chat.AuditRecord
	if audited {
		records = append(records, chat.AuditRecord{
			At: chat.Time(db.Now()), What: chat.AuditErased, Tenant: ref.Tenant, App: ref.App, By: chat.Actor{Kind: chat.ActorAdmin}, Node: "askgate forget",
		})
	}
	return len(view.Pending()), db.Delete(ctx, ref, time.Time{}, records...)
}
