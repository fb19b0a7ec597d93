package config

import "regexp"

// The patterns of ids, which appear in URLs, file names and metric labels. A tool's id also appears in
// requests to models, which allow nothing else (OpenAI: ^[a-zA-Z0-9_-]{1,64}$).
var (
	appID   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	toolID  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$`)
)

const (
	appIDRule   = "use 1 to 64 letters, digits, dots, dashes and underscores, starting with a letter or digit"
	toolIDRule  = "use 1 to 64 letters, digits, dashes and underscores"
	plainIDRule = "use 1 to 128 letters, digits and . _ : / @ -, starting with a letter or digit"
)
