import { expect, test } from "vitest";
import { type Client, connectTo } from "../kube/index.ts";
import { storedFile } from "./stored-file.ts";

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
