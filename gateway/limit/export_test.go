package limit

// Internals that the tests of bounded memory inspect.

const MaxBuckets = maxBuckets

func (l *Local) Buckets() int { return len(l.buckets) }
func (l *Local) Places() int  { return len(l.places) }
