import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingS3, type S3Server, startS3 } from "../../test/harness/s3.ts";
import { storeConformance } from "./conformance.ts";
import { prefixed } from "./prefixed.ts";
import { S3Store } from "./s3.ts";
import type { S3Spec } from "./s3-config.ts";

const skip = missingS3();
let server: S3Server | undefined;
beforeAll(async () => {
  if (skip === undefined) server = await startS3();
}, 60_000);
afterAll(() => server?.stop());

const run = `test-${process.pid}-${Date.now()}`;

function spec(change: Partial<S3Spec> = {}, config: Record<string, string> = {}): S3Spec {
  if (server === undefined) throw new Error("no server");
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = server;
  return {
    bucket,
    credentials: `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`,
    config: { region, s3ForcePathStyle: "true", s3Url: endpoint, ...config },
    ...change,
  };
}

storeConformance({
  name: "S3Store",
  skip,
  async open() {
    const whole = new S3Store(spec());
    return {
      store: prefixed(whole, run),
      close: async () => void (await whole.deletePrefix(`${run}/`)),
    };
  },
});

describe.skipIf(skip !== undefined)(
  `a real S3 server${skip === undefined ? "" : ` (skipped: ${skip})`}`,
  () => {
    test("a canceled or failed put leaves no parts to pay for", async () => {
      const store = new S3Store(spec());
      const stop = new AbortController();
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (let i = 0; ; i += 1) {
          if (i === 30) stop.abort(new Error("enough"));
          yield Buffer.alloc(1_000_000, i);
        }
      }
      await expect(store.put(`${run}-parts/a`, endless(), stop.signal)).rejects.toThrow("enough");
      const { S3Client, ListMultipartUploadsCommand } = await import("@aws-sdk/client-s3");
      const { accessKeyId, secretAccessKey, region, endpoint, bucket } = server as S3Server;
      const client = new S3Client({
        region,
        endpoint,
        forcePathStyle: true,
        credentials: { accessKeyId, secretAccessKey },
      });
      const left = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      expect((left.Uploads ?? []).filter(({ Key }) => Key?.startsWith(`${run}-parts/`))).toEqual([]);
    }, 60_000);

    test.each([[""], ["SHA256"]])(
      "parts are written with checksumAlgorithm %j",
      async (checksumAlgorithm) => {
        const store = new S3Store(spec({}, { checksumAlgorithm }));
        const key = `${run}/sum-${checksumAlgorithm}`;
        await store.put(key, Buffer.alloc(9_000_000, "x"));
        expect(await store.head(key)).toMatchObject({ bytes: 9_000_000 });
        await store.delete(key);
      },
      60_000,
    );

    test("wrong keys are STORE_DENIED and the message has no secret", async () => {
      const credentials = "[default]\naws_access_key_id=tester\naws_secret_access_key=canary-4711\n";
      const fault = await firstOf(new S3Store(spec({ credentials }))).catch((error: unknown) => error);
      expect(fault).toMatchObject({
        code: "STORE_DENIED",
        message: expect.stringContaining((server as S3Server).bucket),
      });
      const { inspect } = await import("node:util");
      expect(inspect(fault, { depth: 10 })).not.toContain("canary-4711");
    });

    test("a bucket that is not there is STORE_MISSING and is named", async () => {
      await expect(firstOf(new S3Store(spec({ bucket: "nobodys-bucket" })))).rejects.toMatchObject({
        code: "STORE_MISSING",
        message: expect.stringContaining("nobodys-bucket"),
      });
    });

    test("publicUrl is where signed addresses point", async () => {
      const store = new S3Store(spec({}, { publicUrl: "https://s3.example.com:8443" }));
      const url = new URL((await store.signedUrl("backups/a/a.tar.gz", 600)) ?? "");
      expect(url.origin).toBe("https://s3.example.com:8443");
      expect(url.pathname).toBe(`/${(server as S3Server).bucket}/backups/a/a.tar.gz`);
      expect(url.searchParams.get("X-Amz-Expires")).toBe("600");
    });
  },
);

async function firstOf(store: S3Store): Promise<unknown> {
  for await (const entry of store.list("")) return entry;
  return undefined;
}

describe("an S3 server that misbehaves", () => {
  let fake: Server;
  let answer: (path: string) => {
    status: number;
    body?: string;
    headers?: Record<string, string>;
    cut?: boolean;
  };
  /** Takes a request over: it is answered when the test says so. */
  let hold: ((path: string, release: () => void) => boolean) | undefined;
  let calls = 0;
  let config: S3Spec;
  beforeAll(async () => {
    fake = createServer((request, response) => {
      calls += 1;
      request.resume();
      if (hold?.(request.url ?? "", () => response.writeHead(200, { etag: "e" }).end()) === true) return;
      const { status, body = "", headers = {}, cut = false } = answer(request.url ?? "");
      response.writeHead(status, headers);
      response.write(body, () => (cut ? response.destroy() : response.end()));
    });
    await new Promise<void>((resolve) => fake.listen(0, "127.0.0.1", () => resolve()));
    const { port } = fake.address() as AddressInfo;
    config = {
      bucket: "b",
      config: { s3Url: `http://127.0.0.1:${port}`, s3ForcePathStyle: "true", region: "r" },
      credentials: "[default]\naws_access_key_id=a\naws_secret_access_key=b\n",
    };
  });
  afterAll(() => void fake.close());

  const xml = (code: string) =>
    `<Error><Code>${code}</Code><Message>words\u0007 of the server</Message></Error>`;

  test.each([
    [403, "AccessDenied", { code: "STORE_DENIED", retry: true }],
    [403, "InvalidAccessKeyId", { code: "STORE_DENIED", retry: true }],
    [400, "ExpiredToken", { code: "STORE_DENIED", retry: true }],
    [404, "NoSuchBucket", { code: "STORE_MISSING", retry: true }],
    [400, "AuthorizationHeaderMalformed", { code: "STORE_CONFIG", retry: false }],
    [507, "XMinioStorageFull", { code: "STORE_FULL", retry: true }],
    [501, "NotImplemented", { code: "STORE_FAILED", retry: true }],
  ])("%i %s is told as %j", async (status, code, want) => {
    answer = () => ({ status, body: xml(code) });
    const fault = await firstOf(new S3Store(config)).catch((error: unknown) => error);
    expect(fault).toMatchObject({
      ...want,
      message: expect.stringContaining(`HTTP ${status}, ${code}, words`),
    });
    expect(String(fault)).not.toContain("\u0007");
  });

  test("503 SlowDown is tried again", async () => {
    calls = 0;
    answer = () =>
      calls === 1
        ? { status: 503, body: xml("SlowDown") }
        : { status: 200, body: "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>" };
    expect(await firstOf(new S3Store(config))).toBeUndefined();
    expect(calls).toBe(2);
  });

  test("a body that is cut off fails the read instead of ending it", async () => {
    answer = () => ({ status: 200, body: "half", headers: { "content-length": "8" }, cut: true });
    const body = await new S3Store(config).get("k");
    const read = async () => {
      for await (const chunk of body) expect(chunk.length).toBeLessThanOrEqual(4);
    };
    await expect(read()).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining('"k"'),
    });
  });

  test("put() reads its source no faster than the server takes it", async () => {
    const waiting: (() => void)[] = [];
    const twoParts = Promise.withResolvers<void>();
    let open = false;
    hold = (path, release) => {
      if (!path.includes("partNumber")) return false;
      if (open) release();
      else waiting.push(release);
      if (waiting.length === 2) twoParts.resolve();
      return true;
    };
    answer = (path) => ({
      status: 200,
      body: path.includes("uploads")
        ? "<R><UploadId>u</UploadId></R>"
        : "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>",
    });
    let produced = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 64; i += 1) {
        produced += 1;
        yield Buffer.alloc(1024 * 1024, i);
      }
    }
    const done = new S3Store(config).put("k", source());
    await twoParts.promise;
    for (let i = 0; i < 50; i += 1) await new Promise(setImmediate);
    expect(produced, "two parts of 8 MiB under way, at most one more read").toBeLessThanOrEqual(25);
    open = true;
    for (const release of waiting) release();
    await done;
    hold = undefined;
    expect(produced).toBe(64);
  }, 60_000);

  test("nobody at the address is STORE_UNREACHABLE", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", () => resolve()));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const store = new S3Store({ ...config, config: { ...config.config, s3Url: `http://127.0.0.1:${port}` } });
    await expect(firstOf(store)).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
  });

  test("a certificate of one's own is trusted when the location brings it, or when told not to look", async () => {
    const testdata = join(import.meta.dirname, "testdata");
    const cert = await readFile(join(testdata, "loopback.pem"), "utf8");
    const key = await readFile(join(testdata, "loopback.key"), "utf8");
    const body = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
    const secure = createSecureServer({ cert, key }, (request, response) => {
      request.resume();
      response.end(body);
    });
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", () => resolve()));
    const s3Url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const open = (more: Partial<S3Spec>, extra: Record<string, string> = {}) =>
      firstOf(new S3Store({ ...config, ...more, config: { ...config.config, s3Url, ...extra } }));
    try {
      await expect(open({})).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
      expect(await open({ caCert: cert })).toBeUndefined();
      expect(await open({}, { insecureSkipTLSVerify: "true" })).toBeUndefined();
    } finally {
      secure.closeAllConnections();
      secure.close();
    }
  });

  test("encryption, tags and the customer's key go with the requests", async () => {
    const seen: Record<string, unknown>[] = [];
    fake.on("request", (request) => seen.push(request.headers));
    answer = () => ({ status: 200 });
    const kms = { ...config.config, kmsKeyId: "key-1", tagging: "a=b" };
    await new S3Store({ ...config, config: kms }).put("k", Buffer.from("x"));
    expect(seen.at(-1)).toMatchObject({
      "x-amz-server-side-encryption": "aws:kms",
      "x-amz-server-side-encryption-aws-kms-key-id": "key-1",
      "x-amz-tagging": "a=b",
      "x-amz-checksum-crc32": expect.any(String),
    });
    await new S3Store({ ...config, customerKey: Buffer.alloc(32, 7) }).head("k");
    expect(seen.at(-1)).toMatchObject({
      "x-amz-server-side-encryption-customer-algorithm": "AES256",
      "x-amz-server-side-encryption-customer-key": Buffer.alloc(32, 7).toString("base64"),
    });
  });
});
