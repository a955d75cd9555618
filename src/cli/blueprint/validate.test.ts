import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textProblems, validateBlueprints } from "./validate.ts";

const head = "apiVersion: cr.kanister.io/v1alpha1\nkind: Blueprint\nmetadata:\n  name: b\n";
const good = `${head}actions:
  backup:
    phases:
    - func: KubeTask
      name: dump
      args:
        image: busybox
        command: ["true"]
`;
const bad = `${head}actions:
  backup:
    phases:
    - func: KubeTask
      name: dump
      args:
        image: "{{ .Nope }}"
        comand: ["true"]
`;

test("textProblems() names the line of each problem", () => {
  expect(textProblems(good)).toEqual([]);
  expect(textProblems(bad).map(({ line, where, message }) => [line, where, message.slice(0, 40)])).toEqual([
    [10, "actions.backup.phases[0].args", 'function "KubeTask" needs the argument "'],
    [10, "actions.backup.phases[0].args", 'function "KubeTask" has no argument "com'],
    [11, "actions.backup.phases[0].args.image", '.Nope: there is no ".Nope"'],
  ]);
});

test.each([
  ["no YAML", "a: [", "Flow"],
  ["another kind", "kind: Pod", "no object of kind Blueprint"],
  ["another version", good.replace("v1alpha1", "v2"), 'not "cr.kanister.io/v2"'],
])("textProblems() refuses %s", (_what, text, words) => {
  expect(
    textProblems(text)
      .map(({ message }) => message)
      .join("\n"),
  ).toContain(words);
});

test("validateBlueprints() prints problems with their place; the exit code tells errors", async () => {
  const folder = mkdtempSync(join(tmpdir(), "blueprint-"));
  const [one, two] = [join(folder, "good.yaml"), join(folder, "bad.yaml")];
  writeFileSync(one, good);
  writeFileSync(two, bad);
  let out = "";
  const io = {
    out: (text: string) => void (out += text),
    err: () => undefined,
    env: {},
    terminal: undefined,
    color: false,
  };
  expect(await validateBlueprints({ args: [one], flags: {} }, io)).toBe(0);
  expect(out).toBe("");
  expect(await validateBlueprints({ args: [one, two, join(folder, "none.yaml")], flags: {} }, io)).toBe(1);
  expect(out).toContain(`${two}:11: error: actions.backup.phases[0].args.image: .Nope`);
  expect(out).toContain("none.yaml: error: cannot be read");
  rmSync(folder, { recursive: true });
});

const fixtures = join(import.meta.dirname, "../../../test/fixtures/blueprints");
const names = readdirSync(fixtures).filter((name) => name.endsWith(".yaml"));

test("there are at least 25 blueprints in the style of the published ones", () => {
  expect(names.length).toBeGreaterThanOrEqual(25);
});

test.each(names)("%s has no problem", (name) => {
  expect(textProblems(readFileSync(join(fixtures, name), "utf8"))).toEqual([]);
});

test.each(names)("%s with one function misspelt has a problem, at its line", (name) => {
  const text = readFileSync(join(fixtures, name), "utf8");
  const line = text.split("\n").findIndex((one) => one.includes("func: ")) + 1;
  const found = textProblems(text.replace(/func: (\w+)/, "func: $1x"));
  expect(found).toContainEqual(
    expect.objectContaining({ line, message: expect.stringMatching(/^there is no function/) }),
  );
});
