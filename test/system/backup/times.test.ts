import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  type BackupStorageLocation,
  type DeleteBackupRequest,
  type DownloadRequest,
  kinds,
  type Schedule,
} from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { BackupStage } from "../../harness/backup-stage.ts";
import { TestClock } from "../../harness/clock.ts";
import { eventually } from "../../harness/eventually.ts";

const locations = resourceOf(kinds.BackupStorageLocation);
const schedules = resourceOf(kinds.Schedule);
const deletions = resourceOf(kinds.DeleteBackupRequest);
const downloads = resourceOf(kinds.DownloadRequest);
const dayMs = 86_400_000;
const start = Date.parse("2026-11-15T10:00:00Z");

let stage: BackupStage;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  stage = await BackupStage.open();
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(() => stage.close());

/** Lets the clock run in steps until something is so. */
async function runUntil<T>(
  clock: TestClock,
  stepMs: number,
  look: () => Promise<T>,
  isSo: (seen: T) => boolean,
): Promise<T> {
  return eventually(async () => {
    await clock.advance(stepMs);
    return look();
  }, isSo);
}

const find = (name: string) =>
  stage.client.get<BackupStorageLocation>(locations, name, { namespace: stage.namespace });
const msOf = (text: string | null | undefined) => Date.parse(text ?? "");

test.each([dayMs, -dayMs])(
  "a clock that jumps by %j ms stops no check and no search of a location",
  async (byMs) => {
    const name = byMs > 0 ? "ahead" : "back";
    const clock = new TestClock(start);
    await stage.location(name, stage.namespace, { objectStorage: { bucket: name } });
    stop = stage.operator(stage.namespace, ["location", "backup-sync"], { clock });
    const searched = ({ status }: BackupStorageLocation) => Boolean(status?.lastSyncedTime);
    await runUntil(clock, 100, () => find(name), searched);
    clock.jump(byMs);
    const jumped = clock.now();
    const runMs = clock.monotonic();
    await runUntil(
      clock,
      1_000,
      () => find(name),
      ({ status }) =>
        [status?.lastValidationTime, status?.lastSyncedTime].every((time) => {
          const at = msOf(time);
          return at >= jumped - 1_000 && at <= clock.now();
        }),
    );
    expect(clock.monotonic() - runMs, "within two periods").toBeLessThan(120_000);
  },
);

test("an expired backup is collected by the clock as it is, neither earlier nor never", async () => {
  const clock = new TestClock(start);
  const backup = await stage.create("tomorrow", {});
  const status = { phase: "Completed", expiration: new Date(start + dayMs).toISOString() };
  const place = { namespace: stage.namespace };
  const body = { status, spec: { storageLocation: "default" } };
  await stage.client.patch(resourceOf(kinds.Backup), "tomorrow", { type: "merge", body }, place);
  stop = stage.operator(stage.namespace, ["gc"], { clock });
  const requests = async () =>
    (await stage.client.list<DeleteBackupRequest>(deletions, place)).filter(
      ({ spec }) => spec?.backupName === backup.metadata.name,
    );
  await eventually(() => clock.waiting, Boolean);
  clock.jump(-dayMs);
  await clock.advance(dayMs);
  expect(await requests(), "by this clock there is a day left").toEqual([]);
  clock.jump(dayMs);
  await runUntil(clock, 600_000, requests, (found) => found.length === 1);
});

test("a schedule whose last run lies ahead goes on from now, and does not make up for what it missed", async () => {
  const clock = new TestClock(start);
  const place = { namespace: stage.namespace };
  await stage.client.create(schedules, {
    apiVersion: "velero.io/v1",
    kind: "Schedule",
    metadata: { name: "hourly", ...place },
    spec: { schedule: "30 * * * *", template: {} },
    status: { phase: "Enabled", lastBackup: new Date(start + dayMs).toISOString() },
  });
  stop = stage.operator(stage.namespace, ["schedule"], { clock });
  const mine = async () =>
    (await stage.client.list(resourceOf(kinds.Backup), place))
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith("hourly-"));
  const made = await runUntil(clock, 60_000, mine, (found) => found.length > 0);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatch(/^hourly-2026111510(30|31)/);
});

test("a schedule whose template can never be valid says so", async () => {
  const place = { namespace: stage.namespace };
  await stage.client.create(schedules, {
    apiVersion: "velero.io/v1",
    kind: "Schedule",
    metadata: { name: "never", ...place },
    spec: { schedule: "@daily", template: { labelSelector: { matchLabels: { "bad key!": "x" } } } },
  });
  stop = stage.operator(stage.namespace, ["schedule"]);
  const { status } = await eventually(
    () => stage.client.get<Schedule>(schedules, "never", place),
    (one) => one.status?.phase === "FailedValidation",
  );
  expect(status?.validationErrors).toEqual(['template: "bad key!" cannot be the key of a label']);
});

test("a backup with a selector that no API server takes is refused with the reason", async () => {
  stop = stage.operator(stage.namespace, ["backup"]);
  await stage.create("bad-selector", { labelSelector: { matchLabels: { "bad key!": "x" } } });
  expect((await stage.ended("bad-selector")).status).toMatchObject({
    phase: "FailedValidation",
    validationErrors: ['"bad key!" cannot be the key of a label'],
  });
});

test.each([
  ["a slash", "a/b"],
  ["a way up", ".."],
  ["nothing", ""],
  ["a backup that is not there", "nobody"],
])("a download request for %s is answered once, and collected", async (_what, name) => {
  const clock = new TestClock(Date.now());
  const told: string[] = [];
  const place = { namespace: stage.namespace };
  const { metadata } = await stage.client.create<DownloadRequest>(downloads, {
    apiVersion: "velero.io/v1",
    kind: "DownloadRequest",
    metadata: { generateName: "odd-", ...place },
    spec: { target: { kind: "BackupLog", name } },
  });
  const log = (_level: string, message: string) => void told.push(message);
  stop = stage.operator(stage.namespace, ["download-request"], { clock, log });
  const requests = () => stage.client.list<DownloadRequest>(downloads, place);
  const [answered] = await eventually(requests, ([one]) => Boolean(one?.status?.expiration));
  expect(answered?.metadata.annotations?.["headway.dev/refused"]).toContain(JSON.stringify(name));
  expect(answered?.status?.downloadURL).toBeUndefined();
  await runUntil(clock, 60_000, requests, (left) => left.length === 0);
  expect(told.filter((line) => line.includes(metadata.name))).toHaveLength(1);
});
