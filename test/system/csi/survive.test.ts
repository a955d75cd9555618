import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { CsiWorld } from "../../harness/csi-world.ts";
import { eventually } from "../../harness/eventually.ts";

const rounds = process.env["HEADWAY_LONG"] === "1" ? 20 : 4;

let world: CsiWorld;
beforeAll(async () => void (world = await CsiWorld.open()));
afterAll(() => world.close());

test("an operator that is killed at any moment goes on where it was, and no snapshot is taken twice or left behind", async () => {
  const { stage } = world;
  const shop = await stage.app("killed");
  const folders = await Promise.all(
    Array.from({ length: 5 }, (_, i) => world.claim(shop, `data-${i}`, `${i}`)),
  );
  const [folder = ""] = folders;
  for (let round = 0; round < rounds; round += 1) {
    const name = `k${round}`;
    await stage.create(name, { includedNamespaces: [shop] });
    const child = stage.process("backup");
    const begun = await eventually(
      () => stage.get(name),
      ({ status }) => status?.phase !== undefined,
    );
    expect(begun.status?.phase).toBeDefined();
    // Spread over the snapshots' making, their readiness, the upload and the cleaning up.
    await new Promise((resolve) => setTimeout(resolve, (round * 2500) / rounds));
    child.kill("SIGKILL");
    await once(child, "exit");
    const next = stage.process("backup");
    expect((await stage.ended(name)).status).toMatchObject({
      phase: "Completed",
      csiVolumeSnapshotsCompleted: 5,
    });
    await world.settled(folder, 0, 5 * (round + 1));
    next.kill("SIGKILL");
    await once(next, "exit");
  }
}, 240_000);

test("a backup that is canceled while its driver hangs leaves no snapshot", async () => {
  const { stage } = world;
  const shop = await stage.app("hung");
  await world.faulty("class-hang", "hang");
  const annotations = { "velero.io/csi-volumesnapshot-class": "class-hang" };
  const folder = await world.claim(shop, "data", "x", { annotations });
  const kept = (await world.kept(folder)).length;
  stage.operator(undefined, ["backup"]);
  await stage.create("h1", { includedNamespaces: [shop] });
  await eventually(
    () => world.objects(),
    (count) => count === 2,
  );
  const body = { metadata: { annotations: { "headway.dev/cancel": "true" } } };
  await stage.client.patch(
    resourceOf(kinds.Backup),
    "h1",
    { type: "merge", body },
    { namespace: stage.namespace },
  );
  expect((await stage.ended("h1")).status).toMatchObject({
    phase: "Failed",
    failureReason: "canceled by request",
  });
  await world.settled(folder, 0, kept);
});

test("a claim that is deleted in the middle fails that claim alone", async () => {
  const { stage } = world;
  const shop = await stage.app("half");
  await world.faulty("class-slow", "hang");
  const annotations = { "velero.io/csi-volumesnapshot-class": "class-slow" };
  const folder = await world.claim(shop, "gone", "x", { annotations });
  await world.claim(shop, "stays", "y");
  const kept = (await world.kept(folder)).length;
  await stage.create("c1", { includedNamespaces: [shop], csiSnapshotTimeout: "6s" });
  await eventually(
    () => world.objects(),
    (count) => count >= 2,
  );
  await stage.client.delete(builtIn.claims, "gone", { namespace: shop });
  expect((await stage.ended("c1")).status).toMatchObject({
    phase: "PartiallyFailed",
    errors: 1,
    csiVolumeSnapshotsAttempted: 2,
    csiVolumeSnapshotsCompleted: 1,
  });
  await world.settled(folder, 0, kept + 1);
});
