import {
  type CheckSink,
  type CheckSummary,
  type Counts,
  checkBucket,
  checkObservation,
  type Finding,
  repair,
} from "../../engines/bucket/index.ts";
import { inspectArchive } from "../../engines/restore/index.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { agreed, checkAsking } from "./agree.ts";
import { JsonReport } from "./json-report.ts";
import { type OpenBucket, withBucket } from "./open.ts";
import { reachable } from "./reach.ts";
import { backupLines, findingLine, removalLines, repositoryLines, summaryLines } from "./report-text.ts";
import { Show } from "./show.ts";

/** Checks a bucket, and repairs it where that is asked; returns the exit code. */
export async function runCheck(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  if (given(input, "repair")) checkAsking(input, io);
  return await reachable(io, () =>
    withBucket(
      input,
      io,
      async (bucket) => {
        const summary = await check(bucket, input, io, signal);
        if (given(input, "repair")) await repaired(bucket, summary, input, io, signal);
        return summary.errors + summary.warnings > 0 ? 1 : 0;
      },
      signal,
    ),
  );
}

async function check(bucket: OpenBucket, input: Input, io: Io, signal: AbortSignal): Promise<CheckSummary> {
  const json = text(input, "output") === "json" ? new JsonReport(io, bucket.name) : undefined;
  const show = new Show(io, json !== undefined);
  let counts: Counts = { repositories: { done: 0 }, backups: { done: 0 }, restores: { done: 0 } };
  const see = (state: "running" | "completed" | "failed") =>
    show.see(() => checkObservation(bucket.name, counts, state), Date.now(), state !== "running");
  const lines = (all: readonly string[]) => {
    for (const line of all) show.line(line);
  };
  const sink: CheckSink = {
    backup: (report) => (json ? json.backup(report) : lines(backupLines(report))),
    repository: (report) => (json ? json.repository(report) : lines(repositoryLines(report))),
    found: (found: Finding) => (json ? json.found(found) : show.line(findingLine(found).trim())),
    progress(now) {
      counts = now;
      see("running");
    },
  };
  const { store, opening } = bucket;
  const inspect = given(input, "quick") ? undefined : inspectArchive;
  see("running");
  try {
    const summary = await checkBucket({ store, opening, inspect, now: Date.now }, sink, signal);
    see("completed");
    show.end();
    if (json) json.end(summary);
    else for (const line of summaryLines(summary)) io.out(`${line}\n`);
    if (!opening)
      io.err("no password was given: repositories were not opened, so snapshots were not looked for\n");
    return summary;
  } catch (error) {
    see("failed");
    show.end();
    throw error;
  }
}

async function repaired(
  { store }: OpenBucket,
  { removals }: CheckSummary,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (removals.length === 0) return io.err("there is nothing that is proven to be useless\n");
  for (const line of removalLines(removals)) io.err(`${line}\n`);
  if (!(await agreed("Remove them?", input, io, signal))) return;
  await repair(
    store,
    removals,
    ({ prefix }, isRemoved) =>
      io.err(isRemoved ? `removed ${prefix}\n` : `left ${prefix}: it has changed since it was checked\n`),
    signal,
  );
}
