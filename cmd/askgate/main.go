// Command askgate serves the gateway. Its other commands check a configuration, maintain the store,
// and let programs ask people. See askgate --help.
//
//	serve.go        "askgate serve": opens the store, reads the configuration, starts the gateway
//	tools.go        the tools and the model providers that are built in
//	commands.go     the small commands; the others have files of their own
//	house_test.go   which package may import which, lowest level first
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
)

// version is set by the linker in a release build.
var version = ""

func main() {
	extract.Hook()
	os.Exit(run(context.Background(), os.Args[1:]))
}

// Exit codes of all commands. The commands that wait for a person have more, such as exitRefused.
const (
	exitOK    = 0
	exitFault = 1 // the command failed
	exitUsage = 2 // the command line is wrong
)

// usageError marks a mistake in the command line. The process exits with exitUsage.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// run executes the command line args and returns the exit code.
func run(ctx context.Context, args []string) int {
	root := rootCommand()
	root.SetArgs(args)
	used, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if end := (ended{}); errors.As(err, &end) {
		if end.error != nil {
			fmt.Fprintln(os.Stderr, tools.Visible(end.Error()))
		}
		return end.code
	}
	fmt.Fprintln(os.Stderr, tools.Visible(err.Error()))
	if usage := (usageError{}); errors.As(err, &usage) {
		fmt.Fprintf(os.Stderr, "Run %s --help for examples and flags.\n", used.CommandPath())
		return exitUsage
	}
	return exitFault
}

func rootCommand() *cobra.Command {
	serve := serveCommand()
	root := &cobra.Command{
		Use:   "askgate",
		Short: "A chat gateway whose model can ask the person instead of guessing",
		Long: `AskGate streams chat over SSE in front of any language model and gives the model
one more tool: it can ask the person. Without a command, askgate runs serve.`,
		Args: noArguments,
		Example: `  askgate                            serve the built-in demo on http://127.0.0.1:8080/
  askgate init conf                  write a configuration to edit
  askgate --config conf              serve it
  askgate check --config conf        find its faults`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	// Not cobra's own flag, whose text needs text/template (see locales.render).
	told := root.Flags().BoolP("version", "v", false, "version for askgate")
	root.PreRunE = func(cmd *cobra.Command, args []string) error {
		if *told {
			return nil
		}
		return serve.PreRunE(cmd, args)
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *told {
			printVersion(cmd.OutOrStdout())
			return nil
		}
		return serve.RunE(cmd, args)
	}
	root.Flags().AddFlagSet(serve.Flags())
	root.AddGroup(&cobra.Group{ID: programs, Title: "Commands for programs that ask people:"})
	for _, command := range []*cobra.Command{askCommand(), waitCommand(), pendingCommand(), answerCommand(), listenCommand(), hookCommand(), mcpCommand()} {
		command.GroupID = programs
		root.AddCommand(command)
	}
	root.AddCommand(serve, initCommand(), checkCommand(), schemaCommand(), configCommand(), migrateCommand(), copyCommand(), auditCommand(), reportCommand(), forgetCommand(), keyCommand(), healthCommand(), doctorCommand(), versionCommand())
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	for _, c := range append(completion.Commands(), completion) {
		c.Example = "  source <(askgate completion bash)\n  askgate completion fish | source"
	}
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Example = "  askgate help check"
	help.Args = func(_ *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		return errors.Join(err, noArguments(about, rest))
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	return root
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		cmd.SuggestionsMinimumDistance = 2 // cobra's own default
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return usageError{fmt.Errorf("%s: there is no command %q; did you mean %q?", cmd.CommandPath(), args[0], near[0])}
		}
		return usageError{fmt.Errorf("%s: unknown argument %q", cmd.CommandPath(), args[0])}
	}
	return nil
}

func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s: takes at most one argument, got %d", cmd.CommandPath(), len(args))}
	}
	return nil
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  askgate version",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			printVersion(cmd.OutOrStdout())
			return nil
		},
	}
}

func printVersion(to io.Writer) { fmt.Fprintln(to, "askgate", buildVersion()) }

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
