import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, type KubeObject, kinds, type Restore } from "../../../src/api/index.ts";
import { run } from "../../../src/cli/index.ts";
import { builtIn, type Client, connectTo, type Resource, resourceOf } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { eventually } from "../../harness/eventually.ts";

const { serviceAccounts: accounts, configMaps, namespaces } = builtIn;
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

test("the operator backs up and restores with the roles of headway install, and nothing is refused", async () => {
  const { client, namespace } = cluster;
  expect(await headway("install", "--apply", "--image", "headway:test"), words.join("")).toBe(0);
  await mkdir(join(folder, "b"));
  const place = ["--provider", "filesystem", "--bucket", "b", "--config", `path=${folder}`, "--default"];
  expect(await headway("location", "create", "default", ...place), words.join("")).toBe(0);
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: shop } });
  const metadata = { name: "goods", namespace: shop };
  await client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } });

  const stop = new AbortController();
  const logged: string[] = [];
  const own = await asOperator();
  const log = (level: string, message: string, fields?: object) =>
    void logged.push(
      `${level} ${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? value.message : value))}`,
    );
  const running = startOperator(
    { client: own, namespace, log, tempDir: folder, leaderElection: { identity: "test" } },
    stop.signal,
  );
  const made = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "b1", namespace } };
  await client.create(backups, { ...made, spec: { includedNamespaces: [shop] } });
  const phase = async (kind: Resource, name: string) =>
    (await client.get<Backup | Restore>(kind, name, { namespace })).status?.phase ?? "";
  await eventually(
    () => phase(backups, "b1"),
    (now) => /Completed|Failed/.test(now),
  );
  expect(await phase(backups, "b1"), logged.join("\n")).toBe("Completed");
  await client.delete(configMaps, "goods", { namespace: shop });
  const restore = { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "r1", namespace } };
  await client.create(restores, { ...restore, spec: { backupName: "b1" } });
  await eventually(
    () => phase(restores, "r1"),
    (now) => /Completed|Failed/.test(now),
  );
  expect(await phase(restores, "r1"), logged.join("\n")).toBe("Completed");
  expect(await client.get(configMaps, "goods", { namespace: shop })).toMatchObject({ data: { a: "b" } });
  await eventually(
    () => client.list(resourceOf(kinds.Operation), { namespace }),
    (operations) => operations.length === 2,
  );
  stop.abort();
  await running;
  own.close();
  expect(logged.filter((line) => /forbidden|cannot/i.test(line))).toEqual([]);
});
