import { expect, test } from "vitest";
import { fake, run, world } from "../../../test/harness/backup-world.ts";
import type { PlannedVolume } from "../../kinds/index.ts";

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
        plan: (pod) => (pod.spec?.volumes ?? []).map(({ name }) => name),
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
