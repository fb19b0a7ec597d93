package limit_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/limit"
)

func TestOneHolderLeavesHalfOfTheBytesToOthers(t *testing.T) {
	const large = 2 * limit.Small
	b := limit.NewBytes(8 * large)
	var releases []func()
	for i := range 4 {
		release, ok := b.Take("a", large)
		if !ok {
			t.Fatalf("refused after %d of 8", i)
		}
		releases = append(releases, release)
	}
	if _, ok := b.Take("a", large); ok {
		t.Error("one holder has more than half")
	}
	if _, ok := b.Take("a", limit.Small); !ok {
		t.Error("a small request is refused")
	}
	other, ok := b.Take("b", 4*large)
	if !ok {
		t.Fatal("the other half is not available to another holder")
	}
	if _, ok := b.Take("c", large); ok {
		t.Error("more was given than there is")
	}
	releases[0]()
	releases[0]() // does nothing
	if _, ok := b.Take("c", 2*large); ok {
		t.Error("a second release gave something back")
	}
	other()
	if _, ok := b.Take("c", 5*large); !ok {
		t.Error("a holder without anything cannot have more than half")
	}
}
