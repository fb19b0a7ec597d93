package config

// Demo reports whether the demo model answers in that app. It is a script, not a language model.
func (s *Snapshot) Demo(a *App) bool { return s.Gateway.demo(a) }

func (g *Gateway) demo(a *App) bool { return g.Models[a.Model].Provider == ProviderDemo }

// MemoryTools are the ids of the tools with which the model remembers what a user says. An app has
// them if App.Memory is true.
var MemoryTools = []string{"remember", "forget"}
