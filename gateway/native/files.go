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
	// uploadIdle is how long a client may pause while it sends a file, and uploadTimeout how long
	// all of it may take.
	uploadIdle    = 30 * time.Second
	uploadTimeout = 10 * time.Minute
	// uploadsAtATime is how many files a principal may send at the same time.
	uploadsAtATime = 4
	// costOfUpload is the memory that an upload takes, in bytes, regardless of its size.
	costOfUpload = 128 << 10
	// maxFormParts is how many parts of a body are searched for the file.
	maxFormParts = 20
)

// Files handles what people upload, and the contents of results' parts.
type Files struct{ Engine Engine }

const fieldFile = "file"

// uploaded is a file that was accepted.
type uploaded struct {
	FileID string `json:"fileId"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Size   int64  `json:"size"`
}

// UploadToChat takes a file for a question in one of the caller's chats, or for a message.
func (h Files) UploadToChat(r *host.Request) error {
	r.ChatKnown = true
	return upload(r, uploads.Upload{})
}

// Upload takes a file for a clarification that the caller may answer, in any chat.
func (h Files) Upload(r *host.Request) error {
	c, err := host.ToAnswer(r)
	if err != nil {
		return err
	}
	return upload(r, uploads.Upload{ClarificationID: c.ID})
}

// upload takes the file in the request's body; to says what it is for.
func upload(r *host.Request, to uploads.Upload) error {
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
	to.Config, to.Ref, to.Name, to.Body = r.Setup().Config, r.Ref, part.name, part
	f, err := r.Host.Engine.Upload(turn.WithLog(r.Context(), r.Logger()), to)
	host.UploadEnded(r, err)
	if err != nil {
		body.drain()
		return err
	}
	r.Response().BodyIsIn()
	_ = r.Write(http.StatusCreated, host.TypeJSON, uploaded{f.ID, f.Name, f.Type, f.Size})
	return nil
}

// patient is a body that may take long, as long as some of it keeps coming.
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

// drain goes on reading after a refusal: many clients send the whole body before they look at the
// response.
func (p *patient) drain() {
	_, _ = io.CopyN(io.Discard, p.ReadCloser, host.MaxDiscard) // the response is the same if this fails
}

// formFile is the file in a multipart body. It ends with the body: if the body breaks off, or
// contains a second file, the file is invalid.
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

// filePart returns the file in a request's body, skipping the parts before it.
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

// nextFile returns the next part that is a file, or io.EOF.
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

// OfChat sends the content of a file of the caller's chat.
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

// Of sends a file that answered a clarification to those concerned: the person who answered, and
// the program that asked.
func (h Files) Of(r *host.Request) error {
	c, err := host.Find(r)
	if err != nil {
		return err
	}
	return h.sendFile(r, c.Ref, c.ID)
}

// sendFile sends a file to be saved: whatever it contains, no browser runs it here.
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
		r.Logger().Warn("cannot send the rest of a file", "error", err)
		panic(http.ErrAbortHandler) // otherwise a shorter file would look complete
	}
	_ = w.rc.Flush()
	_ = w.rc.SetWriteDeadline(time.Time{}) // the connection may carry the next request
	return nil
}

// hurried gives the client WriteTimeout for each piece.
type hurried struct {
	io.Writer
	rc *http.ResponseController
}

func (h *hurried) Write(p []byte) (int, error) {
	_ = h.rc.SetWriteDeadline(time.Now().Add(host.WriteTimeout)) // not supported: no connection to protect
	return h.Writer.Write(p)
}

// foreign keeps content from a tool's server from acting on our origin if a browser opens it
// nevertheless: it runs no script, loads nothing and has no origin.
const foreign = "default-src 'none'; sandbox; frame-ancestors 'none'"
