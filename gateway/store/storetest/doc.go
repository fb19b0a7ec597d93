// Package storetest is the suite that every store.Store must pass: each method with its documented
// edge cases, and properties that appear only when many write at once.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Backend{Open: open, Reopen: reopen})
//	}
//
// Every test opens its own empty store. Times are compared to the millisecond, in UTC, which is the
// precision that a store must keep. Texts are compared byte for byte.
package storetest
