package config

// exposure checks what the gateway would let strangers do. A rule is checked only if the values that it
// needs have no other fault.
type exposure struct {
	pass *pass
	root Value // of gateway.json
	g    *Gateway
}

// open reports a fault if everyone on the network could use the gateway: with auth.mode none on an
// address other than loopback. from is the flag or the variable that gave the address, "" for the
// file; serving is the address on which the process already listens, "" before it does.
func (e *exposure) open(from, serving string) {
	if e.g.Auth.Mode != AuthNone {
		return
	}
	const hint = `; set up API keys ("mode": "apiKeys", made with: askgate key new), listen on 127.0.0.1, or pass --insecure (ASKGATE_INSECURE=true)`
	switch {
	case !loopback(e.g.Listen):
		const wrong = `auth mode "none" lets everyone who reaches this address chat` + hint
		if from != "" {
			e.pass.fault(Fault{File: from, Message: wrong})
			return
		}
		e.root.Key("listen").Fault("%s", wrong) // only the file can have set it: the default is loopback
	case serving != "" && !loopback(serving):
		// The files may already name a loopback address, for the next start.
		const wrong = `auth mode "none" is for loopback only, but the running gateway listens on another address until it is restarted` + hint
		if at := e.authAt(); at.Given() {
			at.Fault("%s", wrong)
			return
		}
		e.pass.fault(whole(e.pass.shown("gateway.json"), wrong))
	}
}

// authAt returns the value of auth.mode in gateway.json, or that of auth.
func (e *exposure) authAt() Value {
	auth := e.root.Key("auth")
	if mode := auth.Key("mode"); mode.Given() {
		return mode
	}
	return auth
}

// unnamed warns about a gateway that is meant for other machines but has no hosts for them to use.
func (e *exposure) unnamed() {
	if len(e.g.Hosts) > 0 {
		return
	}
	const hint = `; list the hosts that clients use in "hosts" (all others get 421)`
	switch {
	case e.g.Auth.Mode == AuthProxy:
		e.authAt().Warn(`auth mode "proxy" answers only to this machine's own names` + hint)
	case e.g.Auth.Mode == AuthNone && !loopback(e.g.Listen):
		e.pass.note(whole(e.pass.shown("gateway.json"), `auth mode "none" answers only to this machine's own names`+hint))
	}
}

// unsealed warns if other programs could ask people in the gateway's name.
func (e *exposure) unsealed() {
	if e.g.Auth.Session.Secret == "" && e.g.Redis != "" {
		e.pass.note(whole(e.pass.shown("gateway.json"), "questions are not sealed, so anyone who can write to Redis or the store can ask people in the gateway's name; "+
			"set auth.session.secret, the same on all nodes"))
	}
}

// unaddressed warns about channels that know no one's address, and about people whom no channel tells.
func (e *exposure) unaddressed() {
	switch g := e.g; {
	case len(g.Channels) > 0 && len(g.People) == 0 && g.Auth.JWT.Claims.Email == "":
		fix := `list them under "people"`
		if g.Auth.Mode == AuthJWT {
			fix += `, or name the claim that has it in auth.jwt.claims.email`
		}
		e.root.Key("channels").Warn("no one's email address is known, so the channels can tell no one; %s", fix)
	case len(g.Channels) == 0 && len(g.People) > 0:
		e.root.Key("people").Warn(`"people" has no effect, because there are no "channels"`)
	}
}

// sealable reports a fault for what sends answer links without a secret to seal them.
func (e *exposure) sealable(what string, links []Value) {
	for _, at := range links {
		if e.g.Auth.Session.Secret == "" {
			at.Fault("%s requires a secret that seals the links; set auth.session.secret, the same on all nodes", what)
		}
	}
}

// reachable warns about links that people cannot open. Only links that may be opened on this machine may
// lead to a loopback address.
func (e *exposure) reachable(links []Value, elsewhere bool) {
	for _, at := range links {
		if e.g.PublicURL == "" && (elsewhere || !loopback(e.g.Listen)) {
			at.Warn(`the links lead to the address that the gateway listens on; write the one that people use, like "publicUrl": "https://ask.example.org"`)
		}
	}
}
