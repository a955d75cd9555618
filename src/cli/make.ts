import type { KubeObject } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { type Client, isNotFound, type Resource } from "../kube/index.ts";
import { type Input, text } from "./command.ts";
import type { Io } from "./io.ts";
import { nameOf } from "./objects.ts";

/** As much of an object as is needed to name it. */
interface Shown {
  readonly metadata: { readonly name: string };
}

/** What was asked for, and where answers go. */
interface Asked {
  readonly input: Input;
  readonly io: Io;
}

/**
 * Makes objects, or shows them: `-o` prints them, `--dry-run` says what would be made. True when they were made. What is shown
 * of Secrets is what the caller gives, so it masks them.
 */
export async function makeOrShow(
  objects: readonly Shown[],
  resource: Resource,
  { input, io }: Asked,
  make: (options: { readonly dryRun: boolean }) => Promise<unknown>,
): Promise<boolean> {
  const format = text(input, "output");
  const mode = text(input, "dry-run") ?? (format === undefined ? "none" : "client");
  if (mode !== "client") await make({ dryRun: mode === "server" });
  if (mode !== "none" || format !== undefined) await show(objects, resource, { format, mode }, io);
  return mode === "none";
}

async function show(
  objects: readonly Shown[],
  resource: Resource,
  { format, mode }: { readonly format: string | undefined; readonly mode: string },
  io: Io,
): Promise<void> {
  const last = objects.at(-1);
  if (last === undefined) return;
  if (format === undefined) return io.err(`${nameOf(resource, last)} would be made (dry run: ${mode})\n`);
  if (format === "name") return io.out(`${nameOf(resource, last)}\n`);
  const { structured } = await import("./render/structured.ts");
  const whole = objects.length === 1 ? last : { apiVersion: "v1", kind: "List", items: objects };
  io.out(await structured(whole, format));
}

/** Whether objects are only printed, so that nobody needs to look whether what they name is there. */
export function isPrinted(input: Input): boolean {
  return text(input, "output") !== undefined && text(input, "dry-run") === undefined;
}

/** A thing that another one names, and must be there for it. */
export interface Named {
  /** What a person calls it: `backup`, `storage location`. */
  readonly word: string;
  readonly resource: Resource;
  readonly name: string | undefined;
}

/** Throws when something that is named is not there: told now, not in a status that nobody reads. */
export async function demandNamed(
  client: Pick<Client, "get" | "list">,
  namespace: string,
  things: readonly Named[],
  signal: AbortSignal,
): Promise<void> {
  for (const { word, resource, name } of things) {
    if (name === undefined) continue;
    try {
      await client.get(resource, name, { namespace }, signal);
    } catch (cause) {
      if (!isNotFound(cause)) throw cause;
      const others = await client.list<KubeObject>(resource, { namespace }, signal);
      const names = others.map(({ metadata }) => metadata.name).toSorted();
      const some = names.slice(0, 10).join(", ") + (names.length > 10 ? ", …" : "");
      const there = names.length === 0 ? "there is none" : `there are: ${some}`;
      const words = `there is no ${word} "${name}" in namespace "${namespace}"; ${there}`;
      throw new AppError("USAGE", words, { cause, retry: false });
    }
  }
}
