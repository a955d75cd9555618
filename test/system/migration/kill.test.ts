import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubeObject, kinds, type MigMigration } from "../../../src/api/index.ts";
import { type ItineraryName, itineraries } from "../../../src/engines/migration/index.ts";
import { builtIn, Informer, resourceOf } from "../../../src/kube/index.ts";
import { type PipedRun, startHeadway } from "../../harness/headway-process.ts";
import { type LightWorld, noLightWorld, openLightWorld } from "../../harness/light-migration.ts";

// HEADWAY_EVERY_PHASE=1: the operator is killed at every phase; otherwise at every sixth.
const every = process.env["HEADWAY_EVERY_PHASE"] === "1" ? 1 : 6;
const why = noLightWorld();
if (why) console.log(`kills of the operator are skipped: ${why}`);

type Workload = KubeObject & { readonly spec?: { readonly replicas?: number } };

let world: LightWorld;
let folder: string;
const started: PipedRun[] = [];
beforeAll(async () => {
  if (why) return;
  folder = mkdtempSync(join(tmpdir(), "migration-kill-"));
  world = await openLightWorld({ lanes: 4, fails: (backup) => backup.startsWith("fail-stage-") });
}, 120_000);
afterAll(async () => {
  for (const one of started) await kill(one);
  await world?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** `headway operator` that waits for its turn: loaded, but its requests are held back until it goes. */
interface Operator {
  readonly process: PipedRun;
  go(): void;
}

/** Starts the program; what it writes about a run is refused when `refuses` says so. */
async function operator(refuses: (run: string) => Promise<boolean>): Promise<Operator> {
  const proxy = await world.proxy();
  const turn = Promise.withResolvers<undefined>();
  proxy.fault = async ({ method, path }) => {
    await turn.promise;
    const [, run] = /\/migmigrations\/([^/?]+)/.exec(path) ?? [];
    return method === "PATCH" && run && (await refuses(run)) ? { kind: "reset" } : undefined;
  };
  const kubeconfig = join(folder, `${started.length}.kubeconfig`);
  writeFileSync(kubeconfig, kubeconfigOf(proxy.url));
  const where = ["--kubeconfig", kubeconfig, "--namespace", world.server, "--stage-image", "none"];
  const flags = ["--controllers", "migration", "--no-leader-election", "--no-serve"];
  const process = startHeadway("operator", ...where, ...flags);
  started.push(process);
  return { process, go: () => turn.resolve(undefined) };
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "green", cluster: { server } }],
    contexts: [{ name: "green", context: { cluster: "green", user: "green" } }],
    users: [{ name: "green", user: {} }],
    "current-context": "green",
  });
}

async function kill(process: PipedRun): Promise<void> {
  process.signal("SIGKILL");
  await process.ended;
}

/** Runs of four itineraries side by side, and at which phases of each the operator is killed. */
const runs = [
  { name: "final", itinerary: "Final", spec: {}, annotations: {} },
  { name: "stage", itinerary: "Stage", spec: { stage: true }, annotations: {} },
  { name: "cancel", itinerary: "Cancel", spec: {}, annotations: {} },
  { name: "fail", itinerary: "Failed", spec: {}, annotations: { "headway.dev/rollback-on-failure": "true" } },
] as const;
/** The run that is canceled is so when it has restored something. */
const cancelAt = "StageRestoreCreated";

/** The phases that a run of this itinerary comes through, each as `itinerary phase`. */
function stopsOf(itinerary: ItineraryName): readonly string[] {
  return itineraries[itinerary]
    .map(({ phase }) => phase)
    .filter((phase, i) => phase !== "Completed" && i % every === 0)
    .map((phase) => `${itinerary} ${phase}`);
}

const stopOf = ({ status }: MigMigration) =>
  status?.itinerary ? `${status.itinerary} ${status.phase || "Created"}` : "";

test.skipIf(why !== undefined)(
  `headway operator, killed at ${every === 1 ? "each phase" : `each ${every}th phase`} of migrations of every itinerary, goes on after its restart`,
  async () => {
    const resource = resourceOf(kinds.MigMigration);
    const { green, blue, server } = world;
    const read = () => green.list<MigMigration>(resource, { namespace: server });
    const doomed = new Map(runs.map(({ name, itinerary }) => [name as string, stopsOf(itinerary)]));
    const killedAt = new Map(runs.map(({ name }) => [name as string, new Set<string>()]));
    const isDue = (run: MigMigration) => {
      const { name } = run.metadata;
      const stop = stopOf(run);
      return doomed.get(name)?.includes(stop) === true && killedAt.get(name)?.has(stop) === false;
    };
    const isToCancel = ({ metadata, spec, status }: MigMigration) =>
      metadata.name === "cancel" && status?.phase === cancelAt && spec?.canceled !== true;
    let waking = Promise.withResolvers<void>();
    const seen = new Set<string>();
    const latest = new Map<string, MigMigration>();
    const isStopped = (run: MigMigration | undefined) => run !== undefined && (isDue(run) || isToCancel(run));
    // One kill serves all runs: it comes when the last of them is where it has to be.
    const heard = (run: MigMigration) => {
      const { name } = run.metadata;
      latest.set(name, run);
      if (run.status?.phase === "Completed") seen.add(name);
      if (runs.every((one) => seen.has(one.name) || isStopped(latest.get(one.name)))) waking.resolve();
    };
    // No run leaves such a phase alive, not even one whose work is done.
    const refuses = async (name: string) => {
      const run = await world.get(name);
      heard(run);
      return isStopped(run);
    };
    // Two are loaded ahead: a start takes longer than a phase.
    const next = [operator(refuses), operator(refuses)];
    let present = await operator(refuses);
    present.go();
    let kills = 0;
    for (const [lane, { name, spec, annotations }] of runs.entries())
      await world.run(name, spec, annotations, lane);
    const stop = new AbortController();
    const informer = new Informer<MigMigration, undefined>({
      client: green,
      resource,
      query: { namespace: server },
      project: (run) => {
        heard(run);
        return undefined;
      },
    });
    const watching = informer.run(stop.signal);
    while (seen.size < runs.length) {
      await waking.promise;
      if (seen.size === runs.length) break;
      await kill(present.process);
      kills += 1;
      // What the dead left is what counts; each run is somewhere, and all of them go on from there.
      for (const run of await read()) {
        killedAt.get(run.metadata.name)?.add(stopOf(run));
        if (!isToCancel(run)) continue;
        const body = { spec: { canceled: true } };
        await green.patch(resource, "cancel", { type: "merge", body }, { namespace: server });
      }
      waking = Promise.withResolvers<void>();
      if (seen.size === runs.length) break;
      next.push(operator(refuses));
      present = (await next.shift()) ?? present;
      present.go();
    }
    stop.abort();
    await Promise.all([watching, ...next]);
    console.log(`headway operator was killed ${kills} times`);
    for (const [name, wanted] of doomed) {
      const found = killedAt.get(name) ?? new Set();
      expect(
        wanted.filter((phase) => !found.has(phase)),
        `${name}, ${kills} kills`,
      ).toEqual([]);
    }
    const ends = Object.fromEntries((await read()).map((run) => [run.metadata.name, run]));
    const types = (name: string) => ends[name]?.status?.conditions?.map(({ type }) => type);
    for (const name of ["final", "stage"]) {
      expect(ends[name]?.status?.errors).toBeUndefined();
      expect(types(name)).toEqual(["Succeeded"]);
      expect(ends[name]?.status?.pipeline?.every(({ message }) => message === "Completed")).toBe(true);
    }
    expect(types("cancel")).toEqual(["Canceled"]);
    expect(types("fail")).toEqual(["Failed"]);
    for (const name of ["cancel", "fail"]) {
      expect(ends[name]?.status?.pipeline?.at(-1)).toMatchObject({ name: "Final", message: "Completed" });
    }
    const backups = await blue.list(resourceOf(kinds.Backup), { namespace: server });
    const restores = await green.list(resourceOf(kinds.Restore), { namespace: server });
    const made = [...backups, ...restores].map(({ metadata }) => metadata.name.replace(/-[^-]+$/, ""));
    // Nothing was made twice, and what was canceled is gone.
    expect(made.toSorted()).toEqual(
      ["fail-initial", "fail-stage", "final-final", "final-initial", "final-stage", "final-stage"].concat([
        "stage-stage",
        "stage-stage",
      ]),
    );
    const scaled = await Promise.all(
      world.apps.map((namespace) => blue.get<Workload>(builtIn.deployments, "shop", { namespace })),
    );
    // The stage run had to quiesce, too; those that were undone are back.
    expect(scaled.map(({ spec }) => spec?.replicas)).toEqual([0, 0, 2, 2]);
    const spaces = new Set((await green.list(builtIn.namespaces)).map(({ metadata }) => metadata.name));
    expect(world.apps.map((app) => spaces.has(app))).toEqual([true, true, false, false]);
  },
  900_000,
);
