import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { listen } from "../../test/harness/listen.ts";
import { type Client, connectTo } from "../kube/index.ts";
import { storedFile, storedText, unpacked } from "./stored-file.ts";

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

async function* never(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
  yield* [];
}

const file = { kind: "BackupLog", name: "b" } as const;
const { signal } = new AbortController();

/** A place whose operator answers with a link to this handler; everything else of it is the handler's own log of requests. */
async function linking(handle: RequestListener) {
  const asked: string[] = [];
  const { url } = await listen((request, response) => {
    asked.push(request.url ?? "");
    handle(request, response);
  });
  const client = {
    create: async () => ({ metadata: { name: "r", resourceVersion: "1" } }),
    async *watch() {
      yield { type: "MODIFIED", object: { status: { downloadURL: `${url}/file` } } };
    },
    get: async () => ({
      metadata: { name: "default" },
      spec: { storageLocation: "default", provider: "aws", config: { s3Url: "http://store.example" } },
    }),
  } as unknown as Client; // what storedFile() uses of it
  return { place: { client, namespace: "velero" }, client, asked };
}

test("storedFile() does not follow a link to elsewhere", async () => {
  const { place, asked } = await linking(
    (_request, response) => void response.writeHead(302, { location: "/inside" }).end(),
  );
  await expect(storedFile(place, file, signal)).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: 'BackupLog of "b": the link leads elsewhere (HTTP 302), and is not followed there',
  });
  expect(asked).toEqual(["/file"]);
});

test("storedFile() asks nothing of an address that is not the location's, where it is to check that", async () => {
  const { place, client, asked } = await linking((_request, response) => void response.end("secret"));
  await expect(storedFile({ ...place, check: { client } }, file, signal)).rejects.toMatchObject({
    code: "DOWNLOAD_REFUSED",
  });
  expect(asked).toEqual([]);
});

test("storedFile() says why a link cannot be followed", async () => {
  const { place } = await linking((request) => void request.socket.destroy());
  await expect(storedFile(place, file, signal)).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(/^BackupLog of "b": the link cannot be followed \(.+\)$/),
  });
});

test("storedText() takes no file that unpacks to more than memory should hold", async () => {
  const { place } = await linking(
    (_request, response) => void response.end(gzipSync(Buffer.alloc(300_000_000))),
  );
  await expect(storedText(place, file, signal)).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringContaining("longer than"),
  });
});

test("unpacked() tells a file that is no gzip as damaged", async () => {
  const { place } = await linking((_request, response) => void response.end("hello"));
  const bytes = await storedFile(place, file, signal);
  if (!bytes) throw new Error("the link leads to nothing");
  await expect(Array.fromAsync(unpacked(bytes, file, { signal }))).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: 'BackupLog of "b": its compression is damaged or cut',
  });
});
