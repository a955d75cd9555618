import { spawn, spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOperator } from "../../../src/operator/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { Upstream, upstreamBackup } from "../../harness/upstream.ts";

const missing = spawnSync("kubectl", ["version", "--client"]).status === 0 ? undefined : "no kubectl on PATH";
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
});
afterAll(() => cluster.close());

test.skipIf(missing)(
  `kubectl get op -A -w shows how a backup moves${missing ? ` (${missing})` : ""}`,
  { timeout: 180_000 },
  async () => {
    const { client, namespace, kubeconfig } = cluster;
    const stop = new AbortController();
    // No engines: upstream does the work, and Headway writes down how far it is.
    const waits = {
      name: "waits",
      start: (_: unknown, signal: AbortSignal) =>
        new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    };
    const log = () => undefined;
    const running = startOperator(
      { client, namespace, log, controllers: ["waits"], extra: [waits] },
      stop.signal,
    );
    const upstream = new Upstream(client, namespace);
    await upstream.backup("b1");
    const child = spawn("kubectl", ["--kubeconfig", kubeconfig, "get", "op", "-A", "-w"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString("utf8")));
    const rows = () => out.split("\n").filter((line) => line.startsWith(`${namespace} `));
    const shown = (pattern: RegExp) =>
      eventually(
        () => rows(),
        (lines) => lines.some((line) => pattern.test(line)),
        60_000,
      );
    try {
      await shown(/backup-b1 +pending/);
      const steps = [...upstreamBackup(upstream, "b1")];
      for (const step of steps.slice(0, -1)) await step();
      await shown(/backup-b1 +running +[1-9]\d?% /);
      await steps.at(-1)?.();
      await shown(/backup-b1 +completed +100%/);
    } finally {
      child.kill();
      stop.abort();
      await running;
    }
    expect(out.split("\n")[0]?.split(/ {2,}/)).toEqual([
      "NAMESPACE",
      "NAME",
      "STATE",
      "DONE",
      "AGE",
      "MESSAGE",
    ]);
    expect(rows().filter((line) => line.includes("100%"))).toHaveLength(1);
  },
);
