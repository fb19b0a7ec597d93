package limit

// What the tests of bounded memory look at.

const MaxBuckets = maxBuckets

func (l *Local) Buckets() int { return len(l.buckets) }
func (l *Local) Places() int  { return len(l.places) }
