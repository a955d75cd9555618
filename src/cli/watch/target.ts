import { AppError } from "../../errors.ts";
import type { Operation } from "../../progress/index.ts";

/** One operation that a person named. */
export interface Target {
  /** The root object's kind in lower case. */
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

const kindWords: Readonly<Record<string, string>> = {
  backup: "backup",
  backups: "backup",
  restore: "restore",
  restores: "restore",
  actionset: "actionset",
  actionsets: "actionset",
  migration: "migmigration",
  migrations: "migmigration",
  migmigration: "migmigration",
  migmigrations: "migmigration",
  drill: "drill",
  drills: "drill",
};

/** Reads `KIND/NAME` or `KIND/NAMESPACE/NAME`. */
export function readTarget(text: string, namespace: string | undefined): Target {
  const parts = text.split("/");
  const kind = kindWords[parts[0]?.toLowerCase() ?? ""];
  const name = parts.at(-1) ?? "";
  if (kind === undefined || name === "" || parts.length < 2 || parts.length > 3) {
    throw new AppError(
      "USAGE",
      `"${text}" is not KIND/NAME or KIND/NAMESPACE/NAME with backup, restore, actionset, migration or drill`,
    );
  }
  return { kind, namespace: parts.length === 3 ? parts[1] : namespace, name };
}

/** Whether an operation is the one that was named. */
export function isTarget(target: Target, { ref }: Operation): boolean {
  return (
    ref.kind.toLowerCase() === target.kind &&
    ref.name === target.name &&
    (target.namespace === undefined || ref.namespace === target.namespace)
  );
}

/** How a person names a target. */
export function targetName(target: Target): string {
  const place = target.namespace === undefined ? "" : ` in namespace "${target.namespace}"`;
  return `${target.kind} "${target.name}"${place}`;
}
