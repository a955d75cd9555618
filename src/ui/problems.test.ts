import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { stallCauses } from "../progress/index.ts";
import { problemsOf } from "./problems.ts";

test("problemsOf() says where it failed and what was said", () => {
  const failed = anOperation("step", { kind: "step", title: "VolumeBackup", state: "failed" });
  const [problem] = problemsOf(
    anOperation("m", { state: "failed", message: "locked", children: [failed] }),
    0,
  );
  expect(problem).toMatchObject({
    level: "danger",
    title: "Backup m failed: Back up volumes",
    text: "locked",
  });
});

test("problemsOf() has advice for every cause of standing still, of the deepest part", () => {
  for (const cause of stallCauses) {
    const part = anOperation("v", { title: "volume v", stall: { since: 0, cause } });
    const problems = problemsOf(anOperation("b", { stall: { since: 0, cause }, children: [part] }), 60_000);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.title).toMatch(/^volume v: stalled for 1m 00s: /);
    expect(problems[0]?.advice).toMatch(/\w/);
  }
});

test("problemsOf() tells that the scope grew while the bar holds, and counts warnings", () => {
  const progress = { unit: "items", done: 5, total: 20, movedAt: 0 } as const;
  const grown = anOperation("b", { progress, scopeGrew: { at: 0, held: true }, warnings: 2 });
  expect(problemsOf(grown, 0).map(({ key, level }) => [key, level])).toEqual([
    ["grew", "info"],
    ["warnings", "warning"],
  ]);
  expect(
    problemsOf(anOperation("b", { state: "completed", progress, scopeGrew: { at: 0, held: true } }), 0),
  ).toEqual([]);
});

test("problemsOf() helps with a wait that a person can end", () => {
  const waiting = anOperation("b", {
    state: "pending",
    waitingFor: { reason: "server", message: "a server to take it" },
  });
  expect(problemsOf(waiting, 0)).toMatchObject([{ level: "info", title: "Waiting for a server to take it" }]);
  expect(problemsOf(anOperation("b", { waitingFor: { reason: "volumes" } }), 0)).toEqual([]);
});
