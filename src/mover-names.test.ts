import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// A new mover is one folder and one line in the registry: nobody else knows one by its name.

/** Where the words stand for something else than a mover that is run, and what. */
const allowed: readonly (readonly [where: RegExp, why: string])[] = [
  [/^movers\/(restic|kopia)\//, "the movers themselves"],
  [/^movers\/registry\.ts$/, "the one line for each"],
  [/^api\//, "schemas, to the letter of upstream"],
  [/^cli\/commands\//, "help texts and the words that flags take, which are read without loading a mover"],
  [
    /^cli\/(backup|restore)\/describe-(text|json)\.ts$|^cli\/repo\/get\.ts$/,
    "what upstream prints for an object that names none",
  ],
  [/^cli\/actionset\/describe-text\.ts$/, "Kanister's artifact kopiaSnapshot"],
  [/^store\/layout\.ts$/, "folders of a bucket, as upstream has them"],
  [
    /^engines\/actionset\/(params|profile|secret-values|functions\/arguments)\.ts$/,
    "Kanister's location and credentials of a kopia server, and the functions that need one",
  ],
  [
    /^(engines|cli)\/bucket\//,
    "conversions from one to the other, and which releases of Velero take the copies of each",
  ],
  [/^engines\/migration\//, "phases and fields of MTC that are called so"],
  [/^engines\/backup\/(admission|backup-runner)\.ts$/, "Velero's old field defaultVolumesToRestic"],
  [/^engines\/restore\/(validate|transform\/workload)\.ts$/, "Velero's old kind and its old init container"],
  [/^engines\/podvolume\/restore-wait\.ts$/, "Velero's old init container"],
];

function named(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .filter(([file, text]) => /restic|kopia/i.test(text) && !allowed.some(([where]) => where.test(file)))
    .map(([file]) => file);
}

function product(): Record<string, string> {
  const src = import.meta.dirname;
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !/(\.test\.tsx?|(^|\/)conformance\.ts)$/.test(file),
  );
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(src, file), "utf8")]));
}

test("movers are named by their own folders and the registry alone", () => {
  const files = product();
  expect(named(files)).toEqual([]);
  expect(Object.keys(files).length, "a check that sees nothing must not pass").toBeGreaterThan(300);
});

test("each place that is allowed still needs it", () => {
  const files = Object.entries(product());
  const idle = allowed.filter(
    ([where]) => !files.some(([file, text]) => where.test(file) && /restic|kopia/i.test(text)),
  );
  expect(idle).toEqual([]);
});

test.each([
  ["a comparison", { "agent/agent.ts": 'if (uploader === "kopia") run();' }],
  ["an import", { "engines/podvolume/movers.ts": 'import { Restic } from "../../movers/restic/run.ts";' }],
  ["a comment", { "movers/spawn.ts": "// restic removes its lock" }],
])("a planted name is caught: %s", (_what, files) => {
  expect(named(files)).toEqual(Object.keys(files));
});
