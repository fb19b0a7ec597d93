package main

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// make and npm pass on the Ctrl-C that the terminal has sent to all of them: that is one signal.
func TestASignalThatComesTwiceIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals, ended := make(chan os.Signal), make(chan struct{})
		second := make(chan bool, 1)
		stop := func() { go func() { second <- secondSignal(signals, ended) }() }
		stop()
		signals <- syscall.SIGINT
		time.Sleep(999 * time.Millisecond)
		signals <- syscall.SIGTERM
		synctest.Wait()
		if len(second) != 0 {
			t.Error("a signal within a second ended the turns")
		}
		time.Sleep(time.Millisecond)
		signals <- syscall.SIGHUP // reloads, and ends nothing
		synctest.Wait()
		if len(second) != 0 {
			t.Error("SIGHUP ended the turns")
		}
		signals <- syscall.SIGTERM
		if !<-second {
			t.Error("a signal after a second did not end the turns")
		}
		stop()
		close(ended)
		if <-second {
			t.Error("the end was taken for a signal")
		}
	})
}
