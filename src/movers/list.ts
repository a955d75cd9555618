import { AppError } from "../errors.ts";
import { findMovers } from "./find.ts";
import type { ActionMover, MoverOptions } from "./mover.ts";
import { definitionOf, type MoverKind, moverKinds } from "./registry.ts";
import { atLeast } from "./version.ts";

/** One program that was found. */
export interface Found {
  readonly kind: MoverKind;
  readonly program: string;
  readonly version?: string;
  /** Whether it is new enough. */
  readonly supported: boolean;
  /** Whether it is the one that is used. */
  readonly used: boolean;
}

/** A mover of this kind. */
export function makeMover(kind: MoverKind, options: MoverOptions): ActionMover {
  return definitionOf(kind).make(options);
}

/** Every mover in these folders with its version; the first supported one of a kind is used. */
export async function listMovers(folders: readonly string[], signal?: AbortSignal): Promise<Found[]> {
  const found: Found[] = [];
  for (const kind of moverKinds) {
    for (const program of findMovers(kind, folders)) {
      const version = await versionOf(kind, program, signal);
      const supported = version !== undefined && atLeast(version, ...definitionOf(kind).oldest);
      const used = supported && !found.some((other) => other.kind === kind && other.used);
      found.push({ kind, program, supported, used, ...(version !== undefined && { version }) });
    }
  }
  return found;
}

async function versionOf(
  kind: MoverKind,
  program: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    return await makeMover(kind, { program, scratch: "" }).version(signal);
  } catch (error) {
    if (error instanceof AppError) return undefined; // not the program it is named after: listed as such
    throw error;
  }
}
