import {
  type Backup,
  type BackupRepository,
  type BackupStorageLocation,
  type Kind,
  type KubeObject,
  kinds,
  type Schedule,
} from "../api/index.ts";
import { ApiError, builtIn, type Resource, resourceOf } from "../kube/index.ts";
import type { Board } from "../observe/index.ts";
import { boardOf, type Upcoming } from "./board.ts";
import type { PageClient } from "./caller.ts";

/** Reads the board as the person who asks: what they may not list is named instead of shown. */
export async function readBoard(
  client: PageClient,
  upcoming: Upcoming = () => [],
  signal?: AbortSignal,
): Promise<Board> {
  const list = <T extends KubeObject>(resource: Resource) => client.list<T>(resource, {}, signal);
  const optional = <T extends KubeObject>(resource: Resource) => list<T>(resource).catch(unlessRefused);
  const of = (kind: Kind) => resourceOf(kind);
  const [backups, namespaces, schedules, locations, repositories] = await Promise.all([
    list<Backup>(of(kinds.Backup)),
    optional<KubeObject>(builtIn.namespaces),
    optional<Schedule>(of(kinds.Schedule)),
    optional<BackupStorageLocation>(of(kinds.BackupStorageLocation)),
    optional<BackupRepository>(of(kinds.BackupRepository)),
  ]);
  return boardOf({ backups, namespaces, schedules, locations, repositories }, upcoming, Date.now());
}

/** A right that is missing, or a kind that this cluster does not have, hides a list and nothing else. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof ApiError && (error.status.code === 403 || error.status.code === 404)) return undefined;
  throw error;
}
