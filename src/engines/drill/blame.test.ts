import { expect, test } from "vitest";
import type { Restore } from "../../api/index.ts";
import {
  itemFailure,
  itemFailures,
  keptFailures,
  keptOf,
  runFailure,
  unstored,
  volumeFailure,
} from "./blame.ts";

test.each([
  [
    "restic could not restore (/r), exit 12: Fatal: wrong password or no key found",
    "repository",
    "WrongPassword",
  ],
  ["kopia could not open the repository, exit 1: invalid repository password", "repository", "WrongPassword"],
  ["restic could not restore (/r), exit 1: ciphertext verification failed", "repository", "DamagedData"],
  [
    "restic could not restore, exit 1: load(<data/aa>): open /r/data/aa: no such file or directory",
    "repository",
    "MissingData",
  ],
  ["restic could not restore, exit 1: write: no space left on device", "cluster", "NoSpace"],
  ["restic could not restore, exit 1: dial tcp 1.2.3.4: connection refused", "location", "Unreachable"],
  ["restic could not restore, exit 1: something new", "repository", "VolumeNotRestored"],
])("volumeFailure() %s", (message, part, reason) => {
  expect(volumeFailure("volume a/b", message)).toEqual({ part, reason, object: "volume a/b", message });
});

test.each([
  ["the cluster does not serve Widget of example.com/v1", "cluster", "KindNotServed"],
  ["pods is forbidden: exceeded quota: headway-drill", "cluster", "Quota"],
  ['configmaps is forbidden: User "x" cannot create', "cluster", "NotAllowed"],
  ["resource modifier rule 1: nothing at /spec", "drill", "Modifier"],
  ["something new", "backup", "ObjectNotRestored"],
])("itemFailure() %s", (message, part, reason) => {
  expect(itemFailure("namespace a", message)).toMatchObject({ part, reason });
});

const restore = (status: Restore["status"]): Restore => ({
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: "r" },
  ...(status && { status }),
});

test.each([
  ["read the backup's archive: incorrect data check", "backup", "DamagedArchive"],
  ['the storage location "default" is unavailable', "location", "Unreachable"],
  ['there is no backup "b"', "backup", "Gone"],
  ["no idea", "drill", "RestoreFailed"],
])("runFailure() %s", (failureReason, part, reason) => {
  expect(runFailure(restore({ phase: "Failed", failureReason }))).toMatchObject({ part, reason });
});

test("runFailure() says nothing of a restore that did something", () => {
  expect(runFailure(restore({ phase: "PartiallyFailed", errors: 3 }))).toBeUndefined();
});

test("itemFailures() does not tell again what a volume has told", () => {
  const told = [volumeFailure("volume a/b", "restic could not restore: x")];
  const errors = { namespaces: { a: ["pod a/b: restic could not restore: x", "other"] }, cluster: ["c"] };
  expect(itemFailures(errors, told).map(({ message }) => message)).toEqual(["c", "other"]);
});

test("keptOf() keeps each once, the deepest cause first, and not too many", () => {
  const late = { part: "check", reason: "CheckFailed", message: "m" } as const;
  const deep = { part: "repository", reason: "DamagedData", message: "d" } as const;
  expect(keptOf([late, deep, late]).map(({ part }) => part)).toEqual(["repository", "check"]);
  const many = Array.from({ length: 200 }, (_, n) => ({ ...deep, message: String(n) }));
  expect(keptOf(many)).toHaveLength(keptFailures);
});

test.each([
  ["Completed", []],
  ["PartiallyFailed", ['backup: backup "b" is PartiallyFailed with 2 errors: it does not hold everything']],
] as const)("unstored() of a backup that is %s", (phase, told) => {
  const failures = unstored({ metadata: { name: "b" }, status: { phase, errors: 2 } });
  expect(failures.map(({ part, message }) => `${part}: ${message}`)).toEqual(told);
});
