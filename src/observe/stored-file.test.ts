import { expect, test } from "vitest";
import { connectTo } from "../kube/index.ts";
import { storedFile } from "./stored-file.ts";

test("storedFile() says when nobody answers", async () => {
  const client = connectTo({ server: "http://127.0.0.1:9" });
  const made = {
    apiVersion: "velero.io/v1",
    kind: "DownloadRequest",
    metadata: { name: "b-1", resourceVersion: "1" },
  };
  Object.assign(client, {
    create: async () => made,
    watch: (_resource: unknown, _query: unknown, signal: AbortSignal) => never(signal),
  });
  const wanted = { kind: "BackupLog" as const, name: "b", timeoutMs: 20 };
  await expect(
    storedFile({ client, namespace: "velero" }, wanted, new AbortController().signal),
  ).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringContaining("does the operator run?"),
  });
});

async function* never(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
  yield* [];
}
