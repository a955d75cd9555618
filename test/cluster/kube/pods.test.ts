import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/api/index.ts";
import { builtIn, isNotFound } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { eventually } from "../../harness/eventually.ts";

/** An image with a shell; only a cluster with a node can run it. */
const image = process.env["HEADWAY_TEST_IMAGE"];
const why = image ? "" : " (skipped: HEADWAY_TEST_IMAGE names no image, so there is no node that runs pods)";
const { pods } = builtIn;

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string };
}

let cluster: TestCluster;
let namespace = "";
beforeAll(async () => {
  cluster = await openCluster();
  ({ namespace } = cluster);
});
afterAll(() => cluster?.close());

test("a command in a pod that is not there is refused, with the server's own reason", async () => {
  const run = cluster.client.exec(pods, "nobody", { namespace, command: ["true"] });
  await expect(run).rejects.toSatisfy(isNotFound);
  const logs = cluster.client.logs(pods, "nobody", { namespace });
  await expect(logs.next()).rejects.toSatisfy(isNotFound);
});

describe.skipIf(!image)(`pods${why}`, () => {
  const start = (name: string, script: string) =>
    cluster.client.create(
      pods,
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name },
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "main", image, imagePullPolicy: "Never", command: ["sh", "-c", script] }],
        },
      },
      { namespace },
    );
  const phase = (name: string, wanted: string) =>
    eventually(
      async () => (await cluster.client.get<Pod>(pods, name, { namespace })).status?.phase,
      (found) => found === wanted,
      120_000,
    );
  const text = async (chunks: AsyncIterable<Buffer>) =>
    Buffer.concat(await Array.fromAsync(chunks)).toString();

  test("logs: all, the tail, and following to the end", async () => {
    await start("talker", "for i in 1 2 3 4 5; do echo line $i; sleep 0.2; done");
    await eventually(
      () => text(cluster.client.logs(pods, "talker", { namespace })).catch(() => ""),
      (log) => log.includes("line 1"),
      120_000,
    );
    const followed = await text(cluster.client.logs(pods, "talker", { namespace, follow: true }));
    expect(followed).toBe("line 1\nline 2\nline 3\nline 4\nline 5\n");
    await phase("talker", "Succeeded");
    const tail = await text(
      cluster.client.logs(pods, "talker", { namespace, container: "main", tailLines: 2 }),
    );
    expect(tail).toBe("line 4\nline 5\n");
  });

  test("exec: outputs apart, exit codes, input to the end, and cancel", async () => {
    await start("shell", "sleep 600");
    await phase("shell", "Running");
    const run = async (script: string, stdin?: AsyncIterable<Uint8Array>, signal?: AbortSignal) => {
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      const { exitCode } = await cluster.client.exec(
        pods,
        "shell",
        {
          namespace,
          command: ["sh", "-c", script],
          stdin,
          onStdout: (chunk) => void out.push(chunk),
          onStderr: (chunk) => void err.push(chunk),
        },
        signal,
      );
      return { exitCode, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
    };
    expect(await run("echo out; echo err >&2; exit 7")).toEqual({ exitCode: 7, out: "out\n", err: "err\n" });
    async function* megabyte() {
      for (let i = 0; i < 64; i++) yield Buffer.alloc(16_384, "x");
    }
    expect(await run("wc -c", megabyte())).toEqual({ exitCode: 0, out: "1048576\n", err: "" });
    const big = await run("dd if=/dev/zero bs=65536 count=32 2>/dev/null | tr '\\0' y");
    expect([big.exitCode, big.out.length]).toEqual([0, 32 * 65_536]);
    const stop = new AbortController();
    const cut = run("echo started; sleep 600", undefined, stop.signal);
    setTimeout(() => stop.abort(new Error("enough")), 500);
    await expect(cut).rejects.toThrow("enough");
  });
});
