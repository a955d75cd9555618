{{- define "headway.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "headway.labels" -}}
app.kubernetes.io/name: headway
app.kubernetes.io/part-of: headway
{{- end -}}
