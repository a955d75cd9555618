import { spawnSync } from "node:child_process";
import { findMovers, type MoverKind, moverFolders } from "../../src/movers/index.ts";
import { partFolder } from "./parts.ts";

/** The folders in which tests look for movers: those of the program, then those of test/parts. */
export function testMoverFolders(): string[] {
  return [...new Set([...moverFolders(), "/usr/bin", partFolder("restic"), partFolder("kopia")])];
}

/** A program of this kind and (the start of) this version; a reason when there is none. */
export function findTestMover(kind: MoverKind, version = ""): { program: string } | { missing: string } {
  for (const program of findMovers(kind, testMoverFolders())) {
    const said = spawnSync(program, [kind === "restic" ? "version" : "--version"], {
      encoding: "utf8",
    }).stdout;
    if (new RegExp(`^(restic |v)?${version.replaceAll(".", "\\.")}`).test(said)) return { program };
  }
  return {
    missing: `no ${kind} ${version} on PATH, in HEADWAY_MOVERS, the cache or test/parts (test/parts/build movers)`,
  };
}
