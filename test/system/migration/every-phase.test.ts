import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubeObject, kinds, type MigMigration } from "../../../src/api/index.ts";
import {
  type ItineraryName,
  itineraries,
  type PhaseName,
  stepsOf,
} from "../../../src/engines/migration/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { type LightWorld, noLightWorld, openLightWorld } from "../../harness/light-migration.ts";

// HEADWAY_EVERY_PHASE=1: every phase of both itineraries; otherwise every sixth.
const every = process.env["HEADWAY_EVERY_PHASE"] === "1" ? 1 : 6;
const why = noLightWorld();
if (why) console.log(`migrations at every phase are skipped: ${why}`);
let world: LightWorld;
/** Which phase gets what; the host's client looks here. */
let at: { phase: string; do: "cancel" | "fail" } | undefined;
let armedFor: string | undefined;

beforeAll(async () => {
  if (why) return;
  world = await openLightWorld();
  world.host((phase) => {
    // Until the phase is left, whatever the run asks for is refused.
    if (armedFor !== phase) armedFor = undefined;
    if (at?.phase !== phase) return undefined;
    const what = at.do;
    at = undefined;
    if (what === "cancel") return { canceled: true };
    armedFor = phase;
    return undefined;
  });
  for (const proxy of Object.values(world.proxies)) {
    proxy.fault = ({ path, watch }) =>
      armedFor === undefined || watch || /migration\.openshift|authorization|version/.test(path)
        ? undefined
        : { kind: "status", code: 422, reason: "Invalid" };
  }
}, 120_000);
afterAll(() => world?.close(), 60_000);

const core = (plural: string, kind: string, namespaced = true) => ({
  group: "",
  version: "v1",
  plural,
  kind,
  namespaced,
});
const namespaces = core("namespaces", "Namespace", false);
const pods = core("pods", "Pod");
const claims = core("persistentvolumeclaims", "PersistentVolumeClaim");
const deployments = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};
const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);

type Deployment = KubeObject & { readonly spec?: { readonly replicas?: number } };

/** What a run must not leave behind on either cluster. */
async function leftovers(uid: string, withBackups: boolean): Promise<readonly string[]> {
  const { blue, green, app, server } = world;
  const found: string[] = [];
  const mine = { labelSelector: `migmigration=${uid}` };
  if (withBackups) {
    for (const [name, client] of [
      ["blue", blue],
      ["green", green],
    ] as const) {
      for (const resource of [
        backups,
        restores,
        resourceOf(kinds.DeleteBackupRequest),
        core("configmaps", "ConfigMap"),
      ]) {
        const left = await client.list(resource, { ...mine, namespace: server });
        found.push(...left.map(({ metadata }) => `${name}: ${resource.kind} ${metadata.name}`));
      }
    }
  }
  const there = await green.list(namespaces);
  if (there.some(({ metadata }) => metadata.name === app)) found.push(`green: Namespace ${app}`);
  const shop = await blue.get<Deployment>(deployments, "shop", { namespace: app });
  if (shop.spec?.replicas !== 2) found.push(`blue: Deployment with ${shop.spec?.replicas} replicas`);
  const space = await blue.get(namespaces, app);
  const claim = await blue.get(claims, "data", { namespace: app });
  const volume = await blue.get(core("persistentvolumes", "PersistentVolume", false), `volume-${app}`);
  for (const { metadata, kind } of [shop, space, claim, volume]) {
    const marks = [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {})];
    found.push(...marks.filter((mark) => /migrat/.test(mark)).map((mark) => `blue: ${kind} has ${mark}`));
  }
  const stage = await blue.list(pods, {
    namespace: app,
    labelSelector: "migration.openshift.io/is-stage-pod",
  });
  found.push(...stage.map(({ metadata }) => `blue: Pod ${metadata.name}`));
  return found;
}

const conditions = ({ status }: MigMigration) =>
  (status?.conditions ?? []).map(({ type, reason }) => [type, reason].filter(Boolean).join(" "));
const steps = ({ status }: MigMigration) =>
  (status?.pipeline ?? []).map(({ name, message, failed, phase }) =>
    [name, message, failed ? phase : undefined].filter(Boolean).join(" "),
  );

/** What the pipeline says when a phase of this step was the last one. */
function expectedSteps(itinerary: ItineraryName, phase: PhaseName, here: string): readonly string[] {
  const all = stepsOf(itinerary);
  const step = itineraries[itinerary].find((stop) => stop.phase === phase)?.step ?? "Final";
  const place = all.indexOf(step);
  return all.map((name, i) => {
    if (name === "Final")
      return step === "Final" && here.startsWith("Failed") ? `Final ${here}` : "Final Completed";
    if (i < place) return `${name} Completed`;
    return i === place ? `${name} ${here}` : `${name} Skipped`;
  });
}

/** These ask nothing of a cluster, so that nothing can fail in them. */
const quiet: readonly PhaseName[] = [
  "Created",
  "Started",
  "PreBackupHooks",
  "RestartRestic",
  "ResticRestarted",
  "PostBackupHooks",
  "PreRestoreHooks",
  "EnsureLabelsDeleted",
  "PostRestoreHooks",
];

describe.skipIf(why !== undefined).each(["Stage", "Final"] as const)("%s", (itinerary) => {
  const stops = itineraries[itinerary]
    .map(({ phase }) => phase)
    .filter((phase, i) => phase !== "Completed" && i % every === 0);
  const spec = { stage: itinerary === "Stage" };

  test.each(stops)(
    "a cancel at %s ends in the right pipeline and leaves nothing behind",
    async (phase) => {
      const name = `cancel-${itinerary}-${phase}`.toLowerCase();
      at = { phase, do: "cancel" };
      const { metadata } = await world.run(name, spec);
      const run = await world.ended(name);
      expect(conditions(run)).toEqual(["Canceled Cancel"]);
      expect(run.status).toMatchObject({ itinerary: "Cancel", step: "Final" });
      expect(steps(run)).toEqual(expectedSteps(itinerary, phase, "Canceled"));
      await eventually(
        () => leftovers(metadata.uid ?? "", true),
        (left) => left.length === 0,
        20_000,
      );
      await world.forget(name);
    },
    120_000,
  );

  test.each(stops.filter((phase) => !quiet.includes(phase)))(
    "a failure at %s with roll-back ends in the right pipeline and undoes the run",
    async (phase) => {
      const name = `fail-${itinerary}-${phase}`.toLowerCase();
      at = { phase, do: "fail" };
      const { metadata } = await world.run(name, spec, { "headway.dev/rollback-on-failure": "true" });
      const run = await world.ended(name);
      expect(conditions(run)).toEqual([`Failed ${phase}`]);
      expect(run.status).toMatchObject({ itinerary: "Failed", step: "Final" });
      expect(steps(run)).toEqual(expectedSteps(itinerary, phase, `Failed ${phase}`));
      await eventually(
        () => leftovers(metadata.uid ?? "", false),
        (left) => left.length === 0,
        20_000,
      );
      await world.forget(name);
    },
    120_000,
  );
});
