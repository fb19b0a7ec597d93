package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/trial"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// allModels is the value of --models if none is given. No model can have this name.
const allModels = "*"

func checkCommand() *cobra.Command {
	var f configFlags
	var connects bool
	var models string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a configuration: each fault with file, line, column and fix",
		Long: `Reads the configuration as serve does, and lists its faults. Warnings go to stderr and leave the exit
code at 0. Then it prints what would be in use, where the gateway would listen, and the links. With --connect it also connects to the store and to
Redis; it changes nothing there.

With --models it tries the models, as you should before people use them: it has each model call ask_user,
sends an answer, and lets the model go on. It prints what works, what the model server refused, and the
tokens. The exit code is 1 if a model does not work. This sends requests to the model servers, which cost
tokens.`,
		Example: `  askgate check --config conf
  askgate check --config conf --models
  askgate check --config conf --models claude,default
  askgate check --config conf --env-file .env --connect`,
		Args: func(cmd *cobra.Command, args []string) error {
			if models == allModels && len(args) == 1 { // pflag takes an optional value only after =
				models = args[0]
				return nil
			}
			return noArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.options.Checking = true
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("models") && models == "" {
				return usageError{errors.New("askgate check: --models= has no names; write some after it, or omit the = to try all models")}
			}
			names, err := modelNames(&snap.Gateway, models)
			if err != nil {
				return err
			}
			for _, w := range snap.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w.Error())
			}
			if wide := sqldb.Exposed(snap.Gateway.Store); wide != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning: store:", wide)
			}
			if connects {
				if err := connectToAll(cmd.Context(), &snap.Gateway); err != nil {
					return err
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The configuration is valid. Apps: %d\n", len(snap.Apps()))
			for _, line := range append(inUse(f.options.Dir, snap), addresses(&snap.Gateway)...) {
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			return tryModels(cmd.Context(), cmd.OutOrStdout(), &snap.Gateway, names)
		},
	}
	f.registerServing(cmd)
	cmd.Flags().BoolVar(&connects, "connect", false, "also connect to the store and to Redis")
	cmd.Flags().StringVar(&models, "models", "", "try all models, or those with these `names`, separated by commas; costs tokens")
	cmd.Flags().Lookup("models").NoOptDefVal = allModels
	return cmd
}

// modelNames returns the models to try for the value of --models.
func modelNames(g *config.Gateway, flag string) ([]string, error) {
	known := slices.Sorted(maps.Keys(g.Models))
	switch flag {
	case "":
		return nil, nil
	case allModels:
		return known, nil
	}
	names := strings.Split(flag, ",")
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usageError{fmt.Errorf("askgate check: --models: there is no model %q; %s", name, config.Suggest(name, known))}
		}
	}
	return names, nil
}

// tryModels tries one model after the other, and prints the results. It returns an error if a model does
// not work.
func tryModels(ctx context.Context, w io.Writer, g *config.Gateway, names []string) error {
	if len(names) == 0 {
		return nil
	}
	texts, err := locales.New()
	if err != nil {
		return err
	}
	made, failed := providers(texts), 0
	for _, name := range names {
		c := g.Models[name]
		provider, ok := made[c.Provider]
		if !ok {
			return fmt.Errorf("model %s: this version has no provider %q", name, c.Provider)
		}
		notes := upstream.NewNotes(nil)
		result := trial.Run(ctx, provider(c, notes), trialTool())
		if !result.Works() {
			failed++
		}
		showTrial(w, name, &c, &result, notes)
	}
	if failed > 0 {
		return fmt.Errorf("%d of the %d models that were tried cannot ask people", failed, len(names))
	}
	return nil
}

// showTrial prints the result of trying a model.
func showTrial(w io.Writer, name string, c *config.Model, r *trial.Result, notes *upstream.Notes) {
	yes := func(works bool) string {
		if works {
			return "yes"
		}
		return "no"
	}
	verdict := "works"
	if !r.Works() {
		verdict = "does not work"
	}
	what := c.Provider
	if c.Model != "" {
		what += " " + c.Model
	}
	fmt.Fprintf(w, "model %s (%s) %s: text %s, tool call %s, answer %s\n", name, what, verdict, yes(r.Text), yes(r.Call), yes(r.Answer))
	if r.Works() || r.Usage != (model.Usage{}) {
		fmt.Fprintf(w, "  tokens: %d in, %d of them cached; %d out, %d of them reasoning; %v\n",
			r.Usage.InputTokens, r.Usage.CachedInputTokens, r.Usage.OutputTokens, r.Usage.ReasoningTokens, r.Took.Round(time.Millisecond))
	}
	adaptations, _ := notes.List()
	for _, a := range adaptations {
		fmt.Fprintf(w, "  adapted: %s\n", tools.Visible(a.Detail))
	}
	if problem := r.Problem(); problem != "" {
		fmt.Fprintf(w, "  reason: %s\n", tools.Visible(problem))
	}
	if advice := r.Advice(c.Provider, c.BaseURL); advice != "" {
		fmt.Fprintf(w, "  hint: %s\n", tools.Visible(advice))
	}
}
