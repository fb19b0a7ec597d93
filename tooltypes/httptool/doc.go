// Package httptool implements tools of type "http": a call sends one request to the address
// that the admin configured.
//
//	arguments ──> address    {name} in path and query, escaped; the others go into the query
//	    │                    of a GET, otherwise into a JSON body
//	    └─ not possible ──> INVALID_ARGUMENTS
//	request  ──> outgoing    always to the configured scheme, host and port
//	    ├─ no response ──> GET, PUT, DELETE: at most two retries ──> TOOL_FAILED
//	    ├─ 502, 503, 504 ──> the same ──> HTTP_ERROR
//	    ├─ any other status but 2xx ──> HTTP_ERROR: the status, and the server's text
//	    └─ 2xx ──> the body, up to 64 KiB, if it is text
//
// A model chooses values and nothing else. Whatever it sends, the address keeps its scheme,
// host and number of path segments, no segment becomes empty or consists of dots, and no
// parameter of the admin's is sent a second time.
//
// Header values from the environment are secrets: they are removed from results and errors,
// even if the server echoes them. Neither addresses nor bodies are logged.
package httptool
