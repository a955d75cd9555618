import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
let folder: string;
let headway: string;

// The package as it is published, without the page: what the compiler makes of the sources, in a folder of somebody else's.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "package-"));
  headway = join(folder, "node_modules/headway");
  mkdirSync(headway, { recursive: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const args = ["-p", join(root, "tsconfig.build.json"), "--outDir", join(headway, "dist")];
  // Whether the types are right is the gate's business.
  args.push("--noCheck", "--declaration", "false", "--sourceMap", "false");
  execFileSync(process.execPath, [compiler, ...args], { stdio: "pipe" });
  for (const part of ["package.json", "bin", "deploy"]) {
    cpSync(join(root, part), join(headway, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(headway, "node_modules"));
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true }));

const plugin = `import { ProgressBook, openReporter } from "headway/snapshotter";
const book = new ProgressBook();
if (typeof openReporter !== "function") throw new Error("no reporter");
export const snapshotters = {
  "example.com/disks": () => ({
    init: async () => undefined,
    getVolumeID: async () => "",
    setVolumeID: async (volume) => volume,
    getVolumeInfo: async () => ({ type: "disk" }),
    createSnapshot: async () => "s",
    createVolumeFromSnapshot: async () => "v",
    deleteSnapshot: async () => undefined,
    progress: async (id) => book.progress(id),
  }),
};
`;

test("a plugin that imports headway/snapshotter of the built package is loaded by the built program", () => {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "disks.js"), plugin);
  const args = [join(headway, "bin/headway.js"), "plugin", "list", "--plugin", "./disks.js", "-o", "json"];
  const found: unknown = JSON.parse(
    execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }),
  );
  expect(found).toEqual([
    { kind: "VolumeSnapshotter", name: "headway.dev/folder", source: "built in" },
    { kind: "VolumeSnapshotter", name: "example.com/disks", source: "module", path: "./disks.js" },
  ]);
}, 120_000);

test("the packed package has the program and its packages, compiled, and neither sources nor tests", () => {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: headway,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(said) as [{ files: { path: string }[] }];
  const files = packed.files.map(({ path }) => path);
  for (const needed of [
    "bin/headway.js",
    "dist/src/main.js",
    "dist/src/engines/snapshotter/library.js",
    "dist/packages/apimachinery/index.js",
    "dist/packages/plane/index.js",
    "dist/packages/template/index.js",
    "dist/packages/wire/index.js",
  ]) {
    expect(files).toContain(needed);
  }
  expect(files.filter((file) => /\.test\.|\.tsx?$/.test(file) && !file.endsWith(".d.ts"))).toEqual([]);
}, 60_000);

test("the built package brings the embedded cluster", () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(headway, "bin/headway.js"), ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: "pipe",
    });
  const state = join(folder, "state");
  const up = JSON.parse(run("local", "up", "--state", state, "-o", "json")) as { pid?: number };
  try {
    expect(up.pid).toBeGreaterThan(0);
    expect(run("version")).toMatch(/^headway \d+\.\d+\.\d+ /);
  } finally {
    run("local", "down", "--state", state);
  }
}, 120_000);
