//go:build !linux

package mcptool

func conceal() {}
