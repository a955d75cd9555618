import { expect, test } from "vitest";
import { oddRequests, rawHttp } from "../../test/harness/raw-http.ts";
import { MemoryStore } from "../store/index.ts";
import { Downloads } from "./downloads.ts";

test("Downloads serves what it signed, nothing else, and not for ever", async () => {
  const store = new MemoryStore();
  await store.put("backups/a/a-logs.gz", Buffer.from("log"));
  let now = 1_000_000;
  const stop = new AbortController();
  const downloads = new Downloads({ listen: "127.0.0.1:0", openStore: async () => store, now: () => now });
  expect(downloads.url("default", "backups/a/a-logs.gz", 600)).toBeUndefined();
  await downloads.listen(stop.signal);
  try {
    const url = downloads.url("default", "backups/a/a-logs.gz", 600) ?? "";
    const status = async (link: string) => (await fetch(link)).status;
    expect(await (await fetch(url)).text()).toBe("log");
    expect(await status(url.replace("a-logs", "b-logs"))).toBe(403);
    expect(await status(url.replace(/signature=.*/, "signature=AAAA"))).toBe(403);
    expect(await status(new URL("/other", url).href)).toBe(404);
    expect(await status(downloads.url("default", "backups/a/none", 600) ?? "")).toBe(404);
    now += 601_000;
    expect(await status(url)).toBe(403);
  } finally {
    stop.abort();
  }
});

test.each(oddRequests)("Downloads answers %s, and goes on", async (_name, bytes) => {
  const stop = new AbortController();
  const store = new MemoryStore();
  await store.put("a", Buffer.from("log"));
  const downloads = new Downloads({ listen: "127.0.0.1:0", openStore: async () => store, now: () => 1_000 });
  await downloads.listen(stop.signal);
  try {
    const url = downloads.url("default", "a", 600) ?? "";
    expect(await rawHttp(Number(new URL(url).port), bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await (await fetch(url)).text()).toBe("log");
  } finally {
    stop.abort();
  }
});
