package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/askuser"
)

// configFlags choose a configuration. Each can also be set by an environment variable, except --env-file.
type configFlags struct {
	options config.Options
	envFile string
}

// register defines the flags of every command that reads a configuration.
func (f *configFlags) register(cmd *cobra.Command) {
	f.registerAt(cmd, "store", "`URL` of the store, sqlite:PATH or postgres://... (ASKGATE_STORE)")
}

// registerAt is register with another name for the flag of the store.
func (f *configFlags) registerAt(cmd *cobra.Command, store, usage string) {
	f.options.Question, f.options.Tools = askuser.CheckTemplate, toolTypes(nil, nil, nil)
	flags := cmd.Flags()
	flags.StringVar(&f.options.Dir, "config", "", "configuration `directory`; default: the built-in one (ASKGATE_CONFIG)")
	f.override(flags, store, usage, &f.options.Overrides.Store)
	flags.StringVar(&f.envFile, "env-file", "", "`file` of variables, KEY=VALUE on each line; the environment takes precedence")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return f.read(cmd.Flags()) }
}

// registerServing defines the flags that change what a gateway serves.
func (f *configFlags) registerServing(cmd *cobra.Command) {
	f.register(cmd)
	flags := cmd.Flags()
	f.override(flags, "listen", "`address` to listen on, 127.0.0.1:8080 by default (ASKGATE_LISTEN)", &f.options.Overrides.Listen)
	f.override(flags, "admin-listen", "`address` for /metrics and health; default: the main address (ASKGATE_ADMIN_LISTEN)", &f.options.Overrides.AdminListen)
	f.override(flags, "redis", "`URL` of Redis, redis://... or rediss://..., with ?addr= for a cluster or ?master_name= for Sentinel; default: none, one process alone (ASKGATE_REDIS)", &f.options.Overrides.Redis)
	flags.BoolVar(&f.options.Insecure, "insecure", false, `allow auth.mode "none" on addresses other than loopback (ASKGATE_INSECURE=true)`)
}

// override defines a flag that takes precedence over the environment variable of the same setting.
func (*configFlags) override(flags *pflag.FlagSet, name, usage string, target **string) {
	flags.Func(name, usage, func(value string) error {
		*target = &value
		return nil
	})
}

// variables maps flags to their environment variables, where package config does not read these.
var variables = map[string]string{
	"config": "ASKGATE_CONFIG", "insecure": "ASKGATE_INSECURE", "log-level": "ASKGATE_LOG_LEVEL", "log-format": "ASKGATE_LOG_FORMAT",
}

// read adds the variables of --env-file that are not set to the environment, and then sets the flags
// that were not given from their variables.
func (f *configFlags) read(flags *pflag.FlagSet) error {
	if f.envFile != "" {
		if err := readEnvironment(f.envFile); err != nil {
			return err
		}
	}
	for name, variable := range variables {
		value, flag := os.Getenv(variable), flags.Lookup(name)
		if value == "" || flag == nil || flag.Changed {
			continue
		}
		if name == "insecure" { // any value other than true means false
			value = fmt.Sprint(value == "true")
		}
		if err := flag.Value.Set(value); err != nil {
			return usageError{fmt.Errorf("%s: %w", variable, err)}
		}
	}
	return nil
}

// maxEnvFile limits the size of a file of variables, in bytes.
const maxEnvFile = 1 << 20

// readEnvironment reads a file of variables, and sets those that the environment does not have. The
// error contains no value.
func readEnvironment(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("--env-file: %w. Name a file of lines such as OPENAI_API_KEY=sk-..., or omit the flag", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxEnvFile+1))
	if err != nil {
		return fmt.Errorf("--env-file: %w", err)
	}
	if len(data) > maxEnvFile {
		return fmt.Errorf("--env-file: %s is larger than %d bytes; name a file of lines such as OPENAI_API_KEY=KEY", name, maxEnvFile)
	}
	read := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		key, value, wrong := variable(line)
		if wrong != "" {
			return fmt.Errorf("--env-file: %s:%d: %s", name, i+1, wrong)
		}
		if _, given := os.LookupEnv(key); key != "" && !given {
			read[key] = value
		}
	}
	for key, value := range read {
		if err := os.Setenv(key, value); err != nil {
			return fmt.Errorf("--env-file: %s: %s cannot be set", name, key)
		}
	}
	return nil
}

var assignment = regexp.MustCompile(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$`)

// variable parses a line as shells and Docker do, but expands nothing, because a password may contain
// a $. The libraries that were considered expand $, or cut a value at any #. key is "" for an empty
// line and a comment; wrong says what is wrong with the line.
func variable(line string) (key, value, wrong string) {
	line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	if line == "" || line[0] == '#' {
		return "", "", ""
	}
	m := assignment.FindStringSubmatch(line)
	switch {
	case m == nil:
		return "", "", "not a variable; write KEY=VALUE, or # before a comment"
	case !utf8.ValidString(line) || strings.ContainsRune(line, 0):
		return "", "", "not text; write UTF-8 without NUL bytes"
	}
	key, value = m[1], m[2]
	quote := byte(0)
	if value != "" {
		quote = value[0]
	}
	var rest string
	switch quote {
	case '\'':
		end := strings.IndexByte(value[1:], '\'')
		if end < 0 {
			return "", "", "the quote is not closed; add one at the end of the value"
		}
		value, rest = value[1:1+end], value[2+end:]
	case '"':
		if value, rest, wrong = doubleQuoted(value[1:]); wrong != "" {
			return "", "", wrong
		}
	default:
		if i := strings.Index(value, " #"); i >= 0 {
			value = value[:i]
		}
		return key, strings.TrimSpace(value), ""
	}
	if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
		return "", "", "there is text after the closing quote; put the whole value in quotes"
	}
	return key, value, ""
}

// doubleQuoted parses s up to the closing quote, with the escapes of a shell and \n, and returns the
// value and the rest of s.
func doubleQuoted(s string) (value, rest, wrong string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], ""
		case c == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case '"', '\\', '$', '`':
				b.WriteByte(s[i])
			default:
				b.WriteString(s[i-1 : i+1])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", "", "the quote is not closed; add one at the end of the value"
}
