import { expect, test } from "vitest";
import type { Drill } from "../../api/index.ts";
import { describeText, drillTable, verdictWords } from "./describe-text.ts";
import { reportPage } from "./report-html.ts";

const drill: Drill = {
  apiVersion: "headway.dev/v1alpha1",
  kind: "Drill",
  metadata: { name: "proof", namespace: "velero" },
  spec: { scheduleName: "nightly" },
  status: {
    phase: "Failed",
    backupName: "nightly-1",
    message: "not restorable (repository): a pack is missing",
    startTimestamp: "2026-11-15T03:00:00Z",
    completionTimestamp: "2026-11-15T03:04:00Z",
    namespaces: [{ source: "shop", target: "shop-drill-aaaaa" }],
    result: {
      rtoSeconds: 240,
      rpoSeconds: 3600,
      items: 41,
      itemsRestored: 41,
      volumes: 2,
      volumesProved: 1,
      bytes: 2048,
      bytesRestored: 1024,
    },
    checks: [
      { name: "web/data", kind: "volume", namespace: "shop", result: "Failed", message: "a pack is missing" },
    ],
    failures: [
      {
        part: "repository",
        reason: "MissingData",
        object: "volume shop/web/data",
        message: "a pack is missing",
      },
    ],
  },
};

test("drillTable() tells what was proved, how fast and how fresh", () => {
  const text = drillTable([drill], Date.UTC(2026, 10, 15, 5, 4), { wide: false });
  expect(text.split("\n")[1]).toMatch(
    /^proof\s+nightly-1\s+Failed\s+4m 00s\s+1h 00m 00s\s+1 of 2\s+120m ago/,
  );
});

test("describeText() and verdictWords() name the part that is to blame", () => {
  expect(describeText(drill)).toMatch(
    /Failures:\n {2}repository \(MissingData\):\s+volume shop\/web\/data: a pack is missing/,
  );
  expect(describeText(drill)).toContain("Volumes proved:");
  expect(verdictWords(drill)).toContain("failed (repository) volume shop/web/data: a pack is missing");
});

test("describeText() of a drill with times tells the next one", () => {
  const spec = { backupName: "b", schedule: "@daily", timeZone: "Europe/Paris" };
  const text = describeText({
    ...drill,
    spec,
    status: { phase: "Scheduled", nextRunTimestamp: "2026-11-16T00:00:00Z" },
  });
  expect(text).toMatch(/Schedule:\s+@daily \(Europe\/Paris\)/);
  expect(text).toMatch(/Next Run:\s+2026-11-16 00:00:00/);
});

test("reportPage() shows messages as text, never as markup", () => {
  const page = reportPage(
    {
      kind: "headway.dev/DrillReport",
      version: 1,
      drill: { name: "proof", namespace: "velero", uid: "u" },
      cluster: undefined,
      backup: { name: "b", startedAt: undefined },
      verdict: "failed",
      message: "<script>alert(1)</script>",
      startedAt: "2026-11-15T03:00:00Z",
      finishedAt: "2026-11-15T03:04:00Z",
      namespaces: [],
      measured: { rtoSeconds: 5 },
      steps: [],
      checks: [{ name: "x", kind: "exec", result: "Failed", message: "a & b" }],
      failures: [],
    },
    "a2V5",
  );
  expect(page).toContain("Not restorable: &lt;script&gt;");
  expect(page).toContain("a &amp; b");
  expect(page).not.toContain("<script");
});
