import { controllerPermissions } from "../../src/cli/install/permissions.ts";
import {
  agentContext,
  agentPodContext,
  operatorContext,
  podContext,
} from "../../src/cli/install/pod-security.ts";
import { choice, count, flag, group, map, objects, text, texts } from "./value-tree.ts";

const anyMap = { type: "object" };
const named = (required: readonly string[], properties: object) => ({
  type: "object",
  required,
  additionalProperties: false,
  properties,
});

/** What a pod of either workload can be given. */
function pod(resources: object, podSecurity: object, containerSecurity: object) {
  return {
    resources: map(
      "Requests and limits. The processor has no limit: it would only slow copies down.",
      resources,
    ),
    nodeSelector: map("Labels of the nodes that it may run on."),
    tolerations: objects("Taints that it bears. [{operator: Exists}] runs it everywhere."),
    affinity: map("Where it likes to run."),
    priorityClassName: text("The priority class of the pod."),
    podAnnotations: map("More annotations of the pod."),
    podLabels: map('More labels of the pod, such as azure.workload.identity/use: "true".'),
    podSecurityContext: map("The security context of the pod.", podSecurity),
    securityContext: map("The security context of the container.", containerSecurity),
    extraArgs: texts("More flags of the command."),
    extraEnv: objects("More variables, as a container has them."),
    extraEnvFrom: objects("Secrets and ConfigMaps with more variables."),
    extraVolumes: objects("More volumes of the pod."),
    extraVolumeMounts: objects("Where the container has them."),
    serviceAccountAnnotations: map("Annotations of the service account, for identities of a cloud."),
  };
}

/** Every value of the chart: values.yaml, values.schema.json and docs/values.md are made from this. */
export const values = group("Values of the chart headway", {
  image: group("The image: operator, agents and command line.", {
    repository: text("Where it is, without a tag.", "headway"),
    tag: text("Its tag. Empty: the version of the chart."),
    digest: text("Its digest (sha256:…), which counts before the tag.", "", {
      pattern: "^(sha256:[0-9a-f]{64})?$",
    }),
    pullPolicy: choice("When nodes fetch it.", "IfNotPresent", ["Always", "IfNotPresent", "Never"]),
  }),
  imagePullSecrets: objects(
    "Secrets of the registry: [{name: …}].",
    named(["name"], { name: { type: "string" } }),
  ),
  controllers: texts("Controllers to run, with just the rights that they need. Empty: all of them.", [], {
    enum: Object.keys(controllerPermissions).toSorted(),
  }),
  restoreRights: choice(
    "With whose rights restores are done: none (there are no restores), account (those of a service account that you give rights to),\ncluster (the operator may write everything).",
    "account",
    ["none", "account", "cluster"],
  ),
  restoreAccounts: texts(
    "Service accounts that Restores may name; the first one is for those that name none.",
    ["headway-restore"],
  ),
  actionRights: choice(
    "Where actions may run pods and commands: namespaces (where you bind the role headway-actions:NAMESPACE) or cluster.",
    "namespaces",
    ["namespaces", "cluster"],
  ),
  migrationRights: choice(
    "Whether this cluster may be source or destination of migrations: none or cluster.",
    "none",
    ["none", "cluster"],
  ),
  operator: group("The operator.", {
    replicas: count("How many; one works, the others wait for its lease.", 1, 1),
    ...pod(
      { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "1Gi" } },
      podContext,
      operatorContext,
    ),
    podDisruptionBudget: flag("Whether drains leave one operator; useful with two replicas or more.", false),
  }),
  agent: group("The agents, one on every node: they copy the files of pod volumes.", {
    enabled: flag("Whether they run at all.", true),
    hostPods: text("The kubelet's folder of pods on every node.", "/var/lib/kubelet/pods"),
    ...pod(
      { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "2Gi" } },
      agentPodContext,
      agentContext,
    ),
    updateStrategy: map("How agents are replaced; empty: as the cluster does, one after the other."),
  }),
  credentials: group("Keys of object stores.", {
    existingSecret: text("A Secret of yours that locations use where they name none; its key is cloud."),
    cloud: text(
      "The text of the Secret headway-credentials, key cloud, which the chart then makes. In production, better a Secret of yours.",
    ),
  }),
  locations: objects(
    "Where backups are kept: a BackupStorageLocation each.",
    named(["name", "provider", "bucket"], {
      name: { type: "string" },
      default: { type: "boolean" },
      provider: { type: "string" },
      bucket: { type: "string" },
      prefix: { type: "string" },
      caCert: { type: "string" },
      accessMode: { type: "string", enum: ["ReadWrite", "ReadOnly"] },
      config: anyMap,
      credential: named(["name", "key"], { name: { type: "string" }, key: { type: "string" } }),
      annotations: anyMap,
    }),
  ),
  snapshotLocations: objects(
    "Where volume snapshots are kept: a VolumeSnapshotLocation each.",
    named(["name", "provider"], {
      name: { type: "string" },
      provider: { type: "string" },
      config: anyMap,
      credential: named(["name", "key"], { name: { type: "string" }, key: { type: "string" } }),
    }),
  ),
  notifications: group(
    "Who is told of operations: docs/190-notifications.md describes each field. Empty: nobody.",
    {
      cluster: text("A word for this cluster in messages."),
      sinks: objects(
        "The receivers. Their secrets are named, never written here; the operator may read those Secrets.",
        {
          type: "object",
          required: ["name", "type"],
          properties: {
            name: { type: "string" },
            type: {
              type: "string",
              enum: ["cloudevents", "webhook", "slack", "teams", "alertmanager", "otlp"],
            },
          },
        },
      ),
    },
  ),
  crds: group("The kinds. Helm makes those that are missing at the first installation.", {
    upgrade: flag(
      "Whether a Job brings them up to date before every upgrade. Kinds that another program installed are left alone.",
      true,
    ),
    takeOver: flag(
      "Whether that Job takes over kinds that another program installed, such as Velero's.",
      false,
    ),
  }),
  webhook: flag("Whether the cluster asks the operator before it stores Blueprints and ActionSets.", false),
  openshift: flag("Leaves user and group to OpenShift, and lets the agents use the SCC privileged.", false),
  service: group("The Service of the operator: page, API, metrics.", {
    type: choice("Its type.", "ClusterIP", ["ClusterIP", "NodePort", "LoadBalancer"]),
    annotations: map("Its annotations."),
  }),
  ingress: group("An Ingress for the page and the API. Whoever comes needs a token of the cluster.", {
    enabled: flag("Whether there is one.", false),
    className: text("Its class."),
    annotations: map(
      "Its annotations. Streams last: the proxy should not buffer and wait at least a minute.",
    ),
    host: text("The name that it answers to.", "headway.example.com"),
    tlsSecret: text("The Secret with its certificate."),
  }),
  networkPolicy: group("NetworkPolicies: who may call the operator and the agents.", {
    enabled: flag("Whether they are made.", true),
    from: objects(
      "Who may call the operator's page and metrics; empty: everybody. The webhook is called by the API server.",
    ),
  }),
  metrics: group("What Prometheus and Grafana need.", {
    serviceMonitor: group(
      "A ServiceMonitor, with an account and a token that may read /metrics and nothing else.",
      {
        enabled: flag("Whether there is one. The cluster needs the kinds of the Prometheus operator.", false),
        interval: text("How often it is asked.", "30s"),
        labels: map("Its labels, by which Prometheus finds it."),
      },
    ),
    prometheusRule: group("Alerts: docs/metrics.md explains each.", {
      enabled: flag("Whether there is one. The cluster needs the kinds of the Prometheus operator.", false),
      labels: map("Its labels, by which Prometheus finds it."),
      alertLabels: map("Labels that every alert carries."),
    }),
    dashboard: group("A Grafana board in a ConfigMap, as Grafana's sidecar reads it.", {
      enabled: flag("Whether there is one.", false),
      labels: map("Its labels, by which the sidecar finds it.", { grafana_dashboard: "1" }),
      annotations: map("Its annotations, such as the folder in Grafana."),
    }),
  }),
});
