import { createWriteStream, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import type { Mover, Place, Repository, Witness } from "../../movers/index.ts";
import type { Io } from "../io.ts";

/** What is recorded, and from where to where. */
export interface RecordOptions {
  readonly mover: string;
  readonly volume: string;
  readonly workload: string;
  readonly repository: string;
  readonly restore?: string;
  readonly parent?: string;
  readonly family?: string;
  readonly lean: boolean;
  readonly to: string;
}

const lookEveryMs = 1_000;

/** Runs a mover once and writes its trace; prints the file's name. */
export async function record(options: RecordOptions, io: Io, signal: AbortSignal): Promise<number> {
  const { Recorder } = await import("../../trace/index.ts");
  const open = await opener(options.mover, io, signal);
  const repository = repositoryOf(options, io);
  const plain = open();
  await plain.ensureRepository(repository, signal);
  const total =
    options.restore === undefined
      ? undefined
      : await plain.snapshotBytes(repository, options.restore, signal);
  const version = await plain.version(signal);
  const startedAt = Date.now();
  mkdirSync(options.to, { recursive: true });
  const path = join(options.to, `${options.workload.replace(/[^-.\w]/g, "_")}-${startedAt}.ndjson`);
  const file = createWriteStream(path);
  const recorder = new Recorder(
    {
      v: 1,
      key: options.workload,
      family: options.family ?? options.workload,
      mover: plain.kind,
      version,
      op: options.restore === undefined ? "backup" : "restore",
      unit: "bytes",
      startedAt,
      ...(options.restore === undefined && { parent: options.parent !== undefined }),
    },
    {
      write: (line) => void file.write(`${line}\n`),
      now: () => performance.now(),
      lean: options.lean,
      ...(total !== undefined && { total }),
    },
  );
  const timer = setInterval(() => void recorder.look(), lookEveryMs);
  try {
    const snapshot = await transfer(
      open(recorder),
      options,
      { repository, path: resolve(options.volume) },
      signal,
    );
    recorder.end("completed");
    io.out(`${path}\n`);
    if (snapshot !== undefined) io.err(`snapshot ${snapshot}\n`);
    return 0;
  } catch (error) {
    recorder.end("failed");
    throw error;
  } finally {
    clearInterval(timer);
    await new Promise<void>((done) => file.end(done));
  }
}

async function transfer(
  mover: Mover,
  { restore, parent, workload }: RecordOptions,
  where: { readonly repository: Repository; readonly path: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (restore !== undefined) {
    await mover.restore({ ...where, snapshotId: restore }, signal);
    return undefined;
  }
  const source = `trace/${workload.replace(/[^-.\w]/g, "_")}`;
  const result = await mover.backup(
    { ...where, source, tags: {}, ...(parent !== undefined && { parent }) },
    signal,
  );
  return result.snapshotId;
}

async function opener(name: string, io: Io, signal: AbortSignal): Promise<(witness?: Witness) => Mover> {
  const { listMovers, makeMover, moverFolders, moverKinds } = await import("../../movers/index.ts");
  const kind = moverKinds.find((known) => known === name);
  if (kind === undefined)
    throw new AppError("USAGE", `there is no mover "${name}", only ${moverKinds.join(" and ")}`);
  const found = await listMovers(moverFolders({ ...io.env }), signal);
  const used = found.find((each) => each.kind === kind && each.used);
  if (!used)
    throw new AppError("MOVER_MISSING", `no usable ${kind} was found: headway mover install ${kind}`, {
      retry: false,
    });
  const scratch = join(tmpdir(), `headway-trace-${process.getuid?.() ?? 0}`);
  return (witness) => makeMover(kind, { program: used.program, scratch, ...(witness && { witness }) });
}

function repositoryOf({ repository, mover }: RecordOptions, io: Io): Repository {
  // Where each of them looks for it, too.
  const name = `${mover.toUpperCase()}_PASSWORD`;
  const password = io.env[name];
  if (!password)
    throw new AppError("USAGE", `${name} is not set: the repository has to be opened with something`);
  return { place: placeOf(repository, io), password };
}

/** A folder, or `s3:https://ADDRESS/BUCKET/PREFIX`. */
export function placeOf(text: string, { env }: Pick<Io, "env">): Place {
  if (!text.startsWith("s3:")) return { kind: "filesystem", path: resolve(text) };
  const address = URL.canParse(text.slice(3)) ? new URL(text.slice(3)) : undefined;
  const [bucket = "", ...prefix] = (address?.pathname ?? "").split("/").filter((part) => part !== "");
  if (!address || bucket === "")
    throw new AppError("USAGE", `"${text}" is no place for a repository: s3:https://ADDRESS/BUCKET/PREFIX`);
  const [accessKeyId, secretAccessKey] = [env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]];
  return {
    kind: "s3",
    bucket,
    prefix: prefix.join("/"),
    endpoint: address.origin,
    region: env["AWS_REGION"] ?? "us-east-1",
    ...(accessKeyId && secretAccessKey && { keys: { accessKeyId, secretAccessKey } }),
  };
}
