import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type ActionSet, type Backup, type KubeObject, kinds, type Restore } from "../../src/api/index.ts";
import { resources } from "../../src/engines/podvolume/index.ts";
import { builtIn, type Resource, resourceOf } from "../../src/kube/index.ts";
import { task } from "../harness/action-stage.ts";
import { eventually } from "../harness/eventually.ts";
import {
  inShop,
  type MigrationWorld,
  makeShop,
  migMigrations,
  migrate,
  readyPlan,
  server,
  shopFile,
} from "../harness/migration-world.ts";
import { fillTree, treeLines } from "../harness/tree.ts";
import type { Victim } from "./victims.ts";
import { app, folderOf, runningPod, type SoakSide, type SoakWorld } from "./world.ts";

/** What one round of work showed. */
export interface RoundResult {
  readonly name: string;
  /** Why it is wrong; empty when it is right. */
  readonly faults: readonly string[];
  /** Volumes and logs that were compared with what they had to be. */
  readonly compared: number;
}

/** One run that something is killed under. */
export interface Run {
  readonly name: string;
  /** Who can be killed, and in which cluster. */
  readonly victims: readonly (readonly [SoakSide, Victim])[];
  /** The phase it is in; undefined when it is over. */
  phase(): Promise<string | undefined>;
}

/** Kills at random moments until the run is over. */
export type Killer = (run: Run) => Promise<void>;

const ends = /^(Completed|PartiallyFailed|Failed.*|complete|failed)$/;
const limitMs = 240_000;
const actionSets = resourceOf(kinds.ActionSet);
const blueprints = resourceOf(kinds.Blueprint);

/** A backup of a volume and a restore of it beside the first; every byte is compared. */
export async function backupAndRestore(world: SoakWorld, name: string, kill: Killer): Promise<RoundResult> {
  const { blue, volume } = world;
  if (!existsSync(join(volume, "nothing"))) fillTree(volume, [1_000_000, 3, 70_000]);
  // New bytes each time, so that no mover is done before it began.
  for (let i = 0; i < 8; i += 1) writeFileSync(join(volume, `big-${i}`), randomBytes(8 << 20));
  const faults: string[] = [];
  const victims = (["operator", "agent", "mover"] as const).map((victim) => [blue, victim] as const);
  const run = async (kind: "Backup" | "Restore", spec: object) => {
    const resource = kind === "Backup" ? resources.backups : resources.restores;
    await make(blue, resource, name, { spec });
    const read = () => blue.client.get<Backup | Restore>(resource, name, { namespace: server });
    await kill({
      name: `${kind.toLowerCase()} ${name}`,
      victims,
      phase: async () => unended((await read()).status?.phase),
    });
    const { status } = await eventually(read, (one) => ends.test(one.status?.phase ?? ""), limitMs);
    if (status?.phase !== "Completed") faults.push(`${kind} ${name} is ${JSON.stringify(status)}`);
  };
  await run("Backup", { includedNamespaces: [app] });
  const copy = `${app}-${name}`;
  await run("Restore", { backupName: name, namespaceMapping: { [app]: copy } });
  if (faults.length > 0) return { name, faults, compared: 0 };
  const [was, is] = [treeLines(volume), treeLines(folderOf(blue, await runningPod(blue, copy)))];
  if (was.join("\n") !== is.join("\n")) faults.push(`${name}: the restored volume differs`);
  await blue.client.delete(builtIn.namespaces, copy);
  return { name, faults, compared: 1 };
}

/** An action of three commands, each of which writes down that it ran. */
export async function action(world: SoakWorld, name: string, kill: Killer): Promise<RoundResult> {
  const { blue, folder } = world;
  const log = join(folder, `${name}.log`);
  const phases = ["a", "b", "c"].map((word) => task(word, `sleep 0.4; echo ${word} >> ${log}; sleep 0.4`));
  const object = { kind: "Namespace", name: app, namespace: app };
  await make(blue, blueprints, name, { actions: { run: { phases } } });
  const spec = { actions: [{ name: "run", blueprint: name, object }] };
  await make(blue, actionSets, name, { spec });
  const read = () => blue.client.get<ActionSet>(actionSets, name, { namespace: server });
  await kill({
    name: `action ${name}`,
    victims: [[blue, "operator"]],
    phase: async () => unended((await read()).status?.state),
  });
  const { status } = await eventually(read, (one) => ends.test(one.status?.state ?? ""), limitMs);
  const ran = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").join(" ") : "";
  const faults = [
    ...(status?.state === "complete"
      ? []
      : [`ActionSet ${name} is ${status?.state}: ${status?.error?.message}`]),
    ...(ran === "a b c" ? [] : [`ActionSet ${name} ran "${ran}" instead of "a b c"`]),
  ];
  return { name, faults, compared: 1 };
}

/** A migration of an application with a claim to the other cluster; its file is compared there. */
export async function migration(world: SoakWorld, name: string, kill: Killer): Promise<RoundResult> {
  const { blue, green } = world;
  await makeShop(blue, name, { kilobytes: 16_384 });
  const sum = await shopFile(blue, name, "sum");
  const sides: MigrationWorld = {
    ...world,
    home: green,
    log: [],
    space: (one) => one,
    host: () => () => Promise.resolve(),
  };
  await readyPlan(sides, name, [name]);
  await migrate(sides, name, name, { quiescePods: true });
  const read = () => green.client.get<MigrationObject>(migMigrations, name, { namespace: server });
  const victims = [blue, green].flatMap((side) =>
    (["operator", "agent", "mover"] as const).map((victim) => [side, victim] as const),
  );
  await kill({
    name: `migration ${name}`,
    victims,
    phase: async () => unended((await read()).status?.phase || "Created"),
  });
  const { status } = await eventually(read, (one) => one.status?.phase === "Completed", limitMs);
  const conditions = status?.conditions?.map(({ type }) => type).join() ?? "";
  const faults = conditions.includes("Succeeded")
    ? []
    : [`migration ${name} ended ${conditions}: ${JSON.stringify(status?.errors)}`];
  if (faults.length > 0) return { name, faults, compared: 0 };
  const found = await eventually(
    () => inShop(green, name, ["sha256sum", "/data/file"]),
    (text) => text !== "",
    120_000,
  );
  if (found !== sum) faults.push(`${name}: the migrated file is ${found.trim()}, it was ${sum.trim()}`);
  for (const side of [blue, green]) await side.client.delete(builtIn.namespaces, name);
  return { name, faults, compared: 1 };
}

type MigrationObject = KubeObject & {
  readonly status?: {
    readonly phase?: string;
    readonly errors?: readonly string[];
    readonly conditions?: readonly { readonly type: string }[];
  };
};

function make(side: SoakSide, resource: Resource, name: string, object: object): Promise<KubeObject> {
  const { group, version, kind } = resource;
  const metadata = { name, namespace: server };
  return side.client.create<KubeObject>(resource, {
    apiVersion: `${group}/${version}`,
    kind,
    metadata,
    ...object,
  });
}

/** A phase that is no end, or undefined. */
function unended(phase = "New"): string | undefined {
  return ends.test(phase) ? undefined : phase;
}

/** Waits until one of the victims' movers runs; false when the run was over before. */
export async function moverRuns(run: Run, side: SoakSide): Promise<boolean> {
  for (;;) {
    if (side.victims.movers().length > 0) return true;
    if ((await run.phase()) === undefined) return false;
    await pause(20);
  }
}
