import { afterAll, beforeAll, expect, test } from "vitest";
import { readPercent } from "../../../src/api/index.ts";
import { ActionStage, image, type Status, task } from "../../harness/action-stage.ts";

let stage: ActionStage;
beforeAll(async () => {
  stage = await ActionStage.open();
  stage.operator();
});
afterAll(() => stage.close());

/** The percents of one phase in the order in which the cluster stored them. */
function percents(history: readonly Status[], phase: number): string[] {
  const all = history.map(({ actions }) => actions?.[0]?.phases?.[phase]?.progress?.progressPercent ?? "");
  return all.filter((text, i) => text !== "" && text !== all[i - 1]);
}

test("phases run in order, outputs reach later phases and artifacts, and the percents rise to 100", async () => {
  const running = stage.run("chain", {
    outputArtifacts: { dump: { keyValue: { path: "{{ .Phases.second.Output.path }}", at: "{{ .Time }}" } } },
    phases: [
      task("first", `echo '###Phase-output###: {"key":"word","value":"hello"}'; sleep 1`),
      task(
        "second",
        `echo "###Phase-output###: {\\"key\\":\\"path\\",\\"value\\":\\"/{{ .Phases.first.Output.word }}\\"}"; sleep 1`,
      ),
    ],
    deferPhase: task("last", "true"),
  });
  await running;
  const history = await stage.history("chain");
  const end = history.at(-1);
  expect(end).toMatchObject({
    state: "complete",
    error: { message: "" },
    progress: { percentCompleted: "100.00" },
    actions: [
      {
        name: "run",
        artifacts: { dump: { keyValue: { path: "/hello" } } },
        phases: [
          {
            name: "first",
            state: "complete",
            output: { word: "hello" },
            progress: { progressPercent: "100.00" },
          },
          { name: "second", state: "complete", output: { path: "/hello" } },
        ],
        deferPhase: { name: "last", state: "complete", progress: { progressPercent: "100.00" } },
      },
    ],
  });
  expect(end?.progress?.runningPhase).toBeUndefined();
  expect(percents(history, 0)).toEqual(expect.arrayContaining(["33.33", "100.00"]));
  const all = history.map(({ progress }) => readPercent(progress?.percentCompleted) ?? 0);
  expect(all).toEqual(all.toSorted((a, b) => a - b));
  expect(history.slice(0, -1).every(({ progress }) => progress?.percentCompleted !== "100.00")).toBe(true);
  const phases = new Set(history.map(({ progress }) => progress?.runningPhase));
  expect(phases).toContain("first");
  expect(phases).toContain("second");
  expect(history.some(({ actions }) => actions?.[0]?.deferPhase?.state === "running")).toBe(true);
  await expect.poll(() => stage.pods(), { timeout: 30_000 }).toEqual([]);
});

test("a task's own progress and a mover's lines move the phase", async () => {
  await stage.run("own", {
    phases: [
      task(
        "work",
        `echo '###progress###: {"percent": 50, "message": "half of the tables"}'; sleep 2; ` +
          `echo ' / 1 hashing, 118 hashed (3.6 GB), 0 cached (0 B), uploaded 4 KB, estimated 4.5 GB (80.0%) 35s left'; sleep 3`,
      ),
    ],
  });
  const history = await stage.history("own");
  const phases = history.map(({ actions }) => actions?.[0]?.phases?.[0]);
  expect(phases).toContainEqual(
    expect.objectContaining({
      step: "half of the tables",
      progress: expect.objectContaining({ progressPercent: "49.99" }),
    }),
  );
  expect(phases.map((phase) => phase?.progress)).toContainEqual(
    expect.objectContaining({
      progressPercent: "59.68",
      sizeUploadedB: 4000,
      estimatedUploadSizeB: 4_500_000_000,
      estimatedTimeSeconds: 35,
    }),
  );
  expect(history.at(-1)?.state).toBe("complete");
});

test("a failing command fails its phase with its last words; the deferred phase runs, the rest waits for ever", async () => {
  const made = await stage.run("fails", {
    outputArtifacts: { a: { keyValue: { x: "{{ .Phases.boom.Output.y }}" } } },
    phases: [task("boom", "echo something; echo the reason >&2; exit 3"), task("never", "true")],
    deferPhase: task("always", `echo '###Phase-output###: {"key":"ran","value":"yes"}'`),
  });
  const end = await stage.ended("fails");
  expect(end).toMatchObject({
    state: "failed",
    actions: [
      {
        artifacts: { a: { keyValue: { x: "{{ .Phases.boom.Output.y }}" } } },
        phases: [
          { name: "boom", state: "failed", progress: { progressPercent: "33.33" } },
          { name: "never", state: "pending" },
        ],
        deferPhase: { state: "complete", output: { ran: "yes" } },
      },
    ],
  });
  expect(end.error?.message).toContain('phase "boom"');
  expect(end.error?.message).toContain('"container" exited with 3');
  expect(end.error?.message).toContain("the reason");
  expect(end.progress?.runningPhase).toBeUndefined();
  const pods = async () =>
    (await stage.pods()).filter(
      ({ metadata }) => metadata.labels?.["headway.dev/actionset-uid"] === made.metadata.uid,
    );
  await expect.poll(pods, { timeout: 60_000 }).toEqual([]);
});

test("actions run at the same time and keep their numbers and artifacts apart", async () => {
  await stage.blueprint("twins", {
    run: {
      outputArtifacts: { a: { keyValue: { who: "{{ .Phases.same.Output.who }}" } } },
      phases: [
        task(
          "same",
          `echo '###progress###: {"percent": {{ .Options.percent }}}'; sleep 2; echo '###Phase-output###: {"key":"who","value":"{{ .Options.who }}"}'`,
        ),
      ],
    },
  });
  const action = (who: string, percent: string) => ({
    name: "run",
    blueprint: "twins",
    options: { who, percent },
  });
  await stage.set("twins", action("a", "90"), action("b", "10"));
  const history = await stage.history("twins");
  expect(history.at(-1)?.actions?.map(({ artifacts }) => artifacts?.["a"]?.keyValue?.["who"])).toEqual([
    "a",
    "b",
  ]);
  const both = history.map(({ actions }) =>
    actions?.map(({ phases }) => phases?.[0]?.progress?.progressPercent),
  );
  expect(both.some((pair) => pair?.[0] === "63.32" && pair[1] !== "63.32")).toBe(true);
  expect(both.every((pair) => pair?.[1] !== "63.32")).toBe(true);
  expect(history.some(({ progress }) => progress?.runningPhases?.length === 2)).toBe(true);
});

test("pods carry what the ActionSet and the blueprint want of them", async () => {
  await stage.run(
    "dressed",
    {
      phases: [
        task("look", `echo "###Phase-output###: {\\"key\\":\\"env\\",\\"value\\":\\"$A-$B\\"}"; sleep 2`, {
          podLabels: { who: "blueprint", more: "x" },
          podOverride: {
            containers: [
              {
                name: "container",
                env: [
                  { name: "A", value: "1" },
                  { name: "B", value: "1" },
                ],
              },
            ],
          },
        }),
      ],
    },
    {
      podLabels: { who: "set", kept: "y" },
      podAnnotations: { note: "z" },
      podOverride: { containers: [{ name: "container", env: [{ name: "B", value: "2" }] }] },
    },
  );
  const [pod] = await expect
    .poll(() => stage.pods(), { timeout: 60_000 })
    .toHaveLength(1)
    .then(() => stage.pods());
  expect(pod?.metadata).toMatchObject({
    labels: { createdBy: "kanister", who: "blueprint", more: "x", kept: "y" },
    annotations: { note: "z" },
  });
  expect((await stage.ended("dressed")).actions?.[0]?.phases?.[0]?.output).toEqual({ env: "1-2" });
});

test.each<[string, () => Promise<unknown>, string]>([
  ["no blueprint", () => stage.set("e1", { name: "run", blueprint: "nowhere" }), 'no blueprint "nowhere"'],
  [
    "no such action",
    async () => {
      await stage.blueprint("e2", { backup: { phases: [] } });
      return stage.set("e2", { name: "restore", blueprint: "e2" });
    },
    'no action "restore"; it has backup',
  ],
  [
    "an unknown function",
    () => stage.run("e3", { phases: [{ func: "Nope", name: "p", args: {} }] }),
    'no function "Nope"',
  ],
  [
    "a missing argument",
    () => stage.run("e4", { phases: [{ func: "KubeTask", name: "p", args: { image } }] }),
    'needs the argument "command"',
  ],
  [
    "an unknown argument",
    () => stage.run("e11", { phases: [task("p", "true", { colour: "red" })] }),
    '"colour"',
  ],
  [
    "an output of 1 MB",
    () =>
      stage.run("e12", {
        phases: [
          task(
            "p",
            `printf '###Phase-output###: {"key":"k","value":"'; head -c 1000000 /dev/zero | tr '\\0' x; echo '"}'`,
          ),
        ],
      }),
    'output "k" is too long',
  ],
  [
    "a template that fails",
    () => stage.run("e5", { phases: [task("p", "{{ .Options.none }}")] }),
    "cannot render argument of phase",
  ],
  [
    "a missing secret",
    () =>
      stage.run(
        "e6",
        { phases: [task("p", "true", {})] },
        { secrets: { s: { name: "none", namespace: "default" } } },
      ),
    'Secret "default/none" does not exist',
  ],
  [
    "a missing object",
    () =>
      stage.run(
        "e7",
        { phases: [task("p", "true")] },
        { object: { kind: "Deployment", name: "none", namespace: "default" } },
      ),
    'Deployment "default/none" does not exist',
  ],
  [
    "an odd output",
    () => stage.run("e8", { phases: [task("p", "echo '###Phase-output###: {'")] }),
    "no JSON with texts",
  ],
  [
    "a cloud function",
    () => stage.run("e9", { phases: [{ func: "DeleteRDSSnapshot", name: "p", args: { snapshotID: "x" } }] }),
    "AWS RDS",
  ],
  [
    "an artifact that cannot be made",
    () =>
      stage.run("e10", {
        outputArtifacts: { a: { keyValue: { k: "{{ .Phases.p.Output.no }}" } } },
        phases: [task("p", "true")],
      }),
    "output artifacts",
  ],
])("%s fails the ActionSet with the reason", async (_what, make, want) => {
  const made = (await make()) as { metadata: { name: string } };
  const end = await stage.ended(made.metadata.name);
  expect(end.state).toBe("failed");
  expect(end.error?.message).toContain(want);
});

test("an ActionSet without actions completes", async () => {
  await stage.set("nothing");
  expect(await stage.ended("nothing")).toMatchObject({
    state: "complete",
    progress: { percentCompleted: "100.00" },
  });
});

test("an output of 500 KB arrives whole", async () => {
  await stage.run("big", {
    phases: [
      task(
        "p",
        `printf '###Phase-output###: {"key":"k","value":"'; head -c 400000 /dev/zero | tr '\\0' x; echo '"}'`,
      ),
    ],
  });
  const end = await stage.ended("big");
  expect(end.error?.message).toBe("");
  expect(end.actions?.[0]?.phases?.[0]?.output?.["k"]).toHaveLength(400_000);
});
