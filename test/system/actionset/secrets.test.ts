import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../src/api/index.ts";
import { kinds } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { ActionStage, image, task, type } from "../../harness/action-stage.ts";
import { eventually } from "../../harness/eventually.ts";

const values = ["c0rrect-horse", "battery\nst4ple-line", "phase-0wned"];
const parts = [
  "c0rrect-horse",
  "st4ple-line",
  "phase-0wned",
  Buffer.from("c0rrect-horse").toString("base64"),
];

let stage: ActionStage;
const left: unknown[] = [];
const stop = new AbortController();
let operator: Promise<void>;

beforeAll(async () => {
  stage = await ActionStage.open();
  operator = startOperator(
    {
      client: stage.client,
      namespace: stage.namespace,
      controllers: ["actionset"],
      tempDir: stage.folder,
      log: (...said) => left.push(said),
      report: (seen) => left.push(seen),
      actions: { toolsImage: image },
    },
    stop.signal,
  );
  for (const [i, value] of values.entries()) {
    await stage.client.create(type("secrets", "Secret"), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `secret-${i}`, namespace: stage.namespace },
      data: { password: Buffer.from(value).toString("base64") },
    });
  }
});
afterAll(async () => {
  stop.abort();
  await operator;
  await stage.close();
});

/** Everything about an ActionSet that others can read. */
async function written(name: string): Promise<string> {
  const { client, namespace } = stage;
  const events = await eventually(
    () => client.list<KubeObject>(type("events", "Event"), { namespace }),
    (all) => all.some((one) => JSON.stringify(one).includes("ActionSetFailed")),
  );
  const others = await client.list<KubeObject>(type("events", "Event", "events.k8s.io"), { namespace });
  const operations = await eventually(
    () => client.list<KubeObject>(resourceOf(kinds.Operation), { namespace }),
    (all) => all.some((one) => JSON.stringify(one).includes(name) && JSON.stringify(one).includes("failed")),
  );
  expect(left.length, "there were reports").toBeGreaterThan(0);
  return JSON.stringify([await stage.status(name), events, others, operations, left]);
}

test("a value of a Secret that a failing command prints stands nowhere", async () => {
  const reference = (i: number) => ({ kind: "Secret", name: `secret-${i}`, namespace: stage.namespace });
  const print = [
    'echo got {{ index .Secrets.one.Data "password" | toString }}',
    'echo {{ index .Secrets.one.Data "password" | toString | b64enc }}',
    "printf 'line st4ple-line\\n'",
    'echo own {{ index .Phases.leak.Secrets.own.Data "password" | toString }}',
    'echo "###Phase-progress###: {\\"percent\\": 5, \\"message\\": \\"with phase-0wned\\"}"',
    "echo the end of it",
    "exit 3",
  ];
  await stage.run(
    "leaks",
    { phases: [{ ...task("leak", print.join("\n")), objects: { own: reference(2) } }] },
    { secrets: { one: reference(0), two: reference(1) } },
  );
  const status = await stage.ended("leaks");
  expect(status.state).toBe("failed");
  expect(status.error?.message).toMatch(/exited with 3[^]*got \*\*\*[^]*the end of it/);
  const all = await written("leaks");
  for (const part of parts) expect(all, part).not.toContain(part);
});

test("an output of a phase keeps its value: later phases and artifacts need the truth", async () => {
  const secrets = { one: { kind: "Secret", name: "secret-0", namespace: stage.namespace } };
  const say = `echo '###Phase-output###: {"key":"token","value":"{{ index .Secrets.one.Data "password" | toString }}"}'`;
  await stage.run("tells", { phases: [task("tell", say)] }, { secrets });
  const status = await stage.ended("tells");
  expect(status.actions?.[0]?.phases?.[0]?.output).toEqual({ token: "c0rrect-horse" });
});
