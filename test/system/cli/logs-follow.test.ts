import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DownloadRequest, kinds, liveLogAnnotation } from "../../../src/api/index.ts";
import { startBackupController } from "../../../src/engines/backup/index.ts";
import { startRestoreController } from "../../../src/engines/restore/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import type { OperatorOptions } from "../../../src/operator/index.ts";
import type { Store } from "../../../src/store/index.ts";
import { BackupStage, core } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { startHeadway } from "../../harness/headway-process.ts";

type Registration = NonNullable<OperatorOptions["extra"]>[number];

// Backups are held in a hook, restores before their files are stored, until the test opens the gate.
let [openHook, openStore]: (() => void)[] = [];
const hook = new Promise<void>((resolve) => (openHook = resolve));
const storing = new Promise<void>((resolve) => (openStore = resolve));

const heldBackups: Registration = {
  name: "held-backup",
  start: (deps, signal) =>
    startBackupController(
      {
        ...deps,
        defaults: deps.backupDefaults,
        runInPod: async () => {
          await hook;
          return { exitCode: 0, stdout: "frozen", stderr: "" };
        },
      },
      signal,
    ),
};

const heldRestores: Registration = {
  name: "held-restore",
  start: (deps, signal) =>
    startRestoreController(
      { ...deps, openStore: async (...args) => held(await deps.openStore(...args)) },
      signal,
    ),
};

function held(store: Store): Store {
  return new Proxy(store, {
    get: (target, name, receiver) =>
      name === "put"
        ? async (...args: Parameters<Store["put"]>) => {
            await storing;
            return target.put(...args);
          }
        : bound(Reflect.get(target, name, receiver), target),
  });
}

function bound(value: unknown, target: Store): unknown {
  return typeof value === "function" ? value.bind(target) : value;
}

let stage: BackupStage;
let app: string;
beforeAll(async () => {
  stage = await BackupStage.open();
  app = await stage.app("followed");
  await stage.configMaps(app, 3);
  await stage.client.create(core("pods", "Pod"), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "slow",
      namespace: app,
      annotations: { "pre.hook.backup.velero.io/command": "freeze" },
    },
    spec: { containers: [{ name: "main", image: "none" }] },
  });
  stage.operator(undefined, ["location", "download-request", "held-backup", "held-restore"], {
    extra: [heldBackups, heldRestores],
  });
});
afterAll(async () => {
  // The finalizer of a Restore needs the operator: without it the namespace would stay.
  const [restores, where] = [resourceOf(kinds.Restore), { namespace: stage.namespace }];
  await stage.client.delete(restores, "r", where).catch(() => undefined);
  await eventually(
    () => stage.client.list(restores, where),
    (left) => left.length === 0,
  );
  await stage.close();
});

function logs(kind: string, name: string, ...more: string[]) {
  const where = ["--kubeconfig", stage.cluster.kubeconfig, "--namespace", stage.namespace];
  return startHeadway(kind, "logs", name, ...where, ...more);
}

test("backup logs -f prints lines while the backup runs, and each line once", async () => {
  await stage.create("b", { includedNamespaces: [app] });
  const follower = logs("backup", "b", "-f");
  await eventually(
    () => follower.lines(),
    (lines) => lines.some((line) => line.includes(`waiting for pre hook of pod ${app}/slow`)),
  );
  expect((await stage.get("b")).status?.phase).toBe("InProgress");
  openHook?.();
  expect(await follower.ended).toBe(0);
  const stored = gunzipSync(stage.read("b", "b-logs.gz")).toString();
  expect(follower.lines()).toEqual(stored.split("\n").slice(0, -1));
  expect(stored).toContain("the backup ends as Completed");
});

test("restore logs -f does the same, and a second follower sees it from its beginning", async () => {
  await stage.client.create(resourceOf(kinds.Restore), {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "r", namespace: stage.namespace },
    spec: { backupName: "b", includedResources: ["configmaps"] },
  });
  const begun = (lines: string[]) => lines.some((line) => line.includes("the items are done"));
  const follower = logs("restore", "r", "-f");
  await eventually(() => follower.lines(), begun);
  const late = logs("restore", "r", "-f");
  await eventually(() => late.lines(), begun);
  openStore?.();
  expect([await follower.ended, await late.ended]).toEqual([0, 0]);
  const plain = logs("restore", "r");
  expect(await plain.ended).toBe(0);
  expect(plain.lines().length).toBeGreaterThan(1);
  expect(follower.lines()).toEqual(plain.lines());
  expect(late.lines()).toEqual(plain.lines());
});

test("what a follower is told is bounded and in its own request only", async () => {
  const requests = await stage.client.list<DownloadRequest>(resourceOf(kinds.DownloadRequest), {
    namespace: stage.namespace,
  });
  const told = requests.map(({ metadata }) => metadata.annotations?.[liveLogAnnotation]);
  expect(told.some((text) => text !== undefined)).toBe(true);
  for (const text of told) expect(text?.length ?? 0).toBeLessThan(200_000);
});

test("a backup that is not there is said, and nothing is printed", async () => {
  const follower = logs("backup", "absent", "-f");
  expect(await follower.ended).not.toBe(0);
  expect(follower.said()).toContain("absent");
  expect(follower.lines()).toEqual([]);
});
