import { type Agent, get, type ServerResponse } from "node:http";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { listen } from "../../test/harness/listen.ts";
import { exitCodeOf } from "../errors.ts";
import { directAccess } from "./access.ts";
import { Client, connectTo } from "./client.ts";
import { Transport, type TransportOptions } from "./transport.ts";

const things = { group: "x.dev", version: "v1", plural: "things", kind: "Thing", namespaced: true };

const ok = (response: ServerResponse) =>
  response.end(JSON.stringify({ apiVersion: "x.dev/v1", kind: "Thing", metadata: { name: "a" } }));
const quick: TransportOptions = { backoff: { firstMs: 1, maxMs: 2 } };

test("a cluster that is not there: which context, which address, why, exit code 3", async () => {
  const { server, url } = await listen(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  const client = connectTo({ server: url, title: "prod" }, quick);
  const error = await client.version().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "KUBE_UNREACHABLE" });
  expect(String(error)).toContain(
    `cannot reach the cluster of context "prod" at "${url}": the connection was refused`,
  );
  expect(exitCodeOf(error)).toBe(3);
});

test("a host that does not exist is named", async () => {
  const client = connectTo({ server: "https://no-such-host.invalid:6443" }, { retries: 0 });
  await expect(client.version()).rejects.toThrow(/"https:\/\/no-such-host.invalid:6443": the host name/);
});

test("a server that stays silent is given up on, and the message says so", async () => {
  const { url } = await listen(() => undefined);
  const client = connectTo({ server: url }, { retries: 0, timeoutMs: 50 });
  await expect(client.version()).rejects.toThrow("there was no answer in time");
});

test("a server that takes the connection and never greets is given up on after connectMs", async () => {
  const open: Socket[] = [];
  const server = createServer((socket) => void open.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const client = connectTo({ server: `https://127.0.0.1:${port}` }, { retries: 0, connectMs: 50 });
  await expect(client.version()).rejects.toThrow("there was no answer in time");
  expect(open).toHaveLength(1);
});

test("retries end, with the last refusal, and wait longer each time", async () => {
  let requests = 0;
  const { url } = await listen((_request, response) => {
    requests += 1;
    response.writeHead(503).end();
  });
  const clock = new TestClock();
  const client = connectTo({ server: url }, { clock, random: () => 1, retries: 3 });
  const failed = client.version().catch((error: unknown) => error);
  const waits: number[] = [];
  while (waits.length < 3) {
    const start = clock.now();
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    while (clock.waiting > 0) await clock.advance(100);
    waits.push(clock.now() - start);
  }
  expect(await failed).toMatchObject({ code: "KUBE_API", status: { code: 503 } });
  expect([requests, waits]).toEqual([4, [200, 400, 800]]);
});

test("connections are kept and used again", async () => {
  const { server, url } = await listen((_request, response) => ok(response));
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  const client = connectTo({ server: url });
  for (let i = 0; i < 10; i++) await client.get(things, "a", { namespace: "n" });
  expect(connections).toBe(1);
  client.close();
});

test("every line that leaves HTTP has a connection of its own", async () => {
  const { server, url } = await listen((_request, response) => ok(response));
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  const transport = new Transport(directAccess({ server: url }));
  const ask = (agent: Agent) =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent }, (response) => response.resume().on("end", resolve)).on("error", reject);
    });
  const first = await transport.dial();
  await ask(first.agent);
  await ask((await transport.dial()).agent);
  await ask(first.agent);
  expect(connections).toBe(3);
});

test("at most so many reads are in flight, and writes have a limit of their own", async () => {
  const open: ServerResponse[] = [];
  let most = 0;
  const { url } = await listen((_request, response) => {
    most = Math.max(most, open.push(response));
    setImmediate(() => ok(open.splice(open.indexOf(response), 1)[0] ?? response));
  });
  const client = connectTo({ server: url }, { limits: { read: 3, write: 2 } });
  await Promise.all(Array.from({ length: 40 }, () => client.get(things, "a", { namespace: "n" })));
  expect(most).toBeLessThanOrEqual(3);
  most = 0;
  const patch = { type: "merge", body: {} } as const;
  await Promise.all(Array.from({ length: 40 }, () => client.patch(things, "a", patch, { namespace: "n" })));
  expect(most).toBeLessThanOrEqual(2);
  client.close();
});

test("impersonation, token, patch type and query reach the server", async () => {
  const seen: Record<string, unknown>[] = [];
  const { url } = await listen((request, response) => {
    const {
      authorization,
      "content-type": type,
      "impersonate-user": as,
      "impersonate-group": groups,
    } = request.headers;
    seen.push({ url: request.url, method: request.method, authorization, type, as, groups });
    ok(response);
  });
  const client = new Client({
    ...directAccess({ server: url, token: "secret" }),
    impersonate: { "Impersonate-User": "eve", "Impersonate-Group": ["a", "b"] },
  });
  const body = { apiVersion: "x.dev/v1", kind: "Thing", metadata: { name: "a" } };
  await client.patch(
    things,
    "a",
    { type: "apply", body, force: true },
    { namespace: "n", fieldManager: "me", dryRun: true },
  );
  expect(seen).toEqual([
    {
      url: "/apis/x.dev/v1/namespaces/n/things/a?dryRun=All&fieldManager=me&force=true",
      method: "PATCH",
      authorization: "Bearer secret",
      type: "application/apply-patch+yaml",
      as: "eve",
      groups: "a, b",
    },
  ]);
  client.close();
});

test("after 401 the credentials are asked for once more", async () => {
  const seen: (string | undefined)[] = [];
  const { url } = await listen((request, response) => {
    seen.push(request.headers.authorization);
    if (request.headers.authorization === "Bearer new") ok(response);
    else response.writeHead(401).end();
  });
  let token = "old";
  const client = new Client({
    ...directAccess({ server: url }),
    credentials: {
      get: () => Promise.resolve({ token }),
      refused: () => {
        token = "new";
        return true;
      },
    },
  });
  await client.get(things, "a", { namespace: "n" });
  expect(seen).toEqual(["Bearer old", "Bearer new"]);
  token = "hopeless";
  const refused = new Client({
    ...directAccess({ server: url }),
    credentials: { get: () => Promise.resolve({ token }), refused: () => true },
  });
  await expect(refused.get(things, "a", { namespace: "n" })).rejects.toMatchObject({ status: { code: 401 } });
  expect(seen).toHaveLength(4);
});

test("a signal ends a request, a wait between tries and a wait for a place", async () => {
  const { url } = await listen(() => undefined);
  const client = connectTo({ server: url }, { limits: { read: 1 } });
  const stop = new AbortController();
  const first = client.get(things, "a", { namespace: "n" }, stop.signal);
  const second = client.get(things, "a", { namespace: "n" }, stop.signal);
  setImmediate(() => stop.abort(new Error("enough")));
  await expect(first).rejects.toThrow("enough");
  await expect(second).rejects.toThrow("enough");
  const away = connectTo({ server: "http://127.0.0.1:1" }, { backoff: { firstMs: 60_000, maxMs: 60_000 } });
  await expect(away.version(AbortSignal.timeout(50))).rejects.toThrow(/aborted|timeout/i);
  client.close();
});

test("a proxy is gone through", async () => {
  const { url } = await listen((_request, response) => ok(response));
  const asked: string[] = [];
  const proxy = await listen((request, response) => {
    asked.push(request.url ?? "");
    const target = new URL(request.url ?? "");
    const socket = connectSocket(Number(target.port), target.hostname);
    socket.end(`GET ${target.pathname} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("end", () => response.end(text.split("\r\n\r\n")[1]?.match(/\{.*\}/)?.[0]));
  });
  const client = new Client({ ...directAccess({ server: url }), proxyUrl: proxy.url });
  expect((await client.get(things, "a", { namespace: "n" })).metadata.name).toBe("a");
  expect(asked).toEqual([`${url}/apis/x.dev/v1/namespaces/n/things/a`]);
  client.close();
});
