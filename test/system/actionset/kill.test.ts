import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { ActionStage, image, type Status, task, type } from "../../harness/action-stage.ts";
import { findTestMover } from "../../harness/movers.ts";

let stage: ActionStage;
beforeAll(async () => {
  stage = await ActionStage.open();
  await stage.workload("Deployment", "web", { replicas: 1 });
});
afterAll(() => stage.close());

const namespace = "{{ .Namespace.Name }}";
const out = (key: string, value: string) => `echo '###Phase-output###: {"key":"${key}","value":"${value}"}'`;
type Phases = NonNullable<Parameters<ActionStage["run"]>[1]["phases"]>;

/** Runs an ActionSet, kills the operator with -9 when a phase runs, starts another one, and waits for the end. */
async function killed(
  name: string,
  phases: Phases,
  at: number,
  hasBegun: (status: Status) => boolean,
  more: Parameters<ActionStage["run"]>[2] = {},
): Promise<Status> {
  const first = stage.process();
  await stage.run(name, { phases }, more);
  await stage.until(
    name,
    (status) => status.actions?.[0]?.phases?.[at]?.state === "running" && hasBegun(status),
  );
  await kill(first);
  const second = stage.process();
  try {
    return await stage.ended(name, 60_000);
  } finally {
    await kill(second);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const podRuns = ({ actions }: Status) => actions?.[0]?.phases?.[1]?.progress?.progressPercent === "33.33";

test("a task's pod is found again: finished phases stay, its outputs are taken, it runs only once", async () => {
  const phases = [
    task("first", out("a", "1")),
    task("second", `echo begun >&2; sleep 6; ${out("b", "{{ .Phases.first.Output.a }}")}`),
  ];
  const end = await killed("task", phases, 1, podRuns);
  expect(end).toMatchObject({
    state: "complete",
    error: { message: "" },
    actions: [
      {
        phases: [
          { state: "complete", output: { a: "1" } },
          { state: "complete", output: { b: "1" } },
        ],
      },
    ],
  });
  expect(await stage.pods()).toEqual([]);
});

test("a command in a container cannot be found again: its phase fails once, with the reason", async () => {
  const [pod = ""] = await stage.podsOf("web");
  const exec = {
    func: "KubeExec",
    name: "exec",
    args: { namespace, pod, command: ["sh", "-c", "sleep 30"] },
  };
  const end = await killed("exec", [task("first", "true"), exec], 1, () => true);
  expect(end).toMatchObject({
    state: "failed",
    actions: [{ phases: [{ state: "complete" }, { state: "failed" }] }],
  });
  expect(end.error?.message).toContain("the operator was restarted");
  expect(end.progress?.runningPhase).toBeUndefined();
});

test("a wait goes on", async () => {
  const objectReference = { apiVersion: "v1", resource: "configmaps", name: "late", namespace };
  const wait = {
    func: "WaitV2",
    name: "wait",
    args: { timeout: "5m", conditions: { allOf: [{ condition: "{{ true }}", objectReference }] } },
  };
  setTimeout(() => {
    const metadata = { name: "late", namespace: stage.namespace };
    void stage.client.create(type("configmaps", "ConfigMap"), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
    });
  }, 12_000);
  expect(await killed("wait", [wait], 0, () => true)).toMatchObject({ state: "complete" });
});

const mover = findTestMover("kopia");
const whyNot = "missing" in mover ? mover.missing : undefined;
/** Pods of a real cluster do not see this machine's folders. */
const seesFolders = process.env["HEADWAY_TEST_CLUSTER"] !== "1";
const folderTest = seesFolders ? test.skipIf(whyNot !== undefined) : () => undefined;
folderTest(`a copy of a volume goes on in its pod${whyNot ? ` (skipped: ${whyNot})` : ""}`, async () => {
  await stage.workload("Deployment", "store", { claim: "data" });
  const [pod = ""] = await stage.podsOf("store");
  await stage.exec(pod, "sh", "-c", "head -c 50000000 /dev/urandom > /data/big");
  const metadata = { name: "folder", namespace: stage.namespace };
  const location = { type: "filesystem", bucket: "b", endpoint: stage.folder };
  await stage.client.create(resourceOf(kinds.Profile), {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Profile",
    metadata,
    location,
  });
  const copy = {
    func: "CopyVolumeData",
    name: "copy",
    args: { namespace, volume: "data", dataArtifactPrefix: "kill", image },
  };
  const begun = ({ actions }: Status) => actions?.[0]?.phases?.[0]?.step === "running";
  const end = await killed("copy", [copy], 0, begun, { profile: metadata });
  expect(end).toMatchObject({
    state: "complete",
    error: { message: "" },
    actions: [
      {
        phases: [
          {
            output: {
              backupID: expect.stringMatching(/^[0-9a-f]{32}$/),
              fileCount: "1",
              backupTag: expect.any(String),
            },
          },
        ],
      },
    ],
  });
  const labelSelector = "headway.dev/actionset-uid";
  expect(
    await stage.client.list(type("secrets", "Secret"), { namespace: stage.namespace, labelSelector }),
  ).toEqual([]);
});

test("a scaling goes on and still knows the count of before", async () => {
  const scale = {
    func: "ScaleWorkload",
    name: "scale",
    args: { replicas: 3, kind: "deployment", name: "web", namespace },
  };
  const end = await killed(
    "scale",
    [scale],
    0,
    ({ actions }) => actions?.[0]?.phases?.[0]?.output !== undefined,
  );
  expect(end).toMatchObject({
    state: "complete",
    actions: [{ phases: [{ output: { originalReplicaCount: 1 } }] }],
  });
});
