import { type KubeObject, kinds } from "../../src/api/index.ts";
import { run } from "../../src/cli/index.ts";
import type { Rule } from "../../src/cli/install/permissions.ts";
import { builtIn, type Client, type Resource, resourceOf } from "../../src/kube/index.ts";
import { type AuditEvent, readAudit } from "./audit.ts";
import { openCluster, type TestCluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { deleteNamespace } from "./node-world.ts";

const names = {
  image: "HEADWAY_CLUSTER_IMAGE",
  audit: "HEADWAY_AUDIT_LOG",
  pods: "HEADWAY_HOST_PODS",
  s3: "HEADWAY_POD_S3",
  local: "S3_ENDPOINT",
} as const;

/** Why Headway cannot run inside of a cluster here; undefined when it can. */
export function missingInCluster(): string | undefined {
  const absent = Object.values(names).filter((name) => !process.env[name]);
  return absent.length === 0 ? undefined : `${absent.join(", ")} not set`;
}

const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };
const { deployments, daemonSets, secrets } = builtIn;
export const pods = builtIn.pods;
const roles: Resource = { ...rbac, plural: "roles", kind: "Role", namespaced: true };
const clusterRoleBindings: Resource = {
  ...rbac,
  plural: "clusterrolebindings",
  kind: "ClusterRoleBinding",
  namespaced: false,
};
const clusterRoles: Resource = { ...rbac, plural: "clusterroles", kind: "ClusterRole", namespaced: false };

/** What an account may do: in its namespace, and everywhere. */
export interface Rights {
  readonly own: readonly Rule[];
  readonly cluster: readonly Rule[];
}

type Workload = KubeObject & {
  readonly metadata: { readonly generation?: number };
  readonly status?: Readonly<Record<string, number>>;
};

/** Headway's operator and agents in pods of the cluster that KUBECONFIG names, from the objects of `headway install`. */
export class InCluster {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly namespace: string;
  /** What the commands said. */
  said = "";

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.client = cluster.client;
    this.namespace = cluster.namespace;
  }

  static async open(controllers: readonly string[]): Promise<InCluster> {
    const world = new InCluster(await openCluster());
    await world.install(...controllers);
    await world.#allowRestores();
    await world.#bucket();
    return world;
  }

  /** Runs a command of Headway here, against the cluster; returns its exit code. */
  headway(...argv: string[]): Promise<number> {
    this.said = "";
    const say = (text: string) => void (this.said += text);
    const io = { out: say, err: say, env: process.env, terminal: undefined, color: false };
    const where = ["--kubeconfig", this.cluster.kubeconfig, "-n", this.namespace];
    return run([...argv, ...where], AbortSignal.timeout(300_000), io);
  }

  /** Installs it, or changes what is installed, and waits until it runs. */
  async install(...controllers: readonly string[]): Promise<void> {
    const image = ["--image", process.env[names.image] ?? "", "--image-pull-policy", "Never"];
    const folder = ["--host-pods", process.env[names.pods] ?? ""];
    const chosen = controllers.length > 0 ? ["--controllers", controllers.join(",")] : [];
    const code = await this.headway("install", "--apply", "--no-wait", ...image, ...folder, ...chosen);
    if (code !== 0) throw new Error(`headway install ended ${code}: ${this.said}`);
    await this.#up(deployments, "headway", "updatedReplicas", "availableReplicas");
    await this.#up(daemonSets, "headway-agent", "updatedNumberScheduled", "numberAvailable");
  }

  async #up(resource: Resource, name: string, ...counts: readonly string[]): Promise<void> {
    const { namespace } = this;
    await eventually(
      () => this.client.get<Workload>(resource, name, { namespace }),
      ({ metadata, status = {} }) =>
        status["observedGeneration"] === metadata.generation &&
        counts.every((count) => status[count] === 1) &&
        (status["replicas"] ?? 1) === 1,
      120_000,
    );
  }

  /** What an installation leaves to a person: the account of restores gets rights. */
  async #allowRestores(): Promise<void> {
    const { client, namespace } = this;
    const name = `headway-restore:${namespace}`;
    await client.create(clusterRoleBindings, {
      apiVersion: `${rbac.group}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: rbac.group, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: "headway-restore", namespace }],
    });
  }

  /** A place in the S3 server, which pods and this process reach by different addresses. */
  async #bucket(): Promise<void> {
    const { client, namespace } = this;
    const env = process.env;
    const cloud = `[default]\naws_access_key_id=${env["AWS_ACCESS_KEY_ID"]}\naws_secret_access_key=${env["AWS_SECRET_ACCESS_KEY"]}\n`;
    const metadata = { name: "cloud-credentials", namespace };
    await client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata, stringData: { cloud } });
    const config = {
      region: env["AWS_REGION"] ?? "us-east-1",
      s3Url: env[names.s3],
      publicUrl: env[names.local],
      s3ForcePathStyle: "true",
    };
    const objectStorage = { bucket: env["S3_BUCKET"] ?? "backups", prefix: namespace };
    const locations = resourceOf(kinds.BackupStorageLocation);
    await client.create(locations, {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: "default", namespace },
      spec: {
        provider: "aws",
        default: true,
        objectStorage,
        config,
        credential: { name: "cloud-credentials", key: "cloud" },
        validationFrequency: "10s",
        backupSyncPeriod: "5s",
      },
    });
    await eventually(
      () => client.get<KubeObject & { status?: { phase?: string } }>(locations, "default", { namespace }),
      ({ status }) => status?.phase === "Available",
    );
  }

  /** What one of the accounts, or somebody who acts as it, asked of the server, as the server tells it. */
  asked(account: "headway" | "headway-agent" | "headway-restore"): AuditEvent[] {
    const user = `system:serviceaccount:${this.namespace}:${account}`;
    return readAudit(process.env[names.audit] ?? "", user);
  }

  /** What one of the two accounts may do now. */
  async rights(account: "headway" | "headway-agent"): Promise<Rights> {
    type Role = KubeObject & { readonly rules: readonly Rule[] };
    const { namespace } = this;
    const own = await this.client.get<Role>(roles, account, { namespace });
    const cluster = await this.client.get<Role>(clusterRoles, `${account}:${namespace}`);
    return { own: own.rules, cluster: cluster.rules };
  }

  async close(): Promise<void> {
    await this.headway("uninstall");
    await this.client.delete(clusterRoleBindings, `headway-restore:${this.namespace}`);
    await deleteNamespace(this.client, this.namespace);
    this.client.close();
  }
}
