import { expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { type ContainerFacts, knownRestarts, podStatus } from "./pod-status.ts";

const nowMs = Date.parse("2026-01-02T03:04:05Z");
const pod = (restartPolicy: string, status: object = {}): KubeObject => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p", uid: "u", generation: 1 },
  spec: { restartPolicy, containers: [{ name: "c", image: "i" }] },
  status: { ...status },
});
const facts = (state: ContainerFacts["state"], more: Partial<ContainerFacts> = {}): ContainerFacts => ({
  name: "c",
  image: "i",
  state,
  last: undefined,
  restarts: 0,
  ready: false,
  ...more,
});
const waiting = { is: "waiting", reason: "ContainerCreating" } as const;
const running = { is: "running", startedMs: nowMs } as const;
const ended = (exitCode: number) =>
  ({ is: "ended", ended: { exitCode, message: "", startedMs: nowMs, finishedMs: nowMs } }) as const;

test.each([
  ["Always", [], [facts(waiting)], "Pending"],
  ["Always", [], [facts(running)], "Running"],
  ["Always", [], [facts(ended(0))], "Running"],
  ["OnFailure", [], [facts(ended(1))], "Running"],
  ["OnFailure", [], [facts(ended(0))], "Succeeded"],
  ["Never", [], [facts(ended(0)), facts(running)], "Running"],
  ["Never", [], [facts(ended(0)), facts(ended(3))], "Failed"],
  ["Never", [facts(ended(1))], [facts(waiting)], "Failed"],
  ["Always", [facts(ended(1))], [facts(waiting)], "Pending"],
  ["Always", [], [facts(waiting, { restarts: 2 })], "Running"],
] as const)("podStatus() with policy %s: case %#", (policy, inits, mains, phase) => {
  expect(podStatus(pod(policy), inits, mains, nowMs)["phase"]).toBe(phase);
});

test("podStatus() keeps the time of a condition that did not turn", () => {
  const first = podStatus(pod("Always"), [], [facts(running, { ready: true })], nowMs);
  const later = podStatus(pod("Always", first), [], [facts(running, { ready: true })], nowMs + 60_000);
  expect(later).toEqual(first);
  const turned = podStatus(pod("Always", first), [], [facts(running)], nowMs + 60_000);
  expect(turned["conditions"]).toContainEqual(
    expect.objectContaining({
      type: "Ready",
      status: "False",
      lastTransitionTime: "2026-01-02T03:05:05Z",
      message: "containers with unready status: [c]",
    }),
  );
});

test("knownRestarts() reads what an earlier process wrote", () => {
  const status = podStatus(pod("Always"), [], [facts(running, { restarts: 3 })], nowMs);
  expect(knownRestarts(pod("Always", status), "c")).toEqual({ restarts: 3, begun: true });
  expect(knownRestarts(pod("Always"), "c")).toEqual({ restarts: 0, begun: false });
});
