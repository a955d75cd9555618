import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../src/api/index.ts";
import { ActionStage, image, task, type } from "../../harness/action-stage.ts";

let stage: ActionStage;
beforeAll(async () => {
  stage = await ActionStage.open();
  stage.operator({ podReadyMs: 8_000 });
  await stage.workload("StatefulSet", "db", { replicas: 2 });
});
afterAll(() => stage.close());

const object = () => ({ kind: "StatefulSet", name: "db", namespace: stage.namespace });
const namespace = "{{ .StatefulSet.Namespace }}";

test("KubeExec and KubeExecAll run in the pods of the workload", async () => {
  const say = (key: string) => `echo "###Phase-output###: {\\"key\\":\\"${key}\\",\\"value\\":\\"yes\\"}"`;
  await stage.run(
    "execs",
    {
      phases: [
        {
          func: "KubeExec",
          name: "one",
          args: {
            namespace,
            pod: "{{ index .StatefulSet.Pods 0 }}",
            container: "main",
            command: ["sh", "-c", say("one")],
          },
        },
        {
          func: "KubeExecAll",
          name: "all",
          args: {
            namespace,
            pods: "{{ range .StatefulSet.Pods }}{{ . }} {{ end }}",
            containers: "main",
            command: ["sh", "-c", say("all")],
          },
        },
        {
          func: "KubeExec",
          name: "bad",
          args: { namespace, pod: "db-1", command: ["sh", "-c", "echo out of luck >&2; exit 5"] },
        },
      ],
    },
    { object: object() },
  );
  const end = await stage.ended("execs");
  expect(end.actions?.[0]?.phases).toMatchObject([
    { state: "complete", output: { one: "yes" } },
    { state: "complete", output: { all: "yes" } },
    { state: "failed" },
  ]);
  expect(end.error?.message).toMatch(/exited with 5[^]*out of luck/);
});

test("ScaleWorkload scales down and up again, by the count it found, with progress", async () => {
  await stage.run(
    "scale",
    {
      phases: [
        { func: "ScaleWorkload", name: "down", args: { replicas: 0 } },
        {
          func: "ScaleWorkload",
          name: "up",
          args: {
            replicas: "{{ .Phases.down.Output.originalReplicaCount }}",
            namespace,
            name: "db",
            kind: "statefulset",
          },
        },
      ],
    },
    { object: object() },
  );
  const history = await stage.history("scale", 150_000);
  const end = history.at(-1);
  expect(end).toMatchObject({ state: "complete", error: { message: "" } });
  expect(end?.actions?.[0]?.phases?.[0]?.output).toEqual({ originalReplicaCount: 2 });
  const up = history.map(({ actions }) => actions?.[0]?.phases?.[1]?.progress?.progressPercent);
  expect(up).toContain("0.00");
  expect(await stage.podsOf("db")).toHaveLength(2);
});

test("KubeOps creates, patches and deletes; Wait and WaitV2 see it", async () => {
  const reference = {
    apiVersion: "v1",
    resource: "configmaps",
    name: "made",
    namespace: "{{ .Namespace.Name }}",
  };
  const condition = { objectReference: reference };
  await stage.run("ops", {
    phases: [
      {
        func: "KubeOps",
        name: "make",
        args: {
          operation: "create",
          namespace: "{{ .Namespace.Name }}",
          spec: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  a: '1'\n",
        },
      },
      {
        func: "KubeOps",
        name: "change",
        args: { operation: "patch", spec: "data:\n  b: '2'\n", objectReference: reference },
      },
      {
        func: "Wait",
        name: "see",
        args: {
          timeout: "30s",
          conditions: {
            allOf: [
              { ...condition, condition: '{{ if eq "{ $.data.a }" "1" }}true{{ end }}' },
              { ...condition, condition: '{{ eq "{ $.data.b }" "2" }}' },
            ],
          },
        },
      },
      {
        func: "WaitV2",
        name: "seeToo",
        args: {
          timeout: "30s",
          conditions: { anyOf: [{ ...condition, condition: '{{ eq .data.b "2" }}' }] },
        },
      },
      { func: "KubeOps", name: "unmake", args: { operation: "delete", objectReference: reference } },
      {
        func: "WaitV2",
        name: "late",
        args: { timeout: "1s", conditions: { allOf: [{ ...condition, condition: "{{ true }}" }] } },
      },
    ],
  });
  const end = await stage.ended("ops");
  expect(end.actions?.[0]?.phases?.map(({ state }) => state)).toEqual([
    "complete",
    "complete",
    "complete",
    "complete",
    "complete",
    "failed",
  ]);
  expect(end.actions?.[0]?.phases?.[0]?.output).toEqual({
    apiVersion: "v1",
    group: "",
    resource: "configmaps",
    kind: "ConfigMap",
    name: "made",
    namespace: stage.namespace,
  });
  expect(end.error?.message).toContain("do not hold after 1s");
  expect(await stage.exists(type("configmaps", "ConfigMap"), "made")).toBe(false);
});

test("MultiContainerRun shares a folder and takes the outputs of one container; PrepareData forgives unless told not to", async () => {
  await stage.run("many", {
    phases: [
      {
        func: "MultiContainerRun",
        name: "pair",
        args: {
          namespace: "{{ .Namespace.Name }}",
          sharedVolumeDir: "/shared",
          initImage: image,
          initCommand: ["sh", "-c", "echo init > /shared/a"],
          backgroundImage: image,
          backgroundCommand: [
            "sh",
            "-c",
            "while [ ! -e /shared/a ]; do sleep 0.1; done; echo back > /shared/b",
          ],
          outputImage: image,
          outputCommand: [
            "sh",
            "-c",
            `while [ ! -s /shared/b ]; do sleep 0.1; done; echo "###Phase-output###: {\\"key\\":\\"said\\",\\"value\\":\\"$(cat /shared/a)-$(cat /shared/b)\\"}"`,
          ],
        },
      },
      {
        func: "PrepareData",
        name: "forgiven",
        args: { namespace: "{{ .Namespace.Name }}", image, command: ["false"] },
      },
      {
        func: "PrepareData",
        name: "strict",
        args: { namespace: "{{ .Namespace.Name }}", image, command: ["false"], failOnError: true },
      },
    ],
  });
  const end = await stage.ended("many");
  expect(end.actions?.[0]?.phases).toMatchObject([
    { state: "complete", output: { said: "init-back" } },
    { state: "complete" },
    { state: "failed" },
  ]);
});

test("a pod that never starts fails its phase in time, with the cluster's reason on the way", async () => {
  await stage.run("stuck", {
    phases: [
      task("p", "true", {
        podOverride: { containers: [{ name: "container", envFrom: [{ secretRef: { name: "nope" } }] }] },
      }),
    ],
  });
  const history = await stage.history("stuck");
  expect(history.at(-1)).toMatchObject({ state: "failed" });
  expect(history.at(-1)?.error?.message).toMatch(/does not start: /);
  await expect.poll(() => stage.pods(), { timeout: 30_000 }).toEqual([]);
});

test("an ActionSet that is deleted in the middle loses its pods, and its deferred phase still runs", async () => {
  const defer = `kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: rites\n`;
  await stage.run("doomed", {
    phases: [task("long", "sleep 600")],
    deferPhase: {
      func: "KubeOps",
      name: "rites",
      args: { operation: "create", namespace: "{{ .Namespace.Name }}", spec: defer },
    },
  });
  await stage.until(
    "doomed",
    ({ actions }) => actions?.[0]?.phases?.[0]?.progress?.progressPercent === "33.33",
  );
  await stage.delete("doomed");
  await expect.poll(() => stage.pods(), { timeout: 60_000 }).toEqual([]);
  await expect
    .poll(() => stage.exists(type("configmaps", "ConfigMap"), "rites"), { timeout: 60_000 })
    .toBe(true);
});

test("events tell the story", async () => {
  await stage.run("told", { phases: [task("p", "true")], deferPhase: task("d", "true") });
  await stage.ended("told");
  const reasons = async () => {
    const all = await stage.client.list<KubeObject & { reason: string; involvedObject: { name: string } }>(
      type("events", "Event"),
      { namespace: stage.namespace },
    );
    return all.filter(({ involvedObject }) => involvedObject.name === "told").map(({ reason }) => reason);
  };
  await expect
    .poll(reasons, { timeout: 30_000 })
    .toEqual(
      expect.arrayContaining([
        "Started Action",
        "Started Phase",
        "Ended Phase",
        "Started deferPhase",
        "Ended deferPhase",
        "Update Complete",
      ]),
    );
});
