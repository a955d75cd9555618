import { expect, test } from "vitest";
import type { Backup } from "../../api/index.ts";
import { hooksOf } from "./hooks.ts";

const spec = {
  hooks: {
    resources: [
      {
        name: "all",
        pre: [{ exec: { command: ["sync"], onError: "Fail", timeout: "1m" } }],
        post: [{ exec: { command: ["go"], container: "side" } }],
      },
      {
        name: "db",
        includedNamespaces: ["db"],
        labelSelector: { matchLabels: { app: "db" } },
        pre: [{ exec: { command: ["freeze"] } }],
      },
      { name: "never", excludedResources: ["pods"], pre: [{ exec: { command: ["no"] } }] },
    ],
  },
} as unknown as Backup["spec"];

function pod(
  namespace: string,
  annotations: Record<string, string> = {},
  labels: Record<string, string> = {},
  phase = "Running",
) {
  return {
    metadata: { name: "p", namespace, annotations, labels },
    spec: { containers: [{ name: "main" }, { name: "side" }] },
    status: { phase },
  };
}

const all = { name: "all", container: "main", command: ["sync"], fatal: true, timeoutMs: 60_000 };
const db = { name: "db", container: "main", command: ["freeze"], fatal: false, timeoutMs: 30_000 };

test.each([
  ["of the spec", pod("x"), "pre", [all]],
  ["by namespace and label", pod("db", {}, { app: "db" }), "pre", [all, db]],
  ["not by another label", pod("db", {}, { app: "web" }), "pre", [all]],
  [
    "after the pod",
    pod("x"),
    "post",
    [{ name: "all", container: "side", command: ["go"], fatal: false, timeoutMs: 30_000 }],
  ],
  ["not in a pod that has ended", pod("x", {}, {}, "Succeeded"), "pre", []],
  [
    "an annotation instead of the spec",
    pod("x", {
      "pre.hook.backup.velero.io/command": '["a","b"]',
      "pre.hook.backup.velero.io/on-error": "Fail",
      "pre.hook.backup.velero.io/timeout": "5s",
      "pre.hook.backup.velero.io/container": "side",
    }),
    "pre",
    [{ name: "<from-annotation>", container: "side", command: ["a", "b"], fatal: true, timeoutMs: 5_000 }],
  ],
  [
    "an annotation without a phase means before",
    pod("x", { "hook.backup.velero.io/command": "/bin/freeze" }),
    "pre",
    [
      {
        name: "<from-annotation>",
        container: "main",
        command: ["/bin/freeze"],
        fatal: false,
        timeoutMs: 30_000,
      },
    ],
  ],
  [
    "and says nothing of after",
    pod("x", { "hook.backup.velero.io/command": "/bin/freeze" }),
    "post",
    [{ name: "all", container: "side", command: ["go"], fatal: false, timeoutMs: 30_000 }],
  ],
  [
    "what is no JSON is one word",
    pod("x", { "pre.hook.backup.velero.io/command": "[a" }),
    "pre",
    [{ name: "<from-annotation>", container: "main", command: ["[a"], fatal: false, timeoutMs: 30_000 }],
  ],
] as const)("hooksOf(): %s", (_name, given, phase, want) => {
  expect(hooksOf(spec, given, phase)).toEqual(want);
});
