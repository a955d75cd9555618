import { expect, test } from "vitest";
import { fakeCall } from "../../../../test/harness/action-call.ts";
import { ApiError } from "../../../kube/index.ts";
import { runJob } from "./job.ts";

const pod = (status: object) => ({ metadata: { name: "p", namespace: "n", uid: "1" }, status });
const job = {
  manifest: () => ({}),
  namespace: "n",
  container: "container",
  onLine: () => undefined,
  onWaiting: () => undefined,
  onRunning: () => undefined,
};

test("a pod that cannot start is told with the cluster's reason, and deleted", async () => {
  const waiting = { reason: "InvalidImageName", message: "no such name" };
  const deleted: string[] = [];
  const client = {
    create: async () =>
      pod({ phase: "Pending", containerStatuses: [{ name: "container", state: { waiting } }] }),
    delete: async (_resource: unknown, name: string) => void deleted.push(name),
  };
  const { call } = fakeCall("KubeTask", {}, { client });
  await expect(runJob(call, job)).rejects.toMatchObject({
    code: "ACTION_POD",
    message: expect.stringContaining("InvalidImageName: no such name"),
  });
  expect(deleted).toEqual(["p"]);
});

test("a pod that is refused is told", async () => {
  const client = {
    create: async () => {
      throw new ApiError("create pod", { code: 403, reason: "Forbidden", message: "quota" });
    },
  };
  const { call } = fakeCall("KubeTask", {}, { client });
  await expect(runJob(call, job)).rejects.toMatchObject({
    code: "ACTION_POD",
    message: expect.stringContaining("quota"),
  });
});

test("a pod that ran under an earlier operator and is gone is lost; one that was never seen is made", async () => {
  let created = 0;
  const client = {
    list: async () => [],
    create: async () => {
      created += 1;
      return pod({ phase: "Succeeded" });
    },
    delete: async () => undefined,
    async *logs() {},
  };
  const lost = fakeCall("KubeTask", {}, { client, before: { output: {}, step: "running" } });
  await expect(runJob(lost.call, job)).rejects.toMatchObject({ code: "ACTION_LOST" });
  expect(created).toBe(0);
  const unseen = fakeCall("KubeTask", {}, { client, before: { output: {}, step: "starting" } });
  expect(await runJob(unseen.call, job)).toEqual({ pod: "n/p" });
  expect(created).toBe(1);
});

test("a pod that an earlier operator made is taken up", async () => {
  const client = {
    list: async () => [
      pod({
        phase: "Failed",
        containerStatuses: [{ name: "container", state: { terminated: { exitCode: 2 } } }],
      }),
    ],
    delete: async () => undefined,
    async *logs() {
      yield Buffer.from("2026-11-15T10:00:00Z hello\n");
    },
  };
  const lines: string[] = [];
  const { call } = fakeCall("KubeTask", {}, { client, before: { output: {}, step: "running" } });
  const end = await runJob(call, { ...job, onLine: (line) => lines.push(line) });
  expect(end).toEqual({ pod: "n/p", failure: 'container "container" exited with 2' });
  expect(lines).toEqual(["hello"]);
});
