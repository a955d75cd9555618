import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type MissingKey, Renderer, TemplateError } from "./index.ts";
import { nodeCrypto } from "./on-node.ts";

interface Case {
  readonly name: string;
  readonly template: string;
  readonly data: unknown;
  readonly missingkey: MissingKey;
  readonly want?: string;
  readonly wantError?: boolean;
  readonly errorContains?: string;
}

// Templates as the blueprints of the Kanister project (Apache License 2.0) have them, with what Go makes of each; "source" names the blueprint.
const file = new URL("testdata/kanister-templates.json", import.meta.url);

test("templates of published blueprints render as in Go", () => {
  const cases = JSON.parse(readFileSync(file, "utf8")) as readonly Case[];
  const renderer = new Renderer({ ports: { nowMs: () => 0, crypto: nodeCrypto } });
  const wrong = cases.filter((one) => {
    try {
      const got = renderer.render(one.template, one.data, one.missingkey);
      return one.wantError === true || got !== one.want;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return one.wantError !== true || !error.message.includes(one.errorContains ?? "");
    }
  });
  expect(wrong).toEqual([]);
  expect(cases.length, "a corpus that holds nothing shows nothing").toBeGreaterThan(300);
});
