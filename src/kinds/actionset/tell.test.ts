import { expect, test } from "vitest";
import type { ActionSet } from "../../api/index.ts";
import { headline, look, type Tracked, track } from "../../progress/index.ts";
import { type SetTold, tellActionSet, type Work } from "./tell.ts";

const set: ActionSet = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "backup-x", namespace: "kanister", creationTimestamp: "2026-11-15T10:00:00Z" },
};
const beginMs = Date.parse("2026-11-15T10:00:00Z");

/** An ActionSet with one phase that runs. */
function running(work: Work): SetTold {
  const phase = { name: "dump", state: "running" as const, startedAt: beginMs, work };
  return { state: "running", error: "", actions: [{ name: "backup", object: {}, phases: [phase] }] };
}

test("a phase whose store does not answer stalls for that cause, and no longer when it answers", () => {
  const waits = {
    waitingFor: "the repository at s3:x has not answered for 25 s",
    waitingCause: "store-unreachable" as const,
  };
  const first = track(undefined, tellActionSet(set, running({ step: "running" })), beginMs);
  const silent = track(first, tellActionSet(set, running(waits)), beginMs + 25_000);
  const [action] = look(silent, beginMs + 25_000).children;
  expect(action?.children[0]).toMatchObject({
    waitingFor: { message: waits.waitingFor },
    stall: { since: beginMs, cause: "store-unreachable" },
  });
  const answered = { waitingFor: undefined, waitingCause: undefined };
  const moving = track(silent, tellActionSet(set, running(answered)), beginMs + 30_000);
  const [after] = look(moving, beginMs + 31_000).children;
  expect(after?.children[0]?.stall).toBeUndefined();
  expect(after?.children[0]?.waitingFor).toBeUndefined();
});

test("a mover that falls silent beyond its own rhythm stalls its phase and the ActionSet, until it speaks again", () => {
  let tracked: Tracked | undefined;
  const said = (second: number, done: number) => {
    const at = beginMs + second * 1_000;
    const work = { progress: { unit: "bytes", done, total: 1_000 } as const, heardAt: at };
    tracked = track(tracked, tellActionSet(set, running(work)), at);
    return tracked;
  };
  for (let second = 1; second <= 30; second += 1) said(second, second);
  const last = said(31, 31);
  expect(look(last, beginMs + 45_000).stall).toBeUndefined();
  const stalled = { since: beginMs + 31_000, cause: "mover-silent" };
  expect(look(last, beginMs + 55_000)).toMatchObject({ stall: stalled });
  expect(look(last, beginMs + 55_000).children[0]?.children[0]).toMatchObject({ stall: stalled });
  expect(look(said(60, 32), beginMs + 61_000).stall).toBeUndefined();
});

test("a phase that failed does not keep the last words of its work", () => {
  const first = track(undefined, tellActionSet(set, running({ step: "starting" })), beginMs);
  const failed = running({ step: "starting" });
  const [action] = failed.actions;
  const phases = action?.phases.map((phase) => ({ ...phase, state: "failed" as const })) ?? [];
  const over: SetTold = { state: "failed", error: "boom", actions: action ? [{ ...action, phases }] : [] };
  const { operation } = track(first, tellActionSet(set, over), beginMs + 1_000);
  const phase = operation.children[0]?.children[0];
  expect(phase?.state).toBe("failed");
  expect(phase && headline(phase)).not.toContain("starting");
  expect(headline(operation)).not.toContain("starting");
});

test("a phase that failed ends its action, and those after it were skipped; with a deferred phase only after that", () => {
  const phases = [
    { name: "dump", state: "failed" as const },
    { name: "upload", state: "pending" as const },
  ];
  const states = (deferPhase?: { name: string; state: "pending" | "running" | "complete" }) => {
    const told: SetTold = {
      state: "running",
      error: "no luck",
      actions: [{ name: "backup", object: {}, phases, ...(deferPhase && { deferPhase }) }],
    };
    const [action] = track(undefined, tellActionSet(set, told), beginMs).operation.children;
    return [action?.state, ...(action?.children.map(({ state }) => state) ?? [])];
  };
  expect(states()).toEqual(["failed", "failed", "skipped"]);
  for (const state of ["pending", "running"] as const)
    expect(states({ name: "d", state })).toEqual(["running", "failed", "pending", state]);
  expect(states({ name: "d", state: "complete" })).toEqual(["failed", "failed", "skipped", "completed"]);
});
