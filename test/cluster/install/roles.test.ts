import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, type KubeObject, kinds, type Restore } from "../../../src/api/index.ts";
import { run } from "../../../src/cli/index.ts";
import { builtIn, type Client, connectTo, type Resource, resourceOf } from "../../../src/kube/index.ts";
import { type OperatorOptions, startOperator } from "../../../src/operator/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { eventually } from "../../harness/eventually.ts";

const { serviceAccounts: accounts, configMaps, namespaces } = builtIn;
const roleBindings: Resource = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural: "rolebindings",
  kind: "RoleBinding",
  namespaced: true,
};
const [backups, restores] = [resourceOf(kinds.Backup), resourceOf(kinds.Restore)];
const words: string[] = [];
const io = {
  out: () => undefined,
  err: (text: string) => void words.push(text),
  env: {},
  terminal: undefined,
  color: false,
};
let cluster: TestCluster;
let folder: string;
let shop: string;

beforeAll(async () => {
  cluster = await openCluster();
  folder = await mkdtemp(join(tmpdir(), "headway-roles-"));
  shop = `${cluster.namespace}-shop`;
});
afterAll(async () => {
  await headway("uninstall");
  await cluster.client.delete(namespaces, shop).catch(() => undefined); // the test may not have come so far
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
});

function headway(...argv: string[]): Promise<number> {
  const where = ["--kubeconfig", cluster.kubeconfig, "-n", cluster.namespace];
  return run([...argv, ...where], new AbortController().signal, io);
}

/** A client with the rights of the operator's own account. */
async function asOperator(): Promise<Client> {
  const { client, namespace, access } = cluster;
  const asked = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600 },
  };
  const place = { namespace, name: "headway", subresource: "token" };
  const given = await client.create<KubeObject & { status: { token: string } }>(accounts, asked, place);
  return connectTo({ server: access.server, ca: access.ca, token: given.status.token });
}

const phase = async (kind: Resource, name: string) =>
  (await cluster.client.get<Backup | Restore>(kind, name, { namespace: cluster.namespace })).status?.phase ??
  "";

async function ended(kind: Resource, name: string): Promise<string> {
  return eventually(
    () => phase(kind, name),
    (now) => /Completed|Failed/.test(now),
    60_000,
  );
}

/** The operator with the rights of its own account, as it is installed now. */
async function operator(restoreRights: OperatorOptions["restoreRights"]) {
  const { namespace } = cluster;
  const stop = new AbortController();
  const logged: string[] = [];
  const own = await asOperator();
  const log = (level: string, message: string, fields?: object) =>
    void logged.push(
      `${level} ${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? value.message : value))}`,
    );
  const running = startOperator(
    { client: own, namespace, log, tempDir: folder, leaderElection: { identity: "test" }, restoreRights },
    stop.signal,
  );
  const end = async () => {
    stop.abort();
    await running;
    own.close();
    // A watch that is asked to begin before a definition was stored begins anew: nobody refused it.
    const faults = logged.filter((line) => /forbidden|cannot/i.test(line) && !line.includes("Expired (410)"));
    expect(faults).toEqual([]);
  };
  return { logged, end };
}

async function restore(name: string, annotations: Record<string, string> = {}): Promise<string> {
  const { client, namespace } = cluster;
  await client.delete(configMaps, "goods", { namespace: shop }).catch(() => undefined); // an earlier one did not bring it back
  await client.create(restores, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name, namespace, annotations },
    spec: { backupName: "b1" },
  });
  return ended(restores, name);
}

const isBack = () =>
  cluster.client.get(configMaps, "goods", { namespace: shop }).then(
    () => true,
    () => false,
  );

/** What a restore says went wrong, as it is stored. */
async function errorsOf(name: string): Promise<string> {
  return gunzipSync(
    await readFile(join(folder, "b", "restores", name, `restore-${name}-results.gz`)),
  ).toString();
}

test("the operator backs up with the roles of headway install, and restores with rights that somebody gave", async () => {
  const { client, namespace } = cluster;
  expect(await headway("install", "--apply", "--no-wait", "--image", "headway:test"), words.join("")).toBe(0);
  await mkdir(join(folder, "b"));
  const place = ["--provider", "filesystem", "--bucket", "b", "--config", `path=${folder}`, "--default"];
  expect(await headway("location", "create", "default", ...place), words.join("")).toBe(0);
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: shop } });
  const metadata = { name: "goods", namespace: shop };
  await client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } });
  const { logged, end } = await operator({ mode: "account", account: "headway-restore" });
  const made = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "b1", namespace } };
  await client.create(backups, { ...made, spec: { includedNamespaces: [shop] } });
  expect(await ended(backups, "b1"), logged.join("\n")).toBe("Completed");

  expect(await restore("without")).toBe("PartiallyFailed");
  expect(await isBack()).toBe(false);
  const said = await errorsOf("without");
  expect(said).toMatch(/headway-restore\\?" needs the right to create configmaps/);
  const [, command = ""] = /`kubectl (create rolebinding [^`]+)`/.exec(said) ?? [];
  expect(command).toContain(
    `-n ${shop} --clusterrole=cluster-admin --serviceaccount=${namespace}:headway-restore`,
  );

  // What the message says to do.
  await client.create(roleBindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "headway-restore", namespace: shop },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "headway-restore", namespace }],
  });
  expect(await restore("with"), logged.join("\n")).toBe("Completed");
  expect(await client.get(configMaps, "goods", { namespace: shop })).toMatchObject({ data: { a: "b" } });

  // An account that exists, with the same rights, but that the operator was not allowed to act as.
  await client.create(accounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "strong", namespace },
  });
  expect(await restore("stranger", { "headway.dev/service-account": "strong" })).not.toBe("Completed");
  expect(await isBack()).toBe(false);
  expect(await restore("nobody", { "headway.dev/service-account": "nobody" })).toBe("FailedValidation");

  // Of the backup and of all four restores, the refused one included, which ended in the moment in which it began.
  const operations = await eventually(
    () => client.list(resourceOf(kinds.Operation), { namespace }),
    (found) => found.length >= 5,
  );
  expect(operations.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "backup-b1",
    "restore-nobody",
    "restore-stranger",
    "restore-with",
    "restore-without",
  ]);
  await end();
});

test("an operator that was given no rights to restore says so, and one that was given all restores", async () => {
  const { client, namespace } = cluster;
  expect(await headway("install", "--apply", "--no-wait", "--image", "headway:test"), words.join("")).toBe(0);
  const refusing = await operator({ mode: "none", account: "headway-restore" });
  expect(await restore("refused")).toBe("FailedValidation");
  const { status } = await client.get<Restore>(restores, "refused", { namespace });
  expect(status?.validationErrors?.[0]).toMatch(/--restore-rights=none.*--restore-rights=account/);
  await refusing.end();

  const all = ["--restore-rights", "cluster"];
  expect(
    await headway("install", "--apply", "--no-wait", "--image", "headway:test", ...all),
    words.join(""),
  ).toBe(0);
  const mighty = await operator({ mode: "cluster", account: "headway-restore" });
  expect(await restore("mighty"), mighty.logged.join("\n")).toBe("Completed");
  expect(await isBack()).toBe(true);
  await mighty.end();
});

test("the operator may not write what it backs up, nor act as others", async () => {
  expect(await headway("uninstall"), words.join("")).toBe(0);
  expect(await headway("install", "--apply", "--no-wait", "--image", "headway:test"), words.join("")).toBe(0);
  const own = await asOperator();
  const may = async (attributes: object): Promise<boolean> => {
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: attributes },
    };
    const answer = await own.create<KubeObject & { status: { allowed: boolean } }>(
      builtIn.selfSubjectAccessReviews,
      review,
    );
    return answer.status.allowed;
  };
  const rbac = "rbac.authorization.k8s.io";
  const { namespace } = cluster;
  const refused = [
    { verb: "create", group: rbac, resource: "clusterrolebindings" },
    { verb: "escalate", group: rbac, resource: "clusterroles" },
    { verb: "create", resource: "serviceaccounts", subresource: "token", namespace: "kube-system" },
    { verb: "create", resource: "pods", namespace: "kube-system" },
    { verb: "patch", group: "apps", resource: "deployments", namespace: shop },
    { verb: "delete", resource: "secrets", namespace: shop },
    { verb: "impersonate", resource: "serviceaccounts", namespace: "kube-system", name: "default" },
    { verb: "impersonate", resource: "serviceaccounts", namespace, name: "strong" },
    { verb: "impersonate", resource: "users", name: "system:admin" },
    { verb: "impersonate", resource: "groups", name: "system:masters" },
  ];
  for (const one of refused) expect(await may(one), JSON.stringify(one)).toBe(false);
  expect(await may({ verb: "list", resource: "secrets" }), "a backup holds everything").toBe(true);
  expect(
    await may({ verb: "impersonate", resource: "serviceaccounts", namespace, name: "headway-restore" }),
  ).toBe(true);
  own.close();
});
