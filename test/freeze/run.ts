// Stops the agent, the mover or the operator at random moments of backups to a slow store and measures how long it takes until each
// surface says so, and whether it names the right cause; then copies on slow but healthy links and counts false alarms:
// `npm run freeze -- [--stops N] [--healthy MINUTES] [--seed N]`. Exits with 1 when an aim is missed.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type KubeObject, kinds, type OperationObject } from "../../src/api/index.ts";
import { resources } from "../../src/engines/podvolume/index.ts";
import { builtIn, resourceOf } from "../../src/kube/index.ts";
import {
  headline,
  isTerminal,
  type Operation,
  type StallCause,
  stalledPart,
} from "../../src/progress/index.ts";
import { eventually } from "../harness/eventually.ts";
import { findTestMover } from "../harness/movers.ts";
import { seededRandom } from "../harness/random.ts";
import type { Victim } from "../soak/victims.ts";
import { type FreezeWorld, openFreezeWorld, server } from "./world.ts";

const { values } = parseArgs({
  options: {
    stops: { type: "string", default: "30" },
    healthy: { type: "string", default: "60" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const random = seededRandom(Number(values.seed));
const stops = Number(values.stops);
const healthyMs = Number(values.healthy) * 60_000;
/** So long something is stopped, and so soon it must be told. */
const [stoppedMs, aimMs] = [60_000, 40_000];
/** Bytes a second of the link while something is stopped: a copy lasts longer than that. */
const linkRate = 500_000;

const right: Readonly<Record<Victim, readonly StallCause[]>> = {
  agent: ["agent-missing"],
  mover: ["mover-silent"],
  operator: ["operator-silent"],
};

interface Round {
  readonly victim: Victim;
  readonly cause: StallCause | undefined;
  /** Ms until each surface said it. */
  readonly told: Readonly<Record<string, number | undefined>>;
}

const rounds: Round[] = [];
let [alarms, healthyOperationMs] = [0, 0];
const uploaders = (["restic", "kopia"] as const).filter((kind) => !("missing" in findTestMover(kind)));
if (uploaders.length === 0) throw new Error("there is no mover here, so that there is nothing to stop");
console.log(
  `${stops} stops of ${stoppedMs / 1000} s, ${values.healthy} healthy minutes, seed ${values.seed}`,
);
for (const [i, uploader] of uploaders.entries()) {
  const world = await openFreezeWorld(uploader);
  try {
    const until = Math.ceil((stops * (i + 1)) / uploaders.length);
    while (rounds.length < until) rounds.push(await freeze(world, `${uploader}-${rounds.length}`));
    await healthy(world, uploader, healthyMs / uploaders.length);
  } finally {
    await world.close();
  }
}
summary();

/** Stops one of them for a minute in the middle of a backup. */
async function freeze(world: FreezeWorld, name: string): Promise<Round> {
  const victim = (["agent", "mover", "operator"] as const)[Math.floor(random() * 3)] ?? "agent";
  world.link.shape({ rate: () => linkRate });
  await world.backup(name, linkRate * 120);
  const id = `backup/${server}/${name}`;
  await eventually(
    () => Promise.resolve(world.view.observer.operation(id)),
    (operation) => volumesOf(operation) > 0,
    180_000,
  );
  await pause(5_000 + random() * 15_000);
  const stopped = world.victims.freeze(victim);
  const from = performance.now();
  const told: Record<string, number | undefined> = {};
  let cause: StallCause | undefined;
  while (performance.now() - from < stoppedMs) {
    const operation = world.view.observer.operation(id);
    const part = operation && stalledPart(operation);
    if (part?.stall) {
      told["viewer"] ??= performance.now() - from;
      cause = part.stall.cause;
    }
    // What the operator writes cannot tell that the operator stands still.
    if (victim !== "operator") {
      if (await isShownStalled(world, name)) told["kubectl"] ??= performance.now() - from;
      if (await hasEvent(world, name)) told["event"] ??= performance.now() - from;
    }
    await pause(500);
  }
  const words = world.view.observer.operation(id);
  const line = words ? headline(words, Date.now()) : "gone";
  stopped.goOn();
  const times = Object.entries(told).map(([surface, ms]) => `${surface} ${seconds(ms)}`);
  console.log(`${name}: ${victim} stopped, told ${times.join(", ") || "NOT"}: ${line}`);
  await remove(world, name);
  return { victim, cause, told };
}

/** Copies behind links at a third and a twentieth of the usual speed; whatever is told as a stall is a false alarm. */
async function healthy(world: FreezeWorld, uploader: string, forMs: number): Promise<void> {
  const from = performance.now();
  for (let i = 0; performance.now() - from < forMs; i += 1) {
    const rate = [15_000_000, 2_000_000, 300_000][i % 3] ?? 300_000;
    world.link.shape({ rate: (at) => (i % 2 ? rate * (1 + Math.sin(at / 7)) : rate) });
    const name = `${uploader}-healthy-${i}`;
    await world.backup(name, Math.min(rate * 90, 500_000_000));
    const id = `backup/${server}/${name}`;
    const began = performance.now();
    let isAlarmed = false;
    for (;;) {
      const operation = world.view.observer.operation(id);
      if (operation && isTerminal(operation.state)) break;
      const isStalled = operation !== undefined && stalledPart(operation) !== undefined;
      if (isStalled && !isAlarmed) {
        alarms += 1;
        console.log(`FALSE ALARM ${name}: ${headline(operation, Date.now())}`);
      }
      isAlarmed = isStalled;
      await pause(500);
    }
    healthyOperationMs += performance.now() - began;
    await remove(world, name);
  }
}

function volumesOf(operation: Operation | undefined): number {
  const volumes = operation?.children.find(({ id }) => id === "volumes");
  return volumes?.progress?.done ?? 0;
}

async function isShownStalled({ side }: FreezeWorld, name: string): Promise<boolean> {
  const object = await side.client.get<OperationObject>(resourceOf(kinds.Operation), `backup-${name}`, {
    namespace: server,
  });
  return object.status?.shown?.state === "stalled";
}

async function hasEvent({ side }: FreezeWorld, name: string): Promise<boolean> {
  const events = await side.client.list<KubeObject & { reason?: string; involvedObject?: { name?: string } }>(
    builtIn.events,
    { namespace: server },
  );
  return events.some(({ reason, involvedObject }) => reason === "Stalled" && involvedObject?.name === name);
}

async function remove({ side }: FreezeWorld, name: string): Promise<void> {
  await side.client.delete(builtIn.namespaces, `app-${name}`);
  await side.client.patch(
    resources.backups,
    name,
    { type: "merge", body: { metadata: { annotations: { "headway.dev/cancel": "true" } } } },
    { namespace: server },
  );
  await eventually(
    () =>
      side.client.get<KubeObject & { status?: { phase?: string } }>(resources.backups, name, {
        namespace: server,
      }),
    ({ status }) => /^(Completed|PartiallyFailed|Failed)/.test(status?.phase ?? ""),
    180_000,
  );
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? "never" : `${(ms / 1000).toFixed(1)} s`;
}

function summary(): void {
  for (const surface of ["viewer", "kubectl", "event"]) {
    const all = rounds
      .filter(({ victim }) => surface === "viewer" || victim !== "operator")
      .map(({ told }) => told[surface] ?? Number.POSITIVE_INFINITY)
      .toSorted((a, b) => a - b);
    const at = (share: number) => all[Math.min(all.length - 1, Math.floor(share * all.length))] ?? 0;
    const never = all.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
    console.log(
      `${surface}: p50 ${seconds(at(0.5))}, p95 ${seconds(at(0.95))}, never ${never} of ${all.length}`,
    );
    if (at(0.95) > aimMs) process.exitCode = 1;
  }
  const known = rounds.filter(
    ({ victim, cause }) => cause !== undefined && right[victim].includes(cause),
  ).length;
  console.log(`cause right in ${known} of ${rounds.length}`);
  if (known < 0.9 * rounds.length || alarms > 0) process.exitCode = 1;
  console.log(
    `${alarms} false alarms in ${(healthyOperationMs / 60_000).toFixed(1)} minutes of healthy copies`,
  );
}
