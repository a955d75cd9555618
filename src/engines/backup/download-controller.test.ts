import { expect, test } from "vitest";
import type { DownloadRequest } from "../../api/index.ts";
import { untilCollectedMs } from "./download-controller.ts";

const now = Date.parse("2026-11-15T10:00:00Z");

function request(status: object, creationTimestamp = "2026-11-15T09:50:00Z"): DownloadRequest {
  return {
    apiVersion: "velero.io/v1",
    kind: "DownloadRequest",
    metadata: { name: "r", creationTimestamp },
    spec: { target: { kind: "BackupLog", name: "b" } },
    status,
  } as DownloadRequest;
}

test.each<[string, DownloadRequest, number]>([
  ["answered", request({ phase: "Processed", expiration: "2026-11-15T10:10:00Z" }), 600_000],
  ["refused", request({ expiration: "2026-11-15T10:01:00Z" }), 60_000],
  ["over", request({ phase: "Processed", expiration: "2026-11-15T09:59:00Z" }), -60_000],
  ["answered without an end", request({ phase: "Processed" }), -now],
  ["not answered yet", request({}), 3_000_000],
  ["never answered", request({}, "2026-11-15T08:00:00Z"), -3_600_000],
])("untilCollectedMs() of one that was %s", (_name, given, want) => {
  expect(untilCollectedMs(given, now)).toBe(want);
});
