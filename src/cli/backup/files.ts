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

/** Prints the log of a backup that has ended; `--follow` waits for the end, since the log is stored then. */
export async function printLogs(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  if (given(input, "follow")) {
    const { followToLog } = await import("../watch/wait.ts");
    const code = await followToLog("backup", input, io, signal);
    if (code !== undefined) return code;
  }
  const bytes = await open(input, io, "BackupLog", signal);
  const wanted = { kind: "BackupLog", name: input.args[0] ?? "" } as const;
  for await (const chunk of unpacked(bytes, wanted, { signal })) io.out(String(chunk));
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

/** The log is in the operator until the end: nobody else can read it before. */
export function notYet(kind: "backup" | "restore", name: string, phase: string): AppError {
  return new AppError(
    "DOWNLOAD_FAILED",
    `${kind} "${name}" has not ended yet (${phase}): its files are stored at the end; \`headway ${kind} logs ${name} --follow\` waits for ` +
      `that, \`headway watch ${kind}/${name}\` shows how far it is`,
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
