import type { MoverLine } from "./definition.ts";
import { definitionOf, moverKinds } from "./registry.ts";

/** Reads a line of progress of any mover as it stands in a pod's output; undefined for every other line. */
export function readMoverLine(line: string): MoverLine | undefined {
  for (const kind of moverKinds) {
    const said = definitionOf(kind).readLine(line);
    if (said) return said;
  }
  return undefined;
}
