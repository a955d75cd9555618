import { afterAll, beforeAll, expect, test } from "vitest";
import type { MigMigration } from "../../../src/api/index.ts";
import { builtIn, Informer } from "../../../src/kube/index.ts";
import { Observer } from "../../../src/observe/index.ts";
import { isTerminal, type Operation } from "../../../src/progress/index.ts";
import { noSides } from "../../harness/migration-sides.ts";
import {
  ended,
  inShop,
  type MigrationWorld,
  makeShop,
  migMigrations,
  migrate,
  openMigrationWorld,
  readyPlan,
  server,
  shopFile,
} from "../../harness/migration-world.ts";

const why = noSides();
if (why) console.log(`migrations with data are skipped: ${why}`);
let world: MigrationWorld;
beforeAll(async () => {
  if (why) return;
  world = await openMigrationWorld();
  world.host();
}, 180_000);
afterAll(() => world?.close(), 60_000);

/** Watches a migration as a viewer does, and how long after its object each step is seen. */
async function sample(name: string) {
  const { client } = world.green;
  const stop = new AbortController();
  const observer = new Observer({ client });
  const running = observer.run(stop.signal);
  await observer.synced();
  const fractions: number[] = [];
  const titles = new Set<string>();
  const writtenAt = new Map<string, number>();
  const lagsMs = new Map<string, number>();
  let without = 0;
  const collect = (operation: Operation) => {
    titles.add(operation.title);
    operation.children.forEach(collect);
  };
  const informer = new Informer<MigMigration, undefined>({
    client,
    resource: migMigrations,
    query: { namespace: server, fieldSelector: `metadata.name=${name}` },
    project: ({ status }) => {
      for (const { name: step, started } of status?.pipeline ?? []) {
        if (started && !writtenAt.has(step)) writtenAt.set(step, performance.now());
      }
      return undefined;
    },
  });
  const watching = informer.run(stop.signal);
  try {
    await new Promise<void>((resolve) => {
      observer.subscribe(({ id, operation }) => {
        if (id !== `migmigration/${server}/${name}` || !operation) return;
        if (operation.fraction !== undefined) fractions.push(operation.fraction);
        if (operation.state === "running" && !operation.eta) without += 1;
        collect(operation);
        for (const { title, startedAt } of operation.children) {
          const at = writtenAt.get(title);
          if (startedAt !== undefined && !lagsMs.has(title))
            lagsMs.set(title, Math.max(0, performance.now() - (at ?? performance.now())));
        }
        if (isTerminal(operation.state)) resolve();
      });
    });
  } finally {
    stop.abort();
    await Promise.all([running, watching]);
  }
  return { fractions, without, lagsMs, titles };
}

const types = (status: { conditions?: readonly { type: string }[] } | undefined) =>
  status?.conditions?.map(({ type }) => type);

test.skipIf(why !== undefined)(
  "Stage, then Final: the application comes to the destination with the data it had last",
  async () => {
    const { blue, green } = world;
    const app = world.space("shop");
    await makeShop(blue, app, { kilobytes: 20_000 });
    const plan = await readyPlan(world, "shop", [app]);
    expect(plan.spec?.persistentVolumes).toMatchObject([
      {
        pvc: { namespace: app, name: "data", hasReference: true },
        selection: { action: "copy", copyMethod: "filesystem" },
      },
    ]);

    await migrate(world, "shop", "ahead", { stage: true });
    const stage = await ended(world, "ahead");
    expect(stage.status?.errors).toBeUndefined();
    expect(types(stage.status)).toEqual(["Succeeded"]);
    expect(stage.status?.pipeline?.map(({ name, message }) => `${name} ${message}`)).toEqual([
      "Prepare Completed",
      "VolumeBackup Completed",
      "VolumeRestore Completed",
      "Final Completed",
    ]);
    // The application goes on meanwhile: one file is new, one is gone when the final run comes.
    await inShop(blue, app, ["sh", "-c", "echo late > /data/late; rm /data/sum; echo ok"]);
    const file = await inShop(blue, app, ["sha256sum", "/data/file"]);

    const sampled = sample("move");
    await migrate(world, "shop", "move", { quiescePods: true, verify: true });
    const final = await ended(world, "move");
    const { fractions, without, lagsMs, titles } = await sampled;
    expect(fractions.length).toBeGreaterThan(10);
    expect(fractions.every((share, i) => share >= (fractions[i - 1] ?? 0))).toBe(true);
    expect(fractions.slice(0, -1).every((share) => share < 1)).toBe(true);
    expect(fractions.at(-1)).toBe(1);
    // An estimate, or the reason why there is none yet, at every moment.
    expect(without).toBe(0);
    expect(Math.max(...lagsMs.values())).toBeLessThan(2_000);
    expect([...lagsMs.keys()]).toEqual([
      "Prepare",
      "Backup",
      "VolumeBackup",
      "VolumeRestore",
      "Restore",
      "Final",
    ]);
    expect([...titles].filter((title) => title.includes(`claim ${app}/data`)).toSorted()).toEqual([
      `claim ${app}/data (blue)`,
      `claim ${app}/data (green)`,
    ]);
    expect(final.status?.errors).toBeUndefined();
    expect(final.status).toMatchObject({ itinerary: "Final", phase: "Completed", step: "Final" });
    expect(types(final.status)).toEqual(["Succeeded"]);
    expect(final.status?.pipeline?.every(({ message, failed }) => message === "Completed" && !failed)).toBe(
      true,
    );
    expect(await shopFile(green, app, "late")).toBe("late\n");
    expect(await inShop(green, app, ["sha256sum", "/data/file"])).toBe(file);
    expect(await inShop(green, app, ["ls", "/data"])).not.toContain("sum");
    const settings = await green.client.get(builtIn.configMaps, "settings", {
      namespace: app,
    });
    expect(settings).toMatchObject({ data: { theme: "winter" } });
  },
  300_000,
);
