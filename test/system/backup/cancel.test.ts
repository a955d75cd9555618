import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cancelAnnotation, kinds } from "../../../src/api/index.ts";
import { type BackupDeps, backupDefaults, startBackupController } from "../../../src/engines/backup/index.ts";
import { Cache, resourceOf, StatusWriter, systemClock } from "../../../src/kube/index.ts";
import type { Observation } from "../../../src/progress/index.ts";
import { FilesystemStore } from "../../../src/store/index.ts";
import { BackupStage, core } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { reporterOf } from "../../harness/reporter.ts";

let stage: BackupStage;
let app: string;
beforeAll(async () => {
  stage = await BackupStage.open();
  app = await stage.app("hooked");
  await stage.configMaps(app, 5);
  const annotations = { "pre.hook.backup.velero.io/command": "freeze" };
  await stage.client.create(core("pods", "Pod"), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "slow", namespace: app, annotations },
    spec: { containers: [{ name: "main", image: "none" }] },
  });
});
afterAll(() => stage.close());

/** Runs the controller with a hook of our own, and folds what it reports as every viewer does. */
function start(runInPod: BackupDeps["runInPod"]) {
  const { client, namespace, folder } = stage;
  const stop = new AbortController();
  const status = new StatusWriter({ client });
  const seen: Observation[] = [];
  const shares: number[] = [];
  const done = startBackupController(
    {
      client,
      cache: new Cache({ client }),
      namespace,
      clock: systemClock,
      log: () => undefined,
      report: reporterOf(status, (observation, { fraction }) => {
        seen.push(observation);
        shares.push(fraction ?? 0);
      }),
      openStore: async () => new FilesystemStore(join(folder, "b")),
      openPodVolumes: async () => ({
        plan: () => [],
        start: async () => ({ copied: [], left: [] }),
        settled: async () => undefined,
        finish: async () => undefined,
        list: () => [],
        cancel: async () => undefined,
      }),
      runInPod,
      tempDir: join(folder, "temp"),
      defaults: backupDefaults,
      concurrentBackups: 1,
      localUrl: () => undefined,
      serverVersion: "test",
      listPlugins: async () => [],
    },
    stop.signal,
  );
  const end = async () => {
    stop.abort();
    await done;
    status.close();
  };
  return { seen, shares, end };
}

test("a backup that is canceled while a hook runs ends once, as canceled, and leaves nothing behind", async () => {
  const { seen, end } = start(
    (_where, _command, _timeout, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  );
  await stage.create("stopped", { includedNamespaces: [app] });
  const hook = await eventually(
    () => seen.flatMap(({ children = [] }) => children).find(({ waitingFor }) => waitingFor !== undefined),
    (found) => found !== undefined,
  );
  expect(hook?.waitingFor?.message).toBe(`pre hook of pod ${app}/slow`);
  const body = { metadata: { annotations: { [cancelAnnotation]: "true" } } };
  await stage.client.patch(
    resourceOf(kinds.Backup),
    "stopped",
    { type: "merge", body },
    { namespace: stage.namespace },
  );
  expect((await stage.ended("stopped")).status).toMatchObject({
    phase: "Failed",
    failureReason: "canceled by request",
  });
  expect(seen.at(-1)?.state).toBe("canceled");
  expect(stage.files("stopped")).toEqual([]);
  expect(readdirSync(join(stage.folder, "temp"))).toEqual([]);
  await end();
});

test("an operator that is told to stop leaves the backup in progress, and the next one completes it", async () => {
  const first = start(
    (_where, _command, _timeout, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  );
  await stage.create("handed-over", { includedNamespaces: [app] });
  await eventually(
    () => first.seen.some(({ children = [] }) => children.some(({ waitingFor }) => waitingFor !== undefined)),
    (found) => found,
  );
  await first.end();
  expect((await stage.get("handed-over")).status?.phase).toBe("InProgress");
  const second = start(async () => ({ exitCode: 0, stdout: "", stderr: "" }));
  expect((await stage.ended("handed-over")).status).toMatchObject({
    phase: "Completed",
    hookStatus: { hooksAttempted: 1 },
  });
  await second.end();
  for (const [i, share] of second.shares.entries())
    expect(share).toBeGreaterThanOrEqual(second.shares[i - 1] ?? 0);
  expect(second.shares.filter((share) => share === 1)).toHaveLength(1);
  const names = second.seen[0]?.children?.map(({ id }) => id);
  expect(names).toEqual(["collect", "items", "finish"]);
});
