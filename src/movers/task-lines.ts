import type { MoverLine } from "./definition.ts";
import { asObject, count, readObject } from "./numbers.ts";
import type { Connection, Look } from "./vitals.ts";

// What a data function prints in its pod, one line each: the program of ours and the script for other images use the same words.

/** A result: the mover's name and one object of JSON. */
export const resultMark = "###headway-result###:";
/** For how many seconds the repository has not answered; 0 when it has. */
export const waitMark = "###headway-wait###:";
/** The mover's process, once a second: its state, and the bytes that it has read and written. */
export const processMark = "###headway-process###:";
/** The bytes that a mover will write which does not say how far it is. */
export const totalMark = "###headway-total###:";
/** How far the mover is, as one object of JSON; scripts print the mover's own lines instead. */
const movedMark = "###headway-moved###:";

/** How far it is, as a line. */
export function movedLine(said: MoverLine): string {
  return `${movedMark} ${JSON.stringify(said)}`;
}

/** Reads such a line; undefined for every other one. */
export function readMovedLine(line: string): MoverLine | undefined {
  if (!line.startsWith(movedMark)) return undefined;
  const said = readObject(line.slice(movedMark.length).trim());
  const sample = asObject(said?.["progress"]);
  const done = count(sample?.["done"]);
  if (said === undefined || done === undefined) return undefined;
  const [total, sentBytes] = [count(sample?.["total"]), count(said["sentBytes"])];
  const progress = { unit: "bytes", done, ...(total !== undefined && total > 0 && { total }) } as const;
  return said["direction"] === "down"
    ? { direction: "down", progress }
    : { direction: "up", progress, ...(sentBytes !== undefined && { sentBytes }) };
}

/** A look at the mover's process; the connection where it was looked at. */
export interface ProcessLine {
  readonly look: Look;
  readonly connection: Connection | undefined;
}

/** The process, as a line: `S 10 20`, and `S 10 20 5 1 0` with its computing time, whether it is connected, and what waits to be sent. */
export function processLine({ look, connection }: ProcessLine): string {
  const { state, readBytes, writtenBytes, cpuTicks = 0 } = look;
  const more = connection && [cpuTicks, connection.isOpen ? 1 : 0, connection.queuedBytes];
  return [processMark, state, readBytes, writtenBytes, ...(more ?? [])].join(" ");
}

/** Reads such a line; undefined when it is none. */
export function readProcessLine(line: string): ProcessLine | undefined {
  if (!line.startsWith(processMark)) return undefined;
  const found = /^ (\w) (\d+) (\d+)(?: (\d+) ([01]) (\d+))?\s*$/.exec(line.slice(processMark.length));
  if (!found) return undefined;
  const [, state = "", read, written, cpu, open, queued] = found;
  const look = { state, readBytes: Number(read), writtenBytes: Number(written) };
  if (cpu === undefined) return { look, connection: undefined };
  return {
    look: { ...look, cpuTicks: Number(cpu) },
    connection: { isOpen: open === "1", queuedBytes: Number(queued) },
  };
}
