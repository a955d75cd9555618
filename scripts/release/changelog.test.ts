import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFragment, section, withSection } from "./changelog.ts";

const folder = join(import.meta.dirname, "../../changes/unreleased");

test("every file of changes/unreleased is a fragment", () => {
  for (const file of readdirSync(folder)) {
    expect(file).toMatch(/^\d+-[a-z0-9-]+\.md$/);
    expect(() => readFragment(file, readFileSync(join(folder, file), "utf8"))).not.toThrow();
  }
});

test.each([
  ["no group", "improved: it\n", /first line/],
  ["no sentence", "added:\n", /first line/],
  ["no empty line", "added: it\nand more\n", /second line/],
  ["a heading", "added: it\n\n# Loud\n", /heading/],
])("readFragment() refuses %s", (_, text, why) => {
  expect(() => readFragment("1-a.md", text)).toThrow(why);
});

test("section() groups changes and keeps lists as they are", () => {
  const made = section("1.0.0", "2026-11-18", [
    readFragment("2-b.md", "fixed: it hangs\n"),
    readFragment("3-c.md", "added: `x`\n\nOne\nline.\n"),
    readFragment("1-a.md", "added: lists\n\nSuch as\n\n- one\n- two\n"),
  ]);
  expect(made).toBe(
    "## 1.0.0 (2026-11-18)\n\n### Added\n\n- **Lists.**\n\n  Such as\n\n  - one\n  - two\n- **`x`.** One line.\n\n### Fixed\n\n- **It hangs.**\n",
  );
});

test("withSection() puts the newest on top, and the same version once", () => {
  const first = withSection("# Changelog\n\nWords.\n", "1.0.0", "## 1.0.0 (a)\n\n- x\n");
  const second = withSection(first, "1.1.0", "## 1.1.0 (b)\n\n- y\n");
  expect(second).toBe("# Changelog\n\nWords.\n\n## 1.1.0 (b)\n\n- y\n\n## 1.0.0 (a)\n\n- x\n");
  expect(withSection(second, "1.1.0", "## 1.1.0 (b)\n\n- y\n")).toBe(second);
});
