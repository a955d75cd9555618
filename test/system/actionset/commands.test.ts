import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ActionSet } from "../../../src/api/index.ts";
import { run } from "../../../src/cli/index.ts";
import { ActionStage, image } from "../../harness/action-stage.ts";

let stage: ActionStage;
beforeAll(async () => {
  stage = await ActionStage.open();
  stage.operator();
  await stage.workload("StatefulSet", "db", { replicas: 1 });
  mkdirSync(join(stage.folder, "store"));
}, 180_000);
afterAll(() => stage.close());

/** What a person types, with this cluster and namespace. */
async function headway(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const where = ["--kubeconfig", stage.cluster.kubeconfig, "-n", stage.namespace];
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    env: {},
    terminal: undefined,
    color: false,
  };
  const argv = args[0] === "blueprint" ? args : [...args, ...where];
  const code = await run(argv, AbortSignal.timeout(120_000), io);
  return { code, out, err };
}

const say = (value: string) => ["sh", "-c", `echo '###Phase-output###: {"key":"path","value":"${value}"}'`];
const phase = (name: string, command: string[]) => ({
  func: "KubeTask",
  name,
  args: { namespace: "{{ .StatefulSet.Namespace }}", image, command },
});

function blueprintFile(name: string, actions: object): string {
  const file = join(stage.folder, `${name}.yaml`);
  // YAML is a superset of JSON.
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: "cr.kanister.io/v1alpha1", kind: "Blueprint", metadata: { name }, actions }),
  );
  return file;
}

test("a blueprint is validated, a profile made and tried, an action run, looked at and gone on with", async () => {
  const actions = {
    backup: {
      outputArtifacts: { dump: { keyValue: { path: "{{ .Phases.dump.Output.path }}" } } },
      phases: [phase("dump", say("{{ .Options.where }}"))],
    },
    restore: {
      inputArtifactNames: ["dump"],
      phases: [phase("restore", say("back-from-{{ .ArtifactsIn.dump.KeyValue.path }}"))],
    },
    broken: { phases: [phase("breaks", ["sh", "-c", "echo out of luck; exit 4"])] },
  };
  expect(await headway("blueprint", "validate", blueprintFile("good", actions))).toMatchObject({ code: 0 });
  const bad = await headway(
    "blueprint",
    "validate",
    blueprintFile("bad", { a: { phases: [{ func: "Nope", name: "p" }] } }),
  );
  expect(bad.code).toBe(1);
  expect(`${bad.out}${bad.err}`).toContain('no function "Nope"');
  await stage.blueprint("good", actions);

  // A folder that is not there may be a volume that is not mounted: nobody makes it by the way.
  mkdirSync(join(stage.folder, "store", "b"), { recursive: true });
  const made = await headway(
    "profile",
    "create",
    "filesystem",
    "here",
    "-b",
    "b",
    "-e",
    join(stage.folder, "store"),
  );
  expect(made).toMatchObject({ code: 0, out: "profile here created\n" });
  const tried = await headway("profile", "validate", "here");
  expect(tried).toMatchObject({
    code: 0,
    out: expect.stringContaining("here: passed: store can be written"),
  });

  const db = `${stage.namespace}/db`;
  const create = ["actionset", "create", "-b", "good", "-t", db, "-p", "here"];
  const dry = await headway(...create, "-a", "backup", "-A", "first", "-o", "where=shelf", "--dry-run");
  expect(dry.out).toContain("kind: ActionSet");
  expect((await headway("actionset", "get", "-o", "name")).out).toBe("");
  const first = await headway(...create, "-a", "backup", "-A", "first", "-o", "where=shelf", "--wait");
  expect(first.code, first.err).toBe(0);
  const second = await headway("actionset", "create", "-a", "restore", "-f", "first", "-A", "second");
  expect(second).toMatchObject({ code: 0, out: "actionset second created\n" });
  expect((await headway("actionset", "watch", "second")).code).toBe(0);

  const [table, json, text] = await Promise.all([
    headway("actionset", "get"),
    headway("actionset", "get", "second", "-o", "json"),
    headway("actionset", "describe", "first"),
  ]);
  expect(table.out).toMatch(/^NAME +STATE .*\nfirst +complete +100\.00% .*\nsecond +complete +100\.00% /);
  expect((JSON.parse(json.out) as ActionSet).status?.actions?.[0]?.phases?.[0]?.output).toEqual({
    path: "back-from-shelf",
  });
  expect(text.out).toContain("✓ dump  complete, 100.00%");
  expect(text.out).toContain("path = shelf");

  const broken = await headway(...create, "-a", "broken", "-A", "third", "--wait");
  expect(broken.code).toBe(1);
  expect((await headway("actionset", "describe", "third")).out).toContain("out of luck");
}, 300_000);

test.each<[string, string[], string]>([
  ["a blueprint that is not there", ["create", "-a", "a", "-b", "none", "-t", "x/y"], 'no blueprint "none"'],
  ["no blueprint", ["create", "-a", "a"], "--blueprint is needed"],
  ["no object", ["create", "-a", "a", "-b", "b"], "no object to act on"],
  ["a parent that is not there", ["create", "-a", "a", "-f", "none"], "none"],
  ["watching a name that is wrong", ["watch", "none"], "none"],
])("%s is told at once", async (_what, args, want) => {
  const { code, err } = await headway("actionset", ...args);
  expect(code).not.toBe(0);
  expect(err).toContain(want);
});

test("a profile whose store cannot be written is not made", async () => {
  const { code, err } = await headway(
    "profile",
    "create",
    "filesystem",
    "nowhere",
    "-b",
    "b",
    "-e",
    "/nowhere/at/all",
  );
  expect(code).toBe(1);
  expect(err).toContain("/nowhere/at/all");
  expect((await headway("profile", "validate", "nowhere")).code).not.toBe(0);
});
