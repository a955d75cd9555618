import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../table.ts";
import { reference } from "./reference.ts";

test("docs/cli.md is what the command table says; `npm run gen` writes it", () => {
  const stored = readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8");
  expect(stored).toBe(reference(root));
});

test("reference() lists arguments, flags, exit codes and examples", () => {
  const text = reference({
    name: "headway",
    summary: "all",
    commands: [
      {
        name: "backup",
        summary: "take one",
        args: [{ name: "NAME", description: "its name", required: true }],
        flags: [{ name: "output", short: "o", value: "FORMAT", description: "json|yaml" }],
        exits: { 4: "canceled" },
        examples: ["headway backup nightly"],
        run: async () => {},
      },
    ],
  });
  expect(text).toContain("`headway backup NAME [flags]`");
  expect(text).toContain("| `-o, --output FORMAT` | json\\|yaml |");
  expect(text).toContain("Exit code 4: canceled.");
  expect(text).toContain("headway backup nightly");
});
