import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { anOperation, FakeObserver } from "../../test/harness/fake-observer.ts";
import { ApiError } from "../kube/index.ts";
import { type AppOptions, createApp } from "./app.ts";
import type { Authorizer } from "./authorize.ts";
import type { ClusterPart } from "./cluster-routes.ts";
import { Metrics } from "./metrics.ts";
import { StreamHub } from "./stream-hub.ts";

/** An API server that knows nothing: what it is asked for in earnest it answers as a real one does. */
const nothing = async () => {
  throw new ApiError("get", { code: 404, reason: "NotFound", message: "not found" });
};
const client = {
  get: nothing,
  list: async () => [],
  create: nothing,
  patch: nothing,
  watch: nothing,
} as unknown as ClusterPart["client"]; // the methods that routes use

function open(authorizer: Authorizer, more: Partial<AppOptions> = {}) {
  const observer = new FakeObserver();
  const clock = new TestClock();
  const hub = new StreamHub({ observer, clock });
  const metrics = new Metrics(observer, () => 0);
  const clusters = new Map([["", { client, writes: true, readFile: async () => undefined }]]);
  const parts = { observer, hub, metrics, authorizer, clock, clusters, hosts: ["*"], isReady: () => true };
  return { observer, clock, hub, app: createApp({ ...parts, ...more }) };
}

const anybody: Authorizer = { check: async () => 200 };
const nobody: Authorizer = { check: async () => 401 };

test.each(["/api/%zz", "/api/operations/%ff/a/b", "/api/objects/Backup/%/x", "/api/stream%"])(
  "%s is refused to whoever is known, and told to nobody else",
  async (path) => {
    const request = () => new Request(`http://localhost${path}`);
    const bad = await open(anybody).app.fetch(request());
    expect(bad.status).toBe(400);
    expect(await bad.json()).toMatchObject({ error: { code: "PATH" } });
    expect((await open({ check: async () => 403 }).app.fetch(request())).status).toBe(400);
    expect((await open(nobody).app.fetch(request())).status).toBe(401);
  },
);

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("2,000 generated requests find no answer that is the server's fault", async () => {
  const { app, observer, hub } = open(anybody);
  observer.set(anOperation("b"));
  const roll = dice(20);
  const of = <T>(list: readonly T[]): T => list[roll(list.length)] as T; // the lists below are not empty
  const words = [
    ..."api operations objects stream clusters choices about metrics healthz velero backup Backup b log results events".split(
      " ",
    ),
    ..."curve cancel Namespace MigPlan .. . %2e%2e %2f %zz % %00 %ff %c3%28 __proto__ constructor toString ; * \u00e9 \ud800".split(
      " ",
    ),
    "",
    "x".repeat(3_000),
  ];
  const queries = [
    "",
    "?",
    "?namespace=%zz",
    "?cluster=",
    "?cluster=__proto__",
    "?state=,&kind=%00",
    "?last-event-id=-1",
  ];
  const bodies = [
    "",
    "{",
    "null",
    "[]",
    '"x"',
    "{}",
    '{"kind":"Backup"}',
    '{"metadata":null}',
    "\u0000",
    "x".repeat(120_000),
  ];
  const odd =
    '{"apiVersion":"velero.io/v1","kind":"Backup","metadata":{"namespace":"velero","name":{}},"spec":[]}';
  const found = new Map<number, number>();
  const faults: string[] = [];
  for (let i = 0; i < 2_000; i++) {
    const method = of(["GET", "GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]);
    const start = roll(2) === 0 ? ["api", of(["operations", "objects", "choices", "stream"])] : [];
    const depth = start.length > 0 ? roll(6) : 1 + roll(6);
    const path = [...start, ...Array.from({ length: depth }, () => of(words))].join("/");
    const url = URL.parse(`/${path}${of(queries)}`.replace(/^\/+/, "/"), "http://localhost");
    if (!url) continue;
    const body = method === "GET" || method === "HEAD" ? null : of([...bodies, odd]);
    const response = await app.fetch(new Request(url, { method, body }));
    await response.body?.cancel();
    found.set(response.status, (found.get(response.status) ?? 0) + 1);
    if (response.status >= 500) faults.push(`${method} ${url.href} ${body?.slice(0, 40)}`);
  }
  expect(faults).toEqual([]);
  expect([...found.values()].reduce((sum, count) => sum + count, 0)).toBe(2_000);
  for (const status of [200, 400, 404, 413])
    expect(found.get(status) ?? 0, `HTTP ${status}`).toBeGreaterThan(10);
  hub.close();
});

test("a body that says nothing of its length is measured while it comes, and not kept", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 10_000;
      controller.enqueue(new Uint8Array(10_000).fill(0x20));
    },
  });
  const { app } = open(anybody);
  const init: RequestInit = { method: "POST", body, duplex: "half" };
  const response = await app.fetch(new Request("http://localhost/api/objects/Backup/velero", init));
  expect(response.status).toBe(413);
  expect(await response.json()).toEqual({
    error: { code: "TOO_LONG", message: "a body has at most 100000 bytes" },
  });
  expect(sent).toBeLessThan(1_000_000);
});

test("an open stream ends within a minute after the right to see it, and delivers nothing more", async () => {
  let status: 200 | 401 | 403 = 200;
  const asked: unknown[] = [];
  const { app, clock, observer, hub } = open({
    check: async (token, request) => {
      asked.push([token, request]);
      return status;
    },
  });
  const headers = { authorization: "Bearer theirs" };
  const response = await app.fetch(new Request("http://localhost/api/stream?namespace=velero", { headers }));
  await clock.advance(300_000);
  expect(hub.listeners).toBe(1);
  expect(new Set(asked.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify(["theirs", { verb: "watch", namespace: "velero" }])]),
  );
  status = 403;
  await clock.advance(60_000);
  observer.set(anOperation("secret"));
  await clock.advance(1_000);
  expect(hub.listeners).toBe(0);
  expect(await response.text()).not.toContain("secret");
  hub.close();
  expect(clock.waiting).toBe(0);
});
