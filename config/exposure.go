package config

// exposure judges what a gateway lets strangers do. Its rules hold where nothing else is wrong with
// what they judge.
type exposure struct {
	pass *pass
	root Value // of gateway.json
	g    *Gateway
}

// open refuses to let everybody on the network in: auth.mode none on another
// address than loopback. From is the flag or the variable that gave the
// address, "" for the file; serving is where the process listens already, "" before it does.
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
		e.root.Key("listen").Fault("%s", wrong) // only the file can have said so: the default is loopback
	case serving != "" && !loopback(serving):
		// The files may name a loopback address by now, for the next start.
		const wrong = `auth mode "none" is for loopback only, but the running gateway listens on another address until it is restarted` + hint
		if at := e.authAt(); at.Given() {
			at.Fault("%s", wrong)
			return
		}
		e.pass.fault(whole(e.pass.shown("gateway.json"), wrong))
	}
}

// authAt is where gateway.json says the mode, or else "auth".
func (e *exposure) authAt() Value {
	auth := e.root.Key("auth")
	if mode := auth.Key("mode"); mode.Given() {
		return mode
	}
	return auth
}

// unnamed warns of a gateway that others are to reach, and that has no name for them.
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

// unsealed warns where others could ask people in the gateway's name.
func (e *exposure) unsealed() {
	if e.g.Auth.Session.Secret == "" && e.g.Redis != "" {
		e.pass.note(whole(e.pass.shown("gateway.json"), "questions are not sealed, so anyone who can write to Redis or the store can ask people in the gateway's name; "+
			"set auth.session.secret, the same on all nodes"))
	}
}

// sealable faults links that nothing could seal, and warns of those that lead nowhere.
func (e *exposure) sealable(links []Value) {
	for _, at := range links {
		switch {
		case e.g.Auth.Session.Secret == "":
			at.Fault(`"answerLink" requires a secret that seals the links; set auth.session.secret, the same on all nodes`)
		case e.g.PublicURL == "" && !loopback(e.g.Listen):
			at.Warn(`the links lead to the address that the gateway listens on; write the one that people use, like "publicUrl": "https://ask.example.org"`)
		}
	}
}
