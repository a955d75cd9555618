import type { OpenMover } from "../engines/podvolume/index.ts";
import type { Client } from "../kube/index.ts";
import type { LinkCheck } from "../observe/index.ts";

/** Where backups are looked into, and as whom: every right that is needed is the client's. */
export interface BrowsePlace {
  readonly client: Pick<Client, "get" | "list" | "create" | "watch">;
  /** The server's namespace. */
  readonly namespace: string;
  readonly mover: OpenMover;
  /** Whether links lead to the backup's location: for servers, which may reach what the asker may not. */
  readonly check?: LinkCheck | undefined;
}
