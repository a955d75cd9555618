import { expect, test } from "vitest";
import { readStatus } from "./status.ts";

test("readStatus() takes up what an earlier process wrote: states, outputs, artifacts, steps and times", () => {
  const artifacts = { dump: { keyValue: { path: "{{ .Phases.p.Output.path }}" } } };
  const status = {
    state: "running",
    error: { message: "x" },
    actions: [
      {
        name: "a",
        blueprint: "b",
        object: { kind: "Pod", name: "db-0" },
        artifacts,
        phases: [
          { name: "p", state: "complete", output: { path: "/x" }, endTime: "2026-11-15T10:00:00Z" },
          { name: "q", state: "running", step: "running", progress: { progressPercent: "30.00" } },
        ],
        deferPhase: { name: "d", state: "pending" },
      },
    ],
  };
  const { actions, ...whole } = readStatus(status) ?? {};
  expect(whole).toEqual({ state: "running", error: "x" });
  expect(actions?.[0]).toMatchObject({ name: "a", blueprint: "b", object: { name: "db-0" }, artifacts });
  expect(actions?.[0]?.phases).toEqual([
    {
      name: "p",
      state: "complete",
      output: { path: "/x" },
      work: {},
      startedAt: undefined,
      endedAt: Date.parse("2026-11-15T10:00:00Z"),
    },
    expect.objectContaining({ name: "q", state: "running", work: { step: "running" } }),
  ]);
  expect(actions?.[0]?.deferPhase).toMatchObject({ name: "d", state: "pending" });
});

test("readStatus() reads what Go writes, and nothing out of nothing", () => {
  expect(readStatus(undefined)).toBeUndefined();
  const set = readStatus({
    state: "running",
    actions: [
      { name: "a", phases: [{ name: "p", state: "completed", progress: {} }], deferPhase: { name: "" } },
    ],
  });
  expect(set?.actions[0]).toMatchObject({ phases: [{ name: "p", state: "complete" }] });
  expect(set?.actions[0]?.deferPhase).toBeUndefined();
});
