import { expect, test } from "vitest";
import { serveProbes } from "./probes.ts";

test("serveProbes() answers the kubelet, and ends with its signal", async () => {
  const stop = new AbortController();
  let isReady = false;
  const { port, closed } = await serveProbes({ hostname: "127.0.0.1", port: 0 }, () => isReady, stop.signal);
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  expect([await ask("/healthz"), await ask("/readyz"), await ask("/metrics")]).toEqual([200, 503, 404]);
  isReady = true;
  expect(await ask("/readyz")).toBe(200);
  await expect(serveProbes({ hostname: "127.0.0.1", port }, () => true, stop.signal)).rejects.toMatchObject({
    code: "SERVER_LISTEN",
  });
  stop.abort();
  await closed;
  await expect(ask("/healthz")).rejects.toThrow();
});
