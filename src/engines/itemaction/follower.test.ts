import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import type { StoredBackupOperation } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import type { ActionProgress, OpenedAction } from "../../plugins/index.ts";
import { track } from "../../progress/index.ts";
import { Follower } from "./follower.ts";

const { signal } = new AbortController();
const name = "example.com/act";

function follow(
  answers: readonly (ActionProgress | Error)[],
  options: { timeoutMs?: number; plugin?: boolean } = {},
) {
  const clock = new TestClock(Date.parse("2026-01-01T00:00:00Z"));
  const calls: string[] = [];
  let at = 0;
  const action = {
    name,
    calls: {
      progress: async (id: string) => {
        calls.push(`progress ${id}`);
        const answer = answers[Math.min(at++, answers.length - 1)];
        if (answer instanceof Error) throw answer;
        return answer;
      },
      cancel: async (id: string) => void calls.push(`cancel ${id}`),
    },
  } as unknown as OpenedAction; // what the follower calls
  const follower = new Follower<StoredBackupOperation>({
    clock,
    actionOf: ({ spec }) => spec.backupItemAction,
    find: () => (options.plugin === false ? undefined : action),
    kind: "BackupItemActionV2",
    owner: () => Buffer.from("{}"),
    ownerRef: { apiVersion: "velero.io/v1", kind: "Backup", name: "b" },
    timeoutMs: options.timeoutMs ?? 3_600_000,
    moved: () => undefined,
  });
  const spec = {
    backupName: "b",
    backupUID: "u",
    backupItemAction: name,
    resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: "a", Name: "cm" },
    operationID: "op",
    postOperationItems: null,
  };
  follower.add({ spec, status: { phase: "New", created: new Date(clock.now()).toISOString() } }, signal);
  return { follower, clock, calls, status: () => follower.list()[0]?.stored.status };
}

const moving = (nCompleted: number): ActionProgress => ({
  completed: false,
  started: "2026-01-01T00:00:01Z",
  nCompleted,
  nTotal: 10,
});
const gone = () => new AppError("PLUGIN_FAILED", "it died", { cause: { code: 14 } });

test("operations are asked for once a second until they have ended", async () => {
  const { follower, clock, calls, status } = follow([{ completed: false }, moving(4), { completed: true }]);
  const end = follower.finish(signal);
  await clock.advance(500);
  expect(status()?.phase).toBe("New");
  await clock.advance(1000);
  expect(status()).toMatchObject({ phase: "InProgress", nCompleted: 4 });
  await clock.advance(1000);
  expect(await end).toEqual([]);
  expect(status()?.phase).toBe("Completed");
  expect(calls).toHaveLength(3);
});

test("a share never falls, whatever the plugin says", async () => {
  const { follower, clock } = follow([moving(6), moving(2), moving(9), { completed: true }]);
  const shares: number[] = [];
  let tracked: ReturnType<typeof track> | undefined;
  for (let i = 0; i < 5; i += 1) {
    await clock.advance(1000);
    const [seen] = follower.list();
    if (seen) tracked = track(tracked, seen.seen, clock.now());
    shares.push(tracked?.operation.fraction ?? 0);
  }
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(tracked?.operation.state).toBe("completed");
  expect(shares.at(-1)).toBe(1);
});

test("what a plugin refuses has failed at once, in its words", async () => {
  const { follower, clock, status } = follow([new AppError("PLUGIN_FAILED", "no operation op of b")]);
  const end = follower.finish(signal);
  await clock.advance(10);
  expect(await end).toHaveLength(1);
  expect(status()).toMatchObject({ phase: "Failed", error: "no operation op of b" });
});

test("a plugin that died between two questions is asked again, and given up at the third time in a row", async () => {
  const once = follow([gone(), moving(1), gone(), gone(), { completed: true }]);
  const end = once.follower.finish(signal);
  await once.clock.advance(5000);
  expect(await end).toEqual([]);
  const forever = follow([gone()]);
  const over = forever.follower.finish(signal);
  await forever.clock.advance(2500);
  expect(await over).toHaveLength(1);
  expect(forever.calls).toHaveLength(3);
});

test("an operation that has had its time is canceled, and has failed", async () => {
  const { follower, clock, calls, status } = follow([moving(1)], { timeoutMs: 2500 });
  const end = follower.finish(signal);
  await clock.advance(4000);
  expect(await end).toHaveLength(1);
  expect(status()).toMatchObject({ phase: "Failed", error: "Asynchronous action timed out" });
  expect(calls.filter((call) => call.startsWith("cancel"))).toEqual(["cancel op"]);
});

test("an action that no plugin has any more fails its operations", async () => {
  const { follower, clock, status } = follow([], { plugin: false });
  const end = follower.finish(signal);
  await clock.advance(10);
  await end;
  expect(status()?.error).toBe(`there is no BackupItemActionV2 "${name}" any more`);
});

test("cancel() tells the plugin, and nothing that it says later changes the end", async () => {
  const { follower, clock, calls, status } = follow([moving(1), { completed: true }]);
  await clock.advance(10);
  await follower.cancel(signal);
  await clock.advance(3000);
  expect(calls).toContain("cancel op");
  expect(status()?.phase).toBe("Canceled");
});
