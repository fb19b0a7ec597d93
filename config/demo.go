package config

// Demo says whether the demo model answers in that app, which is no language model.
func (s *Snapshot) Demo(a *App) bool { return s.Gateway.demo(a) }

func (g *Gateway) demo(a *App) bool { return g.Models[a.Model].Provider == ProviderDemo }

// MemoryTools are the ids of the tools by which a model keeps words of a person, which an app
// has with App.Memory.
var MemoryTools = []string{"remember", "forget"}
