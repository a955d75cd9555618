import { expect, test } from "vitest";
import type { ActionSet } from "../../api/index.ts";
import { describeText } from "./describe-text.ts";
import { actionSetTable } from "./get.ts";

const set: ActionSet = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "backup-x", namespace: "kanister", creationTimestamp: "2026-11-15T10:00:00Z" },
  spec: { actions: [{ profile: { name: "s3" } }] },
  status: {
    state: "running",
    error: { message: "" },
    progress: { percentCompleted: "43.33", runningPhase: "dump", sizeUploadedB: 50_000 },
    actions: [
      {
        name: "backup",
        blueprint: "mysql",
        object: { kind: "statefulset", name: "db", namespace: "shop" },
        progress: { percentCompleted: "43.33" },
        artifacts: { d: { keyValue: { path: "{{ .Time }}" } } },
        phases: [
          {
            name: "quiesce",
            state: "complete",
            output: { lock: "7" },
            progress: { progressPercent: "100.00" },
            startTime: "2026-11-15T10:00:00Z",
            endTime: "2026-11-15T10:00:09Z",
          },
          {
            name: "dump",
            state: "running",
            step: "tables",
            progress: {
              progressPercent: "30.00",
              sizeUploadedB: 50_000,
              estimatedUploadSizeB: 100_000_000,
              estimatedTimeSeconds: 120,
            },
          },
          { name: "cleanup", state: "pending" },
        ],
        deferPhase: { name: "unlock", state: "pending" },
      },
    ],
  },
};

test("describeText() shows the phases as a tree with percents", () => {
  expect(describeText(set, false).split("\n")).toEqual([
    "Name:       backup-x",
    "Namespace:  kanister",
    "State:      running  43.33%",
    "Created:    2026-11-15T10:00:00Z",
    "",
    "Action backup of statefulset shop/db  43.33%",
    "  blueprint mysql, profile s3",
    "  ✓ quiesce  complete, 100.00%, took 9s",
    "      lock = 7",
    expect.stringMatching(/^ {2}▶ dump {2}running, 30\.00%, .* of .*, 2m 00s left, tables$/),
    "  · cleanup  pending",
    "  · unlock (deferred)  pending",
    "",
  ]);
});

test("describeText() shows errors and, at the end, artifacts; control characters never", () => {
  const text = describeText(
    { ...set, status: { ...set.status, state: "complete", error: { message: "one\ntwo\u001b[2J" } } },
    false,
  );
  expect(text).toContain("Error:      one\n            two");
  expect(text).toContain("    artifact d\n      path = {{ .Time }}");
  expect(text).not.toContain("\u001b");
});

test("actionSetTable() has a line each", () => {
  const [heading = "", line = ""] = actionSetTable([set], Date.parse("2026-11-15T10:00:30Z")).split("\n");
  expect(heading).toMatch(/^NAME +STATE +PROGRESS +RUNNING +MOVED +ACTIONS +AGE$/);
  expect(line).toMatch(/^backup-x +running +43\.33% +dump +.* +backup +30s$/);
});
