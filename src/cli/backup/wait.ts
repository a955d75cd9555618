import { type Backup, kinds } from "../../api/index.ts";
import { type Client, isGone, resourceOf } from "../../kube/index.ts";
import { percentText } from "../../progress/index.ts";
import type { Io } from "../io.ts";

const backups = resourceOf(kinds.Backup);
const terminal = ["FailedValidation", "Completed", "PartiallyFailed", "Failed"];

/** Shows how far a backup is until it has ended; the exit code tells how. A bar on a terminal, lines elsewhere. */
export async function waitFor(client: Client, made: Backup, io: Io, signal: AbortSignal): Promise<number> {
  const { name, namespace } = made.metadata;
  let said = "";
  let seen = made;
  const show = (backup: Backup) => {
    const line = lineOf(backup, io.terminal?.columns);
    if (io.terminal) io.err(`\r\x1b[K${line}`);
    else if (line !== said) io.err(`${line}\n`);
    said = line;
  };
  while (!terminal.includes(seen.status?.phase ?? "")) {
    const query = {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      resourceVersion: seen.metadata.resourceVersion,
    };
    try {
      for await (const event of client.watch<Backup>(backups, query, signal)) {
        if (event.type === "BOOKMARK") continue;
        if (event.type === "DELETED") {
          io.err(`\nbackup "${name}" was deleted\n`);
          return 1;
        }
        seen = event.object;
        show(seen);
        if (terminal.includes(seen.status?.phase ?? "")) break;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    // A watch may end for any reason; what is, is read again.
    seen = await client.get<Backup>(backups, name, { namespace }, signal);
  }
  show(seen);
  return ending(seen, io);
}

/** One line on how far a backup is. */
export function lineOf({ metadata, status }: Backup, columns?: number): string {
  const { phase = "New", progress, queuePosition } = status ?? {};
  const { totalItems = 0, itemsBackedUp = 0 } = progress ?? {};
  if (phase === "Queued") return `${metadata.name}: queued, place ${queuePosition ?? "?"}`;
  if (totalItems === 0) return `${metadata.name}: ${phase}`;
  // 100 % is said only by the phase that means it.
  const share = phase === "Completed" ? 1 : Math.min(0.99, itemsBackedUp / totalItems);
  const counts = `${percentText(share, 0)}% ${itemsBackedUp}/${totalItems} items, ${phase}`;
  if (columns === undefined) return `${metadata.name}: ${counts}`;
  const wide = Math.max(0, Math.min(40, columns - counts.length - metadata.name.length - 5));
  const full = Math.round(share * wide);
  return `${metadata.name} [${"#".repeat(full)}${"-".repeat(wide - full)}] ${counts}`;
}

function ending({ metadata, status }: Backup, io: Io): number {
  const { phase, failureReason, errors = 0, warnings = 0, validationErrors } = status ?? {};
  if (io.terminal) io.err("\n");
  const why = failureReason ?? validationErrors?.join("; ");
  io.err(
    `backup "${metadata.name}" ended as ${phase}${why ? `: ${why}` : ""} (${errors} errors, ${warnings} warnings)\n`,
  );
  if (phase === "Completed") return 0;
  return failureReason?.startsWith("canceled") ? 4 : 1;
}
