import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, type KubeObject, kinds } from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { tarNames } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { type NodeWorld, noNodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { ensureNamespace } from "../../harness/volume-world.ts";

// Hooks in containers that really run, each telling what it did in a file of the claim that all pods of the test share.
const skip = noNodeWorld();
const id = crypto.randomUUID().slice(0, 8);
const app = `hooks-${id}`;
const backups = resourceOf(kinds.Backup);

let world: NodeWorld;
beforeAll(async () => {
  if (skip !== undefined) return;
  world = await openNodeWorld("restic", false);
  await ensureNamespace(world.client, app);
  await sharedClaim();
}, 300_000);
afterAll(async () => {
  if (skip !== undefined) return;
  await world.client.delete(builtIn.namespaces, app);
  await world.client.delete(builtIn.volumes, app);
  await world.close();
});

const say = (word: string) => ["/bin/sh", "-c", `echo ${word} >> /shared/said`];
const annotated = (phase: "pre" | "post", command: readonly string[], more: Record<string, string> = {}) => ({
  [`${phase}.hook.backup.velero.io/command`]: JSON.stringify(command),
  ...Object.fromEntries(
    Object.entries(more).map(([key, value]) => [`${phase}.hook.backup.velero.io/${key}`, value]),
  ),
});

test.skipIf(skip !== undefined)(
  `hooks run around the pods that share a claim, as annotations and spec say${skip ? ` (skipped: ${skip})` : ""}`,
  async () => {
    await pods({
      a: { ...annotated("pre", say("pre-a")), ...annotated("post", say("post-a")) },
      b: {},
    });
    const exec = (word: string) => ({ exec: { container: "c", command: say(word) } });
    const resource = {
      name: "by-spec",
      includedNamespaces: [app],
      labelSelector: { matchLabels: { spec: "yes" } },
      pre: [exec("pre-spec")],
      post: [exec("post-spec")],
    };
    const { status } = await backup("around", { hooks: { resources: [resource] } });
    expect(status).toMatchObject({ phase: "Completed", hookStatus: { hooksAttempted: 4 } });
    // An annotation replaces the spec's hooks; what is frozen thaws when both pods are stored.
    const said = readFileSync(file("said"), "utf8").split("\n").slice(0, -1);
    expect(said.slice(0, 2).toSorted()).toEqual(["pre-a", "pre-spec"]);
    expect(said.slice(2).toSorted()).toEqual(["post-a", "post-spec"]);
    expect(entries("around")).toEqual(expect.arrayContaining(["a", "b"].map(entry)));
  },
  180_000,
);

test.skipIf(skip !== undefined)(
  `a hook that fails or takes too long is an error, and stops its pod only with onError Fail${skip ? ` (skipped: ${skip})` : ""}`,
  async () => {
    const broken = ["/bin/sh", "-c", "exit 3"];
    const slow = ["/bin/sh", "-c", "sleep 1000"];
    await pods({
      goes: annotated("pre", broken, { "on-error": "Continue" }),
      stays: annotated("pre", broken, { "on-error": "Fail" }),
      slow: annotated("post", slow, { timeout: "1s" }),
      lost: annotated("pre", say("never"), { container: "no-such" }),
    });
    const { status } = await backup("broken", {});
    expect(status).toMatchObject({
      phase: "PartiallyFailed",
      hookStatus: { hooksAttempted: 4, hooksFailed: 4 },
    });
    const results = JSON.stringify(JSON.parse(gunzipSync(stored("broken", "results.gz")).toString()));
    for (const words of [/goes.*exit code 3/, /stays.*exit code 3/, /slow.*did not end within 1 s/, /lost/])
      expect(results).toMatch(words);
    const there = entries("broken");
    expect(there).toEqual(expect.arrayContaining(["goes", "slow", "lost"].map(entry)));
    expect(there).not.toContain(entry("stays"));
  },
  180_000,
);

const file = (name: string): string => join(world.folder, "shared", name);
const stored = (name: string, end: string): Buffer =>
  readFileSync(join(world.folder, "store/b/backups", name, `${name}-${end}`));
const entry = (pod: string): string => `resources/pods/namespaces/${app}/${pod}.json`;
const entries = (name: string): string[] =>
  tarNames(readFileSync(join(world.folder, "store/b/backups", name, `${name}.tar.gz`)));

/** A folder of this machine, which is the node, as a claim that is bound from the start. */
async function sharedClaim(): Promise<void> {
  const path = join(world.folder, "shared");
  if (!existsSync(path)) mkdirSync(path, { mode: 0o777 });
  const size = { storage: "1Mi" };
  const accessModes = ["ReadWriteMany"];
  await world.client.create(builtIn.volumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: app },
    spec: {
      capacity: size,
      accessModes,
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path },
      claimRef: { namespace: app, name: "shared" },
    },
  });
  await world.client.create(builtIn.claims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "shared", namespace: app },
    spec: { accessModes, resources: { requests: size }, storageClassName: "", volumeName: app },
  });
}

/** Runs pods with these annotations; those without any carry the label of the spec's hooks. */
async function pods(all: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<void> {
  for (const [name, annotations] of Object.entries(all)) {
    const labels = Object.keys(annotations).length === 0 ? { spec: "yes" } : {};
    await world.client.create(builtIn.pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: app, labels, annotations },
      spec: {
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [
          {
            name: "c",
            image: world.image,
            imagePullPolicy: "Never",
            command: ["sh", "-c", "sleep 100000"],
            volumeMounts: [{ name: "shared", mountPath: "/shared" }],
          },
        ],
        volumes: [{ name: "shared", persistentVolumeClaim: { claimName: "shared" } }],
      },
    });
  }
  for (const name of Object.keys(all))
    await eventually(
      () =>
        world.client.get<KubeObject & { status?: { phase?: string } }>(builtIn.pods, name, {
          namespace: app,
        }),
      ({ status }) => status?.phase === "Running",
      120_000,
    );
}

/** Backs the application up and ends its pods. */
async function backup(name: string, spec: object): Promise<Backup> {
  const place = { namespace: world.namespace };
  await world.client.create(backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, ...place },
    spec: { includedNamespaces: [app], snapshotVolumes: false, ...spec },
  });
  const ended = await eventually(
    () => world.client.get<Backup>(backups, name, place),
    ({ status }) => /^(Completed|PartiallyFailed|Failed.*)$/.test(status?.phase ?? ""),
    120_000,
  );
  await world.client.deleteAll(builtIn.pods, { namespace: app });
  await eventually(
    () => world.client.list(builtIn.pods, { namespace: app }),
    (left) => left.length === 0,
    120_000,
  );
  return ended;
}
