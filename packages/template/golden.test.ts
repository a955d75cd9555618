import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type MissingKey, Renderer, TemplateError } from "./index.ts";
import { nodeCrypto } from "./on-node.ts";

interface Case {
  readonly group: string;
  readonly template: string;
  readonly data?: string;
  readonly missingkey?: string;
  readonly want?: string;
  readonly error?: string;
}

// Made by the real Go: `cd scripts/gotemplate && go run . corpus cases ../../packages/template/testdata/corpus.json`.
const corpus = JSON.parse(readFileSync(join(import.meta.dirname, "testdata/corpus.json"), "utf8")) as {
  readonly data: Readonly<Record<string, unknown>>;
  readonly cases: readonly Case[];
};
const zoneFolder = "/usr/share/zoneinfo";
const zoneFile = (name: string): Uint8Array | undefined =>
  existsSync(join(zoneFolder, name)) ? readFileSync(join(zoneFolder, name)) : undefined;
const renderer = new Renderer({
  ports: {
    nowMs: () => 1_700_000_000_000,
    random: (count) => Uint8Array.from({ length: count }, (_, i) => (i * 37 + count) % 256),
    crypto: nodeCrypto,
    ...(existsSync(zoneFolder) ? { zoneFile } : {}),
  },
});

function render({ template, data, missingkey }: Case): { want: string } | { error: string } {
  try {
    const missing = (missingkey === "invalid" ? "default" : (missingkey ?? "default")) as MissingKey;
    return { want: renderer.render(template, corpus.data[data ?? ""], missing) };
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.message };
    throw error;
  }
}

const groups = Map.groupBy(corpus.cases, (one) => one.group);

describe("the golden corpus", () => {
  test("is large", () => {
    expect(corpus.cases.length).toBeGreaterThanOrEqual(800);
    expect(corpus.cases.filter((one) => one.error !== undefined).length).toBeGreaterThan(200);
  });

  for (const [group, cases] of groups) {
    const zones = group.includes("zones") && !existsSync(zoneFolder);
    test.skipIf(zones)(`${group}: ${cases.length} cases${zones ? " (needs a tz database)" : ""}`, () => {
      const wrong = cases
        .map((one) => ({ one, got: render(one) }))
        .filter(({ one, got }) =>
          "want" in got ? got.want !== one.want : one.error === undefined || got.error !== one.error,
        )
        .map(({ one, got }) => ({ template: one.template, want: one.want ?? one.error, got }));
      expect(wrong).toEqual([]);
    });
  }
});
