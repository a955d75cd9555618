import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, expect, test } from "vitest";

const scratch = mkdtempSync(join(tmpdir(), "bundle-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

interface Bundle {
  readonly code: string;
  /** Everything that was imported from Node, or left to be imported by the page. */
  readonly foreign: readonly string[];
}

/** Bundles a door for the browser, in memory. */
async function bundle(entry: string): Promise<Bundle> {
  const foreign: string[] = [];
  const result = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [
      {
        name: "foreign-imports",
        enforce: "pre",
        resolveId(id) {
          if (!id.startsWith(".") && !id.startsWith("/")) foreign.push(id);
        },
      },
    ],
    build: { write: false, minify: true, lib: { entry, formats: ["es"], fileName: "room" } },
  });
  const outputs = Array.isArray(result) ? result : [result];
  const chunks = outputs.flatMap((each) => ("output" in each ? each.output : []));
  const code = chunks.map((chunk) => ("code" in chunk ? chunk.code : "")).join("\n");
  return { code, foreign };
}

test("the room bundles for the browser without Node and without packages", { timeout: 60_000 }, async () => {
  const { code, foreign } = await bundle(join(import.meta.dirname, "index.ts"));
  expect(foreign).toEqual([]);
  expect(code).not.toMatch(/node:|__vite-browser-external|\bprocess\.|\bBuffer\b|\bDate\.now\b/);
  const room = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<string, unknown>;
  expect(Object.keys(room)).toEqual(expect.arrayContaining(["track", "look", "learn", "formatEta"]));
});

test("an import from Node would be found", { timeout: 60_000 }, async () => {
  const entry = join(scratch, "index.js");
  writeFileSync(entry, 'import { readFileSync } from "node:fs";\nexport const text = readFileSync("x");\n');
  expect((await bundle(entry)).foreign).toEqual(["node:fs"]);
});
