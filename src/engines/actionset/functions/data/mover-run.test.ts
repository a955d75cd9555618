import { expect, test } from "vitest";
import { fakeCall } from "../../../../../test/harness/action-call.ts";
import type { ActionSet } from "../../../../api/index.ts";
import { tellActionSet, type Work } from "../../../../kinds/index.ts";
import type { ExecOptions } from "../../../../kube/index.ts";
import { look, type Tracked, track } from "../../../../progress/index.ts";
import type { ProfileParams } from "../../params.ts";
import { backupData } from "./backup.ts";
import { runByExec, startOf, summaryOf } from "./mover-run.ts";

const begin = Date.parse("2026-11-15T10:00:00Z");
const place = { namespace: "n", pod: "db-0", container: "main" };
const profile: ProfileParams = {
  name: "p",
  location: { type: "filesystem", bucket: "b", endpoint: "/store", prefix: "", region: "" },
  credential: { type: "keyPair" },
  skipSslVerify: false,
};
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

const set: ActionSet = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "x", namespace: "n" },
};

/** What viewers see of the phase at each moment that something was heard. */
async function seen(lines: readonly string[]) {
  let tracked: Tracked | undefined;
  let work: Work = {};
  return (await follow(lines)).map(({ at, work: news }) => {
    work = { ...work, ...news };
    const phase = { name: "copy", state: "running" as const, startedAt: begin, work };
    const actions = [{ name: "a", object: {}, phases: [phase] }];
    tracked = track(tracked, tellActionSet(set, { state: "running", error: "", actions }), at);
    return { at, phase: look(tracked, at).children[0]?.children[0] };
  });
}

const bytes = (second: number, state = "S") => `###headway-process###: ${state} ${second * 20_000} 500`;

test("a mover that is stopped while its script goes on printing stalls the phase as silent", async () => {
  const moving = Array.from({ length: 20 }, (_, i) => restic(i, i * 1_000));
  const stopped = Array.from({ length: 40 }, () => restic(19, 19_000));
  const moments = await seen([...moving, ...stopped]);
  for (const { at, phase } of moments) if (at <= begin + 39_000) expect(phase?.stall).toBeUndefined();
  expect(moments.at(-1)?.phase?.stall).toEqual({ since: begin + 20_000, cause: "mover-silent" });
});

test("a copy over a slow link, whose numbers stand for minutes while its process works, is no stall", async () => {
  const lines = Array.from({ length: 900 }, (_, i) => (i % 2 === 0 ? bytes(i) : restic(1, 10)));
  const moments = await seen([restic(0, 5), ...lines]);
  expect(moments.filter(({ phase }) => phase?.stall)).toEqual([]);
});

test("a mover that somebody stopped is told within 40 s, however slow its numbers were", async () => {
  const slow = Array.from({ length: 300 }, (_, i) => [bytes(i), restic(i, Math.floor(i / 30))]).flat();
  const stopped = Array.from({ length: 40 }, () => [bytes(300, "T"), restic(300, 10)]).flat();
  const moments = await seen([...slow, ...stopped]);
  const since = begin + 1_000 * slow.length;
  const told = moments.find(({ at, phase }) => at > since && phase?.stall);
  expect(told?.phase?.stall?.cause).toBe("mover-silent");
  expect((told?.at ?? Number.POSITIVE_INFINITY) - since).toBeLessThanOrEqual(40_000);
});

test("a store that does not answer any more is told within 40 s, whatever the mover prints", async () => {
  const moving = Array.from({ length: 30 }, (_, i) => [bytes(i), restic(i, i)]).flat();
  const hanging = Array.from({ length: 40 }, (_, i) => [bytes(29), restic(30 + i, 29)]).flat();
  const moments = await seen([...moving, ...hanging]);
  const since = begin + 1_000 * moving.length;
  const told = moments.find(({ phase }) => phase?.stall);
  expect(told?.phase?.stall?.cause).toBe("store-unreachable");
  expect((told?.at ?? Number.POSITIVE_INFINITY) - since).toBeLessThanOrEqual(40_000);
});

test("a restore of a mover that says nothing is told by what its process writes", async () => {
  const lines = [10, 300, 700].map((written) => `###headway-process###: S 5000 ${written}`);
  const moments = await seen(["###headway-total###: 1000", ...lines]);
  expect(moments.map(({ phase }) => phase?.progress?.done)).toEqual([10, 300, 700]);
  expect(moments.at(-1)?.phase?.progress?.total).toBe(1000);
});

test("what was sent does not become less with the end, and is not more than there is", async () => {
  const summary =
    '{"message_type":"summary","total_files_processed":1,"total_bytes_processed":1000000,"data_added":32892,"snapshot_id":"0123abcd"}';
  const lines = [restic(1, 400_000), restic(2, 900_000), `###headway-result###: restic ${summary}`];
  const client = {
    exec: async (_resource: unknown, _pod: string, { onStdout }: ExecOptions) => {
      for (const line of lines) await onStdout?.(Buffer.from(`${line}\n`));
      return { exitCode: 0 };
    },
  };
  const args = { ...place, includePath: "/data", backupArtifactPrefix: "b/x" };
  const { call, progress } = fakeCall("BackupData", args, { client, params: { profile } });
  const output = await backupData(call);
  expect(output).toMatchObject({ backupID: "0123abcd", fileCount: "1", phySize: "32.121 KiB" });
  expect(progress.work).toMatchObject({ uploadedBytes: 900_000, uploadTotalBytes: 1_000_000 });
});

const task = {
  do: "check",
  repository: { place: { kind: "filesystem", path: "/s" }, password: "canary" },
  limitMs: 1,
} as const;
const own = { image: "ours:1", command: ["node", "headway.js"] };
test("startOf() starts the program of ours in its image alone, with its secrets in variables", () => {
  const given = { text: "true", place: "/s", env: { RESTIC_PASSWORD: "canary" }, task };
  const shell = { command: ["sh", "-c", "true"], env: given.env };
  expect(startOf({ own }, "ours:1", given)).toEqual({
    command: ["node", "headway.js", "data-task"],
    env: { HEADWAY_TASK: JSON.stringify(task) },
  });
  expect(startOf({ own }, "another:1", given)).toEqual(shell);
  expect(startOf({}, "ours:1", given)).toEqual(shell);
  expect(startOf({ own }, "ours:1", { ...given, task: undefined })).toEqual(shell);
});

test("summaryOf() reads the program's result as it reads a script's", () => {
  const told = { id: "abc", files: 2, bytes: 4, storedBytes: 1, failed: 0 };
  expect(summaryOf({ mover: "kopia", json: { snapshot: told } })).toEqual({ ...told, addedBytes: undefined });
  const said = { snapshot_id: "abc", total_files_processed: 2, total_bytes_processed: 4, data_added: 1 };
  expect(summaryOf({ mover: "restic", json: said })).toMatchObject({ ...told, addedBytes: 1 });
});

test("what leaves the sockets of a mover is a sign of life, however slow the link is", async () => {
  const process = (queued: number) => `###headway-process###: S 10000 10000 1 1 ${queued}`;
  const waits = Array.from({ length: 40 }, () => process(400_000));
  const drains = Array.from({ length: 40 }, (_, i) => process(400_000 - i * 4_000));
  const causes = async (lines: readonly string[]) =>
    new Set((await follow(lines)).map(({ work }) => work.waitingCause));
  expect(await causes(drains)).toEqual(new Set([undefined]));
  expect(await causes(waits)).toEqual(new Set([undefined, "store-unreachable"]));
  const stopped = Array.from({ length: 5 }, () => "###headway-process###: T 10000 10000 1 1 0");
  expect(await causes(stopped)).toEqual(new Set([undefined, "mover-silent"]));
});
