import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { getAsset, getAssetKeys, isSea } from "node:sea";

/** The folder of the package: a clone runs `src/`, the published package `dist/src/`, a single executable has none and takes its own. */
export const packageFolder = isSea()
  ? dirname(process.execPath)
  : join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? ".." : "../..");

/** What comes before the words of a command line when this program starts itself with `process.execPath`. */
export const ownProgram: readonly string[] = isSea() ? [] : [join(packageFolder, "bin/headway.js")];

/** The name and version of the program. */
export async function readPackage(): Promise<{ readonly name: string; readonly version: string }> {
  const text = isSea()
    ? getAsset("package.json", "utf8")
    : await readFile(join(packageFolder, "package.json"), "utf8");
  return JSON.parse(text) as { name: string; version: string }; // our own file
}

/** The files below a folder, by their path in it with slashes; in a single executable those that were put into it. */
export function filesIn(folder: string): ReadonlyMap<string, Buffer> {
  if (isSea()) {
    const below = `${relative(packageFolder, folder).split(sep).join("/")}/`;
    const keys = getAssetKeys().filter((key) => key.startsWith(below));
    return new Map(keys.map((key) => [key.slice(below.length), Buffer.from(getAsset(key))]));
  }
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [relative(folder, file).split(sep).join("/"), readFileSync(file)];
    }),
  );
}
