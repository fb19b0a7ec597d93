package front

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// A file is read only from a data: address, or from base64; no more of it is decoded than is
// allowed.
func TestNewFile(t *testing.T) {
	const place = "messages[0].content[1]"
	for _, c := range []struct {
		part Part
		want string // name, content; or the code of the refusal
	}{
		{Part{Address: "data:image/png;base64,aGVsbG8="}, "image.png hello"},
		{Part{Address: "DATA:Image/JPEG;name=x;BASE64,aGVsbG8"}, "image.jpg hello"},
		{Part{Address: "data:;base64,aGVsbG8=", Type: "text/csv"}, "file.csv hello"},
		{Part{Address: "data:video/x;base64,aGVsbG8=", Name: "a.bin"}, "a.bin hello"},
		{Part{Base64: "aGVsbG8=", Type: "audio/wav"}, "audio.wav hello"},
		{Part{Base64: "data:application/pdf;base64,aGVsbG8="}, "file.pdf hello"},
		{Part{Base64: "aGVs\nbG8="}, "file hello"},
		{Part{Address: "data:text/plain;base64,"}, "file.txt "},
		{Part{Address: "data:text/plain,hello"}, "unsupported_part"},
		{Part{Address: "data:image/png;base64,aGVsbG8*"}, "unsupported_part"},
		{Part{Address: "data:image/png;base64,aGVsb"}, "unsupported_part"},
		{Part{Address: "data:" + strings.Repeat("x", 300) + ";base64,aGVsbG8="}, "unsupported_part"},
		{Part{Address: "https://example.com/a.png"}, "unsupported_part"},
		{Part{Address: "https://example.com/a.png", Base64: "aGVsbG8="}, "unsupported_part"},
		{Part{Address: Lifted + "x:0"}, "unsupported_part"},
		{Part{Base64: Lifted + "x:0"}, "unsupported_part"},
		{Part{}, "unsupported_part"},
		{Part{Base64: strings.Repeat("aGVs", 40) + "*"}, "too_large"}, // before it is decoded
	} {
		c.part.Place = place
		f, err := NewFile(c.part, 100)
		if err != nil {
			e, ok := err.(*chat.Error) //nolint:errorlint // it wraps nothing
			if !ok || string(e.Code) != c.want || e.Params["Field"] != place {
				t.Errorf("%.60v: %v", c.part, err)
			}
			continue
		}
		held, err := io.ReadAll(f.Open())
		sum := sha256.Sum256(held)
		if err != nil || f.Name+" "+string(held) != c.want || f.Size != int64(len(held)) || f.Sum != hex.EncodeToString(sum[:]) || f.Part != place {
			t.Errorf("%.60v: %+v %q %v", c.part, f, held, err)
		}
	}
}

// FuzzNewFile: what is read is base64 of what was sent, within its limit, or it is refused with its
// location.
func FuzzNewFile(f *testing.F) {
	for _, address := range []string{"data:image/png;base64,aGVsbG8=", "data:;base64,", "data:,x", "https://x", "data:a;base64;base64,aGVs\r\nbG8"} {
		f.Add(address, "")
		f.Add("", address)
	}
	f.Add("", "aGVsbG8")
	f.Fuzz(func(t *testing.T, address, data string) {
		const most = 64
		file, err := NewFile(Part{Place: "p", Address: address, Base64: data}, most)
		if err != nil {
			if e, ok := err.(*chat.Error); !ok || e.Params["Field"] != "p" { //nolint:errorlint // it wraps nothing
				t.Fatal(err)
			}
			return
		}
		held, err := io.ReadAll(file.Open())
		if err != nil || int64(len(held)) != file.Size || file.Size > most {
			t.Fatalf("%d bytes, size %d, %v", len(held), file.Size, err)
		}
		clean := strings.NewReplacer("\r", "", "\n", "").Replace(address + data)
		if coded := base64.RawStdEncoding.EncodeToString(held); len(coded) > 4 && !strings.Contains(clean, coded[:len(coded)-2]) {
			t.Fatalf("%q is not of %q", held, clean)
		}
	})
}

// Instructions that programs send reach the model only where the app allows it, within its limit.
func TestInstructed(t *testing.T) {
	app := func(says string) *config.App { return &config.App{ClientInstructions: says} }
	for _, c := range []struct{ says, text, want string }{
		{config.InstructionsIgnore, "Speak.", ""},
		{config.InstructionsIgnore, strings.Repeat("x", 1<<20), ""},
		{config.InstructionsAppend, " Speak. ", "Speak.\n\nAnd sing."},
		{config.InstructionsAppend, strings.Repeat("x", MaxInstructions-len("\n\nAnd sing.")), "x"},
		{config.InstructionsAppend, strings.Repeat("x", MaxInstructions-len("\n\nAnd sing.")+1), "invalid_request"},
		{config.InstructionsRefuse, "Speak.", "client_instructions_off"},
	} {
		var i Instructed
		i.Add("system", "messages[0]", " \n")
		i.Add("system", "messages[1]", c.text)
		i.Add("context", "context[0]", "And sing.")
		got, err := i.For(app(c.says))
		if err != nil {
			if e := err.(*chat.Error); string(e.Code) != c.want || e.Params["Field"] != "messages[1]" { //nolint:errorlint // it wraps nothing
				t.Errorf("%s: %v", c.says, err)
			}
		} else if got != c.want && (len(c.text) < 100 || len(got) != MaxInstructions) {
			t.Errorf("%s: %.60q, %d bytes", c.says, got, len(got))
		}
		if names := strings.Join(i.Names(), " "); names != "system context" {
			t.Errorf("names %s", names)
		}
	}
	var none Instructed
	none.Add("system", "messages[0]", "")
	if got, err := none.For(app(config.InstructionsRefuse)); got != "" || err != nil || none.Names() != nil {
		t.Errorf("none: %q %v", got, err)
	}
}
