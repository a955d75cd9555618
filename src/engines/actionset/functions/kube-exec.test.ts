import { expect, test } from "vitest";
import { fakeCall } from "../../../../test/harness/action-call.ts";
import type { ExecOptions } from "../../../kube/index.ts";
import { kubeExec, kubeExecAll } from "./kube-exec.ts";

/** A client whose commands print some pieces and exit; containers named "bad" fail. */
function printing(...pieces: readonly string[]) {
  return {
    exec: async (_resource: unknown, pod: string, { container, onStdout, onStderr }: ExecOptions) => {
      for (const piece of pieces) await onStdout?.(Buffer.from(piece.replaceAll("POD", pod)));
      if (container !== "bad") return { exitCode: 0 };
      await onStderr?.(Buffer.from("no such table\n"));
      return { exitCode: 4 };
    },
  };
}

const where = { namespace: "n", pod: "db-0", command: ["dump"] };

test("kubeExec() finds outputs that the network cut into pieces", async () => {
  const client = printing(
    "log\n###Phase-out",
    'put###: {"key":"a",',
    '"value":"1"}\nmore###Phase-output###: {"key":"b","value":"2"}',
  );
  const { call, progress } = fakeCall("KubeExec", where, { client });
  expect(await kubeExec(call)).toEqual({ a: "1", b: "2" });
  expect(progress.work.progress).toEqual({ unit: "steps", done: 6_666, total: 10_000 });
});

test("kubeExec() tells the exit code and the last lines", async () => {
  const { call } = fakeCall("KubeExec", { ...where, container: "bad" }, { client: printing("begin\n") });
  await expect(kubeExec(call)).rejects.toMatchObject({
    code: "ACTION_COMMAND",
    message: 'the command in pod "n/db-0 (bad)" exited with 4; its last lines:\nbegin\nno such table',
  });
});

test("a command that an earlier process ran is lost, and said to be", async () => {
  const { call } = fakeCall("KubeExec", where, {
    client: printing(),
    before: { output: {}, step: "running" },
  });
  await expect(kubeExec(call)).rejects.toMatchObject({ code: "ACTION_LOST" });
});

test("kubeExecAll() runs everywhere, counts, and merges the outputs", async () => {
  const client = printing('###Phase-output###: {"key":"POD","value":"x"}\n');
  const { call, progress } = fakeCall(
    "KubeExecAll",
    { namespace: "n", pods: "a b", containers: "main", command: ["x"] },
    { client },
  );
  expect(await kubeExecAll(call)).toEqual({ a: "x", b: "x" });
  expect(progress.parts).toEqual([
    { name: "a/main", state: "completed", work: {} },
    { name: "b/main", state: "completed", work: {} },
  ]);
  expect(progress.work.step).toBe("2 of 2 containers done");
});

test("kubeExecAll() fails with every failure", async () => {
  const { call } = fakeCall(
    "KubeExecAll",
    { namespace: "n", pods: "a b", containers: "good bad", command: ["x"] },
    { client: printing() },
  );
  await expect(kubeExecAll(call)).rejects.toMatchObject({
    code: "ACTION_COMMAND",
    message: expect.stringMatching(/n\/a \(bad\)[^]*n\/b \(bad\)/),
  });
});
