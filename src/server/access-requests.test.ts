import { expect, test } from "vitest";
import { accessRequestOf } from "./access-requests.ts";

test.each([
  ["GET", "/metrics", undefined, { path: "/metrics" }],
  ["GET", "/api/operations", undefined, { verb: "list" }],
  ["GET", "/api/operations", "a", { verb: "list", namespace: "a" }],
  ["GET", "/api/stream", "a", { verb: "watch", namespace: "a" }],
  ["GET", "/api/operations/ns/backup/b", undefined, { verb: "get", namespace: "ns" }],
  ["GET", "/api/operations/ns/backup/b/curve", undefined, { verb: "get", namespace: "ns" }],
  [
    "GET",
    "/api/operations/ns/backup/b/events",
    undefined,
    { verb: "list", group: "", resource: "events", namespace: "ns" },
  ],
  [
    "GET",
    "/api/operations/ns/backup/b/log",
    undefined,
    { verb: "get", group: "velero.io", resource: "backups", namespace: "ns" },
  ],
  [
    "GET",
    "/api/objects/MigMigration/ns/m",
    undefined,
    { verb: "get", group: "migration.openshift.io", resource: "migmigrations", namespace: "ns", name: "m" },
  ],
  ["GET", "/api/clusters", undefined, { verb: "list" }],
  ["GET", "/api/board", undefined, { verb: "list", group: "velero.io", resource: "backups" }],
  [
    "GET",
    "/api/operations/ns/restore/b/results",
    undefined,
    { verb: "get", group: "velero.io", resource: "restores", namespace: "ns" },
  ],
  ["GET", "/api/objects/Secret/ns/s", undefined, { path: "/api/objects/Secret/ns/s" }],
  ["GET", "/api/choices/Namespace", undefined, { verb: "list", group: "", resource: "namespaces" }],
  [
    "GET",
    "/api/choices/Blueprint",
    "a",
    { verb: "list", group: "cr.kanister.io", resource: "blueprints", namespace: "a" },
  ],
  [
    "POST",
    "/api/operations/ns/restore/r/cancel",
    undefined,
    { verb: "patch", group: "velero.io", resource: "restores", namespace: "ns", name: "r" },
  ],
  [
    "POST",
    "/api/objects/Backup/ns",
    undefined,
    { verb: "create", group: "velero.io", resource: "backups", namespace: "ns" },
  ],
  [
    "POST",
    "/api/schedules/ns/nightly/pause",
    undefined,
    { verb: "patch", group: "velero.io", resource: "schedules", namespace: "ns", name: "nightly" },
  ],
  [
    "POST",
    "/api/schedules/ns/nightly/run",
    undefined,
    { verb: "create", group: "velero.io", resource: "backups", namespace: "ns" },
  ],
  [
    "POST",
    "/api/backups/ns/b/delete",
    undefined,
    { verb: "create", group: "velero.io", resource: "deletebackuprequests", namespace: "ns" },
  ],
  ["POST", "/api/backups/ns/b/else", undefined, { path: "/api/backups/ns/b/else" }],
  [
    "POST",
    "/api/plans/restore/ns",
    undefined,
    { verb: "create", group: "velero.io", resource: "restores", namespace: "ns" },
  ],
  ["POST", "/api/plans/backup/ns", undefined, { path: "/api/plans/backup/ns" }],
  ["POST", "/api/operations/ns/restore/r/else", undefined, { path: "/api/operations/ns/restore/r/else" }],
  ["DELETE", "/api/elsewhere", undefined, { path: "/api/elsewhere" }],
] as const)("accessRequestOf(%s %s, %s)", (method, path, namespace, want) => {
  expect(accessRequestOf(method, path, namespace)).toEqual(want);
});

test.each(["/api/%zz", "/api/operations/%", "/%c3%28"])("accessRequestOf() makes nothing of %s", (path) => {
  expect(accessRequestOf("GET", path, undefined)).toBeUndefined();
});
