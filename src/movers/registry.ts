import type { MoverDefinition } from "./definition.ts";
import { kopia } from "./kopia/definition.ts";
import { restic } from "./restic/definition.ts";

/** The data movers, the preferred one first. Another one is a folder beside these and a line here. */
const definitions = [kopia, restic] as const satisfies readonly MoverDefinition[];

/** The data movers that we know. */
export type MoverKind = (typeof definitions)[number]["kind"];

/** Their names, the preferred one first. */
export const moverKinds = [kopia.kind, restic.kind] as const satisfies readonly MoverKind[];

/** What new repositories are made with when nobody says otherwise. */
export const usualMover: MoverKind = kopia.kind;

/** What objects mean that name no mover: releases that wrote such ones had one only. */
export const unnamedMover: MoverKind = restic.kind;

/** What the data of snapshots is moved with: upstream has one for it. */
export const snapshotMover: MoverKind = kopia.kind;

/** All that is particular to a mover. */
export function definitionOf(kind: MoverKind): MoverDefinition {
  const found = definitions.find((one) => one.kind === kind);
  if (!found) throw new Error(`no mover is called "${kind}"`);
  return found;
}

/** The mover of this name, undefined when there is none. */
export function moverKind(name: string | undefined): MoverKind | undefined {
  return moverKinds.find((kind) => kind === name);
}
