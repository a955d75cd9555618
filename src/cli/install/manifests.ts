import { allKinds, crdOf, type KubeObject } from "../../api/index.ts";
import { networkPolicies } from "./network.ts";
import { agentPermissions, merged, operatorPermissions, type Permissions } from "./permissions.ts";
import { agentContext, agentPodContext, operatorContext, podContext } from "./pod-security.ts";
import { leastRights, type Rights, rightObjects } from "./rights.ts";
import { type WebhookCertificate, webhookName, webhookObjects, webhookPort } from "./webhook.ts";

/** How Headway is installed. Values may be placeholders of a chart. */
export interface InstallOptions {
  readonly namespace: string;
  readonly image: string;
  readonly imagePullPolicy?: string;
  /** The controllers to run; all when empty. */
  readonly controllers?: readonly string[];
  /** Whether pod volumes are copied: a DaemonSet, with the kubelet's folder. */
  readonly agent?: boolean;
  /** The kubelet's folder of pods on every node. */
  readonly hostPods?: string;
  /** What goes beyond backups; the least when absent. */
  readonly rights?: Partial<Rights>;
  /** The certificate of the admission webhook; without one the cluster asks nobody. */
  readonly webhook?: WebhookCertificate;
  readonly operatorPod?: PodExtras;
  readonly agentPod?: PodExtras;
  readonly service?: { readonly type?: string; readonly annotations?: unknown };
  /** Who may call the operator's page; everybody when absent. */
  readonly callers?: unknown;
}

/** What a workload is given beyond the usual; only a chart has it. */
export interface PodExtras {
  readonly accountAnnotations?: unknown;
  readonly annotations?: unknown;
  readonly labels?: Readonly<Record<string, string>>;
  /** Laid over the spec of the workload, of its pod and of its container. */
  readonly workload?: object;
  readonly spec?: object;
  readonly container?: object;
  /** Appended to the lists of the same names. */
  readonly args?: readonly string[];
  readonly env?: readonly unknown[];
  readonly volumes?: readonly unknown[];
  readonly mounts?: readonly unknown[];
}

/** An object of any kind, as it is written. */
export type Manifest = KubeObject & Readonly<Record<string, unknown>>;

const rbac = "rbac.authorization.k8s.io";
const port = 8085;
const partOf = { "app.kubernetes.io/part-of": "headway" };

/** The definitions of all kinds; by their label an upgrade knows them from those of other programs. */
export function definitions(): readonly Manifest[] {
  return allKinds.map(crdOf).map((one) => ({ ...one, metadata: { ...one.metadata, labels: partOf } }));
}

/** The namespace. */
export function namespaceOf({ namespace }: InstallOptions): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
}

/** Everything that runs and what it may do, in the order in which it is applied. */
export function program(options: InstallOptions): readonly Manifest[] {
  const { agent = true, controllers = [] } = options;
  return [
    ...account("headway", operatorPermissions(controllers), options, options.operatorPod),
    ...rightObjects(options.namespace, controllers, rightsOf(options)),
    ...(agent ? account("headway-agent", mergedBoth(agentPermissions), options, options.agentPod) : []),
    service(options),
    deployment(options),
    ...(agent ? [daemonSet(options)] : []),
    ...networkPolicies(options, labelsOf),
    ...(options.webhook ? webhookObjects(options.namespace, options.webhook, labelsOf("headway")) : []),
  ];
}

function rightsOf({ rights }: InstallOptions): Rights {
  return { ...leastRights, ...rights };
}

function mergedBoth({ own, cluster }: Permissions): Permissions {
  return { own: merged(own), cluster: merged(cluster) };
}

/** A service account, with a role in its namespace and one in the cluster. */
function account(
  name: string,
  { own, cluster }: Permissions,
  { namespace }: InstallOptions,
  { accountAnnotations: annotations }: PodExtras = {},
): Manifest[] {
  const labels = labelsOf(name);
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  // A cluster role is one per cluster: its name tells whose it is.
  const clusterName = `${name}:${namespace}`;
  const role = (kind: string, of: string) => ({ apiGroup: rbac, kind, name: of });
  const here = { name, namespace, labels };
  const everywhere = { name: clusterName, labels };
  const api = { apiVersion: `${rbac}/v1` };
  return [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: withAnnotations(here, annotations),
    },
    { ...api, kind: "Role", metadata: here, rules: own },
    { ...api, kind: "RoleBinding", metadata: here, roleRef: role("Role", name), subjects },
    { ...api, kind: "ClusterRole", metadata: everywhere, rules: cluster },
    {
      ...api,
      kind: "ClusterRoleBinding",
      metadata: everywhere,
      roleRef: role("ClusterRole", clusterName),
      subjects,
    },
  ];
}

/** Annotations may be a placeholder of a chart instead of a map. */
function withAnnotations(metadata: Manifest["metadata"], annotations: unknown): Manifest["metadata"] {
  return annotations === undefined ? metadata : ({ ...metadata, annotations } as Manifest["metadata"]);
}

function labelsOf(name: string): Record<string, string> {
  return { "app.kubernetes.io/name": name, ...partOf };
}

function service({ namespace, service: { type, annotations } = {} }: InstallOptions): Manifest {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: withAnnotations({ name: "headway", namespace, labels: labelsOf("headway") }, annotations),
    spec: {
      ...(type !== undefined && { type }),
      selector: { "app.kubernetes.io/name": "headway" },
      ports: [{ name: "http", port, targetPort: "http" }],
    },
  };
}

function operatorArgs(options: InstallOptions): string[] {
  const { namespace, controllers = [], operatorPod: { args = [] } = {} } = options;
  const rights = rightsOf(options);
  return [
    "operator",
    `--namespace=${namespace}`,
    `--listen=0.0.0.0:${port}`,
    "--host=*",
    "--temp-dir=/spool",
    `--webhook-certs=/${webhookName}`,
    `--restore-rights=${rights.restore}`,
    `--restore-account=${rights.restoreAccounts[0] ?? ""}`,
    ...(controllers.length > 0 ? [`--controllers=${controllers.join(",")}`] : []),
    ...args,
  ];
}

function deployment(options: InstallOptions): Manifest {
  const { namespace, operatorPod: extra = {} } = options;
  const labels = labelsOf("headway");
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "headway", namespace, labels },
    spec: {
      replicas: 1,
      ...extra.workload,
      selector: { matchLabels: { "app.kubernetes.io/name": "headway" } },
      template: {
        metadata: podMetadata(labels, extra),
        spec: {
          serviceAccountName: "headway",
          securityContext: podContext,
          ...extra.spec,
          containers: [
            {
              ...container("headway", operatorArgs(options), "1Gi", options),
              env: [...imageVariables(options), ...(extra.env ?? [])],
              ports: [
                { name: "http", containerPort: port },
                { name: "webhook", containerPort: webhookPort },
              ],
              livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 20 },
              readinessProbe: { httpGet: { path: "/readyz", port: "http" }, periodSeconds: 5 },
              securityContext: operatorContext,
              volumeMounts: [
                { name: "spool", mountPath: "/spool" },
                { name: "tmp", mountPath: "/tmp" },
                { name: webhookName, mountPath: `/${webhookName}`, readOnly: true },
                ...(extra.mounts ?? []),
              ],
              ...extra.container,
            },
          ],
          volumes: [
            { name: "spool", emptyDir: {} },
            { name: "tmp", emptyDir: {} },
            // The webhook is served from the moment when there is a certificate.
            { name: webhookName, secret: { secretName: webhookName, optional: true } },
            ...(extra.volumes ?? []),
          ],
        },
      },
    },
  };
}

/** Restored pods wait for their files, and volumes are held while they are copied, in containers of the same image. */
function imageVariables({ image, imagePullPolicy }: InstallOptions): object[] {
  const own = { name: "HEADWAY_IMAGE", value: image };
  if (imagePullPolicy === undefined) return [own];
  return [own, { name: "HEADWAY_IMAGE_PULL_POLICY", value: imagePullPolicy }];
}

function agentVariables(options: InstallOptions): readonly unknown[] {
  const fieldRef = { fieldPath: "spec.nodeName" };
  const node = { name: "NODE_NAME", valueFrom: { fieldRef } };
  return [node, ...imageVariables(options), ...(options.agentPod?.env ?? [])];
}

/** The agents read the folders of other pods, which belong to any user: so they run as root, with what files need and nothing more. */
function daemonSet(options: InstallOptions): Manifest {
  const { namespace, hostPods = "/var/lib/kubelet/pods", agentPod: extra = {} } = options;
  // Servers of other makers look for agents by this role.
  const labels = { ...labelsOf("headway-agent"), role: "node-agent" };
  const args = [
    "agent",
    `--namespace=${namespace}`,
    "--host-pods=/host_pods",
    "--state-dir=/state",
    `--listen=0.0.0.0:${port}`,
  ];
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "headway-agent", namespace, labels },
    spec: {
      ...extra.workload,
      selector: { matchLabels: { "app.kubernetes.io/name": "headway-agent" } },
      template: {
        metadata: podMetadata(labels, extra),
        spec: {
          serviceAccountName: "headway-agent",
          securityContext: agentPodContext,
          ...extra.spec,
          containers: [
            {
              ...container("agent", [...args, ...(extra.args ?? [])], "2Gi", options),
              env: agentVariables(options),
              ports: [{ name: "probes", containerPort: port }],
              // An agent that hangs is ended late: its copies go with it.
              livenessProbe: {
                httpGet: { path: "/healthz", port: "probes" },
                periodSeconds: 30,
                failureThreshold: 10,
              },
              readinessProbe: { httpGet: { path: "/readyz", port: "probes" }, periodSeconds: 10 },
              securityContext: agentContext,
              volumeMounts: [
                { name: "host-pods", mountPath: "/host_pods", mountPropagation: "HostToContainer" },
                { name: "state", mountPath: "/state" },
                { name: "tmp", mountPath: "/tmp" },
                ...(extra.mounts ?? []),
              ],
              ...extra.container,
            },
          ],
          volumes: [
            { name: "host-pods", hostPath: { path: hostPods } },
            { name: "state", hostPath: { path: "/var/lib/headway/agent", type: "DirectoryOrCreate" } },
            { name: "tmp", emptyDir: {} },
            ...(extra.volumes ?? []),
          ],
        },
      },
    },
  };
}

function podMetadata(
  labels: Readonly<Record<string, string>>,
  { annotations, labels: more }: PodExtras,
): object {
  return { labels: { ...labels, ...more }, ...(annotations !== undefined && { annotations }) };
}

/** Memory is limited, since a node in need ends others instead; the processor is not, since a limit there only slows copies down. */
function container(
  name: string,
  args: readonly string[],
  memory: string,
  { image, imagePullPolicy }: InstallOptions,
): object {
  return {
    name,
    image,
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    args,
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory } },
  };
}
