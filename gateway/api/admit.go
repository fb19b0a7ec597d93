package api

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
)

// admit refuses what comes while the gateway ends, or beyond the limits of requests.
func (r *request) admit() error {
	if r.host.isDraining() {
		return &fault{code: chat.CodeDraining}
	}
	return r.allowed()
}

// allowed refuses what comes beyond the limits of requests.
func (r *request) allowed() error {
	if err := r.counted(scopeRequests); err != nil {
		return err
	}
	perTenant := r.conf().Limits.RequestsPerMinutePerTenant
	return r.allow(limit.Rule{Scope: scopeTenant, Key: r.caller.Tenant, PerMinute: perTenant})
}

// bodyOf reads the request's JSON. What it takes is given back by read, which is never nil.
func (r *request) bodyOf() (data []byte, read func(), err error) { return r.bodyUpTo(maxBody) }

// bodyUpTo is bodyOf for a body of up to most bytes.
func (r *request) bodyUpTo(most int64) (data []byte, read func(), err error) {
	size := r.http().ContentLength
	if size < 0 || size > most {
		size = most
	}
	if read, err = r.take(costOfBody*min(size, maxBody) + costOfFiles*max(size-maxBody, 0)); err != nil {
		return nil, read, err
	}
	r.bodyRead = true
	data, err = readBody(r.response(), r.http(), most)
	return data, read, err
}
