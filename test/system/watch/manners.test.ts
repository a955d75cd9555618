import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { freePort } from "../../harness/free-port.ts";
import { type PipedRun, startHeadway } from "../../harness/headway-process.ts";
import { Upstream } from "../../harness/upstream.ts";

const folder = mkdtempSync(join(tmpdir(), "manners-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A kubeconfig that names a server. */
function kubeconfigOf(name: string, server: string): string {
  const file = join(folder, name);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: { token: "none" } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** How a run ended, or that it did not within so long. */
function endOf(run: PipedRun, limitMs: number): Promise<number | null | string> {
  return Promise.race([
    run.ended,
    new Promise<string>((resolve) => setTimeout(() => resolve("still runs"), limitMs).unref()),
  ]);
}

describe("a cluster that is away", () => {
  const commands = [
    ["get", "operations"],
    ["backup", "get"],
    ["watch"],
    ["restore", "describe", "r"],
    ["debug", "--output", join(folder, "bundle.tar.gz")],
  ];

  test.each([1, 2, 3])("is told in seconds with exit code 3, round %i", async () => {
    const dead = kubeconfigOf("dead", `https://127.0.0.1:${await freePort()}`);
    const runs = commands.map((words) => startHeadway(...words, "--kubeconfig", dead));
    for (const run of runs) {
      expect(await endOf(run, 30_000), run.said()).toBe(3);
      expect(run.said()).toContain("the connection was refused");
    }
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("holds nobody who sends %s, whatever the command waits for", async (name, code) => {
    const open: Socket[] = [];
    const silent = createServer((socket) => void open.push(socket.on("error", () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo; // it listens on TCP
    const kubeconfig = kubeconfigOf("silent", `http://127.0.0.1:${port}`);
    const run = startHeadway("get", "operations", "--kubeconfig", kubeconfig);
    await eventually(
      () => open.length,
      (count) => count > 0,
    );
    run.signal(name);
    expect(await endOf(run, 10_000), run.said()).toBe(code);
    for (const socket of open) socket.destroy();
    silent.close();
  });
});

describe("an interrupt", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await openCluster();
    await installDefinitions(cluster.client);
  });
  afterAll(() => cluster.close());

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s of a watch exits %i, so that what follows && does not run", async (name, code) => {
    const backup = `b-${code}`;
    await new Upstream(cluster.client, cluster.namespace).backup(backup);
    const where = ["-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig];
    const run = startHeadway("watch", `backup/${backup}`, ...where);
    await eventually(
      () => run.lines().length,
      (count) => count > 0,
    );
    run.signal(name);
    expect(await endOf(run, 10_000), run.said()).toBe(code);
  });

  test("of --wait exits 130 and says that the backup goes on", async () => {
    const where = ["-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig];
    const run = startHeadway("backup", "create", "waited", "--wait", ...where);
    await eventually(
      () => run.said(),
      (said) => said.includes("waiting for it to end"),
    );
    // Not before it is watched: the end of the watch is what is asked about.
    await eventually(
      () => run.said(),
      (said) => /pending|waiting for a server/i.test(said),
    );
    run.signal("SIGINT");
    expect(await endOf(run, 10_000), run.said()).toBe(130);
    expect(run.said()).toContain("goes on");
  });
});
