import { expect, test } from "vitest";
import { fakeCall } from "../../../../test/harness/action-call.ts";
import { ApiError } from "../../../kube/index.ts";
import { wait, waitV2 } from "./wait.ts";

const reference = { apiVersion: "v1", resource: "pods", name: "{{ .Options.pod }}", namespace: "n" };
const params = { options: { pod: "db-0" } };

/** A client that shows an object in its next state each time it is asked. */
function states(...all: readonly (object | undefined)[]) {
  const asked: string[] = [];
  const get = async (_resource: unknown, name: string) => {
    const now = all[Math.min(asked.length, all.length - 1)];
    asked.push(name);
    if (now) return now;
    throw new ApiError("get pod", { code: 404, reason: "NotFound", message: "no pod" });
  };
  return { client: { get }, asked };
}

const phase = (text: string) => ({ status: { phase: text } });

test("waitV2() waits until the template over the object prints true", async () => {
  const { client, asked } = states(undefined, phase("Pending"), phase("Running"));
  const condition = '{{ eq .status.phase "Running" }}';
  const { call } = fakeCall(
    "WaitV2",
    { timeout: "1m", conditions: { allOf: [{ condition, objectReference: reference }] } },
    { client, params },
  );
  expect(await waitV2(call)).toEqual({});
  expect(asked).toEqual(["db-0", "db-0", "db-0"]);
});

test("wait() fills JSONPath fragments into a sprig template", async () => {
  const { client } = states(phase("Pending"), { status: {} }, phase("Running"));
  const condition = '{{ if eq (lower "{ $.status.phase }") "running" }}true{{ else }}false{{ end }}';
  const { call } = fakeCall(
    "Wait",
    { timeout: "1m", conditions: { anyOf: [{ condition, objectReference: reference }] } },
    { client, params },
  );
  expect(await wait(call)).toEqual({});
});

test("wait() has sprig's checksums", async () => {
  const { client } = states(phase("Running"));
  const condition = '{{ eq (sha1sum "{ $.status.phase }") (sha1sum "Running") }}';
  const { call } = fakeCall(
    "Wait",
    { timeout: "1m", conditions: { anyOf: [{ condition, objectReference: reference }] } },
    { client, params },
  );
  expect(await wait(call)).toEqual({});
});

test("conditions that hold count one by one", async () => {
  const { client } = states({ a: 1, b: 0 }, { a: 1, b: 0 }, { a: 1, b: 1 });
  const on = (field: string) => ({ condition: `{{ eq .${field} 1 }}`, objectReference: reference });
  const { call, progress } = fakeCall(
    "WaitV2",
    { timeout: "1m", conditions: { allOf: [on("a"), on("b")] } },
    { client, params },
  );
  await waitV2(call);
  expect(progress.work).toMatchObject({
    progress: { unit: "steps", done: 1, total: 2 },
    waitingFor: "1 of 2 conditions met",
  });
});

test("what does not come in time is told", async () => {
  const { client } = states(undefined);
  const condition = "{{ true }}";
  const { call } = fakeCall(
    "WaitV2",
    { timeout: "20ms", conditions: { allOf: [{ condition, objectReference: reference }] } },
    { client, params },
  );
  await expect(waitV2(call)).rejects.toMatchObject({
    code: "ACTION_TIMEOUT",
    message: expect.stringContaining("no pod"),
  });
});

test.each([
  ["no condition", { anyOf: [] }],
  ["no reference", { anyOf: [{ condition: "x" }] }],
  ["no list", { anyOf: "x" }],
])("%s is a wrong argument", async (_what, conditions) => {
  const { call } = fakeCall("Wait", { timeout: "1m", conditions });
  await expect(wait(call)).rejects.toMatchObject({ code: "ACTION_ARGUMENTS" });
});
