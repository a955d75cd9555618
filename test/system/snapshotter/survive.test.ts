import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Backup, cancelAnnotation, kinds, type Restore } from "../../../src/api/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { BackupStage } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import {
  backupObjects,
  pathVolume,
  restoreObjects,
  snapshotLocation,
  volumes,
} from "../../harness/snapshot-world.ts";

const patient = { timeout: 240_000 };
const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const module = join(import.meta.dirname, "../../harness/snapshotters/vault.mts");
let stage: BackupStage;
/** Ends the operator that runs. */
let stop: (() => Promise<void>) | undefined;
const made: string[] = [];

beforeAll(async () => {
  stage = await BackupStage.open();
  for (const behaviour of ["vault", "veil"]) {
    mkdirSync(folder(behaviour));
    await snapshotLocation(stage, behaviour, `test.dev/${behaviour}`, { path: folder(behaviour) });
  }
}, 180_000);
beforeEach(() => {
  for (const behaviour of ["vault", "veil"]) hold(behaviour, false);
});
afterEach(() => killed());
afterAll(async () => {
  for (const name of made) await stage.client.delete(volumes, name).catch(() => undefined);
  await stage.close();
}, 60_000);

const folder = (behaviour: string) => join(stage.folder, behaviour);
const kept = (behaviour: string, kind: "snap" | "volume" = "snap") =>
  readdirSync(folder(behaviour)).filter((name) => name.startsWith(`${kind}-`));

/** Whether what is made is answered for. */
function hold(behaviour: string, on: boolean): void {
  if (on) writeFileSync(join(folder(behaviour), "wait"), "");
  else rmSync(join(folder(behaviour), "wait"), { force: true });
}

/** Starts an operator; most of them in this process, where one that ends leaves as much undone as one that is killed. */
function started(own = false): void {
  const controllers = ["backup", "restore", "location", "backup-deletion"];
  if (!own) {
    stop = stage.operator(undefined, controllers, { plugins: { modules: [module] } });
    return;
  }
  const operator = stage.process(controllers.join(","), ["--plugin", module]);
  const gone = once(operator, "exit");
  stop = async () => {
    operator.kill("SIGKILL");
    await gone;
  };
}

async function killed(): Promise<void> {
  await stop?.();
  stop = undefined;
}

async function volume(behaviour: string): Promise<string> {
  const name = await pathVolume(stage, behaviour);
  made.push(name);
  return name;
}

const create = (name: string, names: readonly string[]) =>
  stage.create(name, {
    includedResources: ["persistentvolumes"],
    labelSelector: { matchExpressions: [{ key: "case", operator: "In", values: names }] },
  });

const traces = ({ metadata }: Backup) =>
  Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith("begun.headway.dev/"));

const warnings = (name: string) => JSON.stringify(stage.json(name, `${name}-results.gz`));

/** Starts a backup and kills the operator while the plugin has made the snapshot and has not said so. */
async function killedMeanwhile(name: string, behaviour: string, own = false): Promise<string> {
  const pv = await volume(behaviour);
  const before = kept(behaviour).length;
  hold(behaviour, true);
  started(own);
  await create(name, [pv]);
  await eventually(
    () => kept(behaviour).length,
    (count) => count > before,
  );
  await killed();
  expect(traces(await stage.get(name))).toHaveLength(1);
  expect(await backupObjects(stage, await stage.get(name))).toEqual([]);
  return pv;
}

test(
  "an operator killed while a plugin makes a snapshot finds that very snapshot again",
  patient,
  async () => {
    const pv = await killedMeanwhile("found", "vault", true);
    const [id] = kept("vault");
    hold("vault", false);
    started();
    const end = await stage.ended("found", 120_000);
    expect(end.status).toMatchObject({ phase: "Completed", volumeSnapshotsCompleted: 1 });
    expect(end.status?.warnings).toBeUndefined();
    expect(kept("vault")).toEqual([id]);
    expect(await backupObjects(stage, end)).toMatchObject([
      { metadata: { name: id }, spec: { volume: pv }, status: { phase: "Completed", snapshotID: id } },
    ]);
    expect(stage.json("found", "found-volumesnapshots.json.gz")).toMatchObject([
      { spec: { volumeType: "file" }, status: { providerSnapshotID: id, phase: "Completed" } },
    ]);
    expect(traces(await stage.get("found"))).toEqual([]);
  },
);

test(
  "a plugin that cannot be asked takes a second one, and the backup says what may be left",
  patient,
  async () => {
    const pv = await killedMeanwhile("veil", "veil");
    hold("veil", false);
    started();
    const end = await stage.ended("veil", 120_000);
    expect(end.status).toMatchObject({ phase: "Completed", warnings: 1 });
    expect(kept("veil")).toHaveLength(2);
    expect(warnings("veil")).toContain(`velero.io/backup=veil, velero.io/pv=${pv}`);
    expect(traces(await stage.get("veil"))).toEqual([]);
  },
);

test("a backup that is canceled while nobody works leaves no snapshot", patient, async () => {
  const before = kept("vault");
  await killedMeanwhile("dropped", "vault");
  const body = { metadata: { annotations: { [cancelAnnotation]: "true" } } };
  await stage.client.patch(backups, "dropped", { type: "merge", body }, { namespace: stage.namespace });
  hold("vault", false);
  started();
  const end = await stage.ended("dropped", 120_000);
  expect(end.status).toMatchObject({ phase: "Failed", failureReason: "canceled by request" });
  expect(kept("vault")).toEqual(before);
  expect(traces(await stage.get("dropped"))).toEqual([]);
});

test("a backup that is canceled while a plugin works leaves no snapshot either", patient, async () => {
  const before = kept("vault");
  const [quick, slow] = [await volume("vault"), await volume("veil")];
  const veiled = kept("veil").length;
  hold("veil", true);
  started();
  const backup = await create("canceled", [quick, slow]);
  await eventually(
    async () => kept("veil").length > veiled && (await backupObjects(stage, backup)).length,
    (ready) => ready === 1,
  );
  expect(kept("vault").length).toBe(before.length + 1);
  const body = { metadata: { annotations: { [cancelAnnotation]: "true" } } };
  await stage.client.patch(backups, "canceled", { type: "merge", body }, { namespace: stage.namespace });
  const end = await stage.ended("canceled", 120_000);
  expect(end.status?.phase).toBe("Failed");
  expect(kept("vault")).toEqual(before);
  expect(await backupObjects(stage, backup)).toEqual([]);
  // Of the other nobody knows the id: the trace stays.
  expect(traces(await stage.get("canceled"))).toHaveLength(1);
});

test(
  "deleting a backup removes its snapshots through the plugin; what cannot be removed is told and kept",
  patient,
  async () => {
    const requests = resourceOf(kinds.DeleteBackupRequest);
    const { client, namespace } = stage;
    const remove = (name: string) =>
      client.create(requests, {
        apiVersion: "velero.io/v1",
        kind: "DeleteBackupRequest",
        metadata: { name, namespace },
        spec: { backupName: "found" },
      });
    const [id = ""] = kept("vault");
    writeFileSync(join(folder("vault"), "locked"), "");
    started();
    await remove("locked");
    const told = await eventually(
      () =>
        client.get(requests, "locked", { namespace }) as Promise<{
          status?: { phase?: string; errors?: string[] };
        }>,
      ({ status }) => status?.phase === "Processed",
    );
    expect(told.status?.errors).toEqual([expect.stringMatching(new RegExp(`"${id}".*the vault is locked`))]);
    expect(stage.files("found")).not.toEqual([]);
    rmSync(join(folder("vault"), "locked"));
    await remove("open");
    await eventually(
      () => stage.get("found").then(() => false, isNotFound),
      (gone) => gone,
    );
    expect(kept("vault")).not.toContain(id);
    expect(stage.files("found")).toEqual([]);
  },
);

test("a restore killed between two volumes ends once, with both in its volume infos", patient, async () => {
  const { client, namespace } = stage;
  const [quick, slow] = [await volume("vault"), await volume("veil")];
  started(true);
  await create("two", [quick, slow]);
  expect((await stage.ended("two", 120_000)).status).toMatchObject({ phase: "Completed" });
  for (const name of [quick, slow]) await client.delete(volumes, name);
  hold("veil", true);
  await client.create(restores, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "back", namespace },
    spec: { backupName: "two" },
  });
  await eventually(
    async () =>
      kept("veil", "volume").length === 1 &&
      (await client.get(volumes, quick).then(
        () => true,
        () => false,
      )),
    (ready) => ready,
  );
  await killed();
  hold("veil", false);
  started(true);
  const end = await eventually(
    () => client.get<Restore>(restores, "back", { namespace }),
    ({ status }) => /^(Completed|PartiallyFailed|Failed)$/.test(status?.phase ?? ""),
    120_000,
  );
  expect(end.status).toMatchObject({ phase: "Completed", warnings: 1 });
  expect(kept("vault", "volume")).toHaveLength(1);
  const path = join(stage.folder, "b/restores/back/back-volumeinfo.json.gz");
  expect(existsSync(path)).toBe(true);
  const infos = JSON.parse(gunzipSync(readFileSync(path)).toString()) as { pvName: string }[];
  expect(infos.toSorted((a, b) => (a.pvName < b.pvName ? -1 : 1))).toMatchObject(
    [quick, slow].map((pvName) => ({
      pvName,
      restoreMethod: "NativeSnapshot",
      snapshotDataMoved: false,
      nativeSnapshotInfo: {
        snapshotHandle: expect.stringMatching(/^snap-/),
        volumeType: "file",
        Phase: "Completed",
      },
    })),
  );
  expect((await restoreObjects(stage)).map(({ status }) => status?.phase)).toEqual([
    "Completed",
    "Completed",
  ]);
});
