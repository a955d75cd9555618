import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PodObject } from "./pod.ts";
import { isHeldBack, waitSettings, withRestoreWait } from "./restore-wait.ts";

const pod: PodObject = {
  metadata: { name: "web", namespace: "shop" },
  spec: {
    initContainers: [{ name: "restic-wait" }, { name: "own" }],
    containers: [{ name: "c", securityContext: { runAsUser: 7 } }],
  },
};

test("withRestoreWait() puts one container in front and keeps the pod's own", () => {
  const made = withRestoreWait(pod, ["a", "b"], "uid-1", waitSettings({}, "image:1"));
  const [first, second, ...more] = made.spec?.initContainers ?? [];
  expect(first).toMatchObject({
    name: "restore-wait",
    image: "image:1",
    args: ["/restores", "uid-1", "a", "b"],
    volumeMounts: [
      { name: "a", mountPath: "/restores/a" },
      { name: "b", mountPath: "/restores/b" },
    ],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "100m", memory: "128Mi" } },
    securityContext: { runAsUser: 7 },
  });
  expect(second?.name).toBe("own");
  expect(more).toEqual([]);
  expect(withRestoreWait(made, ["a", "b"], "uid-1", waitSettings({}, "image:1"))).toEqual(made);
});

test("waitSettings() takes what upstream's ConfigMap says", () => {
  const data = {
    image: "mine",
    cpuLimit: "1",
    secCtxRunAsUser: "5",
    secCtxAllowPrivilegeEscalation: "false",
  };
  expect(waitSettings(data, "image:1")).toEqual({
    image: "mine",
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "128Mi" } },
    securityContext: { runAsUser: 5, allowPrivilegeEscalation: false },
  });
});

test.each([
  ["it runs", "restore-wait", { running: {} }, true],
  ["the older name", "restic-wait", { running: {} }, true],
  ["another one is first", "own", { running: {} }, false],
  ["it has not begun", "restore-wait", {}, false],
  ["it is over", "restore-wait", { terminated: {} }, false],
])("isHeldBack(): %s", (_name, name, state, want) => {
  const held = {
    ...pod,
    spec: { initContainers: [{ name }] },
    status: { initContainerStatuses: [{ name, state }] },
  };
  expect(isHeldBack(held)).toBe(want);
});

test("the container's script waits for every marker of this restore, then removes them", async () => {
  const root = mkdtempSync(join(tmpdir(), "restore-wait-"));
  try {
    const [waits] = withRestoreWait(pod, ["a", "b c"], "uid-1", { image: "" }).spec?.initContainers ?? [];
    const [program = "", ...args] = (waits?.["command"] ?? []) as string[];
    const child = spawn(program, [...args, root, "uid-1", "a", "b c"], { stdio: "inherit" });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    for (const [volume, uid] of [
      ["a", "uid-1"],
      ["b c", "another"],
    ] as const)
      mark(root, volume, uid);
    await new Promise((resolve) => child.once("spawn", resolve));
    expect(child.exitCode).toBeNull();
    mark(root, "b c", "uid-1");
    expect(await ended).toBe(0);
    expect([readdirSync(join(root, "a")), readdirSync(join(root, "b c"))]).toEqual([[], []]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

function mark(root: string, volume: string, uid: string): void {
  mkdirSync(join(root, volume, ".velero"), { recursive: true });
  writeFileSync(join(root, volume, ".velero", uid), "");
}
