import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Renderer, TemplateError } from "../packages/template/index.ts";
import { nodeCrypto } from "../packages/template/on-node.ts";
import { fuzzData, templates } from "./harness/template-grammar.ts";

// HEADWAY_TEMPLATE_FUZZ=20000 renders more; HEADWAY_TEMPLATE_SEED=n others.
const count = Number(process.env["HEADWAY_TEMPLATE_FUZZ"] ?? 1000);
const seed = Number(process.env["HEADWAY_TEMPLATE_SEED"] ?? 12);
const reference = join(import.meta.dirname, "../scripts/gotemplate");
const hasGo = spawnSync("go", ["version"]).status === 0 && existsSync("/usr/share/zoneinfo/UTC");

interface Answer {
  readonly output?: string;
  readonly error?: string;
}

function inGo(all: readonly string[]): Answer[] {
  const folder = mkdtempSync(join(tmpdir(), "gotemplate-"));
  try {
    const binary = join(folder, "gotemplate");
    const built = spawnSync("go", ["build", "-o", binary, "."], { cwd: reference, encoding: "utf8" });
    if (built.status !== 0) throw new Error(`go build: ${built.stderr}`);
    const input = all.map((template) => `${JSON.stringify({ template, data: fuzzData })}\n`).join("");
    const env = { ...process.env, TZ: "UTC" };
    const run = spawnSync(binary, ["serve"], { input, encoding: "utf8", maxBuffer: 2 ** 30, env });
    if (run.status !== 0) throw new Error(`gotemplate: ${run.stderr}`);
    return run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Answer);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const zoneFile = (name: string): Uint8Array | undefined => {
  const path = join("/usr/share/zoneinfo", name);
  return existsSync(path) ? readFileSync(path) : undefined;
};
const renderer = new Renderer({ ports: { zoneFile, crypto: nodeCrypto } });

function here(template: string): Answer {
  try {
    return { output: renderer.render(template, structuredClone(fuzzData)) };
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.message };
    throw error;
  }
}

test.skipIf(!hasGo)(
  `random templates render as in Go${hasGo ? "" : " (needs go and a tz database)"}`,
  { timeout: 600_000 },
  () => {
    const all = fc.sample(templates, { numRuns: count, seed });
    const answers = inGo(all);
    const differences = all
      .map((template, i) => ({ template, go: answers[i], ours: here(template) }))
      .filter(({ go, ours }) =>
        go?.error === undefined ? go?.output !== ours.output : go.error !== ours.error,
      );
    expect(differences.slice(0, 5)).toEqual([]);
    const rendered = answers.filter((answer) => answer.error === undefined).length;
    expect(rendered, "templates that only fail show little").toBeGreaterThan(count / 4);
  },
);
