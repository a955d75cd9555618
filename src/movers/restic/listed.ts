import type { ListedSnapshot } from "../listing.ts";

/** A line of `restic list snapshots`: an id alone. */
export function listed(line: string): ListedSnapshot | undefined {
  const id = line.trim();
  return /^[0-9a-f]{64}$/.test(id) ? { id, tags: [] } : undefined;
}
