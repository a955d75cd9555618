import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type Client, connectTo } from "../kube/index.ts";
import { storedFile, storedText } from "./stored-file.ts";

const made = {
  apiVersion: "velero.io/v1",
  kind: "DownloadRequest",
  metadata: { name: "b-1", resourceVersion: "1" },
};

test("storedFile() says when nobody answers", async () => {
  const client = connectTo({ server: "http://127.0.0.1:9" });
  Object.assign(client, {
    create: async () => made,
    watch: (_resource: unknown, _query: unknown, signal: AbortSignal) => never(signal),
  });
  const wanted = { kind: "BackupLog" as const, name: "b", timeoutMs: 20 };
  await expect(
    storedFile({ client, namespace: "velero" }, wanted, new AbortController().signal),
  ).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringContaining("does the operator run"),
  });
});

test("storedFile() says when the operator has nothing to link to, long before it gives up", async () => {
  const answer = { ...made, status: { expiration: "2026-01-01T00:00:00Z" } };
  const client = {
    create: async () => made,
    async *watch(_resource: unknown, _query: unknown, signal: AbortSignal) {
      yield { type: "MODIFIED", object: answer };
      yield* never(signal);
    },
  } as unknown as Client; // what storedFile() uses of it
  const wanted = { kind: "BackupLog" as const, name: "b", graceMs: 1 };
  await expect(
    storedFile({ client, namespace: "velero" }, wanted, new AbortController().signal),
  ).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringContaining('no link to BackupLog of "b"'),
  });
});

test("storedText() gives a file up that unpacks to more than it may", async () => {
  const blanks = Buffer.alloc(1024 ** 2, " ");
  const server = createServer((_request, response) => {
    const gzip = createGzip({ level: 1 });
    gzip.pipe(response);
    response.once("close", () => gzip.destroy());
    const more = () => {
      while (!gzip.destroyed && gzip.write(blanks));
    };
    gzip.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  const client = {
    create: async () => made,
    async *watch() {
      yield { type: "MODIFIED", object: { ...made, status: { downloadURL: `http://127.0.0.1:${port}/` } } };
    },
  } as unknown as Client; // what storedText() uses of it
  const wanted = { kind: "BackupResults" as const, name: "b" };
  await expect(
    storedText({ client, namespace: "velero" }, wanted, new AbortController().signal),
  ).rejects.toMatchObject({ code: "DOWNLOAD_FAILED", message: expect.stringContaining("bytes") });
}, 60_000);

async function* never(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
  yield* [];
}
