package extract_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/tools/extract"
)

func TestMain(m *testing.M) {
	extract.Hook()
	m.Run()
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func reader(t *testing.T) *extract.Reader {
	t.Helper()
	r := extract.Within(time.Hour) // however slow the machine is
	t.Cleanup(r.Close)
	return r
}

// parts returns a text, a line for each part.
func parts(t extract.Text) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.Title)
	for _, p := range t.Parts {
		fmt.Fprintf(&b, "%d %d %s: %s\n", p.Page, p.Level, p.Heading, strings.ReplaceAll(p.Text, "\n", "/"))
	}
	return b.String()
}

// The text of a browser's PDF comes column by column, with accents and ligatures, without the hyphens
// that divide its words, with pages and headings.
func TestPDF(t *testing.T) {
	r := reader(t)
	const want = `Gebührensatzung
1 1 Gebührensatzung: Die Größe der Fläche „Öffentlichkeit“; œuvre, niño; final effect office flow.
1 2 § 1 Zweck: LINKS beginnt die erste Spalte./Straßenreinigungsgebührenordnungen und Grundstücksverkehrsgenehmigungszuständigkeiten gelten./RECHTS beginnt die zweite Spalte,/die nach der ersten gelesen wird, und/sie endet hier.
2 2 § 2 Höhe: Hund 120 €/Katze keine/`
	for _, name := range []string{"law.pdf", "restricted.pdf"} { // opens without a password
		got, err := r.Read(t.Context(), extract.PDF, file(t, name))
		if err != nil || !strings.HasPrefix(parts(got), want) {
			t.Errorf("%s: %v\n%swant\n%s", name, err, parts(got), want)
		}
	}
	if got, err := r.Read(t.Context(), extract.PDF, pdf(2, "(Two words) Tj")); err != nil || got.String() != "Two words\n\nTwo words" || got.Parts[1].Page != 2 {
		t.Errorf("%v %+v", err, got)
	}
}

// What a browser prints at the top and bottom of each page is not the usual text, even if a short
// document has more of it: the text is not taken for headings.
func TestHeadsOfPagesAreNotTheUsualText(t *testing.T) {
	const content = "/F 8 Tf (1/30/26 The Market Act as printed from a computer, page 1/2) Tj " +
		"/F 20 Tf 0 -50 Td (Stalls) Tj /F 12 Tf 0 -50 Td (A stall is three metres wide, and as deep as the trader needs.) Tj " +
		"/F 8 Tf 0 -50 Td (1/30/26 The Market Act as printed from a computer, page 2/2) Tj"
	got, err := reader(t).Read(t.Context(), extract.PDF, pdf(1, content))
	if want := "\n1 0 : 1/30/26 The Market Act as printed from a computer, page 1/2\n1 1 Stalls: A stall is three metres wide, and as deep as the trader needs./1/30/26 The Market Act as printed from a computer, page 2/2\n"; err != nil || parts(got) != want {
		t.Errorf("%v\n%swant%s", err, parts(got), want)
	}
}

// pdf makes a PDF of n pages with the same content.
func pdf(n int, content string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(at))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	kids := &strings.Builder{}
	for i := range n {
		fmt.Fprintf(kids, "%d 0 R ", 5+i)
	}
	object("<</Type/Pages/Count %d/Kids[%s]>>", n, kids)
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	fmt.Fprintf(z, "BT /F 12 Tf 50 700 Td %s ET", content)
	z.Close()
	object("<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream", packed.Len(), packed.String())
	for range n {
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents 4 0 R>>")
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF", len(at)+1, xref)
	return b.Bytes()
}

// A file that cannot be read is refused as a whole, with the reason and what to do, and the next one
// is read.
func TestFilesAreRefused(t *testing.T) {
	r := reader(t)
	for _, c := range []struct {
		name   string
		format extract.Format
		data   []byte
		want   extract.Refused
	}{
		{"encrypted", extract.PDF, file(t, "encrypted.pdf"), extract.Encrypted},
		{"no PDF", extract.PDF, []byte("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"), extract.Damaged},
		{"empty", extract.PDF, nil, extract.Damaged},
		{"a scan", extract.PDF, pdf(1, ""), extract.Scanned},
		{"100,000 pages", extract.PDF, pdf(100_000, "(x) Tj"), extract.Pages},
		{"a bomb in a PDF", extract.PDF, pdf(1, strings.Repeat(" ", 200<<20)), extract.Damaged},
		{"too large", extract.PDF, make([]byte, extract.MaxFile+1), extract.Large},
		{"memory", extract.Greedy, nil, extract.Damaged},
		{"the process ended", extract.Deadly, nil, extract.Damaged},
	} {
		if c.name == "memory" && runtime.GOOS != "linux" {
			continue // only Linux limits it
		}
		got, err := r.Read(t.Context(), c.format, c.data)
		if why := extract.Refused(0); !errors.As(err, &why) || why != c.want || why.Error() == "" || len(got.Parts) > 0 {
			t.Errorf("%s: %v %q", c.name, err, parts(got))
		}
	}
	if _, err := r.Read(t.Context(), extract.PDF, file(t, "law.pdf")); err != nil {
		t.Error(err)
	}
}

// A file that takes too long is refused, and its process is gone.
func TestEndlessFilesAreEnded(t *testing.T) {
	r := extract.Within(time.Millisecond)
	defer r.Close()
	if _, err := r.Read(t.Context(), extract.Endless, nil); !errors.Is(err, extract.Slow) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := extract.New().Read(ctx, extract.Endless, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if ids := r.Idle(); len(ids) > 0 {
		t.Errorf("processes %v wait for files", ids)
	}
}

// Ctrl-C and systemd signal children, too. A child reads on until its parent is done with it, or gone:
// then it ends in the middle of a file.
func TestChildrenEndWithTheirParent(t *testing.T) {
	r := reader(t)
	if _, err := r.Read(t.Context(), extract.Curious, []byte("x")); err != nil {
		t.Fatal(err)
	}
	first := r.Idle()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := syscall.Kill(first[0], s); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(t.Context(), extract.Curious, []byte("x")); err != nil || len(r.Idle()) != 1 || r.Idle()[0] != first[0] {
			t.Errorf("after %v: %v %v %v", s, err, first, r.Idle())
		}
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "__extract")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil || child.Start() != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte{byte(extract.Endless), 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 5)); err != nil { // it has begun
		t.Fatal(err)
	}
	in.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
}

// Where no child can begin to read one format, it is not tried again for a while, and others are read.
func TestFormatsFailApart(t *testing.T) {
	r := reader(t)
	for range 2 {
		why := extract.Refused(0)
		if _, err := r.Read(t.Context(), extract.Unready, nil); err == nil || errors.As(err, &why) {
			t.Errorf("a child that cannot begin: %v", err)
		}
	}
	if _, err := r.Read(t.Context(), extract.Curious, []byte("x")); err != nil {
		t.Error(err)
	}
}

// A child knows nothing of its parent's environment and folder.
func TestChildrenGetNoSecrets(t *testing.T) {
	t.Setenv("ASKGATE_SECRET", "secret")
	r := reader(t)
	got, err := r.Read(t.Context(), extract.Curious, []byte("x"))
	if err != nil || len(got.Parts) != 2 || strings.TrimSpace(got.Parts[1].Text) != "" || got.Title != "/" {
		t.Errorf("%v %+v", err, got)
	}
}

// At most two files are read at once, only one of them in the background. A child is used
// again, and one that was killed while it waited is replaced.
func TestPlacesAreLimited(t *testing.T) {
	r := reader(t)
	ctx, cancel := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = r.ReadBehind(ctx, extract.Endless, nil) })
	waits, give := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer give()
	for r.Reading() == 0 {
		time.Sleep(time.Millisecond)
	}
	var behind error
	second := make(chan struct{})
	go func() {
		defer close(second)
		_, behind = r.ReadBehind(waits, extract.Endless, nil)
	}()
	for waiting := true; waiting; {
		select {
		case <-second:
			waiting = false
		case <-time.After(time.Millisecond):
			if n := r.Reading(); n != 1 {
				t.Fatalf("%d files are read", n)
			}
		}
	}
	if !errors.Is(behind, context.DeadlineExceeded) {
		t.Errorf("behind another: %v", behind)
	}
	if _, err := r.Read(t.Context(), extract.Curious, []byte("x")); err != nil {
		t.Error(err)
	}
	first := r.Idle()
	if _, err := r.Read(t.Context(), extract.Curious, []byte("x")); err != nil || len(first) != 1 || r.Idle()[0] != first[0] {
		t.Errorf("%v %v %v", err, first, r.Idle())
	}
	_ = syscall.Kill(first[0], syscall.SIGKILL)
	if _, err := r.Read(t.Context(), extract.Curious, []byte("x")); err != nil || r.Idle()[0] == first[0] {
		t.Errorf("after its process was killed: %v", err)
	}
	cancel()
	reading.Wait()
}

func TestTitlesOfProgramsAreNone(t *testing.T) {
	for _, title := range []string{"", "Microsoft Word - law_final2.doc", "law.pdf", "untitled", "Unbenannt 1", "Document1", "12-34", "about:blank", "https://x.example/print?id=3", "a\x00"} {
		if got := extract.Sensible(title); got != "" && title != "a\x00" {
			t.Errorf("%q: %q", title, got)
		}
	}
	for _, title := range []string{"Gebührensatzung", "Document retention policy", "Ley 35/2006"} {
		if got := extract.Sensible(title); got != title {
			t.Errorf("%q: %q", title, got)
		}
	}
}

// A child that claims millions of parts takes no memory for them.
func TestPartsOfFramesAreLimited(t *testing.T) {
	content := `{"parts":[` + strings.Repeat("{},", 10_000_000) + `{}]}`
	frame := append(binary.BigEndian.AppendUint32([]byte("t"), uint32(len(content))), content...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := extract.Decode(frame)
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || used > 500 {
		t.Errorf("%d MiB, %v", used, err)
	}
}

// Whatever a child sends, its parent takes no more than the limits allow.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("n\x00\x00\x00\x01e"))
	f.Add([]byte("t\x00\x00\x00\x1f" + `{"parts":[{"page":1,"text":"a"}]}`))
	f.Add([]byte("t\xff\xff\xff\xff"))
	f.Add([]byte("r\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := extract.Decode(data)
		if err == nil && (len(got.Parts) == 0 || len(got.String()) > 2*extract.MaxText) {
			t.Fatalf("%+v", got)
		}
		for _, p := range got.Parts {
			if err != nil || p.Page < 0 || p.Page > extract.MaxPages || p.Level < 0 || p.Level > 6 {
				t.Fatalf("%v %+v", err, p)
			}
		}
	})
}
