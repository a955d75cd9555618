import { expect, test } from "vitest";
import { fakeCall } from "../../../../../test/harness/action-call.ts";
import type { ActionSet } from "../../../../api/index.ts";
import { tellActionSet, type Work } from "../../../../kinds/index.ts";
import type { ExecOptions } from "../../../../kube/index.ts";
import { look, type Tracked, track } from "../../../../progress/index.ts";
import { runByExec } from "./mover-run.ts";

const begin = Date.parse("2026-11-15T10:00:00Z");
const place = { namespace: "n", pod: "db-0", container: "main" };
const script = { text: "true", place: "s3:x", env: {} };

/** What a phase says while its script prints one line a second. */
async function follow(lines: readonly string[]) {
  let now = begin;
  const client = {
    exec: async (_resource: unknown, _pod: string, { onStdout }: ExecOptions) => {
      for (const line of lines) {
        now += 1_000;
        await onStdout?.(Buffer.from(`${line}\n`));
      }
      return { exitCode: 0 };
    },
  };
  const { call } = fakeCall("BackupData", {}, { client });
  const heard: { readonly at: number; readonly work: Work }[] = [];
  const deps = { ...call.deps, clock: { ...call.deps.clock, now: () => now } };
  await runByExec({ ...call, deps }, place, script, (work) => heard.push({ at: now, work }));
  return heard;
}

const restic = (second: number, done: number) =>
  `{"message_type":"status","seconds_elapsed":${second},"total_bytes":1000000,"bytes_done":${done}}`;

test("a mover's line that is only repeated is no sign of life, one with the same numbers is", async () => {
  const heard = await follow([restic(1, 10), restic(1, 10), restic(3, 10)]);
  expect(heard.map(({ work }) => work.heardAt)).toEqual([begin + 1_000, begin + 1_000, begin + 3_000]);
  expect(heard[0]?.work).toMatchObject({
    progress: { unit: "bytes", done: 10, total: 1_000_000 },
    uploadedBytes: 10,
    uploadTotalBytes: 1_000_000,
  });
});

test("a mover that is stopped while its script goes on printing stalls the phase as silent", async () => {
  const set: ActionSet = {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "ActionSet",
    metadata: { name: "x", namespace: "n" },
  };
  const moving = Array.from({ length: 20 }, (_, i) => restic(i, i * 1_000));
  const stopped = Array.from({ length: 40 }, () => restic(19, 19_000));
  let tracked: Tracked | undefined;
  for (const { at, work } of await follow([...moving, ...stopped])) {
    const phase = { name: "copy", state: "running" as const, startedAt: begin, work };
    const told = {
      state: "running" as const,
      error: "",
      actions: [{ name: "a", object: {}, phases: [phase] }],
    };
    tracked = track(tracked, tellActionSet(set, told), at);
    const { stall } = look(tracked, at);
    if (at <= begin + 39_000) expect(stall).toBeUndefined();
  }
  const operation = tracked && look(tracked, begin + 60_000);
  expect(operation?.children[0]?.children[0]?.stall).toEqual({
    since: begin + 20_000,
    cause: "mover-silent",
  });
});
