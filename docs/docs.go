// Package docs is what the documentation gives to programs: the description of the HTTP
// API, which the gateway serves as it stands here.
package docs

import _ "embed" // the document

// OpenAPI is openapi.yaml.
//
//go:embed openapi.yaml
var OpenAPI []byte
