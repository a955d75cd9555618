import {
  type ConversionPlan,
  convertBackup,
  type Opening,
  planConversion,
  planRemoval,
  type ResticRemoval,
  removeRestic,
  Targets,
} from "../../engines/bucket/index.ts";
import { markUnified } from "../../engines/podvolume/index.ts";
import { AppError } from "../../errors.ts";
import { definitionOf } from "../../movers/index.ts";
import { formatBytes } from "../../progress/index.ts";
import { repositoryFolder } from "../../store/index.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { structured } from "../render/structured.ts";
import { clean } from "../render/text.ts";
import { agreed, checkAsking } from "./agree.ts";
import { ConvertShow, volumeOf } from "./convert-show.ts";
import { type OpenBucket, withBucket } from "./open.ts";
import { reachable } from "./reach.ts";

/** Converts copies of restic's, or removes what conversions left; returns the exit code. */
export async function runConvert(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const isRemoval = given(input, "remove-restic");
  if (isRemoval && !given(input, "dry-run")) checkAsking(input, io);
  return await reachable(io, () =>
    withBucket(
      input,
      io,
      async (bucket) => {
        const { opening } = bucket;
        if (!opening) {
          const what = "the repositories have to be opened: give --password-file or --default-password";
          throw new AppError("USAGE", what, { retry: false });
        }
        const code = await convert(bucket, opening, input, io, signal);
        if (!isRemoval || code !== 0) return code;
        return await removed(bucket, opening, input, io, signal);
      },
      signal,
    ),
  );
}

async function convert(
  bucket: OpenBucket,
  opening: Opening,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const plan = await planConversion(bucket.store, input.args.slice(1), signal);
  for (const { name, reason } of plan.left) io.err(`left ${clean(name)}: ${clean(reason)}\n`);
  const missed = plan.left.length > 0 ? 1 : 0;
  const isStructured = text(input, "output") === "json";
  if (given(input, "dry-run")) {
    if (isStructured) io.out(await structured(plan, "json"));
    else for (const line of planLines(plan)) io.out(`${line}\n`);
    return missed;
  }
  if (plan.backups.length === 0) {
    io.err("no backup has copies of restic's\n");
    return missed;
  }
  if (process.getuid?.() !== 0) {
    const what = "only root can bring back the owners of files: run this as root";
    throw new AppError("CONVERT_REFUSED", what, { retry: false });
  }
  return Math.max(missed, await work(bucket, opening, plan, io, isStructured, signal));
}

async function work(
  { store, name, scratch }: OpenBucket,
  opening: Opening,
  plan: ConversionPlan,
  io: Io,
  isStructured: boolean,
  signal: AbortSignal,
): Promise<number> {
  const mark = async (namespace: string, until: AbortSignal) => {
    const formatObject = definitionOf("kopia").upstream.formatObject ?? "";
    const suffix = opening.place.kind === "filesystem" ? ".f" : "";
    await markUnified(store, { folder: repositoryFolder("kopia", namespace), formatObject, suffix }, until);
  };
  const deps = { store, opening, scratch, targets: new Targets(opening, mark) };
  const show = new ConvertShow(name, plan, io, isStructured);
  let failed = 0;
  try {
    for (const backup of plan.backups) {
      if (!(await convertBackup(deps, backup, show, signal))) failed += 1;
    }
    show.end(failed === 0 ? "completed" : "partially-failed");
  } catch (error) {
    show.end(signal.aborted ? "canceled" : "failed");
    throw error;
  }
  if (isStructured) io.out(await structured({ bucket: name, results: show.results }, "json"));
  return failed === 0 ? 0 : 1;
}

function planLines({ backups }: ConversionPlan): string[] {
  const copies = backups.flatMap((backup) => backup.copies);
  const bytes = copies.reduce((sum, copy) => sum + (copy.bytes ?? 0), 0);
  return [
    ...copies.map((copy) => {
      const size = copy.bytes === undefined ? "of unknown size" : formatBytes(copy.bytes);
      return `convert ${copy.backup}: ${volumeOf(copy)} (${size})`;
    }),
    `${backups.length} backups, ${copies.length} volumes, ${formatBytes(bytes)}`,
  ];
}

async function removed(
  { store }: OpenBucket,
  opening: Opening,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const plan = await planRemoval(store, opening, signal);
  for (const { name, reason } of plan.left) io.err(`left ${clean(name)}: ${clean(reason)}\n`);
  const code = plan.left.length > 0 ? 1 : 0;
  if (plan.backups.length === 0) {
    io.err("no converted backup has anything of restic's left\n");
    return code;
  }
  for (const line of removalPlan(plan)) io.err(`${line}\n`);
  if (given(input, "dry-run") || !(await agreed("Remove them?", input, io, signal))) return code;
  await removeRestic({ store, opening }, plan, (words) => io.err(`${words}\n`), signal);
  return code;
}

function removalPlan({ backups, snapshots, repositories }: ResticRemoval): string[] {
  return [
    ...[...snapshots].map(([namespace, ids]) =>
      repositories.includes(namespace)
        ? `remove the repository restic/${namespace} (${ids.length} snapshots, no backup needs it), unless it has others`
        : `remove ${ids.length} snapshots of restic/${namespace}`,
    ),
    `remove the originals that are kept beside ${backups.length} converted backups`,
  ];
}
