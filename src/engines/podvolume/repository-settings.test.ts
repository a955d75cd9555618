import { expect, test } from "vitest";
import type { BackupRepository } from "../../api/index.ts";
import { fullAnnotation, isQuick, newRepositoryConfig, settingsOf } from "./repository-settings.ts";

function repository(repositoryConfig?: Record<string, string>, annotations = {}): BackupRepository {
  return { metadata: { name: "r", annotations }, spec: { repositoryConfig } } as unknown as BackupRepository;
}

test("newRepositoryConfig() turns every value of its type into text", () => {
  const data = {
    kopia: '{"cacheLimitMB": 2048, "fullMaintenanceInterval": "fastGC", "other": true}',
    restic: "{",
  };
  expect(newRepositoryConfig("kopia", data)).toEqual({
    cacheLimitMB: "2048",
    fullMaintenanceInterval: "fastGC",
    other: "true",
  });
  expect(newRepositoryConfig("another", data)).toBeUndefined();
  expect(() => newRepositoryConfig("restic", data)).toThrow(
    'the key "restic" of the ConfigMap is no JSON object',
  );
});

test.each([
  [undefined, {}],
  [{ cacheLimitMB: "2048" }, { cacheBytes: 2_048_000_000 }],
  [{ cacheLimitMB: "-1" }, {}],
  [{ cacheLimitMB: "many", enableCompression: "true" }, {}],
  [{ fullMaintenanceInterval: "normalGC" }, { fullEveryMs: 86_400_000 }],
  [{ fullMaintenanceInterval: "eagerGC" }, { fullEveryMs: 21_600_000 }],
])("settingsOf() of %j is %j", (config, want) => {
  expect(settingsOf(repository(config))).toEqual(want);
});

test.each(["weekly", "constructor"])(
  "settingsOf() refuses the interval %s by name",
  (fullMaintenanceInterval) => {
    expect(() => settingsOf(repository({ fullMaintenanceInterval }))).toThrow(
      expect.objectContaining({
        code: "REPOSITORY_NOT_READY",
        message: `fullMaintenanceInterval "${fullMaintenanceInterval}" is none of normalGC, fastGC, eagerGC`,
      }),
    );
  },
);

test.each([
  ["nothing is set", {}, "2026-11-15T09:00:00Z", false],
  ["it was never full", { fullEveryMs: 21_600_000 }, undefined, false],
  ["it was full lately", { fullEveryMs: 21_600_000 }, "2026-11-15T09:00:00Z", true],
  ["it was full long ago", { fullEveryMs: 21_600_000 }, "2026-11-15T03:00:00Z", false],
  ["the time lies ahead", { fullEveryMs: 21_600_000 }, "2026-11-16T03:00:00Z", false],
])("isQuick(): %s", (_name, settings, last, want) => {
  const found = repository({}, last === undefined ? {} : { [fullAnnotation]: last });
  expect(isQuick(found, settings, Date.parse("2026-11-15T10:00:00Z"))).toBe(want);
});
