import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Backup, type BackupStorageLocation, kinds } from "../../../src/api/index.ts";
import { Repositories } from "../../../src/engines/podvolume/index.ts";
import { Cache, isNotFound, resourceOf, systemClock } from "../../../src/kube/index.ts";
import { BackupStage } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { startHeadway } from "../../harness/headway-process.ts";

const locations = resourceOf(kinds.BackupStorageLocation);
const backups = resourceOf(kinds.Backup);
const repositories = resourceOf(kinds.BackupRepository);
const controllers = ["backup", "location", "backup-sync"];

/** The Backup that a real Velero 1.17 left in its bucket. */
const recorded = join(import.meta.dirname, "../../fixtures/velero-1.17/stored-velero-backup.json");

let stage: BackupStage;
let shop: string;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  stage = await BackupStage.open();
  shop = await stage.app("places");
  await stage.configMaps(shop, 3);
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(() => stage.close());

const location = (name: string) =>
  stage.client.get<BackupStorageLocation>(locations, name, { namespace: stage.namespace });

/** Waits for a check that began after this call. */
async function checked(name: string, phase: "Available" | "Unavailable"): Promise<BackupStorageLocation> {
  return eventually(
    () => location(name),
    ({ status }) => status?.phase === phase,
    30_000,
  );
}

async function annotate(name: string, annotations: Record<string, string>): Promise<void> {
  const body = { metadata: { annotations } };
  await stage.client.patch(locations, name, { type: "merge", body }, { namespace: stage.namespace });
}

const exists = (name: string) =>
  stage.get(name).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );

/** Waits for two searches of the location that began after this call. */
async function searchedTwice(name: string): Promise<void> {
  for (let i = 0; i < 2; i += 1) {
    // The time is in whole seconds, and the period is one.
    const before = (await location(name)).status?.lastSyncedTime;
    await eventually(
      () => location(name),
      ({ status }) => status?.lastSyncedTime !== before,
      30_000,
    );
  }
}

/** Runs a command against the stage's cluster; returns what it said. */
async function headway(...args: string[]): Promise<string> {
  const run = startHeadway(...args, "--kubeconfig", stage.cluster.kubeconfig, "--namespace", stage.namespace);
  expect([await run.ended, run.said()]).toEqual([0, run.said()]);
  return run.said();
}

const mounts = (() => {
  const probe = mkdtempSync(join(tmpdir(), "mount-probe-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "none", probe], { stdio: "ignore" });
    execFileSync("umount", [probe], { stdio: "ignore" });
    return true;
  } catch {
    console.log("skipped: file systems cannot be mounted here");
    return false;
  } finally {
    rmSync(probe, { recursive: true });
  }
})();

describe.runIf(mounts)("a location on a disk of its own", () => {
  const disk = mkdtempSync(join(tmpdir(), "places-disk-"));
  const aside = mkdtempSync(join(tmpdir(), "places-aside-"));
  let isMounted = false;
  /** The disk itself stays when it is unmounted here: it is mounted a second time elsewhere. */
  const mount = () => {
    execFileSync("mount", ["--bind", aside, disk]);
    isMounted = true;
  };
  const unmount = () => {
    execFileSync("umount", [disk]);
    isMounted = false;
  };
  beforeAll(() => execFileSync("mount", ["-t", "tmpfs", "none", aside]));
  afterAll(() => {
    if (isMounted) unmount();
    execFileSync("umount", [aside]);
    for (const folder of [disk, aside]) rmSync(folder, { recursive: true });
  });

  test("is unavailable while the disk is away, forgets nothing, makes nothing, and is as before afterwards", async () => {
    mount();
    const periods = { backupSyncPeriod: "1s", validationFrequency: "1s" };
    await stage.location("disk", stage.namespace, { config: { path: disk }, ...periods });
    stop = stage.operator(stage.namespace, controllers);
    await checked("disk", "Available");
    await stage.create("on-disk", { includedNamespaces: [shop], storageLocation: "disk" });
    expect((await stage.ended("on-disk")).status?.phase).toBe("Completed");
    await stop();

    unmount();
    stop = stage.operator(stage.namespace, controllers);
    const away = await checked("disk", "Unavailable");
    expect(away.status?.message).toContain(`"${join(disk, "b")}": it is not there; is its volume mounted?`);
    await stage.create("refused", { includedNamespaces: [shop], storageLocation: "disk" });
    const { status } = await stage.ended("refused");
    expect(status?.phase).toBe("FailedValidation");
    expect(status?.validationErrors?.join()).toContain("is its volume mounted?");
    // Somebody made the folder: it still is not the disk.
    mkdirSync(join(disk, "b"));
    const empty = await eventually(
      () => location("disk"),
      (one) => one.status?.message?.includes("headway-location-") ?? false,
    );
    expect(empty.status).toMatchObject({ phase: "Unavailable" });
    expect(empty.status?.message).toContain("headway location adopt disk");
    const repository = new Repositories({
      client: stage.client,
      cache: new Cache({ client: stage.client }),
      namespace: stage.namespace,
      clock: systemClock,
      log: () => undefined,
      mover: () => expect.unreachable("no repository is made in a store that is not there"),
    });
    const key = { volumeNamespace: shop, location: "disk", type: "restic" as const };
    await expect(repository.ensure(key, new AbortController().signal)).rejects.toMatchObject({
      code: "REPOSITORY_NOT_READY",
      message: expect.stringContaining("headway location adopt disk"),
    });
    expect(readdirSync(join(disk, "b")), "nothing is made on the disk below").toEqual([]);
    expect(await exists("on-disk")).toBe(true);

    mount();
    const back = await checked("disk", "Available");
    expect(back.status?.message).toBeUndefined();
    await searchedTwice("disk");
    expect((await stage.get("on-disk")).status?.phase).toBe("Completed");
    await stage.create("afterwards", { includedNamespaces: [shop], storageLocation: "disk" });
    expect((await stage.ended("afterwards")).status?.phase).toBe("Completed");
    await stop();

    unmount();
    rmSync(join(disk, "b"), { recursive: true });
    expect(readdirSync(disk)).toEqual([]);
    stop = stage.operator(stage.namespace, controllers);
    await checked("disk", "Unavailable");
    await headway("location", "adopt", "disk");
    const taken = await checked("disk", "Available");
    expect(taken.metadata.annotations?.["headway.dev/adopt-store"]).toBeUndefined();
    expect(readdirSync(join(disk, "b/metadata"))).toHaveLength(1);
    // The new store is empty, which alone is no reason to forget what the old one held.
    const held = await eventually(
      () => location("disk"),
      (one) => one.status?.message?.includes("2 of 2 backups") ?? false,
      30_000,
    );
    expect(held.status?.phase).toBe("Available");
    expect([await exists("on-disk"), await exists("afterwards")]).toEqual([true, true]);
    await headway("location", "forget-missing", "disk");
    await eventually(
      async () => [await exists("on-disk"), await exists("afterwards")],
      (found) => !found.includes(true),
      30_000,
    );
    await eventually(
      () => location("disk"),
      ({ metadata, status }) =>
        metadata.annotations?.["headway.dev/forget-missing"] === undefined && status?.message === undefined,
      30_000,
    );
  });
});

test("a backup that is faster than the first check of its location waits for it", async () => {
  await stage.location("fresh", stage.namespace, { objectStorage: { bucket: "fresh" } });
  await stage.create("early", { includedNamespaces: [shop], storageLocation: "fresh" });
  const alone = stage.operator(stage.namespace, ["backup"]);
  await eventually(
    () => stage.get("early"),
    ({ status }) => status?.phase === "InProgress",
  );
  expect(existsSync(join(stage.folder, "fresh"))).toBe(false);
  stop = stage.operator(stage.namespace, ["location"]);
  expect((await stage.ended("early")).status).toMatchObject({ phase: "Completed" });
  await alone();
});

test("a Backup goes when its files were missed twice, and not before", async () => {
  await stage.location("pair", stage.namespace, {
    objectStorage: { bucket: "pair" },
    backupSyncPeriod: "1s",
  });
  const told: string[] = [];
  stop = stage.operator(stage.namespace, controllers, { log: (_level, message) => void told.push(message) });
  await checked("pair", "Available");
  for (const name of ["pair-1", "pair-2"]) {
    await stage.create(name, { includedNamespaces: [shop], storageLocation: "pair" });
    expect((await stage.ended(name)).status?.phase).toBe("Completed");
  }
  rmSync(join(stage.folder, "pair/backups/pair-1"), { recursive: true });
  await eventually(
    () => exists("pair-1"),
    (found) => !found,
    30_000,
  );
  expect(await exists("pair-2")).toBe(true);
  expect(told).toContain('backup "pair-1" was deleted: its files are gone from location "pair"');
});

test("a bucket that Velero filled is taken as it is, and still is one that Velero takes", async () => {
  const bucket = join(stage.folder, "filled");
  const folder = join(bucket, "backups/golden");
  mkdirSync(folder, { recursive: true });
  copyFileSync(recorded, join(folder, "velero-backup.json"));
  mkdirSync(join(bucket, "kopia/golden"), { recursive: true });
  writeFileSync(join(bucket, "kopia/golden/kopia.repository.f"), "x");
  await stage.location("filled", stage.namespace, { objectStorage: { bucket: "filled" } });
  stop = stage.operator(stage.namespace, controllers);
  const { metadata } = await checked("filled", "Available");
  await eventually(() => exists("golden"), Boolean, 30_000);
  const [id = ""] = (metadata.annotations?.["headway.dev/store-marker"] ?? "").split(" ");
  expect(readdirSync(join(bucket, "metadata"))).toEqual([`headway-location-${id}`]);
  // The folders that upstream's server accepts at the top of a bucket.
  const accepted = ["backups", "restores", "restic", "metadata", "plugins", "kopia"];
  expect(readdirSync(bucket).filter((name) => !accepted.includes(name))).toEqual([]);
});

test("a location that may only be read is never written to, and its bucket never made", async () => {
  const readOnly = { accessMode: "ReadOnly" };
  await stage.location("shown", stage.namespace, { objectStorage: { bucket: "shown" }, ...readOnly });
  stop = stage.operator(stage.namespace, controllers);
  await checked("shown", "Unavailable");
  expect(existsSync(join(stage.folder, "shown"))).toBe(false);
  mkdirSync(join(stage.folder, "shown"));
  await annotate("shown", { "headway.dev/adopt-store": "true" });
  const { metadata } = await checked("shown", "Available");
  expect(metadata.annotations?.["headway.dev/store-marker"]).toBeUndefined();
  expect(readdirSync(join(stage.folder, "shown"))).toEqual([]);
});

test("periods that would be a loop are not used, and the location says so", async () => {
  await stage.location("hasty", stage.namespace, { validationFrequency: "-5m", backupSyncPeriod: "1ns" });
  stop = stage.operator(stage.namespace, controllers);
  const { status } = await checked("hasty", "Available");
  expect(status?.message).toBe(
    'validationFrequency "-5m" is negative: 1m0s is used instead; backupSyncPeriod "1ns" is shorter than a second: 1m0s is used instead',
  );
});

test("location delete deletes the objects that are of the location, and nothing that is stored", async () => {
  await stage.location("short", stage.namespace, { objectStorage: { bucket: "short" } });
  stop = stage.operator(stage.namespace, controllers);
  await checked("short", "Available");
  await stage.create("of-short", { includedNamespaces: [shop], storageLocation: "short" });
  await stage.create("of-default", { includedNamespaces: [shop] });
  expect((await stage.ended("of-short")).status?.phase).toBe("Completed");
  expect((await stage.ended("of-default")).status?.phase).toBe("Completed");
  await stage.client.create(repositories, {
    apiVersion: "velero.io/v1",
    kind: "BackupRepository",
    metadata: {
      name: "r-short",
      namespace: stage.namespace,
      labels: { "velero.io/storage-location": "short" },
    },
    spec: {
      volumeNamespace: "r",
      backupStorageLocation: "short",
      repositoryType: "kopia",
      maintenanceFrequency: "1h",
    },
  });
  const said = await headway("location", "delete", "short");
  expect(said).toContain(
    'location "short" and 1 Backup object of it and 1 BackupRepository object of it were deleted; what its store holds stays',
  );
  const left = await stage.client.list<Backup>(backups, { namespace: stage.namespace });
  const names = left.map(({ metadata }) => metadata.name);
  expect([names.includes("of-short"), names.includes("of-default")]).toEqual([false, true]);
  const opened = await stage.client.list(repositories, { namespace: stage.namespace });
  expect(opened.map(({ metadata }) => metadata.name)).not.toContain("r-short");
  expect(existsSync(join(stage.folder, "short/backups/of-short/velero-backup.json"))).toBe(true);
});
