import type { StallCause } from "../../progress/index.ts";
import { archivedItem } from "./archive/archived-item.ts";
import type { Spool, SpoolKey } from "./archive/spool.ts";
import type { Filters } from "./choice.ts";
import type { RestoreActions } from "./item-actions.ts";
import {
  AllRestoreOperations,
  type OpenRestoreOperations,
  type RestoreOperations,
} from "./item-operations.ts";
import type { RunOptions } from "./run-options.ts";
import type { Served } from "./served.ts";

/** What works on items beside their being made. */
export interface OpenedOperations {
  readonly all: AllRestoreOperations;
  readonly plugins: RestoreActions | undefined;
}

/** Opens every source of operations for a run; the actions of plugins are one of them. */
export async function openOperations(
  options: RunOptions,
  run: {
    readonly spool: Spool;
    readonly filters: Filters;
    readonly served: Served;
    readonly moved: () => void;
    readonly waiting: (what: string | undefined, cause?: StallCause) => void;
  },
  signal: AbortSignal,
): Promise<OpenedOperations> {
  const {
    restore,
    backup,
    log,
    store,
    openOperations: others = [],
    openActions,
    resourceTimeoutMs,
  } = options;
  const { spool, filters, served, moved, waiting } = run;
  const resolve = (word: string) => served.resolve(word);
  const plugins = await openActions?.(
    { restore, backup, log, store, resolve, readyTimeoutMs: resourceTimeoutMs, moved, waiting },
    signal,
  );
  const opened = await openSources(others, { restore, backup, log, spool, filters, moved }, signal);
  return { all: new AllRestoreOperations(plugins ? [...opened, plugins] : opened), plugins };
}

/** Opens the sources that come with this program. */
export function openSources(
  sources: readonly OpenRestoreOperations[],
  given: Pick<RunOptions, "restore" | "backup" | "log"> & {
    readonly spool: Spool;
    readonly filters: Filters;
    readonly moved: () => void;
  },
  signal: AbortSignal,
): Promise<readonly RestoreOperations[]> {
  const context = {
    ...given,
    target: (namespace: string) => given.filters.target(namespace),
    archived: (key: SpoolKey) => archivedItem(given.spool, key),
  };
  return Promise.all(sources.map((open) => open(context, signal)));
}
