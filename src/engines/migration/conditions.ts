import { createHash } from "node:crypto";
import { formatTime, type MigCondition, setMigCondition } from "../../api/index.ts";

/** A condition before it has its time. */
export type Wanted = Omit<MigCondition, "lastTransitionTime">;

/** A condition that stops its object from being used. */
export function critical(type: string, reason: string | undefined, message: string): Wanted {
  return { type, status: "True", category: "Critical", ...(reason !== undefined && { reason }), message };
}

/** A condition that has to hold before its object can be used. */
export function required(type: string, reason: string | undefined, message: string): Wanted {
  return { type, status: "True", category: "Required", ...(reason !== undefined && { reason }), message };
}

/** A condition of another category. */
export function said(
  category: "Error" | "Warn" | "Advisory",
  type: string,
  reason: string | undefined,
  message: string,
): Wanted {
  return { type, status: "True", category, ...(reason !== undefined && { reason }), message };
}

/** Whether one of these stops its object from being used. */
export function isBlocked(list: readonly Pick<MigCondition, "category" | "status">[]): boolean {
  return list.some(
    ({ category, status }) => status === "True" && (category === "Critical" || category === "Error"),
  );
}

/**
 * The conditions at the end of a look: durable ones stay, the others are those that are wanted now. The times of those
 * that did not change stay too.
 */
export function settleConditions(
  before: readonly MigCondition[] | undefined,
  wanted: readonly Wanted[],
  nowMs: number,
): readonly MigCondition[] {
  const types = new Set(wanted.map(({ type }) => type));
  const stay = (before ?? []).filter(({ type, durable }) => durable || types.has(type));
  const now = formatTime(nowMs);
  return wanted.reduce<readonly MigCondition[]>((list, one) => setMigCondition(list, one, now), stay);
}

/** The digest of a spec that a status is about. */
export function digestOf(spec: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(spec ?? {}))
    .digest("hex");
}
