import { expect, test } from "vitest";
import type { Run } from "../run.ts";
import { stagePodsDeleted } from "./stage-pods.ts";

const since = Date.parse("2026-11-16T10:00:00Z");

/** A run at the phase, some seconds after it was entered, with one stage pod on the destination; and what it deleted. */
async function look(itinerary: string, seconds: number, state: object) {
  const deleted: string[] = [];
  const pod = {
    metadata: { name: "stage-db", namespace: "shop" },
    status: { phase: "Pending", initContainerStatuses: [{ name: "restore-wait", state }] },
  };
  const cluster = (name: string, pods: readonly object[]) => ({
    name,
    namespace: "velero",
    client: {
      list: () => Promise.resolve(pods.filter(() => deleted.length === 0)),
      delete: (_resource: object, one: string) => Promise.resolve(void deleted.push(one)),
    },
  });
  // Only these are looked at.
  const run = {
    migration: { status: { itinerary } },
    plan: { spec: { namespaces: ["shop"] } },
    source: cluster("blue", []),
    destination: cluster("green", [pod]),
    now: since + seconds * 1000,
    since,
  } as unknown as Run;
  return { outcome: await stagePodsDeleted(run, new AbortController().signal), deleted };
}

test("a stage pod that still takes the restore's marks out of its volumes is waited for", async () => {
  const { outcome, deleted } = await look("Final", 1, { running: {} });
  expect(outcome).toMatchObject({
    do: "wait",
    report: { details: [{ kind: "Pod", namespace: "shop", name: "stage-db", remark: true }] },
  });
  expect(deleted).toEqual([]);
});

test.each([
  ["has done so", "Final", 1, { terminated: { exitCode: 0 } }],
  ["never gets so far", "Stage", 30, { running: {} }],
  ["belongs to a run that is undone", "Cancel", 1, { running: {} }],
])("a stage pod that %s is deleted", async (_how, itinerary, seconds, state) => {
  const { outcome, deleted } = await look(itinerary, seconds, state);
  expect(outcome.do).toBe("advance");
  expect(deleted).toEqual(["stage-db"]);
});
