package config_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
)

const hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// app returns an apps/a.json with these keys added.
func app(more string) tree { return tree{"apps/a.json": `{"id": "a", ` + more + `}`} }

func gateway(text string) tree { return tree{"gateway.json": text} }

// tools returns a tools.json with these entries.
func tools(entries string) tree { return tree{"tools.json": "[" + entries + "]"} }

// jwt returns a valid auth.jwt with these keys added.
func jwt(more string) string {
	return `{"jwks": "https://h/k", "issuer": "i", "audience": ["a"]` + more + `}`
}

// Each kind of fault is reported exactly at the mark, is the only one, and
// says what is wrong and how to fix it.
func TestFault(t *testing.T) {
	deep := strings.Repeat("[", 64)
	for name, c := range map[string]struct {
		files tree
		env   env
		want  []string // parts of the message
	}{
		// Syntax.
		"empty file":          {gateway(mark), nil, []string{"the file is empty", "{}"}},
		"missing comma":       {gateway("{\n  \"listen\": \":1\"\n  ¶\"store\": \"sqlite:x\"\n}"), nil, []string{"missing comma"}},
		"ends early":          {gateway(`{"limits": {¶`), nil, []string{"unexpected end of file"}},
		"open comment":        {gateway("{} /*¶"), nil, []string{"unexpected end of file", "comment"}},
		"bare word":           {gateway(`{"listen": ¶localhost}`), nil, []string{"invalid JSON value", "double quotes"}},
		"line break in text":  {gateway("{\"listen\": ¶\"a\nb\"}"), nil, []string{"\\n"}},
		"two values":          {gateway(`{} ¶{}`), nil, []string{"invalid JSON"}},
		"invalid UTF-8":       {gateway("{\"listen\": \"ü¶\xff\"}"), nil, []string{"save the file as UTF-8"}},
		"deep nesting":        {gateway(`{"listen": ` + deep[1:] + mark + `[`), nil, []string{"nested more than 64 levels deep"}},
		"too large":           {gateway(strings.Repeat(" ", 1<<20+1)), nil, []string{"larger than 1 MiB"}},
		"NUL":                 {gateway(`{"listen": ¶"\u0000"}`), nil, []string{"NUL"}},
		"number out of range": {gateway(`{"limits": {"burst": ¶1e999}}`), nil, []string{"out of range"}},
		"given twice":         {gateway("{\"listen\": \"localhost:1\",\n ¶\"listen\": \":2\"}"), nil, []string{"appears twice (first on line 1)"}},
		"column in code points": {gateway(`{/* äöü€😀 */ ¶"lisen": ""}`), nil,
			[]string{`unknown key "lisen"`, `did you mean "listen"?`}},

		// Hosts.
		"host with a port":    {gateway(`{"hosts": ["a.example", ¶"b.example:8080"]}`), nil, []string{"has a port", "only the host"}},
		"address with a port": {gateway(`{"hosts": [¶"[::1]:8080"]}`), nil, []string{"has a port"}},
		"host with wildcard":  {gateway(`{"hosts": [¶"*.example.org"]}`), nil, []string{"wildcards are not supported", "list each host"}},
		"every host":          {gateway(`{"hosts": [¶"*"]}`), nil, []string{"wildcards are not supported"}},
		"host that is empty":  {gateway(`{"hosts": [¶""]}`), nil, []string{"empty", "remove it"}},
		"host as address":     {gateway(`{"hosts": [¶"https://chat.example.org"]}`), nil, []string{"is not a host", `"chat.example.org"`}},
		"host in Unicode":     {gateway(`{"hosts": [¶"müller.example"]}`), nil, []string{"is not a host"}},
		"network for a host":  {gateway(`{"hosts": [¶"10.0.0.0/8"]}`), nil, []string{"is not a host"}},
		"hosts as a text":     {gateway(`{"hosts": ¶"a.example"}`), nil, []string{"a list"}},

		// Types and ranges.
		"unknown key":         {gateway(`{"limits": {¶"zzzzzz": 1}}`), nil, []string{"known: burst, concurrentTurns"}},
		"wrong case":          {gateway(`{¶"Listen": ":1"}`), nil, []string{`did you mean "listen"?`}},
		"text for number":     {gateway(`{"limits": {"burst": ¶"20"}}`), nil, []string{"want a whole number", "not a string"}},
		"fraction":            {gateway(`{"limits": {"burst": ¶1.5}}`), nil, []string{"whole number from 0 to"}},
		"negative":            {gateway(`{"clarifications": {"perTurn": ¶-1}}`), nil, []string{"from 0 to"}},
		"null":                {gateway(`{"limits": ¶null}`), nil, []string{"omit the key"}},
		"list for object":     {gateway(`¶[]`), nil, []string{"want an object, not a list"}},
		"number for text":     {gateway(`{"listen": ¶8080}`), nil, []string{"want a string, not a number"}},
		"text for boolean":    {app(`"enabled": ¶"yes"`), nil, []string{"want true or false"}},
		"number for texts":    {app(`"name": ¶1`), nil, []string{"one per language"}},
		"object for list":     {app(`"tools": ¶{}`), nil, []string{"want a list"}},
		"number of seconds":   {gateway(`{"shutdownTimeout": ¶30}`), nil, []string{`want a duration like "30s"`, "not a number"}},
		"no duration":         {gateway(`{"shutdownTimeout": ¶"30"}`), nil, []string{`like "30s"`}},
		"long duration":       {gateway(`{"shutdownTimeout": ¶"2d"}`), nil, []string{"write 1s to 1h"}},
		"short expiry":        {gateway(`{"clarifications": {"expiresIn": ¶"0s"}}`), nil, []string{`"" for never`}},
		"no window":           {gateway(`{"limits": {"tokens": {"perTenant": ¶{"max": 5}}}}`), nil, []string{`"window" is missing`, `"24h"`}},
		"short window":        {gateway(`{"limits": {"tokens": {"perPrincipal": {"max": 5, "window": ¶"10ms"}}}}`), nil, []string{"1s to 366d"}},
		"budget":              {gateway(`{"limits": {"tokens": {"perPrincipal": {"max": ¶-1, "window": "1h"}}}}`), nil, []string{"from 0 to 1000000000000"}},
		"whose budget":        {gateway(`{"limits": {"tokens": {¶"perUser": {}}}}`), nil, []string{"known: perPrincipal, perTenant"}},
		"trusted proxy":       {gateway(`{"trustedProxies": [¶"10.0.0"]}`), nil, []string{"not an address or network", "10.1.0.0/16"}},
		"secrets":             {gateway(`{"clarifications": {"secrets": ¶"wran"}}`), nil, []string{`did you mean "warn"?`}},
		"secret word":         {gateway(`{"clarifications": {"secretWords": ["badge number", ¶"-"]}}`), nil, []string{"fewer than two letters"}},
		"long secret word":    {app(`"clarifications": {"secretWords": [¶"` + strings.Repeat("ab ", 34) + `"]}`), nil, []string{"102 characters (limit 100)"}},
		"secret words twice":  {gateway(`{"clarifications": {"secretWords": ["badge", ¶"badge"]}}`), nil, []string{"appears twice"}},
		"secrets of an app":   {app(`"clarifications": {"secrets": ¶"no"}`), nil, []string{`known: allow, refuse, warn`}},
		"policy":              {gateway(`{"clarifications": {"onMessageWhilePending": ¶"awnser"}}`), nil, []string{`did you mean "answer"?`}},
		"pending of an app":   {app(`"clarifications": {"onMessageWhilePending": ¶"wait"}`), nil, []string{`known: answer, queue, reject, supersede`}},
		"key of a question":   {gateway(`{"clarifications": {"keys": {¶"report format": {"remember": "user"}}}}`), nil, []string{"not a valid question key", `"report_format"`}},
		"remember for whom":   {gateway(`{"clarifications": {"keys": {"format": {"remember": ¶"chat"}}}}`), nil, []string{`known: user`}},
		"key with an essay":   {gateway(`{"clarifications": {"keys": {"format": {"description": ¶"` + strings.Repeat("x", 201) + `"}}}}`), nil, []string{"201 characters (limit 200)"}},
		"silent alone":        {gateway(`{"clarifications": {"keys": {"format": {"silent": ¶true}}}}`), nil, []string{`"silent" requires "remember"`, `"remember": "user"`}},
		"keys as a list":      {gateway(`{"clarifications": {"keys": ¶["format"]}}`), nil, []string{"an object"}},
		"remember too long":   {app(`"clarifications": {"keys": {"format": {"remember": "user", "rememberFor": ¶"4000d"}}}`), nil, []string{"3650d"}},
		"attachments":         {app(`"attachments": ¶"yes"`), nil, []string{"want true, false or an object"}},
		"attached types":      {app(`"attachments": {"accept": [¶"PDF"]}`), nil, []string{"not a file type", `".csv"`}},
		"no attachments":      {app(`"attachments": {"maxFiles": ¶0}`), nil, []string{"1 to 100"}},
		"memory":              {app(`"memory": ¶"yes"`), nil, []string{"true or false"}},
		"other":               {gateway(`{"clarifications": {"allowOther": ¶true}}`), nil, []string{"want a string"}},
		"skip of an app":      {app(`"clarifications": {"allowSkip": ¶"alway"}`), nil, []string{`did you mean "always"?`}},
		"other of an app":     {app(`"clarifications": {"allowOther": ¶"alway"}`), nil, []string{`did you mean "always"?`}},
		"interactive":         {app(`"interactive": ¶"no"`), nil, []string{"true or false"}},
		"unset variable":      {gateway(`{"store": ¶"$NOWHERE"}`), nil, []string{"NOWHERE is not set", "$$NOWHERE"}},
		"variable not UTF-8":  {gateway(`{"store": ¶"$BAD"}`), env{"BAD": "\xff"}, []string{"BAD is not valid UTF-8"}},
		"variable in a text":  {app(`"system": {"en": ¶"$PROMPT"}`), nil, []string{"PROMPT is not set"}},
		"language":            {app(`"name": {¶"english": "x"}`), nil, []string{"BCP 47"}},
		"language underscore": {app(`"name": {¶"en_US": "x"}`), nil, []string{"BCP 47"}},
		"language twice":      {app(`"name": {"de": "x", ¶"DE": "y"}`), nil, []string{"appears twice"}},
		"no language":         {app(`"name": ¶{}`), nil, []string{"no language is given"}},

		// The gateway.
		"listen":                {gateway(`{"listen": ¶"localhost"}`), nil, []string{"host:port"}},
		"store":                 {gateway(`{"store": ¶"mysql://x"}`), nil, []string{`"sqlite:PATH"`}},
		"postgres, no host":     {gateway(`{"store": ¶"postgres:///d"}`), nil, []string{"has no host", "postgres://user:password@host:5432/database", `"$NAME"`}},
		"postgres, no database": {gateway(`{"store": ¶"postgresql://u:secret@h"}`), nil, []string{"has no database", `"$NAME"`}},
		"postgres, not encoded": {gateway(`{"store": ¶"postgres://u:sec%zzret@h/d"}`), nil, []string{"percent-encode"}},
		"postgres, cut by #":    {gateway(`{"store": ¶"postgres://u:secret#1@h/d"}`), nil, []string{"percent-encode"}},
		"postgres, bad port":    {gateway(`{"store": ¶"postgres://u:secret@h:x/d"}`), nil, []string{"port"}},
		"postgres, a word":      {gateway(`{"store": ¶"postgres"}`), nil, []string{"sqlite:PATH", "postgres://"}},
		"redis":                 {gateway(`{"redis": ¶"localhost"}`), nil, []string{"redis://user:password@host:6379/0"}},
		"redis port":            {gateway(`{"redis": ¶"redis://:secret@host:port"}`), nil, []string{"percent-encode"}},
		"redis socket":          {gateway(`{"redis": ¶"unix:///run/redis.sock"}`), nil, []string{"rediss://"}},
		"redis database":        {gateway(`{"redis": ¶"redis://host/chats"}`), nil, []string{"is not a number"}},
		"redis options":         {gateway(`{"redis": ¶"redis://host?pool_size=1"}`), nil, []string{"only addr=HOST:PORT", "percent-encode ?"}},
		"provider":              {gateway(`{"models": {"m": {"provider": ¶"opnai", "model": "x"}}}`), nil, []string{`did you mean "openai"?`}},
		"no provider":           {gateway(`{"models": {"m": ¶{"model": "x"}}}`), nil, []string{`"provider" is missing`}},
		"no model":              {gateway(`{"models": {"m": ¶{"provider": "openai"}}}`), nil, []string{`"model" is missing`}},
		"blank model":           {gateway(`{"models": {"m": {"provider": "openai", "model": ¶" "}}}`), nil, []string{"empty"}},
		"model name":            {gateway(`{"models": {¶"my model": {"provider": "demo"}}}`), nil, []string{"is not a valid model name"}},
		"base address":          {gateway(`{"models": {"m": {"provider": "openai", "model": "x", "baseUrl": ¶"localhost:1"}}}`), nil, []string{"not a base address"}},
		"base with query":       {gateway(`{"models": {"m": {"provider": "openai", "model": "x", "baseUrl": ¶"http://h/?k=1"}}}`), nil, []string{"apiKey"}},
		"key of two lines":      {gateway(`{"models": {"m": {"provider": "openai", "model": "x", "apiKey": ¶"$K"}}}`), env{"K": "sk-1\n"}, []string{"line break"}},
		"auth mode":             {gateway(`{"auth": {"mode": ¶"apikeys", "keys": []}}`), nil, []string{`did you mean "apiKeys"?`}},
		"files in no place":     {gateway(`{"files": {"store": ¶"gs://x"}}`), nil, []string{"not a place for files", "s3://BUCKET"}},
		"files in no bucket":    {gateway(`{"files": {"store": ¶"s3:///x"}}`), nil, []string{"not a place for files"}},
		"files without a bound": {gateway(`{"files": {"maxBytes": ¶-1}}`), nil, []string{"0"}},
		"files beyond all":      {gateway(`{"files": {"maxBytes": ¶1000000001}}`), nil, []string{"1000000000"}},
		"no files of a chat":    {gateway(`{"files": {"perChat": ¶0}}`), nil, []string{"1"}},
		"files of another kind": {gateway(`{"files": {¶"max": 1}}`), nil, []string{"maxBytes"}},
		"images of a text":      {gateway(`{"models": {"m": {"provider": "demo", "images": ¶"yes"}}}`), nil, []string{"true or false"}},
		"context of nothing":    {gateway(`{"models": {"m": {"provider": "demo", "contextTokens": ¶0}}}`), nil, []string{"1"}},
		"context of a text":     {gateway(`{"models": {"m": {"provider": "demo", "contextTokens": ¶"8k"}}}`), nil, []string{"number"}},
		"context below answers": {gateway(`{"models": {"m": {"provider": "anthropic", "model": "x", "maxTokens": 100, "contextTokens": ¶100}}}`), nil, []string{"more than", "maxTokens"}},
		"no fallback":           {gateway(`{"models": {"m": {"provider": "demo", "fallback": [¶"defualt"]}}}`), nil, []string{"is not defined", `did you mean "default"?`}},
		"own fallback":          {gateway(`{"models": {"m": {"provider": "demo", "fallback": [¶"m"]}}}`), nil, []string{"falls back to itself (m → m)"}},
		"fallback circle":       {gateway(`{"models": {"a": {"provider": "demo", "fallback": ["b"]}, "b": {"provider": "demo", "fallback": ["c", "default"]}, "c": {"provider": "demo", "fallback": [¶"a"]}}}`), nil, []string{"a → b → c → a"}},
		"fallback twice":        {gateway(`{"models": {"a": {"provider": "demo", "fallback": ["default", ¶"default"]}}}`), nil, []string{"appears twice"}},
		"keys without mode": {gateway(`{"auth": {"keys": ¶[{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s"}]}}`), nil,
			[]string{`lets everyone in`, `"mode": "apiKeys"`}},
		"no keys":         {gateway(`{"auth": ¶{"mode": "apiKeys"}}`), nil, []string{"askgate key new"}},
		"hash":            {gateway(`{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": ¶"ag_secret", "tenant": "t", "subject": "s"}]}}`), nil, []string{"64 hex digits"}},
		"no subject":      {gateway(`{"auth": {"mode": "apiKeys", "keys": [¶{"id": "k", "hash": "` + hash + `", "tenant": "t"}]}}`), nil, []string{`"subject" is missing`}},
		"role":            {gateway(`{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s", "roles": [¶"a b"]}]}}`), nil, []string{"not a valid role"}},
		"role twice":      {app(`"access": {"roles": ["x", ¶"x"]}`), nil, []string{"appears twice"}},
		"no one to ask":   {gateway(`{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s", "mayAsk": ["auth0|a b", "role:oncall", "*", ¶"al*", ¶"role:", ¶" a", ¶"a\tb"]}]}}`), nil, []string{"does not name anyone who can be asked", `"role:" and a role`}},
		"rights of roles": {gateway(`{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s"}], "roles": {¶"a b": {}, "ci": {¶"mayask": []}, "c": {"mayAsk": ¶"x"}, "d": ¶[]}}}`), nil, nil},
		"key ids twice":   {gateway(`{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s"}, {"id": ¶"k", "hash": ¶"` + strings.ToUpper(hash[7:]) + `", "tenant": "t", "subject": "s"}]}}`), nil, nil},

		// Tokens, proxies, other sites.
		"no jwt":           {gateway(`{"auth": ¶{"mode": "jwt"}}`), nil, []string{`"jwt" is missing`, `"jwks"`}},
		"no proxy":         {gateway(`{"auth": ¶{"mode": "proxy"}}`), nil, []string{`"proxy" is missing`, `"from"`}},
		"keys with jwt":    {gateway(`{"auth": {"mode": "jwt", "jwt": ` + jwt("") + `, "keys": ¶[{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s"}]}}`), nil, []string{`no effect in mode "jwt"`, `"mode": "apiKeys"`}},
		"jwt without mode": {gateway(`{"auth": {"jwt": ¶` + jwt("") + `}}`), nil, []string{`no effect in mode "none"`, `"mode": "jwt"`}},
		"no key set":       {gateway(`{"auth": {"mode": "jwt", "jwt": ¶{"issuer": "i", "audience": ["a"]}}}`), nil, []string{`"jwks" is missing`, "jwks_uri"}},
		"no issuer":        {gateway(`{"auth": {"mode": "jwt", "jwt": ¶{"jwks": "https://h/k", "audience": ["a"]}}}`), nil, []string{`"issuer" is missing`, `"iss"`}},
		"no audience":      {gateway(`{"auth": {"mode": "jwt", "jwt": ¶{"jwks": "https://h/k", "issuer": "i"}}}`), nil, []string{`"audience" is missing`, `"aud"`}},
		"empty audience":   {gateway(`{"auth": {"mode": "jwt", "jwt": {"jwks": "https://h/k", "issuer": "i", "audience": ¶[]}}}`), nil, []string{"no audience"}},
		"key set file":     {gateway(`{"auth": {"mode": "jwt", "jwt": {"jwks": ¶"keys.json", "issuer": "i", "audience": ["a"]}}}`), nil, []string{"no such file", "https://"}},
		"key set address":  {gateway(`{"auth": {"mode": "jwt", "jwt": {"jwks": ¶"https://u:secret@h/k", "issuer": "i", "audience": ["a"]}}}`), nil, []string{"without a user"}},
		"key set by ftp":   {gateway(`{"auth": {"mode": "jwt", "jwt": {"jwks": ¶"ftp://h/k", "issuer": "i", "audience": ["a"]}}}`), nil, []string{"https://"}},
		"two tenants":      {gateway(`{"auth": {"mode": "jwt", "jwt": ` + jwt(`, "tenant": ¶"acme", "claims": {"tenant": "tid"}`) + `}}`), nil, []string{"tenant is set twice", "remove one"}},
		"from nowhere":     {gateway(`{"auth": {"mode": "proxy", "proxy": ¶{}}}`), nil, []string{`"from" is missing`, "can pose as any user"}},
		"empty from":       {gateway(`{"auth": {"mode": "proxy", "proxy": {"from": ¶[]}}}`), nil, []string{"no address is given"}},
		"from a name":      {gateway(`{"auth": {"mode": "proxy", "proxy": {"from": ["10.0.0.1", ¶"proxy.local"]}}}`), nil, []string{"10.1.0.0/16"}},
		"proxy header":     {gateway(`{"auth": {"mode": "proxy", "proxy": {"from": ["::1"], "headers": {"subject": ¶"X User"}}}}`), nil, []string{"X-Remote-User"}},
		"proxy tenants":    {gateway(`{"auth": {"mode": "proxy", "proxy": {"from": ["::1"], "tenant": ¶"t", "headers": {"tenant": "X-T"}}}}`), nil, []string{"remove one"}},
		"audit":            {gateway(`{"audit": {¶"enable": true}}`), nil, []string{`did you mean "enabled"?`}},
		"audit of texts":   {gateway(`{"audit": {"texts": ¶"yes"}}`), nil, []string{"want true or false"}},
		"any origin":       {gateway(`{"cors": {"origins": [¶"*"]}}`), nil, []string{"not an origin", "https://app.example.org"}},
		"any framer":       {gateway(`{"frameAncestors": [¶"*"], ` + withKeys + `}`), nil, []string{"not an exact origin", "https://intranet.example.org"}},
		"framer wildcard":  {gateway(`{"frameAncestors": ["https://a.example", ¶"https://*.a.example"], ` + withKeys + `}`), nil, []string{"wildcard"}},
		"framer with path": {gateway(`{"frameAncestors": [¶"https://a.example/"], ` + withKeys + `}`), nil, []string{"without a path"}},
		"framer null":      {gateway(`{"frameAncestors": [¶"null"], ` + withKeys + `}`), nil, []string{"not an exact origin"}},
		"framer address":   {gateway(`{"frameAncestors": [¶"http://[::1]:3000"], ` + withKeys + `}`), nil, []string{"not an exact origin"}},
		"framer keyword":   {gateway(`{"frameAncestors": [¶"https://a.example; script-src *"], ` + withKeys + `}`), nil, []string{"not an exact origin"}},
		"framer over http": {gateway(`{"frameAncestors": ["http://localhost:3000", ¶"http://a.example"], ` + withKeys + `}`), nil, []string{"not encrypted", "https://"}},
		"framers, no keys": {gateway(`{"frameAncestors": ¶["https://a.example"]}`), nil, []string{`auth mode "none"`, `remove "frameAncestors"`, "askgate key new"}},
		"many framers":     {gateway(`{"frameAncestors": [` + framers(20) + `, ¶"https://b.example"], ` + withKeys + `}`), nil, []string{"the limit is 20"}},
		"origin with path": {gateway(`{"cors": {"origins": ["https://a.example", ¶"https://a.example/"]}}`), nil, []string{"without a path"}},

		"short secret":   {gateway(`{"auth": {"session": {"secret": ¶"$S"}}}`), env{"S": "ag_secret"}, []string{"at least 32 bytes", "openssl rand"}},
		"other secrets":  {gateway(`{"auth": {"session": {"otherSecrets": ["0123456789abcdef0123456789abcdef", ¶"$S"]}}}`), env{"S": "ag_secret"}, []string{"at least 32 bytes"}},
		"many secrets":   {gateway(`{"auth": {"session": {"otherSecrets": [` + strings.Repeat(`"0123456789abcdef0123456789abcdef", `, 10) + `¶"0123456789abcdef0123456789abcdef"]}}}`), nil, []string{"the limit is 10"}},
		"key of session": {gateway(`{"auth": {"session": {¶"secrt": "x"}}}`), nil, []string{`did you mean "secret"?`}},

		// Apps.
		"no id":              {tree{"apps/a.json": `¶{}`}, nil, []string{`"id" is missing`, `"id": "a"`}},
		"id and file":        {tree{"apps/a.json": `{"id": ¶"b"}`}, nil, []string{"file name", `"a"`}},
		"id and folder":      {tree{"apps/a/app.json": `{"id": ¶"b"}`}, nil, []string{"file name"}},
		"id":                 {tree{"apps/a b.json": `{"id": ¶"a b"}`}, nil, []string{"not a valid app id"}},
		"unknown model":      {app(`"model": ¶"defualt"`), nil, []string{`did you mean "default"?`}},
		"unknown tool":       {app(`"tools": ["ask_user", ¶"calculatr"]`), nil, []string{`did you mean "calculator"?`}},
		"tool twice":         {app(`"tools": ["clock", ¶"clock"]`), nil, []string{"appears twice"}},
		"steps":              {app(`"maxSteps": ¶0`), nil, []string{"from 1 to 100"}},
		"temperature":        {app(`"temperature": ¶2.1`), nil, []string{"from 0 to 2"}},
		"app's limits":       {app(`"limits": {¶"requestPerMinute": 1}`), nil, []string{`"requestsPerMinute"`}},
		"tenant's in an app": {app(`"limits": {"requestsPerMinutePerTenant": ¶1}`), nil, []string{"across all apps", "gateway.json"}},
		"address in an app":  {app(`"limits": {"requestsPerMinutePerAddress": ¶1}`), nil, []string{"across all apps", "gateway.json"}},
		"budget in an app":   {app(`"limits": {"tokens": ¶{}}`), nil, []string{"across all apps", "gateway.json"}},
		"starter prompt":     {app(`"starterPrompts": [{"message": "x", ¶"massage": "y"}]`), nil, []string{`"message"`}},
		"misspelt own key":   {app(`¶"sytem": "x"`), nil, []string{`did you mean "system"?`}},
		"empty text in list": {app(`"tools": [¶""]`), nil, []string{"empty"}},

		// Tools.
		"no tool id":          {tools(`¶{"type": "builtin"}`), nil, []string{`"id" is missing`}},
		"tool id":             {tools(`{"id": ¶"a.b", "type": "client"}`), nil, []string{"letters, digits, dashes"}},
		"tool id twice":       {tools(`{"id": "clock"}, {"id": ¶"clock"}`), nil, []string{"is defined twice"}},
		"no type":             {tools(`¶{"id": "x"}`), nil, []string{`"type" is missing`}},
		"type":                {tools(`{"id": "x", "type": ¶"htpt"}`), nil, []string{`did you mean "http"?`}},
		"no built-in":         {tools(`¶{"id": "clok", "type": "builtin"}`), nil, []string{`did you mean "clock"?`}},
		"approval to ask":     {tools(`{"id": "ask_user", "needsApproval": ¶true}`), nil, []string{"ask the user anyway"}},
		"approved by no one":  {tools(`{"id": "clock", "needsApproval": ¶{}}`), nil, []string{`{"by": {"role": "..."}}`}},
		"approved by no role": {tools(`{"id": "clock", "needsApproval": {"by": ¶{}}}`), nil, []string{`{"role": "..."}`}},
		"approved by no id":   {tools(`{"id": "clock", "needsApproval": {"by": {"role": ¶"a b"}}}`), nil, []string{"is not a valid role"}},
		"approved by subject": {tools(`{"id": "clock", "needsApproval": {"by": {¶"subject": "bob", "role": "finance"}}}`), nil, []string{"subject"}},
		"approved how":        {tools(`{"id": "clock", "needsApproval": ¶"finance"}`), nil, []string{"want true, false or an object, not a string"}},
		"edited by no one":    {tools(`{"id": "clock", "editable": ¶true}`), nil, []string{`"needsApproval": true`}},
		"unfounded how":       {tools(`{"id": "clock", "unfounded": ¶"deny"}`), nil, []string{"known: allow, ask, count, refuse"}},
		"unfounded question":  {tools(`{"id": "ask_user", "unfounded": ¶"ask"}`), nil, []string{"remove the key"}},
		"nothing to remember": {tools(`{"id": "clock", "approvalRemember": ¶"chat"}`), nil, []string{`"needsApproval": true`}},
		"remember for what":   {tools(`{"id": "clock", "needsApproval": true, "approvalRemember": ¶"always"}`), nil, []string{"known: chat, never"}},
		"remember not so":     {tools(`{"id": "clock", "needsApproval": true, "approvalRemember": ¶true}`), nil, []string{"string"}},
		"own parameters":      {tools(`{"id": "clock", "parameters": ¶{}}`), nil, []string{"have their own parameters"}},

		// Removed keys.
		"gone":             {gateway(`{"models": {"m": {"provider": "demo", ¶"stepTimeout": "1m"}}}`), nil, []string{"no longer supported: a request may take ten times", "remove it"}},
		"gone of an app":   {app(`¶"onMessageWhileRunning": "queue"`), nil, []string{`now a key of "clarifications"`}},
		"gone, overridden": {app(`"clarifications": {¶"repeats": "ask"}`), nil, []string{"not asked again"}},
		"gone of a tool":   {tools(`{"id": "clock", ¶"requiresUserInput": true}`), nil, []string{"the type of the tool decides"}},

		// JSON Schema of parameters.
		"schema no object":  {tools(`{"id": "x", "type": "client", "parameters": ¶[]}`), nil, []string{"JSON Schema"}},
		"schema type":       {tools(`{"id": "x", "type": "client", "parameters": {"type": ¶"string"}}`), nil, []string{"always an object"}},
		"schema bad type":   {tools(`{"id": "x", "type": "client", "parameters": {"properties": {"a": {"minLength": ¶"x"}}}}`), nil, []string{"invalid JSON Schema"}},
		"schema pattern":    {tools(`{"id": "x", "type": "client", "parameters": {"properties": {"a": {"pattern": ¶"("}}}}`), nil, []string{"RE2 syntax"}},
		"schema lookahead":  {tools(`{"id": "x", "type": "client", "parameters": {"properties": {"a": {"pattern": ¶"(?=a)"}}}}`), nil, []string{"lookahead"}},
		"schema remote":     {tools(`{"id": "x", "type": "client", "parameters": ¶{"$ref": "https://example.org/x"}}`), nil, []string{"never fetched", "$defs"}},
		"schema expands":    {tools(`{"id": "x", "type": "client", "parameters": ¶{"$ref": "#/$defs/a", "$defs": {` + doubling("abcdefghijklmnopq") + `"q": {"type": "string"}}}}`), nil, []string{"over 20000 schemas", "use fewer $refs"}},
		"schema no pointer": {tools(`{"id": "x", "type": "client", "parameters": ¶{"$ref": "#/$defs/x"}}`), nil, []string{"invalid JSON Schema"}},
		"schema language":   {tools(`{"id": "x", "type": "client", "parameters": {"properties": {"a": {"description": {¶"xx-": "y"}}}}}`), nil, []string{"BCP 47"}},
		"schema text":       {tools(`{"id": "x", "type": "client", "parameters": {"items": [{"description": {"en": ¶5}}]}}`), nil, []string{"want a string"}},
		"schema exponent":   {tools(`{"id": "x", "type": "client", "parameters": {"minimum": ¶1e-99999}}`), nil, []string{"out of range"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range configtest.Faulty(t, c.files, c.env, fakeTypes, c.want...) {
				for _, secret := range []string{"ag_secret", "sk-1", "u:secret"} {
					if strings.Contains(f.Error(), secret) {
						t.Errorf("the message shows a secret: %v", f)
					}
				}
			}
		})
	}
}

// One pass finds all faults in all files, ordered by file and position.
func TestAllFaultsInOnePass(t *testing.T) {
	files, places := tree{
		"apps/a.json":       "{\"id\": \"a\",\n \"maxSteps\": ¶0, \"tools\": [¶\"nope\"]}",
		"apps/b/app.json":   `{"id": "b", ¶"nme": "x"}`,
		"apps/b/tools.json": `[{"id": ¶"a b", "type": "client"}]`,
		"apps/c.json":       `{"id": ¶}`,
		"gateway.json":      "{¶\"a\": 1,\n¶\"b\": 2, \"limits\": {\"burst\": ¶-1}}",
	}.Unmark()
	_, err := load(t, files, nil)
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != len(places) {
		t.Fatalf("want %d faults, got:\n%v", len(places), err)
	}
	for i := 1; i < len(faults); i++ {
		a, b := faults[i-1], faults[i]
		if a.File > b.File || a.File == b.File && (a.Line > b.Line || a.Line == b.Line && a.Col > b.Col) {
			t.Errorf("out of order:\n%v\n%v", a, b)
		}
	}
}

// A fault of one entry does not hide other faults: of other entries, of the same entry, or of the apps.
func TestFaultsOfToolsHideNoOthers(t *testing.T) {
	files, places := tree{
		"apps/a.json": `{"id": "a", "tools": ["b c", ¶"nope"]}`,
		"tools.json": `[
			{"id": ¶"b c", "type": "client", ¶"nme": 1},
			¶{"type": "client", ¶"nme": 1},
			¶{"type": "client", "enabled": false},
			{"id": ¶"", "type": "client"},
			{"id": "x", "type": "client"}, {"id": ¶"x", "type": ¶"clint"},
			¶{"description": "x", "script": "other.js"}
		]`,
	}.Unmark()
	dir := t.TempDir()
	files.Write(t, dir)
	_, err := config.Load(config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes})
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != len(places) {
		t.Fatalf("want %d faults, got:\n%v", len(places), err)
	}
	at := map[configtest.Place]bool{}
	for _, f := range faults {
		at[configtest.Place{File: f.File, Line: f.Line, Col: f.Col}] = true
	}
	for _, p := range places {
		if !at[configtest.Place{File: filepath.Join(dir, p.File), Line: p.Line, Col: p.Col}] {
			t.Errorf("nothing is said at %s:%d:%d:\n%v", p.File, p.Line, p.Col, err)
		}
	}
}

// What cannot be checked because of another fault is not reported as a fault.
func TestNoConsequentialFaults(t *testing.T) {
	_, err := load(t, tree{"gateway.json": `{`, "tools.json": `[`,
		"apps/a.json": `{"id": "a", "model": "m", "tools": ["x"]}`}, nil)
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != 2 {
		t.Fatalf("want the two broken files only, got:\n%v", err)
	}
	_, err = load(t, tree{"tools.json": `[{"id": "$NOWHERE", "type": "client"}]`, "apps/a.json": `{"id": "a", "tools": ["x"]}`}, nil)
	if !errors.As(err, &faults) || len(faults) != 1 {
		t.Fatalf("x may be the tool whose name is not known, got:\n%v", err)
	}
}

func TestFaultsOfWholeFilesAndFolders(t *testing.T) {
	for name, c := range map[string]struct {
		files tree
		file  string
		want  string
	}{
		"app twice":       {tree{"apps/a.json": `{"id": "a"}`, "apps/a/app.json": `{"id": "a"}`}, "apps/a/app.json", "is defined twice"},
		"tools alone":     {tree{"apps/a/tools.json": `[]`, "apps/b.json": `{"id": "b"}`}, "apps/a/tools.json", "there is no app a"},
		"no app":          {tree{"apps/readme.txt": ``}, "apps", "there are no apps"},
		"folder for file": {tree{"gateway.json/x": ``}, "gateway.json", "is not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.files.Write(t, dir)
			_, err := config.Load(config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes})
			var faults config.Faults
			if !errors.As(err, &faults) || len(faults) != 1 || faults[0].File != filepath.Join(dir, c.file) || faults[0].Line != 1 || faults[0].Col != 1 || !strings.Contains(faults[0].Message, c.want) {
				t.Fatalf("want one fault of %s with %q, got:\n%v", c.file, c.want, err)
			}
		})
	}
	dir := t.TempDir()
	if _, err := config.Load(config.Options{Dir: filepath.Join(dir, "none"), Env: env{}.Lookup, Tools: fakeTypes}); err == nil || !strings.Contains(err.Error(), "askgate init") {
		t.Errorf("a missing directory should name askgate init, got: %v", err)
	}
}

// The report of a hostile file is limited.
func TestFaultsAreBounded(t *testing.T) {
	var keys strings.Builder
	for i := range 5000 {
		keys.WriteString(strings.Repeat("x", i%50+1) + `": 1, "`)
	}
	_, err := load(t, gateway(`{"`+keys.String()+`end": 1}`), nil)
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != 101 || !strings.Contains(faults[100].Message, "too many faults") {
		t.Fatalf("want 100 faults and the note that there are more, got %d", len(faults))
	}
}

// doubling returns definitions, each of which refers to the next one twice.
func doubling(names string) string {
	var b strings.Builder
	for i := range len(names) - 1 {
		next := `{"$ref": "#/$defs/` + names[i+1:i+2] + `"}`
		fmt.Fprintf(&b, `%q: {"properties": {"l": %s, "r": %s}}, `, names[i:i+1], next, next)
	}
	return b.String()
}

// framers returns n origins, as a list of JSON has them.
func framers(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"https://a%d.example"`, i))
	}
	return strings.Join(list, ", ")
}
