import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../kube/index.ts";
import { Plugins } from "./plugins.ts";

const { signal } = new AbortController();
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "plugins-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A plugin module with this method body for createSnapshot. */
const module = (name: string, body = "return 's'", more = "") => `
export const snapshotters = { ${JSON.stringify(name)}: (context) => ({
  async init(config) { if (config.bad) throw new Error("bad setting"); },
  async getVolumeID() { return "v"; },
  async setVolumeID(volume) { return volume; },
  async getVolumeInfo() { return { type: "t" }; },
  async createSnapshot(request) { ${body} },
  async createVolumeFromSnapshot() { return "v"; },
  async deleteSnapshot() {},
  ${more}
}) };`;
const write = (name: string, text: string) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
};
const plugins = (log: string[] = []) =>
  new Plugins({
    folders: [folder, join(folder, "missing")],
    namespace: "velero",
    clock: systemClock,
    log: (level, message) => void log.push(`${level}: ${message}`),
    startMs: 30_000,
    askMs: 2_000,
  });
const request = { volumeID: "v", volumeAZ: "", tags: {} };

test("list() has the plugin that comes along, modules, and what is none with its reason", async () => {
  write("good.mjs", module("example.com/good"));
  write("broken.mjs", "export const snapshotters = ((");
  write("empty.mjs", "export const nothing = 1;");
  write("readme.txt", "not a plugin");
  const all = await plugins().list(signal);
  expect(all.map(({ name, source }) => [name, source])).toEqual([
    ["headway.dev/folder", "built in"],
    ["", "module"],
    ["", "module"],
    ["example.com/good", "module"],
  ]);
  expect(all[2]?.fault).toContain("it exports no snapshotters");
});

test("openSnapshotter() talks to a module in a thread of its own", async () => {
  write(
    "good.mts",
    `${module("example.com/good", "context.log('warning', 'hello'); return 'snap-' + request.volumeID")}\nconst typed: string = "stripped"; void typed;`,
  );
  const log: string[] = [];
  const { plugin, name, close } = await plugins(log).openSnapshotter("example.com/good", {}, signal);
  expect(name).toBe("example.com/good");
  expect(await plugin.createSnapshot(request, signal)).toBe("snap-v");
  expect("progress" in plugin).toBe(false);
  await close();
  expect(log).toContain("warning: hello");
});

test("a module that exits in the middle fails the call, and is there again for the next", async () => {
  write(
    "dies.mjs",
    module("example.com/dies", "process.exit(3)", "async progress() { return { phase: 'InProgress' }; },"),
  );
  const { plugin, close } = await plugins().openSnapshotter("example.com/dies", {}, signal);
  await expect(plugin.createSnapshot(request, signal)).rejects.toMatchObject({ code: "PLUGIN_FAILED" });
  expect(await plugin.progress?.("s", signal)).toEqual({ phase: "InProgress" });
  await close();
});

test("a module that hangs in a loop does not take us along", async () => {
  write("loops.mjs", module("example.com/loops", "return 's'", "async progress() { for (;;); },"));
  const { plugin, close } = await plugins().openSnapshotter("example.com/loops", {}, signal);
  await expect(plugin.progress?.("s", signal)).rejects.toMatchObject({ code: "PLUGIN_TIMEOUT" });
  await close();
});

test("a module that throws outside its calls, or floods its output, harms nobody", async () => {
  write(
    "wild.mjs",
    module("example.com/wild", "for (let i = 0; i < 20000; i++) console.log('garbage', i); return 's'"),
  );
  const log: string[] = [];
  const { plugin, close } = await plugins(log).openSnapshotter("example.com/wild", {}, signal);
  expect(await plugin.createSnapshot(request, signal)).toBe("s");
  await close();
  expect(log.length).toBeLessThan(1_000);
});

test("openSnapshotter() says when a plugin is missing, doubled, incomplete or refuses its settings", async () => {
  write("a.mjs", module("example.com/p"));
  write("b.mjs", module("example.com/p"));
  write("c.mjs", module("example.com/strict"));
  write("d.mjs", 'export const snapshotters = { "example.com/half": () => ({ init() {} }) };');
  const all = plugins();
  await expect(all.openSnapshotter("example.com/p", {}, signal)).rejects.toMatchObject({
    code: "PLUGIN_DUPLICATE",
  });
  await expect(all.openSnapshotter("nowhere", {}, signal)).rejects.toMatchObject({
    code: "PLUGIN_MISSING",
    message: expect.stringContaining(
      'there is no VolumeSnapshotter "nowhere": plugins offer headway.dev/folder',
    ),
  });
  await expect(all.openSnapshotter("example.com/strict", { bad: "1" }, signal)).rejects.toThrow(
    "bad setting",
  );
  await expect(all.openSnapshotter("example.com/half", {}, signal)).rejects.toThrow("has no getVolumeID");
});
