import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Backup, kinds, type VolumePluginBackup } from "../../../src/api/index.ts";
import { Cache, resourceOf } from "../../../src/kube/index.ts";
import { Observer } from "../../../src/observe/index.ts";
import type { Operation } from "../../../src/progress/index.ts";
import { BackupStage } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import {
  backupObjects,
  pathVolume,
  pluginBackups,
  restored,
  restoreObjects,
  snapshotLocation,
  snapshotLocations,
  volumes,
} from "../../harness/snapshot-world.ts";

/** On a loaded machine a backup takes its time. */
const patient = { timeout: 180_000 };
const ended = /^(Completed|PartiallyFailed|Failed|FailedValidation)$/;
let stage: BackupStage;
let observer: Observer;
let observing: Promise<void>;
const stop = new AbortController();
const made: string[] = [];

beforeAll(async () => {
  stage = await BackupStage.open();
  observer = new Observer({ cache: new Cache({ client: stage.client }), namespace: stage.namespace });
  observing = observer.run(stop.signal);
  const modules = [join(import.meta.dirname, "../../harness/snapshotters/ways.mts")];
  stage.operator(undefined, undefined, {
    plugins: { modules, kubeconfig: stage.cluster.kubeconfig, callMs: 5_000 },
  });
}, 180_000);
afterAll(async () => {
  stop.abort();
  await observing;
  for (const name of made) await stage.client.delete(volumes, name).catch(() => undefined);
  await stage.close();
}, 60_000);

async function volume(behaviour: string): Promise<string> {
  const name = await pathVolume(stage, behaviour);
  made.push(name);
  return name;
}

interface Outcome {
  readonly end: Backup;
  readonly objects: readonly VolumePluginBackup[];
  readonly frames: readonly Pick<Operation, "state" | "fraction">[];
  readonly operation: Operation | undefined;
  readonly words: string;
}

/** Backs these volumes up, looking all the time at what is shown. */
async function backup(
  name: string,
  names: readonly string[],
  locations: readonly string[],
): Promise<Outcome> {
  const frames: Operation[] = [];
  const id = `backup/${stage.namespace}/${name}`;
  const heard = observer.subscribe(({ operation }) => {
    if (operation?.id === id) frames.push(operation);
  });
  const backupObject = await stage.create(name, {
    includedResources: ["persistentvolumes"],
    labelSelector: { matchExpressions: [{ key: "case", operator: "In", values: names }] },
    volumeSnapshotLocations: locations,
    itemOperationTimeout: "60s",
  });
  const end = await eventually(
    () => stage.get(name),
    ({ status }) => ended.test(status?.phase ?? ""),
    120_000,
  );
  const operation = await eventually(
    async () => observer.operation(id),
    (now) => now !== undefined && now.state !== "running" && now.state !== "pending",
  );
  heard();
  const { errors, warnings } = stage.json(name, `${name}-results.gz`) as Record<string, unknown>;
  const words = `errors ${JSON.stringify(errors)} warnings ${JSON.stringify(warnings)}`;
  return { end, objects: await backupObjects(stage, backupObject), frames, operation, words };
}

/** The laws of the design, in what was shown. */
function expectLaws({ frames }: Outcome): void {
  const shares = frames.map(({ fraction }) => fraction ?? 0);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(frames.filter(({ state, fraction = 0 }) => state === "running" && fraction >= 1)).toEqual([]);
  expect(frames.length).toBeGreaterThan(0);
}

const one = (behaviour: string) =>
  snapshotLocation(stage, behaviour, `test.dev/${behaviour}`).then(() => volume(behaviour));

/** Each backup asks every location that there is, and a plugin takes its time to start. */
const drop = (name: string) => stage.client.delete(snapshotLocations, name, { namespace: stage.namespace });

describe("the three ways of progress end in the same objects", patient, () => {
  test("(a) the plugin writes its own object, which joins the backup; its restore likewise", async () => {
    const name = await one("own");
    const seen = await backup("ways", [name], ["own"]);
    expect(seen.words).toBe("errors {} warnings {}");
    expect(seen.end.status?.phase).toBe("Completed");
    expect(seen.objects).toMatchObject([
      {
        metadata: { name: `snap-${name}`, ownerReferences: [{ name: "ways" }] },
        spec: { volume: name, backup: "ways", plugin: "test.dev/own", pluginSpecific: { region: "eu" } },
        status: {
          phase: "Completed",
          snapshotID: `snap-${name}`,
          progress: { totalBytes: 5000, bytesDone: 5000 },
        },
      },
    ]);
    expect(stage.json("ways", "ways-volumepluginbackups.json.gz")).toMatchObject([
      { spec: { volume: name } },
    ]);
    expectLaws(seen);
    expect(seen.frames.some(({ fraction = 0 }) => fraction > 0.2 && fraction < 1)).toBe(true);
    await stage.client.delete(volumes, name);
    const restore = await restored(stage, "ways-back", { backupName: "ways" });
    expect(restore.status?.phase).toBe("Completed");
    expect(await restoreObjects(stage)).toMatchObject([
      {
        metadata: { ownerReferences: [{ kind: "Restore", name: "ways-back" }] },
        status: { phase: "Completed", volumeID: `/own/out-of-snap-${name}`, progress: { bytesDone: 5000 } },
      },
    ]);
    expect(await stage.client.get(volumes, name)).toMatchObject({
      spec: { hostPath: { path: `/own/out-of-snap-${name}` } },
    });
    await drop("own");
  });

  test("(b) the plugin is asked, and the object is written on its behalf", async () => {
    const name = await one("asked");
    const seen = await backup("asked", [name], ["asked"]);
    expect(seen.end.status?.phase).toBe("Completed");
    expect(seen.objects).toMatchObject([
      {
        metadata: { name: `snap-${name}` },
        spec: { volume: name, backup: "asked", plugin: "test.dev/asked" },
        status: { phase: "Completed", percent: 100, progress: { totalBytes: 5000, bytesDone: 5000 } },
      },
    ]);
    expectLaws(seen);
    await drop("asked");
  });

  test("(c) a plugin that tells nothing has a phase and no bytes, and the operation says so", async () => {
    const name = await one("silent");
    const seen = await backup("silent", [name], ["silent"]);
    expect(seen.end.status?.phase).toBe("Completed");
    const [object] = seen.objects;
    expect(object?.status).toMatchObject({ phase: "Completed", message: "no progress from this plugin" });
    expect(object?.status?.progress).toBeUndefined();
    expect(JSON.stringify(seen.operation)).toContain("no progress from this plugin");
    expect(stage.json("silent", "silent-volumesnapshots.json.gz")).toMatchObject([
      { spec: { volumeType: "test", volumeIOPS: 7 }, status: { phase: "Completed" } },
    ]);
  });

  test("deleting a backup removes the objects", async () => {
    const requests = resourceOf(kinds.DeleteBackupRequest);
    const { client, namespace } = stage;
    await client.create(requests, {
      apiVersion: "velero.io/v1",
      kind: "DeleteBackupRequest",
      metadata: { name: "away", namespace },
      spec: { backupName: "silent" },
    });
    const left = await eventually(
      () => client.list<VolumePluginBackup>(pluginBackups, { namespace }),
      (all) => !all.some(({ spec }) => spec?.backup === "silent"),
    );
    expect(left.some(({ spec }) => spec?.backup === "asked")).toBe(true);
    expect(stage.files("silent")).toEqual([]);
    await drop("silent");
  });
});

describe("a plugin that lies is told, and what is shown stays true", patient, () => {
  test.each([
    ["backwards", "Completed", /it went back from 800 bytes to 300/],
    ["beyond", "Completed", /it says 5000 of 1000 bytes are done/],
    ["units", "Completed", /it says \\"50%\\" bytes are done, which is no number of bytes/],
    ["garbage", "Completed", /it answers with something that is no progress/],
    ["nameless", "Completed", /does not say its snapshot id/],
    ["phase", "Completed", /says phase .*Uploading.*, which is none of New/],
    ["flood", "Completed", /errors \{\}/],
    ["hangs", "PartiallyFailed", /createSnapshot of plugin \\"test.dev\/hangs\\" gave no answer within 5 s/],
    ["dies", "PartiallyFailed", /died: /],
    ["foreign", "PartiallyFailed", /belongs to backup \\"unknown\\", not to this one/],
    ["elsewhere", "Completed", /errors \{\}/],
  ])("%s", async (behaviour, phase, told) => {
    const name = await one(behaviour);
    const seen = await backup(behaviour, [name], [behaviour]);
    expect(seen.words).toMatch(told);
    expect(seen.end.status?.phase).toBe(phase);
    expectLaws(seen);
    for (const { status } of seen.objects) {
      const { totalBytes, bytesDone = 0 } = status?.progress ?? {};
      if (behaviour !== "flood" && totalBytes !== undefined)
        expect(bytesDone).toBeLessThanOrEqual(totalBytes);
    }
    const stored = stage.json(behaviour, `${behaviour}-volumesnapshots.json.gz`);
    expect(stored).toMatchObject([{ status: { phase: phase === "Completed" ? "Completed" : "Failed" } }]);
    await drop(behaviour);
  });

  test("one id for two volumes", async () => {
    const names = [await one("twin"), await volume("twin")];
    const seen = await backup("twin", names, ["twin"]);
    expect(seen.end.status?.phase).toBe("PartiallyFailed");
    expect(seen.words).toMatch(/the plugin returned \\"always-the-same\\", which is of volume/);
    await drop("twin");
  });

  test("two plugins for one volume", async () => {
    await snapshotLocation(stage, "second", "test.dev/second");
    const name = await one("asked");
    const seen = await backup("both", [name], ["asked", "second"]);
    expect(seen.end.status?.phase).toBe("Completed");
    expect(seen.words).toMatch(/several volume snapshot locations claim it .*\\"asked\\" takes it/);
    expect(seen.objects).toHaveLength(1);
  });
});
