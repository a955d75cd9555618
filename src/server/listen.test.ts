import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { anOperation, FakeObserver } from "../../test/harness/fake-observer.ts";
import { oddRequests, rawHttp } from "../../test/harness/raw-http.ts";
import type { Observer } from "../observe/index.ts";
import { type Authorizer, tokenAuthorizer } from "./authorize.ts";
import { listen } from "./listen.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function open(authorizer: Authorizer = tokenAuthorizer("secret"), hosts: readonly string[] = []) {
  const stop = new AbortController();
  stops.push(stop);
  const fake = new FakeObserver();
  const synced = Promise.withResolvers<void>();
  // The part of an observer that a server uses.
  const observer = Object.assign(fake, { synced: () => synced.promise }) as unknown as Observer;
  const server = await listen(
    { observer, authorizer, address: "127.0.0.1:0", hosts, page: null },
    stop.signal,
  );
  return { fake, synced, stop, server };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    asked.on("error", reject);
    asked.end();
  });
}

const bearer = { authorization: "Bearer secret" };

test("the server gives operations, one and all, as JSON", async () => {
  const { fake, server } = await open();
  fake.set(anOperation("a", { fraction: 0.5 }));
  fake.set(anOperation("b", { state: "completed" }));
  const all = await get(`${server.url}/api/operations`, bearer);
  expect(JSON.parse(all.text)).toMatchObject({ operations: [{ fraction: 0.5 }, { state: "completed" }] });
  expect(all.headers["access-control-allow-origin"]).toBeUndefined();
  expect(all.headers["cache-control"]).toBe("no-store");
  const some = await get(`${server.url}/api/operations?state=completed`, bearer);
  expect(JSON.parse(some.text)).toMatchObject({ operations: [{ title: "Backup b" }] });
  const one = await get(`${server.url}/api/operations/velero/Backup/a`, bearer);
  expect(JSON.parse(one.text)).toMatchObject({ title: "Backup a" });
  const none = await get(`${server.url}/api/operations/velero/backup/zzz`, bearer);
  expect(none.status).toBe(404);
  expect(JSON.parse(none.text)).toEqual({
    error: { code: "NOT_FOUND", message: 'there is no backup "velero/zzz"' },
  });
  expect(await get(`${server.url}/elsewhere`, bearer)).toMatchObject({ status: 404 });
});

test("the server lets nobody in without a good token, probes excepted", async () => {
  const { server, synced } = await open();
  for (const path of ["/api/operations", "/api/stream", "/metrics", "/elsewhere", "/api/operations/a/b/c"]) {
    expect(await get(server.url + path), path).toMatchObject({ status: 401 });
    expect(await get(`${server.url}${path}?token=secret`), path).toMatchObject({ status: 401 });
  }
  expect(await get(`${server.url}/healthz`)).toMatchObject({ status: 200 });
  expect(await get(`${server.url}/readyz`)).toMatchObject({ status: 503 });
  synced.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await get(`${server.url}/readyz`)).toMatchObject({ status: 200 });
  expect(await get(`${server.url}/metrics`, bearer)).toMatchObject({ status: 200 });
});

test("the server asks for the very right that a path needs, and refuses when it cannot ask", async () => {
  const requests: unknown[] = [];
  const { server } = await open({
    check: async (_token, request) => {
      requests.push(request);
      return 403;
    },
  });
  for (const path of [
    "/api/operations",
    "/api/operations?namespace=a",
    "/api/operations/b/c/d",
    "/api/stream",
    "/metrics",
  ]) {
    expect(await get(server.url + path)).toMatchObject({ status: 403 });
  }
  expect(requests).toEqual([
    { verb: "list" },
    { verb: "list", namespace: "a" },
    { verb: "get", namespace: "b" },
    { verb: "watch" },
    { path: "/metrics" },
  ]);
  const broken = await open({ check: () => Promise.reject(new Error("secret detail")) });
  const answer = await get(`${broken.server.url}/api/operations`);
  expect(answer.status).toBe(503);
  expect(answer.text).not.toContain("secret detail");
});

test("the server answers to its own names only", async () => {
  const { server } = await open(undefined, ["headway.example"]);
  const path = `${server.url}/api/operations`;
  expect(await get(path, { ...bearer, host: "evil.example" })).toMatchObject({ status: 421 });
  expect(await get(path, { ...bearer, host: "headway.example:80" })).toMatchObject({ status: 200 });
  expect(await get(path, { ...bearer, host: "localhost" })).toMatchObject({ status: 200 });
});

test("the server streams changes, and ends the streams when it stops", async () => {
  const { fake, server, stop } = await open();
  const response = await fetch(`${server.url}/api/stream`, { headers: bearer });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const reader = response.body?.getReader();
  let text = "";
  const until = async (word: string) => {
    while (!text.includes(word)) {
      const next = await reader?.read();
      if (!next || next.done) throw new Error(`the stream ended without ${word}: ${text}`);
      text += Buffer.from(next.value).toString();
    }
  };
  await until("event: reset");
  fake.set(anOperation("a", { fraction: 0.25 }));
  await until('"fraction":0.25');
  stop.abort();
  await server.closed;
});

test.each(oddRequests)("the server answers %s, and goes on", async (_name, bytes) => {
  const { server } = await open();
  expect(await rawHttp(Number(new URL(server.url).port), bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(await get(`${server.url}/healthz`)).toMatchObject({ status: 200 });
});

test("the server bounds what strangers may hold, and measures a body before it reads it", async () => {
  const { server } = await open();
  const port = Number(new URL(server.url).port);
  const head = (more: string) =>
    `POST /api/objects/Backup/a HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret\r\n${more}\r\n\r\n`;
  expect(await rawHttp(port, `${head("content-length: 900000000\r\nconnection: close")}`)).toMatch(
    /^HTTP\/1\.1 413 [^]*a body has at most 100000 bytes/,
  );
});

test("listen() says what is wrong with an address", async () => {
  const { server, fake } = await open();
  const address = server.url.replace("http://", "");
  const observer = Object.assign(fake, { synced: () => Promise.resolve() }) as unknown as Observer;
  const again = listen({ observer, authorizer: tokenAuthorizer("x"), address }, new AbortController().signal);
  await expect(again).rejects.toMatchObject({ code: "SERVER_LISTEN" });
  const odd = listen(
    { observer, authorizer: tokenAuthorizer("x"), address: "here" },
    new AbortController().signal,
  );
  await expect(odd).rejects.toMatchObject({ code: "USAGE" });
});
