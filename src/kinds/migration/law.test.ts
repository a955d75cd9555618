import fc from "fast-check";
import { expect, test } from "vitest";
import type { MigMigration, MigStep } from "../../api/index.ts";
import type { Observation, State } from "../../progress/index.ts";
import { readObjects } from "./objects.ts";
import { readMigration } from "./read.ts";
import { writeDetail, writeLines } from "./write.ts";

const whole = { apiVersion: "v1", kind: "MigMigration", name: "move" };
const states: readonly State[] = [
  "pending",
  "running",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
  "skipped",
];
const seconds = fc.integer({ min: 1, max: 2_000_000_000 }).map((at) => at * 1000);
const words = fc.string({ minLength: 1, maxLength: 40 });
const maybe = <K extends string, T>(key: K, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [key]: one }));

/** An object as any reader may see it; kinds that are a run with volumes are told apart by `readObjects` itself. */
const seen: fc.Arbitrary<Observation> = fc
  .record({
    kind: fc.constantFrom("PodVolumeBackup", "PodVolumeRestore"),
    cluster: fc.constantFrom("blue", "green"),
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    state: fc.constantFrom(...states),
    progress: maybe(
      "progress",
      fc.record({
        unit: fc.constantFrom("bytes" as const, "items" as const),
        done: fc.nat(),
        total: fc.nat(),
      }),
    ),
    startedAt: maybe("startedAt", seconds),
    finishedAt: maybe("finishedAt", seconds),
    message: maybe("message", words),
  })
  .map(({ kind, cluster, name, state, progress, startedAt, finishedAt, message }) => ({
    id: `${kind}/velero/${name}@${cluster}`,
    ref: { cluster, apiVersion: "velero.io/v1", kind, namespace: "velero", name },
    kind: kind.toLowerCase(),
    title: `claim shop/${name} (${cluster})`,
    state,
    ...progress,
    ...startedAt,
    ...finishedAt,
    ...message,
  }));

test("[law] what is written of an object is read back as the same, as far as the schema can hold it", () => {
  fc.assert(
    fc.property(seen, (one) => {
      const detail = writeDetail(one, { claim: { namespace: "shop", name: one.ref.name } });
      const stored = JSON.parse(JSON.stringify(detail)) as typeof detail; // as the cluster keeps it
      expect(readObjects([stored], whole)).toEqual([one]);
    }),
  );
});

test("[law] lines are printed, never read: an operation is the same whatever stands in them", () => {
  fc.assert(
    fc.property(fc.array(seen, { minLength: 1, maxLength: 5 }), fc.array(words), (all, noise) => {
      const details = all.map((one) => ({ ...writeDetail(one), phase: "StageBackupCreated" }));
      const read = (progress: readonly string[]) => {
        const step: MigStep = {
          name: "VolumeBackup",
          started: "2026-11-15T10:00:00Z",
          phase: "StageBackupCreated",
          phases: [{ name: "StageBackupCreated", started: "2026-11-15T10:00:00Z" }],
          details,
          progress,
        };
        const migration: MigMigration = {
          apiVersion: "migration.openshift.io/v1alpha1",
          kind: "MigMigration",
          metadata: { name: "move", namespace: "velero" },
          spec: { stage: false },
          status: { startTimestamp: "2026-11-15T10:00:00Z", pipeline: [step] },
        };
        const [only] = readMigration(migration).children ?? [];
        return { ...only, message: "" }; // shown as it is
      };
      expect(read(noise)).toEqual(read(writeLines(details, "StageBackupCreated", 0)));
    }),
  );
});
