import { expect, test } from "vitest";
import { fake, run, world } from "../../../test/harness/backup-world.ts";
import type { PlannedVolume } from "../../kinds/index.ts";
import { noPolicies } from "./policies.ts";

const quiet = {
  settled: async () => undefined,
  finish: async () => undefined,
  list: () => [],
  cancel: async () => undefined,
};

test("a backup knows the volumes of all its pods before it copies the first", async () => {
  const told: (readonly PlannedVolume[])[] = [];
  let plannedAtStart: number | undefined;
  await run(
    { includedNamespaces: ["a", "b"] },
    {
      source: fake({ ...world, "pods b/db": { spec: { volumes: [{ name: "x", emptyDir: {} }] } } }),
      openPodVolumes: async () => ({
        ...quiet,
        plan: (pod) => (pod.spec?.volumes ?? []).map(({ name }) => ({ volume: name })),
        start: async () => {
          plannedAtStart ??= told.at(-1)?.length;
          return { copied: [], left: [] };
        },
      }),
      onProgress: ({ planned = [] }) => void told.push(planned),
    },
  );
  expect(plannedAtStart).toBe(2);
  expect(told.at(-1), "a pod that had its turn waits for nothing").toEqual([]);
  expect(told.find((plan) => plan.length === 2)).toEqual([
    { namespace: "a", pod: "web", volume: "d" },
    { namespace: "b", pod: "db", volume: "x" },
  ]);
});

test.each([
  ["before the first pod's turn", [], ["prepare", "start"]],
  ["not where a policy may leave all volumes out", [{ conditions: {}, action: "skip" }], ["start"]],
] as const)("what volumes need is made ready %s", async (_when, volumes, want) => {
  const did: string[] = [];
  await run(
    { includedNamespaces: ["a"] },
    {
      source: fake(world),
      policies: { ...noPolicies, volumes },
      openPodVolumes: async () => ({
        ...quiet,
        plan: () => [{ volume: "d", bytes: 700 }],
        prepare: () => void did.push("prepare"),
        start: async () => {
          did.push("start");
          return { copied: [], left: [] };
        },
      }),
      onProgress: ({ planned = [] }) => {
        if (planned.length > 0)
          expect(planned).toEqual([{ namespace: "a", pod: "web", volume: "d", bytes: 700, estimated: true }]);
      },
    },
  );
  expect(did).toEqual(want);
});

test("a pod that is kept out of backups brings no volume", async () => {
  const told: number[] = [];
  const labels = { "velero.io/exclude-from-backup": "true" };
  await run(
    { includedNamespaces: ["b"] },
    {
      source: fake({ "namespaces /b": {}, "pods b/db": { metadata: { labels } } }),
      openPodVolumes: async () => ({
        ...quiet,
        plan: () => [{ volume: "d" }],
        start: async () => ({ copied: [], left: [] }),
      }),
      onProgress: ({ planned = [] }) => void told.push(planned.length),
    },
  );
  expect(Math.max(...told)).toBe(0);
});
