import { expect, test } from "vitest";
import type { Backup } from "../../api/index.ts";
import { track } from "../../progress/index.ts";
import { observation } from "./observation.ts";
import type { RunProgress } from "./run.ts";

const backup = (status: Backup["status"]): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero", uid: "u" },
  ...(status && { status }),
});

const storing: RunProgress = {
  stage: "items",
  items: { done: 3, failed: 0, total: 10 },
  present: "configmaps shop/c3",
  volumes: [],
  hookStatus: {},
  warnings: 0,
  errors: 1,
};

test.each([
  [undefined, "pending"],
  [{ phase: "Queued" }, "pending"],
  [{ phase: "InProgress" }, "running"],
  [{ phase: "Finalizing" }, "running"],
  [{ phase: "Completed" }, "completed"],
  [{ phase: "PartiallyFailed" }, "partially-failed"],
  [{ phase: "FailedValidation" }, "failed"],
  [{ phase: "Failed", failureReason: "no space left" }, "failed"],
  [{ phase: "Failed", failureReason: "canceled by request" }, "canceled"],
] as const)("observation() of a backup with status %j is %s", (status, state) => {
  expect(observation(backup(status), undefined, 0).state).toBe(state);
});

test("observation() shows the stages so far, the present item beside the items", () => {
  const { children } = observation(backup({ phase: "InProgress" }), storing, 3);
  expect(children?.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "collect completed",
    "items running",
    "upload pending",
  ]);
  expect(children?.[1]).toMatchObject({
    progress: { unit: "items", done: 3, total: 10 },
    message: "configmaps shop/c3",
  });
});

test("observation() leaves no item behind that could be taken for the reason of an end", () => {
  const running = track(undefined, observation(backup({ phase: "InProgress" }), storing, 3), 0);
  const ended = track(
    running,
    observation(backup({ phase: "PartiallyFailed", errors: 1 }), undefined, 10),
    1,
  );
  expect(ended.operation).toMatchObject({ state: "partially-failed", errors: 1 });
  expect(ended.operation.message).toBeUndefined();
});
