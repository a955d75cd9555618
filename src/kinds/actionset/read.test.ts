import { expect, test } from "vitest";
import type { ActionSet } from "../../api/index.ts";
import { percentText, track } from "../../progress/index.ts";
import { readActionSet } from "./read.ts";

function actionSet(status: NonNullable<ActionSet["status"]>): ActionSet {
  return {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "ActionSet",
    metadata: { name: "backup-x7", namespace: "kanister", creationTimestamp: "2026-11-15T10:00:00Z" },
    status,
  };
}

test("readActionSet() gives the mean of the phases: 100, 30 and pending make 43.33", () => {
  const seen = readActionSet(
    actionSet({
      state: "running",
      actions: [
        {
          name: "backup",
          object: { kind: "StatefulSet", name: "db", namespace: "shop" },
          phases: [
            { name: "quiesce", state: "completed", progress: { progressPercent: "100.00" } },
            { name: "dump", state: "running", progress: { progressPercent: "30.00" } },
            { name: "unquiesce", state: "pending" },
          ],
        },
      ],
    }),
  );
  const { operation } = track(undefined, seen, 0);
  expect(percentText(operation.fraction ?? 0)).toBe("43.33");
  expect(operation.children[0]).toMatchObject({ title: "backup of StatefulSet db", state: "running" });
});

test("readActionSet() has the number that is written, also where actions have different numbers of phases", () => {
  const set = actionSet({
    state: "running",
    progress: { percentCompleted: "20.00" },
    actions: [
      { name: "one", phases: [{ name: "a", state: "complete", progress: { progressPercent: "100.00" } }] },
      { name: "four", phases: ["b", "c", "d", "e"].map((name) => ({ name, state: "pending" })) },
    ],
  });
  const { operation } = track(undefined, readActionSet(set), 0);
  expect(percentText(operation.fraction ?? 0)).toBe(set.status?.progress?.percentCompleted);
});

test("readActionSet() prefers bytes where a phase counts them", () => {
  const seen = readActionSet(
    actionSet({
      state: "running",
      actions: [
        {
          name: "backup",
          phases: [
            { name: "dump", state: "running", progress: { sizeUploadedB: 10, estimatedUploadSizeB: 40 } },
          ],
        },
      ],
    }),
  );
  expect(seen.children?.[0]?.children?.[0]?.progress).toEqual({ unit: "bytes", done: 10, total: 40 });
});

test("readActionSet() takes a phase's own percent of its bytes: uploaded ones say little", () => {
  const progress = { progressPercent: "30.00", sizeUploadedB: 244, estimatedUploadSizeB: 4_500_000_000 };
  const seen = readActionSet(
    actionSet({
      state: "running",
      actions: [{ name: "b", phases: [{ name: "dump", state: "running", progress }] }],
    }),
  );
  expect(seen.children?.[0]?.children?.[0]?.progress).toEqual({
    unit: "bytes",
    done: 1_350_000_000,
    total: 4_500_000_000,
  });
});

test("readActionSet() gives the deferred phase no share, and shows none where Go wrote an empty one", () => {
  const phases = [
    { name: "a", state: "complete" },
    { name: "b", state: "pending" },
  ];
  const deferPhase = { name: "d", state: "pending" };
  const share = (action: object) =>
    track(undefined, readActionSet(actionSet({ state: "running", actions: [action] })), 0).operation.fraction;
  expect(share({ name: "x", phases, deferPhase })).toBe(0.5);
  const empty = readActionSet(
    actionSet({ state: "running", actions: [{ name: "x", phases, deferPhase: { name: "" } }] }),
  );
  expect(empty.children?.[0]?.children).toHaveLength(2);
});

test("readActionSet() shows phases after a failure as skipped, and the deferred phase", () => {
  const seen = readActionSet(
    actionSet({
      state: "failed",
      error: { message: "dump: exit 1" },
      actions: [
        {
          name: "backup",
          phases: [
            { name: "dump", state: "failed" },
            { name: "upload", state: "pending" },
          ],
          deferPhase: { name: "cleanup", state: "complete" },
        },
      ],
    }),
  );
  expect(seen).toMatchObject({ state: "failed", message: "dump: exit 1" });
  expect(seen.children?.[0]?.children?.map((phase) => phase.state)).toEqual([
    "failed",
    "skipped",
    "completed",
  ]);
});

test("readActionSet() tells what was canceled from what failed", () => {
  const phases = [
    { name: "quiesce", state: "complete" },
    { name: "dump", state: "failed" },
    { name: "upload", state: "pending" },
  ];
  const error = { message: "canceled by request" };
  const seen = readActionSet(actionSet({ state: "failed", error, actions: [{ name: "backup", phases }] }));
  expect(seen).toMatchObject({ state: "canceled", message: "canceled by request" });
  expect(seen.children?.[0]?.children?.map((phase) => phase.state)).toEqual([
    "completed",
    "canceled",
    "skipped",
  ]);
});
