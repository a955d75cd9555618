#!/usr/bin/env bash
# Everything from the artefacts of a release alone, on the node of `test/parts/node up` with `s3 up`: installed by Helm out of the packed chart with the packed
# image, a backup that stalls and is told and alarmed about, an upgrade with other values that lets it complete, a failed one, a restore, and nothing left.
#   npm run test:release -- FOLDER      FOLDER: what `npm run release` made
# shellcheck source=test/parts/parts.sh
. "$(dirname "$0")/../parts/parts.sh"
release=$(realpath "${1:?usage: run.sh FOLDER}")
: "${KUBECONFIG:?a node is needed: test/parts/node up}" "${S3_ENDPOINT:?an S3 server is needed: test/parts/s3 up}" "${HEADWAY_POD_S3:?}" "${HEADWAY_HOST_PODS:?}"
work=$(mktemp -d) ns=headway-release-$RANDOM app=headway-release-app-$RANDOM
begun=$SECONDS pids=() rule=()
export HELM_CACHE_HOME=$work/helm HELM_CONFIG_HOME=$work/helm HELM_DATA_HOME=$work/helm
helm=$(part helm) promtool=$(part promtool) prometheus=$(part prometheus)

say() { echo "$((SECONDS - begun)) s: $*"; }
# `until_is 60 COMMAND...`: waits until the command succeeds.
until_is() {
  local limit=$((SECONDS + $1))
  shift
  until "$@" >"$work/last" 2>&1; do
    [ "$SECONDS" -lt "$limit" ] || { echo "not so in time: $*" >&2; cat "$work/last" >&2; return 1; }
    sleep 1
  done
}

end() {
  local code=$?
  [ $code = 0 ] || { kubectl -n "$ns" get pods,backups.velero.io,operations 2>&1; kubectl -n "$ns" logs deploy/headway --tail=30; tail -n 20 "$work"/*.log; } >&2 || true
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
  [ ${#rule[@]} = 0 ] || iptables -t nat -D PREROUTING "${rule[@]}" 2>/dev/null || true
  if [ $code != 0 ]; then
    "$helm" -n "$ns" uninstall headway >/dev/null 2>&1 || true
    kubectl -n "$ns" get restores.velero.io,backups.velero.io,podvolumebackups,podvolumerestores -o name 2>/dev/null |
      xargs -r -I{} kubectl -n "$ns" patch {} --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null 2>&1 || true
  fi
  kubectl delete --ignore-not-found --wait=false clusterrole/"$ns" clusterrolebinding/"$ns" clusterrolebinding/"$ns-restore" namespace/"$ns" namespace/"$app" namespace/"$app-back" >/dev/null 2>&1 || true
  rm -rf "$work"
  exit $code
}
trap end EXIT

# 1. The artefacts are what they say, and are brought where they are used.
(cd "$release" && sha256sum --quiet -c SHA256SUMS)
version=$(basename "$release"/headway-chart-*.tgz .tgz | sed '/-oci$/d; s/headway-chart-//')
mkdir -p "$work/bin" "$work/chart" "$work/program"
tar -C "$work/program" -xzf "$release"/headway-"$version"-linux-*.tar.gz
ln -s "$work/program/kubectl-headway" "$work/program/headway" "$work/bin/"
tar -C "$work/chart" -xzf "$release/headway-chart-$version.tgz"
export PATH=$work/bin:$PATH
ctr --address "$PARTS/run/main/containerd/containerd.sock" -n k8s.io images import --base-name docker.io/local/headway-release "$release"/headway-"$version"-image-linux-*.tar >/dev/null
told=$(kubectl headway --version)
say "artefacts of $version are whole; kubectl headway says $told"

# 2. A receiver that is shaped like Slack, on loopback; pods reach it as they reach the S3 server.
node "$(dirname "$0")/slack.ts" "$work/slack.log" >"$work/slack.port" &
pids+=($!)
until_is 20 test -s "$work/slack.port"
slack=$(cat "$work/slack.port")
rule=(-d 10.96.0.1/32 -p tcp --dport "$slack" -m comment --comment headway-release -j DNAT --to-destination "127.0.0.1:$slack")
iptables -t nat -A PREROUTING "${rule[@]}"

# 3. Installed by Helm.
kubectl create namespace "$ns" >/dev/null
kubectl -n "$ns" create secret generic slack --from-literal token=xoxb-not-a-token >/dev/null
cat >"$work/values.yaml" <<YAML
image: { repository: docker.io/local/headway-release, tag: "$version", pullPolicy: Never }
agent: { hostPods: $HEADWAY_HOST_PODS }
credentials:
  cloud: |
    [default]
    aws_access_key_id=$AWS_ACCESS_KEY_ID
    aws_secret_access_key=$AWS_SECRET_ACCESS_KEY
locations:
  - { name: default, default: true, provider: aws, bucket: $S3_BUCKET, prefix: $ns, config: { region: $AWS_REGION, s3Url: "$HEADWAY_POD_S3", publicUrl: "$S3_ENDPOINT", s3ForcePathStyle: "true" } }
notifications:
  cluster: release
  sinks: [{ name: chat, type: slack, url: "http://10.96.0.1:$slack/api", channel: C1, tokenFrom: { name: slack, key: token }, every: 2s }]
YAML
"$helm" -n "$ns" install headway "$release/headway-chart-$version.tgz" -f "$work/values.yaml" --wait --timeout 3m >"$work/helm.log"
kubectl create clusterrolebinding "$ns-restore" --clusterrole=cluster-admin --serviceaccount="$ns:headway-restore" >/dev/null
until_is 60 sh -c "kubectl -n $ns get backupstoragelocation default -o jsonpath='{.status.phase}' | grep -qx Available"
say "installed by Helm, the location is available"

# 4. Prometheus with the alerts of the packed chart; they wait less long here.
kubectl create clusterrole "$ns" --verb=get --non-resource-url=/metrics >/dev/null
kubectl create clusterrolebinding "$ns" --clusterrole="$ns" --serviceaccount="$ns:default" >/dev/null
point_prometheus() {
  local name
  name=$(kubectl -n "$ns" get pods --field-selector=status.phase=Running -o name | grep -v agent | head -1)
  printf '[{"targets":["%s:8085"]}]' "$(kubectl -n "$ns" get "$name" -o jsonpath='{.status.podIP}')" >"$work/targets.next"
  mv "$work/targets.next" "$work/targets.json"
}
point_prometheus
sed 's/for: .*/for: 3s/' "$work"/chart/*/alerts.yaml >"$work/alerts.yaml"
cat >"$work/prometheus.yml" <<YAML
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [$work/alerts.yaml]
scrape_configs:
  - { job_name: headway, authorization: { credentials: "$(kubectl -n "$ns" create token default)" }, file_sd_configs: [{ files: ["$work/targets.json"], refresh_interval: 1s }] }
YAML
"$promtool" check config "$work/prometheus.yml" >/dev/null
"$prometheus" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" --web.listen-address=127.0.0.1:17091 2>"$work/prometheus.log" &
pids+=($!)
fires() { curl -fsS http://127.0.0.1:17091/api/v1/alerts | grep -q "\"alertname\":\"$1\"[^}]*}[^}]*}[^}]*\"state\":\"firing\""; }

# 5. A backup whose agent is taken away in the middle of a copy: it stalls, which is told and alarmed about.
kubectl create namespace "$app" >/dev/null
kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: $app, annotations: { backup.velero.io/backup-volumes: data } }
spec:
  terminationGracePeriodSeconds: 0
  containers:
    - { name: main, image: "$HEADWAY_TEST_IMAGE", imagePullPolicy: Never, command: [sh, -c, "echo kept > /data/file; dd if=/dev/urandom of=/data/much bs=1M count=600; touch /data/ready; sleep 100000"], volumeMounts: [{ name: data, mountPath: /data }] }
  volumes: [{ name: data, emptyDir: {} }]
YAML
kubectl -n "$app" wait --for=condition=Ready pod/web --timeout=60s >/dev/null
until_is 60 kubectl -n "$app" exec web -- ls /data/ready
kubectl headway backup create one -n "$ns" --include-namespaces "$app" >/dev/null
kubectl headway watch backup/one -n "$ns" -o json >"$work/watch.log" 2>&1 &
pids+=($!)
until_is 60 sh -c "kubectl -n $ns get podvolumebackups -o jsonpath='{.items[*].status.progress.bytesDone}' | grep -q ."
kubectl -n "$ns" delete daemonset headway-agent --wait=false >/dev/null
kubectl -n "$ns" delete pods --grace-period=0 --force $(kubectl -n "$ns" get pods -o name | grep agent) >/dev/null 2>&1 || true # it may be quicker to go
kubectl -n "$ns" wait --for=condition=Stalled operation/backup-one --timeout=180s >/dev/null
until_is 60 grep -q stalled "$work/slack.log"
until_is 60 fires HeadwayOperationStalled
say "a backup whose agent went is Stalled for kubectl wait, Slack and Prometheus: $(kubectl -n "$ns" get operation backup-one -o jsonpath='{.status.shown.message}')"

# 6. An upgrade with other values: agents come back, and the backup goes on.
"$helm" -n "$ns" upgrade headway "$release/headway-chart-$version.tgz" -f "$work/values.yaml" --set operator.podAnnotations.changed=yes,agent.podAnnotations.changed=yes --wait --timeout 3m >>"$work/helm.log"
kubectl -n "$ns" wait --for=condition=Complete operation/backup-one --timeout=180s >/dev/null
until_is 60 grep -q completed "$work/slack.log"
until_is 30 grep -q '"state":"completed"' "$work/watch.log"
say "upgraded with other values, and the backup completed; kubectl headway watch saw $(wc -l <"$work/watch.log") lines, Slack $(wc -l <"$work/slack.log") requests"

point_prometheus
# 7. A backup that cannot be made.
kubectl create -f - >/dev/null <<YAML
apiVersion: velero.io/v1
kind: Backup
metadata: { name: bad, namespace: $ns }
spec: { storageLocation: nowhere }
YAML
kubectl -n "$ns" wait --for=condition=Failed operation/backup-bad --timeout=60s >/dev/null
until_is 60 fires HeadwayOperationFailed
until_is 60 grep -q failed "$work/slack.log"
say "a failed backup is alarmed about and told"

# 8. A restore into another namespace, with what was in the volume.
kubectl headway restore create back -n "$ns" --from-backup one --namespace-mappings "$app:$app-back" >/dev/null
kubectl -n "$ns" wait --for=condition=Complete operation/restore-back --timeout=180s >/dev/null
kubectl -n "$app-back" wait --for=condition=Ready pod/web --timeout=60s >/dev/null
[ "$(kubectl -n "$app-back" exec web -- cat /data/file)" = kept ]
said=$(tr '\n' ' ' <"$work/slack.log")
for word in started stalled completed failed; do [[ $said == *$word* ]] || { echo "Slack was never told: $word" >&2; exit 1; }; done
! grep -q xoxb "$work/slack.log"
say "restored, and the file is there"

# 9. Nothing is left: objects of the release are gone, and those of the work go with their namespace.
kubectl headway restore delete back -n "$ns" --confirm >/dev/null
kubectl headway backup delete one bad -n "$ns" --confirm >/dev/null
until_is 90 sh -c "[ -z \"\$(kubectl -n $ns get backups.velero.io,restores.velero.io -o name)\" ]"
"$helm" -n "$ns" uninstall headway --wait --timeout 2m >>"$work/helm.log"
until_is 60 sh -c "[ -z \"\$(kubectl -n $ns get all,networkpolicies,roles,rolebindings -o name)\" ]"
left=$(kubectl get clusterroles,clusterrolebindings,validatingwebhookconfigurations,priorityclasses -o name | grep headway | grep -v -e "/$ns\$" -e "/$ns-restore\$" | grep -e "$ns" -e ':headway$' || true)
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
kubectl -n "$ns" get secrets,configmaps,serviceaccounts -o name | grep -v -e kube-root-ca -e serviceaccount/default -e secret/slack >"$work/left" || true
say "uninstalled; objects left in its namespace: $(tr '\n' ' ' <"$work/left")"
say "passed"
