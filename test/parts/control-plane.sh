# The control plane of one cluster: etcd, API server, controller manager on loopback. Sourced by `node` and `control-plane`, not run.
# shellcheck source=test/parts/parts.sh
. "$(dirname "${BASH_SOURCE[0]}")/parts.sh"

# plane NAME BASE: names its folder and its ports, all on 127.0.0.1.
plane() {
  CLUSTER=$1 RUN=$PARTS/run/$1
  ETCD=$(($2 + 379)) PEER=$(($2 + 380)) API=$(($2 + 443)) CONTROLLERS=$(($2 + 257)) SCHEDULER=$(($2 + 259)) KUBELET=$(($2 + 250)) HEALTH=$(($2 + 248))
  NODE=$(hostname)
  export KUBECONFIG=$RUN/admin.kubeconfig
  PATH=$(dirname "$(part kubectl)"):$PATH
}

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
certificate() { # NAME SUBJECT [NAMES]
  key "$1"
  openssl req -new -key "$1.key" -out "$1.csr" -subj "$2"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -out "$1.crt" -days 365 2>/dev/null \
    -extfile <(printf 'extendedKeyUsage=serverAuth,clientAuth\n%s' "${3:+subjectAltName=$3}")
}
kubeconfig() { # NAME: of the user whose certificate has this name
  cat >"$RUN/$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: $CLUSTER
contexts: [{name: $CLUSTER, context: {cluster: $CLUSTER, user: $1}}]
clusters: [{name: $CLUSTER, cluster: {server: "https://127.0.0.1:$API", certificate-authority-data: $(base64 -w 0 ca.crt)}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w 0 "$1.crt"), client-key-data: $(base64 -w 0 "$1.key")}}]
YAML
  chmod 600 "$RUN/$1.kubeconfig"
}
trust() {
  mkdir -p "$RUN/pki" && cd "$RUN/pki"
  key ca && openssl req -x509 -new -key ca.key -out ca.crt -days 365 -subj "/CN=$CLUSTER"
  local names=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.96.0.1
  certificate apiserver /CN=kube-apiserver "$names,DNS:$NODE"
  certificate admin /O=system:masters/CN=admin && kubeconfig admin
  certificate to-kubelet /O=system:masters/CN=apiserver-to-kubelet
  certificate controllers /CN=system:kube-controller-manager && kubeconfig controllers
  certificate scheduler /CN=system:kube-scheduler && kubeconfig scheduler
  certificate kubelet "/O=system:nodes/CN=system:node:$NODE" "DNS:$NODE,DNS:localhost,IP:127.0.0.1" && kubeconfig kubelet
  key accounts
}

plane_up() {
  mkdir -p "$RUN/log"
  trust
  # A test cluster is thrown away with its machine: nothing is gained by waiting for the disk.
  start "$RUN" etcd etcd --data-dir "$RUN/etcd" --unsafe-no-fsync --quota-backend-bytes 8589934592 --log-level warn \
    --listen-client-urls "http://127.0.0.1:$ETCD" --advertise-client-urls "http://127.0.0.1:$ETCD" \
    --listen-peer-urls "http://127.0.0.1:$PEER" --initial-advertise-peer-urls "http://127.0.0.1:$PEER" \
    --initial-cluster "default=http://127.0.0.1:$PEER"
  start "$RUN" kube-apiserver "$(part kube-apiserver)" --etcd-servers="http://127.0.0.1:$ETCD" \
    --bind-address=127.0.0.1 --secure-port="$API" --advertise-address=127.0.0.1 --endpoint-reconciler-type=none \
    --tls-cert-file=apiserver.crt --tls-private-key-file=apiserver.key --client-ca-file=ca.crt \
    --authorization-mode=Node,RBAC --allow-privileged=true --service-cluster-ip-range=10.96.0.0/16 --profiling=false \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=accounts.key --service-account-signing-key-file=accounts.key \
    --kubelet-client-certificate=to-kubelet.crt --kubelet-client-key=to-kubelet.key --kubelet-certificate-authority=ca.crt \
    --kubelet-preferred-address-types=Hostname --audit-policy-file="$HERE/audit-policy.yaml" --audit-log-path="$RUN/log/audit.log"
  wait_for "$RUN" kube-apiserver kubectl get --raw /readyz
  start "$RUN" kube-controller-manager "$(part kube-controller-manager)" --kubeconfig="$RUN/controllers.kubeconfig" \
    --service-account-private-key-file=accounts.key --root-ca-file=ca.crt --use-service-account-credentials=true \
    --bind-address=127.0.0.1 --secure-port="$CONTROLLERS" --leader-elect=false
}
plane_ready() { wait_for "$RUN" kube-controller-manager kubectl -n default get serviceaccount default; }
