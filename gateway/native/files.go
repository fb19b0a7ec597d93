package native

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/uploads"
)

const (
	// uploadIdle is how long a client may pause while it sends a file, and uploadTimeout how
	// long it may take for all of it.
	uploadIdle    = 30 * time.Second
	uploadTimeout = 10 * time.Minute
	// uploadsAtATime is how many files a principal may be sending.
	uploadsAtATime = 4
	// costOfUpload is what one takes of the memory, in bytes, however large it is.
	costOfUpload = 128 << 10
	// maxFormParts of a body are looked at for the file.
	maxFormParts = 20
)

// Files are what people upload, and what parts of results hold.
type Files struct{ Engine Engine }

const fieldFile = "file"

// uploaded is a file that was taken.
type uploaded struct {
	FileID string `json:"fileId"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Size   int64  `json:"size"`
}

// UploadToChat takes a file for a question of a chat of the caller's, or for a message.
func (h Files) UploadToChat(r *host.Request) error {
	r.ChatKnown = true
	return h.upload(r, "")
}

// Upload takes a file for a clarification that the caller may answer, in whichever chat.
func (h Files) Upload(r *host.Request) error {
	c, err := host.ToAnswer(r)
	if err != nil {
		return err
	}
	return h.upload(r, c.ID)
}

func (h Files) upload(r *host.Request, clarificationID string) error {
	if err := r.Admit(); err != nil {
		return err
	}
	leave, d := r.Host.Limiter.Acquire(r.Context(), host.ScopeUploads, r.Principal(), uploadsAtATime)
	defer leave()
	if err := host.Decided(r, d); err != nil {
		return err
	}
	release, err := host.Take(r, costOfUpload)
	defer release()
	if err != nil {
		return err
	}
	body := &patient{r.HTTP().Body, http.NewResponseController(r.Response()), time.Now().Add(uploadTimeout)}
	r.HTTP().Body = body
	part, err := filePart(r.HTTP())
	if err != nil {
		return err
	}
	f, err := r.Host.Engine.Upload(turn.WithLog(r.Context(), r.Logger()), uploads.Upload{
		Config: r.Setup().Config, Ref: r.Ref, ClarificationID: clarificationID, Name: part.name, Body: part,
	})
	host.UploadEnded(r, err)
	if err != nil {
		body.drain()
		return err
	}
	r.Response().BodyIsIn()
	_ = r.Write(http.StatusCreated, host.TypeJSON, uploaded{f.ID, f.Name, f.Type, f.Size})
	return nil
}

// patient is a body that may take long, while something of it comes.
type patient struct {
	io.ReadCloser
	rc    *http.ResponseController
	until time.Time
}

func (p *patient) Read(b []byte) (int, error) {
	deadline := time.Now().Add(uploadIdle)
	if p.until.Before(deadline) {
		deadline = p.until
	}
	_ = p.rc.SetReadDeadline(deadline) // not supported: no connection to protect
	return p.ReadCloser.Read(b)
}

// drain reads on after a refusal: many clients send all of a body before they look at the
// response.
func (p *patient) drain() {
	_, _ = io.CopyN(io.Discard, p.ReadCloser, host.MaxDiscard) // the response is the same if this fails
}

// formFile is the file in a multipart body. Its end is that of the body: one that breaks off,
// or holds a second file, is no file.
type formFile struct {
	parts *multipart.Reader
	part  *multipart.Part
	name  string
}

func (f *formFile) Read(p []byte) (int, error) {
	n, err := f.part.Read(p)
	switch {
	case err == nil:
	case err == io.EOF: //nolint:errorlint // readers return it as it is
		if _, end := nextFile(f.parts); !errors.Is(end, io.EOF) {
			return n, host.Invalid("multipart", fieldFile)
		}
	default: // the client went away, or is too slow
		return n, host.Invalid("multipart", fieldFile)
	}
	return n, err
}

// filePart is the file in a request's body; parts before it are passed over.
func filePart(r *http.Request) (*formFile, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, &host.Fault{Code: chat.CodeUnsupportedMedia, Detail: "multipart"}
	}
	part, err := nextFile(parts)
	if err != nil {
		return nil, host.Invalid("multipart", fieldFile)
	}
	return &formFile{parts, part, part.FileName()}, nil
}

// nextFile is the next part that is the file; io.EOF: there is none.
func nextFile(parts *multipart.Reader) (*multipart.Part, error) {
	for range maxFormParts {
		part, err := parts.NextPart()
		if err != nil || part.FormName() == fieldFile {
			return part, err
		}
		if n, err := io.Copy(io.Discard, io.LimitReader(part, host.MaxBody)); err != nil || n == host.MaxBody {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return nil, io.ErrUnexpectedEOF
}

// OfChat sends what a file of the caller's chat holds.
func (h Files) OfChat(r *host.Request) error {
	return h.sendFile(r, r.Ref, "")
}

// Discard deletes a file that nothing in the caller's chat uses.
func (h Files) Discard(r *host.Request) error {
	if err := r.Host.Engine.Discard(r.Context(), r.Ref, r.Param("fileId")); err != nil {
		return err
	}
	return r.Nothing()
}

// Of sends a file that answered a clarification to those whom it concerns: who answered,
// and the program that asked.
func (h Files) Of(r *host.Request) error {
	c, err := host.Find(r)
	if err != nil {
		return err
	}
	return h.sendFile(r, c.Ref, c.ID)
}

// sendFile sends a file to be saved: whatever it holds, no browser runs it here.
func (h Files) sendFile(r *host.Request, ref chat.Ref, clarificationID string) error {
	release, err := host.Take(r, costOfUpload)
	defer release()
	if err != nil {
		return err
	}
	f, body, err := h.Engine.OpenFile(r.Context(), ref, r.Param("fileId"), clarificationID)
	if err != nil {
		return err
	}
	defer body.Close()
	header := r.Response().Header()
	header.Set("Content-Type", f.Type)
	header.Set("Content-Length", strconv.FormatInt(f.Size, 10))
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", foreign)
	header.Set("Content-Disposition", `attachment; filename*=UTF-8''`+url.PathEscape(f.Name))
	r.Response().WriteHeader(http.StatusOK)
	w := &hurried{r.Response(), http.NewResponseController(r.Response())}
	if _, err := io.Copy(w, body); err != nil {
		r.Logger().Warn("a file was not sent to its end", "error", err)
		panic(http.ErrAbortHandler) // else a shorter file would look whole
	}
	_ = w.rc.Flush()
	_ = w.rc.SetWriteDeadline(time.Time{}) // the connection may carry the next request
	return nil
}

// hurried gives the client writeTimeout for each piece.
type hurried struct {
	io.Writer
	rc *http.ResponseController
}

func (h *hurried) Write(p []byte) (int, error) {
	_ = h.rc.SetWriteDeadline(time.Now().Add(host.WriteTimeout)) // not supported: no connection to protect
	return h.Writer.Write(p)
}

// foreign keeps what a tool's server made from acting on our origin where a browser opens it
// nevertheless: it runs no script, loads nothing and has no origin.
const foreign = "default-src 'none'; sandbox; frame-ancestors 'none'"
