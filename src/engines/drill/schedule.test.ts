import { expect, test } from "vitest";
import type { Drill } from "../../api/index.ts";
import { cronOf, planSchedule, surplus } from "./schedule.ts";

const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 10, 15, 3, 0, 0);
const drill = (spec: Drill["spec"], status: Drill["status"] = {}): Drill => ({
  apiVersion: "headway.dev/v1alpha1",
  kind: "Drill",
  metadata: { name: "proof", uid: "u", creationTimestamp: "2026-11-15T00:00:00Z" },
  spec: { backupName: "b", schedule: "0 * * * *", ...spec },
  status,
});
/** Every full hour. */
const hourly = (_text: string, after: number) => (Math.floor(after / hourMs) + 1) * hourMs;
const run = (name: string, phase: "Completed" | "Restoring", creationTimestamp = ""): Drill => ({
  ...drill({}, { phase }),
  metadata: { name, creationTimestamp },
});

test.each([
  ["makes a run when one is due", drill({}), [], "run"],
  ["waits until then", drill({}, { lastRunTimestamp: "2026-11-15T03:00:00Z" }), [], "wait"],
  ["waits while one runs", drill({}), [run("a", "Restoring")], "wait"],
  ["rests while it is paused", drill({ paused: true }), [], "wait"],
  ["refuses a spec that cannot be run", drill({ scheduleName: "s" }), [], "refuse"],
  [
    "goes on when the clock was set back",
    drill({}, { lastRunTimestamp: "2030-01-01T00:00:00Z" }),
    [],
    "wait",
  ],
])("planSchedule() %s", (_title, one, runs, want) => {
  expect(planSchedule(one, runs, hourly, nowMs).do).toBe(want);
});

test("planSchedule() refuses times that are none", () => {
  const step = planSchedule(drill({}), [], () => "there is no time zone", nowMs);
  expect(step).toEqual({ do: "refuse", why: "schedule: there is no time zone" });
});

test("cronOf() puts the zone in front", () => {
  expect(cronOf(drill({ timeZone: "Europe/Paris" }))).toBe("CRON_TZ=Europe/Paris 0 * * * *");
  expect(cronOf(drill({ timeZone: "Europe/Paris", schedule: "@every 1h" }))).toBe("@every 1h");
});

test("surplus() is the oldest of those that ended", () => {
  const runs = [run("b", "Completed", "2"), run("a", "Completed", "1"), run("c", "Restoring", "0")];
  expect(surplus(runs, 1).map(({ metadata }) => metadata.name)).toEqual(["a"]);
});
