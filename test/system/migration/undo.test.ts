import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCondition, type KubeObject, kinds, type MigPlan } from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import type { Fault, Seen } from "../../harness/fault-proxy.ts";
import { type LightWorld, noLightWorld, openLightWorld } from "../../harness/light-migration.ts";

const why = noLightWorld();
if (why) console.log(`roll-backs and closed plans are skipped: ${why}`);

let world: LightWorld;
beforeAll(async () => {
  if (why) return;
  world = await openLightWorld();
  world.host();
}, 180_000);
afterAll(() => world?.close(), 60_000);

const plans = resourceOf(kinds.MigPlan);
const locations = resourceOf(kinds.BackupStorageLocation);
const types = ({ status }: { status?: { conditions?: readonly { type: string }[] } | undefined }) =>
  status?.conditions?.map(({ type }) => type);

async function replicas(): Promise<number | undefined> {
  const { blue, app } = world;
  type Deployment = KubeObject & { readonly spec?: { readonly replicas?: number } };
  return (await blue.get<Deployment>(builtIn.deployments, "shop", { namespace: app })).spec?.replicas;
}

async function hasArrived(): Promise<boolean> {
  return (await world.green.list(builtIn.namespaces)).some(({ metadata }) => metadata.name === world.app);
}

/** What the plan's runs made for themselves, on both clusters. */
async function made(selector: string): Promise<readonly string[]> {
  const { blue, green, server, app } = world;
  const found: string[] = [];
  for (const [cluster, client] of [
    ["blue", blue],
    ["green", green],
  ] as const) {
    for (const kind of [kinds.Backup, kinds.Restore, kinds.DeleteBackupRequest]) {
      const left = await client.list(resourceOf(kind), { namespace: server, labelSelector: selector });
      found.push(...left.map(({ metadata }) => `${cluster}: ${kind.kind} ${metadata.name}`));
    }
    for (const resource of [builtIn.configMaps, builtIn.pods]) {
      const lists = [server, app].map((namespace) =>
        client.list(resource, { namespace, labelSelector: selector }),
      );
      const left = (await Promise.all(lists)).flat();
      found.push(...left.map(({ metadata }) => `${cluster}: ${resource.kind} ${metadata.name}`));
    }
  }
  return found;
}

/** A storm that is the same at each run: every ninth request meets something. */
function storm({ watch, method, path }: Seen, index: number): Fault | undefined {
  if (watch || path.includes("authorization") || index % 9 !== 0) return undefined;
  const all: readonly Fault[] = [
    { kind: "status", code: 500, reason: "InternalError" },
    { kind: "reset" },
    { kind: "status", code: 429, reason: "TooManyRequests", retryAfter: 0 },
    { kind: "lost-answer" },
    { kind: "status", code: 503, reason: "ServiceUnavailable" },
    // Nobody is in conflict by reading.
    method === "GET" ? { kind: "reset" } : { kind: "status", code: 409, reason: "Conflict" },
  ];
  return all[Math.floor(index / 9) % all.length];
}

describe.skipIf(why !== undefined)("one plan", () => {
  test("a run whose source refuses the token waits, says what to do, and goes on with a new one", async () => {
    const { green, server, proxies } = world;
    await eventually(
      () => green.get<MigPlan>(plans, "plan", { namespace: server }),
      ({ status }) => findCondition(status?.conditions, "Ready") !== undefined,
      60_000,
    );
    proxies.blue.fault = () => ({ kind: "status", code: 401, reason: "Unauthorized" });
    await world.run("ahead", { stage: true, quiescePods: false, verify: false });
    const hint = '"headway cluster renew blue --from-kubeconfig FILE" makes a new token';
    const waits = await eventually(
      () => world.get("ahead"),
      ({ status }) => findCondition(status?.conditions, "PlanNotReady")?.message?.includes(hint) === true,
      60_000,
    );
    expect(waits.status?.startTimestamp).toBeDefined();
    proxies.blue.fault = () => undefined;
    // As `headway cluster renew` does.
    const body = { spec: { refresh: true } };
    await green.patch(resourceOf(kinds.MigCluster), "blue", { type: "merge", body }, { namespace: server });
    const { status } = await world.ended("ahead");
    expect(status?.errors).toBeUndefined();
    expect(types({ status })).toEqual(["Succeeded"]);
  }, 180_000);

  test("a final run gets through a storm of errors on both clusters, and none of them fails it", async () => {
    let met = 0;
    for (const proxy of Object.values(world.proxies)) {
      proxy.fault = (request, index) => {
        const fault = storm(request, index);
        if (fault) met += 1;
        return fault;
      };
    }
    await world.run("stormy");
    const { status } = await world.ended("stormy").finally(() => {
      for (const proxy of Object.values(world.proxies)) proxy.fault = () => undefined;
    });
    expect(met).toBeGreaterThan(20);
    expect(status?.errors).toBeUndefined();
    expect(types({ status })).toEqual(["Succeeded"]);
    expect(await replicas()).toBe(0);
    expect(await hasArrived()).toBe(true);
  }, 180_000);

  test("a finished run is rolled back: what it migrated goes, the source comes up, and a new final may follow", async () => {
    await world.run("back", { rollback: true, quiescePods: false, verify: false });
    const { status } = await world.ended("back");
    expect(types({ status })).toEqual(["Succeeded"]);
    expect(status).toMatchObject({ itinerary: "Rollback", phase: "Completed" });
    expect(status?.pipeline?.map(({ name, message }) => `${name} ${message}`)).toEqual([
      "Prepare Completed",
      "Final Completed",
    ]);
    expect(await replicas()).toBe(2);
    expect(await hasArrived()).toBe(false);
    expect(await made("migmigration")).toEqual([]);
    await world.run("again");
    expect(types(await world.ended("again"))).toEqual(["Succeeded"]);
    expect(await hasArrived()).toBe(true);
  }, 180_000);

  test("closing the plan removes what its runs made for themselves and leaves what was migrated", async () => {
    const { green, blue, server } = world;
    const { metadata } = await green.get<MigPlan>(plans, "plan", { namespace: server });
    const selector = `migplan=${metadata.uid}`;
    expect((await made(selector)).length).toBeGreaterThan(3);
    await green.patch(
      plans,
      "plan",
      { type: "merge", body: { spec: { closed: true } } },
      { namespace: server },
    );
    await eventually(
      () => green.get<MigPlan>(plans, "plan", { namespace: server }),
      ({ status }) => findCondition(status?.conditions, "Closed")?.reason === "Done",
    );
    expect(await made(selector)).toEqual([]);
    for (const client of [blue, green]) {
      const left = await client.list(locations, { namespace: server, labelSelector: "migstorage" });
      expect(left).toEqual([]);
    }
    expect(await hasArrived()).toBe(true);
    await world.run("late");
    const late = await eventually(
      () => world.get("late"),
      ({ status }) => types({ status })?.includes("PlanClosed") === true,
    );
    expect(late.status?.startTimestamp).toBeUndefined();
  }, 180_000);

  test("each condition was told as an event of its object", async () => {
    type EventNote = KubeObject & {
      readonly reason?: string;
      readonly type?: string;
      readonly involvedObject?: { readonly kind?: string; readonly name?: string };
    };
    const wanted = [
      "Normal MigCluster/blue Ready",
      "Normal MigStorage/shared Ready",
      "Normal MigPlan/plan Ready",
      "Normal MigMigration/again Running",
      "Normal MigMigration/again Succeeded",
      "Warning MigMigration/late PlanClosed",
    ];
    await eventually(
      async () => {
        const found = await world.green.list<EventNote>(builtIn.events, { namespace: world.server });
        return found.map(
          ({ type, reason, involvedObject: about }) => `${type} ${about?.kind}/${about?.name} ${reason}`,
        );
      },
      (told) => wanted.every((one) => told.includes(one)),
    );
  });
});
