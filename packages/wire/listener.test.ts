import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { oddRequests, rawGet, rawHttp } from "../../test/harness/raw-http.ts";
import { readBody } from "./body.ts";
import { selfSigned } from "./certificate.ts";
import { type Handler, listenOn, openHttp, openHttps } from "./listener.ts";

async function serving(handle: Handler, { tls = false } = {}) {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const server = tls ? openHttps(selfSigned("wire", Date.now()), handle, onFault) : openHttp(handle, onFault);
  const port = await listenOn(server, { hostname: "127.0.0.1", port: 0 });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, faults, server };
}

test.each(oddRequests.flatMap(([name, bytes]) => [true, false].map((tls) => ({ name, bytes, tls }))))(
  "openHttp() answers $name (TLS: $tls), and goes on",
  async ({ bytes, tls }) => {
    const { port, faults } = await serving((_request, response) => void response.end("fine"), { tls });
    expect(await rawHttp(port, bytes, { tls })).toMatch(/^HTTP\/1\.1 (200|4\d\d) /);
    expect(await rawGet(port, "/", { tls })).toContain("fine");
    expect(faults).toEqual([]);
  },
);

test.each([
  [
    "at once",
    () => {
      throw new Error("broken");
    },
  ],
  [
    "later",
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("broken");
    },
  ],
] as const)("openHttp() answers 500 for a handler that throws %s, and tells", async (_when, handle) => {
  const { port, faults } = await serving(handle);
  expect(await rawGet(port, "/")).toMatch(/^HTTP\/1\.1 500 /);
  expect(faults).toEqual([new Error("broken")]);
});

test("openHttp() tells nobody of a caller who left in the middle of a body", async () => {
  const over = Promise.withResolvers<unknown>();
  const { port, faults } = await serving(async (request) => {
    await readBody(request, 1000).catch((error: unknown) => {
      over.resolve(error);
      throw error;
    });
  });
  const socket = connect({ host: "127.0.0.1", port });
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf", () => socket.destroy());
  expect(await over.promise).toMatchObject({ code: "ECONNRESET" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(faults).toEqual([]);
});

test("openHttp() cuts an answer that failed after its first byte", async () => {
  const { port, faults } = await serving(async (_request, response) => {
    response.writeHead(200, { "content-length": 10 });
    await new Promise((resolve) => response.write("12345", resolve));
    throw new Error("broken");
  });
  const text = await rawGet(port, "/");
  expect(text).toContain("12345");
  expect(faults).toHaveLength(1);
  await expect(fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text())).rejects.toThrow();
});

test.each([
  ["announced", "content-length: 900000000\r\n\r\n"],
  ["in pieces", `transfer-encoding: chunked\r\n\r\n${`400\r\n${"x".repeat(0x400)}\r\n`.repeat(4)}`],
])("readBody() refuses what is too long, %s, without keeping it", async (_how, rest) => {
  const { port, faults } = await serving(async (request, response) => {
    response.end(await readBody(request, 2_000));
  });
  expect(await rawHttp(port, `POST / HTTP/1.1\r\nhost: localhost\r\n${rest}`)).toMatch(
    /^HTTP\/1\.1 413 [^]*longer than 2000 bytes/,
  );
  expect(faults).toEqual([]);
  const whole = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "x".repeat(2_000) });
  expect((await whole.text()).length).toBe(2_000);
});

test("listenOn() rejects for an address that is taken; errors after that have a listener", async () => {
  const { port, server, faults } = await serving(() => undefined);
  const second = openHttp(() => undefined);
  await expect(listenOn(second, { hostname: "127.0.0.1", port })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
  for (let i = 0; i < 2; i++) server.emit("error", new Error("EMFILE"));
  expect(faults).toHaveLength(2);
});

test("openHttp() bounds what strangers may hold", async () => {
  const { server } = await serving(() => undefined);
  expect(server.headersTimeout).toBeLessThanOrEqual(60_000);
  expect(server.requestTimeout).toBeGreaterThan(0);
  expect(server.maxConnections).toBeGreaterThan(0);
});
