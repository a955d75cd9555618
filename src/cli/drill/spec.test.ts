import { expect, test } from "vitest";
import { drillSpecOf } from "./spec.ts";

const flags = (given: Record<string, string | boolean | readonly string[]>) => ({ args: [], flags: given });

test("drillSpecOf() says what the flags say, and nothing else", () => {
  const input = flags({
    "from-schedule": "nightly",
    "include-namespaces": ["shop"],
    "storage-class": "cheap",
    quota: ["pods=10"],
    "ready-timeout": "90s",
    schedule: "0 5 * * 0",
    "time-zone": "Europe/Paris",
    keep: "3",
  });
  expect(drillSpecOf(input, "- name: up\n  http: {port: 80, pod: web}\n")).toEqual({
    scheduleName: "nightly",
    includedNamespaces: ["shop"],
    isolation: { storageClassName: "cheap", quota: { pods: "10" } },
    readyTimeout: "90s",
    checks: [{ name: "up", http: { port: 80, pod: "web" } }],
    schedule: "0 5 * * 0",
    timeZone: "Europe/Paris",
    keep: 3,
  });
  expect(drillSpecOf(flags({ "from-backup": "b" }))).toEqual({ backupName: "b" });
});

test.each([
  ["no backup", {}, undefined, "which backup?"],
  ["two backups", { "from-backup": "a", "from-schedule": "b" }, undefined, "which backup?"],
  ["a zone without times", { "from-backup": "a", "time-zone": "UTC" }, undefined, "go with --schedule"],
  ["no number", { "from-backup": "a", schedule: "@daily", keep: "all" }, undefined, "--keep"],
  ["no duration", { "from-backup": "a", "ready-timeout": "soon" }, undefined, "--ready-timeout"],
  ["no YAML", { "from-backup": "a" }, "a: [", "no YAML"],
  ["no list", { "from-backup": "a" }, "a: 1", "no list"],
])("drillSpecOf() refuses %s", (_title, given, checks, words) => {
  expect(() => drillSpecOf(flags(given), checks)).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining(words) as string }),
  );
});
