import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../api/index.ts";
import type { Plan } from "./plan.ts";
import { plannedVolumes } from "./planned-volumes.ts";

const names = ["db", "web"];
const plan: Plan = {
  types: [
    {
      groupResource: "pods",
      totalItems: 2,
      groups: [{ namespace: "shop", target: "copy", items: Uint32Array.of(0, 1) }],
    },
  ],
  namespaces: new Map(),
  totalItems: 2,
};

function copy(namespace: string, name: string, status: object): PodVolumeBackup {
  return {
    metadata: { name: "c" },
    spec: { pod: { namespace, name }, volume: "data" },
    status,
  } as PodVolumeBackup; // what is looked at
}

test("plannedVolumes() has the volumes of the pods in the plan, where they go, with their sizes", () => {
  const found = plannedVolumes(plan, { nameOf: (at) => names[at] ?? "" }, [
    copy("shop", "db", { snapshotID: "s1", progress: { totalBytes: 7 } }),
    copy("shop", "web", { snapshotID: "s2" }),
    copy("shop", "gone", { snapshotID: "s3" }),
    copy("zoo", "db", { snapshotID: "s4" }),
    copy("shop", "web", { phase: "Failed" }),
  ]);
  expect(found).toEqual([
    { namespace: "copy", pod: "db", volume: "data", bytes: 7 },
    { namespace: "copy", pod: "web", volume: "data" },
  ]);
});
