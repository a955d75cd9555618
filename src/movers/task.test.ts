import { afterEach, expect, test, vi } from "vitest";
import { AppError, type Code } from "../errors.ts";
import type { BackupRequest, RestoreRequest } from "./mover.ts";
import { type MoverKind, moverKinds } from "./registry.ts";
import { type DataTask, type DataWork, readTask, runTask, type TaskMover } from "./task.ts";

const [usual, other] = moverKinds;
const head = {
  repository: { place: { kind: "filesystem", path: "/store" }, password: "canary" },
  limitMs: 12_000,
} as const;
const fault = (code: Code) => new AppError(code, `it is ${code}`);
afterEach(() => void vi.useRealTimers());

type Answer = Code | "opens" | "silent";

/** An image with movers whose repositories answer as they are told; they note what they were asked. */
function image(answers: Partial<Record<MoverKind, Answer>>) {
  const asked: string[] = [];
  const printed: string[] = [];
  const mover = (kind: MoverKind): TaskMover | undefined => {
    const answer = answers[kind];
    if (answer === undefined) return undefined;
    const note = (what: string) => void asked.push(`${kind} ${what}`);
    const opens = async (signal?: AbortSignal) => {
      if (answer === "silent")
        await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      if (answer !== "opens" && answer !== "silent") throw fault(answer);
    };
    return {
      kind,
      version: async () => "1.0.0",
      openRepository: async (_, signal) => (note("open"), opens(signal)),
      ensureRepository: async () => note("ensure"),
      async backup({ path, tag, onProgress }: BackupRequest) {
        note(`backup ${path} ${tag}`);
        for (const done of [1, 2, 3]) onProgress?.({ unit: "bytes", done, total: 4 }, done);
        return { snapshotId: "abc", bytes: 4, files: 2, incrementalBytes: 3, storedBytes: 1 };
      },
      async restore({ snapshotId, path, below }: RestoreRequest) {
        note(`restore ${snapshotId} ${path} ${below?.subPath}`);
        return { bytes: 4 };
      },
      snapshotBytes: async () => 4,
      findTagged: async (_, tag) => `id-of-${tag}`,
      measure: async () => ({ bytes: 4, files: 2 }),
      forget: async (_, id) => note(`forget ${id}`),
      unlock: async () => undefined,
      maintain: async () => undefined,
      reclaim: async () => ({ bytes: 7 }),
    };
  };
  const run = (work: DataWork, more: Partial<DataTask> = {}) =>
    runTask(
      { ...head, ...more, ...work },
      { mover, print: (line) => void printed.push(line), now: () => 0 },
      new AbortController().signal,
    );
  return { asked, printed, run };
}

const missing = "MOVER_REPOSITORY_MISSING";
const backup = { do: "backup", path: "/data", tag: "t" } as const;
const chosen: [
  what: string,
  answers: Partial<Record<MoverKind, Answer>>,
  mover: MoverKind | undefined,
  MoverKind,
][] = [
  ["a new repository is the preferred mover's", { [usual]: "opens", [other]: missing }, undefined, usual],
  ["one of the other is gone on with", { [usual]: "opens", [other]: "opens" }, undefined, other],
  [
    "one that the password does not open, too",
    { [usual]: "opens", [other]: "MOVER_PASSWORD" },
    undefined,
    other,
  ],
  ["the only one of the image", { [other]: missing }, undefined, other],
  ["the one that is named", { [usual]: "opens", [other]: "opens" }, usual, usual],
];
test.each(chosen)("runTask() takes the mover: %s", async (_, answers, mover, want) => {
  const { asked, run } = image(answers);
  await run(backup, { mover });
  expect(asked.at(-1)).toBe(`${want} backup /data t`);
});

test("runTask() without a mover says which it looked for", async () => {
  await expect(image({}).run(backup)).rejects.toMatchObject({ code: "MOVER_MISSING" });
});

test("runTask() prints how far a backup is, the newest last, and its result", async () => {
  const { printed, run } = image({ [usual]: "opens" });
  await run(backup);
  expect(printed).toEqual([
    `###headway-moved###: {"direction":"up","progress":{"unit":"bytes","done":3,"total":4},"sentBytes":3}`,
    `###headway-result###: ${usual} {"snapshot":{"id":"abc","files":2,"bytes":4,"addedBytes":3,"storedBytes":1,"failed":0}}`,
  ]);
});

test("runTask() finds snapshots by their tag", async () => {
  const { asked, printed, run } = image({ [usual]: "opens" });
  const target = "/";
  await run({ do: "restore", id: "", tag: "t", subPath: "sub", target });
  const what = [
    { id: "abc", tag: "" },
    { id: "", tag: "t" },
  ];
  await run({ do: "remove", what, reclaim: true });
  await run({ do: "stats", id: "abc", mode: "restore-size" });
  expect(asked.filter((one) => !one.endsWith("open"))).toEqual([
    `${usual} restore id-of-t / sub`,
    `${usual} forget abc`,
    `${usual} forget id-of-t`,
  ]);
  expect(printed.map((line) => line.slice(line.indexOf("{")))).toEqual([
    "{}",
    `{"freedBytes":7}`,
    `{"snapshot":{"id":"abc","files":2,"bytes":4,"failed":0}}`,
  ]);
});

test.each<[Answer, object]>([
  ["opens", {}],
  ["MOVER_PASSWORD", { password: true }],
  [missing, { unavailable: true }],
  ["MOVER_REPOSITORY", { unavailable: true }],
])("runTask() checks a repository that answers %s", async (answer, want) => {
  const { printed, run } = image({ [usual]: answer });
  await run({ do: "check" });
  expect(printed.at(-1)).toBe(`###headway-result###: ${usual} ${JSON.stringify(want)}`);
});

test("runTask() checks with the mover that the image has", async () => {
  const { printed, run } = image({ [other]: "MOVER_PASSWORD" });
  await run({ do: "check" });
  expect(printed.at(-1)).toBe(`###headway-result###: ${other} {"password":true}`);
});

test("runTask() tells how long a repository has not answered, and gives it up in time", async () => {
  vi.useFakeTimers();
  const { printed, run } = image({ [usual]: "silent" });
  const done = run({ do: "stats", id: "abc", mode: "restore-size" });
  const failed = expect(done).rejects.toThrow("the repository did not answer within 12 s");
  await vi.advanceTimersByTimeAsync(15_000);
  await failed;
  expect(printed).toEqual([5, 10, 15].map((seconds) => `###headway-wait###: ${seconds}`));
  const check = image({ [usual]: "silent" });
  const checked = check.run({ do: "check" });
  await vi.advanceTimersByTimeAsync(15_000);
  await checked;
  expect(check.printed.at(-1)).toBe(`###headway-result###: ${usual} {"unavailable":true}`);
});

test.each([undefined, "", "{", "[]", "{}"])("readTask() of %j says that there is none", (text) => {
  expect(() => readTask(text)).toThrow("HEADWAY_TASK holds none");
});
