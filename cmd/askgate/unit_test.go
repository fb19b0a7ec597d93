package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The systemd unit starts an existing command, waits longer than a shutdown takes, and reloads with the
// right signal.
func TestTheUnitOfSystemdFitsTheGateway(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "deploy", "systemd", "askgate.service"))
	if err != nil {
		t.Fatal(err)
	}
	unit := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			unit[key] = value
		}
	}
	program, arguments, _ := strings.Cut(unit["ExecStart"], " ")
	if filepath.Base(program) != "askgate" {
		t.Errorf("starts %s", program)
	}
	if code, _, stderr := command(t, append(strings.Fields(arguments), "--help")...); code != 0 {
		t.Errorf("askgate %s: %s", arguments, stderr)
	}
	const takes = 38 // seconds: the default shutdownTimeout, three for the last traces, five for connections
	if seconds, err := strconv.Atoi(unit["TimeoutStopSec"]); err != nil || seconds <= takes {
		t.Errorf("killed after %s s, and takes %d to end", unit["TimeoutStopSec"], takes)
	}
	if unit["ExecReload"] != "/bin/kill -HUP $MAINPID" || unit["StateDirectory"] != "askgate" || unit["DynamicUser"] != "yes" || unit["NoNewPrivileges"] != "yes" || unit["ProtectSystem"] != "strict" {
		t.Error("reload, state or rights are not as documented")
	}
}
