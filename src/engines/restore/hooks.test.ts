import { expect, onTestFinished, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import type { Restore } from "../../api/index.ts";
import { ApiError } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { HookRunner, type RunInPod } from "./hook-runner.ts";
import { containerState, execHooksOf, hookAnnotation, withInitHooks } from "./hooks.ts";
import { RunLog } from "./run-log.ts";
import type { Cluster } from "./served.ts";

const pod = (annotations: Record<string, string> = {}): Item => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "copy", labels: { app: "db" }, annotations },
  spec: { containers: [{ name: "main" }, { name: "side" }], initContainers: [{ name: "old" }] },
});
const spec = {
  hooks: {
    resources: [
      {
        name: "warm",
        includedNamespaces: ["shop"],
        labelSelector: { matchLabels: { app: "db" } },
        postHooks: [
          { init: { initContainers: [{ name: "first", image: "i", command: ["a"] }] } },
          {
            exec: {
              command: ["psql"],
              onError: "Fail" as const,
              execTimeout: "1m",
              waitTimeout: "5m",
              waitForReady: true,
            },
          },
        ],
      },
    ],
  },
};
const init = (changed: Item): unknown => (changed["spec"] as { initContainers?: unknown }).initContainers;

test("withInitHooks() puts the spec's containers in front, once", () => {
  const hooked = withInitHooks(pod(), spec, "shop", () => "x");
  expect(init(hooked)).toEqual([{ name: "first", image: "i", command: ["a"] }, { name: "old" }]);
  expect(init(withInitHooks(hooked, spec, "shop", () => "x"))).toEqual(init(hooked));
});

test.each([
  ["another namespace", "other", pod()],
  ["other labels", "shop", { ...pod(), metadata: { name: "p" } }],
])("withInitHooks() leaves pods of %s alone", (_title, namespace, one) => {
  expect(withInitHooks(one, spec, namespace, () => "x")).toBe(one);
  expect(execHooksOf(one, spec, namespace)).toEqual([]);
});

test("withInitHooks() lets annotations win", () => {
  const annotations = {
    "init.hook.restore.velero.io/container-image": "img",
    "init.hook.restore.velero.io/command": '["sh","-c","x"]',
  };
  const hooked = withInitHooks(pod(annotations), spec, "shop", () => "0011aabb");
  expect(init(hooked)).toEqual([
    { name: "velero-restore-init-0011aabb", image: "img", command: ["sh", "-c", "x"] },
    { name: "old" },
  ]);
});

test("execHooksOf() reads the spec and the annotations", () => {
  expect(execHooksOf(pod(), spec, "shop")).toEqual([
    {
      name: "warm",
      container: "main",
      command: ["psql"],
      stops: true,
      execTimeoutMs: 60_000,
      waitTimeoutMs: 300_000,
      waitForReady: true,
    },
  ]);
  const annotations = {
    "post.hook.restore.velero.io/command": "run",
    "post.hook.restore.velero.io/container": "side",
  };
  expect(execHooksOf(pod(annotations), spec, "shop")).toEqual([
    {
      name: "<from-annotation>",
      container: "side",
      command: ["run"],
      stops: false,
      execTimeoutMs: 30_000,
      waitTimeoutMs: 0,
      waitForReady: false,
    },
  ]);
});

test.each([
  [{}, false, "waiting"],
  [{ containerStatuses: [{ name: "main", state: { running: {} } }] }, false, "ready"],
  [{ containerStatuses: [{ name: "main", state: { running: {} }, ready: false }] }, true, "waiting"],
  [{ containerStatuses: [{ name: "main", state: { running: {} }, ready: true }] }, true, "ready"],
  [{ phase: "Failed" }, false, "over"],
])("containerState() of %j, ready %s: %s", (status, ready, want) => {
  expect(containerState({ ...pod(), status }, "main", ready)).toBe(want);
});

async function runnerOf(looks: (Item | undefined)[], run: RunInPod, clock: TestClock) {
  const log = await RunLog.open("velero/r", () => 0);
  onTestFinished(async () => await log.close());
  const get = async () => {
    const now = looks.length > 1 ? looks.shift() : looks[0];
    if (now === undefined) throw new ApiError("get", { code: 404, reason: "NotFound", message: "" });
    return now;
  };
  const marks: string[] = [];
  const patch = async (_type: unknown, _name: string, { body }: { body: Item }) => {
    marks.push(body.metadata.annotations?.[hookAnnotation] ?? "");
    return body;
  };
  const cluster = { get, patch } as unknown as Cluster;
  const restore = { metadata: { name: "r", uid: "u1" } } as Restore;
  return { log, marks, runner: new HookRunner({ restore, cluster, clock, log, run, limitMs: 600_000 }) };
}
const running: Item = { ...pod(), status: { containerStatuses: [{ name: "main", state: { running: {} } }] } };
const hook = {
  name: "h",
  container: "main",
  command: ["x"],
  stops: false,
  execTimeoutMs: 1,
  waitTimeoutMs: 5_000,
  waitForReady: false,
};
const signal = new AbortController().signal;

test("HookRunner waits for the container, runs the commands in order and counts", async () => {
  const clock = new TestClock();
  const ran: (readonly string[])[] = [];
  const run: RunInPod = async (_where, command) => {
    ran.push(command);
    return { exitCode: 0, stderr: "" };
  };
  const { runner, log, marks } = await runnerOf([pod(), running], run, clock);
  runner.add(pod(), [hook, { ...hook, command: ["y"] }]);
  const done = runner.finish(() => undefined, signal);
  await clock.advance(3_000);
  await done;
  expect(ran).toEqual([["x"], ["y"]]);
  expect(runner.numbers).toEqual({ done: 2, total: 2, failed: 0 });
  expect(log.errors.count).toBe(0);
  expect(marks, "each hook is written down before it runs").toEqual(["u1/1/0/0", "u1/2/1/0", "u1/2/2/0"]);
});

test.each([
  ["none had begun", "", ["x", "y", "z"], 0],
  ["another restore had run them", "u0/3/3/0", ["x", "y", "z"], 0],
  ["the first had ended", "u1/1/1/0", ["y", "z"], 0],
  ["the second was running", "u1/2/1/0", ["z"], 1],
  ["the first had failed and the second was running", "u1/2/1/1", ["z"], 2],
  ["all had ended", "u1/3/3/0", [], 0],
  ["all had ended, one badly", "u1/3/3/1", [], 1],
  ["the mark is no mark", "u1/x/-1", ["x", "y", "z"], 0],
])("HookRunner after a restart, when %s, runs no hook a second time", async (_title, mark, want, failed) => {
  const ran: string[] = [];
  const { runner, log } = await runnerOf(
    [running],
    async (_where, command) => {
      ran.push(command.join(" "));
      return { exitCode: 0, stderr: "" };
    },
    new TestClock(),
  );
  const marked = { ...pod(), metadata: { ...pod().metadata, annotations: { [hookAnnotation]: mark } } };
  runner.add(marked, [hook, { ...hook, command: ["y"] }, { ...hook, command: ["z"] }]);
  await runner.finish(() => undefined, signal);
  expect(ran).toEqual(want);
  expect(runner.numbers).toEqual({ done: 3, total: 3, failed });
  expect(log.errors.count).toBe(failed);
});

test.each([
  ["fails", [running], 1, "it ended with 1: bad"],
  ["has no pod", [undefined], 0, "the pod is gone"],
  ["has no container in time", [pod()], 0, "was not running in time"],
  ["has a pod that ended", [{ ...pod(), status: { phase: "Succeeded" } }], 0, "the pod has ended"],
] as [string, (Item | undefined)[], number, string][])(
  "HookRunner writes down a hook that %s",
  async (_title, looks, exitCode, want) => {
    const clock = new TestClock();
    const { runner, log } = await runnerOf(looks, async () => ({ exitCode, stderr: "bad" }), clock);
    runner.add(pod(), [{ ...hook, stops: true }, hook]);
    const done = runner.finish(() => undefined, signal);
    await clock.advance(20_000);
    await done;
    expect(log.errors.result().namespaces?.["copy"]?.[0]).toContain(want);
    expect(runner.numbers).toEqual({ done: 2, total: 2, failed: 1 });
  },
);
