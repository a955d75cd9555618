import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type KubeObject, kinds } from "../../../src/api/index.ts";
import { signatures } from "../../../src/engines/actionset/index.ts";
import { builtIn, Informer, resourceOf } from "../../../src/kube/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { ActionStage, type Status, task } from "../../harness/action-stage.ts";
import {
  installSnapshotKinds,
  removeSnapshotKinds,
  type Snapshot,
  snapshotIsReady,
} from "../../harness/csi-snapshots.ts";
import { eventually } from "../../harness/eventually.ts";
import {
  clusterPhases,
  type HeldPhase,
  type HeldWorld,
  makeHeldObjects,
  moverPhases,
  releaseHeldObjects,
  storePhases,
} from "../../harness/every-function.ts";
import { FaultProxy } from "../../harness/fault-proxy.ts";
import { findTestMover } from "../../harness/movers.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";
import { SlowDoor } from "../../harness/slow-door.ts";

const isReal = process.env["HEADWAY_TEST_CLUSTER"] === "1";
const kopia = findTestMover("kopia");
/** Movers are held by a program in front of them, which only pods of the embedded cluster have. */
const movers = !isReal && "program" in kopia ? kopia.program : undefined;
const why = [missingS3(), !isReal && "missing" in kopia ? kopia.missing : undefined].find(Boolean);

let stage: ActionStage;
let s3: S3Server;
let door: SlowDoor;
let store: Store;
const folder = mkdtempSync(join(tmpdir(), "held-"));
const gate = join(folder, "go");
const held = join(folder, "held");
const made = new Map<string, { id: string; all: string }>();

beforeAll(async () => {
  if (why !== undefined) return;
  mkdirSync(held);
  writeHoldingMover();
  stage = await ActionStage.open(movers === undefined ? {} : { first: folder });
  s3 = await startS3();
  door = await SlowDoor.before(s3.endpoint);
  await installSnapshotKinds(stage.client);
  await Promise.all([
    makeHeldObjects(stage),
    makeStore(),
    stage.workload("Deployment", "web", { replicas: 0, envFrom: "late" }),
    stage.workload("StatefulSet", "db", { claim: "data" }),
  ]);
  if (movers !== undefined) await makeBackups();
}, 300_000);
afterAll(async () => {
  if (why !== undefined) return;
  await removeSnapshotKinds(stage.client);
  await stage.close();
  await door.close();
  await s3.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A kopia that begins only when the gate is there, and says that it was called. */
function writeHoldingMover(): void {
  if (movers === undefined) return;
  const wait = `: > "${held}/$HOSTNAME-$$"; until [ -e "${gate}" ]; do sleep 0.1; done`;
  writeFileSync(join(folder, "kopia"), `#!/bin/sh\n${wait}\nexec "${movers}" "$@"\n`);
  chmodSync(join(folder, "kopia"), 0o755);
}

/** Objects that LocationDelete deletes and one that it does not, behind a door that is shut. */
async function makeStore(): Promise<void> {
  const { client, namespace } = stage;
  const { bucket, region, accessKeyId, secretAccessKey, endpoint } = s3;
  store = await openStore({
    provider: "aws",
    bucket,
    config: { region, s3Url: endpoint, s3ForcePathStyle: "true" },
    credentials: `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`,
  });
  for (const key of ["gone/a", "gone/b/c", "gone-not"])
    await store.put(`${namespace}/${key}`, Buffer.from("x"));
  await client.create(builtIn.secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "keys", namespace },
    stringData: { id: accessKeyId, key: secretAccessKey },
  });
  const keyPair = { idField: "id", secretField: "key", secret: { name: "keys", namespace } };
  const location = { type: "s3Compliant", bucket, endpoint: door.url, region };
  await makeProfile("door", { location, credential: { type: "keyPair", keyPair } });
  await makeProfile("folder", {
    location: { type: "filesystem", bucket: "b", endpoint: join(folder, "store") },
  });
}

async function makeProfile(name: string, fields: object): Promise<void> {
  const annotations = { "headway.dev/data-mover": "kopia" };
  const metadata = { name, namespace: stage.namespace, annotations };
  await stage.client.create(resourceOf(kinds.Profile), {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Profile",
    metadata,
    ...fields,
  });
}

/** What is restored, measured and deleted must have been backed up. */
async function makeBackups(): Promise<void> {
  writeFileSync(gate, "");
  await stage.exec("db-0", "sh", "-c", "head -c 100000 /dev/urandom > /data/file");
  const stop = stage.operator();
  const common = { namespace: stage.namespace, container: "main", includePath: "/data" };
  const action = (func: string) => ({
    phases: [
      {
        func,
        name: "p",
        args: {
          ...common,
          backupArtifactPrefix: "{{ .Options.at }}",
          ...(func === "BackupData" && { pod: "db-0" }),
        },
      },
    ],
  });
  await stage.blueprint("backups", { one: action("BackupData"), all: action("BackupDataAll") });
  const wanted = { one: "one", old: "one", each: "all", olds: "all" };
  const actions = Object.entries(wanted).map(([at, name]) => ({
    name,
    blueprint: "backups",
    options: { at },
    object: db(),
    profile: profileOf("folder"),
  }));
  await stage.set("backups", ...actions);
  const end = await stage.ended("backups");
  expect(end.error?.message).toBe("");
  for (const [i, at] of Object.keys(wanted).entries()) {
    const output = end.actions?.[i]?.phases?.[0]?.output ?? {};
    made.set(at, { id: String(output["backupID"]), all: String(output["BackupAllInfo"]) });
  }
  await stop();
  rmSync(gate);
  for (const name of readdirSync(held)) rmSync(join(held, name));
}

const db = () => ({ kind: "StatefulSet", name: "db", namespace: stage.namespace });
const profileOf = (name: string) => ({ name, namespace: stage.namespace });

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const nameOf = ({ func }: HeldPhase) => func.toLowerCase();
const lastPhase = (status: Status) => status.actions?.[0]?.phases?.at(-1);

async function start(phase: HeldPhase): Promise<void> {
  const { func, args, onDb, profile } = phase;
  const one = { func, name: "held", args };
  const before = task("before", `echo '###Phase-output###: {"key":"a","value":"1"}'`);
  const phases = func === "KubeTask" ? [before, one] : [one];
  await stage.run(
    nameOf(phase),
    { phases },
    { ...(onDb && { object: db() }), ...(profile && { profile: profileOf(profile) }) },
  );
}

/** Every pod of every action that the cluster ever had, by the phase that it belongs to. */
async function watchPods(signal: AbortSignal): Promise<Map<string, Set<string>>> {
  const seen = new Map<string, Set<string>>();
  const informer = new Informer<KubeObject, KubeObject>({
    client: stage.client,
    resource: builtIn.pods,
    query: { namespace: stage.namespace, labelSelector: "headway.dev/actionset-uid" },
    project: (pod) => pod,
    onChange: (_key, pod) => {
      if (!pod) return;
      const { labels = {}, uid = "" } = pod.metadata;
      const key = `${labels["headway.dev/actionset-uid"]} ${labels["headway.dev/phase"]}`;
      seen.set(key, (seen.get(key) ?? new Set()).add(uid));
    },
    onError: () => undefined, // it watches again
  });
  void informer.run(signal);
  await informer.synced(signal);
  return seen;
}

/** Lets everything go on that waits. */
async function release(): Promise<void> {
  const { client, namespace } = stage;
  writeFileSync(gate, "");
  door.open();
  const late = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "late", namespace },
    data: { a: "1" },
  };
  await client.create(builtIn.configMaps, late);
  await releaseHeldObjects(stage);
  for (const snapshot of await client.list<Snapshot>(builtIn.snapshots, { namespace })) {
    await snapshotIsReady(client, snapshot);
  }
  if (!isReal) return;
  // Their containers have files of their own.
  for (const pod of await stage.pods()) {
    const spec = (pod as { spec?: { containers?: readonly { name: string }[] } }).spec;
    const command = ["sh", "-c", `mkdir -p ${folder} && touch ${gate}`];
    await client.exec(builtIn.pods, pod.metadata.name, {
      namespace,
      container: spec?.containers?.[0]?.name,
      command,
    });
  }
}

test.skipIf(why !== undefined)(
  `kill -9 of the operator in the middle of every function: each ends once and rightly${why ? ` (skipped: ${why})` : ""}`,
  async () => {
    const world: HeldWorld = { stage, gate, made: Object.fromEntries(made) };
    const phases = [
      ...clusterPhases(world),
      ...storePhases(world),
      ...(movers === undefined ? [] : moverPhases(world)),
    ];
    const known = Object.keys(signatures).filter((func) => signatures[func]?.refused === undefined);
    // RestoreCSISnapshot is over with one request: see below.
    if (movers !== undefined) {
      expect(new Set([...phases.map(({ func }) => func), "RestoreCSISnapshot"])).toEqual(new Set(known));
    }
    const watching = new AbortController();
    const pods = await watchPods(watching.signal);
    const first = stage.process();
    onTestFinished(() => void first.kill("SIGKILL"));
    await Promise.all(phases.map(start));
    for (const phase of phases) {
      await stage.until(nameOf(phase), (status) => {
        const { state, step = "" } = lastPhase(status) ?? {};
        // A mover or a store that is held for long looks like one that does not answer.
        const isThere =
          phase.middle.test(step) || (phase.profile !== undefined && step.includes("has not answered"));
        return (state === "running" && isThere) || status.state === "failed";
      });
      expect(await stage.status(nameOf(phase)), phase.func).toMatchObject({ state: "running" });
    }
    await eventually(
      () => door.waiting,
      (count) => count > 0,
    );
    const inPods = phases.filter(({ profile, end }) => profile === "folder" && end !== "lost").length;
    // The pods of movers, and the application's own in which two functions work.
    const callers = () => new Set(readdirSync(held).map((name) => name.replace(/-\d+$/, "")));
    if (movers !== undefined) await eventually(callers, ({ size }) => size === inPods + 1);
    const uids = new Map<string, string>();
    for (const phase of phases) {
      const set = await stage.client.get<KubeObject>(resourceOf(kinds.ActionSet), nameOf(phase), {
        namespace: stage.namespace,
      });
      uids.set(phase.func, set.metadata.uid ?? "");
    }
    await kill(first);
    const second = stage.process();
    try {
      await release();
      const ends = await Promise.all(phases.map((phase) => stage.ended(nameOf(phase), 120_000)));
      for (const [i, { func, end }] of phases.entries()) {
        const phase = lastPhase(ends[i] ?? {});
        if (end === "lost") {
          expect(ends[i]?.error?.message, func).toContain("the operator was restarted");
          expect(phase, func).toMatchObject({ state: "failed" });
          continue;
        }
        expect(ends[i]?.error?.message, func).toBe("");
        expect(phase, func).toMatchObject({ state: "complete", progress: { progressPercent: "100.00" } });
        expect(phase?.output ?? {}, func).toMatchObject(end);
      }
      expect(await stage.pods()).toEqual([]);
      const labelSelector = "headway.dev/actionset-uid";
      const { namespace } = stage;
      expect(await stage.client.list(builtIn.secrets, { namespace, labelSelector })).toEqual([]);
      expect(await store.head(`${namespace}/gone/b/c`)).toBeUndefined();
      expect(await store.head(`${namespace}/gone-not`)).toBeDefined();
    } finally {
      watching.abort();
      await kill(second);
    }
    expect(pods.size).toBe(4 + inPods);
    expect([...pods.values()].every(({ size }) => size === 1)).toBe(true);
  },
  300_000,
);

test.skipIf(why !== undefined)(
  `kill -9 after a request whose answer was not heard: what it made is taken as made${why ? ` (skipped: ${why})` : ""}`,
  async () => {
    const { namespace, client } = stage;
    const reference = { apiVersion: "v1", resource: "configmaps", name: "changed", namespace };
    await client.create(builtIn.configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "changed", namespace },
    });
    const storage = { storageClass: "none", restoreSize: "1Gi" };
    const spec = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fresh\n";
    const phases = {
      restored: { func: "RestoreCSISnapshot", args: { name: "s", pvc: "restored", namespace, ...storage } },
      fresh: { func: "KubeOps", args: { operation: "create", namespace, spec } },
      changed: {
        func: "KubeOps",
        args: { operation: "patch", spec: "data:\n  a: b\n", objectReference: reference },
      },
    };
    const proxy = await FaultProxy.open(stage.cluster.access);
    proxy.fault = ({ method, path }) => {
      const isAsked =
        (method === "POST" && /\/(persistentvolumeclaims|configmaps)$/.test(path)) ||
        (method === "PATCH" && path.endsWith("/configmaps/changed"));
      return isAsked ? { kind: "silence" } : undefined;
    };
    const kubeconfig = join(folder, "proxied");
    writeFileSync(kubeconfig, kubeconfigOf(proxy.url));
    const first = stage.process(kubeconfig);
    onTestFinished(() => void first.kill("SIGKILL"));
    try {
      for (const [name, { func, args }] of Object.entries(phases))
        await stage.run(`unheard-${name}`, { phases: [{ func, name, args }] });
      const isMade = async () =>
        (await stage.exists(builtIn.claims, "restored")) &&
        (await stage.exists(builtIn.configMaps, "fresh")) &&
        (
          await client.get<KubeObject & { data?: { a?: string } }>(builtIn.configMaps, "changed", {
            namespace,
          })
        ).data?.a === "b";
      await eventually(isMade, (made) => made);
      const names = Object.keys(phases).map((name) => `unheard-${name}`);
      for (const name of names)
        expect(lastPhase(await stage.status(name))).toMatchObject({ state: "running" });
      await kill(first);
      const second = stage.process();
      const ends = await Promise.all(names.map((name) => stage.ended(name, 120_000)));
      await kill(second);
      for (const end of ends) expect(end).toMatchObject({ state: "complete", error: { message: "" } });
    } finally {
      await proxy.close();
    }
  },
  300_000,
);

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
  });
}
