import { expect, test } from "vitest";
import type { VolumeSnapshotter } from "./contract.ts";
import { revivedSnapshotter } from "./revive.ts";

const { signal } = new AbortController();

test("a plugin that died is started again and told its settings, and left alone after ten times", async () => {
  const inits: unknown[] = [];
  let isOver = false;
  const start = async () => {
    isOver = false;
    const plugin = {
      init: async (config: unknown) => void inits.push(config),
      deleteSnapshot: async () => void (isOver = true),
    } as unknown as VolumeSnapshotter;
    return {
      plugin,
      get isOver() {
        return isOver;
      },
      close: async () => undefined,
    };
  };
  const { plugin } = await revivedSnapshotter("p", start, { a: "b" }, signal);
  for (let i = 0; i < 11; i += 1) await plugin.deleteSnapshot("s", signal);
  expect(inits).toEqual(Array.from({ length: 11 }, () => ({ a: "b" })));
  await expect(plugin.deleteSnapshot("s", signal)).rejects.toMatchObject({
    code: "PLUGIN_FAILED",
    message: 'plugin "p" has died 11 times and is left alone',
  });
});

test("a plugin that refuses its settings is closed", async () => {
  let closed = 0;
  const start = async () => ({
    plugin: { init: () => Promise.reject(new Error("no region")) } as unknown as VolumeSnapshotter,
    isOver: false,
    close: async () => void (closed += 1),
  });
  await expect(revivedSnapshotter("p", start, {}, signal)).rejects.toThrow("no region");
  expect(closed).toBe(1);
});
