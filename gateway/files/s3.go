package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const s3Scheme = "s3://"

const s3Hint = "see that the bucket of files.store is there, can be reached, and its key may put, get and delete objects"

// bucket keeps an object for each, below a prefix.
type bucket struct {
	client *minio.Client
	name   string
	prefix string // "" or ends in a slash
}

// s3Address is the parsed address of a bucket:
// s3://BUCKET/PREFIX?region=REGION&endpoint=http(s)://HOST:PORT.
type s3Address struct {
	bucket, prefix string
	region         string
	host           string
	secure         bool
	path           bool // the bucket is in the path of URLs, not in their host
}

func readS3(address string) (a s3Address, err error) {
	u, err := url.Parse(address)
	const hint = `; write s3://BUCKET?region=REGION, or s3://BUCKET?endpoint=https://HOST:PORT`
	switch {
	case err != nil:
		return a, errors.New("not the address of a bucket" + hint)
	case u.User != nil:
		return a, errors.New("the address of a bucket must not contain a key; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case u.Host == "" || u.Port() != "" || u.Fragment != "":
		return a, errors.New("the address has no bucket" + hint)
	}
	a = s3Address{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), secure: true, host: "s3.amazonaws.com"}
	if a.prefix != "" {
		a.prefix += "/"
	}
	for key, values := range u.Query() {
		switch key {
		case "region":
			a.region = values[0]
		case "endpoint":
			at, err := url.Parse(values[0])
			if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || strings.Trim(at.Path, "/") != "" || at.User != nil || at.RawQuery != "" {
				return a, errors.New("the endpoint is not an address; write it like https://s3.example.com or http://minio:9000")
			}
			a.host, a.secure, a.path = at.Host, at.Scheme == "https", true
		default:
			return a, fmt.Errorf("unknown parameter %q in the address of a bucket; use region and endpoint", key)
		}
	}
	if a.region == "" && !a.path {
		return a, errors.New("the bucket's region is missing" + hint)
	}
	return a, nil
}

// openS3 takes the key from the environment, the file of the AWS tools, or the machine's role.
func openS3(address string) (Store, error) {
	a, err := readS3(address)
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupAuto
	if a.path {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(a.host, &minio.Options{
		Creds:  credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}}),
		Secure: a.secure, Region: a.region, BucketLookup: lookup, MaxRetries: s3Tries,
	})
	if err != nil {
		return nil, unavailable(err, s3Hint)
	}
	return &bucket{client, a.bucket, a.prefix}, nil
}

// s3Tries is how often a request is sent at most.
const s3Tries = 4

// Put goes by way of a temporary file: the size has to be sent before the bytes, and they
// must not all be in memory.
func (b *bucket) Put(ctx context.Context, id string, r io.Reader) (int64, error) {
	if err := guard(id); err != nil {
		return 0, err
	}
	const hint = "see that the machine's folder for temporary files has room"
	spool, err := os.CreateTemp("", "askgate-upload-*")
	if err != nil {
		return 0, unavailable(err, hint)
	}
	defer spool.Close()
	if err := os.Remove(spool.Name()); err != nil { // nothing is left of it, however this ends
		defer os.Remove(spool.Name()) // for a system that removes no open files
	}
	from := &source{r: r}
	if _, err := io.Copy(spool, from); err != nil {
		if from.err != nil {
			return from.n, from.err
		}
		return from.n, unavailable(err, hint)
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return from.n, unavailable(err, hint)
	}
	_, err = b.client.PutObject(ctx, b.name, b.prefix+id, spool, from.n, minio.PutObjectOptions{ContentType: "application/octet-stream"})
	return from.n, unavailable(err, s3Hint)
}

func (b *bucket) Open(ctx context.Context, id string) (io.ReadCloser, error) {
	if err := guard(id); err != nil {
		return nil, err
	}
	object, err := b.client.GetObject(ctx, b.name, b.prefix+id, minio.GetObjectOptions{})
	if err == nil {
		if _, err = object.Stat(); err == nil { // it is not asked for before something is read
			return object, nil
		}
		_ = object.Close() // there is nothing to lose
	}
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound && minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil, fmt.Errorf("files: %w", fs.ErrNotExist)
	}
	return nil, unavailable(err, s3Hint)
}

func (b *bucket) Delete(ctx context.Context, id string) error {
	if err := guard(id); err != nil {
		return err
	}
	return unavailable(b.client.RemoveObject(ctx, b.name, b.prefix+id, minio.RemoveObjectOptions{}), s3Hint)
}
