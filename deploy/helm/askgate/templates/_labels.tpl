{{- define "askgate.selector" -}}
app.kubernetes.io/name: {{ .Values.name }}
{{- end }}

{{- /* labels are those of an object, without the name where kustomize's has none */}}
{{- define "askgate.labels" -}}
app.kubernetes.io/part-of: askgate
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "askgate.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* key is the name in the ConfigMap of a file, which may be in a folder */}}
{{- define "askgate.key" -}}
{{ . | replace "/" "--" }}
{{- end }}
