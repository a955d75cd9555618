import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubeObject, kinds, type OperationObject } from "../../../src/api/index.ts";
import { run as runCli } from "../../../src/cli/index.ts";
import { verifyDocument } from "../../../src/engines/drill/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { DrillWorld } from "../../harness/drill-world.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";

// A whole rehearsal with real restic: restored beside its source, cut off, checked, measured, signed and removed.
const found = findTestMover("restic");
const skip = "missing" in found ? found.missing : undefined;
let world: DrillWorld;

beforeAll(async () => {
  if (skip !== undefined) return;
  world = await DrillWorld.open();
  await world.app("shop", "a kilo of coffee");
  await world.filled("shop");
  await world.backup("nightly", ["shop"]);
});
afterAll(() => world?.close());

test.skipIf(skip !== undefined)(
  `a drill proves a backup, touches nothing outside its scratch namespace, and leaves nothing${skip ? ` (${skip})` : ""}`,
  async () => {
    const before = world.writes.length;
    await world.drill("proof", {
      backupName: "nightly",
      isolation: { quota: { pods: "10" } },
      checks: [
        // Holds the copy until the test has looked at it.
        { name: "looked at", exec: { pod: "web", command: ["test", "-e", "/data/looked-at"] } },
        {
          name: "the words are there",
          exec: { pod: "web", command: ["sh", "-c", 'test "$(cat /data/words)" = "a kilo of coffee"'] },
        },
      ],
    });
    const walls = await eventually(
      () => wallsOf("shop"),
      (seen) => seen.pods.length > 0 && seen.services.length > 0 && seen.cronJobs.length > 0,
      120_000,
    );
    const look = { namespace: walls.namespace, container: "c", command: ["touch", "/data/looked-at"] };
    await eventually(
      async () => (await world.client.exec(builtIn.pods, "web", look).catch(() => undefined))?.exitCode, // not running yet
      (code) => code === 0,
      120_000,
    );
    const drill = await world.ended("proof");
    expect(drill.status, JSON.stringify([drill.status, world.log])).toMatchObject({
      phase: "Completed",
      backupName: "nightly",
      result: { volumes: 1, volumesProved: 1 },
    });
    const { result, checks, report } = drill.status ?? {};
    expect(result?.bytes).toBeGreaterThan(300_000);
    expect(result?.bytesRestored).toBe(result?.bytes);
    expect(result?.rtoSeconds).toBeGreaterThan(0);
    expect(result?.rpoSeconds).toBeGreaterThanOrEqual(0);
    expect(checks?.map(({ kind, result: verdict }) => `${kind} ${verdict}`).toSorted()).toEqual([
      "exec Passed",
      "exec Passed",
      "volume Passed",
      "workload Passed",
    ]);
    expect(walls).toMatchObject({ ingresses: [], policies: ["headway-drill"], quotas: ["headway-drill"] });
    expect(walls.services).toEqual([{ type: "ClusterIP", annotations: [] }]);
    expect(walls.cronJobs).toEqual([{ suspend: true }]);
    expect(await world.leftovers()).toEqual([]);
    expect(strayWrites(before)).toEqual([]);
    const stored = gunzipSync(
      readFileSync(join(world.bucket, "backups/nightly/nightly-headway-drill.json.gz")),
    ).toString();
    expect(stored).toBe(report?.document);
    expect(verifyDocument(stored, report?.publicKey).report).toMatchObject({ verdict: "proved" });
    expect(() => verifyDocument(stored.replace("proved", "failed"))).toThrow("changed after it was signed");
  },
);

test.skipIf(skip !== undefined)(
  "a drill is an operation as any other: its tree, its conditions",
  async () => {
    const operations = resourceOf(kinds.Operation);
    const all = await eventually(
      () => world.client.list<OperationObject>(operations, { namespace: world.namespace }),
      (list) => list.some(({ status }) => status?.ref.kind === "Drill" && status.state === "completed"),
    );
    const one = all.find(({ status }) => status?.ref.kind === "Drill");
    expect(one?.status?.children.map(({ id, state }) => `${id} ${state}`)).toEqual([
      "prepare completed",
      "restore completed",
      "ready completed",
      "volumes completed",
      "checks completed",
      "cleanup completed",
    ]);
    const drill = await world.getDrill("proof");
    const conditions = Object.fromEntries(
      drill?.status?.conditions?.map(({ type, status }) => [type, status]) ?? [],
    );
    expect(conditions).toEqual({ Complete: "True", Ready: "True" });
  },
);

test.skipIf(skip !== undefined)(
  "the report of a drill is printed and verified, and no longer after a changed byte",
  async () => {
    const place = ["--kubeconfig", world.kubeconfig, "--namespace", world.namespace];
    const printed = await headway("drill", "report", "proof", ...place);
    const page = await headway("drill", "report", "proof", "-o", "html", ...place);
    expect(page.out).toContain("Restorable: restorable: proved in");
    const file = join(world.folder, "report.json");
    writeFileSync(file, printed.out);
    expect(await headway("drill", "verify", file, ...place)).toMatchObject({ code: 0 });
    writeFileSync(file, printed.out.replace('"volumesProved": 1', '"volumesProved": 2'));
    const changed = await headway("drill", "verify", file, ...place);
    expect([changed.code, changed.err]).toEqual([1, expect.stringContaining("changed after it was signed")]);
    expect((await headway("drill", "get", ...place)).out).toMatch(/^proof\s+nightly\s+Completed\s/m);
    expect((await headway("drill", "describe", "proof", ...place)).out).toMatch(/Volumes proved:\s+1 of 1/);
  },
);

/** Runs a command in this process, as a person would type it. */
async function headway(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const io = {
    out: (words: string) => void (out += words),
    err: (words: string) => void (err += words),
    env: {},
    terminal: undefined,
    color: false,
  };
  const code = await runCli(argv, new AbortController().signal, io);
  return { code, out, err };
}

test.skipIf(skip !== undefined)(
  "a check that fails is blamed on the check; two drills at once keep out of each other's way",
  async () => {
    await world.drill("wrong", {
      backupName: "nightly",
      checks: [
        {
          name: "no words",
          timeout: "1s",
          exec: { pod: "web", command: ["test", "!", "-e", "/data/words"] },
        },
        {
          name: "a job",
          job: {
            template: {
              spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none", command: ["true"] }] },
            },
          },
        },
      ],
    });
    await world.drill("right", { backupName: "nightly" });
    const [wrong, right] = await Promise.all([world.ended("wrong"), world.ended("right")]);
    expect(right.status, JSON.stringify(right.status)).toMatchObject({ phase: "Completed" });
    expect(wrong.status, JSON.stringify(wrong.status)).toMatchObject({ phase: "Failed" });
    expect(wrong.status?.failures?.map(({ part, object }) => `${part}: ${object}`)).toEqual([
      "check: check no words",
    ]);
    expect(wrong.status?.checks?.find(({ kind }) => kind === "job")).toMatchObject({ result: "Passed" });
    expect(wrong.status?.namespaces?.[0]?.target).not.toBe(right.status?.namespaces?.[0]?.target);
    expect(await world.leftovers()).toEqual([]);
  },
);

/** What was written outside the server's namespace and the scratch namespaces, beside the scratch namespaces themselves. */
function strayWrites(from: number): readonly string[] {
  const scratch = /^[a-z0-9-]+-drill-[a-z0-5]{5}$/;
  const made = world.writes.slice(from);
  expect(made.filter(({ namespace = "" }) => scratch.test(namespace)).length).toBeGreaterThan(3);
  return made
    .filter(
      ({ plural, namespace, name = "" }) =>
        namespace !== world.namespace &&
        !scratch.test(namespace ?? "") &&
        !(plural === "namespaces" && scratch.test(name)),
    )
    .map(({ verb, plural, namespace = "", name = "" }) => `${verb} ${plural} ${namespace}/${name}`);
}

async function wallsOf(source: string) {
  const { client } = world;
  const spaces = await client.list<KubeObject>(builtIn.namespaces);
  const namespace =
    spaces.find(({ metadata }) => metadata.name.startsWith(`${source}-drill-`))?.metadata.name ?? "none";
  const list = <T extends KubeObject>(group: string, plural: string) =>
    client.list<T>({ group, version: "v1", plural, kind: "", namespaced: true }, { namespace });
  const names = (all: readonly KubeObject[]) => all.map(({ metadata }) => metadata.name);
  const services = await list<KubeObject & { spec: { type: string } }>("", "services");
  const cronJobs = await list<KubeObject & { spec: { suspend: boolean } }>("batch", "cronjobs");
  return {
    namespace,
    pods: names(await list("", "pods")),
    ingresses: names(await list("networking.k8s.io", "ingresses")),
    policies: names(await list("networking.k8s.io", "networkpolicies")),
    quotas: names(await list("", "resourcequotas")),
    services: services.map(({ metadata, spec }) => ({
      type: spec.type,
      annotations: Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith("external-dns")),
    })),
    cronJobs: cronJobs.map(({ spec }) => ({ suspend: spec.suspend })),
  };
}
