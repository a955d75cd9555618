import { expect, test } from "vitest";
import type { Tracked } from "./derive.ts";
import type { Observation, State } from "./operation.ts";
import { track } from "./track.ts";

const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "b", uid: "u" };
function seen(id: string, state: State | undefined, more: Partial<Observation> = {}): Observation {
  return { id, ref, kind: id, title: id, ...(state && { state }), ...more };
}

function folded(...moments: readonly (readonly [at: number, seen: Observation])[]) {
  let tracked: Tracked | undefined;
  for (const [at, one] of moments) tracked = track(tracked, one, at);
  if (!tracked) throw new Error("nothing to fold");
  return tracked.operation;
}

test("[OP14] a backup whose end is in whole seconds does not end before its volumes", () => {
  const copy = seen("v", "completed", { startedAt: 1_200, finishedAt: 4_600 });
  const volumes = seen("volumes", undefined, { rule: "sum", children: [copy] });
  const whole = seen("b", "completed", {
    startedAt: 1_000,
    finishedAt: 4_000,
    rule: "steps",
    children: [volumes],
  });
  const { finishedAt, children } = folded([5_300, whole]);
  expect(finishedAt).toBe(4_600);
  expect(children[0]).toMatchObject({ startedAt: 1_200, finishedAt: 4_600 });
});

test("[OP14] a part whose end was seen late ends with the whole", () => {
  const running = seen("b", "running", { rule: "steps", children: [seen("items", "running")] });
  const end = seen("b", "completed", {
    startedAt: 1_000,
    finishedAt: 4_000,
    children: [seen("items", "completed")],
  });
  const { finishedAt = 0, children } = folded([1_000, running], [9_000, end]);
  expect(finishedAt).toBe(4_000);
  expect(children[0]?.finishedAt).toBe(4_000);
});

test("[OP14] a whole began with its first part at the latest", () => {
  const phase = seen("phase", "running", { startedAt: 1_000 });
  const { startedAt } = folded([
    2_500,
    seen("action", "running", { startedAt: 2_300, rule: "mean", children: [phase] }),
  ]);
  expect(startedAt).toBe(1_000);
});
