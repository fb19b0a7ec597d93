package turn

// CleanTitle is cleanTitle for tests.
var CleanTitle = cleanTitle
