import { expect, onTestFinished, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import { ApiError } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { boundVolumes, finishNewVolumes, volumePatch } from "./new-volumes.ts";
import type { NewVolume } from "./restored-volumes.ts";
import { RunLog } from "./run-log.ts";
import type { Cluster } from "./served.ts";

const labels = { "velero.io/restore-name": "r" };
const put = { labels: { backup: "b", restore: "r" }, restoreCreatedAt: "2026-01-01T00:00:00Z" };
const claim = (volumeName?: string, own: object = labels): Item => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "claim",
    namespace: "shop",
    labels: own as Record<string, string>,
    creationTimestamp: "2026-01-02T00:00:00Z",
  },
  spec: volumeName === undefined ? {} : { volumeName },
});
const volume = (more: object = {}): Item => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "new", labels: { zone: "x" } },
  spec: {
    persistentVolumeReclaimPolicy: "Delete",
    claimRef: { namespace: "shop", name: "claim" },
    ...more,
  },
});
const wanted: NewVolume = {
  former: "old",
  claim: { namespace: "shop", name: "claim" },
  reclaimPolicy: "Retain",
  labels: { team: "a" },
  used: true,
};
const signal = new AbortController().signal;

async function run(one: NewVolume, looks: (Item | undefined)[], pv: Item = volume()) {
  const log = await RunLog.open("velero/r", () => 0);
  onTestFinished(async () => await log.close());
  const patches: unknown[] = [];
  const clock = new TestClock();
  const cluster = {
    get: async ({ plural }: { plural: string }) => {
      if (plural === "persistentvolumes") return pv;
      const now = looks.length > 1 ? looks.shift() : looks[0];
      if (now === undefined) throw new ApiError("get", { code: 404, reason: "NotFound", message: "" });
      return now;
    },
    patch: async (_type: unknown, name: string, { body }: { body: unknown }) => {
      patches.push([name, body]);
      return pv;
    },
  } as unknown as Cluster;
  const context = { cluster, clock, log, put, limitMs: 60_000, waiting: () => undefined };
  const done = finishNewVolumes([one], context, signal);
  await clock.advance(120_000);
  await done;
  return { patches, warnings: log.warnings.result().namespaces?.["shop"] ?? [] };
}

test("finishNewVolumes() waits until the claim is bound, then makes the volume like the former one", async () => {
  const { patches, warnings } = await run(wanted, [claim(), claim(), claim("new")]);
  const body = { metadata: { labels: { team: "a" } }, spec: { persistentVolumeReclaimPolicy: "Retain" } };
  expect(patches).toEqual([["new", body]]);
  expect(warnings).toEqual([]);
});

test.each([
  ["a claim that is never bound", wanted, [claim()], volume(), 1],
  ["a claim that nobody uses", { ...wanted, used: false }, [claim()], volume(), 1],
  ["a claim that is gone", wanted, [undefined], volume(), 0],
  ["a claim that was there before the restore", wanted, [claim("new", {})], volume(), 0],
  [
    "a volume that is like it already",
    { ...wanted, reclaimPolicy: "Delete", labels: {} },
    [claim("new")],
    volume(),
    0,
  ],
  [
    "a volume of another claim",
    wanted,
    [claim("new")],
    volume({ claimRef: { namespace: "other", name: "claim" } }),
    1,
  ],
])("finishNewVolumes() leaves %s alone", async (_title, one, looks, pv, count) => {
  const { patches, warnings } = await run(one, looks, pv);
  expect(patches).toEqual([]);
  expect(warnings).toHaveLength(count);
  if (count > 0) expect(warnings[0]).toContain('of "old"');
});

test.each([
  [
    "the policy alone",
    { reclaimPolicy: "Retain", labels: { zone: "x" } },
    { spec: { persistentVolumeReclaimPolicy: "Retain" } },
  ],
  ["a label alone", { reclaimPolicy: "", labels: { zone: "y" } }, { metadata: { labels: { zone: "y" } } }],
  ["nothing", { reclaimPolicy: "Delete", labels: {} }, undefined],
])("volumePatch() changes %s", (_title, like, want) => expect(volumePatch(volume(), like)).toEqual(want));

test("boundVolumes() knows the volume of each bound claim", async () => {
  const cluster = {
    get: async (_type: unknown, name: string) => {
      if (name === "gone") throw new ApiError("get", { code: 404, reason: "NotFound", message: "" });
      return claim(name === "bound" ? "pv" : undefined);
    },
  } as unknown as Cluster;
  const places = ["bound", "loose", "gone"].map((name) => ({ namespace: "shop", name }));
  const found = await boundVolumes(places, { cluster, clock: new TestClock() }, signal);
  expect([...found]).toEqual([["shop/bound", "pv"]]);
});
