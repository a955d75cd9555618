import type { Operation } from "./operation.ts";

/** How much of something is done; the total is absent while it is unknown. */
export interface Amount {
  readonly done: number;
  readonly total?: number;
  /** The total is a guess. */
  readonly estimated?: true;
}

/** What an operation and its parts have moved. */
export interface Moved {
  readonly bytes?: Amount;
  readonly items?: Amount;
}

/** Its own count where it has one, which already holds its parts; else the parts' counts added up. */
export function moved({ progress, children }: Operation): Moved {
  if (progress && progress.unit !== "steps") {
    const { unit, done, total, estimated } = progress;
    return { [unit]: { done, ...(total !== undefined && { total }), ...(estimated && { estimated }) } };
  }
  const parts = children.map(moved);
  const bytes = sum(parts.flatMap((part) => part.bytes ?? []));
  const items = sum(parts.flatMap((part) => part.items ?? []));
  return { ...(bytes && { bytes }), ...(items && { items }) };
}

/** The total is unknown while one part's is. */
export function sum(amounts: readonly Amount[]): Amount | undefined {
  if (amounts.length === 0) return undefined;
  const done = amounts.reduce((all, amount) => all + amount.done, 0);
  const totals = amounts.flatMap(({ total }) => total ?? []);
  const total = totals.reduce((all, one) => all + one, 0);
  if (totals.length < amounts.length) return { done };
  return { done, total, ...(amounts.some(({ estimated }) => estimated) && { estimated: true }) };
}
