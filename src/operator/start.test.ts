import { expect, test } from "vitest";
import { connectTo } from "../kube/index.ts";
import type { Registration } from "./deps.ts";
import { choose, startOperator } from "./start.ts";

const client = connectTo({ server: "http://127.0.0.1:9" });
const waits: Registration = {
  name: "waits",
  start: (_deps, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
    }),
};
const fails: Registration = { name: "fails", start: () => Promise.reject(new Error("boom")) };

test("startOperator() stops every controller when one fails, and names it", async () => {
  const running = startOperator(
    {
      client,
      namespace: "velero",
      log: () => undefined,
      controllers: ["waits", "fails"],
      extra: [waits, fails],
    },
    new AbortController().signal,
  );
  await expect(running).rejects.toMatchObject({
    code: "OPERATOR_FAILED",
    message: 'controller "fails" stopped: boom',
  });
});

test("startOperator() ends well when it is told to stop", async () => {
  const stop = new AbortController();
  const running = startOperator(
    { client, namespace: "velero", log: () => undefined, controllers: ["waits"], extra: [waits] },
    stop.signal,
  );
  stop.abort();
  await expect(running).resolves.toBeUndefined();
});

test("choose() refuses a controller that does not exist", () => {
  expect(() => choose([waits], ["backups"])).toThrow('there is no controller "backups"; there are waits');
  expect(choose([waits, fails], ["fails"])).toEqual([fails]);
  expect(choose([waits, fails], [])).toEqual([waits, fails]);
});
