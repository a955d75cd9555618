import { expect, test } from "vitest";
import { settle, TestClock } from "../../../test/harness/clock.ts";
import type { DataDownload, KubeObject } from "../../api/index.ts";
import { ApiError, builtIn, type Client } from "../../kube/index.ts";
import { type DatapathDeps, gone, newestWarning, poll } from "./deps.ts";
import { noteRebind } from "./rebind.ts";
import { usualSettings } from "./settings.ts";

const signal = new AbortController().signal;

function world(found: KubeObject | undefined, listed: readonly object[] = []) {
  const clock = new TestClock();
  const client = {
    get: async () => {
      if (found) return found;
      throw new ApiError("get", { code: 404, reason: "NotFound", message: "no" });
    },
    list: async () => listed,
  } as unknown as Client; // only these are called
  const deps: DatapathDeps = {
    client,
    clock,
    namespace: "velero",
    settings: usualSettings,
    image: "i",
    pullPolicy: "Never",
  };
  return { clock, deps };
}

test("poll() looks less and less often, and fails with its words at the limit", async () => {
  const { clock, deps } = world(undefined);
  const waited: number[] = [];
  const limit = { atMs: clock.now() + 20_000, words: "never came" };
  const end = expect(
    poll(
      deps,
      async (waitedMs) => {
        waited.push(waitedMs);
        return undefined;
      },
      limit,
      signal,
    ),
  ).rejects.toMatchObject({ code: "VOLUME_EXPOSE", message: "never came", retry: false });
  for (let i = 0; i < 30; i += 1) {
    await settle();
    await clock.advance(1_000);
  }
  await end;
  expect(waited.length).toBeGreaterThan(5);
  expect(waited.length).toBeLessThan(16);
});

test("gone() names what holds an object that does not go", async () => {
  const held = { apiVersion: "v1", kind: "Pod", metadata: { name: "x", finalizers: ["a/b"] } };
  const { clock, deps } = world(held);
  const end = expect(gone(deps, builtIn.pods, "x", "velero", 2_000, signal)).rejects.toMatchObject({
    code: "VOLUME_EXPOSE",
    message: 'the Pod "x" does not go; it is held by a/b',
  });
  for (let i = 0; i < 10; i += 1) {
    await settle();
    await clock.advance(500);
  }
  await end;
  await gone(world(undefined).deps, builtIn.pods, "x", "velero", 0, signal);
});

test("newestWarning() tells the newest one, on one line", async () => {
  const event = (type: string, lastTimestamp: string, message: string) => ({
    metadata: {},
    type,
    lastTimestamp,
    message,
  });
  const { deps } = world(undefined, [
    event("Warning", "2026-01-01T00:00:01Z", "old"),
    event("Warning", "2026-01-01T00:00:03Z", "no\n  space"),
    event("Normal", "2026-01-01T00:00:05Z", "fine"),
  ]);
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } };
  expect(await newestWarning(deps, builtIn.events, pod, signal)).toBe("no space");
});

test("noteRebind() of a claim that lost its volume fails", async () => {
  const download = { kind: "DataDownload", metadata: { name: "dd", namespace: "velero" } } as DataDownload;
  await expect(noteRebind(world(undefined).deps, download, signal)).rejects.toMatchObject({
    code: "VOLUME_REBIND",
  });
});
