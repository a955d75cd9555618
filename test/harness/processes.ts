import { readdirSync, readFileSync } from "node:fs";

/** The command lines of every process of this machine, words separated by blanks. */
export function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()];
      } catch {
        return []; // gone meanwhile
      }
    });
}

/** How many processes run just this command. */
export function running(command: string): number {
  return commandLines().filter((line) => line === command).length;
}

/** A `sleep` that no other run of the tests has. */
export function sleepOf(seconds: number): string {
  return `sleep ${seconds}.${process.pid}`;
}
