package host

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
)

// Admit refuses what comes while the gateway ends, or beyond the limits of requests.
func (r *Request) Admit() error {
	if r.Host.IsDraining() {
		return &Fault{Code: chat.CodeDraining}
	}
	return r.Allowed()
}

// Allowed refuses what comes beyond the limits of requests.
func (r *Request) Allowed() error {
	if err := r.Count(scopeRequests); err != nil {
		return err
	}
	perTenant := r.Conf().Limits.RequestsPerMinutePerTenant
	return r.allow(limit.Rule{Scope: scopeTenant, Key: r.Caller.Tenant, PerMinute: perTenant})
}

// Body reads the request's JSON. What it takes is given back by read, which is never nil.
func (r *Request) Body() (data []byte, read func(), err error) { return r.BodyUpTo(MaxBody) }

// BodyUpTo is bodyOf for a body of up to most bytes.
func (r *Request) BodyUpTo(most int64) (data []byte, read func(), err error) {
	size := r.HTTP().ContentLength
	if size < 0 || size > most {
		size = most
	}
	if read, err = r.Take(costOfBody*min(size, MaxBody) + costOfFiles*max(size-MaxBody, 0)); err != nil {
		return nil, read, err
	}
	r.BodyRead = true
	data, err = ReadBody(r.Response(), r.HTTP(), most)
	return data, read, err
}
