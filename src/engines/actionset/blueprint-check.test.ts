import { expect, test } from "vitest";
import type { Blueprint } from "../../api/index.ts";
import { type BlueprintPhase, blueprintProblems, pathText } from "./blueprint-check.ts";

const task = (name: string, more: Partial<BlueprintPhase> = {}): BlueprintPhase => ({
  func: "KubeTask",
  name,
  args: { image: "busybox", command: ["true"] },
  ...more,
});
const found = (actions: unknown) =>
  blueprintProblems({ actions } as Pick<Blueprint, "actions">).map(
    ({ path, message, severity }) => `${severity} ${pathText(path)}: ${message}`,
  );
const one = (...phases: unknown[]) => found({ backup: { phases } });
const command = (text: string) => task("p", { args: { image: "i", command: [text] } });

test("a blueprint without faults has none", () => {
  expect(
    found({
      backup: {
        kind: "StatefulSet",
        inputArtifactNames: ["dump"],
        outputArtifacts: {
          d: { keyValue: { path: "{{ .Phases.b.Output.path }}{{ .DeferPhase.Output.x }}" } },
        },
        phases: [
          task("a", { objects: { s: { kind: "Secret", name: "{{ .StatefulSet.Name }}", namespace: "n" } } }),
          task("b", {
            args: {
              image: "i",
              command: ["{{ .Phases.a.Secrets.s.Data.x | toString }}", "{{ .Phases.a.Output.anything }}"],
              podLabels: { "a/b": "c", "{{ .Options.k }}": "v" },
            },
          }),
        ],
        deferPhase: task("c", { args: { image: "i", command: ["{{ .ArtifactsIn.dump.KeyValue.x }}"] } }),
      },
    }),
  ).toEqual([]);
});

test.each<[string, string[], string]>([
  ["an unknown function", one(task("p", { func: "KubeTusk" })), 'func: there is no function "KubeTusk"'],
  [
    "a missing argument",
    one(task("p", { args: { image: "i" } })),
    'args: function "KubeTask" needs the argument "command"',
  ],
  [
    "an unknown argument",
    one(task("p", { args: { image: "i", command: ["x"], imagePull: "x" } })),
    'has no argument "imagePull"',
  ],
  [
    "a cloud function",
    one({ func: "DeleteRDSSnapshot", name: "p", args: { snapshotID: "s" } }),
    "needs the AWS RDS API",
  ],
  ["a phase without name", one({ ...task("x"), name: undefined }), "phases[0].name: the phase has no name"],
  [
    "a repeated name",
    one(task("p"), task("p")),
    'phases[1].name: the name "p" is taken by actions.backup.phases[0]',
  ],
  ["a template that does not parse", one(command("{{ if }}x")), "missing value for if"],
  ["an unknown template function", one(command("{{ toYaml . }}")), 'function "toYaml" not defined'],
  ["an unknown parameter", one(command("{{ .Nope.x }}")), '.Nope.x: there is no ".Nope"'],
  ["an unknown field", one(command("{{ .StatefulSet.Pod }}")), 'has no "Pod"'],
  [
    "the output of a later phase",
    one(command("{{ .Phases.q.Output.x }}"), task("q")),
    'phase "q" has not ended here',
  ],
  ["its own output", one(command("{{ .Phases.p.Output.x }}")), 'phase "p" has not ended here'],
  ["a phase that is not there", one(command("{{ .Phases.z.Output.x }}")), 'has no phase "z"'],
  [
    "an output that cannot be",
    one({ func: "ScaleWorkload", name: "s", args: { replicas: 0 } }, command("{{ .Phases.s.Output.count }}")),
    'puts out originalReplicaCount, no "count"',
  ],
  [
    "a secret that is not fetched",
    one(task("a"), command("{{ .Phases.a.Secrets.s.Data.x }}")),
    'have no secret "s"',
  ],
  [
    "an odd label",
    one(task("p", { args: { image: "i", command: [], podLabels: { "a b": "c" } } })),
    'args.podLabels.a b: key "a b" is no qualified name',
  ],
  [
    "an odd operation",
    one({ func: "KubeOps", name: "p", args: { operation: "apply", spec: "x" } }),
    '"apply" is none of',
  ],
  [
    "a create without spec",
    one({ func: "KubeOps", name: "p", args: { operation: "create" } }),
    'needs "spec"',
  ],
  [
    "a wait for nothing",
    one({ func: "WaitV2", name: "p", args: { timeout: "1m", conditions: {} } }),
    'list "anyOf" or "allOf"',
  ],
  [
    "an odd condition",
    one({
      func: "Wait",
      name: "p",
      args: { timeout: "1m", conditions: { anyOf: [{ condition: "{{ if eq { $.status.phase } }}" }] } },
    }),
    "unexpected EOF",
  ],
  [
    "both ways to name a snapshot",
    one({
      func: "RestoreData",
      name: "p",
      args: { namespace: "n", image: "i", backupArtifactPrefix: "p", backupTag: "t", backupIdentifier: "i" },
    }),
    "only one of",
  ],
  ["no actions", found(undefined), 'needs "actions"'],
])("blueprintProblems() finds %s", (_what, problems, want) => {
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^error /);
  expect(problems[0]).toContain(want);
});

test.each<[string, string[], string]>([
  ["a key that the cluster drops", one({ ...task("p"), podOverride: {} }), '"podOverride" is not known here'],
  ["an object of another kind", one(task("p", { objects: { x: { kind: "Pod", name: "p" } } })), 'not "Pod"'],
  [
    "an artifact that is not announced",
    found({ r: { inputArtifactNames: ["a"], phases: [command("{{ .ArtifactsIn.b.KeyValue.x }}")] } }),
    "inputArtifactNames",
  ],
  [
    "another workload",
    found({ r: { kind: "StatefulSet", phases: [command("{{ .Deployment.Name }}")] } }),
    "is for a StatefulSet",
  ],
  ["an action that does nothing", found({ r: {} }), "has no phases"],
])("blueprintProblems() warns of %s", (_what, problems, want) => {
  expect(problems).toEqual([expect.stringContaining(want)]);
  expect(problems[0]).toMatch(/^warning /);
});

test("names are unique over all actions and deferred phases", () => {
  expect(
    found({ a: { phases: [task("p")], deferPhase: task("d") }, b: { phases: [task("d"), task("p")] } }),
  ).toEqual([
    expect.stringContaining('actions.b.phases[0].name: the name "d" is taken by actions.a.deferPhase'),
    expect.stringContaining('actions.b.phases[1].name: the name "p" is taken by actions.a.phases[0]'),
  ]);
});

test("a phase whose function is no text names none", () => {
  const func = { toString: [] } as unknown as string; // a review sees objects that no schema has checked
  const problems = blueprintProblems({ actions: { a: { phases: [{ func, name: "p" }] } } });
  expect(problems.map(({ message }) => message)).toContain("the phase names no function");
});
