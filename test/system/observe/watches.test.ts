import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectTo } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { openCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { FaultProxy } from "../../harness/fault-proxy.ts";

/** One for each kind; each costs the API server memory and a connection for as long as the operator lives. */
const mostWatches = 26;

test(`an operator with all its controllers holds at most ${mostWatches} watches, none of them twice`, async () => {
  const cluster = await openCluster({ node: false });
  await installDefinitions(cluster.client);
  const proxy = await FaultProxy.open(cluster.access);
  const client = connectTo({ server: proxy.url });
  const tempDir = mkdtempSync(join(tmpdir(), "watches-"));
  const stop = new AbortController();
  const running = startOperator(
    { client, namespace: cluster.namespace, log: () => undefined, tempDir },
    stop.signal,
  );
  try {
    // Every controller has begun when nothing new has been asked for some time.
    const quiet = () =>
      performance.now() - (proxy.seen.findLast(({ watch }) => watch)?.at ?? Infinity) > 5_000;
    await eventually(async () => quiet(), Boolean, 60_000);
    const open = proxy.openWatches();
    expect(open.length).toBeGreaterThan(10);
    expect(new Set(open).size, open.toSorted().join("\n")).toBe(open.length);
    expect(open.length, open.toSorted().join("\n")).toBeLessThanOrEqual(mostWatches);
  } finally {
    stop.abort();
    await running;
    client.close();
    await proxy.close();
    await cluster.close();
    rmSync(tempDir, { recursive: true });
  }
});
