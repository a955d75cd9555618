import { expect, test } from "vitest";
import type { Schedule } from "../../api/index.ts";
import {
  backupNameOf,
  intervalMs,
  planSchedule,
  type ScheduleStep,
  scheduledBackup,
} from "./schedule-plan.ts";

const now = Date.parse("2026-11-15T10:00:00Z");

function schedule(spec: object = {}, status: object = {}): Schedule {
  return {
    apiVersion: "velero.io/v1",
    kind: "Schedule",
    metadata: { name: "nightly", namespace: "velero", uid: "u1", creationTimestamp: "2026-11-15T08:30:00Z" },
    spec: { schedule: "0 * * * *", template: {}, ...spec },
    status,
  } as Schedule;
}

test.each<[string, Schedule, boolean, ScheduleStep]>([
  ["due since its creation", schedule(), false, { do: "submit", backup: "nightly-20261115100000" }],
  [
    "not due again yet",
    schedule({}, { lastBackup: "2026-11-15T09:59:00Z" }),
    false,
    { do: "submit", backup: "nightly-20261115100000" },
  ],
  [
    "just done",
    schedule({}, { lastBackup: "2026-11-15T10:00:00Z" }),
    false,
    { do: "wait", untilMs: now + 3600_000 },
  ],
  [
    "skipped counts as done",
    schedule({}, { lastSkipped: "2026-11-15T10:00:00Z" }),
    false,
    { do: "wait", untilMs: now + 3600_000 },
  ],
  ["one still runs", schedule(), true, { do: "wait", untilMs: now + 60_000 }],
  ["paused", schedule({ paused: true }), false, { do: "wait" }],
  ["skip what is due", schedule({ skipImmediately: true }), false, { do: "skip" }],
  [
    "unreadable",
    schedule({ schedule: "often" }),
    false,
    { do: "refuse", why: ['"often" has 1 fields, not five'] },
  ],
  [
    "a template that can never be valid",
    schedule({ template: { ttl: "-1h", labelSelector: { matchLabels: { "bad key": "x" } } } }),
    false,
    {
      do: "refuse",
      why: ['template: "bad key" cannot be the key of a label', 'template: ttl "-1h" is negative'],
    },
  ],
  [
    "a clock that was a day ahead and is right again",
    schedule({}, { lastBackup: "2026-11-16T09:00:00Z" }),
    false,
    { do: "rewind" },
  ],
  [
    "after that, the next regular time",
    schedule({}, { lastSkipped: "2026-11-15T10:00:00Z" }),
    false,
    { do: "wait", untilMs: now + 3600_000 },
  ],
  [
    "a clock that jumped a day ahead makes up for one run, not for 24",
    schedule({}, { lastBackup: "2026-11-14T10:00:00Z" }),
    false,
    { do: "submit", backup: "nightly-20261115100000" },
  ],
  [
    "a creation by a clock that is a little ahead",
    { ...schedule(), metadata: { ...schedule().metadata, creationTimestamp: "2026-11-15T10:00:30Z" } },
    false,
    { do: "wait", untilMs: now + 3600_000 },
  ],
])("planSchedule(): %s", (_name, given, unfinished, want) => {
  expect(planSchedule(given, unfinished, now)).toEqual(want);
});

test("scheduledBackup() takes the template's labels, or else the schedule's, and names its owner when asked", () => {
  const labelled = schedule({ useOwnerReferencesInBackup: true, template: { ttl: "1h" } });
  const made = scheduledBackup(
    { ...labelled, metadata: { ...labelled.metadata, labels: { a: "b" } } },
    "n-1",
  );
  expect(made).toMatchObject({
    metadata: {
      labels: { a: "b", "velero.io/schedule-name": "nightly" },
      ownerReferences: [{ kind: "Schedule", name: "nightly", uid: "u1", controller: true }],
    },
    spec: { ttl: "1h" },
  });
  const template = schedule({ template: { metadata: { labels: { c: "d" } } } });
  expect(scheduledBackup(template, "n-1")).toMatchObject({ metadata: { labels: { c: "d" } } });
});

test("backupNameOf() is the schedule and the moment in UTC", () => {
  expect(backupNameOf("nightly", now)).toBe("nightly-20261115100000");
});

test.each([
  ["0 3 * * *", 86_400_000],
  ["@every 1h30m", 5_400_000],
  ["0 0 * * 1", 7 * 86_400_000],
  ["nonsense", undefined],
  ["0 0 31 2 *", undefined],
])("intervalMs() of %s", (schedule, want) => {
  const one = { apiVersion: "velero.io/v1", kind: "Schedule", metadata: { name: "s" }, spec: { schedule } };
  expect(intervalMs(one as Schedule, Date.UTC(2026, 10, 17))).toBe(want);
});
