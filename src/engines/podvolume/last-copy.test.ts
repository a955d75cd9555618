import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../api/index.ts";
import { lastSize, lastSizeOf, lastSizes } from "./last-copy.ts";

function copy(completionTimestamp: string, totalBytes?: number, phase = "Completed"): PodVolumeBackup {
  const progress = totalBytes === undefined ? {} : { progress: { totalBytes } };
  return { metadata: { name: "c" }, status: { phase, completionTimestamp, ...progress } } as PodVolumeBackup; // what is looked at
}

test("lastSize() is that of the newest copy that ended well and was measured", () => {
  const copies = [
    copy("2026-11-01T00:00:00Z", 100),
    copy("2026-11-03T00:00:00Z", 300),
    copy("2026-11-02T00:00:00Z", 200),
    copy("2026-11-04T00:00:00Z"),
    copy("2026-11-05T00:00:00Z", 7, "Failed"),
  ];
  expect(lastSize(copies)).toBe(300);
  expect(lastSize([])).toBeUndefined();
});

test("lastSizeOf() asks for the copies of that claim, and for nothing without one", async () => {
  const asked: (string | undefined)[] = [];
  const client = {
    list: async (_resource: unknown, query?: { labelSelector?: string }) => {
      asked.push(query?.labelSelector);
      return [copy("2026-11-01T00:00:00Z", 100)] as never[]; // the only kind that is asked for
    },
  };
  const signal = new AbortController().signal;
  expect(await lastSizeOf(client, { namespace: "velero", uid: "u1" }, signal)).toBe(100);
  expect(await lastSizeOf(client, { namespace: "velero", uid: "" }, signal)).toBeUndefined();
  expect(asked).toEqual(["velero.io/pvc-uid=u1"]);
});

test("lastSizes() knows each claim by its name, also one that is another by now", () => {
  const of = (name: string | undefined, namespace: string, one: PodVolumeBackup) =>
    ({
      ...one,
      metadata: { ...one.metadata, ...(name && { annotations: { "velero.io/pvc-name": name } }) },
      spec: { pod: { namespace } },
    }) as PodVolumeBackup; // what is looked at
  const sizes = lastSizes([
    of("data", "shop", copy("2026-11-01T00:00:00Z", 100)),
    of("data", "shop", copy("2026-11-02T00:00:00Z", 200)),
    of("data", "bank", copy("2026-11-01T00:00:00Z", 300)),
    of("logs", "shop", copy("2026-11-01T00:00:00Z", 7, "Failed")),
    of(undefined, "shop", copy("2026-11-01T00:00:00Z", 400)),
  ]);
  expect([...sizes]).toEqual([
    ["shop/data", 200],
    ["bank/data", 300],
  ]);
});
