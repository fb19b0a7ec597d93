package toolexec_test

import (
	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tooltypes/clienttool"
	"github.com/askgate/askgate/tooltypes/httptool"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// types are those of the entries in these tests; each test defines what runs them.
var types = []config.ToolType{
	config.Builtin("calculator", nil), config.Builtin("clock", nil), httptool.Type(), clienttool.Type(nil), mcptool.Type(nil, nil),
}
