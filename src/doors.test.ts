import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const folders = ["src", "packages", "test", "bench", "scripts", ".ci"];
const doorPath = /^(src\/engines\/[^/]+|src\/(?!engines\/)[^/]+|packages\/[^/]+)\/index\.ts$/;
/** `import { a, type B as C } from "…"`, the same with export, and what is taken from a dynamic import. */
const clause =
  /(?:\b(?:import|export)\s+(?:type\s+)?|\bconst\s+)(\{[^}]*\}|\w+)\s*(?:from|=\s*await\s+import\()\s*"([^"]+)"/g;

interface Report {
  readonly exports: number;
  readonly faults: readonly string[];
}

/** What doors offer and nobody outside of their room takes. The tests of a room are inside of it. */
function check(root: string): Report {
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => /\.m?tsx?$/.test(file));
  const taken = new Set<string>();
  for (const file of files) {
    for (const [door, name] of imports(root, file)) {
      if (!file.startsWith(`${dirname(door)}/`)) taken.add(`${door} ${name}`);
    }
  }
  const offered = files
    .filter((file) => doorPath.test(file))
    .flatMap((door) => offers(readFileSync(join(root, door), "utf8")).map((name) => `${door} ${name}`));
  return { exports: offered.length, faults: offered.filter((one) => !taken.has(one)) };
}

/** Which names a file takes through which doors. */
function imports(root: string, file: string): (readonly [door: string, name: string])[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(clause)].flatMap(([, what = "", spec = ""]) => {
    const door = relative(root, resolve(root, dirname(file), spec));
    if (!spec.startsWith(".") || !doorPath.test(door)) return [];
    const names = what.startsWith("{")
      ? parts(what).map(([name]) => name)
      : [...text.matchAll(new RegExp(`\\b${what}\\.(\\w+)`, "g"))].map(([, name = ""]) => name);
    return names.map((name) => [door, name] as const);
  });
}

function offers(text: string): string[] {
  if (/^export (?!type \{|\{)/m.test(text)) return ["something that is not a list of names"];
  return [...text.matchAll(/^export (?:type )?(\{[^}]*\})/gm)].flatMap(([, names = ""]) =>
    parts(names).map(([, as]) => as),
  );
}

/** The names in braces, with the names that they are given. */
function parts(braces: string): (readonly [name: string, as: string])[] {
  return braces
    .slice(1, -1)
    .split(",")
    .map((one) => one.trim().replace(/^type /, ""))
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", as = name] = one.split(/\s+as\s+|\s*:\s*/);
      return [name, as] as const;
    });
}

test("a door offers nothing that nobody outside takes", () => {
  const { exports, faults } = check(join(import.meta.dirname, ".."));
  expect(faults).toEqual([]);
  expect(exports, "a check that sees nothing must not pass").toBeGreaterThan(100);
});

const door = 'export { a, type B } from "./a.ts";\n';

test.each([
  ["nobody", { "src/cli/a.ts": "" }, ["a", "B"]],
  ["its own room alone", { "src/kube/a.test.ts": 'import { a, type B } from "./index.ts";' }, ["a", "B"]],
  ["the other one", { "src/cli/a.ts": 'import {\n  a,\n} from "../kube/index.ts";' }, ["B"]],
  ["types", { "src/cli/a.ts": 'import type { B } from "../kube/index.ts";' }, ["a"]],
  ["under another name", { "src/cli/a.ts": 'import { a as b } from "../kube/index.ts";' }, ["B"]],
  ["another door", { "src/cli/a.ts": 'import { a, type B } from "../api/index.ts";' }, ["a", "B"]],
  ["later", { "src/cli/a.ts": 'const { a: b } = await import("../kube/index.ts");' }, ["B"]],
  ["as a whole", { "src/cli/a.ts": 'const all = await import("../kube/index.ts");\nall.a();' }, ["B"]],
  ["a re-export", { "src/api/index.ts": 'export { a, type B } from "../kube/index.ts";' }, []],
  ["a test elsewhere", { "test/a.test.ts": 'import { a, type B } from "../src/kube/index.ts";' }, []],
])("what is left over when it is taken by %s", (_name, files, left) => {
  const { faults } = checkTree({ "src/kube/index.ts": door, ...files });
  expect(faults.filter((one) => one.startsWith("src/kube/"))).toEqual(
    left.map((name) => `src/kube/index.ts ${name}`),
  );
});

test.each(['export * from "./a.ts";', "export const a = 1;"])(
  "a door that names nothing is a fault: %s",
  (text) => {
    expect(checkTree({ "packages/plane/index.ts": text }).faults).toHaveLength(1);
  },
);

function checkTree(files: Record<string, string>): Report {
  const root = mkdtempSync(join(tmpdir(), "doors-"));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return check(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}
