import { accessSync, constants, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../parts");

/** A program of others, at the version of test/parts/versions: where the variable says, where `test/parts/build` puts it; or why there is none. */
export function findPart(
  name: string,
  variable?: string,
  env: NodeJS.ProcessEnv = process.env,
): { readonly program: string } | { readonly missing: string } {
  const named = variable === undefined ? undefined : env[variable];
  if (named !== undefined && named !== "") return { program: named };
  const program = join(partFolder(name, env), name);
  if (isProgram(program)) return { program };
  return { missing: `no ${name}: run test/parts/build ${name}` };
}

/** The folder that `test/parts/build` makes for a program. */
export function partFolder(name: string, env: NodeJS.ProcessEnv = process.env): string {
  const version = versions().get(name);
  if (version === undefined) throw new Error(`test/parts/versions has no "${name}"`);
  return join(env["HEADWAY_PARTS"] ?? join(homedir(), ".cache/headway-parts"), `${name}-${version}`);
}

function versions(): Map<string, string> {
  const rows = readFileSync(join(folder, "versions"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(/\s+/));
  return new Map(rows.map(([name = "", version = ""]) => [name, version]));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not built, or not for us
  }
}
