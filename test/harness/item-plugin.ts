import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { KubeObject } from "../../src/api/index.ts";
import { type BackupStage, core } from "./backup-stage.ts";
import { findPart } from "./parts.ts";

const found = findPart("item-plugin", "HEADWAY_ITEM_PLUGIN");

/** Why the plugin program of test/fixtures/item-plugin cannot be used here; undefined when it can. */
export const missingItemPlugin: string | undefined = "missing" in found ? found.missing : undefined;

/** The program alone in a plugin folder, and a file that tells what its actions were called for. */
export class ItemPlugin {
  readonly program = "program" in found ? found.program : "";
  readonly root: string = mkdtempSync(join(tmpdir(), "item-plugin-"));
  readonly folder: string = dirname(this.program);
  readonly #log: string = join(this.root, "calls");
  readonly #before = process.env["FIXTURE_LOG"];

  constructor() {
    // Plugin programs have the environment of the operator, which in tests is this process.
    process.env["FIXTURE_LOG"] = this.#log;
  }

  /** What was called so far, a line a call; those that begin with a word. */
  calls(word = ""): string[] {
    const text = existsSync(this.#log) ? readFileSync(this.#log, "utf8") : "";
    return text.split("\n").filter((line) => line !== "" && line.startsWith(word));
  }

  close(): void {
    if (this.#before === undefined) delete process.env["FIXTURE_LOG"];
    else process.env["FIXTURE_LOG"] = this.#before;
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Labels and annotations of the fixture: each key without its prefix. */
export function fixtureMarks(marks: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(marks).map(([key, value]) => [`fixture.example/${key}`, value]));
}

/** A ConfigMap with marks of the fixture: labels choose the action, annotations say what it is to do. */
export async function markedMap(
  stage: BackupStage,
  namespace: string,
  name: string,
  marks: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly says?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await stage.client.create(core("configmaps", "ConfigMap"), {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace,
      labels: fixtureMarks(marks.labels ?? {}),
      annotations: fixtureMarks(marks.says ?? {}),
    },
    data: { name },
  });
}

/** The objects of an archive by the names of their entries. */
export function archivedObjects(gzipped: Buffer): Map<string, KubeObject> {
  const tar = gunzipSync(gzipped);
  const found = new Map<string, KubeObject>();
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const text = (from: number, to: number) =>
      tar.toString("latin1", at + from, at + to).replace(/\0.*$/s, "");
    const [name, prefix] = [text(0, 100), text(345, 500)];
    const bytes = Number.parseInt(text(124, 136), 8);
    const body = tar.subarray(at + 512, at + 512 + bytes);
    const path = prefix === "" ? name : `${prefix}/${name}`;
    if (path.endsWith(".json")) found.set(path, JSON.parse(body.toString()) as KubeObject); // what a backup holds
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
  return found;
}
