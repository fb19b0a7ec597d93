package turn

// needsClaims reports whether tools of the command's app are called with claims of the caller.
func (u *update) needsClaims() bool { return len(u.setup.Config.Claims(u.cmd.Ref.App)) > 0 }

// keepClaims keeps the claims of a person of the chat's tenant with a turn, a queued message or a
// program's question.
func (u *update) keepClaims(of, subject string, claims map[string]string) error {
	if len(claims) == 0 {
		return nil
	}
	who := callerIn(u.cmd.Ref, subject, claims)
	kept, err := u.engine.node.Claims.Seal(of, &who)
	if err != nil {
		return err
	}
	return u.tx.SaveCaller(kept)
}

// dropClaims drops what keepClaims may have kept.
func (u *update) dropClaims(of string) error {
	if !u.needsClaims() {
		return nil // the sweep drops those of a configuration that did
	}
	return u.tx.DropCaller(of)
}

// turnsClaims gives the turn that begins, or is resumed, the claims of who sent its message or
// resumes it.
func (t *transition) turnsClaims(turnID string) error {
	if t.cmd.messageID != "" && t.needsClaims() { // they were kept while the message was queued
		return t.tx.MoveCaller(t.cmd.messageID, turnID)
	}
	t.start.Claims = t.cmd.Claims
	return t.keepClaims(turnID, t.cmd.Ref.Subject, t.cmd.Claims)
}
