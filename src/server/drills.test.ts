import { expect, test } from "vitest";
import type { Drill } from "../api/index.ts";
import { drillText } from "./drills.ts";

const drill = (
  name: string,
  phase: "Completed" | "Failed" | "Restoring",
  completionTimestamp: string,
  rtoSeconds?: number,
): Drill => ({
  apiVersion: "headway.dev/v1alpha1",
  kind: "Drill",
  metadata: { name },
  status: {
    phase,
    completionTimestamp,
    namespaces: [{ source: "shop", target: "shop-drill-aaaaa" }],
    result: { ...(rtoSeconds !== undefined && { rtoSeconds }), rpoSeconds: 60, volumes: 3, volumesProved: 2 },
  },
});

test("drillText() tells the newest proof of a namespace, and whether the last rehearsal failed", () => {
  const text = drillText([
    drill("old", "Completed", "2026-01-01T00:00:00Z", 500),
    drill("good", "Completed", "2026-01-02T00:00:00Z", 90),
    drill("bad", "Failed", "2026-01-03T00:00:00Z"),
    drill("running", "Restoring", ""),
  ]);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual([
    `headway_drill_last_proved_timestamp_seconds{namespace="shop"} ${Date.UTC(2026, 0, 2) / 1000}`,
    'headway_drill_rto_seconds{namespace="shop"} 90',
    'headway_drill_rpo_seconds{namespace="shop"} 60',
    'headway_drill_volumes{namespace="shop"} 3',
    'headway_drill_volumes_proved{namespace="shop"} 2',
    'headway_drill_failed{namespace="shop"} 1',
  ]);
});
