import { spawn } from "node:child_process";
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Informer, StatusWriter } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { eventually } from "../../harness/eventually.ts";
import { type ConfigMap, configMap, configMaps } from "../../system/kube/kinds.ts";

/** A folder with the process ids of the control plane, one file per component. */
const pids = process.env["HEADWAY_CLUSTER_PIDS"];
const outageMs = Number(process.env["HEADWAY_OUTAGE_SECONDS"] ?? 60) * 1000;
const why = pids ? "" : " (skipped: HEADWAY_CLUSTER_PIDS names no folder of process ids)";

/** The API server's process, with all it takes to start it again. */
function apiServer(folder: string) {
  const file = join(folder, "kube-apiserver");
  const pid = Number(readFileSync(file, "utf8"));
  const words = (name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0").slice(0, -1);
  const [command = "", ...args] = words("cmdline");
  const cwd = readlinkSync(`/proc/${pid}/cwd`);
  const env = Object.fromEntries(words("environ").map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  return {
    kill: () => process.kill(pid, "SIGKILL"),
    start() {
      const child = spawn(command, args, { cwd, env, detached: true, stdio: "ignore" });
      child.unref();
      writeFileSync(file, `${child.pid}\n`);
    },
  };
}

describe.skipIf(!pids)(`the API server is killed for ${outageMs / 1000} s${why}`, () => {
  let cluster: TestCluster;
  let server: ReturnType<typeof apiServer>;
  let isDown = false;
  beforeAll(async () => {
    cluster = await openCluster();
    server = apiServer(pids ?? "");
  });
  afterAll(async () => {
    if (isDown) server.start();
    await cluster?.close();
  });

  test("a watch and a status stream go through it: afterwards informer and last status are right", {
    timeout: outageMs + 240_000,
  }, async () => {
    const { client, namespace } = cluster;
    const at = { namespace };
    for (let i = 0; i < 10; i++) await client.create(configMaps, configMap(`object-${i}`), at);
    const stop = new AbortController();
    const errors: unknown[] = [];
    const informer = new Informer<ConfigMap, string>({
      client,
      resource: configMaps,
      query: { namespace, labelSelector: "test=kube" },
      project: (object) => object.data?.["n"] ?? "",
      onError: (error) => errors.push(error),
    });
    const informing = informer.run(stop.signal);
    await informer.synced(AbortSignal.timeout(60_000));
    const targets = [...informer.entries()].map(([key]) => ({
      resource: configMaps,
      namespace,
      name: key.slice(namespace.length + 1),
    }));
    const writer = new StatusWriter({ client });
    let n = 0;
    const offering = setInterval(() => {
      n += 1;
      for (const target of targets) writer.offer(target, { data: { n: `${n}` } });
    }, 100);
    await eventually(
      () => informer.get(`${namespace}/object-0`),
      (value) => value !== "",
    );

    server.kill();
    isDown = true;
    const before = writer.counts;
    await new Promise((resolve) => setTimeout(resolve, outageMs)); // the outage itself
    const during = writer.counts;
    server.start();
    isDown = false;
    const upAt = n;
    expect(during.writes - before.writes, "nothing was stored meanwhile").toBeLessThanOrEqual(targets.length);
    expect(during.failures - before.failures, "and nobody stormed").toBeLessThan(16 + outageMs / 1_000);

    // The stream goes on by itself: a value that was offered after the start arrives and is seen.
    await eventually(
      () => Number(informer.get(`${namespace}/object-9`)),
      (value) => value > upAt,
      120_000,
    );
    clearInterval(offering);
    await Promise.all(targets.map((target) => writer.finish(target, { data: { n: "final" } })));
    await client.create(configMaps, configMap("after", { n: "new" }), at);
    await client.delete(configMaps, "object-3", at);
    const stored = await client.list<ConfigMap>(configMaps, { namespace, labelSelector: "test=kube" });
    const want = Object.fromEntries(
      stored.map((one) => [`${namespace}/${one.metadata.name}`, one.data?.["n"] ?? ""]),
    );
    expect(Object.values(want).filter((value) => value === "final")).toHaveLength(9);
    const have = await eventually(
      () => Object.fromEntries(informer.entries()),
      (entries) => entries[`${namespace}/after`] === "new" && !(`${namespace}/object-3` in entries),
    );
    expect(have).toEqual(want);
    expect(errors.length).toBeGreaterThan(0);
    stop.abort();
    await informing;
    writer.close();
  });
});
