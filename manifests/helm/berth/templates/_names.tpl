{{- define "berth.labels" -}}
app.kubernetes.io/name: {{ .Values.name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "berth.excluded" -}}
{{- concat (list .Release.Namespace) .Values.webhook.excludedNamespaces | uniq | toJson -}}
{{- end }}

{{- /* The configuration file. In another namespace than berth's usual one it must know which one is its own. */ -}}
{{- define "berth.config" -}}
{{- $config := .Values.config -}}
{{- $usual := list "berth" "kube-system" "kube-public" "kube-node-lease" -}}
{{- $excluded := concat (list .Release.Namespace) .Values.webhook.excludedNamespaces | uniq -}}
{{- if and (not (hasKey $config "excludedNamespaces")) (ne (toJson (sortAlpha $excluded)) (toJson (sortAlpha $usual))) -}}
{{- $config = merge (dict "excludedNamespaces" $excluded) $config -}}
{{- end -}}
{{- if $config }}{{ toYaml $config }}{{ end -}}
{{- end }}

{{- define "berth.client" -}}
service: {namespace: {{ .root.Release.Namespace }}, name: {{ .root.Values.name }}, path: {{ .path }}, port: 443}
{{- with .bundle }}
caBundle: {{ . }}
{{- end }}
{{- end }}

{{- /* CEL: the pod asks for an extended resource or a claim, or has a key of the label prefix. */ -}}
{{- define "berth.asks" -}}
.exists(c, has(c.resources) && (has(c.resources.limits) && c.resources.limits.exists(r, r.contains('/')) || has(c.resources.requests) && c.resources.requests.exists(r, r.contains('/'))))
{{- end }}

{{- define "berth.podCondition" -}}
{{- if .Values.webhook.podCondition -}}
{{ .Values.webhook.podCondition }}
{{- else -}}
{{- $prefix := .Values.config.labelPrefix | default "berth.dev" -}}
object.spec.containers{{ include "berth.asks" . }} || has(object.spec.initContainers) && object.spec.initContainers{{ include "berth.asks" . }} || has(object.spec.resourceClaims) || has(object.metadata.labels) && object.metadata.labels.exists(k, k.startsWith('{{ $prefix }}/')) || has(object.metadata.annotations) && object.metadata.annotations.exists(k, k.startsWith('{{ $prefix }}/'))
{{- end -}}
{{- end }}

{{- /* Certificate that the chart makes: what is there already stays. Gives {crt, key, ca}, each Base64. Called more than once in a
       rendering, so the first result is kept. */ -}}
{{- define "berth.generated" -}}
{{- if not (hasKey .Values "generatedOnce") -}}
{{- $there := lookup "v1" "Secret" .Release.Namespace .Values.certificate.secretName -}}
{{- $data := dict -}}
{{- if $there }}{{ $data = $there.data | default dict }}{{ end -}}
{{- if and (hasKey $data "tls.crt") (hasKey $data "tls.key") (hasKey $data "ca.crt") -}}
{{- $_ := set .Values "generatedOnce" (dict "crt" (index $data "tls.crt") "key" (index $data "tls.key") "ca" (index $data "ca.crt")) -}}
{{- else -}}
{{- $service := printf "%s.%s.svc" .Values.name .Release.Namespace -}}
{{- $ca := genCA "berth webhook authority" 365 -}}
{{- $leaf := genSignedCert $service nil (list $service (printf "%s.cluster.local" $service)) 365 $ca -}}
{{- $_ := set .Values "generatedOnce" (dict "crt" ($leaf.Cert | b64enc) "key" ($leaf.Key | b64enc) "ca" ($ca.Cert | b64enc)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "berth.caBundle" -}}
{{- if eq .Values.certificate.source "generated" -}}
{{- include "berth.generated" . -}}{{ .Values.generatedOnce.ca }}
{{- else -}}
{{ .Values.webhook.caBundle }}
{{- end -}}
{{- end }}
