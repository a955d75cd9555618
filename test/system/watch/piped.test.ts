import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startPlane } from "../../../packages/plane/index.ts";
import { kinds } from "../../../src/api/index.ts";
import { builtIn, connect, resourceOf } from "../../../src/kube/index.ts";
import { lawFaults } from "../../../src/progress/conformance.ts";
import type { Operation } from "../../../src/progress/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { type PipedRun, startHeadway } from "../../harness/headway-process.ts";
import { schemaFaults } from "../../harness/json-schema.ts";
import { Upstream, upstreamBackup, upstreamRestore } from "../../harness/upstream.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
});
afterAll(() => cluster.close());

function watch(...args: string[]): PipedRun {
  return startHeadway("watch", ...args, "-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig);
}

/** The frames of a run: every line is one, or the test fails. */
function frames(run: PipedRun): { readonly time: string; readonly operation: Operation }[] {
  return run.lines().map((line) => JSON.parse(line));
}

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/watch-line.schema.json"), "utf8"),
);

/** What is in the lines that the documented schema does not allow. */
function undocumented(run: PipedRun): string[] {
  return run.lines().flatMap((line) => schemaFaults(schema, JSON.parse(line)));
}

/** What breaks the laws between one line and the next. */
function broken(run: PipedRun): string[] {
  const before = new Map<string, Operation>();
  return frames(run).flatMap(({ time, operation }) => {
    const faults = lawFaults(before.get(operation.id), operation, Date.parse(time) + 1_000);
    before.set(operation.id, operation);
    return faults;
  });
}

/** Each step is seen before the next one is written, so that none is missed: the cadence of the watcher, not of a clock. */
async function play(run: PipedRun, steps: Iterable<() => Promise<void>>): Promise<void> {
  for (const step of steps) {
    const seen = run.lines().length;
    await step();
    await eventually(
      () => run.lines().length,
      (count) => count > seen,
    );
  }
}

test("the lines of a backup that upstream runs are frames that keep the laws, and the exit code is its end", {
  timeout: 180_000,
}, async () => {
  const upstream = new Upstream(cluster.client, cluster.namespace);
  const run = watch("backup/b1", "--wait");
  await upstream.backup("b1");
  await eventually(
    () => run.lines().length,
    (count) => count > 0,
  );
  await play(run, upstreamBackup(upstream, "b1"));
  expect(await run.ended, run.said()).toBe(0);
  const shown = frames(run);
  expect(shown.length).toBeGreaterThan(20);
  expect(broken(run)).toEqual([]);
  expect(undocumented(run)).toEqual([]);
  const shares = shown.map(({ operation }) => operation.fraction ?? 0);
  expect(new Set(shares).size, "the share moves").toBeGreaterThan(6);
  expect(shares.filter((share) => share === 1)).toHaveLength(1);
  expect(shown.at(-1)?.operation).toMatchObject({ state: "completed", fraction: 1 });
  expect(shown.some(({ operation }) => JSON.stringify(operation).includes('"held":true'))).toBe(true);
});

test("the end of a restore that partially failed is the exit code", async () => {
  const upstream = new Upstream(cluster.client, cluster.namespace);
  await upstream.restore("r1", "b1");
  const run = watch("restore/r1");
  await eventually(
    () => run.lines().length,
    (count) => count > 0,
  );
  await play(run, upstreamRestore(upstream, "r1"));
  expect(await run.ended, run.said()).toBe(1);
  expect(broken(run)).toEqual([]);
  expect(undocumented(run)).toEqual([]);
  expect(frames(run).at(-1)?.operation).toMatchObject({ state: "partially-failed", errors: 2 });
});

test("an object that is deleted, and a cluster that goes away and comes back, are told in lines of their own", {
  timeout: 120_000,
}, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "watch-away-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const first = await startPlane({ node: false, stateDir });
  const kubeconfig = join(stateDir, "kubeconfig");
  await writeFile(kubeconfig, first.kubeconfig());
  const client = await connect({ kubeconfig });
  await installDefinitions(client);
  await client.create(builtIn.namespaces, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "velero" },
  });
  await new Upstream(client, "velero").backup("b");
  const run = startHeadway("watch", "--kubeconfig", kubeconfig);
  const told = (words: string) =>
    eventually(
      () => run.lines().join("\n"),
      (text) => text.includes(words),
    );
  await told('"operation":{"id":"backup/velero/b"');
  await client.delete(resourceOf(kinds.Backup), "b", { namespace: "velero" });
  await told('"gone":"backup/velero/b"');
  client.close();
  await first.close();
  await told('"cluster":"away"');
  const second = await startPlane({ node: false, stateDir, port: Number(new URL(first.url).port) });
  await told('"cluster":"back"');
  run.signal("SIGTERM");
  expect(await run.ended, run.said()).toBe(143);
  await second.close();
  expect(undocumented(run)).toEqual([]);
});
