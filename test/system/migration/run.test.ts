import { afterAll, beforeAll, expect, test } from "vitest";
import {
  configMaps,
  ended,
  inShop,
  type MigrationWorld,
  makeShop,
  migrate,
  openMigrationWorld,
  readyPlan,
  shopFile,
} from "../../harness/migration-world.ts";

let world: MigrationWorld;
beforeAll(async () => {
  world = await openMigrationWorld();
  world.host();
}, 120_000);
afterAll(() => world.close(), 60_000);

const types = (status: { conditions?: readonly { type: string }[] } | undefined) =>
  status?.conditions?.map(({ type }) => type);

test("Stage, then Final: the application comes to the destination with the data it had last", async () => {
  const { blue, green } = world;
  await makeShop(blue.client, "shop");
  const plan = await readyPlan(world, "shop", ["shop"]);
  expect(plan.spec?.persistentVolumes).toMatchObject([
    {
      pvc: { namespace: "shop", name: "data", hasReference: true },
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
  await inShop(blue.client, "shop", ["sh", "-c", "echo late > /data/late; rm /data/sum; echo ok"]);
  const file = await inShop(blue.client, "shop", ["sha256sum", "/data/file"]);

  await migrate(world, "shop", "move", { quiescePods: true, verify: true });
  const final = await ended(world, "move");
  expect(final.status?.errors).toBeUndefined();
  expect(final.status).toMatchObject({ itinerary: "Final", phase: "Completed", step: "Final" });
  expect(types(final.status)).toEqual(["Succeeded"]);
  expect(final.status?.pipeline?.every(({ message, failed }) => message === "Completed" && !failed)).toBe(
    true,
  );
  expect(await shopFile(green.client, "shop", "late")).toBe("late\n");
  expect(await inShop(green.client, "shop", ["sha256sum", "/data/file"])).toBe(file);
  expect(await inShop(green.client, "shop", ["ls", "/data"])).not.toContain("sum");
  const settings = await green.client.get(configMaps, "settings", {
    namespace: "shop",
  });
  expect(settings).toMatchObject({ data: { theme: "winter" } });
}, 300_000);
