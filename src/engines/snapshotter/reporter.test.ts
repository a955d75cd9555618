import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import type { Client } from "../../kube/index.ts";
import { openReporter } from "./reporter.ts";

interface Written {
  readonly status: {
    readonly phase?: string;
    readonly percent?: number;
    readonly progress?: { readonly bytesDone?: number; readonly totalBytes?: number };
  };
}

/** An API server that only remembers. */
function memory() {
  const made: unknown[] = [];
  const written: Written[] = [];
  const client = {
    create: async (_resource: unknown, object: { metadata: object }) => {
      made.push(object);
      return { ...object, metadata: { ...object.metadata, uid: "u" } };
    },
    patch: async (_resource: unknown, _name: string, patch: { body: Written }) => {
      written.push(patch.body);
      return {};
    },
  };
  return { made, written, client: client as unknown as Client };
}

const tags = { "velero.io/backup": "b", "velero.io/pv": "pv" };

test("openReporter() makes the object of the snapshot, and ends it once", async () => {
  const { made, written, client } = memory();
  const clock = new TestClock();
  const reporter = await openReporter({ name: "example.com/p", namespace: "velero" }, { client, clock });
  const report = await reporter.backup({ snapshotID: "snap-1", tags, pluginSpecific: { region: "eu" } });
  expect(made).toMatchObject([
    {
      kind: "VolumePluginBackup",
      metadata: { name: "snap-1", namespace: "velero" },
      spec: { volume: "pv", backup: "b", plugin: "example.com/p", pluginSpecific: { region: "eu" } },
      status: { phase: "InProgress", snapshotID: "snap-1" },
    },
  ]);
  report.progress(50, 100);
  await report.completed();
  expect(written.at(-1)?.status).toMatchObject({
    phase: "Completed",
    percent: 100,
    progress: { bytesDone: 100, totalBytes: 100 },
  });
  reporter.close();
});

test("a plugin that reports 10,000 times in a second writes once or twice, and never backwards", async () => {
  const { written, client } = memory();
  const clock = new TestClock();
  const reporter = await openReporter({ name: "example.com/p", namespace: "velero" }, { client, clock });
  const report = await reporter.backup({ snapshotID: "snap-1", tags });
  for (let i = 0; i < 10_000; i += 1) {
    report.progress((i * 7919) % 20_000, 10_000);
    if (i % 100 === 0) await clock.advance(10);
  }
  expect(written.length).toBeGreaterThan(0);
  expect(written.length).toBeLessThanOrEqual(3);
  const done = written.map(({ status }) => status.progress?.bytesDone ?? 0);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(written.every(({ status }) => (status.percent ?? 0) < 100)).toBe(true);
  await report.failed("enough");
  expect(written.at(-1)?.status.phase).toBe("Failed");
  reporter.close();
});
