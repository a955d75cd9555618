import { posix } from "node:path";
import {
  addressText,
  openBackup,
  parseAddress,
  pathIn,
  putFiles,
  targetOf,
  volumeAt,
} from "../../browse/index.ts";
import { AppError } from "../../errors.ts";
import { withPlace } from "../backup/browse-place.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";

/** Brings a file or a folder of a backed-up volume back into a running pod. No Restore is made: the person's own rights do it. */
export async function restoreFiles(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const backup = text(input, "from-backup");
  if (backup === undefined) throw usage("--files goes with --from-backup");
  if (text(input, "dry-run") !== undefined)
    throw usage("--files has no --dry-run: `headway backup ls` shows what it would bring back");
  const from = parseAddress(text(input, "files") ?? "");
  const to = text(input, "to");
  const given = to === undefined ? undefined : parseAddress(to);
  await withPlace(input, io, async (place) => {
    const source = await pathIn(
      place,
      await volumeAt(await openBackup(place, backup, signal), from.volume),
      from.path,
      signal,
    );
    const entry = await source.mover.find(source.at, signal);
    if (entry?.type !== "file" && entry?.type !== "folder") {
      throw new AppError(
        "SNAPSHOT_PATH",
        `backup "${backup}" has no file or folder ${JSON.stringify(from.path)} in ${addressText(from.volume)}`,
        {
          retry: false,
        },
      );
    }
    const folder = given?.path ?? (entry.type === "folder" ? from.path : posix.dirname(from.path));
    const target = await targetOf(place.client, given?.volume ?? from.volume, signal);
    await putFiles(place.client, source, { entry, target, folder }, signal);
    const what = entry.type === "folder" ? `all in ${JSON.stringify(from.path)}` : JSON.stringify(from.path);
    io.err(
      `${what} of backup "${backup}" is in ${JSON.stringify(folder)} of ${addressText(given?.volume ?? from.volume)} (pod "${target.namespace}/${target.pod}")\n`,
    );
  });
  return 0;
}

function usage(message: string): AppError {
  return new AppError("USAGE", message, { retry: false });
}
