import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import type { VolumeSnapshotter } from "./contract.ts";
import { guarded } from "./guard.ts";

const { signal } = new AbortController();
const never = () => new Promise<never>(() => undefined);
const plugin = (change: object): VolumeSnapshotter => ({
  init: async () => undefined,
  getVolumeID: async () => "v",
  setVolumeID: async (volume) => volume,
  getVolumeInfo: async () => ({ type: "t" }),
  createSnapshot: async () => "s",
  createVolumeFromSnapshot: async () => "v",
  deleteSnapshot: async () => undefined,
  ...change,
});
const request = { volumeID: "v", volumeAZ: "", tags: {} };
function guard(change: object) {
  const clock = new TestClock();
  return { clock, safe: guarded("example.com/p", plugin(change), { clock, callMs: 60_000, askMs: 5_000 }) };
}

test("a plugin that hangs is given up with its name and what it was asked", async () => {
  const { clock, safe } = guard({ createSnapshot: never });
  const call = safe.createSnapshot(request, signal);
  const caught = expect(call).rejects.toMatchObject({
    code: "PLUGIN_TIMEOUT",
    message: 'createSnapshot of plugin "example.com/p" gave no answer within 60 s',
  });
  await clock.advance(60_000);
  await caught;
});

test("a plugin that hangs when it is asked for progress is given up sooner", async () => {
  const { clock, safe } = guard({ progress: never });
  const caught = expect(safe.progress?.("s", signal)).rejects.toMatchObject({ code: "PLUGIN_TIMEOUT" });
  await clock.advance(5_000);
  await caught;
});

test.each([
  ["throws", async () => Promise.reject(new Error("no such disk")), "failed: no such disk"],
  ["returns no id", async () => "", "returned no id"],
  ["returns a number", async () => 7, "returned number where a text is wanted"],
  ["returns an endless id", async () => "x".repeat(5000), "returned an id of 5000 characters"],
])("a plugin that %s is told", async (_name, createSnapshot, want) => {
  await expect(guard({ createSnapshot }).safe.createSnapshot(request, signal)).rejects.toMatchObject({
    code: "PLUGIN_FAILED",
    message: `createSnapshot of plugin "example.com/p" ${want}`,
  });
});

test("progress is there only when the plugin has it", () => {
  expect("progress" in guard({}).safe).toBe(false);
  expect("progress" in guard({ progress: never }).safe).toBe(true);
});

test("a call ends with its signal", async () => {
  const stop = new AbortController();
  const call = guard({ createSnapshot: never }).safe.createSnapshot(request, stop.signal);
  stop.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
});
