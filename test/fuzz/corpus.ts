import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "./json.ts";
import type { Case } from "./target.ts";

const folder = join(import.meta.dirname, "corpus");

/** Keeps a case that failed: `corpus/TARGET/DIGEST.bin` for bytes, `.json` for anything else. Returns where. */
export function keepCase(target: string, given: Case): string {
  const bytes = given instanceof Uint8Array ? given : Buffer.from(`${JSON.stringify(given)}\n`);
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const file = join(folder, target, `${digest}.${given instanceof Uint8Array ? "bin" : "json"}`);
  mkdirSync(join(folder, target), { recursive: true });
  writeFileSync(file, bytes);
  return file;
}

/** Every case that is kept, by target and file. */
export function keptCases(): readonly {
  readonly target: string;
  readonly file: string;
  readonly given: Case;
}[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((target) =>
    readdirSync(join(folder, target)).map((file) => {
      const bytes = readFileSync(join(folder, target, file));
      return {
        target,
        file,
        given: file.endsWith(".bin") ? bytes : (JSON.parse(bytes.toString("utf8")) as Json),
      };
    }),
  );
}
