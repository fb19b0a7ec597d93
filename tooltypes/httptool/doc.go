// Package httptool is the tool of type "http": one request to the address that an
// admin wrote.
//
//	arguments ──> address    {name} in path and query, escaped; the rest into the query
//	    │                    of a GET, else into a JSON body
//	    └─ cannot ──> INVALID_ARGUMENTS
//	request  ──> outgoing    never leaves scheme, host and port
//	    ├─ no answer ──> GET, PUT, DELETE: again, twice at most ──> TOOL_FAILED
//	    ├─ 502, 503, 504 ──> the same ──> HTTP_ERROR
//	    ├─ other than 2xx ──> HTTP_ERROR: the status, and what the server says
//	    └─ 2xx ──> the body, up to 64 KiB, if it is text
//
// A model chooses values and nothing else: whatever it sends, the address keeps its
// scheme, host and number of path segments, no segment becomes empty or dots, and no
// parameter that the admin wrote is given a second time.
//
// Values of headers that came from the environment are secrets: they are taken out of
// results and errors, however a server echoes them. Neither addresses nor bodies reach
// a log.
package httptool
