// Kills operator, agent, mover and mover pod with -9 at random moments of moved backups and restores on a real cluster with a CSI driver,
// and looks at every byte and at everything that is left: `npm run soak:movement -- [--kills N] [--seed N]`. Not part of CI.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Backup, type DeleteBackupRequest, type KubeObject, kinds } from "../../src/api/index.ts";
import { deleteRequest } from "../../src/engines/backup/index.ts";
import {
  builtIn,
  type Client,
  connect,
  isNotFound,
  type Resource,
  resourceOf,
} from "../../src/kube/index.ts";
import { eventually } from "../harness/eventually.ts";
import { agentShows, deleteNamespace } from "../harness/node-world.ts";
import { seededRandom } from "../harness/random.ts";
import { fillTree, treeLines } from "../harness/tree.ts";
import { ensureNamespace, prepareServer } from "../harness/volume-world.ts";
import { Ends } from "./ends.ts";
import { Victims } from "./victims.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const wanted = Number(values.kills);
const random = seededRandom(Number(values.seed));
const needed = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: test/parts/node up, test/parts/csi up`);
  return value;
};
const storageClass = process.env["HEADWAY_CSI_CLASS"] ?? "csi-hostpath";
/** Where the hostpath driver of `test/parts/csi` keeps its volumes and snapshots. */
const data = join(dirname(needed("KUBECONFIG")), "csi", "data");
const { pods, claims, volumes, snapshots, snapshotContents, namespaces } = builtIn;
const [backups, restores] = [resourceOf(kinds.Backup), resourceOf(kinds.Restore)];
const requests = resourceOf(kinds.DeleteBackupRequest);
const movements = [resourceOf(kinds.DataUpload), resourceOf(kinds.DataDownload)];
const id = crypto.randomUUID().slice(0, 8);
const [server, app] = [`soak-velero-${id}`, `soak-app-${id}`];
const over = /^(Completed|PartiallyFailed|Failed|FailedValidation)$/;

type Run = KubeObject & {
  readonly status?: { readonly phase?: string; readonly failureReason?: string; readonly errors?: number };
};
type Claim = KubeObject & {
  readonly spec?: { readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
};
type Volume = KubeObject & {
  readonly spec?: {
    readonly csi?: { readonly volumeHandle?: string };
    readonly claimRef?: { readonly namespace?: string };
  };
};
type Content = KubeObject & {
  readonly spec?: { readonly volumeSnapshotRef?: { readonly namespace?: string } };
};

const victims = ["operator", "agent", "mover", "pod"] as const;
const counts = new Map<string, number>();
const faults: string[] = [];
let [kills, late, compared, rounds] = [0, 0, 0, 0];
const began = performance.now();

const folder = mkdtempSync(join(tmpdir(), "soak-movement-"));
mkdirSync(join(folder, "store"));
const client: Client = await connect();
const node = (await client.list<KubeObject>(builtIn.nodes))[0]?.metadata.name ?? "";
await prepareServer(client, server, join(folder, "store"));
const side = {
  client,
  kubeconfig: needed("KUBECONFIG"),
  node,
  podsDir: needed("HEADWAY_HOST_PODS"),
  image: needed("HEADWAY_TEST_IMAGE"),
  exec: () => Promise.resolve(""),
  close: () => Promise.resolve(),
};
const controllers = "location,backup,restore,backup-repo,backup-deletion";
const living = new Victims(side, { namespace: server, folder, uploader: "kopia", controllers });
const ends = new Ends(client, server);
const spaces = new Set([app]);
console.log(`${wanted} kills, seed ${values.seed}, storage class ${storageClass}`);
try {
  await agentShows({ client, namespace: server, node });
  const own = await makeClaim();
  const baseline = stored().length;
  for (; kills < wanted; rounds += 1) await round(`r${rounds}`, own, baseline);
} finally {
  await ends.close();
  await living.close();
  for (const space of spaces) await client.delete(namespaces, space).catch(() => undefined); // what there is
  await deleteNamespace(client, server);
  client.close();
  rmSync(folder, { recursive: true, force: true });
}
summary();

/** A backup, a restore beside it and the deletion of both; kills come at random moments of the first two. */
async function round(name: string, own: string, baseline: number): Promise<void> {
  rmSync(join(own, "new"), { recursive: true, force: true });
  mkdirSync(join(own, "new"));
  fillTree(join(own, "new"), [20_000_000 + Math.floor(random() * 20_000_000), 17]);
  const before = treeLines(own);
  const backup = await run(backups, "Backup", name, { includedNamespaces: [app], snapshotMoveData: true });
  if (backup.status?.phase !== "Completed") faults.push(`${name}: ${await words(backup)}`);
  const space = `${app}-${name}`;
  spaces.add(space);
  const mapped = { backupName: name, namespaceMapping: { [app]: space } };
  const restore = await run(restores, "Restore", name, mapped);
  if (restore.status?.phase !== "Completed") faults.push(`${name}: ${await words(restore)}`);
  else {
    const found = treeLines(await folderOf(space));
    compared += 1;
    if (JSON.stringify(found) !== JSON.stringify(before)) faults.push(`${name}: the bytes differ`);
  }
  await remove(name, space);
  const left = await eventually(leftovers, (all) => all.length === 0, 90_000).catch(leftovers);
  if (left.length > 0) faults.push(`${name} left ${left.join(", ")}`);
  const kept = await eventually(stored, (all) => all.length === baseline, 60_000).catch(stored);
  if (kept.length !== baseline) faults.push(`${name} left ${kept.length - baseline} folders in the storage`);
}

async function run(resource: Resource, kind: string, name: string, spec: object): Promise<Run> {
  await client.create(resource, {
    apiVersion: "velero.io/v1",
    kind,
    metadata: { name, namespace: server },
    spec,
  });
  const now = () => client.get<Run>(resource, name, { namespace: server });
  const killing = killWhile(`${kind} ${name}`, async () => (await now()).status?.phase ?? "New");
  const end = await eventually(now, ({ status }) => over.test(status?.phase ?? ""), 300_000);
  await killing;
  return end;
}

/** One kill in each run, of a victim and at a moment that chance chooses. */
async function killWhile(title: string, phase: () => Promise<string>): Promise<void> {
  if (kills >= wanted) return;
  const victim = victims[Math.floor(random() * victims.length)] ?? "agent";
  await pause(random() * 8_000);
  const at = await phase();
  // A mover or its pod may come only later.
  const hits = over.test(at)
    ? 0
    : await eventually(
        () => strike(victim),
        (done) => done > 0,
        10_000,
      ).catch(() => 0);
  if (hits === 0) {
    late += 1;
    return;
  }
  kills += 1;
  counts.set(victim, (counts.get(victim) ?? 0) + 1);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`kill ${kills} at ${seconds} s: ${victim}, ${title} in ${at}`);
}

async function strike(victim: (typeof victims)[number]): Promise<number> {
  if (victim !== "pod") return living.kill(victim);
  const [pod] = await client.list<KubeObject>(pods, { namespace: server });
  if (!pod) return 0;
  const force = { namespace: server, gracePeriodSeconds: 0 };
  return client.delete(pods, pod.metadata.name, force).then(
    () => 1,
    () => 0,
  );
}

async function remove(name: string, space: string): Promise<void> {
  await client.delete(namespaces, space);
  const backup = await client.get<Backup>(backups, name, { namespace: server });
  const { metadata } = await client.create<DeleteBackupRequest>(requests, deleteRequest(backup));
  await eventually(
    () => gone(requests, metadata.name, server).then(async (is) => is || (await processed(metadata.name))),
    (done) => done,
    120_000,
  );
  await eventually(
    () => gone(namespaces, space),
    (is) => is,
    120_000,
  );
}

async function processed(name: string): Promise<boolean> {
  const { status } = await client.get<DeleteBackupRequest>(requests, name, { namespace: server });
  if (status?.phase !== "Processed") return false;
  if (status.errors?.length) faults.push(`the deletion says ${status.errors.join("; ")}`);
  return true;
}

async function gone(resource: Resource, name: string, namespace?: string): Promise<boolean> {
  try {
    await client.get(resource, name, namespace === undefined ? {} : { namespace });
    return false;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return true;
  }
}

/** Everything that movements may leave behind, except the application's own claim and volume. */
async function leftovers(): Promise<readonly string[]> {
  const ours = (namespace: string | undefined) => namespace === server || (namespace ?? "").startsWith(app);
  const found: KubeObject[] = [];
  for (const resource of [pods, claims, snapshots])
    found.push(...(await client.list(resource, { namespace: server })));
  for (const resource of movements) found.push(...(await client.list(resource, { namespace: server })));
  found.push(...(await client.list(snapshots, { namespace: app })));
  for (const content of await client.list<Content>(snapshotContents))
    if (ours(content.spec?.volumeSnapshotRef?.namespace)) found.push(content);
  for (const volume of await client.list<Volume>(volumes)) {
    const of = volume.spec?.claimRef?.namespace;
    if (ours(of) && of !== app) found.push(volume);
  }
  // A restore that is over keeps its downloads as long as it is there itself.
  return found
    .filter(({ kind }) => kind !== "DataDownload")
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

async function words({ kind, metadata, status }: Run): Promise<string> {
  const all = await Promise.all(
    movements.map((one) => client.list<Run & { status?: { message?: string } }>(one, { namespace: server })),
  );
  const told = all.flat().map((one) => `${one.kind} ${one.status?.phase}: ${one.status?.message ?? ""}`);
  return `${kind} ${metadata.name} is ${status?.phase} ${status?.failureReason ?? ""} (${told.join("; ")})`;
}

async function makeClaim(): Promise<string> {
  await ensureNamespace(client, app);
  await client.create(claims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: app },
    spec: {
      storageClassName: storageClass,
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "128Mi" } },
    },
  });
  const own = await folderOf(app);
  writeFileSync(join(own, "first"), "hello");
  return own;
}

/** The driver's own folder of the application's volume in a namespace. */
async function folderOf(namespace: string): Promise<string> {
  const { spec } = await eventually(
    () => client.get<Claim>(claims, "data", { namespace }),
    ({ status }) => status?.phase === "Bound",
    60_000,
  );
  const volume = await client.get<Volume>(volumes, spec?.volumeName ?? "");
  return join(data, volume.spec?.csi?.volumeHandle ?? "");
}

function stored(): readonly string[] {
  return existsSync(data) ? readdirSync(data) : [];
}

function summary(): void {
  faults.push(...ends.broken);
  const of = victims.map((victim) => `${victim} ${counts.get(victim) ?? 0}`).join(", ");
  console.log(
    `${kills} kills in ${Math.round((performance.now() - began) / 1000)} s (${late} more came too late)`,
  );
  console.log(`killed: ${of}`);
  console.log(`${rounds} rounds, ${compared} volumes compared, ${ends.ended} runs and copies ended`);
  for (const fault of faults) console.log(`WRONG ${fault}`);
  console.log(faults.length === 0 ? "all bytes equal, each run ended once, nothing left" : "NOT all is well");
  if (faults.length > 0 || kills < wanted) process.exitCode = 1;
}
