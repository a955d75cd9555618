import { expect, test } from "vitest";
import { look, type Tracked, trackedChildren } from "./derive.ts";
import type { History } from "./history.ts";
import type { Observation, Signals } from "./operation.ts";
import { track } from "./track.ts";

const base = { ref: { apiVersion: "v1", kind: "Pod", name: "p" }, kind: "volume", title: "v" };
const leaf = (id: string, done: number, more: Partial<Observation> = {}): Observation => ({
  ...base,
  id,
  state: "running",
  progress: { unit: "bytes", done, total: 1000 },
  ...more,
});
const group = (...children: Observation[]): Observation => ({ ...base, id: "g", rule: "mean", children });

/** One observation a second, from second 1 to the last. */
function play(seconds: number, at: (second: number) => Observation): Tracked {
  let tracked = track(undefined, at(0), 0);
  for (let s = 1; s <= seconds; s++) tracked = track(tracked, at(s), s * 1000);
  return tracked;
}

const waitingFor = { reason: "hook" };
const steady: History = {
  version: 2,
  runs: [{ ms: 80_000, unit: "bytes", units: 1000, curve: [0, 0, 750, 1000, 1000, 1000] }],
};

test.each([
  ["[ET2] nothing to count is unmeasured", { ...base, id: "h", state: "running" as const }, "unmeasured"],
  ["[ET4] a wait is waiting", leaf("v", 5, { waitingFor }), "waiting"],
  ["[ET3] a start is too early", leaf("v", 5), "too-early"],
] as [string, Observation, string][])("%s", (_rule, seen, unknown) => {
  expect(play(9, () => seen).operation.eta).toEqual({ unknown });
});

test("[ET4] work that stands still is stalled, seen again or only looked at", () => {
  const mute = (s: number) =>
    leaf("v", Math.min(s, 30) * 10, { signals: { heartbeatAt: Math.min(s, 30) * 1000 } });
  const want = { stall: { since: 30_000, cause: "mover-silent" }, eta: { unknown: "stalled" } };
  expect(play(60, mute).operation).toMatchObject(want);
  expect(look(play(30, mute), 60_000)).toMatchObject(want);
});

test("[ST4] repeating the same number is not movement", () => {
  const signals: Signals = { heartbeatAt: 1000 };
  expect(play(60, (s) => leaf("v", Math.min(s, 10) * 10, { signals })).operation.stall).toMatchObject({
    since: 10_000,
  });
});

test("[ST11] a parent stands still when all its running children do", () => {
  const mute = (id: string, until: number, causes: Signals["causes"]) => (s: number) =>
    leaf(id, Math.min(s, until) * 10, { signals: { ...(s > until && causes && { causes }) } });
  const [a, b] = [mute("a", 10, ["pod-pending"]), mute("b", 20, ["agent-missing"])];
  expect(play(60, (s) => group(a(s), b(s))).operation.stall).toEqual({
    since: 20_000,
    cause: "agent-missing",
  });
  const moving = play(60, (s) => group(a(s), leaf("b", s * 10))).operation;
  expect(moving.stall).toBeUndefined();
  expect(moving.children[0]?.stall).toEqual({ since: 10_000, cause: "pod-pending" });
  expect(moving.eta).toEqual({ unknown: "stalled" });
});

test("[ST5] a sibling that moves confirms the silence of the other", () => {
  const { operation } = play(60, (s) => group(leaf("a", Math.min(s, 10) * 10), leaf("b", s * 10)));
  expect(operation.children.map((child) => child.stall?.cause)).toEqual(["mover-silent", undefined]);
});

test("[ST12] a wait is no stall, and its end starts the silence anew", () => {
  const at = (s: number) => leaf("v", Math.min(s, 10) * 10, s > 10 && s < 500 ? { waitingFor } : {});
  expect(play(499, at).operation.stall).toBeUndefined();
  expect(play(519, at).operation.stall).toBeUndefined();
  expect(look(play(519, at), 600_000).stall).toEqual({ since: 500_000, cause: "mover-silent" });
});

test("[ST12] what is over is not stalled", () => {
  const ended = track(
    play(10, (s) => leaf("v", s)),
    leaf("v", 10, { state: "failed", signals: { alive: false } }),
    11_000,
  );
  expect(look(ended, 9e9)).not.toHaveProperty("stall");
  expect(look(ended, 9e9)).not.toHaveProperty("eta");
});

test("[ST8] work that never began is stalled by evidence, not by silence", () => {
  const pending = (causes?: Signals["causes"]) =>
    track(undefined, { ...base, id: "v", state: "pending", ...(causes && { signals: { causes } }) }, 0);
  expect(look(pending(), 9e6).stall).toBeUndefined();
  expect(look(pending(["agent-missing"]), 60_000).stall).toEqual({ since: 0, cause: "agent-missing" });
});

test("[ET14] a parent does not end before its running children", () => {
  const { operation } = play(60, (s) => group(leaf("a", s * 16), leaf("b", s)));
  const [slow, whole] = [operation.children[1]?.eta, operation.eta];
  expect(slow).toMatchObject({ seconds: expect.any(Number) });
  if (!slow || !whole || "unknown" in slow || "unknown" in whole) throw new Error("no estimate");
  expect(whole.seconds).toBeGreaterThanOrEqual(slow.seconds);
});

test("[ET14] a parent is never surer than the part that ends last", () => {
  const { operation } = play(60, (s) => group(leaf("a", s * 16), leaf("b", s)));
  const [slow, whole] = [operation.children[1]?.eta, operation.eta];
  if (!slow || !whole || "unknown" in slow || "unknown" in whole) throw new Error("no estimate");
  expect(whole.high / whole.seconds).toBeGreaterThanOrEqual(slow.high / slow.seconds - 1e-9);
  expect(whole.low).toBeGreaterThanOrEqual(slow.low);
});

test("[ET14] a parent tells nothing while the part that dominates it has no estimate", () => {
  const hook = { ...base, kind: "hook", id: "h", state: "running" as const, weight: 100 };
  const { operation } = play(60, (s) => ({
    ...group(leaf("a", s * 10, { weight: 1 }), hook),
    rule: "steps" as const,
  }));
  expect(operation.eta).toEqual({ unknown: "unmeasured" });
});

test("[ET15] an operation met on its way has an estimate at once", () => {
  const at = (s: number) => leaf("v", s * 10, { startedAt: 0 });
  let tracked = track(undefined, at(50), 50_000);
  for (const s of [51, 52, 53]) tracked = track(tracked, at(s), s * 1000);
  const { eta } = tracked.operation;
  if (!eta || "unknown" in eta) throw new Error("no estimate");
  expect(Math.abs(eta.seconds - 47)).toBeLessThan(10);
});

test("[ET16] the share leaves room for the tail of earlier runs", () => {
  expect(play(1, () => leaf("v", 1000, { history: steady })).operation.fraction).toBe(0.75);
});

test("[ET8] a hook without numbers has an estimate from its earlier runs", () => {
  const history: History = {
    version: 2,
    runs: [{ ms: 60_000, unit: "steps", units: 1, curve: [0, 0, 1000, 0, 1000, 1000] }],
  };
  const { operation } = play(20, () => ({ ...base, id: "h", state: "running", history }));
  expect(operation.eta).toMatchObject({ seconds: expect.closeTo(40, 0) });
});

test("trackedChildren() pairs each child with its memory", () => {
  const tracked = play(3, (s) => group(leaf("a", s), leaf("b", 2 * s)));
  expect(trackedChildren(tracked).map((child) => [child.operation.id, child.memory.run?.done])).toEqual([
    ["a", 3],
    ["b", 6],
  ]);
});

test("[ST13] a tail as long as earlier ones is no stall", () => {
  const at = (s: number) => leaf("v", Math.min(s * 100, 1000), { history: { version: 2, runs: [longTail] } });
  const longTail = {
    ms: 610_000,
    unit: "bytes" as const,
    units: 1000,
    curve: [0, 0, 16, 1000, 1000, 1000],
  };
  expect(look(play(20, at), 1_000_000).stall).toBeUndefined();
  expect(
    look(
      play(20, (s) => leaf("v", Math.min(s * 100, 1000))),
      1_000_000,
    ).stall,
  ).toEqual({
    since: 10_000,
    cause: "mover-silent",
  });
});

test("[ST14] a hook without numbers is not stalled by silence, but by evidence", () => {
  const hook = (signals: Signals): Observation => ({ ...base, id: "h", state: "running", signals });
  expect(look(track(undefined, hook({}), 0), 9e6).stall).toBeUndefined();
  expect(look(track(undefined, hook({ heartbeatAt: 0 }), 0), 9e6).stall?.cause).toBe("mover-silent");
  expect(look(track(undefined, hook({ alive: false }), 0), 9e6).stall?.cause).toBe("mover-gone");
});
