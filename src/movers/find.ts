import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { MoverKind } from "./registry.ts";

/** Where `headway mover install` puts programs. */
export function moverCache(env: NodeJS.ProcessEnv = process.env): string {
  return join(env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "headway", "bin");
}

/** The folders in which a mover is looked for, in order: PATH, HEADWAY_MOVERS, our cache. */
export function moverFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const named = env["HEADWAY_MOVERS"];
  const path = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...new Set([...path, ...(named === undefined ? [] : [named]), moverCache(env)])];
}

/** Every mover of this kind, the one to use first. */
export function findMovers(kind: MoverKind, folders: readonly string[]): string[] {
  return findPrograms(kind, folders);
}

/** Every program of this name in these folders, in their order. */
export function findPrograms(name: string, folders: readonly string[]): string[] {
  return folders.map((folder) => join(folder, name)).filter(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not here: the next place is tried
  }
}
