import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Backup, kinds } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { isRunEnded } from "../../kinds/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { storedFile, unpacked } from "../../observe/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";

const backups = resourceOf(kinds.Backup);

/** Prints the log of a backup that has ended; with `--follow` also of one that runs, as it is written. */
export async function printLogs(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const wanted = { kind: "BackupLog", name: input.args[0] ?? "" } as const;
  return printStoredLog("backup", input, io, signal, async () =>
    unpacked(await open(input, io, "BackupLog", signal), wanted, { signal }),
  );
}

/** Prints a stored log, after what can be followed of it while it is written. */
export async function printStoredLog(
  kind: "backup" | "restore",
  input: Input,
  io: Io,
  signal: AbortSignal,
  stored: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<number> {
  const { followToEnd, after } = await import("../watch/follow-log.ts");
  const followed = given(input, "follow") ? await followToEnd(kind, input, io, signal) : undefined;
  if (followed && "code" in followed) return followed.code;
  const printed = followed?.printed ?? { run: "", lines: 0 };
  try {
    for await (const text of after(printed, await stored())) io.out(text);
  } catch (error) {
    if (printed.lines === 0 || !(error instanceof AppError)) throw error;
    io.err(`headway: ${error.message}\n`); // a run that failed may store nothing, and its lines are above
  }
  return 0;
}

/** Saves the tarball of a backup that has ended. */
export async function download(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const path = text(input, "output") ?? `${input.args[0]}-data.tar.gz`;
  const bytes = await open(input, io, "BackupContents", signal);
  const file = createWriteStream(path, { flags: given(input, "force") ? "w" : "wx", mode: 0o600 });
  try {
    await pipeline(Readable.from(bytes), file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new AppError("USAGE", `"${path}" exists; --force overwrites it`, { cause: error, retry: false });
    }
    await rm(path, { force: true });
    throw error;
  }
  io.err(`backup "${input.args[0]}" was saved to "${path}"\n`);
}

/** Files are stored at the end. */
export function notYet(kind: "backup" | "restore", name: string, phase: string): AppError {
  return new AppError(
    "DOWNLOAD_FAILED",
    `${kind} "${name}" has not ended yet (${phase}): its files are stored at the end; \`headway ${kind} logs ${name} --follow\` prints ` +
      `its log as it is written, \`headway watch ${kind}/${name}\` shows how far it is`,
  );
}

async function open(input: Input, io: Io, kind: "BackupLog" | "BackupContents", signal: AbortSignal) {
  const cluster = await openCluster(input, io);
  const [name = ""] = input.args;
  try {
    const { status } = await cluster.client.get<Backup>(
      backups,
      name,
      { namespace: cluster.namespace },
      signal,
    );
    if (!isRunEnded(status)) {
      throw notYet("backup", name, status?.phase || "New");
    }
    if (status?.phase === "FailedValidation") {
      const why = status.validationErrors?.join("; ") ?? "";
      throw new AppError(
        "DOWNLOAD_FAILED",
        `backup "${name}" was refused, so nothing of it is stored: ${why}`,
      );
    }
    const bytes = await storedFile(cluster, { kind, name }, signal);
    if (bytes) return bytes;
    throw new AppError("DOWNLOAD_FAILED", `the storage location has no ${kind} of "${name}"`);
  } finally {
    cluster.client.close();
  }
}
