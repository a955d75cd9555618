import { expect, test } from "vitest";
import { eventually } from "../../test/harness/eventually.ts";
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

test("startOperator() serves operations where it was told to, or fails", async () => {
  const stop = new AbortController();
  const logged: string[] = [];
  const options = { client, namespace: "velero", controllers: ["waits"], extra: [waits] };
  const serve = { address: "127.0.0.1:0", token: "secret" };
  const running = startOperator(
    { ...options, serve, log: (_, message) => void logged.push(message) },
    stop.signal,
  );
  const [url] = await eventually(
    () => logged.flatMap((line) => /http:\/\/\S+/.exec(line) ?? []),
    (urls) => urls.length > 0,
  );
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/api/operations`)).status).toBe(401);
  const taken = { ...serve, address: String(url).replace("http://", "") };
  const second = startOperator({ ...options, serve: taken, log: () => undefined }, stop.signal);
  await expect(second).rejects.toMatchObject({ code: "SERVER_LISTEN" });
  stop.abort();
  await running;
});
