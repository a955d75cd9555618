import { allKinds, crdOf, type KubeObject } from "../../api/index.ts";
import { networkPolicies } from "./network.ts";
import { agentPermissions, merged, operatorPermissions, type Permissions } from "./permissions.ts";
import { agentContext, operatorContext, podContext } from "./pod-security.ts";
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
}

/** An object of any kind, as it is written. */
export type Manifest = KubeObject & Readonly<Record<string, unknown>>;

const rbac = "rbac.authorization.k8s.io";
const port = 8085;

/** The definitions of all kinds. */
export function definitions(): readonly Manifest[] {
  return allKinds.map(crdOf);
}

/** The namespace. */
export function namespaceOf({ namespace }: InstallOptions): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
}

/** Everything that runs and what it may do, in the order in which it is applied. */
export function program(options: InstallOptions): readonly Manifest[] {
  const { agent = true, controllers = [] } = options;
  return [
    ...account("headway", operatorPermissions(controllers), options),
    ...rightObjects(options.namespace, controllers, rightsOf(options)),
    ...(agent ? account("headway-agent", mergedBoth(agentPermissions), options) : []),
    service(options),
    deployment(options),
    ...(agent ? [daemonSet(options)] : []),
    ...networkPolicies(options.namespace, agent, labelsOf),
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
function account(name: string, { own, cluster }: Permissions, { namespace }: InstallOptions): Manifest[] {
  const labels = labelsOf(name);
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  // A cluster role is one per cluster: its name tells whose it is.
  const clusterName = `${name}:${namespace}`;
  const role = (kind: string, of: string) => ({ apiGroup: rbac, kind, name: of });
  const here = { name, namespace, labels };
  const everywhere = { name: clusterName, labels };
  const api = { apiVersion: `${rbac}/v1` };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: here },
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

function labelsOf(name: string): Record<string, string> {
  return { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "headway" };
}

function service({ namespace }: InstallOptions): Manifest {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "headway", namespace, labels: labelsOf("headway") },
    spec: {
      selector: { "app.kubernetes.io/name": "headway" },
      ports: [{ name: "http", port, targetPort: "http" }],
    },
  };
}

function deployment(options: InstallOptions): Manifest {
  const { namespace, controllers = [] } = options;
  const rights = rightsOf(options);
  const labels = labelsOf("headway");
  const args = [
    "operator",
    `--namespace=${namespace}`,
    `--listen=0.0.0.0:${port}`,
    "--host=*",
    "--temp-dir=/spool",
    `--webhook-certs=/${webhookName}`,
    `--restore-rights=${rights.restore}`,
    `--restore-account=${rights.restoreAccounts[0] ?? ""}`,
  ];
  const chosen = controllers.length > 0 ? [`--controllers=${controllers.join(",")}`] : [];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "headway", namespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: { "app.kubernetes.io/name": "headway" } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "headway",
          securityContext: podContext,
          containers: [
            {
              ...container("headway", [...args, ...chosen], "1Gi", options),
              env: imageVariables(options),
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
              ],
            },
          ],
          volumes: [
            { name: "spool", emptyDir: {} },
            { name: "tmp", emptyDir: {} },
            // The webhook is served from the moment when there is a certificate.
            { name: webhookName, secret: { secretName: webhookName, optional: true } },
          ],
        },
      },
    },
  };
}

/** Restored pods wait for their files in a container of the same image. */
function imageVariables({ image, imagePullPolicy }: InstallOptions): object[] {
  const own = { name: "HEADWAY_IMAGE", value: image };
  if (imagePullPolicy === undefined) return [own];
  return [own, { name: "HEADWAY_IMAGE_PULL_POLICY", value: imagePullPolicy }];
}

/** The agents read the folders of other pods, which belong to any user: so they run as root, with what files need and nothing more. */
function daemonSet(options: InstallOptions): Manifest {
  const { namespace, hostPods = "/var/lib/kubelet/pods" } = options;
  // Servers of other makers look for agents by this role.
  const labels = { ...labelsOf("headway-agent"), role: "node-agent" };
  const fieldRef = { fieldPath: "spec.nodeName" };
  const args = ["agent", `--namespace=${namespace}`, "--host-pods=/host_pods", "--state-dir=/state"];
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "headway-agent", namespace, labels },
    spec: {
      selector: { matchLabels: { "app.kubernetes.io/name": "headway-agent" } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "headway-agent",
          securityContext: { runAsUser: 0, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              ...container("agent", args, "2Gi", options),
              env: [{ name: "NODE_NAME", valueFrom: { fieldRef } }],
              securityContext: agentContext,
              volumeMounts: [
                { name: "host-pods", mountPath: "/host_pods", mountPropagation: "HostToContainer" },
                { name: "state", mountPath: "/state" },
                { name: "tmp", mountPath: "/tmp" },
              ],
            },
          ],
          volumes: [
            { name: "host-pods", hostPath: { path: hostPods } },
            { name: "state", hostPath: { path: "/var/lib/headway/agent", type: "DirectoryOrCreate" } },
            { name: "tmp", emptyDir: {} },
          ],
        },
      },
    },
  };
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
