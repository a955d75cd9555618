import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type OperationObject } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import type { Operation } from "../../../src/progress/index.ts";
import { CsiWorld } from "../../harness/csi-world.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";

let world: CsiWorld;
beforeAll(async () => {
  world = await CsiWorld.open();
  await installDefinitions(world.stage.client);
  world.stage.operator(undefined, ["backup"]);
});
afterAll(() => world.close());

const causes = { hang: "driver-silent", fail: "snapshot-failing" };

test("a driver that does not answer and one that fails are told by name within 40 s, and what storage works on is a wait", {
  timeout: 120_000,
}, async () => {
  const { stage } = world;
  const { client, namespace } = stage;
  const shop = await stage.app("stalls");
  for (const fault of [...Object.keys(causes), "never-ready"]) {
    await world.faulty(`class-${fault}`, fault);
    const annotations = { "velero.io/csi-volumesnapshot-class": `class-${fault}` };
    await world.claim(shop, fault, "x", { annotations });
  }
  await stage.create("stuck", { includedNamespaces: [shop] });
  const told = async () => {
    const [operation] = await client.list<OperationObject>(resourceOf(kinds.Operation), { namespace });
    const volumes = operation?.status?.children.find(({ kind }) => kind === "volumes")?.children ?? [];
    return (volumes as readonly Operation[]).map(({ title, stall, waitingFor }) => ({
      title,
      cause: stall?.cause,
      waits: waitingFor?.message,
    }));
  };
  const seen = await eventually(
    told,
    (all) => all.length === 3 && all.filter(({ cause }) => cause !== undefined).length === 2,
    40_000,
  );
  const of = (fault: string) => seen.find(({ title }) => title === `${shop}/${fault}`);
  for (const [fault, cause] of Object.entries(causes)) expect(of(fault)?.cause).toBe(cause);
  expect(of("fail")?.waits, "the driver's own words").toContain("the pool is full");
  expect(of("never-ready")).toMatchObject({ cause: undefined, waits: "the storage to finish it" });
  const body = { metadata: { annotations: { "headway.dev/cancel": "true" } } };
  await client.patch(resourceOf(kinds.Backup), "stuck", { type: "merge", body }, { namespace });
  expect((await stage.ended("stuck")).status).toMatchObject({ phase: "Failed" });
});
