import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findCondition, type KubeObject, kinds, type MigPlan } from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import type { Loss } from "../../harness/fake-velero.ts";
import { type LightWorld, noLightWorld, openLightWorld } from "../../harness/light-migration.ts";

const why = noLightWorld();
if (why) console.log(`migrations that lose volumes are skipped: ${why}`);

let world: LightWorld;
/** What the backup servers do with the volumes of a Backup or Restore whose kind and name begin so. */
let losses: Readonly<Record<string, Loss>> = {};
beforeAll(async () => {
  if (why) return;
  world = await openLightWorld({
    loses: (kind, run) => Object.entries(losses).find(([begin]) => `${kind} ${run}`.startsWith(begin))?.[1],
  });
  world.host();
  await eventually(
    () => world.green.get<MigPlan>(resourceOf(kinds.MigPlan), "plan", { namespace: world.server }),
    ({ status }) => findCondition(status?.conditions, "Ready") !== undefined,
    60_000,
  );
}, 180_000);
afterAll(() => world?.close(), 60_000);
beforeEach(() => {
  losses = {};
});

type Deployment = KubeObject & { readonly spec?: { readonly replicas?: number } };

async function replicas(): Promise<number | undefined> {
  const { blue, app } = world;
  return (await blue.get<Deployment>(builtIn.deployments, "shop", { namespace: app })).spec?.replicas;
}

/** What brings the application to the destination. */
async function finalRestores(run: string): Promise<readonly string[]> {
  const found = await world.green.list(resourceOf(kinds.Restore), { namespace: world.server });
  return found.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(`${run}-final-`));
}

async function stagePods(): Promise<number> {
  const labelSelector = "migration.openshift.io/is-stage-pod";
  return (await world.blue.list(builtIn.pods, { namespace: world.app, labelSelector })).length;
}

const types = ({ status }: { status?: { conditions?: readonly { type: string }[] } | undefined }) =>
  status?.conditions?.map(({ type }) => type);

const cases = [
  ["none", "Backup", "none", ["not copied", "no PodVolumeBackup", "node agent"]],
  ["broken", "Backup", "failed", ["not copied", "the disk is broken"]],
  ["gone", "Restore", "none", ["not restored", "no PodVolumeRestore"]],
  ["full", "Restore", "failed", ["not restored", "the disk is full"]],
] as const;

test.skipIf(why !== undefined)(
  "Jobs of hooks that an earlier release left behind are kept out of the backups of a run",
  async () => {
    const { blue, app } = world;
    const labels = { mighook: "earlier" };
    const template = {
      metadata: { labels },
      spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none" }] },
    };
    await blue.create(builtIn.jobs, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "left-over", namespace: app, labels },
      spec: { parallelism: 0, template },
    });
    await blue.create(builtIn.configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "left-over", namespace: app, labels },
    });
    await world.run("after", { stage: true, quiescePods: false, verify: false });
    expect(types(await world.ended("after"))).toEqual(["Succeeded"]);
    for (const resource of [builtIn.jobs, builtIn.configMaps]) {
      const left = await blue.get(resource, "left-over", { namespace: app });
      expect(left.metadata.labels).toMatchObject({ "velero.io/exclude-from-backup": "true" });
    }
  },
  180_000,
);

describe.skipIf(why !== undefined)("a volume that the plan copies", () => {
  test.each(cases)(
    "fails the run when it is lost (%s) by the %s, and the source comes back",
    async (name, kind, loss, reasons) => {
      losses = { [`${kind} ${name}-stage-`]: loss };
      await world.run(name);
      const { status } = await world.ended(name);
      expect(types({ status })).toEqual(["Failed"]);
      expect(findCondition(status?.conditions, "Failed")?.reason).toBe(
        kind === "Backup" ? "StageBackupCreated" : "StageRestoreCreated",
      );
      const [first = "", ...rest] = status?.errors ?? [];
      expect(first).toContain(`PersistentVolumeClaim ${world.app}/data: `);
      for (const reason of reasons) expect(first).toContain(reason);
      expect(rest.join(" ")).toContain("headway.dev/accept-missing-volumes");
      expect(await finalRestores(name)).toEqual([]);
      expect(await replicas()).toBe(2);
      expect(await stagePods()).toBe(0);
    },
    180_000,
  );

  test("is done without where its owner accepts that, and the run says which", async () => {
    losses = { "Backup anyway-stage-": "none" };
    await world.run("anyway", {}, { "headway.dev/accept-missing-volumes": "true" });
    const { status } = await world.ended("anyway");
    expect(status?.errors).toBeUndefined();
    expect(types({ status })).toContain("SucceededWithWarnings");
    expect(findCondition(status?.conditions, "VolumesNotCopied")?.message).toContain(`${world.app}/data`);
    expect((await finalRestores("anyway")).length).toBe(1);
  }, 180_000);
});
